#include "first_delta.h"

#include <math.h>

/* Without a bound: how much above the least that survivors ask for, from images whose extremes are rare. */
static const double usual_room = 1.5;

typedef struct range {
    double least, most; /* of |δ| */
} range;

/* |δ| if it has that sign: no survivor may ask for an input outside of [0, 1]. */
static range range_of(const rank_one_round *r, int64_t i, const rank_one_input *in, double sign) {
    const float *g = r->g + i * (r->features + 1), *w = r->weight + i * (r->features + 1);
    double least = 0;
    for (int64_t k = 0; k < r->features; k++) {
        const double low = in->shift[k], high = in->shift[k] + in->slope[k], seen = sign * (double)g[k];
        if (seen == 0 || w[k] == 0)
            continue;
        const double reach = seen > 0 ? fmax(low, high) : -fmin(low, high);
        least = fmax(least, reach > 0 ? fabs(seen) / reach : INFINITY);
    }
    return (range){least, fmin(r->bias_bound, usual_room * least)};
}

static double variance_by_prior(const sample_prior *p, int64_t k) {
    double sum = p->rest[k];
    for (int64_t i = 0; i < p->rank; i++)
        sum += (double)p->factor[i * p->features + k] * (double)p->factor[i * p->features + k];
    return sum;
}

/* How far the survivors are from the prior's mean if this is δ, in its variances. */
static double distance(const rank_one_round *r, int64_t i, const rank_one_input *in, const sample_prior *p,
                       double delta) {
    const float *g = r->g + i * (r->features + 1), *w = r->weight + i * (r->features + 1);
    double sum = 0;
    for (int64_t k = 0; k < r->features; k++) {
        if (g[k] == 0 || w[k] == 0)
            continue;
        const double off = (double)g[k] / delta - in->slope[k] * p->mean[k] - in->shift[k];
        sum += off * off / (in->slope[k] * in->slope[k] * variance_by_prior(p, k));
    }
    return sum;
}

static void from_survivors(rank_one_round *r, int64_t i, const rank_one_input *in, const sample_prior *p) {
    double nearest = INFINITY;
    r->delta[i] = r->variance[i] = 0;
    for (int side = 0; side < 2; side++) {
        const double sign = side ? -1 : 1;
        const range of = range_of(r, i, in, sign);
        if (!(of.least > 0) || !(of.least <= of.most))
            continue;
        const double delta = sign * (of.least + of.most) / 2, off = distance(r, i, in, p, delta);
        if (off < nearest) {
            nearest = off;
            r->delta[i] = delta;
            r->variance[i] = (of.most - of.least) * (of.most - of.least) / 12;
        }
    }
}

void first_delta(rank_one_round *r, const rank_one_input *in, const sample_prior *prior) {
    for (int64_t i = 0; i < r->units; i++) {
        const int64_t at = i * (r->features + 1) + r->features;
        if (r->g[at] == 0 && r->bias_bound > 0) {
            from_survivors(r, i, in, prior);
            continue;
        }
        r->delta[i] = (double)r->g[at];
        r->variance[i] = 1 / fmax((double)r->weight[at], 1e-30);
    }
}
