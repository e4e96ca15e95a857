#include "fl/tensors.h"

#include "base/mem.h"

static int tensors_of(gnt_tensors *out, const gnt_model *m, int buffers, gnt_err *err) {
    const uint8_t *shared = buffers ? NULL : gnt_model_shared(m);
    const gnt_param *list;
    const int32_t all = gnt_model_params(m, &list);
    *out = (gnt_tensors){.tensor = gnt_array((size_t)all, sizeof *out->tensor)};
    if (!out->tensor)
        return gnt_fail(err, "out of memory for %d tensors", all);
    for (int32_t i = 0; i < all; i++) {
        if (list[i].buffer != buffers || (shared && !shared[i]))
            continue;
        gnt_tensor *t = &out->tensor[out->n++];
        t->name = list[i].name;
        t->layer = list[i].layer;
        t->rank = list[i].shape.rank;
        for (int32_t d = 0; d < t->rank; d++)
            t->dim[d] = list[i].shape.dim[d];
        t->count = gnt_nn_count(&list[i].shape);
    }
    return 0;
}

int gnt_fl_tensors(gnt_tensors *out, const gnt_model *m, gnt_err *err) {
    return tensors_of(out, m, 0, err);
}

int gnt_fl_buffer_tensors(gnt_tensors *out, const gnt_model *m, gnt_err *err) {
    return tensors_of(out, m, 1, err);
}

void gnt_fl_tensors_into(const gnt_tensors *t, float *flat) {
    for (int64_t i = 0; i < t->n; flat += t->tensor[i++].count)
        t->tensor[i].data = flat;
}
