/* report: everything a reader of a run gets, from its folder: tables, plots, image sheets, index.md and
 * index.html. The run folder is treated as hostile. The same results give the same bytes: no time, no host
 * fact enters, but for the table of what hooks took (hooks_table.c), which has files of its own. */
#ifndef GNT_REPORT_REPORT_IMPL_H
#define GNT_REPORT_REPORT_IMPL_H

#include <stdint.h>

#include "render/pen.h"
#include "report/report.h"
#include "judge/measure_text.h"
#include "judge/judge.h"

/* A picture of the report: what index pages show. */
typedef struct gnt_picture {
    char name[GNT_PICTURE_NAME]; /* file name without ending; made of slugs */
    const gnt_measure *measure;  /* NULL: not of one measure */
    const char *attack;          /* of an image sheet; else NULL */
    int formats;                 /* GNT_FORMAT_* of which there is a file */
} gnt_picture;

/* One task at one stage. */
typedef struct gnt_section {
    const char *task;
    int64_t stage;
    gnt_picture *tradeoff, *strength, *heat, *sheet; /* one for each measure, and for each attack */
    size_t n_tradeoff, n_strength, n_heat, n_sheet;
    gnt_picture convergence; /* name "" when not drawn */
    gnt_picture rounds;      /* of the task as a whole: at its first stage alone, "" at others */
    gnt_picture utility;     /* likewise, and where a later stage has another utility */
    gnt_picture points;      /* "" when not drawn */
} gnt_section;

/* Plots of which the same formats are missing. */
typedef struct gnt_plot_failure {
    size_t n;
    gnt_err first; /* what was wrong with the first of them */
} gnt_plot_failure;

typedef struct gnt_report {
    const gnt_results *results;
    json_t *paper; /* gnt_paper_read */
    const char *run, *folder;
    int formats;
    gnt_section *section;
    size_t n_section;
    gnt_picture overview;                                          /* name "" when not drawn */
    gnt_plot_failure failure[GNT_FORMAT_SVG + GNT_FORMAT_PNG + 1]; /* by the formats that are missing */
    gnt_text notices; /* a line for each thing that could not be made; shown on the pages */
} gnt_report;

/* Writes the tables, and gnt_report_write_index the page; gnt_report_make calls both. */
int gnt_report_write_tables(const gnt_report *p, gnt_err *err);
int gnt_report_write_index(const gnt_report *p, gnt_err *err);
/* Writes what a page says first of attacks on captures. */
void gnt_report_write_captured(const gnt_report *p, gnt_pen *pen);
/* Shows a picture: SVG where there is one, since it stays sharp, with a link to PNG. */
void gnt_report_show(gnt_pen *pen, const gnt_picture *of, const char *says);
/* Writes the list of the pictures of this report, and removes those that the list of an earlier report in the
 * same folder names and this one no longer makes; never another file. */
int gnt_report_write_list(const gnt_report *p, gnt_err *err);

/* Writes whether MSE and the identification rate, or PSNR where `m` is that rate, order defenses as `m` does,
 * and if not, which pairs of them they do not. Returns 1 if they do; nothing is written if none of them
 * surely orders a pair. Foreign text: escape it. */
int gnt_report_agreement(const gnt_results *r, const char *task, int64_t stage, const gnt_measure *m,
                         gnt_text *out);

/* Writes one sentence on a section and measure: which defense leaks least at matched utility in its worst
 * case, how much, and how much leaks undefended. Plain text with names in it: escape it. */
void gnt_report_sentence(const gnt_results *r, const char *task, int64_t stage, const gnt_measure *m,
                         gnt_text *out);

#endif
