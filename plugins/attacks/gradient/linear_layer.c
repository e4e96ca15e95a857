/* linear-layer: exact recovery of an input through a first dense layer.
 *
 * Row i of such a layer has the gradients dW_i = δ_i·x and db_i = δ_i, so x = dW_i/db_i wherever δ_i ≠ 0, for any
 * network behind it and whatever the scale of the update: a weight delta of one step does as well. (Phong et al.,
 * 2017; the row of largest |db| loses least to rounding.) Through one sample it is exact. Over a batch a row gives
 * an average of the samples, weighted by δ_i: exact only where a unit was active for one sample alone, which ReLU
 * makes common, so the answer is then approximate: the rows of largest |db| that differ from each other. The same
 * holds for several local steps, over which δ_i varies but a single sample does not. */
#include <math.h>
#include <stdlib.h>

#include "first_dense.h"
#include "gradient.h"
#include "update.h"
#include "gauntlet/plugin.h"

enum { PARAM_DISTINCT };

typedef struct linear_layer {
    const gnt_host *host;
    double distinct;
} linear_layer;

static gnt_status refuse(const gnt_host *host, const char *why) {
    host->fail(host->context, why);
    return GNT_UNSUPPORTED;
}

/* The first layer's weight W (units × features) and bias b (units), or a sentence on what is missing. */
static gnt_status find_layer(const linear_layer *s, const gnt_observation *seen, int64_t features,
                             const gnt_view **w, const gnt_view **b) {
    const gnt_host *host = s->host;
    const gnt_model_info *info = host->model->info;
    *w = *b = NULL;
    if (!is_whole_update(info, seen->update))
        return refuse(host, "it needs one tensor of the update for each parameter that clients share");
    for (int64_t t = 0; t < seen->update->n; t++) {
        const gnt_view *u = &seen->update->view[t];
        if (!is_first_dense(info, u->layer))
            continue;
        if (u->rank == 2 && u->dim[1] == features)
            *w = u;
        if (u->rank == 1)
            *b = u;
    }
    if (!*w)
        return refuse(host, "it needs a model whose first layer is dense, such as mlp, and shared");
    if (!*b || (*b)->count * features != (*w)->count)
        return refuse(host, "it divides by the bias's gradient, and the first dense layer has no bias");
    return GNT_OK;
}

/* Row `i` as an input in image space: dW_i/db_i is what the layer saw, after the model's normalisation. */
static void read_row(const gnt_model_info *info, const float *w, double bias, int64_t features, float *x) {
    int64_t channels = info->dim[0], area = features / channels;
    for (int64_t k = 0; k < features; k++) {
        double value = (double)w[k] / bias;
        if (info->mean)
            value = value * (double)info->deviation[k / area] + (double)info->mean[k / area];
        x[k] = value > 0 ? (value < 1 ? (float)value : 1) : 0; /* NaN becomes 0 */
    }
}

/* Mean squared difference from the nearest of the n samples in x. */
static double nearest(const float *one, const float *x, int64_t n, int64_t features) {
    double least = INFINITY;
    for (int64_t i = 0; i < n; i++, x += features) {
        double sum = 0;
        for (int64_t k = 0; k < features; k++)
            sum += ((double)one[k] - (double)x[k]) * ((double)one[k] - (double)x[k]);
        least = fmin(least, sum / (double)features);
    }
    return least;
}

/* The unused row of largest |db|, −1 when all that is left is zero. */
static int64_t largest(const gnt_view *b, const uint8_t *used) {
    int64_t at = -1;
    float most = 0;
    for (int64_t i = 0; i < b->count; i++)
        if (!used[i] && fabsf(b->data[i]) > most) {
            most = fabsf(b->data[i]);
            at = i;
        }
    return at;
}

static gnt_status run(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer) {
    linear_layer *s = self;
    const gnt_host *host = s->host;
    const gnt_view *w, *b;
    int64_t features = 1, found = 0;
    (void)own;
    if (!host->model || seen->n < 1)
        return refuse(host, "it needs the model and the number of samples in the batch");
    const gnt_model_info *info = host->model->info;
    for (int32_t i = 0; i < info->rank; i++)
        features *= info->dim[i];
    gnt_status status = find_layer(s, seen, features, &w, &b);
    if (status != GNT_OK)
        return status;
    float *x = host->scratch(host->context, (size_t)(seen->n * features) * sizeof *x);
    uint8_t *used = host->scratch(host->context, (size_t)b->count);
    if (!x || !used)
        return host->fail(host->context, "no memory for the answer");
    for (int64_t row; found < seen->n && (row = largest(b, used)) >= 0; used[row] = 1) {
        float *one = x + found * features;
        if (host->should_stop(host->context))
            return GNT_STOPPED;
        read_row(info, w->data + row * features, (double)b->data[row], features, one);
        if (nearest(one, x, found, features) > s->distinct)
            found++;
    }
    host->fact(host->context, "rows_used", (double)found);
    if (found == 0) { /* nothing is left to read (every bias was pruned away): a guess is an answer too */
        host->log(host->context, GNT_LOG_INFO,
                  "no row of the first layer's update can be read; it answers grey");
        for (int64_t k = 0; k < features; k++)
            x[k] = 0.5f;
        found = 1;
    }
    return answer->reconstruction(answer->context, found, x);
}

static void *create(const gnt_host *host, const gnt_value *values) {
    linear_layer *s = malloc(sizeof *s);
    if (!s) {
        host->fail(host->context, "out of memory");
        return NULL;
    }
    *s = (linear_layer){host, values[PARAM_DISTINCT].r};
    return s;
}

static const gnt_attack hooks = {.size = sizeof hooks, .run = run};

static const gnt_parameter parameters[] = {
    {.id = "distinct",
     .type = GNT_TYPE_REAL,
     .scale = GNT_SCALE_LINEAR,
     .unit = "mean squared difference",
     .least = 0,
     .most = 1,
     .preset = 1e-3,
     .help = "batches: rows nearer than this to one already taken are the same sample again"},
};

const gnt_descriptor gradient_linear_layer = {
    .size = sizeof(gnt_descriptor),
    .kind = GNT_PLUGIN_ATTACK,
    .id = "linear-layer",
    .version = "1.0",
    .line =
        "divides a first dense layer's weight gradient by its bias gradient: the input, exactly at batch 1",
    .licence = "MIT",
    .citation = "Phong et al., Privacy-Preserving Deep Learning: Revisited and Enhanced, ATIS 2017",
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .surfaces = GNT_SURFACE_UPDATE,
    .goals = GNT_GOAL_RECONSTRUCTION,
    .data_kinds = GNT_KIND_ANY,
    .flags = GNT_FLAG_FIRST_DENSE,
    .create = create,
    .destroy = free,
    .attack = &hooks,
};
