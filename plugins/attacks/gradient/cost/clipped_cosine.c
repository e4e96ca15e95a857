#include "cost/clipped_cosine.h"

#include <math.h>

typedef struct products { /* of c = c(u) and o */
    double cc, co, oo;
} products;

static int is_matched(const float *const *mask, int64_t t, int64_t i) {
    return !mask || mask[t][i] != 0;
}

static void add_products(products *p, const gnt_view *u, int64_t t, double factor,
                         const float *const *observed, const float *const *mask) {
    for (int64_t i = 0; i < u->count; i++) {
        const double c = factor * (double)u->data[i], o = (double)observed[t][i];
        if (!is_matched(mask, t, i))
            continue;
        p->cc += c * c;
        p->co += c * o;
        p->oo += o * o;
    }
}

/* Computes d = ∂(1 − ⟨c, o⟩/(‖c‖‖o‖))/∂c = (⟨c, o⟩/‖c‖²·c − o)/(‖c‖‖o‖) */
static void put_slope(const products *p, const gnt_view *u, int64_t t, double factor,
                      const float *const *observed, const float *const *mask, float *d) {
    const double size = sqrt(p->cc) * sqrt(p->oo), back = p->co / p->cc;
    for (int64_t i = 0; i < u->count; i++) {
        const double c = factor * (double)u->data[i];
        d[i] = is_matched(mask, t, i) ? (float)((back * c - (double)observed[t][i]) / size) : 0;
    }
}

double clipped_cosine(const seen_clip *clip, const gnt_views *u, const float *const *observed,
                      const float *const *mask, float *const *d_u) {
    const int64_t group = noise_clip_group(&clip->law, u->n);
    products p = {0};
    noise_clip of = {.factor = 1};
    for (int64_t t = 0; t < u->n; t++) {
        of = t % group ? of : seen_clip_of(clip, u, t);
        add_products(&p, &u->view[t], t, of.factor, observed, mask);
    }
    if (!(p.cc > 0) || !(p.oo > 0)) {
        for (int64_t t = 0; t < u->n; t++)
            for (int64_t i = 0; i < u->view[t].count; i++)
                d_u[t][i] = 0;
        return 1;
    }
    for (int64_t t = 0; t < u->n; t += group) {
        of = seen_clip_of(clip, u, t);
        for (int64_t k = t; k < t + group; k++)
            put_slope(&p, &u->view[k], k, of.factor, observed, mask, d_u[k]);
        seen_clip_vjp(clip, of, u, t, d_u);
    }
    return 1 - p.co / (sqrt(p.cc) * sqrt(p.oo));
}
