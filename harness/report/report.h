/* report: makes the report of a run folder. The folder is treated as hostile, and nothing outside it and the
 * report's own folder is touched. The caller owns the options and `notices`. */
#ifndef GNT_REPORT_REPORT_H
#define GNT_REPORT_REPORT_H

#include "base/err.h"
#include "base/text.h"
#include "report/plot/picture.h"

typedef struct gnt_report_options {
    const char *folder; /* where the report goes; NULL: RUN/report */
    int formats;        /* GNT_FORMAT_SVG | GNT_FORMAT_PNG; 0: no plots */
} gnt_report_options;

enum { GNT_REPORT_UNREADABLE = -2 };

/* Makes the report. `notices` (may be NULL) receives a line for each thing left out, such as plots without
 * gnuplot: those are no failures. Returns 0, GNT_REPORT_UNREADABLE when results.json cannot be read, −1 when
 * a file cannot be written. */
int gnt_report_make(const char *run, const gnt_report_options *options, gnt_text *notices, gnt_err *err);
/* Writes the ranking of every task, with what is not ranked and why, as text for a terminal. Returns as
 * above. */
int gnt_report_ranking(const char *run, gnt_text *out, gnt_err *err);

#endif
