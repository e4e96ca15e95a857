#include "linear/dense_head.h"

#include <math.h>
#include <string.h>

#include "defense/zeroed_columns.h"
#include "first_dense.h"
#include "hook.h"
#include "linear/small_matrix.h"

static const double least_apart = 1e-4; /* the scale of what fits worse means nothing */

/* Returns the next dense layer of the head after `at`; −1 if others follow, n_layers after the last. */
static int32_t next_layer(const gnt_model_info *info, int32_t at) {
    static const char *const flat[] = {"flatten", "dropout", NULL};
    if (at + 1 == info->n_layers)
        return info->n_layers;
    if (!is_before_relu(info, at))
        return -1;
    for (at += 2; at < info->n_layers && is_any(info->layer[at].type, flat);)
        at++;
    return at < info->n_layers && strcmp(info->layer[at].type, "dense") == 0 ? at : -1;
}

static double *copy_of(const gnt_host *host, const float *from, int64_t n) {
    double *to = gnt_host_scratch(host, n, sizeof *to);
    for (int64_t i = 0; to && i < n; i++)
        to[i] = (double)from[i];
    return to;
}

/* Takes one layer's weights. Returns 0 if it has no bias, or clients do not share it. */
static gnt_status take_layer(head_layer *l, const gnt_host *host, const gnt_observation *seen, int32_t at,
                             int *is_whole) {
    const gnt_model_info *info = host->model->info;
    const float *from = seen->weights, *weight = NULL, *bias = NULL;
    *l = (head_layer){.at = at};
    for (int64_t i = 0; i < info->params.n; from += info->params.view[i++].count) {
        const gnt_view *v = &info->params.view[i];
        if (v->layer != at || (info->federated && !info->federated[i]))
            continue;
        *(v->rank == 2 ? &weight : &bias) = from;
        if (v->rank == 2) {
            l->units = v->dim[0];
            l->inputs = v->dim[1];
        }
    }
    *is_whole = weight && bias;
    if (!*is_whole)
        return GNT_OK;
    const int64_t size = l->units * l->inputs;
    l->from_w = weight;
    l->from_b = bias;
    l->w = copy_of(host, weight, size);
    l->b = copy_of(host, bias, l->units);
    l->v_w = gnt_host_scratch(host, size, sizeof *l->v_w);
    l->v_b = gnt_host_scratch(host, l->units, sizeof *l->v_b);
    l->input = gnt_host_scratch(host, l->inputs, sizeof *l->input);
    l->out = gnt_host_scratch(host, 2 * l->units, sizeof *l->out);
    l->back = l->out + l->units;
    return hook_memory(host, l->w && l->b && l->v_w && l->v_b && l->input && l->out);
}

gnt_status dense_head_open(dense_head *h, const gnt_host *host, const gnt_observation *seen, int32_t first) {
    const gnt_model_info *info = host->model->info;
    int is_whole = 1;
    *h = (dense_head){.classes = info->classes, .momentum = seen->steps > 0 ? seen->momentum : 0};
    h->is_squared = info->loss == GNT_LOSS_MSE;
    if (info->output != GNT_OUTPUT_CLASSES)
        return GNT_OK;
    for (int32_t at = first; at >= 0 && at < info->n_layers; at = next_layer(info, at)) {
        if (h->n < HEAD_LAYERS)
            TRY(take_layer(&h->layer[h->n++], host, seen, at, &is_whole));
        else
            is_whole = 0;
        if (!is_whole || next_layer(info, at) < 0) {
            h->n = 0;
            return GNT_OK;
        }
    }
    h->p = gnt_host_scratch(host, h->classes, sizeof *h->p);
    h->jacobian = gnt_host_scratch(host, (h->classes + 1) * h->layer[0].units, sizeof *h->jacobian);
    h->delta = h->jacobian + h->classes * h->layer[0].units;
    return hook_memory(host, h->p && h->jacobian);
}

/* Computes all layers' outputs and p. */
static void forward(dense_head *h, const float *f) {
    for (int64_t k = 0; k < h->layer[0].inputs; k++)
        h->layer[0].input[k] = (double)f[k];
    for (int i = 0; i < h->n; i++) {
        head_layer *l = &h->layer[i];
        for (int64_t u = 0; u < l->units; u++) {
            l->out[u] = l->b[u] + small_dot(l->w + u * l->inputs, l->input, l->inputs);
            if (i + 1 < h->n)
                h->layer[i + 1].input[u] = fmax(l->out[u], 0);
        }
    }
    const double *z = h->layer[h->n - 1].out;
    double most = z[0], sum = 0;
    memcpy(h->p, z, (size_t)h->classes * sizeof *h->p);
    if (h->is_squared)
        return;
    for (int64_t c = 1; c < h->classes; c++)
        most = fmax(most, z[c]);
    for (int64_t c = 0; c < h->classes; c++)
        sum += h->p[c] = exp(z[c] - most);
    for (int64_t c = 0; c < h->classes; c++)
        h->p[c] /= sum;
}

