/* plot: a picture being built as a gnuplot script with its data, and the grid of panels that plots share.
 *
 * How foreign text is kept out of scripts: gnt_plot_say writes the script and is given our own words, numbers
 * and slugs only; foreign text goes through gnt_plot_label into a data file, which the script reads into the
 * string array L, so that gnuplot never parses it. Pictures are laid out in pixels of the svg, the png has
 * twice as many. */
#ifndef GNT_REPORT_PLOT_IMPL_H
#define GNT_REPORT_PLOT_IMPL_H

#include <stddef.h>

#include "base/err.h"
#include "base/text.h"
#include "report/plot/picture.h"
#include "judge/judge.h"

enum { GNT_KEY_NAME = 26, GNT_KEY_LINE = 22 };

typedef struct gnt_plot {
    const char *folder; /* the report folder: gnuplot's working folder */
    char name[192];     /* made of slugs: the picture is NAME.svg, its script plots/NAME.gp */
    double width, height;
    gnt_text script, data, labels;
    int n_block, n_label;
} gnt_plot;

void gnt_plot_init(gnt_plot *p, const char *folder, const char *name, double width, double height);
void gnt_plot_free(gnt_plot *p);
void gnt_plot_say(gnt_plot *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Puts foreign text into the label file, cut to `most` characters; the script shows it as L[number]. */
int gnt_plot_label(gnt_plot *p, const char *text, size_t most);
/* Opens a block of numbers in the data file and returns its index: write its rows, then plot `index
 * BLOCK`. */
int gnt_plot_block(gnt_plot *p);
void gnt_plot_row(gnt_plot *p, const double *values, int n); /* not finite: NaN, which gnuplot skips */
/* Writes script and data and runs gnuplot for the wanted formats. *drawn: the GNT_FORMAT_* of which there is
 * a whole file afterwards. −1 with a sentence: one is missing, or gnuplot said something. */
int gnt_plot_finish(gnt_plot *p, int formats, int *drawn, gnt_err *err);

/* ---- panels ---- */

typedef struct gnt_panels {
    int n, columns, rows;
    double left, right, top, bottom; /* margins of one panel, pixels */
    double width, height;            /* of one panel with its margins */
    double head, foot;               /* strips above and below all panels */
} gnt_panels;

/* Computes a grid for n panels, in rows of `columns` (0: chosen for n); *width and *height: the picture's
 * size. */
gnt_panels gnt_panels_layout(int n, int columns, double head, double foot, double *width, double *height);
/* Sets the margins of panel i and its title from foreign text. */
void gnt_panel_begin(gnt_plot *p, const gnt_panels *g, int i, const char *title);
int gnt_panel_is_left(const gnt_panels *g, int i);
int gnt_panel_is_bottom(const gnt_panels *g, int i); /* no panel below it */
/* Returns the width in pixels of an entry of a key: the mark and the longest of the names, which are cut
 * to GNT_KEY_NAME. */
double gnt_key_entry(const char *const *names, size_t n);
/* Begins a strip (in pixels from the lower left corner) whose plot coordinates are pixels, without axes. */
void gnt_plot_strip(gnt_plot *p, double bottom, double height);

/* ---- the look ---- */

/* Returns the i-th colour (0xRRGGBB) of lines and points, after Okabe and Ito; they repeat. */
unsigned gnt_palette(size_t i);
/* Returns the colour (0xRRGGBB) of a defense (an index into r->defense), by its family, from those of
 * Okabe and Ito; gnt_shape its point type, which distinguishes families too. */
unsigned gnt_colour(const gnt_results *r, size_t defense);
int gnt_shape(const gnt_results *r, size_t defense, int filled);

/* Returns the colour of a share, from near white at 0 to dark blue at 1, which differ in lightness also for
 * the colour-blind. *dark: the colour needs light text. */
unsigned gnt_shade(double share, int *dark);

/* Returns the distance of ticks, 1, 2, 2.5 or 5 times a power of ten, such that at most `most` fall on
 * [low, high]. */
double gnt_tick_step(double low, double high, int most);

/* Widens [low, high] by a share of itself, and to something when it is empty; NAN gives 0 … 1. */
void gnt_range(double *low, double *high, double share);
/* Widens [low, high] on both sides to at least `span`. */
void gnt_range_least(double *low, double *high, double span);

#endif
