/* observe: what the files of the observe job share.
 *
 * Observations come from one of two sources. In the round: what the training recorded; no hook runs here.
 * Probe: the hooks of the defense run here once more, on targets or shadow rows.
 *
 * Ownership: the `observing` of gnt_job_observe owns all its members, which that function frees at its end.
 * Errors: −1 with a sentence. */
#ifndef GNT_JOB_OBSERVE_H
#define GNT_JOB_OBSERVE_H

#include "job/record/encoded_set.h"
#include "job/work/hidden.h"
#include "job/record/record.h"
#include "job/work/work.h"

/* Runs the job `observe` (job.h). */
int gnt_job_observe(gnt_work *w, gnt_err *err);

/* The weights that clients start from. Set by observe.c when the job opens. */
typedef struct observe_broadcast {
    float *weights, *buffers;
    /* What each client keeps of the parameters (clients × gnt_model_own_size), and one client's weights with
     * it in its place. NULL: clients share all. */
    float *own, *merged;
} observe_broadcast;

/* Samples that a client encodes together. observe.c sets size and epochs, observe_sets.c the rest. */
typedef struct observe_encoded {
    /* Samples in a set, 0: none are encoded; and in how many passes. */
    int64_t size, epochs;
    /* n sets, encoded; NULL before. */
    gnt_encoded_set *encoded;
    int64_t n;
} observe_encoded;

/* The record of the round. Set by observe_round.c; empty in a probe. */
typedef struct observe_recording {
    gnt_st record, behind;
    gnt_recorded recorded;
    /* The samples behind what was observed, as a bundle. */
    gnt_st truth;
} observe_recording;

/* Room for one batch, allocated by observe.c and filled by observe_batch. */
typedef struct observe_one {
    float *x, *y;
    int32_t *a;
    int64_t *id;
} observe_one;

/* One run of the job. Set by observe.c when the job opens unless a part says otherwise. */
typedef struct observing {
    gnt_work *work;
    const gnt_request_observation *request;
    gnt_work_model model;
    gnt_work_chain chain;
    gnt_sampleset samples, public_data;
    gnt_st trained;
    observe_broadcast broadcast;
    /* Settings of the observed client. */
    gnt_fl_config config;
    gnt_work_hidden hidden;
    int32_t stage;
    /* Observations, and private samples behind each. */
    int64_t targets, batch;
    observe_encoded sets;
    /* One GNT_SURFACE_*. */
    uint32_t surface;
    /* The samples are the shadow part's. */
    int shadow;
    /* They are observed for an attack on influence, which is like updates without hooks. */
    int without_hooks;
    /* GNT_FL_*: how clients go through their samples in a probe. */
    int passes;
    /* 1: observed in the round; 0: a probe. */
    int in_round;
    observe_recording round;
    /* The output "seen"; and the result of a secure sum, where a defense took one. */
    gnt_st observations, sum;
    observe_one one;
} observing;

/* Returns how many of the o->batch samples are behind observation j; the others repeat them. */
int64_t observe_rows(const observing *o, int64_t j);
/* Returns how many samples an update was computed with at most: those of the batch, or of their encodings. */
int64_t observe_samples(const observing *o);
/* Returns batch j of the samples, cyclically over whole batches if there are fewer than requested; in the
 * round, as many samples as are behind observation j. Valid until the next call. */
gnt_samples observe_batch(observing *o, int64_t j);
/* Returns the broadcast weights with the parameters that the client keeps in their places. A shadow client
 * has none of a real one: its own parameters are those of the broadcast weights. Valid until the next
 * call. */
const float *observe_weights(observing *o, int64_t client);
/* Adds a F32 tensor of zeros; *out points to it. */
int observe_add(gnt_st *st, const char *name, int64_t rows, int64_t columns, float **out, gnt_err *err);
/* Writes an output, and frees the bundle, after a failure too. */
int observe_write(observing *o, const char *output, gnt_st *st, gnt_err *err);
/* Gives the chain the state that it saved for this client. */
int observe_load_client(observing *o, int32_t client, gnt_err *err);

/* ---- observe_round.c: what the training recorded, and the samples behind it ---- */
int observe_open_round(observing *o, gnt_err *err);
int observe_recorded(observing *o, gnt_err *err);
int observe_write_recorded(observing *o, gnt_err *err);
int observe_add_sizes(const observing *o, json_t *all);

/* ---- observe_sets.c: sets of samples that the defense encodes ---- */
/* Lets the defense encode all sets; batch j of the samples is set j. */
int observe_encode_sets(observing *o, gnt_err *err);
void observe_free_sets(observing *o);
/* Returns the number of encodings in all sets. */
int64_t observe_encodings_of_all(const observing *o);
/* Returns encoding i of all, as a batch of one. */
gnt_samples observe_encoding(const observing *o, int64_t i);
/* Writes the output "mixing": the claims of all sets. */
int observe_write_mixing(observing *o, gnt_err *err);

#endif
