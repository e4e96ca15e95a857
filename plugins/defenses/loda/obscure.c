#include "obscure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "shared/try.h"

int obscurer_open(obscurer *o) {
    const features *g = &o->g;
    size_t all = 0, batch = (size_t)o->batch;
    for (int32_t l = 0; l < g->n_layers; l++)
        all += (size_t)g->width[l];
    o->room = calloc(2 * all * batch, sizeof *o->room);
    o->value = calloc(batch, sizeof *o->value);
    if (!o->room || !o->value)
        return -1;
    float *at = o->room;
    for (int32_t l = 0; l < g->n_layers; l++) {
        o->goal[l] = at;
        o->difference[l] = at + g->width[l] * o->batch;
        at += 2 * g->width[l] * o->batch;
    }
    return 0;
}

void obscurer_close(obscurer *o) {
    feature_map_close(&o->whole);
    feature_map_close(&o->rest);
    free(o->room);
    free(o->value);
}

typedef struct descent {
    obscurer *o;
    feature_map *map;
    int64_t n;
    const float *truth;
    float *x;
    obscured *out;
} descent;

/* Computes g(x*) into the obscurer's `goal`. */
static gnt_status set_goal(descent *d) {
    const features *g = &d->o->g;
    const gnt_views *at;
    TRY(feature_map_open(d->map, g, d->n, 0));
    TRY(feature_map_at(d->map, d->truth, &at));
    for (int32_t l = 0; l < g->n_layers; l++)
        memcpy(d->o->goal[l], at->view[l].data, (size_t)(d->n * g->width[l]) * sizeof(float));
    return GNT_OK;
}

/* Returns ‖now − goal‖², and puts 2(now − goal) into `out`. It sums in eight lanes, so that the sums do
 * not wait for one another. */
static double feature_gap(const float *now, const float *goal, int64_t n, float *out) {
    enum { LANES = 8 };
    float lane[LANES] = {0};
    double sum = 0;
    int64_t k = 0;
    for (; k + LANES <= n; k += LANES)
        for (int i = 0; i < LANES; i++) {
            float e = now[k + i] - goal[k + i];
            lane[i] += e * e;
            out[k + i] = 2 * e;
        }
    for (; k < n; k++) {
        float e = now[k] - goal[k];
        lane[0] += e * e;
        out[k] = 2 * e;
    }
    for (int i = 0; i < LANES; i++)
        sum += (double)lane[i];
    return sum;
}

/* Computes the objective of each image at x into `value`, and 2(g(x′) − g(x*)) into `difference`. Fails
 * where an objective is not finite. */
static gnt_status evaluate(descent *d) {
    const features *g = &d->o->g;
    const gnt_views *at;
    TRY(feature_map_at(d->map, d->x, &at));
    for (int64_t i = 0; i < d->n; i++) {
        const float *x = d->x + i * g->pixels, *truth = d->truth + i * g->pixels;
        double apart = 0, feature = 0;
        for (int64_t k = 0; k < g->pixels; k++)
            apart += (double)(x[k] - truth[k]) * (double)(x[k] - truth[k]);
        for (int32_t l = 0; l < g->n_layers; l++) {
            int64_t width = g->width[l], from = i * width;
            feature +=
                feature_gap(at->view[l].data + from, d->o->goal[l] + from, width, d->o->difference[l] + from);
        }
        d->out[i].square = apart;
        d->o->value[i] = feature - d->o->c * apart;
        if (!isfinite(d->o->value[i]))
            return gnt_host_fail(g->host,
                                 "the objective is not finite: the extractor's activations are too large");
    }
    return GNT_OK;
}

/* Takes one gradient step: x′ becomes the point of [0, 1] nearest to x′ − step·∇/‖∇‖, with ∇ = J(x′)ᵀ
 * 2(g(x′) − g(x*)) − 2c(x′ − x*). */
static gnt_status move(descent *d) {
    const features *g = &d->o->g;
    const float *back;
    const float *u[FEATURES_LAYERS];
    float c = (float)d->o->c;
    for (int32_t l = 0; l < g->n_layers; l++)
        u[l] = d->o->difference[l];
    TRY(feature_map_vjp(d->map, u, &back));
    for (int64_t i = 0; i < d->n; i++) {
        float *x = d->x + i * g->pixels;
        const float *truth = d->truth + i * g->pixels, *from = back + i * g->pixels;
        double square = 0;
        for (int64_t k = 0; k < g->pixels; k++) {
            float grad = from[k] - 2 * c * (x[k] - truth[k]);
            square += (double)grad * (double)grad;
        }
        float by = square > 0 ? (float)(d->o->step / sqrt(square)) : 0;
        for (int64_t k = 0; k < g->pixels; k++) {
            float next = x[k] - by * (from[k] - 2 * c * (x[k] - truth[k]));
            x[k] = next < 0 ? 0 : next > 1 ? 1 : next;
        }
    }
    return GNT_OK;
}

gnt_status obscurer_run(obscurer *o, int64_t n, const float *truth, float *x, obscured *out, double done,
                        double all) {
    const gnt_host *host = o->g.host;
    descent d = {
        .o = o, .map = n == o->batch ? &o->whole : &o->rest, .n = n, .truth = truth, .x = x, .out = out};
    gnt_status s = set_goal(&d);
    for (int64_t step = 0; s == GNT_OK && step <= o->steps; step++) {
        TRY(may_go_on(host));
        s = evaluate(&d);
        for (int64_t i = 0; i < n; i++)
            *(step == 0 ? &out[i].first : &out[i].last) = o->value[i];
        if (s == GNT_OK && step < o->steps)
            s = move(&d);
        gnt_host_progress(host, done + (double)(step * n), all);
    }
    return s;
}
