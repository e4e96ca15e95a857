/* A described set of arrays: of each part one file with all of them (.safetensors, .npz), or an object with a
 * .npy file for each. x: the samples; y: labels; one for each attribute, by its name; group; map and mask. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "data/described.h"
#include "data/npy.h"
#include "data/source.h"

/* The arrays of one part. */
typedef struct part {
    gnt_st st;
    gnt_path path; /* in the description */
    int64_t rows;
} part;

static int ends_in(const char *path, const char *end) {
    const size_t n = strlen(path), m = strlen(end);
    return n > m && strcmp(path + n - m, end) == 0;
}

static int load_file(const data_description *of, const json_t *value, part *p, gnt_err *err) {
    char *file = data_described_file(of, p->path.text, value, err);
    if (!file)
        return -1;
    int rc;
    if (ends_in(file, ".npz"))
        rc = data_npz_load(&p->st, file, err);
    else if (ends_in(file, ".safetensors"))
        rc = gnt_st_load(&p->st, file, err);
    else
        rc = gnt_doc_fail(
            err, &of->doc, p->path.text,
            "is %s; expected a .npz or .safetensors file, or an object with a .npy file for each "
            "array, such as {\"x\": \"x.npy\", \"y\": \"y.npy\"}",
            gnt_show(value).text);
    gnt_free(file);
    return rc;
}

static int load_each(const data_description *of, const json_t *value, part *p, gnt_err *err) {
    const char *name;
    json_t *one;
    json_object_foreach((json_t *)value, name, one) {
        const gnt_path at = gnt_path_key(p->path.text, name);
        char *file = data_described_file(of, at.text, one, err);
        const int rc = file ? data_npy_load(&p->st, name, file, err) : -1;
        gnt_free(file);
        if (rc != 0)
            return -1;
    }
    return 0;
}

/* Returns the array of this name, which must have the part's rows; NULL after a sentence. */
static const gnt_st_tensor *need(const data_description *of, const part *p, const char *name, gnt_err *err) {
    const gnt_st_tensor *t = gnt_st_find(&p->st, name);
    if (!t)
        gnt_doc_fail(err, &of->doc, p->path.text, "has no array called \"%s\"; add it, under that name",
                     name);
    else if (t->rank < 1 || t->dim[0] != p->rows) {
        gnt_doc_fail(err, &of->doc, p->path.text,
                     "has %lld entries of \"%s\" along its first size, but %lld rows of \"x\"",
                     t->rank < 1 ? 0LL : (long long)t->dim[0], name, (long long)p->rows);
        t = NULL;
    }
    return t;
}

/* Sets the shape of samples from the first part, and refuses another one in the others. */
static int take_shape(const data_description *of, gnt_data *d, part *p, int first, gnt_err *err) {
    static const int place[][4] = {[DATA_NCHW] = {1, 2, 3}, [DATA_NHWC] = {3, 1, 2}, [DATA_NHW] = {0, 1, 2}};
    const gnt_st_tensor *x = gnt_st_find(&p->st, "x");
    const int rank = d->kind == GNT_DATA_TABULAR ? 2 : of->layout == DATA_NHW ? 3 : 4;
    int64_t dim[3] = {0, 0, 0};
    if (!x)
        return gnt_doc_fail(err, &of->doc, p->path.text, "has no array called \"x\", the samples; add it");
    if (x->rank != rank || x->dim[0] < 1)
        return gnt_doc_fail(err, &of->doc, p->path.text,
                            "has an \"x\" with %d sizes; expected %d, the first of them the number of rows",
                            x->rank, rank);
    for (int i = 0; i < 3; i++)
        dim[i] = d->kind == GNT_DATA_TABULAR        ? (i == 0 ? x->dim[1] : 0)
                 : of->layout == DATA_NHW && i == 0 ? 1
                                                    : x->dim[place[of->layout][i]];
    for (int i = 0; i < (d->kind == GNT_DATA_TABULAR ? 1 : 3); i++)
        if (dim[i] < 1 || dim[i] > 4096)
            return gnt_doc_fail(err, &of->doc, p->path.text,
                                "has samples with %lld along one side; expected 1 to 4096",
                                (long long)dim[i]);
    p->rows = x->dim[0];
    if (first && d->kind == GNT_DATA_TABULAR)
        data_shape_table(d, dim[0], d->classes);
    else if (first)
        data_shape_image(d, dim[0], dim[1], dim[2], d->has_maps ? (int32_t)(dim[1] * dim[2]) : d->classes);
    if (memcmp(dim, d->dim, sizeof dim) != 0)
        return gnt_doc_fail(err, &of->doc, p->path.text, "has samples of another shape than the train part");
    return 0;
}

/* Returns an element as a number. */
static double element(const gnt_st_tensor *t, int64_t i) {
    switch (t->type) {
    case GNT_ST_F32:
        return (double)((const float *)t->data)[i];
    case GNT_ST_F64:
        return ((const double *)t->data)[i];
    case GNT_ST_I32:
        return ((const int32_t *)t->data)[i];
    case GNT_ST_I64:
        return (double)((const int64_t *)t->data)[i];
    default:
        return ((const uint8_t *)t->data)[i];
    }
}

static int is_real(const gnt_st_tensor *t) {
    return t->type == GNT_ST_F32 || t->type == GNT_ST_F64;
}

/* Returns where in a row of x feature k of a row of the set is. */
static int64_t place_of(const data_description *of, const gnt_data *d, int64_t k) {
    if (d->kind == GNT_DATA_TABULAR || of->layout != DATA_NHWC)
        return k;
    const int64_t area = d->dim[1] * d->dim[2];
    return k % area * d->dim[0] + k / area;
}

