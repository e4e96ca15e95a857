/* influence: what single updates did to the model that a defense's server made of them.
 *
 * A server that aggregates by a hook may undo what client hooks did: a key that both sides know, junk that is
 * added to the weights and removed a round later, noise that is subtracted again. An update as it was
 * received then says nothing of what the model was made of. So the server runs more than once, in further
 * processes of the same keys (run/side_processes.h), each with weights of its own that go from round to
 * round:
 *
 *   zeros    for each recorded update whose influence is measured: all updates as the training received them,
 *            but for that one, which is zero.
 *   shadow   the same, but for an update of shadow rows in its place (job/shadow_client.h).
 *   repeat   all updates as they are. A server that does not give the same again is marked.
 *   control  in each round all updates, the entries of each tensor shifted by a random number of places, so
 *            that they keep their size and lose their content. The utility that is left does not come from
 *            what clients sent.
 *
 * No process can know which of these it is: messages begin in round 0 and have the same form. W are the real
 * final weights, W_0 and W_s those of the first two, a the scale at which a mean takes that update: its
 * share, times minus the rate where clients share gradients. The influence is one of
 *
 *   (W − W_0) / a             what the server does to every update drops out
 *   (W − W_s) / a + p_s       and what it does to this client's whatever the update, such as to subtract
 *                             noise of a key. p_s is the shadow update without hooks, which a server knows
 *
 * and of the two the one that is more like what the client would have sent without a defense. Where the
 * server takes the weighted mean, the first is the update, but for rounding.
 *
 * An attacker that learns from shadow updates needs such as did the same to the model. So the record says of
 * each round whether influences are more like updates without hooks than as they were sent (job/undone.h).
 *
 * Right after its round the models of the two replacements differ as these do (job/agreement.h), or the
 * server did something for one of them, and is marked.
 *
 * Ownership: an open gnt_influence owns its arrays; what its spec points to outlives it. Errors: −1 with a
 * sentence. A process that refuses its updates is no error: it is marked, and the others go on. */
#ifndef GNT_JOB_INFLUENCE_H
#define GNT_JOB_INFLUENCE_H

#include "job/record/record.h"
#include "job/side/remote.h"

typedef struct gnt_influence gnt_influence;

/* The update of shadow rows in the place of another one. */
typedef struct gnt_replacement {
    /* gnt_model_shared_size entries each: as hooks made it, and as it is without them. */
    float *sent, *plain;
    /* 0: there is none. */
    int made;
    /* Why hooks failed; "" if they did not. */
    gnt_err refused;
} gnt_replacement;

typedef struct gnt_influence_spec {
    /* Its further processes of the server: with `shadow` twice as many as updates are measured, else as many,
     * and two more. */
    gnt_remote *remote;
    /* Updates are replaced by those of shadow rows, too. */
    int shadow;
    gnt_work *work;
    const gnt_model *model;
    /* Says which updates, and gets the influences and marks. */
    gnt_record *record;
    /* Key of the shifts. */
    const gnt_key *key;
    /* At the start of the training. */
    const float *weights, *buffers;
} gnt_influence_spec;

/* Opens the measurement of influences; *out is NULL, without an error, if the remote has no further
 * processes of the server. */
int gnt_influence_open(gnt_influence **out, const gnt_influence_spec *spec, gnt_err *err);
void gnt_influence_free(gnt_influence *f);

/* Finds the replacement of that client's update in that round, to be made before the round is added.
 * *out: NULL
 * if none is wanted. */
int gnt_influence_replaces(gnt_influence *f, int32_t round, int32_t client, gnt_replacement **out,
                           gnt_err *err);
/* Notes what a client would have sent without a defense, and what it sent; of an update that is not measured
 * nothing is kept. */
int gnt_influence_note(gnt_influence *f, int32_t round, int32_t client, const float *plain, const float *sent,
                       gnt_err *err);
/* Runs the further processes on a round that the server has aggregated. in: what it was given; next: what it
 * made of it, in->n_params entries. */
int gnt_influence_add_round(gnt_influence *f, const gnt_aggregate *in, const float *next, gnt_err *err);
/* Gives the record the influences and the marks, after the last round. */
int gnt_influence_end(gnt_influence *f, gnt_err *err);
/* Copies the control's present weights and buffers, in the form of the model's: gnt_model_size and
 * gnt_model_buffer_size entries. 0, with a sentence in `why`, if it refused its updates. */
int gnt_influence_control(const gnt_influence *f, float *weights, float *buffers, gnt_err *why);

#endif
