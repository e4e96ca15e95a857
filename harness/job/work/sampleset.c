#include "job/work/sampleset.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "base/finite.h"
#include "base/mem.h"
#include "fl/defense_chain.h"

static json_t *describe(const gnt_data *d) {
    json_t *dim = json_array(), *attributes = json_array();
    for (int32_t i = 0; i < d->rank; i++)
        json_array_append_new(dim, json_integer(d->dim[i]));
    for (int32_t i = 0; i < d->n_attrs; i++)
        json_array_append_new(
            attributes, json_pack("{s:s, s:i}", "name", d->attr[i].name, "values", (int)d->attr[i].values));
    return json_pack("{s:i, s:i, s:o, s:o}", "kind", (int)d->kind, "classes", (int)d->classes, "dim", dim,
                     "attributes", attributes);
}

/* Adds rows of maps or masks. */
static int pack_bits(gnt_st *out, const char *name, const uint8_t *from, int64_t m, const int64_t *rows,
                     int64_t n, gnt_err *err) {
    const int64_t dim[2] = {n, m};
    gnt_st_tensor *t;
    if (gnt_st_add(out, name, GNT_ST_U8, 2, dim, NULL, &t, err) != 0)
        return -1;
    for (int64_t i = 0; i < n; i++)
        memcpy((uint8_t *)t->data + i * m, from + rows[i] * m, (size_t)m);
    return 0;
}

int gnt_samples_pack(gnt_st *out, const gnt_data *data, const int64_t *rows, int64_t n, gnt_err *err) {
    int64_t x_dim[2] = {n, data->features}, a_dim[2] = {n, data->n_attrs}, f = data->features;
    gnt_st_tensor *t;
    if (gnt_st_add(out, "x", data->pixels ? GNT_ST_U8 : GNT_ST_F32, 2, x_dim, NULL, &t, err) != 0)
        return -1;
    for (int64_t i = 0; i < n; i++)
        if (data->pixels)
            memcpy((uint8_t *)t->data + i * f, data->pixels + rows[i] * f, (size_t)f);
        else
            memcpy((float *)t->data + i * f, data->table + rows[i] * f, (size_t)f * sizeof(float));
    if (gnt_st_add(out, "label", GNT_ST_I32, 1, &n, NULL, &t, err) != 0)
        return -1;
    for (int64_t i = 0; i < n; i++)
        ((int32_t *)t->data)[i] = data->label[rows[i]];
    if (gnt_st_add(out, "a", GNT_ST_I32, 2, a_dim, NULL, &t, err) != 0)
        return -1;
    for (int64_t i = 0; i < n; i++)
        for (int32_t j = 0; j < data->n_attrs; j++)
            ((int32_t *)t->data)[i * data->n_attrs + j] = data->attrs[rows[i] * data->n_attrs + j];
    if (data->has_maps && (pack_bits(out, "map", data->map, data->classes, rows, n, err) != 0 ||
                           pack_bits(out, "mask", data->mask, data->classes, rows, n, err) != 0))
        return -1;
    return gnt_st_set_json(out, describe(data), JSON_COMPACT, "a set of samples", err);
}

int gnt_samples_pack_groups(gnt_st *out, const gnt_data *data, const int64_t *rows, int64_t n, gnt_err *err) {
    gnt_st_tensor *t;
    if (!data->group)
        return 0;
    if (gnt_st_add(out, "group", GNT_ST_I32, 1, &n, NULL, &t, err) != 0)
        return -1;
    for (int64_t i = 0; i < n; i++)
        ((int32_t *)t->data)[i] = data->group[rows[i]];
    return 0;
}

