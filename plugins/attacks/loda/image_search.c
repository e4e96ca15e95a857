#include "image_search.h"

#include <math.h>
#include <string.h>

#include "gauntlet/nn.h"

const char *const search_names[] = {"normalised", "adam", NULL};
const char *const start_names[] = {"public", "mean", "noise", NULL};

static void normalised_step(const search *s, float *x, const float *grad) {
    for (int64_t i = 0; i < s->n; i++, x += s->pixels, grad += s->pixels) {
        double square = 0;
        for (int64_t k = 0; k < s->pixels; k++)
            square += (double)grad[k] * (double)grad[k];
        float by = square > 0 ? (float)(s->rate / sqrt(square)) : 0;
        for (int64_t k = 0; k < s->pixels; k++)
            x[k] -= by * grad[k];
    }
}

gnt_status search_run(const search *s, float *x, double *total) {
    const gnt_host *host = s->host;
    const int64_t size = s->n * s->pixels;
    float *grad = gnt_host_scratch(host, size, sizeof *grad);
    double *cost = gnt_host_scratch(host, s->n, sizeof *cost);
    gnt_adam *adam = s->how == SEARCH_ADAM ? gnt_adam_new(size, 0.9, 0.999, 1e-8) : NULL;
    gnt_status status = GNT_OK;
    if (!grad || !cost || (s->how == SEARCH_ADAM && !adam))
        status = gnt_host_fail(host, "out of memory: set \"batch\" lower");
    for (int64_t step = 0; status == GNT_OK && step <= s->steps; step++) {
        if (gnt_host_should_stop(host)) {
            status = GNT_STOPPED;
            break;
        }
        status = s->cost(s->context, x, cost, grad);
        for (int64_t i = 0; status == GNT_OK && i < s->n; i++) {
            total[step] += cost[i];
            if (!isfinite(cost[i]))
                status =
                    gnt_host_fail(host, "the cost is not finite: the extractor's activations are too large");
        }
        if (status != GNT_OK || step == s->steps)
            break;
        if (adam)
            gnt_adam_step(adam, x, grad, s->rate);
        else
            normalised_step(s, x, grad);
        gnt_project_box(x, size, 0, 1);
        if (s->watch)
            s->watch(s->watcher, step + 1, x);
        gnt_host_progress(host, s->done + (double)step + 1, s->all);
    }
    gnt_adam_free(adam);
    return status;
}

/* ---- starts ---- */

static void mean_image(const gnt_samples *s, float *x) {
    for (int64_t k = 0; k < s->features; k++) {
        double sum = 0;
        for (int64_t i = 0; i < s->n; i++)
            sum += (double)s->x[i * s->features + k];
        x[k] = (float)(sum / (double)s->n);
    }
}

static void noise(const gnt_host *host, int64_t pixels, float *x) {
    double u;
    for (int64_t k = 0; k < pixels; k++) {
        gnt_host_uniform(host, "noise", 1, &u);
        x[k] = (float)u;
    }
}

static int too_near(const float *x, const float *encoded, int64_t pixels) {
    double square = 0;
    for (int64_t k = 0; k < pixels; k++)
        square += (double)(x[k] - encoded[k]) * (double)(x[k] - encoded[k]);
    return square < 1e-6 * (double)pixels;
}

void search_keep_off(const gnt_host *host, const float *encoded, int64_t n, int64_t pixels, float *x) {
    for (int64_t i = 0; i < n; i++)
        if (too_near(x + i * pixels, encoded + i * pixels, pixels))
            noise(host, pixels, x + i * pixels);
}

void search_start(const gnt_host *host, int64_t how, const gnt_samples *public_data, const float *encoded,
                  int64_t n, int64_t pixels, float *x) {
    int has_public = public_data && public_data->n > 0 && public_data->features == pixels;
    const size_t bytes = (size_t)pixels * sizeof *x;
    for (int64_t i = 0; i < n; i++) {
        float *one = x + i * pixels;
        if (!has_public || how == START_NOISE)
            noise(host, pixels, one);
        else if (how == START_PUBLIC) {
            uint64_t which = gnt_host_below(host, "start", (uint64_t)public_data->n);
            memcpy(one, public_data->x + (int64_t)which * pixels, bytes);
        } else if (i == 0)
            mean_image(public_data, one);
        else
            memcpy(one, x, bytes);
    }
    search_keep_off(host, encoded, n, pixels, x);
}
