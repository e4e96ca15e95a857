/* carry: what defenses carry from one job to the next: results of secure sums, and their own state (save and load).
 *
 * In the `trained` bundle: sum.I (F64) and transcript.I (I64, clients × n) of member I; state.ROUND.I.CLIENT.NAME of
 * every stage, CLIENT −1 for the server. */
#ifndef GNT_JOB_CARRY_H
#define GNT_JOB_CARRY_H

#include "fl/partition.h"
#include "job/work.h"

/* Lets members contribute to secure sums before round 0 and receive them; adds the sums to `out`. */
int gnt_carry_sums(gnt_work_chain *c, const gnt_sampleset *clients, const gnt_partition *part,
                   const gnt_fl_config *config, const float *weights, const float *buffers,
                   const gnt_key *key, gnt_st *out, gnt_err *err);
/* Saves the state of members, of the server and of `clients` clients, after `round` rounds. */
int gnt_carry_save(gnt_work_chain *c, int32_t round, int32_t clients, gnt_st *out, gnt_err *err);
/* Gives both back to a fresh chain. */
int gnt_carry_load(gnt_work_chain *c, const gnt_st *trained, int32_t round, int32_t clients, gnt_err *err);

#endif
