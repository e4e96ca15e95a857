/* bounds: the task's errors and the attackers' successes beside what TAPPFL's theorems allow them to be, from
 * the cells of a run. Both are estimates: an attacker better than those that ran, or information that they
 * did not find, moves them.
 *
 * Pure; what is returned belongs to the results. */
#ifndef GNT_JUDGE_BOUNDS_H
#define GNT_JUDGE_BOUNDS_H

#include "judge/judge.h"

/* A defense at a strength, means over its seeds; NaN for what is not known. */
typedef struct gnt_bound_row {
    const char *task, *defense;
    gnt_row_mode mode;
    int64_t stage, seeds;
    double strength;
    int32_t values; /* of the attribute */
    /* Theorem 1, of two values and two classes: the task's errors on the samples of each value, added up; by
     * how much the share of a class differs between the values; the worst attacker's 2·balanced − 1; and the
     * least that the errors can come to, the second less the third. */
    double errors, gap, advantage, least_errors;
    /* Theorem 2: the attribute's entropy and what the attackers found of it, in bits; how often anybody can
     * be right by the theorem (of two values) and by Fano's inequality; and the worst attacker, plain. */
    double entropy, information, most_right, most_right_fano, right;
} gnt_bound_row;

typedef struct gnt_bound_rows {
    gnt_bound_row *row;
    size_t n;
} gnt_bound_rows;

/* Of each task whose cells tell the test samples by value, in the order of the suite. −1 with a sentence. */
int gnt_bounds(const gnt_results *r, gnt_bound_rows *out, gnt_err *err);
/* 1 for the cell from which its training's test samples are read: the first of that training and stage. */
int gnt_bounds_tell(const gnt_results *r, size_t cell);
void gnt_bounds_free(gnt_bound_rows *rows);

#endif
