#include "data/npy.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "data/zip.h"

/* What a type of numpy's becomes: bytes of an element, and the tensor's type. */
typedef struct element {
    const char *descr;
    int size, is_signed;
    gnt_st_type type;
} element;

static const element elements[] = {
    {"|u1", 1, 0, GNT_ST_U8},  {"|b1", 1, 0, GNT_ST_U8},  {"|i1", 1, 1, GNT_ST_I32},
    {"<i2", 2, 1, GNT_ST_I32}, {"<u2", 2, 0, GNT_ST_I32}, {"<i4", 4, 1, GNT_ST_I32},
    {"<u4", 4, 0, GNT_ST_I64}, {"<i8", 8, 1, GNT_ST_I64}, {"<u8", 8, 0, GNT_ST_I64},
    {"<f4", 4, 1, GNT_ST_F32}, {"<f8", 8, 1, GNT_ST_F64}};

/* The header, a Python dictionary of three keys. */
typedef struct header {
    const char *path, *at, *end;
    char descr[16];
    int fortran, found; /* found: a bit for each key */
    int32_t rank;
    int64_t dim[GNT_ST_RANK];
    gnt_err *err;
} header;

static int broken(const header *h, const char *what) {
    return gnt_fail(h->err, "%s: the header of this array %s; expected a file that numpy.save wrote", h->path,
                    what);
}

static void skip_spaces(header *h) {
    while (h->at < h->end && (*h->at == ' ' || *h->at == '\n'))
        h->at++;
}

static int take(header *h, char c) {
    skip_spaces(h);
    if (h->at == h->end || *h->at != c)
        return 0;
    h->at++;
    return 1;
}

static int read_text(header *h, char *out, size_t room) {
    size_t n = 0;
    skip_spaces(h);
    if (h->at == h->end || (*h->at != '\'' && *h->at != '"'))
        return broken(h, "has a value that is no text, such as the list of a structured type");
    const char quote = *h->at++;
    while (h->at < h->end && *h->at != quote && n + 1 < room)
        out[n++] = *h->at++;
    out[n] = 0;
    return take(h, quote) ? 0 : broken(h, "has a text that does not end");
}

static int read_truth(header *h, int *out) {
    skip_spaces(h);
    const size_t left = (size_t)(h->end - h->at);
    *out = left >= 4 && memcmp(h->at, "True", 4) == 0;
    if (!*out && !(left >= 5 && memcmp(h->at, "False", 5) == 0))
        return broken(h, "has a fortran_order that is neither True nor False");
    h->at += *out ? 4 : 5;
    return 0;
}

static int read_shape(header *h) {
    if (!take(h, '('))
        return broken(h, "has a shape that is no tuple");
    for (h->rank = 0; !take(h, ')'); h->rank++) {
        int64_t n = 0;
        int digits = 0;
        skip_spaces(h);
        for (; h->at < h->end && *h->at >= '0' && *h->at <= '9' && digits < 12; digits++)
            n = 10 * n + (*h->at++ - '0');
        if (digits == 0 || h->rank == GNT_ST_RANK)
            return broken(h, "has a shape that is no tuple of at most 8 sizes");
        h->dim[h->rank] = n;
        if (!take(h, ',')) {
            h->rank++;
            return take(h, ')') ? 0 : broken(h, "has a shape that does not end");
        }
    }
    return 0;
}

static int read_header(header *h) {
    char key[32];
    if (!take(h, '{'))
        return broken(h, "is no dictionary");
    while (!take(h, '}')) {
        if (read_text(h, key, sizeof key) || (!take(h, ':') && broken(h, "has a key without a value")))
            return -1;
        int rc = 0, bit = 0;
        if (strcmp(key, "descr") == 0)
            bit = 1, rc = read_text(h, h->descr, sizeof h->descr);
        else if (strcmp(key, "fortran_order") == 0)
            bit = 2, rc = read_truth(h, &h->fortran);
        else if (strcmp(key, "shape") == 0)
            bit = 4, rc = read_shape(h);
        else
            return broken(h, "has an unknown key");
        if (rc != 0)
            return rc;
        h->found |= bit;
        take(h, ',');
    }
    return h->found == 7 ? 0 : broken(h, "lacks descr, fortran_order or shape");
}

static const element *element_of(const header *h, gnt_err *err) {
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
        if (strcmp(h->descr, elements[i].descr) == 0)
            return &elements[i];
    gnt_fail(err,
             "%s: the elements of this array are of type %.15s; expected integers, float32, float64 or bool, "
             "little-endian: convert it with array.astype('float32')",
             h->path, h->descr);
    return NULL;
}

