#include "linear/dense_features.h"

#include <math.h>
#include <string.h>

#include "defense/zeroed_columns.h"
#include "first_dense.h"
#include "hook.h"
#include "linear/exact_batch.h"
#include "linear/small_matrix.h"

/* Share of the squares of descents that may not be those of cross-entropy. */
static const double most_apart = 1e-2;

/* A dense layer: what the update has of it, and as broadcast. */
typedef struct known_layer {
    const gnt_view *w, *b;
    int64_t w_at, b_at; /* tensors of the update */
    const float *weight, *bias;
} known_layer;

/* Finds a dense layer's weight and bias. Returns 0 if clients do not share both. */
static int find_layer(const gnt_model_info *info, const gnt_observation *seen, int32_t layer,
                      known_layer *out) {
    const float *at = seen->weights;
    *out = (known_layer){0};
    for (int64_t t = 0; t < seen->update->n; t++) {
        const gnt_view *u = &seen->update->view[t];
        if (u->layer != layer)
            continue;
        *(u->rank == 2 ? &out->w : &out->b) = u;
        *(u->rank == 2 ? &out->w_at : &out->b_at) = t;
    }
    for (int64_t i = 0; i < info->params.n; at += info->params.view[i++].count)
        if (info->params.view[i].layer == layer)
            *(info->params.view[i].rank == 2 ? &out->weight : &out->bias) = at;
    return out->w && out->b && out->weight && out->bias && out->b->count == out->w->dim[0];
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

/* ---- labels ---- */

typedef struct inputs { /* of a dense layer, of all samples */
    double *x;          /* n × width, the last entry of each 1 */
    int64_t n, width;
} inputs;

/* Sets *out to the products of all inputs with all rows of a layer, w and b: n × units. */
static gnt_status multiply(const gnt_host *host, const float *w, const float *b, int64_t units,
                           const inputs *in, double **out) {
    const int64_t features = in->width - 1;
    *out = gnt_host_scratch(host, in->n * units, sizeof **out);
    TRY(hook_memory(host, *out != NULL));
    for (int64_t i = 0; i < in->n; i++)
        for (int64_t u = 0; u < units; u++) {
            double sum = (double)b[u];
            for (int64_t k = 0; k < features; k++)
                sum += (double)w[u * features + k] * in->x[i * in->width + k];
            (*out)[i * units + u] = sum;
        }
    return GNT_OK;
}

/* Sets p to softmax of z. */
static void soften(const double *z, int64_t n, double *p) {
    int64_t top = 0;
    double sum = 0;
    for (int64_t c = 1; c < n; c++)
        top = z[c] > z[top] ? c : top;
    for (int64_t c = 0; c < n; c++)
        sum += p[c] = exp(z[c] - z[top]);
    for (int64_t c = 0; c < n; c++)
        p[c] /= sum;
}

/* True if the descents are those of cross-entropy at these outputs, but for a factor that all samples share:
 * y − p. descent, z: n × classes. p: room for classes. */
static int is_cross_entropy(const double *descent, const double *z, const int64_t *label, int64_t n,
                            int64_t classes, double *p) {
    double both = 0, own = 0, expected = 0;
    for (int64_t i = 0; i < n; i++) {
        const double *d = descent + i * classes;
        soften(z + i * classes, classes, p);
        for (int64_t c = 0; c < classes; c++) {
            const double e = (c == label[i]) - p[c];
            both += d[c] * e;
            own += d[c] * d[c];
            expected += e * e;
        }
    }
    return both > 0 && both * both > (1 - most_apart) * own * expected;
}

/* Solves the update of the last layer for what each sample adds to it; the class that it raises is the label.
 * Leaves labels unknown if one input depends on the others, or if cross-entropy does not have such a descent,
 * as where a clip left another scale in the weights than in the bias. */
static gnt_status read_labels(dense_features *d, const known_layer *l, const inputs *in) {
    const int64_t n = in->n, classes = l->b->count, width = in->width;
    const double sign = d->seen->update_kind == GNT_UPDATE_DELTA ? 1 : -1;
    const int is_entropy = d->host->model->info->loss == GNT_LOSS_CROSS_ENTROPY;
    double *gram = gnt_host_scratch(d->host, 2 * n * n, sizeof *gram), *inverse = gram + n * n;
    double *descent = gnt_host_scratch(d->host, (n + 1) * classes, sizeof *descent), *product, *z;
    TRY(hook_memory(d->host, gram && descent));
    TRY(multiply(d->host, l->w->data, l->b->data, classes, in, &product));
    TRY(multiply(d->host, l->weight, l->bias, classes, in, &z));
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            gram[i * n + j] = small_dot(in->x + i * width, in->x + j * width, width);
    if (!small_invert(gram, inverse, n))
        return GNT_OK;
    for (int64_t i = 0; i < n; i++) {
        double *of = descent + i * classes;
        for (int64_t j = 0; j < n; j++)
            for (int64_t c = 0; c < classes; c++)
                of[c] += sign * inverse[i * n + j] * product[j * classes + c];
        d->label[i] = 0;
        for (int64_t c = 1; c < classes; c++)
            d->label[i] = of[c] > of[d->label[i]] ? c : d->label[i];
    }
    if (is_entropy && !is_cross_entropy(descent, z, d->label, n, classes, descent + n * classes))
        d->label[0] = -1;
    return GNT_OK;
}

/* Sets out to ReLU of the layer's output. */
static gnt_status pass(const gnt_host *host, const known_layer *l, const inputs *in, inputs *out) {
    const int64_t units = l->b->count;
    double *z;
    TRY(multiply(host, l->weight, l->bias, units, in, &z));
    *out = (inputs){gnt_host_scratch(host, in->n * (units + 1), sizeof *out->x), in->n, units + 1};
    TRY(hook_memory(host, out->x != NULL));
    for (int64_t i = 0; i < in->n; i++) {
        double *to = out->x + i * out->width;
        for (int64_t u = 0; u < units; u++)
            to[u] = fmax(z[i * units + u], 0);
        to[units] = 1;
    }
    return GNT_OK;
}

/* Finds the labels where only ReLU and dense layers follow. */
static gnt_status find_labels(dense_features *d) {
    static const char *const flat[] = {"flatten", "dropout", NULL};
    const gnt_model_info *info = d->host->model->info;
    inputs in = {gnt_host_scratch(d->host, d->seen->n * (d->features + 1), sizeof *in.x), d->seen->n,
                 d->features + 1};
    int32_t at = d->layer + 1;
    TRY(hook_memory(d->host, in.x != NULL));
    for (int64_t i = 0; i < in.n; i++) {
        d->label[i] = -1;
        for (int64_t k = 0; k < d->features; k++)
            in.x[i * in.width + k] = (double)d->f[i * d->features + k];
        in.x[(i + 1) * in.width - 1] = 1;
    }
    for (known_layer l; info->output == GNT_OUTPUT_CLASSES && find_layer(info, d->seen, at, &l);) {
        if (at + 1 == info->n_layers)
            return read_labels(d, &l, &in);
        if (!is_before_relu(info, at))
            return GNT_OK;
        inputs next;
        TRY(pass(d->host, &l, &in, &next));
        in = next;
        for (at += 2; at < info->n_layers && is_any(info->layer[at].type, flat);)
            at++;
        if (at >= info->n_layers || strcmp(info->layer[at].type, "dense") != 0)
            return GNT_OK;
    }
    return GNT_OK;
}

gnt_status dense_features_find(dense_features *d, const gnt_host *host, const gnt_observation *seen,
                               const outliers *apart, double effort) {
    const gnt_model_info *info = host->model->info;
    const int32_t dense = find_dense(info);
    known_layer l;
    *d = (dense_features){.host = host, .seen = seen, .layer = dense - 1};
    if (dense < 0 || seen->steps > 1 || seen->n < 2 || !seen->weights || !find_layer(info, seen, dense, &l))
        return GNT_OK;
    const dense_layer layer = {l.w, l.b, l.w_at, l.b_at, *apart};
    d->features = l.w->dim[1];
    d->f = gnt_host_scratch(host, seen->n * d->features, sizeof *d->f);
    d->label = gnt_host_scratch(host, seen->n, sizeof *d->label);
    TRY(hook_memory(host, d->f && d->label));
    exact_batch batch = {.host = host,
                         .seen = seen,
                         .layer = &layer,
                         .range = range_of(info, d->layer),
                         .features = d->features,
                         .effort = effort};
    TRY(exact_batch_find(&batch, d->f));
    gnt_host_fact(host, "features_exact", (double)batch.exact);
    if (batch.found < seen->n)
        return GNT_OK;
    TRY(find_labels(d));
    d->found = 1;
    for (int64_t i = 0; i < seen->n; i++)
        d->found &= d->label[i] >= 0;
    return GNT_OK;
}
