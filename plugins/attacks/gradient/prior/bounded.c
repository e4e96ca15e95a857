#include "prior/bounded.h"

#include <math.h>

#include "hook.h"

enum { ROUNDS = 3 };
static const double known_precision = 1e8, damping = 0.8, most_precision = 1e7, least_precision = 1e-9,
                    least_share = 1e-6; /* of a variance that bounds leave */

int bounded_room_make(bounded_room *b, const gnt_host *host, int64_t features) {
    *b = (bounded_room){
        {gnt_host_scratch(host, features, sizeof(double)), gnt_host_scratch(host, features, sizeof(double))},
        gnt_host_scratch(host, features, sizeof(double))};
    return b->evidence.precision && b->evidence.pull && b->variance;
}

int entry_bounds_make(entry_bounds *e, const gnt_host *host, int64_t features) {
    double **of[] = {&e->lower, &e->upper, &e->zeros, &e->ones};
    int there = 1;
    for (int i = 0; i < 4; i++)
        there &= (*of[i] = gnt_host_scratch(host, features, sizeof(double))) != NULL;
    return there;
}

void entry_bounds_count(entry_bounds *e, const float *x, int64_t n, int64_t features) {
    for (int64_t k = 0; k < features; k++) {
        int64_t zeros = 0, ones = 0;
        for (int64_t i = 0; i < n; i++) {
            zeros += x[i * features + k] == 0;
            ones += x[i * features + k] == 1;
        }
        e->zeros[k] = zeros ? (double)zeros / ((double)n + 1) : 0;
        e->ones[k] = ones ? (double)ones / ((double)n + 1) : 0;
    }
}

static int is_known(const entry_bounds *e, int64_t k) {
    return e->lower[k] == e->upper[k];
}

static void keep_within(const entry_bounds *e, int64_t features, double *x) {
    for (int64_t k = 0; k < features; k++)
        x[k] = fmin(e->upper[k], fmax(e->lower[k], x[k]));
}

/* Sets the evidence to what is known exactly; of other entries nothing. */
static void begin(const entry_bounds *e, int64_t features, evidence *out) {
    for (int64_t k = 0; k < features; k++) {
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

gnt_status bounded_estimate(const sample_prior *p, const whole_covariance *whole, const gnt_host *host,
                            const entry_bounds *e, bounded_room *b, prior_room *room, double *x) {
    begin(e, p->features, &b->evidence);
    for (int round = 0; round <= ROUNDS; round++) {
        TRY(may_go_on(host));
        if (sample_prior_apply(p, &b->evidence, room, x, round < ROUNDS ? b->variance : NULL) != 0)
            return gnt_host_fail(host, "the estimate is not finite: the update's entries are too large");
        for (int64_t k = 0; round < ROUNDS && k < p->features; k++)
            if (!is_known(e, k))
                replace_factor(&b->evidence, e, k, x[k], b->variance[k]);
    }
    if (whole)
        TRY(whole_covariance_apply(whole, host, p, &b->evidence, room, x));
    keep_within(e, p->features, x);
    return GNT_OK;
}