int gnt_samples_rows(gnt_st *out, const gnt_st *from, const int64_t *row, int64_t n, gnt_err *err) {
    const gnt_st_tensor *label = gnt_st_find(from, "label");
    const int64_t all = label && label->rank == 1 ? label->dim[0] : 0;
    for (int64_t i = 0; i < n; i++)
        if (row[i] < 0 || row[i] >= all)
            return gnt_fail(err, "there is no row %" PRId64 " among %" PRId64 " samples", row[i], all);
    for (size_t k = 0; k < from->n; k++) {
        const gnt_st_tensor *t = &from->tensor[k];
        int64_t dim[GNT_ST_RANK];
        gnt_st_tensor *made;
        if (t->rank < 1 || t->dim[0] != all)
            return gnt_fail(err, "a set of samples has a tensor \"%.60s\" that is not one of its rows",
                            t->name);
        const size_t each = all ? t->bytes / (size_t)all : 0;
        memcpy(dim, t->dim, sizeof dim);
        dim[0] = n;
        if (gnt_st_add(out, t->name, t->type, t->rank, dim, NULL, &made, err) != 0)
            return -1;
        for (int64_t i = 0; i < n; i++)
            memcpy((uint8_t *)made->data + (size_t)i * each, (const uint8_t *)t->data + (size_t)row[i] * each,
                   each);
    }
    return from->metadata ? gnt_st_set_metadata(out, from->metadata, err) : 0;
}

void gnt_sampleset_free(gnt_sampleset *s) {
    gnt_free(s->x);
    gnt_free(s->y);
    gnt_free(s->id);
    gnt_free(s->label);
    gnt_free(s->a);
    gnt_free(s->group);
    gnt_free(s->mask);
    *s = (gnt_sampleset){0};
}

static int read_attributes(gnt_sampleset *s, const json_t *list, const char *where, gnt_err *err) {
    size_t n = json_array_size(list);
    if (n > GNT_DATA_ATTRS)
        return gnt_fail(err, "%s: %zu attributes, at most %d are allowed", where, n, GNT_DATA_ATTRS);
    for (size_t i = 0; i < n; i++) {
        const json_t *one = json_array_get(list, i);
        const char *name = json_string_value(json_object_get(one, "name"));
        int64_t values = json_integer_value(json_object_get(one, "values"));
        if (!name || values < 1 || values > 1000000)
            return gnt_fail(err, "%s: attribute %zu lacks a name or a number of values", where, i);
        snprintf(s->attribute_name[i], sizeof s->attribute_name[i], "%s", name);
        s->attribute[i] = (gnt_attribute){.name = s->attribute_name[i], .values = (int32_t)values};
    }
    s->view.n_attributes = (int32_t)n;
    s->view.attribute = s->attribute;
    return 0;
}

/* Reads kind, shape, classes and attributes. */
static int read_shape(gnt_sampleset *s, const gnt_st *st, const char *where, gnt_err *err) {
    json_t *all = json_loads(st->metadata ? st->metadata : "", JSON_REJECT_DUPLICATES, NULL);
    const json_t *dim = json_object_get(all, "dim");
    int64_t classes = json_integer_value(json_object_get(all, "classes"));
    int64_t kind = json_integer_value(json_object_get(all, "kind"));
    size_t rank = json_array_size(dim);
    int rc = -1;
    if ((rank != 1 && rank != 3) || classes < 1 || classes > 100000 || kind < 0 || kind > GNT_DATA_AUDIO) {
        gnt_fail(err, "%s: is not a set of samples (its metadata lacks kind, shape or classes)", where);
        goto cleanup;
    }
    s->view.size = sizeof s->view;
    s->view.kind = 1u << kind;
    s->view.rank = (int32_t)rank;
    s->view.classes = (int32_t)classes;
    s->view.features = 1;
    for (size_t i = 0; i < rank; i++) {
        int64_t d = json_integer_value(json_array_get(dim, i));
        if (d < 1 || d > 100000 || s->view.features > 100000000 / d) {
            gnt_fail(err, "%s: side %zu of a sample is %" PRId64, where, i, d);
            goto cleanup;
        }
        s->view.dim[i] = d;
        s->view.features *= d;
    }
    rc = read_attributes(s, json_object_get(all, "attributes"), where, err);
cleanup:
    json_decref(all);
    return rc;
}

static int fill_x(gnt_sampleset *s, const gnt_st_tensor *x, const char *where, gnt_err *err) {
    size_t n = (size_t)(s->view.n * s->view.features);
    if (x->type == GNT_ST_U8) {
        for (size_t i = 0; i < n; i++)
            s->x[i] = (float)((const uint8_t *)x->data)[i] / 255.0f;
        return 0;
    }
    memcpy(s->x, x->data, n * sizeof *s->x);
    const int64_t wrong = gnt_first_not_finite(s->x, (int64_t)n);
    if (wrong < (int64_t)n)
        return gnt_fail(err, "%s: x holds a value that is not finite at %lld", where, (long long)wrong);
    return 0;
}

