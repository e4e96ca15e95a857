/* observe: what the files of the observe job share. */
#ifndef GNT_JOB_OBSERVE_H
#define GNT_JOB_OBSERVE_H

#include "job/record.h"
#include "job/released.h"
#include "job/work.h"

typedef struct observing {
    gnt_work *work;
    const gnt_request_observation *ask;
    gnt_work_model model;
    gnt_work_chain chain;
    gnt_sampleset samples, public_data;
    gnt_st trained;
    float *weights, *buffers;
    float *own,
        *merged; /* what each client keeps of the parameters, and one client's weights; NULL: nothing */
    gnt_fl_config config; /* of the observed client */
    int32_t stage;
    int64_t targets, batch; /* observations, and private samples behind each */
    int64_t set, epochs;    /* samples that a client encodes together, 0: it does not; and how often */
    uint32_t surface;
    int shadow;             /* the samples are the shadow part's */
    gnt_released *released; /* of each of `sets` sets, where samples were encoded */
    int64_t sets;
    int how;   /* GNT_FL_*: how clients go through their samples where hooks run here */
    int round; /* it was observed in the round: what follows, else the hooks are run here */
    gnt_st record, held, truth;
    gnt_recorded recorded;
    int64_t *rows;    /* of the clients' samples, of each observed sample */
    gnt_st seen, sum; /* sum: of a secure sum, where a defense took one */
    float *x, *y;     /* the batch of one target, B samples */
    int32_t *a;
    int64_t *id;
} observing;

/* Batch j of the role, round and round over whole batches when a shadow part has fewer than asked. Valid until the next
 * call. */
gnt_samples observe_batch(observing *o, int64_t j);
/* The broadcast weights, with what the client keeps in its place; valid until the next call. A shadow client has nothing
 * of a real one: its own parameters are those that stand in the broadcast weights. */
const float *observe_weights(observing *o, int64_t client);
int observe_add(gnt_st *st, const char *name, int64_t rows, int64_t columns, float **out, gnt_err *err);
/* Writes an output, and frees the bundle. */
int observe_write(observing *o, const char *output, gnt_st *st, gnt_err *err);

/* Gives the chain what it carries on for this client. */
int observe_load_client(observing *o, int32_t client, gnt_err *err);

/* observe_round.c: what the training recorded, in place of what hooks would give; and what stands behind it. */
int observe_open_round(observing *o, gnt_err *err);
int observe_recorded(observing *o, gnt_err *err);
int observe_write_recorded(observing *o, gnt_err *err);

/* observe_sets.c: lets the defense encode all sets, batch j of the role being set j. */
int observe_encode_sets(observing *o, gnt_err *err);
void observe_free_sets(observing *o);
int64_t observe_encodings_of_all(const observing *o);
gnt_samples observe_encoding(const observing *o, int64_t i); /* encoding i of all, by itself */
int observe_write_mixing(observing *o, gnt_err *err);

#endif
