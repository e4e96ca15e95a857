#include "linear/head_survivors.h"

#include <math.h>
#include <string.h>

#include "hook.h"
#include "linear/dense_head.h"

enum { MOST_UNITS = 512 }; /* of the hidden layer: projections take the square of it */

/* The last layer in the update. */
typedef struct last_layer {
    const gnt_view *w, *b; /* classes × units, classes */
    int64_t w_at, b_at;
    const outliers *apart;
    int64_t classes, units;
} last_layer;

static double entry(const last_layer *l, int of_bias, int64_t i) {
    const int64_t at = of_bias ? l->b_at : l->w_at;
    return outliers_has(l->apart, at, i) ? 0 : (double)(of_bias ? l->b : l->w)->data[i];
}

/* Finds the tensors of a model layer in the update. Returns 0 if they are not there. */
static int find_last(last_layer *out, const gnt_model_info *info, const gnt_observation *seen,
                     const head_layer *layer, const outliers *apart) {
    int64_t t = 0;
    *out = (last_layer){.apart = apart, .classes = layer->units, .units = layer->inputs};
    for (int64_t i = 0; i < info->params.n; i++) {
        if (info->federated && !info->federated[i])
            continue;
        if (info->params.view[i].layer == layer->at && t < seen->update->n) {
            const gnt_view *v = &seen->update->view[t];
            *(info->params.view[i].rank == 2 ? &out->w : &out->b) = v;
            *(info->params.view[i].rank == 2 ? &out->w_at : &out->b_at) = t;
        }
        t++;
    }
    return out->w && out->b && out->w->count == layer->units * layer->inputs && out->b->count == layer->units;
}

/* Returns the class of the largest entry of the bias that survived; −1 if none did. */
static int64_t largest(const last_layer *l) {
    int64_t best = -1;
    for (int64_t c = 0; c < l->classes; c++)
        if (entry(l, 1, c) != 0 && (best < 0 || fabs(entry(l, 1, c)) > fabs(entry(l, 1, best))))
            best = c;
    return best;
}

/* Sets the bounds of z by the survivors. Returns 0 if a hidden unit were below 0, as none is after ReLU. */
static int bound_units(head_survivors *h, const last_layer *l, const survivor_rows *rows, double most) {
    for (int64_t j = 0; j < l->units; j++) {
        double products = 0, squares = 0;
        for (int64_t c = 0; c < l->classes; c++) {
            const double of_bias = entry(l, 1, c), of_unit = entry(l, 0, c * l->units + j);
            if (of_bias != 0 && of_unit != 0) {
                products += of_unit * of_bias;
                squares += of_bias * of_bias;
            }
        }
        if (products < 0)
            return 0;
        h->shown += squares > 0;
        h->upper[j] = squares > 0 ? products / squares : most;
        h->lower[j] = squares > 0 ? h->upper[j] : rows->ratio[j] != 0 ? 0 : -(double)INFINITY;
    }
    return 1;
}

/* Returns the label: the granted one, else the class whose score the sample raises; −1 if none is sure. */
static int64_t label_of(const gnt_observation *seen, const last_layer *l, int64_t top) {
    const double raises = seen->update_kind == GNT_UPDATE_DELTA ? 1 : -1;
    int64_t label = 0;
    if (!seen->labels)
        return raises * entry(l, 1, top) > 0 ? top : -1;
    for (int64_t c = 0; c < l->classes; c++)
        label = seen->labels[c] > seen->labels[label] ? c : label;
    return label;
}

/* Sets e to p − y at the hidden units that are known. */
static void find_errors(const head_survivors *h, const head_layer *last, int64_t label, double *e) {
    double most = -(double)INFINITY, sum = 0;
    for (int64_t c = 0; c < last->units; c++) {
        e[c] = last->b[c];
        for (int64_t j = 0; j < last->inputs; j++)
            if (h->lower[j] == h->upper[j])
                e[c] += last->w[c * last->inputs + j] * h->upper[j];
        most = fmax(most, e[c]);
    }
    for (int64_t c = 0; c < last->units; c++)
        sum += e[c] = exp(e[c] - most);
    for (int64_t c = 0; c < last->units; c++)
        e[c] = e[c] / sum - (c == label);
}

