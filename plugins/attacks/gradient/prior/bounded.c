#include "prior/bounded.h"

#include <math.h>

#include "hook.h"

enum { ROUNDS = 3, MEETINGS = 10 };
static const double known_precision = 1e8, damping = 0.8, most_precision = 1e7, least_precision = 1e-9,
                    least_share = 1e-6; /* of a variance that bounds leave */

int bounded_room_make(bounded_room *b, const gnt_host *host, int64_t features) {
    *b = (bounded_room){
        {gnt_host_scratch(host, features, sizeof(double)), gnt_host_scratch(host, features, sizeof(double))},
        gnt_host_scratch(host, features, sizeof(double))};
    return b->evidence.precision && b->evidence.pull && b->variance;
}

static int is_known(const entry_bounds *e, int64_t k) {
    return e->lower[k] == e->upper[k];
}

static void keep_within(const entry_bounds *e, int64_t features, double *x) {
    for (int64_t k = 0; k < features; k++)
        x[k] = fmin(e->upper[k], fmax(e->lower[k], x[k]));
}

/* Sets the evidence to what is known exactly; of other entries nothing. */
static void begin(const entry_bounds *e, int64_t n, evidence *out) {
    for (int64_t k = 0; k < n; k++) {
        out->precision[k] = is_known(e, k) ? known_precision : 0;
        out->pull[k] = is_known(e, k) ? known_precision * e->lower[k] : 0;
    }
}

typedef struct normal_law {
    double mean, variance;
} normal_law;

static double density(double z) {
    return exp(-z * z / 2) / sqrt(2 * M_PI);
}

/* Returns mean and variance of N(m, v) within [lower, upper]; *mass: how much of it lies there. */
static normal_law law_within(double m, double v, double lower, double upper, double *mass) {
    const double s = sqrt(v);
    double a = (lower - m) / s, b = (upper - m) / s;
    const int turned = a > 0; /* the tail is computed on the left, where erfc keeps its digits */
    if (turned) {
        const double of = a;
        a = -b;
        b = -of;
    }
    const double share = (erfc(-b / sqrt(2)) - erfc(-a / sqrt(2))) / 2;
    *mass = share;
    if (!(share > 1e-280)) { /* far outside: all is at the nearer end */
        const double width = upper - lower, end = m < lower ? lower : upper;
        return (normal_law){end, fmax(least_share * v, least_share * width * width)};
    }
    const double first = (density(a) - density(b)) / share,
                 second = 1 + (a * density(a) - b * density(b)) / share - first * first;
    return (normal_law){fmin(upper, fmax(lower, m + (turned ? -first : first) * s)),
                        v * fmin(1, fmax(least_share, second))};
}

/* Returns the law of entry k where it is `inside` with a density whose mass there is `share`, or exactly
 * at an end. */
static normal_law law_with_ends(const entry_bounds *e, int64_t k, normal_law inside, double share) {
    const double zeros = e->lower[k] <= 0 ? e->zeros[k] : 0, ones = e->upper[k] >= 1 ? e->ones[k] : 0,
                 rest = (1 - e->zeros[k] - e->ones[k]) * share, all = zeros + ones + rest;
    if (!(zeros + ones > 0) || !(all > 0))
        return inside;
    const double mean = (rest * inside.mean + ones) / all,
                 squares = (rest * (inside.variance + inside.mean * inside.mean) + ones) / all;
    return (normal_law){mean, fmax(squares - mean * mean, least_share * inside.variance)};
}

int bounded_guess(const sample_prior *p, const entry_bounds *e, bounded_room *b, prior_room *room,
                  double *x) {
    begin(e, p->features, &b->evidence);
    for (int64_t k = 0; k < p->features; k++)
        if (!is_known(e, k)) {
            const double width = e->upper[k] - e->lower[k];
            const normal_law inside = {(e->lower[k] + e->upper[k]) / 2, width * width / 12};
            const normal_law law = law_with_ends(e, k, inside, 1);
            b->evidence.precision[k] = fmin(most_precision, 1 / law.variance);
            b->evidence.pull[k] = b->evidence.precision[k] * law.mean;
        }
    const int bad = sample_prior_apply(p, &b->evidence, room, x, NULL);
    keep_within(e, p->features, x);
    return bad;
}

/* Replaces the factor of entry k, given the mean and variance of the product of all of them. */
static void replace_factor(evidence *of, const entry_bounds *e, int64_t k, double mean, double variance) {
    const double others = fmax(1 / variance - of->precision[k], least_precision),
                 pull = mean / variance - of->pull[k];
    double share;
    const normal_law inside = law_within(pull / others, 1 / others, e->lower[k], e->upper[k], &share);
    const normal_law within = law_with_ends(e, k, inside, share);
    const double precision = fmin(most_precision, fmax(0, 1 / within.variance - others));
    of->pull[k] += damping * ((others + precision) * within.mean - pull - of->pull[k]);
    of->precision[k] += damping * (precision - of->precision[k]);
}

/* Replaces the factors of all entries that are not known. */
static void replace_factors(evidence *of, const entry_bounds *e, int64_t n, const double *mean,
                            const double *variance) {
    for (int64_t k = 0; k < n; k++)
        if (!is_known(e, k))
            replace_factor(of, e, k, mean[k], variance[k]);
}

gnt_status bounded_estimate(const sample_prior *p, const whole_covariance *whole, const gnt_host *host,
                            const entry_bounds *e, projections *also, bounded_room *b, prior_room *room,
                            double *x) {
    begin(e, p->features, &b->evidence);
    if (also)
        begin(&also->bounds, also->n, &also->evidence);
    for (int round = 0; round <= ROUNDS; round++) {
        double *variance = round < ROUNDS ? b->variance : NULL;
        TRY(may_go_on(host));
        if (sample_prior_apply(p, &b->evidence, room, x, variance) != 0 ||
            (also && projections_apply(also, p, &b->evidence, room, x, variance) != 0))
            return gnt_host_fail(host, "the estimate is not finite: the update's entries are too large");
        if (!variance)
            break;
        replace_factors(&b->evidence, e, p->features, x, variance);
        if (also)
            replace_factors(&also->evidence, &also->bounds, also->n, also->mean, also->variance);
    }
    if (whole) {
        TRY(whole_covariance_apply(whole, host, p, &b->evidence, room, x));
        if (also)
            projections_correct(also, x);
    }
    keep_within(e, p->features, x);
    for (int i = 0; also && i < MEETINGS; i++) {
        projections_meet(also, x);
        keep_within(e, p->features, x);
    }
    return GNT_OK;
}
