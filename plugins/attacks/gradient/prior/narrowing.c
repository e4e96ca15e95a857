#include "prior/narrowing.h"

#include <math.h>

enum { FIRST = -25 }; /* log₂ a of the first node */

int narrowing_make(narrowing *v, const gnt_host *host, const sample_prior *prior, const double *unit) {
    *v = (narrowing){.prior = prior,
                     .unit = unit,
                     .precision = gnt_host_scratch(host, prior->features, sizeof(double)),
                     .room = prior_room_make(host, prior)};
    for (int i = 0; i < NARROWING_NODES; i++)
        v->node[i] = (double)NAN;
    return v->precision && v->room;
}

static double node(narrowing *v, int i) {
    if (!isnan(v->node[i]))
        return v->node[i];
    for (int64_t k = 0; k < v->prior->features; k++)
        v->precision[k] = ldexp(v->unit[k], FIRST + i);
    return v->node[i] = sample_prior_narrowing(v->prior, v->precision, v->room);
}

double narrowing_at(narrowing *v, double a, double *slope) {
    const double at = a > 0 ? log2(a) - FIRST : 0;
    *slope = 0;
    if (!(at >= 1))
        return 0;
    if (at >= NARROWING_NODES - 3)
        return node(v, NARROWING_NODES - 3);
    const int i = (int)at;
    const double t = at - i, p0 = node(v, i - 1), p1 = node(v, i), p2 = node(v, i + 1), p3 = node(v, i + 2);
    /* Catmull and Rom: slopes at the nodes are those of their neighbours' chord. */
    const double b = (p2 - p0) / 2, c = p0 - 2.5 * p1 + 2 * p2 - p3 / 2, d = (3 * (p1 - p2) + p3 - p0) / 2;
    *slope = (b + t * (2 * c + 3 * t * d)) / (a * M_LN2);
    return p1 + t * (b + t * (c + t * d));
}
