#include "job/job.h"

#include "job/observe/observe.h"
#include "job/score/score.h"
#include "job/side/side_job.h"

static const struct {
    int (*run)(gnt_work *w, gnt_err *err);
    int opens_plugins;
} jobs[GNT_JOB_KINDS] = {
    [GNT_JOB_DATA] = {gnt_job_data, 0},       [GNT_JOB_MODEL] = {gnt_job_model, 0},
    [GNT_JOB_TRAIN] = {gnt_job_train, 0},     [GNT_JOB_SIDE] = {gnt_job_side, 1},
    [GNT_JOB_REPLAY] = {gnt_job_replay, 0},   [GNT_JOB_PREPARE_DEFENSE] = {gnt_job_prepare_defense, 1},
    [GNT_JOB_OBSERVE] = {gnt_job_observe, 1}, [GNT_JOB_PREPARE_ATTACK] = {gnt_job_prepare_attack, 1},
    [GNT_JOB_ATTACK] = {gnt_job_attack, 1},   [GNT_JOB_SCORE] = {gnt_job_score, 0},
    [GNT_JOB_CAPTURE] = {gnt_job_capture, 0},
};

int gnt_job_opens_plugins(gnt_job_kind kind) {
    return jobs[kind].opens_plugins;
}

int gnt_job_run(gnt_work *w, gnt_err *err) {
    const gnt_job_kind kind = w->request->kind;
    w->status = GNT_FAILED;
    return jobs[kind].run ? jobs[kind].run(w, err)
                          : gnt_fail(err, "\"%s\" is no job that is done here", gnt_job_kind_name(kind));
}
