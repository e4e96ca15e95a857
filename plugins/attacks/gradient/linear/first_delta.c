#include "linear/first_delta.h"

#include <math.h>

/* Upper limit of a factor, as a multiple of the least that survivors require, if no other bound is known.
 * Typical of images, in which extreme values are rare. */
static const double usual_room = 1.5;

/* Units whose survivors share inputs: their δ are known up to a common factor. */
typedef struct linked_units {
    int64_t *group; /* of a unit: 0 none yet, 1 known by a bias's gradient, then 2, 3, ... */
    double *products,
        *squares; /* features: Σ δ g and Σ δ² over the units that are linked and show an input */
} linked_units;

typedef struct range {
    double least, most; /* of a factor's size */
} range;

static int is_pruned(const rank_one_round *r, int64_t i) {
    return r->g[i * (r->features + 1) + r->features] == 0 && r->bias_bound > 0;
}

/* Returns the range of the factor of a group in which no unit needs an input outside of [0, 1], nor has a δ
 * above the pruning threshold. */
static range range_of(const rank_one_round *r, const linked_units *l, int64_t group, const rank_one_input *in,
                      double sign) {
    range of = {0, INFINITY};
    for (int64_t i = 0; i < r->units; i++) {
        const float *g = r->g + i * (r->features + 1), *w = r->weight + i * (r->features + 1);
        if (l->group[i] != group)
            continue;
        of.most = fmin(of.most, r->bias_bound / fabs(r->delta[i]));
        for (int64_t k = 0; k < r->features; k++) {
            const double low = in->shift[k], high = in->shift[k] + in->slope[k];
            const double seen = sign * (double)g[k] / r->delta[i];
            if (seen == 0 || w[k] == 0)
                continue;
            const double reach = seen > 0 ? fmax(low, high) : -fmin(low, high);
            of.least = fmax(of.least, reach > 0 ? fabs(seen) / reach : INFINITY);
        }
    }
    of.most = fmin(of.most, usual_room * of.least);
    return of;
}

static double variance_by_prior(const sample_prior *p, int64_t k) {
    double sum = p->rest[k];
    for (int64_t i = 0; i < p->rank; i++)
        sum += (double)p->factor[i * p->features + k] * (double)p->factor[i * p->features + k];
    return sum;
}

/* Returns the square distance of a group's surviving entries from the prior's mean, in its variances, if δ
 * is multiplied by `factor`. */
static double distance(const rank_one_round *r, const linked_units *l, int64_t group,
                       const rank_one_input *in, const sample_prior *p, double factor) {
    double sum = 0;
    for (int64_t i = 0; i < r->units; i++) {
        const float *g = r->g + i * (r->features + 1), *w = r->weight + i * (r->features + 1);
        for (int64_t k = 0; l->group[i] == group && k < r->features; k++) {
            if (g[k] == 0 || w[k] == 0)
                continue;
            const double off =
                (double)g[k] / (factor * r->delta[i]) - in->slope[k] * p->mean[k] - in->shift[k];
            sum += off * off / (in->slope[k] * in->slope[k] * variance_by_prior(p, k));
        }
    }
    return sum;
}

static void link_unit(const rank_one_round *r, linked_units *l, int64_t i, int64_t group) {
    const float *g = r->g + i * (r->features + 1), *w = r->weight + i * (r->features + 1);
    l->group[i] = group;
    for (int64_t k = 0; k < r->features; k++)
        if (g[k] != 0 && w[k] > 0) {
            l->products[k] += r->delta[i] * (double)g[k];
            l->squares[k] += r->delta[i] * r->delta[i];
        }
}

/* Estimates unit i's δ from the inputs that linked units reveal; 0 if they reveal none of its own. */
static double linked_delta(const rank_one_round *r, const linked_units *l, int64_t i) {
    const float *g = r->g + i * (r->features + 1), *w = r->weight + i * (r->features + 1);
    double pull = 0, squares = 0;
    for (int64_t k = 0; k < r->features; k++)
        if (g[k] != 0 && w[k] > 0 && l->squares[k] > 0) {
            const double x = l->products[k] / l->squares[k];
            pull += (double)g[k] * x;
            squares += x * x;
        }
    return squares > 0 ? pull / squares : 0;
}

static void link_all(rank_one_round *r, linked_units *l, int64_t group) {
    for (int more = 1; more;) {
        more = 0;
        for (int64_t i = 0; i < r->units; i++) {
            if (l->group[i] == 0 && is_pruned(r, i) && (r->delta[i] = linked_delta(r, l, i)) != 0) {
                link_unit(r, l, i, group);
                more = 1;
            }
        }
    }
}

static void scale_group(rank_one_round *r, const linked_units *l, int64_t group, const rank_one_input *in,
                        const sample_prior *p) {
    double best = INFINITY, factor = 0, variance = 0;
    for (int side = 0; side < 2; side++) {
        const double sign = side ? -1 : 1;
        const range of = range_of(r, l, group, in, sign);
        if (!(of.least > 0) || !(of.least <= of.most))
            continue;
        const double middle = sign * (of.least + of.most) / 2, off = distance(r, l, group, in, p, middle);
        if ((r->against_prior ? -off : off) < best) {
            best = r->against_prior ? -off : off;
            factor = middle;
            variance = (of.most - of.least) * (of.most - of.least) / 12;
        }
    }
    for (int64_t i = 0; i < r->units; i++)
        if (l->group[i] == group) {
            r->variance[i] = variance * r->delta[i] * r->delta[i];
            r->delta[i] *= factor;
        }
}

static int linked_units_make(linked_units *l, const gnt_host *host, const rank_one_round *r) {
    l->group = gnt_host_scratch(host, r->units, sizeof *l->group);
    l->products = gnt_host_scratch(host, r->features, sizeof *l->products);
    l->squares = gnt_host_scratch(host, r->features, sizeof *l->squares);
    for (int64_t i = 0; l->group && i < r->units; i++)
        l->group[i] = 0;
    for (int64_t k = 0; l->products && l->squares && k < r->features; k++)
        l->products[k] = l->squares[k] = 0;
    return l->group && l->products && l->squares;
}

static int has_survivors(const rank_one_round *r, int64_t i) {
    const float *g = r->g + i * (r->features + 1), *w = r->weight + i * (r->features + 1);
    for (int64_t k = 0; k < r->features; k++)
        if (g[k] != 0 && w[k] > 0)
            return 1;
    return 0;
}

int first_delta(rank_one_round *r, const gnt_host *host, const rank_one_input *in,
                const sample_prior *prior) {
    linked_units l;
    int64_t groups = 1;
    if (!linked_units_make(&l, host, r))
        return 0;
    for (int64_t i = 0; i < r->units; i++) {
        const int64_t at = i * (r->features + 1) + r->features;
        r->delta[i] = is_pruned(r, i) ? 0 : (double)r->g[at];
        r->variance[i] = is_pruned(r, i) ? 0 : 1 / fmax((double)r->weight[at], 1e-30);
        if (r->delta[i] != 0)
            link_unit(r, &l, i, groups);
    }
    link_all(r, &l, groups);
    for (int64_t i = 0; i < r->units; i++) {
        if (l.group[i] || !is_pruned(r, i) || !has_survivors(r, i))
            continue;
        r->delta[i] = 1;
        link_unit(r, &l, i, ++groups);
        link_all(r, &l, groups);
        scale_group(r, &l, groups, in, prior);
    }
    return 1;
}
