#include "job/work/saved.h"

#include <string.h>

#include "base/mem.h"

static const char where[] = "the checkpoint";

void gnt_saved_free(gnt_saved *s) {
    for (size_t i = 0; i < s->st.n; i++)
        gnt_free(s->st.tensor[i].name);
    gnt_free(s->st.tensor);
    gnt_free(s->st.metadata);
    gnt_arena_free(&s->copies);
    *s = (gnt_saved){0};
}

static int add(gnt_saved *s, const char *prefix, const gnt_st_tensor *of, gnt_err *err) {
    if (s->st.n >= GNT_ST_MOST_TENSORS)
        return gnt_fail(err, "%s would have more than %d tensors", where, GNT_ST_MOST_TENSORS);
    char *name = GNT_GROW(s->st.tensor, s->st.n) == 0 ? gnt_format("%s%s", prefix, of->name) : NULL;
    if (!name)
        return gnt_fail(err, "out of memory for a checkpoint");
    if (strlen(name) >= GNT_ST_NAME) {
        gnt_free(name);
        return gnt_fail(err, "%s would have a tensor with too long a name", where);
    }
    gnt_st_tensor *t = &s->st.tensor[s->st.n++];
    *t = *of;
    t->name = name;
    return 0;
}

int gnt_saved_add(gnt_saved *s, const char *name, gnt_st_type type, int32_t rank, const int64_t *dim,
                  const void *data, gnt_err *err) {
    gnt_st_tensor t = {.name = (char *)(uintptr_t)name,
                       .type = type,
                       .rank = rank,
                       .data = (void *)(uintptr_t)data,
                       .bytes = gnt_st_type_size(type)};
    for (int32_t k = 0; k < rank; k++) {
        t.dim[k] = dim[k];
        t.bytes *= (size_t)dim[k]; /* data of that size exist */
    }
    return add(s, "", &t, err);
}

int gnt_saved_vector(gnt_saved *s, const char *name, gnt_st_type type, int64_t n, const void *data,
                     gnt_err *err) {
    return gnt_saved_add(s, name, type, 1, &n, data, err);
}

int gnt_saved_copy(gnt_saved *s, const char *name, gnt_st_type type, int64_t n, const void *data,
                   gnt_err *err) {
    const void *copy = gnt_arena_copy(&s->copies, data, (size_t)n, gnt_st_type_size(type));
    return copy ? gnt_saved_vector(s, name, type, n, copy, err)
                : gnt_fail(err, "out of memory for a checkpoint");
}

int gnt_saved_bundle(gnt_saved *s, const char *prefix, const gnt_st *from, size_t first, gnt_err *err) {
    for (size_t i = first; i < from->n; i++)
        if (add(s, prefix, &from->tensor[i], err) != 0)
            return -1;
    return 0;
}

const void *gnt_loaded_vector(const gnt_st *st, const char *name, gnt_st_type type, int64_t n, gnt_err *err) {
    const gnt_st_tensor *t = gnt_st_need(st, where, name, type, 1, &n, err);
    static const double nothing[1]; /* for an empty vector */
    return t && n > 0 ? t->data : t ? nothing : NULL;
}

int gnt_loaded_bundle(const gnt_st *st, const char *prefix, gnt_st *to, gnt_err *err) {
    const size_t length = strlen(prefix);
    for (size_t i = 0; i < st->n; i++) {
        const gnt_st_tensor *t = &st->tensor[i];
        if (strncmp(t->name, prefix, length) == 0 &&
            gnt_st_add(to, t->name + length, t->type, t->rank, t->dim, t->data, NULL, err) != 0)
            return -1;
    }
    return 0;
}
