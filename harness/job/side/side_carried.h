/* side_carried: what a process with a defense's hooks carries from round to round, as a bundle for a
 * checkpoint: sums of the facts that plugins reported, and where the random streams of the server are. Hooks
 * depend on nothing else that they did not get from the training (run/request/requests_train.c).
 *
 *   sandbox          U8     the level of its sandbox, with the zero at its end
 *   MEMBER.fact.NAME F64 2  sum and number of reports; of clients that are served by copies mean and number,
 *                           as MEMBER 0
 *   MEMBER.memo      I64 2: how many values its memo has, and how many were found or put (plugin/memo.h)
 *   MEMBER.stream.K  U64    I64 1: words drawn; MEMBER.name.K U8: the stream's name
 *
 * Errors: −1 with a sentence. What is set was checked by side_carried_check. */
#ifndef GNT_JOB_SIDE_CARRIED_H
#define GNT_JOB_SIDE_CARRIED_H

#include "job/side/frame.h"
#include "job/work/work.h"

/* Checks a bundle. now: that of the process which is to go on with it, in the same sandbox and with no fewer
 * values in its memos than were found or put; NULL: any. */
int side_carried_check(const gnt_st *st, const gnt_st *now, gnt_err *err);

/* Adds the level; then what a chain's instances carry, or the facts of copies with the number of reports of
 * each. */
int side_carried_level(gnt_st *out, const gnt_work *w, gnt_err *err);
int side_carried_of_chain(gnt_st *out, const gnt_work_chain *c, int with_streams, gnt_err *err);
int side_carried_of_copies(gnt_st *out, const json_t *facts, const json_t *reports, gnt_err *err);

int side_carried_set_chain(const gnt_st *st, gnt_work_chain *c, gnt_err *err);
int side_carried_set_copies(const gnt_st *st, json_t *facts, json_t *reports, gnt_err *err);

#endif
