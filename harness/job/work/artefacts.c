#include "job/work/artefacts.h"

#include "base/mem.h"

int gnt_sink_add(gnt_st *st, const char *name, gnt_st_type type, int32_t rank, const int64_t *dim,
                 const void *data, gnt_err *err) {
    int empty = 0;
    for (int32_t i = 0; i < rank && i < GNT_ST_RANK && dim; i++)
        empty |= dim[i] == 0;
    if ((!data && !empty) || (!dim && rank))
        return gnt_fail(err, "the plugin hands over a tensor %.60s without its shape or data",
                        name ? name : "");
    return gnt_st_add(st, name, type, rank, dim, data, NULL, err);
}

static gnt_status put_tensor(void *context, const char *name, int32_t rank, const int64_t *dim,
                             const float *data) {
    return gnt_sink_add(context, name, GNT_ST_F32, rank, dim, data, NULL) == 0 ? GNT_OK : GNT_FAILED;
}

static gnt_status put_blob(void *context, const char *name, const uint8_t *data, int64_t count) {
    return gnt_sink_add(context, name, GNT_ST_U8, 1, &count, data, NULL) == 0 ? GNT_OK : GNT_FAILED;
}

gnt_sink gnt_sink_into(gnt_st *st) {
    return (gnt_sink){.size = sizeof(gnt_sink), .context = st, .tensor = put_tensor, .blob = put_blob};
}

int gnt_artefact_set_from(gnt_artefact_set *out, gnt_st *st, gnt_err *err) {
    *out = (gnt_artefact_set){.st = *st};
    *st = (gnt_st){0};
    out->views = gnt_array(out->st.n, sizeof *out->views);
    out->blobs = gnt_array(out->st.n, sizeof *out->blobs);
    if (!out->views || !out->blobs) {
        gnt_artefact_set_free(out);
        return gnt_fail(err, "out of memory for artefacts");
    }
    out->view.size = sizeof out->view;
    for (size_t i = 0; i < out->st.n; i++) {
        const gnt_st_tensor *t = &out->st.tensor[i];
        if (t->type == GNT_ST_U8 && t->rank == 1)
            out->blobs[out->view.n_blobs++] = (gnt_blob){t->name, t->data, t->dim[0]};
        else if (t->type == GNT_ST_F32 && t->rank <= GNT_RANK) {
            gnt_view v = {.name = t->name,
                          .rank = t->rank,
                          .layer = -1,
                          .count = (int64_t)(t->bytes / 4),
                          .data = t->data};
            for (int32_t d = 0; d < t->rank; d++)
                v.dim[d] = t->dim[d];
            out->views[out->view.tensors.n++] = v;
        }
    }
    out->view.tensors.view = out->views;
    out->view.blob = out->blobs;
    return 0;
}

void gnt_artefact_set_free(gnt_artefact_set *a) {
    gnt_free(a->views);
    gnt_free(a->blobs);
    gnt_st_free(&a->st);
    *a = (gnt_artefact_set){0};
}
