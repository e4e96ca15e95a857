/* hook_sequence_impl: shared by the files of the hook sequence: its state, and the tables of its steps. */
#ifndef GNT_VET_HOOK_SEQUENCE_IMPL_H
#define GNT_VET_HOOK_SEQUENCE_IMPL_H

#include <time.h>

#include "plugin/ending.h"
#include "vet/hook_sequence.h"
#include "vet/models.h"

/* One call of a hook. before and after are the host's part: they run while the input is writable, and return
 * −1 on failure. Either may be NULL. */
typedef struct gnt_vet_step {
    /* "transform_update of client 0" and "transform_update". */
    const char *name, *hook;
    /* All GNT_HOOK_* that the plugin must have. */
    uint32_t needs;
    /* The client (−1: the server), or the observation. */
    int32_t index;
    /* It is one of a client's hooks in a round. */
    int in_round;
    int (*before)(gnt_vet_sequence *t);
    /* Calls the hook and sets t->status. */
    void (*call)(gnt_vet_sequence *t);
    /* Called only after GNT_OK. */
    int (*after)(gnt_vet_sequence *t);
} gnt_vet_step;

struct gnt_vet_sequence {
    gnt_vet_sequence_spec spec;
    gnt_vet_setting setting;
    /* GNT_HOOK_* that the plugin has. */
    uint32_t hooks;
    /* n_steps of them; `at`: the next one. */
    const gnt_vet_step *step;
    int n_steps, at;
    gnt_vet_models models;
    gnt_instance *instance;
    /* The client whose random streams the instance has; −1: none yet. */
    int served;
    /* should_stop stays false in this hook. */
    int unlimited;
    /* No other hook can run. */
    int ended;

    /* The current hook: */
    const gnt_vet_step *running;
    int32_t index;
    /* Message of a `before` or `after` that returns −1. */
    gnt_err *err;
    gnt_status status;
    gnt_vet_hook_result *result;
    gnt_hasher digest;
    /* Samples that it encoded, or answers that it gave. */
    int64_t n_outputs;
    /* Bits of an attack's answers that it has given, see attack_steps.c. */
    uint64_t answered;
    /* Why an attack's search ended, as it says. */
    gnt_ending ending;
    /* Seconds on two clocks when should_stop turned true; 0: it did not. */
    double stop_cpu, stop_wall;

    /* Outputs that later hooks need: */
    gnt_artefacts *artefacts;
    /* state[0] belongs to the server. */
    gnt_st prepared, state[GNT_VET_CLIENTS + 1];
    int64_t sum_size;
    /* sum_size each, of each client, and their sum. */
    double *contribution[GNT_VET_CLIENTS], *sum;
    /* The second: what the client sends of its running statistics; n_statistics tensors. */
    gnt_tensors update, statistics;
    int64_t n_statistics;
    /* Flat. */
    float *new_weights;
    double *rate;
};

/* ---- defense_steps.c, attack_steps.c ---- */
extern const gnt_vet_step gnt_vet_defense_steps[], gnt_vet_attack_steps[];
extern const int gnt_vet_defense_count, gnt_vet_attack_count;

/* ---- hook_sequence_parts.c ---- */

/* Returns the seconds of a clock. */
double gnt_vet_seconds(clockid_t which);
/* Adds to the digest of the hook's outputs, and records the first value that is not finite, under `name`. */
void gnt_vet_digest_floats(gnt_vet_sequence *t, const char *name, const float *x, int64_t n);
void gnt_vet_digest_doubles(gnt_vet_sequence *t, const char *name, const double *x, int64_t n);
void gnt_vet_digest_bundle(gnt_vet_sequence *t, const gnt_st *st);
/* Copies a bundle that a hook gave to guard pages, as artefacts; NULL with a message. */
gnt_artefacts *gnt_vet_guard_bundle(gnt_vet_sequence *t, const char *name, const gnt_st *from, gnt_err *err);
void gnt_vet_destroy(gnt_vet_sequence *t);

/* Runs parts of the steps "create" and "prepare", which both kinds of plugin share. */
int gnt_vet_before_create(gnt_vet_sequence *t);
void gnt_vet_create(gnt_vet_sequence *t);
int gnt_vet_before_prepare(gnt_vet_sequence *t);
/* Passes the prepared artefacts to the hooks that follow. */
int gnt_vet_after_prepare(gnt_vet_sequence *t);

#endif
