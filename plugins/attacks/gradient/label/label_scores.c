#include "label/label_scores.h"
#include "first_dense.h"
#include "hook.h"

#include <string.h>

/* True if the outputs of the layer that feeds `layer` are never negative. */
static int input_not_negative(const gnt_model_info *info, int32_t layer) {
    static const char *const keep_sign[] = {"flatten",  "dropout",         "max_pool",
                                            "avg_pool", "global_avg_pool", NULL};
    static const char *const not_negative[] = {"relu", "sigmoid", "softplus", NULL};
    for (int32_t i = layer - 1; i >= 0; i--) {
        if (is_any(info->layer[i].type, not_negative))
            return 1;
        if (!is_any(info->layer[i].type, keep_sign))
            return 0;
    }
    return !info->mean; /* samples themselves lie in [0, 1] */
}

/* Sums row c of `last`, tensor `t` of the update; outliers count as the mean of the others. */
static double row_sum(const gnt_view *last, int64_t t, int64_t c, const outliers *apart) {
    double sum = 0;
    int64_t n = last->dim[1], used = 0;
    for (int64_t i = 0; i < n; i++)
        if (!outliers_has(apart, t, c * n + i)) {
            sum += (double)last->data[c * n + i];
            used++;
        }
    return used == n || used == 0 ? sum : sum * (double)n / (double)used;
}

/* Computes scores from the bias, tensor `t` of the update: 0 for entries that nothing is known of. */
static void bias_scores(const gnt_view *bias, int64_t t, float sign, const outliers *apart, float *scores) {
    double sum = 0;
    int64_t unknown = -1, n_unknown = 0;
    for (int64_t c = 0; c < bias->count; c++) {
        int known = !outliers_has(apart, t, c);
        scores[c] = known ? sign * bias->data[c] : 0;
        sum += (double)scores[c];
        n_unknown += !known;
        unknown = known ? unknown : c;
    }
    if (n_unknown == 1)
        scores[unknown] = (float)-sum;
}

static int is_zero(const gnt_view *v) {
    for (int64_t i = 0; i < v->count; i++)
        if (v->data[i] != 0)
            return 0;
    return 1;
}

gnt_status label_layer_find(label_layer *out, const gnt_host *host, const gnt_observation *seen) {
    const gnt_model_info *info = host->model->info;
    int32_t dense = info->n_layers - 1;
    *out = (label_layer){0};
    while (dense >= 0 && strcmp(info->layer[dense].type, "dense") != 0)
        dense--;
    if (info->loss != GNT_LOSS_CROSS_ENTROPY || info->output != GNT_OUTPUT_CLASSES) {
        return unsupported(host,
                           "it reads the label off the gradient of a cross entropy over classes, and this "
                           "task has another loss");
    }
    for (int64_t t = 0; t < seen->update->n; t++) {
        const gnt_view *v = &seen->update->view[t];
        if (v->layer == dense && v->rank == 2 && v->dim[0] == info->classes) {
            out->weight = v;
            out->at_weight = t;
        }
    }
    for (int64_t t = 0; out->weight && t < seen->update->n; t++) {
        const gnt_view *v = &seen->update->view[t];
        if (v->rank == 1 && v->layer == dense && v->count == info->classes) {
            out->bias = v;
            out->at_bias = t;
        }
    }
    out->bias_alone = out->bias && is_zero(out->weight) && !is_zero(out->bias);
    if (out->weight)
        return GNT_OK;
    return unsupported(host, "it reads the label off the last dense layer, and clients share none here");
}

gnt_status label_scores(const gnt_host *host, const gnt_observation *seen, const outliers *apart,
                        float *scores) {
    const gnt_model_info *info = host->model->info;
    float sign = seen->update_kind == GNT_UPDATE_DELTA ? 1 : -1;
    label_layer last;
    TRY(label_layer_find(&last, host, seen));
    if (last.bias_alone || (last.bias && !input_not_negative(info, last.weight->layer))) {
        bias_scores(last.bias, last.at_bias, sign, apart, scores);
        return GNT_OK;
    }
    for (int32_t c = 0; c < info->classes; c++)
        scores[c] = sign * (float)row_sum(last.weight, last.at_weight, c, apart);
    return GNT_OK;
}

void label_one_hot(const float *scores, int64_t classes, float *y) {
    memset(y, 0, (size_t)classes * sizeof *y);
    y[hook_argmax(scores, classes)] = 1;
}

void label_rows(const int64_t *count, int64_t classes, float *y) {
    for (int64_t c = 0; c < classes; c++)
        for (int64_t i = 0; i < count[c]; i++, y += classes)
            for (int64_t k = 0; k < classes; k++)
                y[k] = k == c;
}
