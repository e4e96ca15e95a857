/* curve: the utility and leakage of a defense at each of its strengths, one training run at a time, under one
 * attack: its matched cells and those of its sweep, or of the bracket of its matched strength. */
#ifndef GNT_JUDGE_CURVE_H
#define GNT_JUDGE_CURVE_H

#include "metric/interpolate.h"
#include "metric/measure.h"
#include "judge/judge.h"

/* Owner: the caller; gnt_curve_free. */
typedef struct gnt_curve {
    /* rising, without repeats: a sweep may contain the matched strength, with the same training runs */
    double *strength;
    size_t n;
    /* point[k * n_seeds + s]: utility and leakage of the training run of seed[s] at strength[k]; NAN where
     * there is none */
    gnt_equal_point *point;
    int64_t *seed;
    size_t n_seeds;
} gnt_curve;

/* True if a cell can be a point of a curve: matched or of a sweep, with a finite strength. */
int gnt_on_curve(const gnt_outcome *cell);
/* Makes a curve from the cells of one task, stage, defense and attack that gnt_on_curve accepts, in the order
 * of the file. */
int gnt_curve_make(gnt_curve *out, const gnt_outcome *const *cell, size_t n, const gnt_measure *m,
                   gnt_err *err);
void gnt_curve_free(gnt_curve *c);

/* Returns the search for the strength of a task's defense, or NULL. */
const gnt_match_row *gnt_match_of(const gnt_results *r, const char *task, const char *defense);
/* True if a defense leaves more utility than the target even at its strongest setting. */
int gnt_is_saturated(const gnt_results *r, const char *task, const char *defense);
/* Returns how near to its target a task's utility has to be; NAN if there is none. */
double gnt_target_tolerance(const gnt_results *r, const char *task);
/* Returns the target utility of a task, to which its defenses are matched; NAN if it has none. */
double gnt_target_utility(const gnt_results *r, const char *task);

#endif