static int fill_labels(gnt_sampleset *s, const int32_t *label, const int32_t *a, const char *where,
                       gnt_err *err) {
    int32_t classes = s->view.classes, n_attributes = s->view.n_attributes;
    for (int64_t i = 0; i < s->view.n; i++) {
        if (label[i] < 0 || label[i] >= classes)
            return gnt_fail(err, "%s: sample %" PRId64 " has label %d of %d classes", where, i, label[i],
                            classes);
        s->label[i] = label[i];
        s->y[i * classes + label[i]] = 1;
        s->id[i] = i;
        for (int32_t j = 0; j < n_attributes; j++) {
            int32_t value = a[i * n_attributes + j];
            if (value < 0 || value >= s->attribute[j].values)
                return gnt_fail(err, "%s: sample %" PRId64 " has value %d of %s, which has %d", where, i,
                                value, s->attribute[j].name, s->attribute[j].values);
            s->a[i * n_attributes + j] = value;
        }
    }
    return 0;
}

/* Reads the masks of images that have no maps. */
static int fill_masks(gnt_sampleset *s, const gnt_st *st, const char *where, gnt_err *err) {
    const gnt_samples *v = &s->view;
    const int64_t dim[2] = {v->n, v->rank == 3 ? v->dim[1] * v->dim[2] : 0};
    const gnt_st_tensor *mask = gnt_st_need(st, where, "mask", GNT_ST_U8, 2, dim, err);
    if (!mask)
        return -1;
    if (v->rank != 3)
        return gnt_fail(err, "%s: has masks of samples that are no images", where);
    s->mask = gnt_array(mask->bytes + 1, 1);
    if (!s->mask)
        return gnt_fail(err, "%s: out of memory for the masks of %" PRId64 " samples", where, v->n);
    for (size_t i = 0; i < mask->bytes; i++) {
        s->mask[i] = ((const uint8_t *)mask->data)[i];
        if (s->mask[i] > 1)
            return gnt_fail(err, "%s: a mask has the value %d; expected 0 or 1", where, s->mask[i]);
    }
    s->view.mask = s->mask;
    return 0;
}

/* Reads the map, as targets in the place of labels, and the mask of each sample, if there are both. */
static int fill_maps(gnt_sampleset *s, const gnt_st *st, const char *where, gnt_err *err) {
    const gnt_samples *v = &s->view;
    const int64_t dim[2] = {v->n, v->classes}, all = v->n * v->classes;
    if (!gnt_st_find(st, "map"))
        return gnt_st_find(st, "mask") ? fill_masks(s, st, where, err) : 0;
    if (v->rank != 3 || v->classes != v->dim[1] * v->dim[2])
        return gnt_fail(err, "%s: has maps of %d entries, which are not the pixels of its samples", where,
                        v->classes);
    const gnt_st_tensor *map = gnt_st_need(st, where, "map", GNT_ST_U8, 2, dim, err);
    const gnt_st_tensor *mask = map ? gnt_st_need(st, where, "mask", GNT_ST_U8, 2, dim, err) : NULL;
    if (!mask)
        return -1;
    s->mask = gnt_array((size_t)all, 1);
    if (!s->mask)
        return gnt_fail(err, "%s: out of memory for the masks of %" PRId64 " samples", where, v->n);
    for (int64_t i = 0; i < all; i++) {
        const uint8_t wanted = ((const uint8_t *)map->data)[i], inside = ((const uint8_t *)mask->data)[i];
        if (wanted > 1 || inside > 1)
            return gnt_fail(err, "%s: sample %" PRId64 " has %d in its %s; expected 0 or 1", where,
                            i / v->classes, wanted > 1 ? wanted : inside, wanted > 1 ? "map" : "mask");
        s->y[i] = wanted;
        s->mask[i] = inside;
    }
    s->has_maps = 1;
    s->view.mask = s->mask;
    return 0;
}

