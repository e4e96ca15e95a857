/* Drafts for arrays: one .npz or .safetensors file for each part, or a .npy file for each array. */
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "data/draft.h"
#include "data/data.h"
#include "data/npy.h"
#include "data/source.h"
#include "nn/io/safetensors.h"

enum { MOST_VALUES = 1000, MOST_CLASSES = 100000 };

/* Returns what a part of a description names a .npy file: which array of which part NAME_train.npy or
 * train_NAME.npy has; −1: of none. */
static int part_of(const char *file, char name[GNT_DATA_NAME]) {
    const size_t n = strlen(file);
    if (n < 5 || n >= GNT_DATA_NAME || strcasecmp(file + n - 4, ".npy") != 0)
        return -1;
    for (int p = 0; p < 3; p++) {
        const char *word = data_part_names[p];
        const size_t m = strlen(word), rest = n - 4;
        const char *from = file;
        size_t left = 0;
        if (rest > m + 1 && strncasecmp(file, word, m) == 0 && strchr("_-.", file[m])) {
            from = file + m + 1;
            left = rest - m - 1;
        } else if (rest > m + 1 && strncasecmp(file + rest - m, word, m) == 0 &&
                   strchr("_-.", file[rest - m - 1]))
            left = rest - m - 1;
        if (!left)
            continue;
        memcpy(name, from, left);
        name[left] = 0;
        return p;
    }
    return -1;
}

/* Returns the name that a description has for an array of this name. */
static const char *array_name(const char *name) {
    static const struct {
        const char *is, *of;
    } names[] = {{"x", "images"}, {"x", "data"},    {"x", "features"}, {"x", "X"},         {"y", "labels"},
                 {"y", "label"},  {"y", "targets"}, {"y", "Y"},        {"group", "groups"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i].of) == 0)
            return names[i].is;
    return name;
}

/* Adds .npy files to "parts". */
static void put_npy(const data_draft *draft, json_t *parts) {
    for (int p = 0; p < 3; p++) {
        json_t *part = json_object();
        for (size_t i = 0; i < draft->in.n; i++) {
            char name[GNT_DATA_NAME];
            if (part_of(draft->in.at[i], name) == p)
                json_object_set_new(part, array_name(name), json_string(draft->in.at[i]));
        }
        if (json_object_size(part))
            json_object_set_new(parts, data_part_names[p], part);
        else
            json_decref(part);
    }
}

static int load_one(const data_draft *draft, gnt_st *st, const char *array, const char *file, gnt_err *err) {
    char *path = gnt_format("%s/%s", draft->folder, file);
    const size_t n = strlen(file);
    const int rc = !path                                            ? gnt_fail(err, "%s: out of memory", file)
                   : array                                          ? data_npy_load(st, array, path, err)
                   : n > 4 && strcasecmp(file + n - 4, ".npz") == 0 ? data_npz_load(st, path, err)
                                                                    : gnt_st_load(st, path, err);
    gnt_free(path);
    return rc;
}

static int load_part(const data_draft *draft, gnt_st *st, json_t *part, gnt_err *err) {
    const char *array;
    json_t *file;
    if (json_is_string(part))
        return load_one(draft, st, NULL, json_string_value(part), err);
    json_object_foreach(part, array, file) {
        if (load_one(draft, st, array, json_string_value(file), err))
            return -1;
    }
    return 0;
}

static int is_real(const gnt_st_tensor *t) {
    return t->type == GNT_ST_F32 || t->type == GNT_ST_F64;
}

/* Returns the greatest entry of whole numbers; −1 where one is negative. */
static int64_t greatest(const gnt_st_tensor *t) {
    int64_t most = 0;
    for (int64_t i = 0; i < t->dim[0]; i++) {
        const int64_t v = t->type == GNT_ST_I64   ? ((const int64_t *)t->data)[i]
                          : t->type == GNT_ST_I32 ? ((const int32_t *)t->data)[i]
                                                  : ((const uint8_t *)t->data)[i];
        if (v < 0)
            return -1;
        most = v > most ? v : most;
    }
    return most;
}

