/* public_only: were the private data used at all? A defense that ignores them leaks nothing and is of no use: what it leaves
 * is what the same training makes of the public data alone. So its utility is held against that, seed by seed.
 *
 * d_s is what the private data added with seed s, its standard error the root of both squared errors: those of finite test
 * sets, as if the two sets were not one, which errs to the safe side. The mean d is surely above 0, one-sided at 95 %, when
 * it is by both of
 *   - the errors: d > 1.645 · √Σe_s² / n;
 *   - the scatter over n ≥ 2 seeds: d > t · s/√n, t Student's quantile with n − 1 degrees of freedom (6.3 of two seeds).
 * With one seed there is no scatter to go by, and the error stands alone. */
#ifndef GNT_METRIC_PUBLIC_ONLY_H
#define GNT_METRIC_PUBLIC_ONLY_H

#include <stddef.h>

/* Of one seed: the utility under the defense and on public data alone, with their standard errors (NAN: unknown). */
typedef struct gnt_public_pair {
    double with, with_error, without, without_error;
} gnt_public_pair;

typedef enum gnt_public_verdict {
    GNT_PUBLIC_UNKNOWN, /* no seed has both */
    GNT_PUBLIC_NO_BETTER,
    GNT_PUBLIC_BEATEN
} gnt_public_verdict;

/* sign: +1 where a higher utility is better, −1 where a lower one is. Pairs without two finite utilities are left out; where
 * neither errors nor scatter are known nothing is sure, and it is no better. */
gnt_public_verdict gnt_metric_public_only(const gnt_public_pair *pair, size_t n, int sign);

#endif