/* Reads a little-endian whole number. Returns it; *too_large where it is none of 64 bits with a sign. */
static int64_t whole(const uint8_t *at, const element *e, int *too_large) {
    uint64_t v = 0;
    for (int b = e->size; b-- > 0;)
        v = v << 8 | at[b];
    if (e->is_signed && e->size < 8 && v >> (8 * e->size - 1))
        v |= UINT64_MAX << (8 * e->size);
    *too_large |= !e->is_signed && v > INT64_MAX;
    return (int64_t)v;
}

static int copy_elements(const header *h, const element *e, const uint8_t *at, gnt_st_tensor *t,
                         gnt_err *err) {
    const int64_t n = (int64_t)(t->bytes / gnt_st_type_size(t->type));
    int too_large = 0;
    if (e->size == (int)gnt_st_type_size(t->type) && (e->is_signed || e->size == 1)) {
        memcpy(t->data, at, t->bytes);
        return 0;
    }
    for (int64_t i = 0; i < n; i++) {
        const int64_t v = whole(at + i * e->size, e, &too_large);
        if (t->type == GNT_ST_I32)
            ((int32_t *)t->data)[i] = (int32_t)v;
        else
            ((int64_t *)t->data)[i] = v;
    }
    return too_large ? gnt_fail(err, "%s: an element is above 2^63; expected whole numbers below", h->path)
                     : 0;
}

int data_npy_add(gnt_st *st, const char *name, const char *path, const uint8_t *bytes, size_t size,
                 gnt_err *err) {
    static const char magic[] = "\x93NUMPY";
    gnt_st_tensor *t = NULL;
    size_t begin = 10, length = 0;
    if (size < begin || memcmp(bytes, magic, 6) != 0)
        return gnt_fail(err, "%s: it is no array that numpy.save wrote: its first bytes are others", path);
    length = bytes[8] | (size_t)bytes[9] << 8;
    if (bytes[6] > 1 && size >= 12) {
        length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
        begin = 12;
    }
    if (length > size - begin || length > 1 << 16)
        return gnt_fail(err, "%s: the file ends within the header of its array; fetch or write it again",
                        path);
    header h = {.path = path, .at = (const char *)bytes + begin, .err = err};
    h.end = h.at + length;
    if (read_header(&h) != 0)
        return -1;
    const element *e = element_of(&h, err);
    if (!e)
        return -1;
    if (h.fortran && h.rank > 1)
        return gnt_fail(err, "%s: the array is in Fortran's order; write numpy.ascontiguousarray(array)",
                        path);
    uint64_t n = (uint64_t)e->size;
    for (int32_t i = 0; i < h.rank; i++) {
        if (h.dim[i] > 0 && n > (UINT64_C(1) << 50) / (uint64_t)h.dim[i])
            return gnt_fail(err, "%s: the shape of this array has more elements than any file", path);
        n *= (uint64_t)h.dim[i];
    }
    if (n != size - begin - length)
        return gnt_fail(err, "%s: %zu bytes of elements, where the shape of the array needs %llu", path,
                        size - begin - length, (unsigned long long)n);
    if (gnt_st_add(st, name, e->type, h.rank, h.dim, NULL, &t, err) != 0)
        return gnt_fail_in(err, "%s", path);
    return copy_elements(&h, e, bytes + begin + length, t, err);
}

int data_npy_load(gnt_st *st, const char *name, const char *path, gnt_err *err) {
    uint8_t *bytes = NULL;
    size_t size = 0;
    int rc = gnt_file_read(path, DATA_NPY_MOST, &bytes, &size, err);
    if (rc == 0)
        rc = data_npy_add(st, name, path, bytes, size, err);
    gnt_free(bytes);
    return rc;
}

static int add_member(void *user, const char *path, const char *member, const uint8_t *bytes, size_t size,
                      gnt_err *err) {
    gnt_st *st = user;
    const size_t n = strlen(member);
    if (n < 5 || strcmp(member + n - 4, ".npy") != 0)
        return gnt_fail(err, "%s: %s in it is no array; expected a file that numpy.savez wrote", path,
                        gnt_show_text(member).text);
    char *name = gnt_strdup(member), *where = gnt_format("%s: %s", path, member);
    if (name)
        name[n - 4] = 0;
    int rc = name && where ? data_npy_add(st, name, where, bytes, size, err)
                           : gnt_fail(err, "%s: out of memory", path);
    gnt_free(name);
    gnt_free(where);
    return rc;
}

int data_npz_load(gnt_st *st, const char *path, gnt_err *err) {
    return data_zip_members(path, DATA_NPY_MOST, add_member, st, err);
}
