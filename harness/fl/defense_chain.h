/* defense_chain: the defenses of one suite entry, in order. Encodings apply in order, then update transforms
 * in order; at most one member takes over the client's computation and at most one the aggregation.
 *
 * fl knows defenses by plugin.h alone: the maker of the instances says through `done` how a hook's status is
 * read (it also frees the hook's scratch memory). */
#ifndef GNT_FL_DEFENSE_CHAIN_H
#define GNT_FL_DEFENSE_CHAIN_H

#include "base/err.h"
#include "fl/mixture.h"
#include "gauntlet/plugin.h"

typedef struct gnt_member {
    const gnt_defense *hooks;
    void *self;
    const gnt_artefacts *artefacts; /* what its prepare left, or NULL */
    void (*begin)(void *owner, const char *hook);
    /* Called after every hook; 0 when the status was GNT_OK, else −1 with the plugin's sentence. */
    int (*done)(void *owner, gnt_status status, gnt_err *err);
    void *owner;
    const char *id; /* for sentences; may be NULL */
    int remote;     /* its hooks run in another process, out of whose reach the inputs are */
} gnt_member;

typedef struct gnt_chain {
    gnt_member *member;
    int32_t n;
    int64_t n_params, n_buffers; /* of the model: hooks must leave so many weights and buffers as they are */
} gnt_chain;

/* Returns the number of entries of one sample's mask. */
static inline int64_t gnt_mask_size(const gnt_samples *s) {
    return s->rank == 3 ? s->dim[1] * s->dim[2] : s->features;
}

/* Samples that hooks may replace: owns its memory once a hook encoded. */
typedef struct gnt_batch {
    gnt_samples view;
    float *x, *y; /* NULL while the view borrows the caller's samples */
    int64_t *id;
    int32_t *a;
    uint8_t *mask;
    /* of what each sample was made, kept up to date by encodings; NULL: not wanted. The caller's */
    gnt_mixture *made_of;
} gnt_batch;

/* Starts a batch that borrows `samples`. */
void gnt_batch_borrow(gnt_batch *b, const gnt_samples *samples);
void gnt_batch_free(gnt_batch *b);
/* Copies samples row[0 … n−1] of `s`; a batch that owns its memory. −1 when out of memory. */
int gnt_batch_gather(gnt_batch *b, const gnt_samples *s, const uint32_t *row, int64_t n);

/* True if some member encodes sets. */
int gnt_chain_encodes_sets(const gnt_chain *chain);
/* Lets every member with encode_set encode the batch in turn (client->samples is set on the way). */
int gnt_chain_encode_set(const gnt_chain *chain, gnt_client *client, int64_t epoch, gnt_batch *b,
                         gnt_err *err);
/* Encodes queries to the trained network, as above: without labels, names, attributes and masks, before and
 * after. */
int gnt_chain_encode_query(const gnt_chain *chain, gnt_client *client, int64_t draw, gnt_batch *b,
                           gnt_err *err);
int gnt_chain_encode_batch(const gnt_chain *chain, gnt_client *client, int64_t step, gnt_batch *b,
                           gnt_err *err);
int gnt_chain_local_rate(const gnt_chain *chain, gnt_client *client, int64_t step, double *rate,
                         gnt_err *err);
/* Lets a member compute the update. *took: 1 if one did. */
int gnt_chain_client_update(const gnt_chain *chain, gnt_client *client, gnt_tensors *update, int *took,
                            gnt_err *err);
int gnt_chain_transform(const gnt_chain *chain, gnt_client *client, gnt_tensors *update, gnt_err *err);
/* Computes what one member contributes to a secure sum. */
int gnt_chain_contribute(const gnt_member *m, const gnt_chain *chain, const gnt_client *client,
                         double *vector, gnt_err *err);
int gnt_chain_aggregate(const gnt_chain *chain, gnt_aggregate *in, float *new_weights, int *took,
                        gnt_err *err);

#endif
