/* job: the kinds of work, each a function from a request and bundles to bundles.
 *
 *   data            files or generators       -> clients, targets, test, public, shadow
 *   model           public, test              -> model (weights and buffers; metadata: what it is worth)
 *   train           clients, test, public     -> trained (weights of every stage, utility), record, held
 *   side            artefacts, public         -> nothing: answers over a socket what hooks of a chain give (side.h)
 *   replay          clients, trained, record, held -> replay (which recorded updates come out otherwise)
 *   prepare-defense public, shadow, trained   -> artefacts
 *   observe         trained, and record, held, clients (or targets, public)  -> seen, and apart from it what may be granted
 *   prepare-attack  public, shadow, shadow's seen, broadcast -> artefacts
 *   attack          seen and what was granted -> answer
 *   score           targets, answer, public   -> score (metadata: the cell's numbers), images
 *
 * Only the jobs that take a plugin's file name in their request open one. The attack's request names no file
 * of data, no seed and no key but its own. */
#ifndef GNT_JOB_JOB_H
#define GNT_JOB_JOB_H

#include "job/work.h"

/* Runs the job of the request's kind. 0, or −1 with a sentence and w->status set. */
int gnt_job_run(gnt_work *w, gnt_err *err);
/* 1 where the kind opens plugins and so wants the sandbox first. */
int gnt_job_opens_plugins(gnt_job_kind kind);

int gnt_job_data(gnt_work *w, gnt_err *err);
int gnt_job_model(gnt_work *w, gnt_err *err);
int gnt_job_train(gnt_work *w, gnt_err *err);
int gnt_job_observe(gnt_work *w, gnt_err *err);
int gnt_job_prepare_defense(gnt_work *w, gnt_err *err);
int gnt_job_prepare_attack(gnt_work *w, gnt_err *err);
int gnt_job_attack(gnt_work *w, gnt_err *err);
int gnt_job_score(gnt_work *w, gnt_err *err);
int gnt_job_side(gnt_work *w, gnt_err *err);
int gnt_job_replay(gnt_work *w, gnt_err *err);

#endif
