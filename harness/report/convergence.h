/* convergence: the attacks' own cost over steps, a panel for each attack, a line for each defense: the median
 * over targets, in a band from the lower to the upper quartile. Of a target's restarts the one that ended
 * lowest counts, as it would for the attack. A curve that ended early keeps its last cost. */
#ifndef GNT_REPORT_CONVERGENCE_H
#define GNT_REPORT_CONVERGENCE_H

#include "results/results.h"

int gnt_plot_convergence(const gnt_results *r, const char *task, int64_t stage, const char *folder,
                         const char *name, int formats, int *drawn, gnt_err *err);

/* The quantile (0 … 1) of n sorted numbers, linear between them. */
double gnt_quantile(const double *sorted, size_t n, double share);

#endif
