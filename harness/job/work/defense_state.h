/* defense_state: what defenses carry from one job to the next: results of secure sums, and their own state
 * (hooks save and load).
 *
 * In the bundle "trained":
 *   holdings                    I64 clients × 2      samples and different labels of each client
 *   sum.I                       F64 n                the secure sum of member I
 *   transcript.I                I64 clients × n      what the server received for it
 *   state.ROUND.I.CLIENT.NAME   as member I saved it CLIENT −1 is the server
 * In the bundle "contributions", which scoring alone reads:
 *   contribution.I              F64 clients × n      what each client gave
 *
 * Ownership: bundles are the caller's, and tensors are copied into them. Errors: −1 with a sentence. */
#ifndef GNT_JOB_DEFENSE_STATE_H
#define GNT_JOB_DEFENSE_STATE_H

#include "fl/partition.h"
#include "job/work/artefacts.h"
#include "job/work/work.h"

/* Adds `holdings`: how much each client holds. */
int gnt_state_holdings(const gnt_sampleset *clients, const gnt_partition *part, gnt_st *out, gnt_err *err);

/* Instead of a client: the average of all. */
enum { GNT_STATE_AVERAGE = -1 };
/* Reads how many samples and labels `client` (taken modulo the number of clients) or the average client
 * has; 0 if the bundle does not say. */
int gnt_state_holding(gnt_fl_holding *out, const gnt_st *trained, int32_t client);

/* What a secure sum before round 0 is taken over. Everything is the caller's. */
typedef struct gnt_state_sum_spec {
    const gnt_chain *chain;
    /* With the holdings. */
    const gnt_st *trained;
    const gnt_sampleset *samples;
    const gnt_partition *part;
    const gnt_fl_config *config;
    const float *weights, *buffers;
    /* Called around the hook of each client, with round −1; either may be NULL. */
    int (*before_client)(void *context, int32_t round, int32_t client, gnt_err *err);
    int (*after_client)(void *context, int32_t round, int32_t client, gnt_err *err);
    void *context;
} gnt_state_sum_spec;

/* Takes the secure sum of every member that wants one, and gives it the result. Adds sums and transcripts to
 * `out`, and what clients gave to `contributions`. */
int gnt_state_sums(const gnt_state_sum_spec *s, const gnt_key *key, gnt_st *out, gnt_st *contributions,
                   gnt_err *err);
/* Returns tensor KIND.I of the first member that left one, or NULL. Of several secure sums the first is
 * observed. */
const gnt_st_tensor *gnt_state_first(const gnt_st *st, const char *kind, gnt_st_type type, int32_t rank);
/* Gives the results of secure sums to a fresh chain. */
int gnt_state_load_sums(const gnt_chain *c, const gnt_st *trained, gnt_err *err);

/* True if a member has both save and load. */
int gnt_state_exists(const gnt_chain *c);
/* Saves the state of all members for one client (−1: the server) under this round. */
int gnt_state_save(const gnt_chain *c, int32_t round, int32_t client, gnt_st *out, gnt_err *err);
/* Gives that state back. Where none was saved, no hook is called. */
int gnt_state_load(const gnt_chain *c, const gnt_st *from, int32_t round, int32_t client, gnt_err *err);
/* Copies all states of one round, under the names of another. */
int gnt_state_copy(gnt_st *to, const gnt_st *from, int32_t from_round, int32_t to_round, gnt_err *err);

#endif
