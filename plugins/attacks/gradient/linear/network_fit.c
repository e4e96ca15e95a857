#include "linear/network_fit.h"

#include <math.h>
#include <string.h>

#include "hook.h"

gnt_status network_fit_open(network_fit *f) {
    const gnt_host *host = f->host;
    const gnt_model_info *info = host->model->info;
    const int64_t units = f->seen->update->view[f->b_at].count;
    gnt_function_spec spec = {.kind = GNT_FN_UPDATE};
    f->x = gnt_host_scratch(host, hook_features(info), sizeof *f->x);
    f->y = gnt_host_scratch(host, info->classes, sizeof *f->y);
    f->rates = hook_rates(host, f->seen);
    f->delta = gnt_host_scratch(host, units, sizeof *f->delta);
    f->tried = gnt_host_scratch(host, units, sizeof *f->tried);
    TRY(hook_memory(host, f->x && f->y && f->rates && f->delta && f->tried));
    f->last_at = f->seen->update->n - 1;
    if (f->seen->update->view[f->last_at].rank != 1 || f->last_at == f->b_at)
        f->last_at = -1;
    spec_unroll(&spec, f->seen);
    f->function = host->model->prepare(host->model->context, &spec);
    return f->function ? GNT_OK : gnt_host_fail(host, gnt_host_last_error(host));
}

void network_fit_close(network_fit *f) {
    if (f->function)
        f->host->model->release(f->host->model->context, f->function);
    f->function = NULL;
}

/* Returns the squared distance of tensor t, times the clip's factor, from what was observed. */
static double distance(const network_fit *f, const gnt_view *made, int64_t t, double factor) {
    const float *seen = f->seen->update->view[t].data;
    const double bound = (double)f->bound[t];
    double sum = 0;
    for (int64_t i = 0; i < made->count; i++) {
        const double u = factor * (double)made->data[i];
        const double off = seen[i] != 0 ? u - (double)seen[i] : fmax(0, fabs(u) - bound);
        if (!outliers_has(f->apart, t, i))
            sum += off * off;
    }
    return sum;
}

/* Returns the factor by which the survivors of tensor t exceed the entries made, times the clip's factor. */
static double excess(const network_fit *f, const gnt_view *made, int64_t t, double factor) {
    const float *seen = f->seen->update->view[t].data;
    double products = 0, squares = 0;
    for (int64_t i = 0; i < made->count; i++)
        if (seen[i] != 0 && !outliers_has(f->apart, t, i)) {
            const double u = factor * (double)made->data[i];
            products += u * (double)seen[i];
            squares += u * u;
        }
    return products > 0 ? products / squares : 1;
}

/* Computes the cost at f->x with the labels y, and the bias's entries. */
static gnt_status try_labels(network_fit *f, const float *y, double *cost) {
    const gnt_function_args args = hook_args(f->seen, f->x, y, f->rates);
    const gnt_views *made;
    TRY(hook_eval(f->host, f->function, &args, &made));
    const int64_t group = noise_clip_group(f->clip, made->n);
    *cost = 0;
    f->loudness_tried = 1;
    for (int64_t t = 0; t < made->n; t += group) {
        const double factor = noise_clip_of(f->clip, made->view + t, group).factor;
        for (int64_t k = t; k < t + group; k++)
            *cost += distance(f, &made->view[k], k, factor);
        if (t <= f->last_at && f->last_at < t + group)
            f->loudness_tried = excess(f, &made->view[f->last_at], f->last_at, factor);
        for (int64_t i = 0; t <= f->b_at && f->b_at < t + group && i < made->view[f->b_at].count; i++)
            f->tried[i] = factor * (double)made->view[f->b_at].data[i];
    }
    return GNT_OK;
}

gnt_status network_fit_at(network_fit *f, const double *x) {
    const gnt_model_info *info = f->host->model->info;
    const int32_t tried = f->seen->labels ? 1 : info->classes;
    f->cost = INFINITY;
    for (int64_t k = 0; k < hook_features(info); k++)
        f->x[k] = (float)x[k];
    for (int32_t c = 0; c < tried; c++) {
        double cost;
        TRY(may_go_on(f->host));
        for (int32_t i = 0; i < info->classes; i++)
            f->y[i] = i == c;
        TRY(try_labels(f, f->seen->labels ? f->seen->labels : f->y, &cost));
        if (c == 0 || cost < f->cost) {
            f->cost = cost;
            f->loudness = f->loudness_tried;
            memcpy(f->delta, f->tried, (size_t)f->seen->update->view[f->b_at].count * sizeof *f->delta);
        }
    }
    return GNT_OK;
}
