#include "linear/dense_features.h"

#include <math.h>
#include <string.h>

#include "first_dense.h"
#include "hook.h"
#include "linear/dense_head.h"
#include "linear/exact_batch.h"
#include "linear/step_samples.h"

/* What the update has of a dense layer. */
typedef struct known_layer {
    const gnt_view *w, *b;
    int64_t w_at, b_at; /* tensors of the update */
} known_layer;

/* Finds a dense layer's weight and bias. Returns 0 if clients do not share both. */
static int find_layer(const gnt_observation *seen, int32_t layer, known_layer *out) {
    *out = (known_layer){0};
    for (int64_t t = 0; t < seen->update->n; t++) {
        const gnt_view *u = &seen->update->view[t];
        if (u->layer != layer)
            continue;
        *(u->rank == 2 ? &out->w : &out->b) = u;
        *(u->rank == 2 ? &out->w_at : &out->b_at) = t;
    }
    return out->w && out->b && out->b->count == out->w->dim[0];
}

/* Returns the first dense layer if others that change the sample come before it, else −1. */
static int32_t find_dense(const gnt_model_info *info) {
    for (int32_t i = 1; i < info->n_layers; i++)
        if (strcmp(info->layer[i].type, "dense") == 0)
            return is_first_dense(info, i) ? -1 : i;
    return -1;
}

/* Returns the range of a layer's output: from 0 after ReLU, whatever pools it. */
static input_range range_of(const gnt_model_info *info, int32_t layer) {
    static const char *const keep[] = {"flatten", "max_pool", "avg_pool", "global_avg_pool", "dropout", NULL};
    while (layer > 0 && is_any(info->layer[layer].type, keep))
        layer--;
    const double lower = strcmp(info->layer[layer].type, "relu") == 0 ? 0 : -INFINITY;
    return (input_range){.area = 1, .lower = lower, .upper = INFINITY};
}

/* True if each sample was used once, so that its features are those of one step. */
static int is_used_once(const gnt_observation *seen) {
    return seen->steps <= 1 || seen->n == seen->steps * seen->batch;
}

void dense_features_open(dense_features *d, const gnt_host *host, const gnt_observation *seen) {
    const int32_t dense = find_dense(host->model->info);
    known_layer l;
    *d = (dense_features){.host = host, .seen = seen, .layer = dense - 1};
    if (dense >= 0 && is_used_once(seen) && seen->n >= 2 && seen->weights && find_layer(seen, dense, &l))
        d->features = l.w->dim[1];
}

gnt_status dense_features_find(dense_features *d, const outliers *apart, double effort, const float *alike,
                               int64_t n_alike) {
    const gnt_observation *seen = d->seen;
    const gnt_host *host = d->host;
    const int64_t most = CANDIDATES * seen->n;
    known_layer l;
    dense_head head;
    if (d->features == 0 || !find_layer(seen, d->layer + 1, &l))
        return GNT_OK;
    const dense_layer layer = {l.w, l.b, l.w_at, l.b_at, *apart};
    d->f = gnt_host_scratch(host, most * d->features, sizeof *d->f);
    d->label = gnt_host_scratch(host, 2 * most, sizeof *d->label);
    d->apart = gnt_host_scratch(host, most, sizeof *d->apart);
    TRY(hook_memory(host, d->f && d->label && d->apart));
    d->step = d->label + most;
    exact_batch batch = {.host = host,
                         .seen = seen,
                         .layer = &layer,
                         .range = range_of(host->model->info, d->layer),
                         .features = d->features,
                         .alike = alike,
                         .n_alike = n_alike,
                         .effort = effort};
    TRY(exact_batch_find(&batch, d->f));
    gnt_host_fact(host, "features_exact", (double)batch.exact);
    d->found = batch.found;
    TRY(dense_head_open(&head, host, seen, d->layer + 1));
    if (head.n == 0)
        d->found = 0;
    return d->found ? step_samples_find(d, &head, &batch) : GNT_OK;
}
