#include "report/plot/plot_impl.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "render/escape.h"
#include "report/plot/gnuplot.h"

enum { MOST = 64 << 20 };

void gnt_plot_init(gnt_plot *p, const char *folder, const char *name, double width, double height) {
    *p = (gnt_plot){.folder = folder, .width = width, .height = height};
    snprintf(p->name, sizeof p->name, "%s", name);
    gnt_text_init(&p->script, MOST);
    gnt_text_init(&p->data, MOST);
    gnt_text_init(&p->labels, MOST);
}

void gnt_plot_free(gnt_plot *p) {
    gnt_text_free(&p->script);
    gnt_text_free(&p->data);
    gnt_text_free(&p->labels);
}

void gnt_plot_say(gnt_plot *p, const char *format, ...) {
    char line[2048];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= sizeof line)
        p->script.failed = 1;
    else
        gnt_text_bytes(&p->script, line, (size_t)n);
}

int gnt_plot_label(gnt_plot *p, const char *text, size_t most) {
    /* The x before it keeps gnuplot from seeing an empty line, a quoted field or leading blanks. */
    gnt_text_add(&p->labels, "x");
    gnt_escape_plot(&p->labels, text, most);
    gnt_text_add(&p->labels, "\n");
    return ++p->n_label;
}

int gnt_plot_block(gnt_plot *p) {
    if (p->n_block > 0)
        gnt_text_add(&p->data, "\n\n");
    return p->n_block++;
}

void gnt_plot_row(gnt_plot *p, const double *values, int n) {
    for (int i = 0; i < n; i++)
        if (isfinite(values[i]))
            gnt_text_add(&p->data, "%s%.9g", i ? "\t" : "", values[i]);
        else
            gnt_text_add(&p->data, "%sNaN", i ? "\t" : "");
    gnt_text_add(&p->data, "\n");
}

static int write_source(const gnt_plot *p, const char *ending, const gnt_text *text, gnt_err *err) {
    char *path = gnt_format("%s/plots/%s.%s", p->folder, p->name, ending);
    int failed = !path || text->failed ? gnt_fail(err, "%s: out of memory", p->name)
                                       : gnt_file_write(path, gnt_text_get(text), text->size, err);
    gnt_free(path);
    return failed;
}

static void terminal(const gnt_plot *p, gnt_text *out, int format) {
    if (format == GNT_FORMAT_SVG)
        gnt_text_add(
            out,
            "set terminal svg noenhanced size %.0f,%.0f font \"sans-serif,13\" background \"#ffffff\"\n"
            "set output \"%s.svg\"\nTINY = \",10\"\nSMALL = \",12\"\nBIG = \",16\"\nMIDDLE = \",13\"\nset "
            "termoption "
            "pointscale 0.8\n",
            p->width, p->height, p->name);
    else
        gnt_text_add(
            out,
            "set terminal pngcairo noenhanced size %.0f,%.0f font \"Sans,10\" fontscale 2 linewidth 2 "
            "pointscale 2 dashlength 2 rounded background \"#ffffff\"\nset output \"%s.png\"\n"
            "TINY = \",7.5\"\nSMALL = \",9\"\nBIG = \",12\"\nMIDDLE = \",10\"\n",
            p->width * 2, p->height * 2, p->name);
}

static char *picture_path(const gnt_plot *p, int format) {
    return gnt_format("%s/%s.%s", p->folder, p->name, format == GNT_FORMAT_SVG ? "svg" : "png");
}

/* True if the file ends as a whole picture of that format does. */
static int is_whole(const char *path, int format) {
    static const uint8_t png_end[] = {'I', 'E', 'N', 'D', 0xae, 0x42, 0x60, 0x82};
    uint8_t *at = NULL;
    size_t size = 0;
    if (!gnt_file_exists(path) || gnt_file_read(path, MOST, &at, &size, NULL) != 0)
        return 0;
    while (format == GNT_FORMAT_SVG && size > 0 && (at[size - 1] == '\n' || at[size - 1] == '\r'))
        size--;
    const int whole =
        format == GNT_FORMAT_SVG
            ? size >= 6 && memcmp(at + size - 6, "</svg>", 6) == 0
            : size >= sizeof png_end && memcmp(at + size - sizeof png_end, png_end, sizeof png_end) == 0;
    gnt_free(at);
    return whole;
}

