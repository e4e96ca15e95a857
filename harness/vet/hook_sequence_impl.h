/* hook_sequence_impl: what the files of the hook sequence share: its state, and the tables of its steps. */
#ifndef GNT_VET_HOOK_SEQUENCE_IMPL_H
#define GNT_VET_HOOK_SEQUENCE_IMPL_H

#include <time.h>

#include "vet/hook_sequence.h"
#include "vet/models.h"

/* One call of a hook. before and after are the host's part: they run while the input is writable, and fail
 * with −1. Either may be NULL. */
typedef struct gnt_vet_step {
    /* "transform_update of client 0" and "transform_update". */
    const char *name, *hook;
    /* GNT_HOOK_* that the plugin must have, all of them. */
    uint32_t needs;
    /* The client (−1: the server), or the observation. */
    int32_t index;
    int (*before)(gnt_vet_sequence *t, gnt_err *err);
    /* Calls the hook and sets t->status. */
    void (*call)(void *sequence);
    /* Only after GNT_OK. */
    int (*after)(gnt_vet_sequence *t, gnt_err *err);
} gnt_vet_step;

struct gnt_vet_sequence {
    gnt_vet_sequence_spec spec;
    gnt_vet_setting setting;
    /* GNT_HOOK_* that the plugin has. */
    uint32_t hooks;
    /* n_steps of them; `at`: the next. */
    const gnt_vet_step *step;
    int n_steps, at;
    gnt_vet_models models;
    gnt_instance *instance;
    /* This hook is not told to stop. */
    int unlimited;
    /* No other hook can run. */
    int ended;

    /* Of the hook that runs: */
    int32_t index;
    gnt_status status;
    gnt_vet_hook_result *result;
    gnt_hasher digest;
    /* Samples that it encoded, or answers that it gave. */
    int64_t n_outputs;
    /* Seconds on two clocks when it was told to stop; 0: it was not. */
    double stop_cpu, stop_wall;

    /* What hooks gave that later ones need: */
    gnt_artefacts *artefacts;
    /* state[0] is the server's. */
    gnt_st prepared, state[GNT_VET_CLIENTS + 1];
    int64_t sum_size;
    /* GNT_VET_CLIENTS × sum_size, and their sum. */
    double *contribution, *sum;
    gnt_tensors update;
    /* Flat. */
    float *update_data, *new_weights;
    double rate;
};

/* ---- defense_steps.c, attack_steps.c ---- */
extern const gnt_vet_step gnt_vet_defense_steps[], gnt_vet_attack_steps[];
extern const int gnt_vet_defense_count, gnt_vet_attack_count;

/* ---- hook_sequence_parts.c ---- */

/* Seconds of a clock. */
double gnt_vet_seconds(clockid_t which);
/* Add to the digest of what the hook gave, and note the first value that is not finite, under `name`. */
void gnt_vet_digest_floats(gnt_vet_sequence *t, const char *name, const float *x, int64_t n);
void gnt_vet_digest_doubles(gnt_vet_sequence *t, const char *name, const double *x, int64_t n);
void gnt_vet_digest_bundle(gnt_vet_sequence *t, const gnt_st *st);
/* A bundle that a hook gave, as artefacts on guard pages; NULL with a sentence. */
gnt_artefacts *gnt_vet_guard_bundle(gnt_vet_sequence *t, const char *name, const gnt_st *from, gnt_err *err);
void gnt_vet_destroy(gnt_vet_sequence *t);

/* Parts of the steps "create" and "prepare", which both kinds of plugin have. */
int gnt_vet_before_create(gnt_vet_sequence *t, gnt_err *err);
void gnt_vet_create(void *sequence);
int gnt_vet_before_prepare(gnt_vet_sequence *t, gnt_err *err);
/* Hands what was prepared to the hooks that follow. */
int gnt_vet_after_prepare(gnt_vet_sequence *t, gnt_err *err);

#endif
