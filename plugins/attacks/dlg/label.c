/* iDLG's label (Zhao, Mopuri and Bilen, 2020): with cross entropy, row c of the last layer's weight gradient
 * is (p_c − y_c)·r, r the layer's input. Where r is not negative (sigmoid, ReLU), only the true class has a
 * row that sums to less than zero. A weight delta is minus a sum of gradients, so its sign is the other one.
 */
#include "dlg.h"

gnt_status dlg_label_scores(const dlg *self, const gnt_observation *seen, float *scores) {
    const gnt_host *host = self->host;
    int32_t classes = host->model->info->classes;
    const gnt_view *last = NULL;
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
