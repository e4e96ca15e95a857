/* safetensors: named tensors and a metadata object in one block of bytes, the format of weight files and the
 * one container that jobs exchange (observations, answers and artefacts are such blocks too).
 *
 * Layout: u64 little-endian header size, JSON header, data. Hostile input is normal: sizes, overlaps, types,
 * offsets and names are checked before anything is used. */
#ifndef GNT_NN_SAFETENSORS_H
#define GNT_NN_SAFETENSORS_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { GNT_ST_RANK = 8, GNT_ST_NAME = 256, GNT_ST_MOST_TENSORS = 65536 };

typedef enum gnt_st_type { GNT_ST_F32, GNT_ST_F64, GNT_ST_I32, GNT_ST_I64, GNT_ST_U8 } gnt_st_type;

typedef struct gnt_st_tensor {
    char *name;
    gnt_st_type type;
    int32_t rank;
    int64_t dim[GNT_ST_RANK];
    void *data; /* aligned to 64; owned by the set */
    size_t bytes;
} gnt_st_tensor;

typedef struct gnt_st {
    gnt_st_tensor *tensor;
    size_t n;
    char *metadata; /* JSON text of one object, stored under __metadata__.gauntlet, or NULL */
} gnt_st;

void gnt_st_init(gnt_st *st);
void gnt_st_free(gnt_st *st);
/* Adds a tensor and copies `data` (NULL = zeros). Fails on a repeated name or an overflowing shape. *out
 * may be NULL and stays valid until the next add. */
int gnt_st_add(gnt_st *st, const char *name, gnt_st_type type, int32_t rank, const int64_t *dim,
               const void *data, gnt_st_tensor **out, gnt_err *err);
gnt_st_tensor *gnt_st_find(const gnt_st *st, const char *name); /* NULL when absent */
/* Returns the tensor of this name, type and shape (rank −1: any shape); else NULL with an error that names
 * `where`. */
gnt_st_tensor *gnt_st_need(const gnt_st *st, const char *where, const char *name, gnt_st_type type,
                           int32_t rank, const int64_t *dim, gnt_err *err);
int gnt_st_set_metadata(gnt_st *st, const char *json, gnt_err *err);
/* Sets the metadata as above, to the text that jansson writes of `all` under `flags`. Takes the reference
 * to `all`; NULL: out of memory for `what`. */
int gnt_st_set_json(gnt_st *st, json_t *all, size_t flags, const char *what, gnt_err *err);
size_t gnt_st_type_size(gnt_st_type type);

/* Reads a set from bytes; `name` is the file's name in errors. F16 and BF16 tensors of foreign files are
 * widened to F32. */
int gnt_st_parse(gnt_st *st, const char *name, const uint8_t *bytes, size_t size, gnt_err *err);
/* Writes the set to *bytes, which the caller frees with gnt_free. The same tensors give the same bytes: they
 * keep the order of adding, and the header is padded to 8. */
int gnt_st_write(const gnt_st *st, uint8_t **bytes, size_t *size, gnt_err *err);
int gnt_st_load(gnt_st *st, const char *path, gnt_err *err);
int gnt_st_save(const gnt_st *st, const char *path, gnt_err *err);

#endif