/* Removes what an earlier report drew, so that what is there afterwards is new. */
static void remove_pictures(const gnt_plot *p, int formats) {
    for (int format = GNT_FORMAT_SVG; format <= GNT_FORMAT_PNG; format *= 2) {
        char *path = formats & format ? picture_path(p, format) : NULL;
        if (path)
            unlink(path);
        gnt_free(path);
    }
}

/* Returns the formats of which gnuplot left a whole picture. */
static int drawn_formats(const gnt_plot *p, int formats) {
    int drawn = 0;
    for (int format = GNT_FORMAT_SVG; format <= GNT_FORMAT_PNG; format *= 2) {
        char *path = formats & format ? picture_path(p, format) : NULL;
        if (path && is_whole(path, format))
            drawn |= format;
        gnt_free(path);
    }
    return drawn;
}

int gnt_plot_finish(gnt_plot *p, int formats, int *drawn, gnt_err *err) {
    gnt_text whole;
    gnt_text_init(&whole, MOST);
    gnt_text_add(&whole, "set encoding utf8\nset datafile separator \"\\t\"\nD = \"plots/%s.tsv\"\n",
                 p->name);
    if (p->n_label > 0)
        gnt_text_add(&whole,
                     "array L[%d]\nset datafile commentschars \"\"\n"
                     "stats \"plots/%s.labels.tsv\" using (L[int($0) + 1] = strcol(1)[2:*], 0) nooutput\n"
                     "set datafile commentschars \"#\"\n",
                     p->n_label, p->name);
    for (int format = GNT_FORMAT_SVG; format <= GNT_FORMAT_PNG; format *= 2) {
        if (!(formats & format))
            continue;
        terminal(p, &whole, format);
        gnt_text_bytes(&whole, gnt_text_get(&p->script), p->script.size);
        gnt_text_add(&whole, "unset output\nreset\n");
    }
    whole.failed |= p->script.failed;
    char *script = gnt_format("plots/%s.gp", p->name);
    int failed = !script ? gnt_fail(err, "%s: out of memory", p->name) : 0;
    failed = failed || write_source(p, "tsv", &p->data, err) ||
             write_source(p, "labels.tsv", &p->labels, err) || write_source(p, "gp", &whole, err);
    *drawn = 0;
    if (!failed) {
        remove_pictures(p, formats);
        failed = gnt_gnuplot_run(p->folder, script, err);
        *drawn = drawn_formats(p, formats);
        if (!failed && *drawn != formats)
            failed = gnt_fail(err, "%s: gnuplot ended well but left no picture", script);
    }
    gnt_free(script);
    gnt_text_free(&whole);
    return failed ? -1 : 0;
}

gnt_panels gnt_panels_layout(int n, int columns, double head, double foot, double *width, double *height) {
    gnt_panels g = {.n = n, .left = 70, .right = 22, .top = 34, .bottom = 52, .head = head, .foot = foot};
    g.columns = columns ? columns : n <= 3 ? n : n == 4 ? 2 : 3;
    g.rows = (n + g.columns - 1) / g.columns;
    g.width = n == 1 ? 560 : 390;
    g.height = n == 1 ? 400 : 320;
    *width = g.columns * g.width;
    *height = g.rows * g.height + head + foot;
    return g;
}

int gnt_panel_is_left(const gnt_panels *g, int i) {
    return i % g->columns == 0;
}

int gnt_panel_is_bottom(const gnt_panels *g, int i) {
    return i + g->columns >= g->n;
}

