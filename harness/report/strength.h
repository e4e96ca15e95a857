/* strength: leakage against the strength of a defense, for sweeps: a row of panels for each family of defenses
 * that was swept (the first eight), a column for each attack (the first six). Strengths stand on the scale that
 * spreads a sweep: their logarithm, that of their distance from one, or as they are. The picture for tasks whose
 * utility says nothing, such as an untrained network's. */
#ifndef GNT_REPORT_STRENGTH_H
#define GNT_REPORT_STRENGTH_H

#include "results/measure.h"
#include "results/results.h"

typedef enum gnt_spread { GNT_SPREAD_PLAIN, GNT_SPREAD_LOG, GNT_SPREAD_TO_ONE } gnt_spread;

/* The scale for strengths from low to high: a logarithm where they span a factor of twenty or more. */
gnt_spread gnt_spread_of(const char *scale, double low, double high);
double gnt_spread_at(gnt_spread spread, double strength);

/* Draws FOLDER/NAME.svg and .png. *drawn is 0 when no sweep has a number. */
int gnt_plot_strength(const gnt_results *r, const char *task, int64_t stage, const gnt_measure *m,
                      const char *folder, const char *name, int formats, int *drawn, gnt_err *err);

#endif
