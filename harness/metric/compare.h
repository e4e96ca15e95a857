/* compare: which of several defenses surely leak less than which others, from what each leaked in the same
 * training runs; and the leakage under the strongest of several attacks, without the luck of having met many.
 * Pure. */
#ifndef GNT_METRIC_COMPARE_H
#define GNT_METRIC_COMPARE_H

#include <stddef.h>

#include "base/err.h"

/* With fewer common training runs a pair is not compared. */
enum { GNT_METRIC_COMPARE_LEAST = 5 };

/* The arrays are the caller's; each may be NULL where it is not wanted. */
typedef struct gnt_metric_compare_result {
    /* k × k, symmetric: the least level at which the two differ, every pair taken together (Holm). 1 for a
     * pair with too few common training runs, and on the diagonal. */
    double *p;
    /* k × k: [a·k + b] is 1 when a surely leaks less than b */
    int *surely_less;
    /* k × k, symmetric: 1 for a pair with too few training runs in common, or none and too few of either */
    int *unknown;
    /* k: 1 + the number of defenses that surely leak less than this one */
    size_t *place;
} gnt_metric_compare_result;

/* Compares k defenses by `value[a·trainings + s]`, what a leaked in training s; more leaks more. NAN: a has
 * no number there. Of each pair, the two-sided paired t-test over the training runs that both have a number
 * of; Holm's correction over all k(k − 1)/2 pairs, those that cannot be tested included. A pair without any
 * training in common, such as of two runs with keys of their own, is tested by Welch's t-test. a surely
 * leaks less than b where the corrected p is at most `level` and a's mean over the common training runs is
 * the lower. So the chance that any pair which does not differ is called different is at most `level`, and
 * so is that of any wrong direction.
 *
 * Numbers that differ in their ninth digit or beyond are equal. Where all differences of a pair are the
 * same, there is no spread to test by: none of any size is a tie (p = 1), another is sure (p = 0).
 *
 * An infinite number, or a level outside 0 … 1, is an error; then nothing was written. */
int gnt_metric_compare(gnt_metric_compare_result *out, const double *value, size_t k, size_t trainings,
                       double level, gnt_err *err);

/* Computes what the strongest of several attacks found in each training run, the attack being chosen without
 * that run: out[s] is the number in run s of the attack whose mean over the other runs is highest (the first
 * among equals). `value[a·trainings + s]`; more leaks more; NAN: no number. An attack can be chosen for s if
 * it has a number in s and in another run.
 *
 * Rationale: the maximum over attacks in the same training is the higher the more attacks a defense meets,
 * even where none is any better. The choice here knows nothing of the training that it is judged by, so out
 * never overstates, on average, what the strongest attack finds.
 *
 * Where nothing can be chosen so (a single training), out[s] is the maximum over attacks in s; *plain
 * counts such training runs (NULL: not wanted). out[s] is NAN where no attack has a number. chosen[s] is
 * the attack's index, `attacks` for none (NULL: not wanted). Returns the mean of the numbers in out, NAN
 * for none. */
double gnt_metric_cross_fit(double *out, size_t *chosen, size_t *plain, const double *value, size_t attacks,
                            size_t trainings);

#endif
