/* shadow_client: an update that a client might have sent, made of shadow rows in its place.
 *
 * It is as like the client's own as can be: of the same round, weights, client and state, from as many rows,
 * of the same labels as far as there are such rows, and through the same hooks, in a copy of their process
 * that cannot know that the client's own work is another one's. Random streams alone are others: nobody but
 * the client knows its own, so what it draws from them must not cancel in a difference.
 *
 * Ownership: what the spec points to outlives it. Errors: −1 with a sentence. Hooks that fail are no error:
 * the update is then not made. */
#ifndef GNT_JOB_SHADOW_CLIENT_H
#define GNT_JOB_SHADOW_CLIENT_H

#include "job/influence.h"
#include "job/side/remote.h"

typedef struct gnt_shadow_client gnt_shadow_client;

typedef struct gnt_shadow_spec {
    gnt_work *work;
    gnt_remote *remote;
    const gnt_model *model;
    const gnt_fl_config *config;
    /* The training's: of batches, and of the draw of rows. */
    const gnt_key *key;
    /* Properties of the shadow rows, which are the input "shadow". */
    const gnt_request_samples *samples;
    const gnt_sampleset *clients;
    /* NULL: there are none. */
    const gnt_samples *public_data;
    const gnt_partition *part;
    /* With results of secure sums, and what clients hold. */
    const gnt_st *trained;
} gnt_shadow_spec;

int gnt_shadow_open(gnt_shadow_client **out, const gnt_shadow_spec *spec, gnt_err *err);
void gnt_shadow_free(gnt_shadow_client *s);

/* Makes the update of one client and round. weights: broadcast; own: what each client keeps of the parameters
 * (clients × gnt_model_own_size), NULL: they share all. state: the client's before the round, NULL: defenses
 * have none. */
int gnt_shadow_make(gnt_shadow_client *s, int32_t round, int32_t client, const float *weights,
                    const float *buffers, const float *own, const gnt_st *state, gnt_replacement *out,
                    gnt_err *err);

#endif