void gnt_panel_begin(gnt_plot *p, const gnt_panels *g, int i, const char *title) {
    double x = (i % g->columns) * g->width;
    double top = p->height - g->head - (i / g->columns) * g->height;
    gnt_plot_say(p, "set lmargin at screen %.6f\nset rmargin at screen %.6f\n", (x + g->left) / p->width,
                 (x + g->width - g->right) / p->width);
    gnt_plot_say(p, "set tmargin at screen %.6f\nset bmargin at screen %.6f\n", (top - g->top) / p->height,
                 (top - g->height + g->bottom) / p->height);
    gnt_plot_say(p, "set title L[%d] noenhanced offset 0,-0.4\n", gnt_plot_label(p, title, 44));
}

double gnt_key_entry(const char *const *names, size_t n) {
    size_t longest = 21; /* "baseline: random guess" and its like always fit */
    for (size_t i = 0; i < n; i++) {
        size_t width = gnt_text_width(names[i]);
        longest = width > longest ? width : longest;
    }
    return 52 + 7.4 * (double)(longest < GNT_KEY_NAME ? longest : GNT_KEY_NAME);
}

void gnt_plot_strip(gnt_plot *p, double bottom, double height) {
    gnt_plot_say(p,
                 "reset\nset lmargin at screen 0\nset rmargin at screen 1\nset bmargin at screen %.6f\n"
                 "set tmargin at screen %.6f\nunset border\nunset tics\nunset key\n",
                 bottom / p->height, (bottom + height) / p->height);
    gnt_plot_say(p, "set xrange [0:%.0f]\nset yrange [0:%.0f]\n", p->width, height);
}

unsigned gnt_palette(size_t i) {
    static const unsigned colours[] = {0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xe69f00, 0x56b4e9, 0x7a5195};
    return colours[i % (sizeof colours / sizeof colours[0])];
}

unsigned gnt_colour(const gnt_results *r, size_t defense) {
    return gnt_palette(r->about[defense].family);
}

unsigned gnt_shade(double share, int *dark) {
    static const unsigned stops[] = {0xf1f5fa, 0xc6dbef, 0x6baed6, 0x2171b5, 0x08306b};
    double at = fmin(fmax(share, 0), 1) * 4;
    int i = at >= 4 ? 3 : (int)at;
    unsigned colour = 0;
    *dark = share > 0.62;
    for (int shift = 0; shift <= 16; shift += 8) {
        double a = (stops[i] >> shift) & 255, b = (stops[i + 1] >> shift) & 255;
        colour |= (unsigned)lround(a + (b - a) * (at - i)) << shift;
    }
    return colour;
}

int gnt_shape(const gnt_results *r, size_t defense, int filled) {
    static const int hollow[] = {6, 4, 8, 12, 10};
    const gnt_about *a = &r->about[defense];
    return hollow[(a->family + a->sibling) % (sizeof hollow / sizeof hollow[0])] + (filled ? 1 : 0);
}

double gnt_tick_step(double low, double high, int most) {
    static const double steps[] = {1, 2, 2.5, 5, 10};
    double span = high - low;
    if (!(span > 0) || !isfinite(span))
        return 1;
    double power = pow(10, floor(log10(span / most)));
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        double step = steps[i] * power;
        if (floor(high / step) - ceil(low / step) + 1 <= most)
            return step;
    }
    return 20 * power;
}

void gnt_range(double *low, double *high, double share) {
    if (!(*low <= *high)) {
        *low = 0;
        *high = 1;
        return;
    }
    double room = (*high - *low) * share, size = fmax(fabs(*low), fabs(*high));
    if (room <= size * 1e-6)
        room = size > 0 ? size * 0.1 : 0.5;
    *low -= room;
    *high += room;
}

void gnt_range_least(double *low, double *high, double span) {
    double room = (span - (*high - *low)) / 2;
    if (!(room > 0))
        return;
    *low -= room;
    *high += room;
}
