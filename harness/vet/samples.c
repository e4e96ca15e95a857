#include "vet/samples.h"

#include <string.h>

#include "base/mem.h"
#include "fl/defense_chain.h"

enum { MOST_ROWS = 320 };

/* Returns the weight with which an attribute is hidden: 0 for attacks. A defense hides all attributes for one
 * gradient, and only the first in local steps, since some defenses hide one. */
static double weight_of(const gnt_vet_spec *spec, int32_t attribute) {
    return !spec->goals && (attribute == 0 || spec->steps == 0);
}

gnt_samples *gnt_vet_put_samples(gnt_vet_setting *s, const char *name, const gnt_samples *from) {
    gnt_guard *g = s->guard;
    gnt_samples *to = gnt_guard_put(g, name, from, sizeof *from);
    if (!to)
        return NULL;
    size_t n = (size_t)from->n;
    int64_t *id = gnt_guard_put(g, name, from->id, n * sizeof *id);
    for (size_t i = 0; id && i < n; i++)
        id[i] = (int64_t)i;
    to->id = id;
    to->x = gnt_guard_put(g, name, from->x, n * (size_t)from->features * sizeof *from->x);
    to->y = gnt_guard_put(g, name, from->y, n * (size_t)from->classes * sizeof *from->y);
    to->a =
        from->a ? gnt_guard_put(g, name, from->a, n * (size_t)from->n_attributes * sizeof *from->a) : NULL;
    gnt_attribute *a =
        gnt_guard_put(g, name, from->attribute, (size_t)from->n_attributes * sizeof *from->attribute);
    for (int32_t i = 0; a && i < from->n_attributes; i++) {
        a[i].weight = weight_of(&s->spec, i);
        a[i].name = gnt_guard_put(g, name, from->attribute[i].name, strlen(from->attribute[i].name) + 1);
    }
    to->attribute = a;
    to->mask = from->mask ? gnt_guard_put(g, name, from->mask, n * (size_t)gnt_mask_size(from)) : NULL;
    return gnt_guard_full(g) ? NULL : to;
}

/* Masks bright pixels of each image, and makes the mask the target of the prediction. */
static int make_map(gnt_sampleset *s, gnt_err *err) {
    const int64_t m = gnt_mask_size(&s->view), n = s->view.n * m;
    float *y = gnt_array((size_t)n, sizeof *y);
    s->mask = gnt_array((size_t)n, 1);
    if (!y || !s->mask) {
        gnt_free(y);
        return gnt_fail(err, "out of memory for masks");
    }
    for (int64_t i = 0; i < n; i++) {
        s->mask[i] = s->x[i / m * s->view.features + i % m] > 0.5f;
        y[i] = s->mask[i];
    }
    gnt_free(s->y);
    s->y = y;
    s->view.y = y;
    s->view.mask = s->mask;
    s->view.classes = (int32_t)m;
    return 0;
}

/* Returns the data set: attacks on one defense need larger images. */
static const char *data_of(const gnt_vet_spec *spec) {
    if (spec->kind != GNT_KIND_IMAGE)
        return "census";
    return spec->behind ? "scenes" : "glyphs";
}

/* The rows of a data set, which all settings of a process share. */
typedef struct drawn_rows {
    const char *name; /* NULL: not drawn yet */
    int64_t private_rows, public_rows;
    gnt_st rows;
} drawn_rows;

static int draw_rows(drawn_rows *d, const char *name, int64_t private_rows, int64_t public_rows,
                     gnt_err *err) {
    gnt_data_spec of = {.name = name, .rows = {private_rows, 1, public_rows}};
    int64_t row[MOST_ROWS], n = private_rows + public_rows;
    gnt_data *data = NULL;
    if (n > MOST_ROWS)
        return gnt_fail(err, "%lld rows are more than vet supports", (long long)n);
    gnt_st_init(&d->rows);
    int rc = gnt_data_open(&data, &of, NULL, err);
    for (int64_t i = 0; i < n; i++)
        row[i] = i < private_rows ? i : i + 1; /* the test row is between them */
    if (rc == 0)
        rc = gnt_samples_pack(&d->rows, data, row, n, err);
    if (rc == 0)
        *d = (drawn_rows){name, private_rows, public_rows, d->rows};
    else
        gnt_st_free(&d->rows);
    gnt_data_free(data);
    return rc;
}

int gnt_vet_make_samples(gnt_sampleset *out, const gnt_vet_spec *spec, int64_t private_rows,
                         int64_t public_rows, gnt_err *err) {
    static drawn_rows kept[2][2];
    drawn_rows *d = &kept[spec->kind == GNT_KIND_IMAGE][spec->behind != NULL];
    *out = (gnt_sampleset){0};
    if (d->name && (d->private_rows != private_rows || d->public_rows != public_rows)) {
        gnt_st_free(&d->rows);
        d->name = NULL;
    }
    int rc = d->name ? 0 : draw_rows(d, data_of(spec), private_rows, public_rows, err);
    if (rc == 0)
        rc = gnt_samples_unpack(out, &d->rows, d->name, err);
    if (rc == 0 && spec->map)
        rc = make_map(out, err);
    return rc;
}
