/* confirm: does a confirmation show that a strength leaves the wanted utility?
 *
 * Its mean m lies within tolerance of the target, and t·e ≤ tolerance/2, where e is the standard error of m
 * and t Student's 90 % quantile. The second half does not look at m. So with normal scatter a strength that
 * is 1.5 tolerances off passes with a chance of at most 10 %, and one that is half a tolerance off fails
 * with as much, once it is known well enough. A rule that widens with the error would instead pass nearly
 * anything that is noisy enough. (Stein, Ann. Math. Stat. 1945: as many training runs as the scatter
 * requires.) A mean that is off ends it before that, which saves training runs and can only let fewer pass.
 *
 * Saturated: m − t·e is not below target − tolerance; nothing bounds it from above.
 *
 * How far one training scatters is estimated from all training runs at that strength, of search and
 * confirmation, each about its own mean, and from those at other strengths, which count for two degrees
 * of freedom at most. It is never below the stated noise. Where nothing is known of the scatter (one
 * training everywhere, and no more allowed) the stated noise is used alone. */
#include <math.h>

#include "match/level_impl.h"
#include "metric/stats.h"

/* What other strengths say of this one's scatter counts for so many degrees of freedom: it may differ. */
static const double borrowed_freedom = 2;

/* Training runs from which a scatter can be estimated at all, where no strength was trained twice. */
enum { LEAST_FREEDOM = 2 };

double gnt_match_t90(double freedom) {
    return gnt_metric_student_quantile(0.9, freedom > 0 ? freedom : INFINITY);
}

typedef struct scatter {
    double variance; /* of one training */
    double freedom;
} scatter;

/* Computes the scatter at a strength, from the training runs about their own means; t may have none. */
static scatter scatter_of(const gnt_match_view *v, double strength, const gnt_match_trial *t) {
    double own = t->squares, own_freedom = t->n > 1 ? t->n - 1 : 0, others = 0, others_freedom = 0;
    for (int i = 0; i < v->n_levels; i++) {
        const gnt_match_level *l = &v->level[i];
        const double freedom = l->n > 1 ? l->n - 1 : 0;
        if (l->strength == strength) {
            own += l->squares;
            own_freedom += freedom;
        } else {
            others += l->squares;
            others_freedom += freedom;
        }
    }
    const double borrowed = fmin(borrowed_freedom, others_freedom);
    scatter s = {.freedom = own_freedom + borrowed};
    if (s.freedom > 0)
        s.variance = (own + (borrowed > 0 ? borrowed * others / others_freedom : 0)) / s.freedom;
    s.variance = fmax(s.variance, t->noise2);
    return s;
}

int gnt_match_first_confirming(const gnt_match_spec *s, const gnt_match_view *v, double strength) {
    const gnt_match_trial none = {.strength = strength};
    const int most = gnt_match_most_confirming(s);
    const double missing = LEAST_FREEDOM - scatter_of(v, strength, &none).freedom;
    const int least = missing > 0 ? 1 + (int)missing : 1;
    const int first = s->confirm_seeds > least ? s->confirm_seeds : least;
    return first < most ? first : most;
}

/* Returns a number of training runs, larger than the present one, with which the bound should be small
 * enough. */
static int more(const gnt_match_spec *s, const gnt_match_trial *t, const scatter *of) {
    const int most = gnt_match_most_confirming(s);
    int n = t->n + 1;
    while (n < most && gnt_match_t90(of->freedom + n - t->n) * sqrt(of->variance / n) > s->tolerance / 2)
        n++;
    return n;
}

gnt_match_judgement gnt_match_judge(const gnt_match_spec *s, const gnt_match_view *v, gnt_match_bound *out) {
    const gnt_match_trial *t = &v->trial;
    const gnt_match_level *l = gnt_match_level_at(v, t->strength);
    const int saturated = l && l->gap > s->tolerance;
    *out = (gnt_match_bound){.error = NAN, .t = NAN};
    if (t->broken || t->n == 0)
        return GNT_MATCH_TRIAL_FAILED;
    const scatter of = scatter_of(v, t->strength, t);
    const double gap = s->lower_is_better ? s->target - t->mean : t->mean - s->target;
    out->error = sqrt(of.variance / t->n);
    out->t = gnt_match_t90(of.freedom);
    const double bound = out->t * out->error, off = saturated ? -gap : fabs(gap);
    if (off > s->tolerance)
        return GNT_MATCH_TRIAL_FAILED;
    if (saturated ? off + bound <= s->tolerance : bound <= s->tolerance / 2)
        return GNT_MATCH_TRIAL_PASSED;
    if (t->n < gnt_match_most_confirming(s)) {
        out->wanted = more(s, t, &of);
        return GNT_MATCH_TRIAL_OPEN;
    }
    return GNT_MATCH_TRIAL_NOISY;
}
