/* saved: bundles of a checkpoint (job/checkpoint.h). What is saved is borrowed, so that the state of a
 * training is not copied before it is written. What is loaded may be hostile, and is checked before it is
 * used.
 *
 * Ownership: a gnt_saved borrows the data of its tensors and owns the rest; gnt_saved_free frees that. What
 * is loaded is copied into the caller's. Errors: −1 with a sentence; after one in gnt_saved_*, the checkpoint
 * is not written. */
#ifndef GNT_JOB_SAVED_H
#define GNT_JOB_SAVED_H

#include "base/arena.h"
#include "nn/io/safetensors.h"

/* Never given to gnt_st_free. */
typedef struct gnt_saved {
    gnt_st st;
    gnt_arena copies;
} gnt_saved;

void gnt_saved_free(gnt_saved *s);
/* Adds a tensor, whose name no other has. */
int gnt_saved_add(gnt_saved *s, const char *name, gnt_st_type type, int32_t rank, const int64_t *dim,
                  const void *data, gnt_err *err);
/* Adds a vector of n entries. */
int gnt_saved_vector(gnt_saved *s, const char *name, gnt_st_type type, int64_t n, const void *data,
                     gnt_err *err);
/* The same of a copy, for data that end before the bundle does. */
int gnt_saved_copy(gnt_saved *s, const char *name, gnt_st_type type, int64_t n, const void *data,
                   gnt_err *err);
/* Adds the tensors of a bundle from number `first` on, with names that begin with the prefix. */
int gnt_saved_bundle(gnt_saved *s, const char *prefix, const gnt_st *from, size_t first, gnt_err *err);

/* Returns the data of a vector of n entries; NULL with a sentence if there is none of that name, type and
 * length. */
const void *gnt_loaded_vector(const gnt_st *st, const char *name, gnt_st_type type, int64_t n, gnt_err *err);
/* Adds a copy of every tensor whose name begins with the prefix to `to`, without the prefix. */
int gnt_loaded_bundle(const gnt_st *st, const char *prefix, gnt_st *to, gnt_err *err);

#endif