static int fill_groups(gnt_sampleset *s, const gnt_st *st, const char *where, gnt_err *err) {
    if (!gnt_st_find(st, "group"))
        return 0;
    const gnt_st_tensor *group = gnt_st_need(st, where, "group", GNT_ST_I32, 1, &s->view.n, err);
    if (!group)
        return -1;
    s->group = gnt_array((size_t)s->view.n, sizeof *s->group);
    if (!s->group)
        return gnt_fail(err, "%s: out of memory for %" PRId64 " samples", where, s->view.n);
    memcpy(s->group, group->data, (size_t)s->view.n * sizeof *s->group);
    return 0;
}

int gnt_samples_unpack(gnt_sampleset *out, const gnt_st *st, const char *where, gnt_err *err) {
    *out = (gnt_sampleset){0};
    gnt_sampleset *s = out;
    if (read_shape(s, st, where, err) != 0)
        return -1;
    const gnt_st_tensor *x = gnt_st_find(st, "x");
    if (!x || (x->type != GNT_ST_U8 && x->type != GNT_ST_F32) || x->rank != 2 ||
        x->dim[1] != s->view.features)
        return gnt_fail(err, "%s: lacks samples x of %" PRId64 " features", where, s->view.features);
    int64_t n = x->dim[0], a_dim[2] = {n, s->view.n_attributes};
    const gnt_st_tensor *label = gnt_st_need(st, where, "label", GNT_ST_I32, 1, &n, err);
    const gnt_st_tensor *a = label ? gnt_st_need(st, where, "a", GNT_ST_I32, 2, a_dim, err) : NULL;
    if (!a)
        return -1;
    s->view.n = n;
    s->x = gnt_array((size_t)(n * s->view.features), sizeof *s->x);
    s->y = gnt_array((size_t)(n * s->view.classes), sizeof *s->y);
    s->id = gnt_array((size_t)n, sizeof *s->id);
    s->label = gnt_array((size_t)n, sizeof *s->label);
    s->a = gnt_array((size_t)(n * s->view.n_attributes), sizeof *s->a);
    int rc = s->x && s->y && s->id && s->label && s->a
                 ? 0
                 : gnt_fail(err, "%s: out of memory for %" PRId64 " samples", where, n);
    if (rc == 0)
        rc = fill_x(s, x, where, err) || fill_labels(s, label->data, a->data, where, err) ||
                     fill_maps(s, st, where, err) || fill_groups(s, st, where, err)
                 ? -1
                 : 0;
    s->view.x = s->x;
    s->view.y = s->y;
    s->view.id = s->id;
    s->view.a = s->view.n_attributes ? s->a : NULL;
    if (rc != 0)
        gnt_sampleset_free(s);
    return rc;
}

int gnt_samples_mark(gnt_sampleset *s, const gnt_region *r, gnt_err *err) {
    int64_t height = s->view.dim[1], width = s->view.dim[2], m = gnt_mask_size(&s->view);
    if (s->view.rank != 3 || r->top < 0 || r->left < 0 || r->height < 1 || r->width < 1 ||
        r->height > height - r->top || r->width > width - r->left)
        return gnt_fail(err, "the region does not lie within the images");
    if (s->mask)
        return 0;
    s->mask = gnt_array((size_t)s->view.n, (size_t)m);
    if (!s->mask)
        return gnt_fail(err, "out of memory for the masks of %" PRId64 " samples", s->view.n);
    for (int64_t i = 0; i < s->view.n; i++)
        for (int64_t y = r->top; y < r->top + r->height; y++)
            memset(s->mask + i * m + y * width + r->left, 1, (size_t)r->width);
    s->view.mask = s->mask;
    return 0;
}

void gnt_samples_hide(gnt_sampleset *s, const char *attribute, double weight) {
    for (int32_t i = 0; i < s->view.n_attributes; i++)
        if (strcmp(s->attribute[i].name, attribute) == 0)
            s->attribute[i].weight = (float)weight;
}

gnt_samples gnt_samples_part(const gnt_samples *s, int64_t from, int64_t n) {
    gnt_samples part = *s;
    part.n = n;
    part.x = s->x + from * s->features;
    part.y = s->y ? s->y + from * s->classes : NULL;
    part.id = s->id ? s->id + from : NULL;
    part.a = s->a ? s->a + from * s->n_attributes : NULL;
    part.mask = s->mask ? s->mask + from * gnt_mask_size(s) : NULL;
    return part;
}
