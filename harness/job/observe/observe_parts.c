/* What the files of the job `observe` have in common: batches, the weights that a client computes with,
 * outputs. */
#include <string.h>

#include "job/work/defense_state.h"
#include "job/observe/observe.h"

int64_t observe_rows(const observing *o, int64_t j) {
    return o->in_round && o->round.recorded.sizes && o->surface != GNT_SURFACE_ENCODING
               ? o->round.recorded.sizes[2 * j]
               : o->batch;
}

int64_t observe_samples(const observing *o) {
    const gnt_recorded *r = &o->round.recorded;
    return o->in_round && o->surface == GNT_SURFACE_UPDATE && r->whole ? r->n : o->batch;
}

gnt_samples observe_batch(observing *o, int64_t j) {
    const gnt_samples *all = &o->samples.view;
    gnt_samples b = *all;
    for (int64_t i = 0; i < o->batch; i++) {
        int64_t row = j % (all->n / o->batch) * o->batch + i;
        memcpy(o->one.x + i * all->features, all->x + row * all->features,
               (size_t)all->features * sizeof *o->one.x);
        memcpy(o->one.y + i * all->classes, all->y + row * all->classes,
               (size_t)all->classes * sizeof *o->one.y);
        if (all->n_attributes)
            memcpy(o->one.a + i * all->n_attributes, all->a + row * all->n_attributes,
                   (size_t)all->n_attributes * sizeof *o->one.a);
        o->one.id[i] = i;
    }
    b.n = observe_rows(o, j);
    b.x = o->one.x;
    b.y = o->one.y;
    b.a = all->n_attributes ? o->one.a : NULL;
    b.id = o->one.id;
    b.mask = all->mask ? all->mask + j % (all->n / o->batch) * o->batch * gnt_mask_size(all) : NULL;
    return b;
}

int observe_add(gnt_st *st, const char *name, int64_t rows, int64_t columns, float **out, gnt_err *err) {
    int64_t dim[2] = {rows, columns};
    gnt_st_tensor *t;
    if (gnt_st_add(st, name, GNT_ST_F32, 2, dim, NULL, &t, err) != 0)
        return -1;
    *out = t->data;
    return 0;
}

int observe_write(observing *o, const char *output, gnt_st *st, gnt_err *err) {
    int rc = o->work->write(o->work->context, output, st, err);
    gnt_st_free(st);
    return rc;
}

const float *observe_weights(observing *o, int64_t client) {
    const gnt_model *m = o->model.model;
    if (!o->broadcast.own || o->shadow)
        return o->broadcast.weights;
    memcpy(o->broadcast.merged, o->broadcast.weights,
           (size_t)gnt_model_size(m) * sizeof *o->broadcast.merged);
    gnt_model_place(m, 0, o->broadcast.own + client * gnt_model_own_size(m), o->broadcast.merged);
    return o->broadcast.merged;
}

int observe_load_client(observing *o, int32_t client, gnt_err *err) {
    return o->shadow ? 0 : gnt_state_load(&o->chain.chain, &o->trained, o->stage, client, err);
}
