#include "layers.h"

/* Replaces layer indices by numbers from 0. */
static void number(layers *l, int32_t *index) {
    l->n = 0;
    for (int64_t k = 0; k < l->tensors; k++) {
        int64_t before = 0;
        while (index[before] != index[k])
            before++;
        l->of[k] = before < k ? l->of[before] : l->n++;
    }
}

/* Allocates the layers of n tensors, followed by their indices. */
static gnt_status open(const gnt_host *host, int64_t n, layers *out) {
    *out = (layers){.tensors = n};
    out->of = gnt_host_scratch(host, 2 * (n > 0 ? n : 1), sizeof *out->of);
    return out->of ? GNT_OK : gnt_host_fail(host, "no memory for the layers of an update");
}

gnt_status layers_of_update(const gnt_host *host, const gnt_tensors *update, layers *out) {
    if (open(host, update->n, out) != GNT_OK)
        return GNT_FAILED;
    for (int64_t k = 0; k < update->n; k++)
        out->of[update->n + k] = update->tensor[k].layer;
    number(out, out->of + update->n);
    return GNT_OK;
}

gnt_status layers_of_model(const gnt_host *host, layers *out) {
    const gnt_model_info *info = host->model->info;
    int64_t shared = 0, at = 0;
    for (int64_t k = 0; k < info->params.n; k++)
        shared += !info->federated || info->federated[k];
    if (open(host, shared, out) != GNT_OK)
        return GNT_FAILED;
    for (int64_t k = 0; k < info->params.n; k++)
        if (!info->federated || info->federated[k])
            out->of[shared + at++] = info->params.view[k].layer;
    number(out, out->of + shared);
    return GNT_OK;
}
