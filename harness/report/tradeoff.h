/* tradeoff: the picture the benchmark is for. Utility on x, leakage on y, a panel for each attack, a colour
 * and shape for each defense: curves of sweeps, matched points filled, unmatched ones hollow, no defense as a
 * star, the Pareto front as a grey step, floors as broken lines, the utility aimed at as a band. */
#ifndef GNT_REPORT_TRADEOFF_H
#define GNT_REPORT_TRADEOFF_H

#include "results/measure.h"
#include "results/results.h"

/* Settings that have a utility and a number: 0, 1, or 2 for more. */
int gnt_tradeoff_points(const gnt_results *r, const char *task, int64_t stage, const gnt_measure *m);
/* Draws FOLDER/NAME.svg and .png. *drawn is 0 when fewer than two settings have both numbers. */
int gnt_plot_tradeoff(const gnt_results *r, const char *task, int64_t stage, const gnt_measure *m,
                      const char *folder, const char *name, int formats, int *drawn, gnt_err *err);

#endif
