/* bounds: compares the task's errors and the attackers' successes in a run with the bounds of TAPPFL's
 * theorems. Both sides are estimates: a better attacker than those that ran, or information that they did not
 * find, would change them.
 *
 * Pure; returned pointers belong to the results. */
#ifndef GNT_JUDGE_BOUNDS_H
#define GNT_JUDGE_BOUNDS_H

#include "judge/judge.h"

/* A defense at one strength: means over its seeds, NaN where unknown. */
typedef struct gnt_bound_row {
    const char *task, *defense;
    gnt_row_mode mode;
    int64_t stage, seeds;
    double strength;
    int32_t values; /* of the attribute */
    /* Theorem 1, for two values and two classes: the sum of the task's error rates on the samples of each
     * value; the difference between the values in the share of a class; the strongest attacker's
     * 2·balanced − 1; and the lower bound on the sum of errors, gap − advantage. */
    double errors, gap, advantage, least_errors;
    /* Theorem 2: the attribute's entropy and the information that the attackers found about it, in bits; the
     * upper bounds on any attacker's accuracy, by the theorem (for two values) and by Fano's inequality; and
     * the strongest attacker's accuracy. */
    double entropy, information, most_right, most_right_fano, right;
} gnt_bound_row;

typedef struct gnt_bound_rows {
    gnt_bound_row *row;
    size_t n;
} gnt_bound_rows;

/* Computes the rows of each task whose cells count test samples by attribute value, in the order of the
 * suite. Returns −1 with a sentence on failure. */
int gnt_bounds(const gnt_results *r, gnt_bound_rows *out, gnt_err *err);
/* True if gnt_bounds reads the test samples of a training run from this cell: the first of the run and stage
 * that counts them. */
int gnt_bounds_uses_cell(const gnt_results *r, size_t cell);
void gnt_bounds_free(gnt_bound_rows *rows);

#endif
