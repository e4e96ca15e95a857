#include "cost/statistics.h"

#include <math.h>
#include <string.h>

#include "cost/update_match.h"
#include "hook.h"

/* Finds where γ and β of a layer begin in the flat weights. Returns −1 if one is missing. They are its two
 * vectors, in this order. */
static int find_affine(const gnt_model_info *info, int32_t layer, int64_t at[2]) {
    int64_t offset = 0;
    int n = 0;
    for (int64_t t = 0; t < info->params.n; t++) {
        if (info->params.view[t].layer == layer && n < 2)
            at[n++] = offset;
        offset += info->params.view[t].count;
    }
    return n == 2 ? 0 : -1;
}

static int is_known(const gnt_model_info *info, int32_t layer, int64_t at[2]) {
    return strcmp(info->layer[layer].type, "batch_norm") == 0 && find_affine(info, layer, at) == 0;
}

int32_t statistics_layers(const gnt_model_info *info) {
    int32_t n = 0;
    int64_t at[2];
    for (int32_t i = 0; i < info->n_layers; i++)
        n += is_known(info, i, at);
    return n;
}

static gnt_status prepare(statistics *s, int64_t n) {
    const gnt_model_service *service = s->host->model;
    if (s->of->features && s->of->n == n) {
        service->changed(service->context, s->of->features);
        return GNT_OK;
    }
    if (s->of->features)
        service->release(service->context, s->of->features);
    gnt_function_spec spec = {.size = sizeof spec,
                              .kind = GNT_FN_FEATURES,
                              .n = n,
                              .layer = s->layer,
                              .n_layers = s->n_layers,
                              .vjp = GNT_WRT_X,
                              .held = GNT_HELD_WEIGHTS};
    *s->of = (statistics_function){service->prepare(service->context, &spec), n};
    return s->of->features ? GNT_OK : gnt_host_fail(s->host, gnt_host_last_error(s->host));
}

gnt_status statistics_open(statistics *s, statistics_function *of, const gnt_host *host,
                           const gnt_observation *seen, const float *wanted) {
    const gnt_model_info *info = host->model->info;
    size_t layers = (size_t)statistics_layers(info);
    *s = (statistics){.host = host, .of = of};
    s->args = (gnt_function_args){.size = sizeof s->args, .weights = seen->weights, .buffers = wanted};
    s->layer = gnt_host_scratch(host, layers, sizeof *s->layer);
    s->scale = gnt_host_scratch(host, layers, sizeof *s->scale);
    s->shift = gnt_host_scratch(host, layers, sizeof *s->shift);
    s->d_y = gnt_host_scratch(host, layers, sizeof *s->d_y);
    TRY(hook_memory(host, s->layer && s->scale && s->shift && s->d_y));
    for (int32_t i = 0; i < info->n_layers; i++) {
        int64_t at[2], count = seen->n;
        if (!is_known(info, i, at))
            continue;
        for (int32_t k = 0; k < info->layer[i].rank; k++)
            count *= info->layer[i].dim[k];
        float *room = gnt_host_scratch(host, count, sizeof *room);
        TRY(hook_memory(host, room != NULL));
        s->layer[s->n_layers] = i;
        s->scale[s->n_layers] = seen->weights + at[0];
        s->shift[s->n_layers] = seen->weights + at[1];
        s->d_y[s->n_layers++] = room;
    }
    return prepare(s, seen->n);
}

/* Returns the cost of one layer's output y (n × channels × area), one of `layers` in all, and sets its
 * derivative d_y. A channel whose |γ| is below 1e-3 reveals nothing and is left out. */
static double statistics_cost(const float *y, int64_t n, int64_t channels, int64_t area, const float *scale,
                              const float *shift, int32_t layers, float *d_y) {
    double cost = 0, share = 1 / ((double)layers * (double)channels), count = (double)(n * area);
    memset(d_y, 0, (size_t)(n * channels * area) * sizeof *d_y);
    for (int64_t c = 0; c < channels; c++) {
        double gamma = (double)scale[c], beta = (double)shift[c], mean = 0, variance = 0;
        if (fabs(gamma) < 1e-3)
            continue;
        for (int64_t k = 0; k < n; k++)
            for (int64_t i = 0; i < area; i++)
                mean += ((double)y[(k * channels + c) * area + i] - beta) / gamma;
        mean /= count;
        for (int64_t k = 0; k < n; k++)
            for (int64_t i = 0; i < area; i++) {
                double v = ((double)y[(k * channels + c) * area + i] - beta) / gamma - mean;
                variance += v * v;
            }
        /* as running statistics are kept: unbiased; one value has no variance */
        double one = count > 1 ? 1 / (count - 1) : 0, apart = count > 1 ? variance * one - 1 : 0;
        cost += share * (mean * mean + apart * apart);
        for (int64_t k = 0; k < n; k++)
            for (int64_t i = 0; i < area; i++) {
                int64_t at = (k * channels + c) * area + i;
                double v = ((double)y[at] - beta) / gamma - mean;
                d_y[at] = (float)(share * (2 * mean / count + 4 * apart * v * one) / gamma);
            }
    }
    return cost;
}

gnt_status statistics_eval(statistics *s, const float *x, double *cost, const float **d_x) {
    const gnt_host *host = s->host;
    const gnt_views *out;
    const gnt_gradient *g;
    s->args.x = x;
    *cost = 0;
    TRY(hook_eval(host, s->of->features, &s->args, &out));
    for (int32_t l = 0; l < s->n_layers; l++) {
        const gnt_view *v = &out->view[l];
        int64_t n = v->dim[0], channels = v->dim[1];
        *cost += statistics_cost(v->data, n, channels, v->count / (n * channels), s->scale[l], s->shift[l],
                                 s->n_layers, s->d_y[l]);
    }
    TRY(hook_vjp(host, s->of->features, s->d_y, &g));
    *d_x = g->x;
    return GNT_OK;
}
