/* artefacts: bundles as the plugin ABI shows them (gnt_artefacts), and what hooks hand over (gnt_sink) as
 * bundles.
 *
 * F32 tensors are views, U8 vectors are blobs.
 *
 * Ownership: a gnt_artefact_set owns its bundle; gnt_artefact_set_free frees it. Errors: −1 with a
 * sentence. */
#ifndef GNT_JOB_ARTEFACTS_H
#define GNT_JOB_ARTEFACTS_H

#include "base/err.h"
#include "gauntlet/plugin.h"
#include "nn/io/safetensors.h"

typedef struct gnt_artefact_set {
    gnt_artefacts view;
    gnt_view *views;
    gnt_blob *blobs;
    gnt_st st;
} gnt_artefact_set;

/* Takes the bundle over; `st` is empty afterwards. */
int gnt_artefact_set_from(gnt_artefact_set *out, gnt_st *st, gnt_err *err);
void gnt_artefact_set_free(gnt_artefact_set *a);

/* Adds a tensor that a plugin hands over. Without data or shape it fails, where gnt_st_add would make
 * zeros. */
int gnt_sink_add(gnt_st *st, const char *name, gnt_st_type type, int32_t rank, const int64_t *dim,
                 const void *data, gnt_err *err);
/* Returns a sink that writes into `st`. */
gnt_sink gnt_sink_into(gnt_st *st);

#endif
