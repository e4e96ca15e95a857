/* match: which strength of a defense leaves a wanted utility? A pure function from the training runs done
 * so far to the next one to do, or to a verdict. It draws no random numbers, keeps no state and ignores the
 * order of the history: the same training runs give the same decision. Call it when everything it requested
 * has arrived, not before, so that the decision does not depend on which training ended first.
 *
 * The model: utility falls with strength, one training's utility scatters round its mean. The search works on
 * the parameter's own scale (linear, logarithmic, or logarithmic in 1 − p), from its middle or from `start`:
 * it brackets the target, then narrows the bracket by regula falsi and bisection in turns on means made
 * monotone (weighted antitonic regression, so that one unlucky mean does not send it astray). Proposed
 * strengths are rounded (four digits on a logarithmic scale, those of 1 − p where that is logarithmic, about
 * four on a linear one), because people read them.
 *
 * Words of the contract. mean: of a strength's training runs. Error: the standard error of that mean; its
 * deviation is estimated from the strength's own training runs and from those of all strengths together,
 * and is never below what the caller states as `noise`. For one seed per strength and noise 0 the error is
 * 0: every utility is then believed.
 *  - within reach: |mean − target| ≤ tolerance AND error ≤ tolerance. Where the mean is near the target but
 *    the error is too large, more seeds are requested at the same strength, up to most_seeds.
 *  - saturated: even the strongest setting leaves more utility than wanted (mean > target + tolerance). That
 *    setting is then the match, marked so: the defense is compared at the most it can do, at better utility
 *    than the others'.
 *  - confirmed: training runs that had no part in the choice of the strength say so, by the rule of
 *    confirm.c: their mean lies within tolerance, and it is known to half the tolerance. A confirmation
 *    starts with confirm_seeds training runs and takes more while its mean is not known so well. Where
 *    most_seeds leave it too uncertain, and the mean lies within tolerance, the verdict is "too noisy". A
 *    failed confirmation is not thrown away: its training runs join the strength's mean and the search goes
 *    on, with fresh seeds for the next confirmation, until `confirmations` are used up. */
#ifndef GNT_MATCH_MATCH_H
#define GNT_MATCH_MATCH_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

typedef enum gnt_match_scale {
    GNT_MATCH_LINEAR,
    GNT_MATCH_LOG,
    GNT_MATCH_COMPLEMENT /* equal steps of log(1 − p): 0.9, 0.99, 0.999 */
} gnt_match_scale;

typedef struct gnt_match_spec {
    int has_strength; /* 0: a defense without a strength (none): one setting, written as strength 0 */
    /* range of the strength, both ends allowed; least > 0 on a logarithmic scale, most < 1 on that of 1 −
     * p */
    double least, most;
    gnt_match_scale scale; /* how the parameter is spaced */
    int integer;           /* only whole numbers */
    int smaller_is_stronger;
    double start;        /* first strength to try; NaN: the middle of the scale */
    int lower_is_better; /* of the utility: 0 for accuracy, 1 for a loss */
    double target;       /* wanted utility (see gnt_match_relative) */
    double tolerance;    /* > 0, in units of the utility */
    int max_strengths;   /* distinct strengths that may be tried, ≥ 1 */
    int seeds;           /* training runs of every strength tried, ≥ 1 */
    int most_seeds;    /* most training runs of a strength, in the search and in a confirmation, ≥ seeds */
    int confirm_seeds; /* training runs that a confirmation starts with, ≥ 1; most_seeds may be fewer */
    int confirmations; /* how many may be tried, ≥ 1 */
    /* Strengths that are trained in the place of a search, each with `seeds` training runs, of which it keeps
     * a pointer: the verdict is matched, at the weaker one, if the target lies between the mean utilities of
     * two neighbours; of several such pairs the weakest counts. 0: a search. */
    const double *listed;
    int n_listed;
} gnt_match_spec;

/* One training. Search training runs use seeds 0 … most_seeds−1. With c the larger of most_seeds and
 * confirm_seeds, confirmation number k uses seeds from most_seeds + k · c on, c of them at most. */
typedef struct gnt_match_point {
    double strength; /* exactly as it was requested */
    int64_t seed;
    double utility; /* NaN or infinite: the training failed; taken as far below the target */
    double noise;   /* standard error of this utility as a measurement (finite test set); 0 if unknown */
} gnt_match_point;

typedef enum gnt_match_what {
    GNT_MATCH_EVALUATE,
    GNT_MATCH_CONFIRM,
    GNT_MATCH_MATCHED,
    GNT_MATCH_UNMATCHED
} gnt_match_what;