static int fill_samples(const data_description *of, gnt_data *d, const part *p, int64_t from, gnt_err *err) {
    const gnt_st_tensor *x = gnt_st_find(&p->st, "x");
    const int is_image = d->kind == GNT_DATA_IMAGE;
    if (is_image ? x->type != GNT_ST_U8 && !is_real(x) : !is_real(x))
        return gnt_doc_fail(err, &of->doc, p->path.text, "has an \"x\" of whole numbers; expected %s",
                            is_image ? "uint8 from 0 to 255, or float32 from 0 to 1" : "float32 from 0 to 1");
    for (int64_t i = 0; i < p->rows; i++)
        for (int64_t k = 0; k < d->features; k++) {
            const int64_t at = (from + i) * d->features + k;
            const double v = element(x, i * d->features + place_of(of, d, k));
            if (is_real(x) && !(v >= 0 && v <= 1))
                return gnt_doc_fail(err, &of->doc, p->path.text,
                                    "has %.9g in row %lld of \"x\"; expected values from 0 to 1", v,
                                    (long long)i);
            if (!is_image)
                d->table[at] = (float)v;
            else
                d->pixels[at] = (uint8_t)(is_real(x) ? lrint(255 * v) : (long)v);
        }
    return 0;
}

/* Fills every stride-th entry with whole numbers below `values`. */
static int fill_whole(const data_description *of, const part *p, const char *name, int64_t values,
                      int32_t *out, int64_t stride, gnt_err *err) {
    const gnt_st_tensor *t = need(of, p, name, err);
    if (!t)
        return -1;
    if (t->rank != 1 || is_real(t))
        return gnt_doc_fail(err, &of->doc, p->path.text,
                            "has a \"%s\" that is no list of whole numbers; expected one for each row", name);
    for (int64_t i = 0; i < p->rows; i++) {
        const double v = element(t, i);
        if (!(v >= 0 && v < (double)values))
            return gnt_doc_fail(err, &of->doc, p->path.text,
                                "has %.17g in row %lld of \"%s\"; expected 0 to %lld", v, (long long)i, name,
                                (long long)values - 1);
        out[i * stride] = (int32_t)v;
    }
    return 0;
}

/* Fills a map or a mask; returns −1 if an entry is neither 0 nor 1, or, of a mask, if all of a row are 0. */
static int fill_map(const data_description *of, const gnt_data *d, const part *p, const char *name,
                    int is_mask, uint8_t *out, gnt_err *err) {
    const gnt_st_tensor *t = need(of, p, name, err);
    if (!t)
        return -1;
    if (t->rank != 3 || t->dim[1] != d->dim[1] || t->dim[2] != d->dim[2] || t->type != GNT_ST_U8)
        return gnt_doc_fail(err, &of->doc, p->path.text,
                            "has a \"%s\" of another shape or type; expected uint8, rows × height × width",
                            name);
    for (int64_t i = 0; i < p->rows; i++) {
        const uint8_t *row = (const uint8_t *)t->data + i * d->classes;
        int seen = 0;
        for (int64_t k = 0; k < d->classes; k++) {
            if (row[k] > 1)
                return gnt_doc_fail(err, &of->doc, p->path.text,
                                    "has %d in row %lld of \"%s\"; expected 0 or 1", row[k], (long long)i,
                                    name);
            seen |= row[k];
        }
        if (is_mask && !seen)
            return gnt_doc_fail(err, &of->doc, p->path.text,
                                "has a mask of zeros in row %lld; expected a sensitive region", (long long)i);
        memcpy(out + i * d->classes, row, (size_t)d->classes);
    }
    return 0;
}

static int fill_part(const data_description *of, gnt_data *d, const part *p, int64_t from, gnt_err *err) {
    if (fill_samples(of, d, p, from, err))
        return -1;
    for (int a = 0; a < d->n_attrs; a++)
        if (fill_whole(of, p, d->attr[a].name, d->attr[a].values, d->attrs + from * d->n_attrs + a,
                       d->n_attrs, err))
            return -1;
    if (d->group && fill_whole(of, p, "group", INT32_MAX, d->group + from, 1, err))
        return -1;
    if (!d->has_maps)
        return fill_whole(of, p, "y", d->classes, d->label + from, 1, err);
    return fill_map(of, d, p, "map", 0, d->map + from * d->classes, err) ||
           fill_map(of, d, p, "mask", 1, d->mask + from * d->classes, err);
}

int data_described_arrays(const data_description *of, gnt_data *d, gnt_err *err) {
    part parts[3];
    int64_t rows[3] = {0, 0, 0}, from = 0;
    int rc = 0;
    for (int p = 0; p < 3; p++) {
        gnt_st_init(&parts[p].st);
        parts[p].path = gnt_path_key("parts", data_part_names[p]);
        parts[p].rows = 0;
    }
    for (int p = 0; rc == 0 && p < 3; p++) {
        if (!of->part[p])
            continue;
        rc = json_is_object(of->part[p]) ? load_each(of, of->part[p], &parts[p], err)
                                         : load_file(of, of->part[p], &parts[p], err);
        if (rc == 0)
            rc = take_shape(of, d, &parts[p], p == 0, err);
        rows[p] = parts[p].rows;
    }
    if (rc == 0)
        rc = data_reserve(d, rows, err);
    for (int p = 0; p < 3; from += rows[p++]) {
        if (rc == 0 && of->part[p])
            rc = fill_part(of, d, &parts[p], from, err);
        gnt_st_free(&parts[p].st);
    }
    return rc ? -1 : 0;
}