/* Computes each layer's `back` from the last one's. */
static void backward(dense_head *h) {
    for (int i = h->n - 1; i > 0; i--) {
        const head_layer *l = &h->layer[i];
        head_layer *below = &h->layer[i - 1];
        memset(below->back, 0, (size_t)below->units * sizeof *below->back);
        for (int64_t u = 0; u < l->units; u++)
            for (int64_t k = 0; l->back[u] != 0 && k < l->inputs; k++)
                below->back[k] += l->back[u] * l->w[u * l->inputs + k];
        for (int64_t k = 0; k < below->units; k++)
            below->back[k] = below->out[k] > 0 ? below->back[k] : 0;
    }
}

static void set_jacobian(dense_head *h) {
    head_layer *last = &h->layer[h->n - 1];
    const int64_t units = h->layer[0].units;
    for (int64_t c = 0; c < h->classes; c++) {
        memset(last->back, 0, (size_t)h->classes * sizeof *last->back);
        last->back[c] = 1;
        backward(h);
        memcpy(h->jacobian + c * units, h->layer[0].back, (size_t)units * sizeof *h->jacobian);
    }
}

/* Returns what is left of the squares of δ if h->delta explains it; above 1 where it has the other sign. */
static double apart_from(const dense_head *h, const double *delta, double *scale) {
    const int64_t units = h->layer[0].units;
    const double both = small_dot(h->delta, delta, units), own = small_dot(h->delta, h->delta, units);
    const double squares = small_dot(delta, delta, units);
    *scale = own > 0 ? fmax(both / own, 0) : 0;
    return own > 0 && squares > 0 ? 1 - both * fabs(both) / (own * squares) : INFINITY;
}

head_fit dense_head_fit(dense_head *h, const float *f, update_columns *c, const double *delta) {
    const int64_t units = h->layer[0].units;
    double *mean = h->layer[0].back;
    head_fit best = {.label = -1, .apart = INFINITY};
    forward(h, f);
    set_jacobian(h);
    memset(mean, 0, (size_t)units * sizeof *mean);
    for (int64_t k = 0; k < h->classes; k++)
        for (int64_t u = 0; u < units; u++)
            mean[u] += h->p[k] * h->jacobian[k * units + u];
    for (int64_t k = 0; k < h->classes; k++) {
        for (int64_t u = 0; u < units; u++)
            h->delta[u] = h->jacobian[k * units + u] - mean[u];
        double scale = 1;
        const double apart = delta ? apart_from(h, delta, &scale) : update_columns_apart(c, h->delta);
        if (!(apart < best.apart))
            continue;
        if (!delta && apart < least_apart) /* of two classes the other one differs in the sign alone */
            scale = update_columns_scale(c, f, h->delta);
        if (scale > 0)
            best = (head_fit){k, apart, scale};
    }
    return best;
}

void dense_head_add(dense_head *h, const float *f, int64_t label, double scale) {
    head_layer *last = &h->layer[h->n - 1];
    forward(h, f);
    for (int64_t c = 0; c < h->classes; c++)
        last->back[c] = scale * ((c == label) - h->p[c]);
    backward(h);
    for (int64_t u = 0; u < h->layer[0].units; u++)
        h->delta[u] = h->layer[0].back[u] / scale;
    for (int i = 0; i < h->n; i++) {
        head_layer *l = &h->layer[i];
        for (int64_t u = 0; u < l->units; u++) {
            l->v_b[u] += l->back[u];
            for (int64_t k = 0; l->back[u] != 0 && k < l->inputs; k++)
                l->v_w[u * l->inputs + k] += l->back[u] * l->input[k];
        }
    }
}

static void move(double *w, double *v, int64_t n, double rate, double momentum) {
    for (int64_t k = 0; k < n; k++) {
        w[k] += rate * v[k];
        v[k] *= momentum;
    }
}

void dense_head_step(dense_head *h, double rate) {
    for (int i = 0; i < h->n; i++) {
        head_layer *l = &h->layer[i];
        move(l->w, l->v_w, l->units * l->inputs, rate, h->momentum);
        move(l->b, l->v_b, l->units, rate, h->momentum);
    }
}

double dense_head_left(const dense_head *h, const gnt_observation *seen) {
    const double sign = seen->update_kind == GNT_UPDATE_DELTA ? 1 : -1;
    double left = 0, all = 0;
    for (int64_t t = 0; t < seen->update->n; t++) {
        const gnt_view *v = &seen->update->view[t];
        for (int i = 1; i < h->n; i++) {
            const head_layer *l = &h->layer[i];
            const double *now = v->rank == 2 ? l->w : l->b;
            const float *from = v->rank == 2 ? l->from_w : l->from_b;
            for (int64_t k = 0; v->layer == l->at && k < v->count; k++) {
                const double seen_k = sign * (double)v->data[k], apart = now[k] - (double)from[k] - seen_k;
                left += apart * apart;
                all += seen_k * seen_k;
            }
        }
    }
    return all > 0 ? left / all : 0;
}
