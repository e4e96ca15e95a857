/* gnuplot: the one place that starts gnuplot: a child process with an argument vector, no shell,
 * no user's start-up files, a bounded time. Scripts hold nothing but our own words, numbers and names made by
 * gnt_slug; foreign text reaches gnuplot only as fields of data files. */
#ifndef GNT_REPORT_PLOT_GNUPLOT_H
#define GNT_REPORT_PLOT_GNUPLOT_H

#include "base/err.h"

/* True if gnuplot can be started. */
int gnt_gnuplot_present(void);

/* Draws to nowhere with that terminal ("svg"). On failure the sentence holds the beginning of what gnuplot
 * said. */
int gnt_gnuplot_try(const char *terminal, gnt_err *err);

/* Runs the script (a path relative to `folder`) with `folder` as working folder. On failure the sentence
 * holds the beginning of what gnuplot said. */
int gnt_gnuplot_run(const char *folder, const char *script, gnt_err *err);

#endif
