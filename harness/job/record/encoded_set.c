#include "job/record/encoded_set.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

gnt_encoded_set gnt_encoded_set_of(int64_t originals, int64_t features, int64_t classes, int64_t attributes) {
    return (gnt_encoded_set){.features = features,
                             .classes = classes,
                             .attributes = attributes,
                             .made_of = {.originals = originals}};
}

void gnt_encoded_set_free(gnt_encoded_set *r) {
    gnt_free(r->x);
    gnt_free(r->y);
    gnt_free(r->a);
    gnt_mixture_free(&r->made_of);
    *r = (gnt_encoded_set){0};
}

/* True if one of the first `n` encodings is this one. */
static int is_known(const gnt_encoded_set *r, int64_t n, const gnt_batch *b, int64_t row) {
    const size_t f = (size_t)r->features, c = (size_t)r->classes;
    for (int64_t i = 0; i < n; i++)
        if (r->made_of.source[i] == b->made_of->source[row] &&
            memcmp(r->x + (size_t)i * f, b->view.x + (size_t)row * f, f * sizeof *r->x) == 0 &&
            memcmp(r->y + (size_t)i * c, b->view.y + (size_t)row * c, c * sizeof *r->y) == 0)
            return 1;
    return 0;
}

/* Makes room for attributes if encodings of this pass have some; forgets all if they have none. */
static int keep_attributes(gnt_encoded_set *r, const gnt_batch *b, size_t room, gnt_err *err) {
    if (!b->view.a)
        r->attributes = 0;
    int32_t *a = r->attributes ? gnt_resize(r->a, room, (size_t)r->attributes * sizeof *a) : NULL;
    if (r->attributes && !a)
        return gnt_fail(err, "out of memory for %zu encodings", room);
    if (!r->attributes)
        gnt_free(r->a);
    r->a = a;
    return 0;
}

int gnt_encoded_set_add(gnt_encoded_set *r, const gnt_batch *b, gnt_err *err) {
    const size_t f = (size_t)r->features, c = (size_t)r->classes, room = (size_t)(r->n + b->view.n);
    float *x = gnt_resize(r->x, room, f * sizeof *x);
    if (x)
        r->x = x;
    float *y = gnt_resize(r->y, room, c * sizeof *y);
    if (y)
        r->y = y;
    if (!x || !y)
        return gnt_fail(err, "out of memory for %zu encodings", room);
    if (keep_attributes(r, b, room, err) != 0)
        return -1;
    const int64_t earlier = r->n; /* within one pass nothing counts as released again */
    for (int64_t i = 0; i < b->view.n; i++) {
        if (is_known(r, earlier, b, i))
            continue;
        memcpy(r->x + (size_t)r->n * f, b->view.x + (size_t)i * f, f * sizeof *r->x);
        memcpy(r->y + (size_t)r->n * c, b->view.y + (size_t)i * c, c * sizeof *r->y);
        if (r->a)
            memcpy(r->a + r->n * r->attributes, b->view.a + i * r->attributes,
                   (size_t)r->attributes * sizeof *r->a);
        if (gnt_mixture_copy(&r->made_of, b->made_of, i, err) != 0)
            return -1;
        r->n++;
    }
    return 0;
}

int gnt_encoded_set_claims(const gnt_encoded_set *r, int64_t set, gnt_st *out, gnt_err *err) {
    const int64_t dim[2] = {r->made_of.rows, r->made_of.originals};
    char name[32];
    snprintf(name, sizeof name, "weight.%" PRId64, set);
    if (gnt_st_add(out, name, GNT_ST_F32, 2, dim, r->made_of.weight, NULL, err) != 0)
        return -1;
    snprintf(name, sizeof name, "source.%" PRId64, set);
    return gnt_st_add(out, name, GNT_ST_I64, 1, dim, r->made_of.source, NULL, err);
}
