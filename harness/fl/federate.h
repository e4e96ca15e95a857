/* federate: clients' local work and the server's rounds (FedAvg), with a chain of defenses in between.
 *
 * A client either shares one gradient of its loss over a batch (steps 0) or the weight delta of its local
 * SGD. The server moves by Σ share_k·Δ_k, or −rate·Σ share_k·g_k.
 *
 * Where clients compute with batch statistics, each also sends how its running statistics differ from those
 * broadcast, as its hooks leave that. The server averages those of the clients that sent some by their
 * shares, and keeps its own where none did; a variance that is then below 0 counts as 0.
 *
 * Where clients share a part of the parameters alone (gnt_model_shared), updates and what the server moves
 * hold that part, and each client's own parameters go on from where it left them, in every round it takes
 * part: by its local SGD, or, where it shares one gradient, by one step at the round's rate. A defense that
 * takes over the client's computation leaves them as they are.
 *
 * Clients that a round does not choose rest, or train all the same (gnt_fl_config.all_train): what they keep,
 * their own parameters and the state of defenses, goes on, and nobody sees what they would have shared. */
#ifndef GNT_FL_FEDERATE_H
#define GNT_FL_FEDERATE_H

#include "fl/defense_chain.h"
#include "fl/partition.h"
#include "fl/schedule.h"
#include "fl/tensors.h"
#include "fl/undefended.h"
#include "nn/model/train.h"

typedef struct gnt_fl gnt_fl;

/* Makes a training. The model and the chain are the caller's and outlive it. `key` is the train role's: batch
 * order, participation. */
int gnt_fl_new(gnt_fl **out, const gnt_model *m, const gnt_fl_config *config, const gnt_chain *chain,
               const gnt_key *key, gnt_err *err);
void gnt_fl_free(gnt_fl *fl);
/* True after a failure that was no fault of a plugin: a client's loss or update stopped being finite. */
int gnt_fl_diverged(const gnt_fl *fl);
/* The samples of a client that what it shares in a round depends on. */
typedef struct gnt_fl_used {
    int64_t n;     /* samples */
    uint32_t *row; /* n: which of the client's, in the order of their first use */
    int64_t n_y;
    int32_t classes;
    /* n_y × classes: the labels that were computed with, in the order of row (a gradient: of its batch) */
    float *y;
    int whole; /* they are all that it holds: a defense encoded them, or took over the computation */
} gnt_fl_used;

/* What a defense did to one client's update: before it and after. */
typedef struct gnt_fl_treatment {
    int known;      /* 0: no hook changes updates, or one computes them by itself */
    double cosine;  /* between before and after; 0 where one is zero */
    double norm;    /* before */
    double ratio;   /* of the norms, after to before */
    double changed; /* share of the entries that differ */
    /* The same against what the client would have sent without any defense, in rounds where that is
     * computed. */
    int plain_known;
    double plain_cosine, plain_ratio;
} gnt_fl_treatment;

/* What a client sends of its running statistics. */
typedef enum gnt_fl_statistics {
    GNT_FL_STATISTICS_NONE,    /* the model has none, or clients compute with those broadcast */
    GNT_FL_STATISTICS_CLEAR,   /* byte for byte what the host computed */
    GNT_FL_STATISTICS_CHANGED, /* what hooks made of them */
    GNT_FL_STATISTICS_WITHHELD
} gnt_fl_statistics;

/* What one client shares. Pointers other than `update` may be NULL and are then not filled. */
typedef struct gnt_fl_shared {
    float *update; /* flat, gnt_model_shared_size entries; needed */
    float *own;    /* its own parameters afterwards, gnt_model_own_size entries */
    /* gnt_model_buffer_size: its running statistics less those broadcast; zeros where it sends none */
    float *sent_buffers;
    gnt_fl_statistics *statistics; /* what became of them */
    float *rates;                  /* config.steps learning rates that were used */
    gnt_fl_used *used;             /* to be freed */
    gnt_fl_treatment *treatment;
    /* Called with the encodings of each pass and what they are said to be made of, before anything is
     * computed from them; passes are numbered over all rounds. */
    int (*released)(void *context, int32_t round, int32_t client, int64_t pass, const gnt_batch *b,
                    gnt_err *err);
    void *context;
} gnt_fl_shared;

void gnt_fl_used_free(gnt_fl_used *u);

/* What a client holds in all, as hooks see it in gnt_client. */
typedef struct gnt_fl_holding {
    int64_t samples, labels; /* labels: how many different ones */
} gnt_fl_holding;

/* How a client goes through its samples. */
typedef enum gnt_fl_batching {
    GNT_FL_BATCHES, /* in batches drawn for (round, client); sets are encoded again in each pass over them */
    GNT_FL_WHOLE,   /* every step uses all samples, as an observed target does */
    GNT_FL_ENCODED  /* the same, and they are encoded already: no set is encoded any more */
} gnt_fl_batching;

