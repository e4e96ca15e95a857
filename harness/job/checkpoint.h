/* checkpoint: the state of a training after a round, in a file, from which the same job goes on after it was
 * killed. Its outputs then have the bytes of a job that was not.
 *
 * Random streams are named by round, so nothing of them is kept but those of the server's hooks. What the job
 * computes before round 0 (secure sums, the partition, who is drawn) it computes again. When a checkpoint is
 * written depends on the clock; what it holds does not.
 *
 *   metadata          {"utility": […], "learnt": […]} so far
 *   weights, buffers  of the model; own: clients × the parameters that each keeps
 *   out/NAME          of the output "trained", added since round 0
 *   state/K/NAME      what defenses saved for client K (work/defense_state.h)
 *   rows, effect      F32 2 × test samples; F64 2
 *   velocity, added.* what the server carries (fl/federate.h)
 *   client/, server/  what hooks' processes carry (side/side_carried.h)
 *   record/ and so on what was recorded (record/record_saved.c)
 *
 * run/request/requests_train.c decides whether a training has one. A checkpoint that does not count is a
 * warning, and the training begins at round 0; so is one that cannot be written. Everything is checked before
 * anything of it is used.
 *
 * Ownership: what the parts point to is the caller's and outlives the calls. */
#ifndef GNT_JOB_CHECKPOINT_H
#define GNT_JOB_CHECKPOINT_H

#include "job/effect.h"
#include "job/record/record.h"
#include "job/side/remote.h"

typedef struct gnt_checkpoint {
    gnt_work *work;
    const gnt_request_train *request;
    const gnt_model *model;
    gnt_remote *remote;
    /* NULL: nothing is recorded. */
    gnt_record *record;
    gnt_effect *effect;
    /* The output "trained", which had n_out tensors before round 0. */
    gnt_st *out;
    size_t n_out;
    /* One for each client; NULL: defenses save none. */
    gnt_st *state;
    /* NULL: clients keep no parameters. */
    float *own;
    float *weights, *buffers;
    json_t *utility;
    /* NULL: labels follow no secret rule. */
    json_t *learnt;
    /* 2 × n_test. */
    float *rows;
    int64_t n_test;
    /* Entries of a label. */
    int64_t classes;
    /* Not before then is the next written, by the monotonic clock. Set here. */
    double next;
} gnt_checkpoint;

/* Puts the state of a checkpoint in place, if there is one that counts; else *rounds_done is 0. −1 only where
 * memory runs out, or a hook's process fails. */
int gnt_checkpoint_resume(gnt_checkpoint *c, int32_t *rounds_done, const gnt_fl_carried *carried,
                          gnt_err *err);
/* Writes one if it is time, or the job is to stop. */
void gnt_checkpoint_keep(gnt_checkpoint *c, int32_t rounds_done, const gnt_fl_carried *carried);

#endif
