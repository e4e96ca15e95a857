/* carry: what defenses carry from one job to the next: results of secure sums, and their own state (save and load).
 *
 * In the `trained` bundle: holdings (I64, clients × 2): samples and different labels of each client; sum.I (F64) and
 * transcript.I (I64, clients × n) of member I; state.ROUND.I.CLIENT.NAME of every stage, CLIENT −1 for the server.
 * In a bundle of its own, which scoring alone reads: contribution.I (F64, clients × n), what each client gave. */
#ifndef GNT_JOB_CARRY_H
#define GNT_JOB_CARRY_H

#include "fl/partition.h"
#include "job/work.h"

/* How much each client holds. */
int gnt_state_holdings(const gnt_sampleset *clients, const gnt_partition *part, gnt_st *out, gnt_err *err);
enum { GNT_STATE_AVERAGE = -1 };
/* What `client` (counted round and round) or the average client holds; 0 where nothing was dealt. */
int gnt_state_holding(gnt_fl_holding *out, const gnt_st *trained, int32_t client);

/* What a secure sum before round 0 is taken over. */
typedef struct gnt_state_summing {
    const gnt_chain *chain;
    const gnt_st *trained; /* with the holdings */
    const gnt_sampleset *samples;
    const gnt_partition *part;
    const gnt_fl_config *config;
    const float *weights, *buffers;
    /* Around what each client gives; NULL: nothing is to be done. */
    int (*before_client)(void *context, int32_t round, int32_t client, gnt_err *err);
    int (*after_client)(void *context, int32_t round, int32_t client, gnt_err *err);
    void *context;
} gnt_state_summing;

/* Lets members contribute to secure sums and receive them; adds the sums to `out` and what was given to `truth`. */
int gnt_state_sums(const gnt_state_summing *s, const gnt_key *key, gnt_st *out, gnt_st *truth, gnt_err *err);
/* Tensor KIND.I of the first member that left one, or NULL: of several secure sums the first is observed. */
const gnt_st_tensor *gnt_state_first(const gnt_st *st, const char *kind, gnt_st_type type, int32_t rank);
/* 1 where a member has state that outlives a hook. */
int gnt_state_keeps(const gnt_chain *c);
/* Saves the state of all members for one client, or the server (−1), under the round. */
int gnt_state_save(const gnt_chain *c, int32_t round, int32_t client, gnt_st *out, gnt_err *err);
/* Gives it back; where there is none, nothing is called. */
int gnt_state_load(const gnt_chain *c, const gnt_st *from, int32_t round, int32_t client, gnt_err *err);
/* Copies all states of one round as those of another. */
int gnt_state_copy(gnt_st *to, const gnt_st *from, int32_t from_round, int32_t to_round, gnt_err *err);
/* Gives the results of secure sums to a fresh chain. */
int gnt_state_load_sums(const gnt_chain *c, const gnt_st *trained, gnt_err *err);

#endif