/* Computes one client's defended update from `samples` at the broadcast weights, which include its own
 * parameters (all gnt_model_size entries). holds: NULL: `samples` are all it holds. */
int gnt_fl_client(gnt_fl *fl, int32_t round, int32_t client, const gnt_samples *samples,
                  const gnt_fl_holding *holds, const gnt_samples *public_data, const float *weights,
                  const float *buffers, gnt_fl_batching batching, const gnt_fl_shared *out, gnt_err *err);

/* What the server received of one client in a round: `update` are the bytes that go into the aggregation.
 * Valid until the callback returns. */
typedef struct gnt_fl_receipt {
    int32_t round, client;
    const float *update; /* gnt_model_shared_size entries */
    gnt_fl_statistics statistics;
    const float *sent_buffers; /* gnt_model_buffer_size: as in gnt_fl_shared */
    const float *rates;        /* config.steps, or NULL */
    const gnt_fl_used *used;   /* where `wants` returned 1 */
    const gnt_fl_treatment *treatment;
    const float *plain; /* what it would have sent without a defense; NULL where that is not computed */
} gnt_fl_receipt;

/* Chooses the clients of one round among those that have samples (client k: start[k + 1] − start[k]
 * samples), in increasing order; `chosen` has room for all clients. The number of them. */
int32_t gnt_fl_choose(const gnt_fl *fl, const int64_t *start, int32_t round, uint32_t *chosen);

/* The end of a compared round. Valid until the callback returns. */
typedef struct gnt_fl_step {
    const float *next, *buffers; /* shared parameters and running statistics after it */
    /* What hooks added to `next` where the server takes the mean: Σ a_k (s_k − p_k), of gradients times minus
     * the rate (fl/undefended.h). */
    const float *added;
} gnt_fl_step;

/* What the server carries from round to round besides weights and running statistics. */
typedef struct gnt_fl_carried {
    float *velocity;     /* gnt_model_shared_size; NULL: it steps without momentum */
    gnt_fl_added *added; /* what hooks added so far */
} gnt_fl_carried;

typedef struct gnt_fl_watch {
    void *context;
    /* The rest may be NULL. Before a round: who takes part, clients in increasing order. */
    int (*before_round)(void *context, int32_t round, const uint32_t *client, int32_t n, gnt_err *err);
    /* Around each client's work in a round: what it carried from its last one comes before,
     * what it carries on after. */
    int (*before_client)(void *context, int32_t round, int32_t client, gnt_err *err);
    int (*after_client)(void *context, int32_t round, int32_t client, gnt_err *err);
    int (*wants)(void *context, int32_t round, int32_t client); /* 1: the receipt is to say what was used */
    int (*received)(void *context, const gnt_fl_receipt *receipt, gnt_err *err);
    /* See gnt_fl_shared. */
    int (*released)(void *context, int32_t round, int32_t client, int64_t pass, const gnt_batch *b,
                    gnt_err *err);
    /* Called for rounds in which `compares` returns 1 and a defense has a hook: what its clients
     * would have sent without it. */
    int (*compares)(void *context, int32_t round);
    int (*compared)(void *context, const gnt_fl_round *round, const gnt_fl_step *step, gnt_err *err);
    /* After the aggregation of a round by a member of the chain: what went in, and the weights that came
     * out. */
    int (*aggregated)(void *context, const gnt_aggregate *in, const float *new_weights, gnt_err *err);
    /* What hooks added to updates, after the last round and where some did. Wants `received`. */
    void (*added)(void *context, const gnt_fl_totals *totals);
    /* Called before round 0 and after every round with the weights; −1 ends the training with err. */
    int (*after_round)(void *context, int32_t rounds_done, const float *weights, const float *buffers,
                       gnt_err *err);
    /* Called before anything else. Where it sets *rounds_done above 0, the training goes on after so many
     * rounds, for which it has put weights, running statistics, clients' own parameters and `carried` in
     * place. */
    int (*resume)(void *context, int32_t *rounds_done, const gnt_fl_carried *carried, gnt_err *err);
    /* Called after every round and its after_round: all that the next round depends on. */
    int (*carry)(void *context, int32_t rounds_done, const gnt_fl_carried *carried, gnt_err *err);
    int (*should_stop)(void *context);
} gnt_fl_watch;

/* Runs all rounds over `data`, split by `part`; weights, buffers and own (clients × gnt_model_own_size
 * entries, NULL if there are none) are changed in place. Unshared parameters in `weights` are never read. */
int gnt_fl_train(gnt_fl *fl, const gnt_samples *data, const gnt_partition *part,
                 const gnt_samples *public_data, float *weights, float *buffers, float *own,
                 const gnt_fl_watch *watch, gnt_err *err);

#endif
