/* sampleset: sets of samples as bundles (safetensors), and in memory as plugins see them.
 *
 * Bundle: x (U8 n × features, meaning value / 255, or F32 n × features), label (I32 n), a (I32 n ×
 * attributes); of a set with maps also map and mask (U8 n × H·W, 1 or 0), and label is 0; of the clients'
 * rows also group (I32 n) where the set has groups. Its metadata says kind, shape, classes and attributes.
 * Row numbers of files never enter a bundle.
 *
 * Ownership: a gnt_sampleset owns everything that its view points to; gnt_sampleset_free frees it.
 * Errors: −1 with a sentence. Bundles are not trusted: every size and value is checked. */
#ifndef GNT_JOB_SAMPLESET_H
#define GNT_JOB_SAMPLESET_H

#include <jansson.h>

#include "base/err.h"
#include "data/data.h"
#include "gauntlet/plugin.h"
#include "nn/io/safetensors.h"

typedef struct gnt_sampleset {
    gnt_samples view;
    float *x, *y;
    int64_t *id;
    int32_t *label, *a, *group; /* group: NULL where the bundle has none */
    uint8_t *mask;
    int has_maps; /* 1: y holds maps (1 or 0 for each pixel), and every sample has a mask of its own */
    gnt_attribute attribute[GNT_DATA_ATTRS];
    char attribute_name[GNT_DATA_ATTRS][GNT_DATA_NAME];
} gnt_sampleset;

/* Packs rows of a data set into an empty bundle. */
int gnt_samples_pack(gnt_st *out, const gnt_data *data, const int64_t *rows, int64_t n, gnt_err *err);
/* Adds the group of each row, where the set has groups. */
int gnt_samples_pack_groups(gnt_st *out, const gnt_data *data, const int64_t *rows, int64_t n, gnt_err *err);
/* Copies rows row[0 … n − 1] of one bundle into an empty one. */
int gnt_samples_rows(gnt_st *out, const gnt_st *from, const int64_t *row, int64_t n, gnt_err *err);
/* Reads a bundle into memory, with one-hot labels, or maps, as y and ids 0 … n − 1. The sentence of an
 * error names `where`. */
int gnt_samples_unpack(gnt_sampleset *out, const gnt_st *st, const char *where, gnt_err *err);
void gnt_sampleset_free(gnt_sampleset *s);

/* A sensitive rectangle of images, in pixels, the same in all: rows top … top + height − 1, columns left …
 * left + width − 1. height 0: there is none. */
typedef struct gnt_region {
    int64_t top, left, height, width;
} gnt_region;
/* Marks the region in every sample's mask. One that does not lie within the images is an error. Samples that
 * have masks of their own keep these. */
int gnt_samples_mark(gnt_sampleset *s, const gnt_region *region, gnt_err *err);
/* Sets the weight of the attribute of that name, from 0 to 1: how much it is to be hidden. Without such an
 * attribute nothing is done. */
void gnt_samples_hide(gnt_sampleset *s, const char *attribute, double weight);

/* Returns samples from … from + n − 1; borrows their data. */
gnt_samples gnt_samples_part(const gnt_samples *s, int64_t from, int64_t n);

#endif
