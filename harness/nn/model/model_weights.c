/* model_weights: weights from and to named tensors. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "nn/model/model_impl.h"

static int has_name(const gnt_model *m, const char *name) {
    for (int32_t i = 0; i < m->n_params + m->n_buffers; i++)
        if (strcmp(name, m->param[i].name) == 0)
            return 1;
    return 0;
}

static int is_counter(const char *name) {
    static const char tail[] =
        ".num_batches_tracked"; /* PyTorch stores one with each batch norm; nothing reads it */
    size_t n = strlen(name);
    return n >= sizeof tail - 1 && strcmp(name + n - (sizeof tail - 1), tail) == 0;
}

/* Returns the length of a prefix, up to a dot, that all names have and the model's names do not; 0: none. */
static size_t foreign_prefix(const gnt_model *m, const gnt_st *st) {
    const char *first = st->n > 0 ? st->tensor[0].name : "";
    for (const char *dot = strchr(first, '.'); dot; dot = strchr(dot + 1, '.')) {
        size_t n = (size_t)(dot + 1 - first), known = 0;
        for (size_t i = 0; i < st->n; i++) {
            if (strncmp(st->tensor[i].name, first, n) != 0)
                return 0;
            known += (size_t)has_name(m, st->tensor[i].name + n);
        }
        if (known > 0)
            return n;
    }
    return 0;
}

enum { MOST_NAMED = 6 };

/* Says which names only one side has: of the file, and of the model. */
static int fail_by_names(const gnt_model *m, const char *name, const gnt_st *st, gnt_err *err) {
    gnt_text file, model;
    size_t lacking = 0, extra = 0;
    gnt_text_init(&file, 1 << 12);
    gnt_text_init(&model, 1 << 12);
    for (int32_t i = 0; i < m->n_params + m->n_buffers; i++)
        if (!gnt_st_find(st, m->param[i].name) && lacking++ < MOST_NAMED)
            gnt_text_add(&model, "%s%s", lacking > 1 ? ", " : "", m->param[i].name);
    for (size_t i = 0; i < st->n; i++)
        if (!is_counter(st->tensor[i].name) && !has_name(m, st->tensor[i].name) && extra++ < MOST_NAMED)
            gnt_text_add(&file, "%s%.80s", extra > 1 ? ", " : "", st->tensor[i].name);
    gnt_fail(err,
             "%s: there is no tensor %s among its %zu; %zu names of the model are missing (%s%s)%s%s%s%s",
             m->name, name, st->n, lacking, gnt_text_get(&model), lacking > MOST_NAMED ? ", …" : "",
             extra ? ", and the file has names that the model has not (" : "", gnt_text_get(&file),
             extra > MOST_NAMED ? ", …" : "", extra ? "): rename them" : "");
    gnt_text_free(&file);
    gnt_text_free(&model);
    return -1;
}

static int no_tensor(const gnt_model *m, const char *name, const gnt_st *st, gnt_err *err) {
    size_t n = foreign_prefix(m, st);
    if (n == 0)
        return fail_by_names(m, name, st, err);
    const char *first = st->tensor[0].name;
    return gnt_fail(
        err,
        "%s: there is no tensor %s among its %zu: the names of all begin with \"%.*s\", which the "
        "model's do not; take it off with tools/export_torch.py CHECKPOINT OUT --strip %.*s",
        m->name, name, st->n, (int)n, first, (int)n, first);
}

static int import_one(const gnt_model *m, const gnt_param *p, const gnt_st *st, float *to, gnt_err *err) {
    int64_t n = gnt_nn_count(&p->shape);
    const gnt_st_tensor *t = gnt_st_find(st, p->name);
    if (!t)
        return no_tensor(m, p->name, st, err);
    gnt_st_type type = t->type == GNT_ST_F64 ? GNT_ST_F64 : GNT_ST_F32;
    t = gnt_st_need(st, m->name, p->name, type, p->shape.rank, p->shape.dim, err);
    if (!t)
        return -1;
    for (int64_t i = 0; i < n; i++) {
        to[i] = type == GNT_ST_F64 ? (float)((const double *)t->data)[i] : ((const float *)t->data)[i];
        if (!isfinite(to[i]))
            return gnt_fail(err, "%s: tensor %s: entry %" PRId64 " is not finite", m->name, p->name, i);
    }
    return 0;
}

static int check_extra(const gnt_model *m, const gnt_st *st, gnt_err *err) {
    for (size_t i = 0; i < st->n; i++) {
        const char *name = st->tensor[i].name;
        if (!is_counter(name) && !has_name(m, name))
            return gnt_fail(err, "%s: the weights hold tensor %s, which the model does not have", m->name,
                            name);
    }
    return 0;
}

int gnt_model_import(const gnt_model *m, const gnt_st *st, float *params, float *buffers, gnt_err *err) {
    for (int32_t i = 0; i < m->n_params + m->n_buffers; i++) {
        const gnt_param *p = &m->param[i];
        if (import_one(m, p, st, (p->buffer ? buffers : params) + p->offset, err))
            return -1;
    }
    return check_extra(m, st, err);
}

int gnt_model_export(const gnt_model *m, const float *params, const float *buffers, gnt_st *st,
                     gnt_err *err) {
    for (int32_t i = 0; i < m->n_params + m->n_buffers; i++) {
        const gnt_param *p = &m->param[i];
        const float *from = (p->buffer ? buffers : params) + p->offset;
        if (gnt_st_add(st, p->name, GNT_ST_F32, p->shape.rank, p->shape.dim, from, NULL, err))
            return gnt_fail_in(err, "%s", m->name);
    }
    return 0;
}

int gnt_model_has_statistics(const gnt_model *m, const float *buffers) {
    for (int32_t i = m->n_params; i < m->n_params + m->n_buffers; i++) {
        const gnt_param *p = &m->param[i];
        float fresh = i - m->n_params == m->layer[p->layer].variance ? 1 : 0;
        for (int64_t j = 0; j < gnt_nn_count(&p->shape); j++)
            if (buffers[p->offset + j] != fresh)
                return 1;
    }
    return 0;
}
