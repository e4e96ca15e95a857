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
int gnt_carry_holdings(const gnt_sampleset *clients, const gnt_partition *part, gnt_st *out, gnt_err *err);
enum { GNT_CARRY_AVERAGE = -1 };
/* What `client` (counted round and round) or the average client holds; 0 where nothing was dealt. */
int gnt_carry_holding(gnt_fl_holding *out, const gnt_st *trained, int32_t client);

/* Lets members contribute to secure sums before round 0 and receive them; adds the sums to `out`, which has the holdings,
 * and what was given to `truth`. */
int gnt_carry_sums(gnt_work_chain *c, int32_t clients, const gnt_fl_config *config, const float *weights,
                   const float *buffers, const gnt_key *key, gnt_st *out, gnt_st *truth, gnt_err *err);
/* Tensor KIND.I of the first member that left one, or NULL: of several secure sums the first is observed. */
const gnt_st_tensor *gnt_carry_first(const gnt_st *st, const char *kind, gnt_st_type type, int32_t rank);
/* Saves the state of members, of the server and of `clients` clients, after `round` rounds. */
int gnt_carry_save(gnt_work_chain *c, int32_t round, int32_t clients, gnt_st *out, gnt_err *err);
/* Gives both back to a fresh chain. */
int gnt_carry_load(gnt_work_chain *c, const gnt_st *trained, int32_t round, int32_t clients, gnt_err *err);

#endif
