#include "defense/noise_law.h"

#include <math.h>

static const double smooth = 0.1; /* of Laplace's b */

double noise_deviation(const noise_law *law) {
    return law->kind == NOISE_LAPLACE ? law->scale * sqrt(2) : law->scale;
}

double noise_entry_cost(const noise_law *law, double r, double *slope) {
    if (law->kind == NOISE_GAUSSIAN) {
        const double precision = 1 / (law->scale * law->scale);
        *slope = r * precision;
        return r * r * precision / 2;
    }
    const double edge = smooth * law->scale, length = sqrt(r * r + edge * edge);
    *slope = r / (length * law->scale);
    return (length - edge) / law->scale;
}

/* ---- the clip ---- */

int64_t noise_clip_group(const noise_law *law, int64_t n) {
    return law->clip_mode == NOISE_CLIP_PER_TENSOR ? 1 : n;
}

static double norm_of(const noise_law *law, const gnt_view *u, int64_t n) {
    double sum = 0;
    for (int64_t t = 0; t < n; t++)
        for (int64_t i = 0; i < u[t].count; i++) {
            const double v = (double)u[t].data[i];
            sum += law->l1 ? fabs(v) : v * v;
        }
    return law->l1 ? sum : sqrt(sum);
}

noise_clip noise_clip_of(const noise_law *law, const gnt_view *u, int64_t n) {
    if (law->clip_mode == NOISE_CLIP_NONE)
        return (noise_clip){.factor = 1};
    const double norm = norm_of(law, u, n);
    return (noise_clip){.factor = norm > law->clip ? law->clip / norm : 1, .norm = norm};
}

void noise_clip_vjp(const noise_law *law, noise_clip clip, const gnt_view *u, int64_t n, float *const *d) {
    double along = 0;
    if (clip.factor == 1)
        return;
    for (int64_t t = 0; t < n; t++)
        for (int64_t i = 0; i < u[t].count; i++)
            along += (double)d[t][i] * (double)u[t].data[i];
    along /= clip.norm;
    for (int64_t t = 0; t < n; t++)
        for (int64_t i = 0; i < u[t].count; i++) {
            const double v = (double)u[t].data[i], direction = law->l1 ? (v > 0) - (v < 0) : v / clip.norm;
            d[t][i] = (float)(clip.factor * ((double)d[t][i] - along * direction));
        }
}

/* ---- an observed update ---- */

/* Returns the cost of n tensors that are clipped together; mask and d_u may be NULL. */
static double group_cost(const noise_law *law, const gnt_view *u, int64_t n, const float *const *observed,
                         const float *const *mask, float *const *d_u) {
    const noise_clip clip = noise_clip_of(law, u, n);
    double cost = 0, slope;
    for (int64_t t = 0; t < n; t++)
        for (int64_t i = 0; i < u[t].count; i++) {
            if (d_u)
                d_u[t][i] = 0;
            if (mask && mask[t][i] == 0)
                continue;
            const double r = clip.factor * (double)u[t].data[i] + law->mean - (double)observed[t][i];
            cost += noise_entry_cost(law, r, &slope);
            if (d_u)
                d_u[t][i] = (float)slope;
        }
    if (d_u)
        noise_clip_vjp(law, clip, u, n, d_u);
    return cost;
}

double noise_cost(const noise_law *law, const gnt_views *u, const float *const *observed,
                  const float *const *mask, float *const *d_u) {
    const int64_t group = noise_clip_group(law, u->n);
    double cost = 0;
    for (int64_t t = 0; t < u->n; t += group)
        cost +=
            group_cost(law, u->view + t, group, observed + t, mask ? mask + t : NULL, d_u ? d_u + t : NULL);
    return cost;
}

void noise_apply(const noise_law *law, const gnt_views *u, const float *unit, float *const *out) {
    const int64_t group = noise_clip_group(law, u->n);
    noise_clip clip = {.factor = 1};
    for (int64_t t = 0; t < u->n; t++) {
        if (t % group == 0)
            clip = noise_clip_of(law, u->view + t, group);
        for (int64_t i = 0; i < u->view[t].count; i++)
            out[t][i] =
                (float)(clip.factor * (double)u->view[t].data[i] + law->mean + law->scale * (double)*unit++);
    }
}
