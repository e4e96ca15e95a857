#include "likelihood.h"

#include <math.h>
#include <string.h>

/* Of Laplace's b: below this a residual counts as a square, so that the cost has a gradient that vanishes at
 * a match. */
static const double smooth = 0.1;

static const gnt_value *value_after(const gnt_value *v, int64_t n, const char *id) {
    for (int64_t i = 0; i < n; i++)
        if (strcmp(v[i].id, id) == 0)
            return &v[i];
    return NULL;
}

/* Members' parameters follow one another: those of a dp member begin with its strength, which no other
 * plugin's `clip` comes after. */
noise_law noise_law_of(const char *defense, const gnt_value *values, int64_t n_values) {
    static const char *const ids[] = {"dp-gaussian", "dp-laplace"};
    static const char *const strength[] = {"sigma", "b"};
    noise_law law = {.kind = NOISE_NONE};
    int members = 0;
    for (const char *at = defense; at && *at; at += strcspn(at, "+"), at += *at == '+')
        for (int k = 0; k < 2; k++)
            if (strcspn(at, "+") == strlen(ids[k]) && strncmp(at, ids[k], strlen(ids[k])) == 0) {
                law.kind = k == 0 ? NOISE_GAUSSIAN : NOISE_LAPLACE;
                members++;
            }
    const gnt_value *first =
        members == 1 ? value_after(values, n_values, strength[law.kind == NOISE_LAPLACE]) : NULL;
    int64_t left = first ? n_values - (first - values) : 0;
    const gnt_value *clip = value_after(first, left, "clip"), *mode = value_after(first, left, "clip_mode"),
                    *mean = value_after(first, left, "mu"), *norm = value_after(first, left, "norm");
    if (!first || !clip || !mode || !mode->text || !(first->r > 0) || !(clip->r > 0))
        return (noise_law){.kind = NOISE_NONE};
    law.scale = first->r;
    law.mean = mean ? mean->r : 0;
    law.clip = clip->r;
    law.clip_mode = strcmp(mode->text, "none") == 0         ? NOISE_CLIP_NONE
                    : strcmp(mode->text, "per_tensor") == 0 ? NOISE_CLIP_PER_TENSOR
                                                            : NOISE_CLIP_GLOBAL;
    law.l1 = law.kind == NOISE_LAPLACE && norm && norm->text && strcmp(norm->text, "l1") == 0;
    return law;
}

double noise_deviation(const noise_law *law) {
    return law->kind == NOISE_LAPLACE ? law->scale * sqrt(2) : law->scale;
}

/* ---- the clip ---- */

static double total(const noise_law *law, const gnt_view *u) {
    double sum = 0;
    for (int64_t i = 0; i < u->count; i++)
        sum += law->l1 ? fabs((double)u->data[i]) : (double)u->data[i] * (double)u->data[i];
    return sum;
}

/* Norm of tensors from … to − 1. */
static double norm_of(const noise_law *law, const gnt_views *u, int64_t from, int64_t to) {
    double sum = 0;
    for (int64_t t = from; t < to; t++)
        sum += total(law, &u->view[t]);
    return law->l1 ? sum : sqrt(sum);
}

/* The derivative by u of what has the derivative d by s(u)·u, in place, for tensors that are clipped
 * together: s·d − s·⟨d, u⟩/‖u‖·∂‖u‖/∂u, where ∂‖u‖/∂u is u/‖u‖, or sign(u) of an L1 norm. */
static void clip_vjp(const noise_law *law, const gnt_views *u, int64_t from, int64_t to, double norm,
                     float *const *d) {
    if (!(norm > law->clip))
        return;
    double s = law->clip / norm, along = 0;
    for (int64_t t = from; t < to; t++)
        for (int64_t i = 0; i < u->view[t].count; i++)
            along += (double)d[t][i] * (double)u->view[t].data[i];
    along /= norm;
    for (int64_t t = from; t < to; t++)
        for (int64_t i = 0; i < u->view[t].count; i++) {
            double v = (double)u->view[t].data[i],
                   direction = law->l1 ? (double)((v > 0) - (v < 0)) : v / norm;
            d[t][i] = (float)(s * ((double)d[t][i] - along * direction));
        }
}

static double factor_of(const noise_law *law, double norm) {
    return norm > law->clip ? law->clip / norm : 1;
}

/* ---- the cost ---- */

/* Of tensors that are clipped together. */
static double group_cost(const noise_law *law, const gnt_views *u, const float *const *observed,
                         const float *const *mask, int64_t from, int64_t to, float *const *d_u) {
    double norm = law->clip_mode == NOISE_CLIP_NONE ? 0 : norm_of(law, u, from, to);
    double s = law->clip_mode == NOISE_CLIP_NONE ? 1 : factor_of(law, norm), cost = 0, b = law->scale;
    for (int64_t t = from; t < to; t++)
        for (int64_t i = 0; i < u->view[t].count; i++) {
            double r = s * (double)u->view[t].data[i] + law->mean - (double)observed[t][i];
            if (mask && mask[t][i] == 0) {
                d_u[t][i] = 0;
            } else if (law->kind == NOISE_LAPLACE) {
                double length = sqrt(r * r + smooth * b * smooth * b);
                cost += (length - smooth * b) / b;
                d_u[t][i] = (float)(r / length / b);
            } else {
                cost += r * r / (2 * b * b);
                d_u[t][i] = (float)(r / (b * b));
            }
        }
    if (law->clip_mode != NOISE_CLIP_NONE)
        clip_vjp(law, u, from, to, norm, d_u);
    return cost;
}

double noise_cost(const noise_law *law, const gnt_views *u, const float *const *observed,
                  const float *const *mask, float *const *d_u) {
    double cost = 0;
    if (law->clip_mode != NOISE_CLIP_PER_TENSOR)
        return group_cost(law, u, observed, mask, 0, u->n, d_u);
    for (int64_t t = 0; t < u->n; t++)
        cost += group_cost(law, u, observed, mask, t, t + 1, d_u);
    return cost;
}

void noise_apply(const noise_law *law, const gnt_views *u, const float *unit, float *const *out) {
    double whole = norm_of(law, u, 0, u->n);
    for (int64_t t = 0; t < u->n; t++) {
        double norm = law->clip_mode == NOISE_CLIP_PER_TENSOR ? norm_of(law, u, t, t + 1) : whole;
        double s = law->clip_mode == NOISE_CLIP_NONE ? 1 : factor_of(law, norm);
        for (int64_t i = 0; i < u->view[t].count; i++)
            out[t][i] = (float)(s * (double)u->view[t].data[i] + law->mean + law->scale * (double)*unit++);
    }
}