/* Returns a: the factor by which the ratios of the first layer's rows explain s·(Vᵀ e); 0 if they do not. */
static double scale_of(const last_layer *l, const head_layer *last, const survivor_rows *rows,
                       const double *e) {
    double products = 0, squares = 0, explained = 0, of_ratios = 0;
    for (int64_t c = 0; c < l->classes; c++)
        if (entry(l, 1, c) != 0) {
            products += entry(l, 1, c) * e[c];
            squares += e[c] * e[c];
        }
    const double s = squares > 0 ? products / squares : 0;
    for (int64_t j = 0; j < l->units; j++) {
        double back = 0;
        for (int64_t c = 0; rows->ratio[j] != 0 && c < l->classes; c++)
            back += s * last->w[c * l->units + j] * e[c];
        explained += rows->ratio[j] * back;
        of_ratios += rows->ratio[j] * rows->ratio[j];
    }
    return of_ratios > 0 ? explained / of_ratios : 0;
}

static gnt_status read(head_survivors *h, const gnt_host *host, const gnt_observation *seen,
                       const dense_head *head, const last_layer *l, const survivor_rows *rows,
                       const float *bound) {
    const int64_t top = largest(l), label = top < 0 ? -1 : label_of(seen, l, top);
    double *e = gnt_host_scratch(host, l->classes, sizeof *e);
    h->lower = gnt_host_scratch(host, l->units, sizeof *h->lower);
    h->upper = gnt_host_scratch(host, l->units, sizeof *h->upper);
    TRY(hook_memory(host, e && h->lower && h->upper));
    if (label < 0 || !bound_units(h, l, rows, (double)bound[l->w_at] / fabs(entry(l, 1, top))))
        return GNT_OK;
    find_errors(h, &head->layer[1], label, e);
    h->a = scale_of(l, &head->layer[1], rows, e);
    h->w = head->layer[0].from_w;
    h->b = head->layer[0].from_b;
    h->found = h->a != 0 && isfinite(h->a);
    return GNT_OK;
}

gnt_status head_survivors_read(head_survivors *h, const gnt_host *host, const gnt_observation *seen,
                               const dense_layer *l, const survivor_rows *rows, const float *bound) {
    const gnt_model_info *info = host->model->info;
    last_layer last;
    dense_head head;
    int32_t first = 0;
    *h = (head_survivors){.units = rows->units};
    while (first < info->n_layers && strcmp(info->layer[first].type, "dense") != 0)
        first++;
    if (!seen->weights || seen->steps > 1 || first == info->n_layers || rows->units > MOST_UNITS)
        return GNT_OK;
    TRY(dense_head_open(&head, host, seen, first));
    if (head.n != 2 || head.is_squared || head.layer[0].units != rows->units ||
        !find_last(&last, info, seen, &head.layer[1], &l->apart))
        return GNT_OK;
    const gnt_status status = read(h, host, seen, &head, &last, rows, bound);
    if (!h->found)
        *h = (head_survivors){.units = rows->units};
    return status;
}

gnt_status head_survivors_project(const head_survivors *h, const gnt_host *host, const rank_one_input *in,
                                  int64_t features, projections *p) {
    TRY(hook_memory(host, projections_make(p, host, h->units, features)));
    for (int64_t j = 0; j < h->units; j++) {
        double *row = p->row + j * features, shift = (double)h->b[j], least = 0;
        for (int64_t k = 0; k < features; k++) {
            const double w = (double)h->w[j * features + k];
            row[k] = w * in->slope[k];
            shift += w * in->shift[k];
            least += fmin(0, row[k]); /* the least that a sample in [0, 1] gives */
        }
        p->bounds.lower[j] = fmax(h->lower[j] - shift, least);
        p->bounds.upper[j] = h->upper[j] - shift;
        if (h->lower[j] == h->upper[j])
            p->bounds.lower[j] = p->bounds.upper[j];
        p->bounds.upper[j] = fmax(p->bounds.upper[j], p->bounds.lower[j]);
    }
    return GNT_OK;
}
