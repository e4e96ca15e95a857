/* iDLG's label (Zhao, Mopuri and Bilen, 2020): with cross entropy, row c of the last layer's weight gradient is
 * (p_c − y_c)·r, r the layer's input. Where r is not negative (sigmoid, ReLU), only the true class has a row
 * that sums to less than zero. A weight delta is minus a sum of gradients, so its sign is the other one. */
#ifndef ATTACKS_COMMON_LABEL_H
#define ATTACKS_COMMON_LABEL_H

#include "gauntlet/plugin.h"

/* scores[c], one for each class, more for the likelier: minus the row's sum. Meant for a batch of one sample.
 * GNT_UNSUPPORTED, after host->fail, where the model has no dense layer with a row for each class. */
static inline gnt_status label_scores(const gnt_host *host, const gnt_observation *seen, float *scores) {
    int32_t classes = host->model->info->classes;
    const gnt_view *last = (const gnt_view *)0;
    double sign = seen->update_kind == GNT_UPDATE_DELTA ? 1 : -1;
    for (int64_t t = 0; t < seen->update->n; t++)
        if (seen->update->view[t].rank == 2 && seen->update->view[t].dim[0] == classes)
            last = &seen->update->view[t];
    if (!last) {
        host->fail(host->context, "it reads the label off the last dense layer, and this model has none");
        return GNT_UNSUPPORTED;
    }
    for (int32_t c = 0; c < classes; c++) {
        double sum = 0;
        for (int64_t i = 0; i < last->dim[1]; i++)
            sum += (double)last->data[c * last->dim[1] + i];
        scores[c] = (float)(sign * sum);
    }
    return GNT_OK;
}

/* Sets y (one row) to 1 at the highest score, the lowest such class, and 0 elsewhere. */
static inline void label_one_hot(const float *scores, int64_t classes, float *y) {
    int64_t top = 0;
    for (int64_t c = 0; c < classes; c++) {
        top = scores[c] > scores[top] ? c : top;
        y[c] = 0;
    }
    y[top] = 1;
}

#endif
