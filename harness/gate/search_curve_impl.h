/* curve: the utility of one matched defense at each strength, in one run, by its training runs. Those of the
 * search and those of the cells at the matched strength count alike. Utility is signed so that more is
 * better, and falls as the strength grows. */
#ifndef GNT_GATE_SEARCH_CURVE_IMPL_H
#define GNT_GATE_SEARCH_CURVE_IMPL_H

#include "judge/judge.h"

typedef struct gate_training {
    double strength;
    /* the strength on its parameter's scale: its logarithm, −log(1 − p), or itself */
    double place;
    /* which of the search's replicates, from 0; of the suite's seeds, whose draws are others, from −1 down */
    int64_t number;
    double utility, error;
} gate_training;

/* All training runs of one strength. */
typedef struct gate_level {
    double strength, place, mean;
    /* of the n training runs, the first being training[first] */
    size_t first, n;
    /* far below the target, training runs scatter as they do nowhere else: such a strength bounds a curve,
     * but says nothing of how the others scatter */
    int is_far;
} gate_level;

typedef struct gate_curve {
    const gnt_match_row *match;
    /* sorted by place, then by number; no two alike */
    gate_training *training;
    size_t n_training;
    gate_level *level;
    size_t n_level;
} gate_curve;

/* Makes the curve of a search. Cells of a sweep at the strength `also` count as those of the search do;
 * NAN: none. On failure *c is empty. */
int gate_curve_make(gate_curve *c, const gnt_results *r, const gnt_match_row *match, double also,
                    gnt_err *err);
void gate_curve_free(gate_curve *c);

/* Returns the level of a strength, NULL if there is none. */
const gate_level *gate_curve_level(const gate_curve *c, double strength);

/* Adds the squared deviations from the means of the levels that are not far, and their degrees of freedom, to
 * *squares and *freedom; *stated becomes at least the mean of the stated variances. */
void gate_curve_scatter(const gate_curve *c, double *squares, double *freedom, double *stated);

/* Takes out of both what their replicates have in common under one run key: weights, data and test samples.
 * Least squares of the strengths that are not far and of replicates, fitted in turns. *n: the degrees of
 * freedom that this takes. */
int gate_curves_adjust(gate_curve *a, gate_curve *b, size_t *n, gnt_err *err);

/* The mean utility at a place. */
typedef struct gate_value {
    double mean;
    /* variance of the mean, in units of that of one training */
    double share;
    /* how far a straight line between two strengths may be off */
    double bend;
    /* beyond all strengths that were tried: −1 on the side of small places, 1 on that of large ones; the
     * mean is that of the nearest */
    int beyond;
} gate_value;

/* Reads the curve, which has at least one level, at a place. */
gate_value gate_curve_at(const gate_curve *c, double place);

/* Returns +1 if a setting of a larger place is a stronger one, else −1: by the end at which a search was
 * saturated, else by how utility falls in both curves. */
int gate_curve_direction(const gate_curve *a, const gate_curve *b);

#endif
