#include "defense/common_rows.h"

#include <math.h>
#include <string.h>

#include "defense/granted_defense.h"
#include "defense/outliers.h"
#include "update.h"
#include "hook.h"

/* What rounding leaves of the sum over rows, as a share of the layer's square norm, with room. */
static const double rounding = 1e-10;

enum { WEIGHT, BIAS, PARTS };

typedef struct last_layer {
    int64_t tensor[PARTS]; /* −1: there is none */
    double *mean[PARTS];   /* over the rows, of each column; 0 where it says nothing */
} last_layer;

/* Finds the tensors of the last layer, if it is dense and its softmax is what the loss sees. */
static int find_layer(last_layer *l, const gnt_model_info *info, const gnt_views *update) {
    const int32_t last = info->n_layers - 1;
    *l = (last_layer){.tensor = {-1, -1}};
    if (info->loss != GNT_LOSS_CROSS_ENTROPY || info->output != GNT_OUTPUT_CLASSES || last < 0 ||
        strcmp(info->layer[last].type, "dense") != 0)
        return 0;
    for (int64_t t = 0; t < update->n; t++) {
        const gnt_view *v = &update->view[t];
        if (v->layer == last && v->rank == 2 && v->dim[0] == info->classes)
            l->tensor[WEIGHT] = t;
        if (v->layer == last && v->rank == 1 && v->count == info->classes)
            l->tensor[BIAS] = t;
    }
    return l->tensor[WEIGHT] >= 0;
}

/* Computes the means of a tensor's columns, and returns the square norm of what all rows have in common. */
static double take_means(const gnt_view *v, int64_t t, const outliers *apart, double *mean) {
    const int64_t rows = v->dim[0], columns = v->count / rows;
    double squares = 0;
    for (int64_t j = 0; j < columns; j++) {
        double sum = 0;
        int whole = 1;
        for (int64_t i = j; i < v->count; i += columns) {
            sum += (double)v->data[i];
            whole &= v->data[i] != 0 && !outliers_has(apart, t, i);
        }
        mean[j] = whole ? sum / (double)rows : 0;
        squares += (double)rows * mean[j] * mean[j];
    }
    return squares;
}

/* Replaces the data of a view by a copy without the means. */
static gnt_status take_off(const gnt_host *host, gnt_view *v, const double *mean) {
    const int64_t columns = v->count / v->dim[0];
    float *rest = gnt_host_scratch(host, v->count, sizeof *rest);
    TRY(hook_memory(host, rest != NULL));
    for (int64_t i = 0; i < v->count; i++)
        rest[i] = (float)((double)v->data[i] - mean[i % columns]);
    v->data = rest;
    return GNT_OK;
}

/* Takes the means off a copy of the update. */
static gnt_status copy_without(const gnt_views **out, const gnt_host *host, const gnt_views *update,
                               const last_layer *l) {
    gnt_views *copy = gnt_host_scratch(host, 1, sizeof *copy);
    gnt_view *view = gnt_host_scratch(host, update->n, sizeof *view);
    TRY(hook_memory(host, copy && view));
    memcpy(view, update->view, (size_t)update->n * sizeof *view);
    for (int p = 0; p < PARTS; p++)
        if (l->tensor[p] >= 0)
            TRY(take_off(host, &view[l->tensor[p]], l->mean[p]));
    *copy = (gnt_views){update->n, view};
    *out = copy;
    return GNT_OK;
}

gnt_status common_rows_off(gnt_observation *out, const gnt_host *host, const gnt_observation *seen,
                           int64_t outlier_choice) {
    const gnt_views *update = seen->update;
    double common = 0, layer = 0, all = 0;
    last_layer l;
    outliers apart;
    *out = *seen;
    if (!is_whole_update(host->model->info, update) || !find_layer(&l, host->model->info, update) ||
        decay_of_steps(seen) != 0 || granted_defense_of(seen).noise.kind != NOISE_NONE ||
        granted_defense_of(seen).layers)
        return GNT_OK;
    TRY(outliers_find(&apart, host, seen, outlier_choice));
    for (int p = 0; p < PARTS; p++) {
        if (l.tensor[p] < 0)
            continue;
        const gnt_view *v = &update->view[l.tensor[p]];
        l.mean[p] = gnt_host_scratch(host, v->count / v->dim[0], sizeof *l.mean[p]);
        TRY(hook_memory(host, l.mean[p] != NULL));
        common += take_means(v, l.tensor[p], &apart, l.mean[p]);
        layer += squares_of(v);
    }
    if (!isfinite(layer) || !(common > rounding * layer))
        return GNT_OK;
    for (int64_t t = 0; t < update->n; t++)
        all += squares_of(&update->view[t]);
    gnt_host_fact(host, "common_rows", common / all);
    return copy_without(&out->update, host, update, &l);
}
