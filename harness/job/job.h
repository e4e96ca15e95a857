/* job: the kinds of work, each a function from a request (request/request.h) and named bundles to named
 * bundles.
 *
 *   data             reads   files, or a generator
 *                    leaves  clients, targets, test, public, shadow, defender_shadow
 *   model            reads   public, test, weights
 *                    leaves  model: weights, buffers, utility on the test part
 *   train            reads   clients, test, public, weights
 *                    leaves  trained: weights of every stage, utility, holdings, state; contributions;
 *                            record, `held`, treatments (record.h)
 *   side             reads   public, artefacts.I, models
 *                    leaves  nothing: it answers over a socket (side_job.h)
 *   replay           reads   clients, public, trained, record, `held`
 *                    leaves  replay: which recorded updates come out otherwise
 *   prepare-defense  reads   public, shadow, trained, models
 *                    leaves  artefacts
 *   observe          reads   trained; in the round record, `held`, clients; else samples, public,
 *                            artefacts.I, treatments, models
 *                    leaves  seen: observations (observations.h); broadcast; each to be granted by itself:
 *                            labels, rates, stats, outside, sum; for scoring: targets, mixing; compared
 *   capture          reads   the files of captures
 *                    leaves  as observe, and trained: the weights before (capture_job.c)
 *   prepare-attack   reads   public, shadow, trained (what was broadcast), shadow_seen, shadow_mixing,
 *                            defense_artefacts.I, models; the first two alone if the attack
 *                            prepares once (GNT_FLAG_PREPARES_ONCE)
 *                    leaves  artefacts
 *   attack           reads   seen, what was granted, public, artefacts, history.K, defense_artefacts.I,
 *                            models; in a chain also recovered, recovered_labels
 *                    leaves  answer (attack.c)
 *   score            reads   targets, answer, seen, public, clients, mixing, contributions, judge,
 *                            representation, weights of LPIPS networks
 *                    leaves  score: the cell's numbers; images
 *
 * Inputs may be absent where a job does not need them. Jobs of the kinds side, observe, prepare-defense,
 * prepare-attack and attack open the plugins that their requests name; no other job opens one. The attack's
 * request names no file of data, no seed and no key but its own.
 *
 * Errors: 0, or −1 with a sentence; w->status then says what kind of failure it was. */
#ifndef GNT_JOB_JOB_H
#define GNT_JOB_JOB_H

#include "job/work/work.h"

/* Runs the job of the request's kind. */
int gnt_job_run(gnt_work *w, gnt_err *err);
/* True if the kind opens plugins, so that the worker must enter the sandbox first. */
int gnt_job_opens_plugins(gnt_job_kind kind);

/* Runs the job of its name, as all of these do. gnt_job_side, gnt_job_observe and gnt_job_score are
 * declared in the headers of their folders. */
int gnt_job_data(gnt_work *w, gnt_err *err);
int gnt_job_model(gnt_work *w, gnt_err *err);
int gnt_job_train(gnt_work *w, gnt_err *err);
int gnt_job_prepare_defense(gnt_work *w, gnt_err *err);
int gnt_job_prepare_attack(gnt_work *w, gnt_err *err);
int gnt_job_attack(gnt_work *w, gnt_err *err);
int gnt_job_replay(gnt_work *w, gnt_err *err);
int gnt_job_capture(gnt_work *w, gnt_err *err);

#endif