/* Sets kind and layout from the shape of x. */
static int put_samples(data_draft *draft, const gnt_st_tensor *x, gnt_err *err) {
    if (x->rank == 2 && is_real(x)) {
        data_draft_set(draft, "kind", json_string("tabular"));
        return 0;
    }
    if (x->rank != 3 && x->rank != 4)
        return gnt_fail(
            err,
            "%s: \"x\" has %d sizes; expected rows × features, or rows × height × width with or without "
            "channels",
            draft->folder, x->rank);
    const int last = x->rank == 4 && x->dim[3] <= 4, first = x->rank == 4 && x->dim[1] <= 4;
    data_draft_set(draft, "kind", json_string("image"));
    data_draft_set(draft, "layout", json_string(x->rank == 3 ? "NHW" : last && !first ? "NHWC" : "NCHW"));
    if (last == first && x->rank == 4)
        data_draft_note(
            draft, "layout: sizes %lld, %lld and %lld do not show which is that of channels; NCHW is assumed",
            (long long)x->dim[1], (long long)x->dim[2], (long long)x->dim[3]);
    return 0;
}

/* Sets classes, attributes and groups from the arrays of all parts. */
static int put_arrays(data_draft *draft, const gnt_st *st, int parts, gnt_err *err) {
    const gnt_st_tensor *x = gnt_st_find(&st[0], "x");
    if (!x || x->rank < 1)
        return gnt_fail(err, "%s: the train part has no array called \"x\", the samples; rename it",
                        draft->folder);
    if (put_samples(draft, x, err))
        return -1;
    json_t *attributes = json_array();
    const int has_maps = gnt_st_find(&st[0], "map") && gnt_st_find(&st[0], "mask");
    for (size_t i = 0; i < st[0].n; i++) {
        const gnt_st_tensor *t = &st[0].tensor[i];
        int64_t most = -1;
        for (int p = 0; p < parts; p++) {
            const gnt_st_tensor *other = gnt_st_find(&st[p], t->name);
            const int fits = other && other->rank == 1 && !is_real(other);
            const int64_t v = fits ? greatest(other) : -1;
            most = v < 0 ? -1 : v > most ? v : most;
            if (v < 0)
                break;
        }
        if (strcmp(t->name, "y") == 0 && most >= 0 && most < MOST_CLASSES && !has_maps)
            data_draft_set(draft, "classes", json_integer(most < 1 ? 2 : most + 1));
        else if (strcmp(t->name, "group") == 0 && most >= 0)
            data_draft_set(draft, "groups", json_string("group"));
        else if (strcmp(t->name, "x") != 0 && strcmp(t->name, "y") != 0 && t->rank == 1 &&
                 t->dim[0] == x->dim[0] && most >= 1 && most < MOST_VALUES &&
                 strlen(t->name) < GNT_DATA_NAME && json_array_size(attributes) < GNT_DATA_ATTRS)
            json_array_append_new(attributes,
                                  json_pack("{s:s, s:I}", "name", t->name, "values", (json_int_t)most + 1));
    }
    if (has_maps)
        data_draft_set(draft, "maps", json_true());
    if (!has_maps && !json_object_get(draft->all, "classes"))
        data_draft_note(
            draft, "classes: there is no array \"y\" of whole numbers, the labels; add it, and \"classes\"");
    if (json_array_size(attributes) == 0) {
        data_draft_note(draft, "attributes: no array has whole numbers for a private attribute");
        json_decref(attributes);
        return 0;
    } else
        data_draft_note(
            draft, "attributes, classes: lists of names in place of the numbers make reports easier to read");
    data_draft_set(draft, "attributes", attributes);
    return 0;
}

int data_draft_arrays(data_draft *draft, gnt_err *err) {
    static const char *const ends[] = {".npz", ".safetensors", NULL};
    json_t *parts = json_object();
    gnt_st st[3];
    int n = 0, rc = 0;
    for (int p = 0; p < 3; p++) {
        const char *const stems[] = {data_part_names[p], NULL};
        const char *file = data_draft_find(draft, stems, ends);
        if (file)
            json_object_set_new(parts, data_part_names[p], json_string(file));
    }
    if (json_object_size(parts) == 0)
        put_npy(draft, parts);
    if (!json_object_get(parts, "train")) {
        json_decref(parts);
        return 0;
    }
    for (int p = 0; rc == 0 && p < 3; p++)
        if (json_object_get(parts, data_part_names[p])) {
            gnt_st_init(&st[n]);
            rc = load_part(draft, &st[n++], json_object_get(parts, data_part_names[p]), err);
        }
    if (rc == 0)
        rc = put_arrays(draft, st, n, err);
    for (int p = 0; p < n; p++)
        gnt_st_free(&st[p]);
    if (!json_object_get(parts, "test"))
        data_draft_note(draft, "parts: there is no test part; save some rows as one");
    data_draft_set(draft, "parts", parts);
    return rc ? -1 : 1;
}
