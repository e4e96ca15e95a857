/* public_only: were the private data used at all? A defense that ignores them leaks nothing and is of no use:
 * what it leaves is what the same training makes of the public data alone. So its utility is compared with
 * that, seed by seed.
 *
 * d is the mean over n seeds of what the private data added. It is surely above 0, one-sided at 95 %, when it
 * is by both of
 *   - the errors: d > 1.645 · √Σ(e_s² + p_s²) / n, those of finite test sets, as if the two sets were not
 *     one;
 *   - the scatter: d > t · √(2 s²/n), where s² is how one training's utility varies over seeds, and t
 *     Student's quantile.
 * Both err to the safe side, for test set, data and initial weights are in common. Two seeds alone would say
 * next to nothing of s² (t = 6.3); so it is pooled over the settings of the task that are at a like
 * utility. */
#ifndef GNT_METRIC_PUBLIC_ONLY_H
#define GNT_METRIC_PUBLIC_ONLY_H

#include <stddef.h>

/* One seed: the utility under the defense and on public data alone, with their standard errors (NAN:
 * unknown). */
typedef struct gnt_public_pair {
    double with, with_error, without, without_error;
} gnt_public_pair;

typedef enum gnt_public_verdict {
    GNT_PUBLIC_UNKNOWN, /* no seed has both */
    GNT_PUBLIC_NO_BETTER,
    GNT_PUBLIC_BEATEN
} gnt_public_verdict;

/* How utilities vary over seeds: squared deviations from the mean of their setting, and how many of them are
 * free. */
typedef struct gnt_seed_scatter {
    double squares, freedom; /* start from {0} */
} gnt_seed_scatter;

/* Adds the utilities of one setting; those not finite are left out, and one alone says nothing. */
void gnt_seed_scatter_add(gnt_seed_scatter *s, const double *utility, size_t n);

/* Compares utilities with those of public data alone. sign: +1 where a higher utility is better, −1 where
 * a lower one is. Pairs without two finite utilities are left out; where neither errors nor scatter are
 * known nothing is sure, and it is no better. */
gnt_public_verdict gnt_metric_public_only(const gnt_public_pair *pair, size_t n, int sign,
                                          const gnt_seed_scatter *scatter);

#endif