typedef enum gnt_match_reason {
    GNT_MATCH_NO_REASON,
    GNT_MATCH_TOO_WEAK, /* even the weakest setting costs too much utility: the target is outside the range */
    GNT_MATCH_STEP,     /* utility jumps across the target between two neighbouring settings */
    GNT_MATCH_NOT_MONOTONE,  /* utility rose with strength by more than its error, and no setting matched */
    GNT_MATCH_TOO_NOISY,     /* most_seeds runs leave too large an error, in search or confirmation */
    GNT_MATCH_BUDGET,        /* max_strengths tried */
    GNT_MATCH_NOT_CONFIRMED, /* every confirmation failed */
    GNT_MATCH_NOT_PASSED,    /* the target lies between the utilities of no two neighbours that are listed */
    GNT_MATCH_REASONS
} gnt_match_reason;

typedef struct gnt_match_next_step {
    gnt_match_what what;
    double strength; /* to evaluate or confirm; the match; or the nearest that was reached */
    /* EVALUATE, CONFIRM: training runs wanted at `strength` for seeds seed … seed + n_seeds − 1; those
     * already in the history need not be done again */
    int64_t seed, n_seeds;
    int saturated;           /* CONFIRM, MATCHED */
    gnt_match_reason reason; /* UNMATCHED */
    /* verdicts: mean and standard error at `strength`, confirmation included; NaN if none */
    double utility, error;
    /* verdicts, of the last confirmation: its mean, that mean's standard error, Student's t by which the
     * error was judged, training runs; NaN and 0 where there was none */
    double confirm, confirm_error, confirm_t;
    int confirming;
    double weaker, stronger;  /* the tightest bracket of the target; NaN where a side is missing */
    int strengths, trainings; /* of the history */
} gnt_match_next_step;

/* Fails on a specification or a history that makes no sense (strengths outside the range, two different
 * utilities for one training, seeds that were never requested), never on what the utilities are. */
int gnt_match_next(gnt_match_next_step *out, const gnt_match_spec *spec, const gnt_match_point *history,
                   size_t n, gnt_err *err);

int gnt_match_check(const gnt_match_spec *spec, gnt_err *err); /* the specification alone */

/* Returns the largest number of training runs that a search can request, for dry runs. */
int64_t gnt_match_most_trainings(const gnt_match_spec *spec);

/* Returns the largest number of seeds that a search can request. */
int gnt_match_most_seeds(const gnt_match_spec *spec);

/* Finds a strength on one side of `strength`. Where strengths are listed: the next stronger one; NaN for a
 * weaker one. Else where, by the history of the search, utility is 1.5 tolerances
 * above the target (weaker) or below it (stronger); the end of the range if that is nearer; though no farther
 * than fourfold, unless the target lies beyond that. NaN if `strength` is that end. within_fourfold: no
 * farther in any case, as in runs up to 0.9.0. */
int gnt_match_bracket(double *out, const gnt_match_spec *spec, const gnt_match_point *history, size_t n,
                      double strength, int stronger, int within_fourfold, gnt_err *err);

/* A target, and what was trained in a search for it. */
typedef struct gnt_match_sought {
    gnt_match_spec spec;
    const gnt_match_point *history;
    size_t n;
} gnt_match_sought;

/* Chooses strengths for gnt_match_spec.listed, so that each of n_of targets lies between two of them: those
 * of gnt_match_bracket where its search ended, well or not. Up to `wanted`, then one that is weaker than all
 * by a bracket's width, so that other draws leave the target between them too, and the middles of the widest
 * gaps. All searches are of one strength, with the same range and scale. Writes *n strengths from weak to
 * strong; room for the larger of `wanted` and 2 * n_of. */
int gnt_match_enclose(double *out, size_t *n, size_t wanted, const gnt_match_sought *of, size_t n_of,
                      gnt_err *err);

/* Returns a target relative to the utility of `none`: the share of it to keep if higher is better (0.95 of an
 * accuracy of 0.8 is 0.76); its multiple if lower is better (1.05 of a loss of 0.4 is 0.42). */
double gnt_match_relative(double none_utility, double share);

/* Returns a target by what private data add: the utility of public data alone, plus a share of what the
 * undefended training gains over it. */
double gnt_match_added(double public_utility, double none_utility, double share);

/* Returns the largest number of training runs that a confirmation may have. */
int gnt_match_most_confirming(const gnt_match_spec *spec);

enum { GNT_MATCH_REASON_SIZE = 256 };
/* Writes the reason of a verdict as a clause for a report, with numbers if the scatter is too large; "" if
 * there is none. */
void gnt_match_write_reason(const gnt_match_next_step *verdict, const gnt_match_spec *spec,
                            char text[GNT_MATCH_REASON_SIZE]);
/* True if such a clause says that the utility scatters too much for a verdict on the strength. */
int gnt_match_is_too_noisy(const char *reason);

#endif
