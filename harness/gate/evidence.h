/* evidence: from the differences of one comparison to a p-value, and from many p-values to a verdict. Pure;
 * nothing is drawn at random.
 *
 * Two tests, of which the weaker evidence counts.
 *
 * Signs. Under "nothing changed" the two runs are two draws of the same thing, so that old and new of one
 * unit (what was observed together: a target, or a batch of them) may be swapped: a difference is as likely d
 * as −d, whatever its tails. Every pattern of signs gives a mean; p is the share of patterns whose mean is at
 * least the one seen, of d − tolerance, so that only more than the tolerance counts. Up to 20 units all
 * patterns are summed, beyond that the tail is Robinson's saddlepoint approximation (Biometrika 69, 1982).
 *
 * Seeds. Targets of one seed share a training and do not flip independently. With the two or three seeds that
 * suites have, flipping whole seeds could never find anything (p ≥ 1/4 with two), so the dependence is
 * measured: F is the mean square between seeds over that inside seeds, and Student's t of the mean, its error
 * from inside the seeds, is divided by √F. F is the larger of the comparison's own and the mean over its task
 * and stage, never below 1; the degrees of freedom are no more than the training runs that F was seen on.
 * With five seeds or more their own means can be tested, by their own F and degrees of freedom: the better of
 * the two counts, twice. */
#ifndef GNT_GATE_EVIDENCE_H
#define GNT_GATE_EVIDENCE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

typedef struct gnt_evidence {
    double mean;                /* of the differences */
    double p_flip, p_flip_less; /* by signs: of "mean ≤ tolerance", and of "mean ≥ −tolerance" */
    double t, t_less;           /* the same by t, as if units were independent */
    double freedom;             /* of t, were units independent */
    double f;                   /* NAN if there are too few seeds or units */
    double p, p_less;           /* both together; gnt_evidence_settle sets them */
    double p_least;             /* the smallest that so many units can give */
    size_t units, seeds;        /* of both samples where there are two */
    size_t between;             /* degrees of freedom between seeds */
} gnt_evidence;

/* Tests differences. d[i]: the difference of unit i, in the direction that is worse; seed[i]: the training
 * run that it shares; those of one seed are listed together. n ≥ 1, all finite, tolerance ≥ 0. */
int gnt_evidence_weigh(gnt_evidence *e, const double *d, const int64_t *seed, size_t n, double tolerance,
                       gnt_err *err);

/* Scores in the direction that leaks more; those of one seed are listed together. */
typedef struct gnt_sample {
    const double *x;
    const int64_t *seed;
    size_t n;
} gnt_sample;

/* Tests two samples that share no target, instead of differences: the rank sum test (gate/ranks_impl.h)
 * replaces the sign test, and t is that of two samples with one variance. n ≥ 1 of each, all finite. */
int gnt_evidence_weigh_two(gnt_evidence *e, const gnt_sample *now, const gnt_sample *before, double tolerance,
                           gnt_err *err);

/* F over comparisons of one task and stage, each counted up to 30. */
typedef struct gnt_evidence_pool {
    double sum;
    size_t n;
    size_t trainings; /* the caller adds `between` of each defense and strength up */
} gnt_evidence_pool;
void gnt_evidence_pool_add(gnt_evidence_pool *s, const gnt_evidence *e);

/* Sets p and p_less. */
void gnt_evidence_settle(gnt_evidence *e, const gnt_evidence_pool *together);

/* Returns P(Σ ±|x_i| ≥ Σ x_i) if all signs are equally likely; 1 for n = 0. */
double gnt_flip_tail(const double *x, size_t n);

/* Applies Holm's correction to n p-values, in place, over those that could be significant at all: for the
 * others (Tarone, Biometrics 46, 1990: the smallest p that the design allows is above alpha/K, K being how
 * many are left) the corrected value is 1 and can_fail[i] is 0. The chance that any corrected value of a true
 * null hypothesis is ≤ alpha is at most alpha. */
int gnt_evidence_family(double *p, const double *p_least, int *can_fail, size_t n, double alpha,
                        gnt_err *err);

#endif
