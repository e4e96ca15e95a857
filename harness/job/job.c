#include "job/job.h"

#include <string.h>

static const struct {
    const char *kind;
    int (*run)(gnt_work *w, gnt_err *err);
    int opens_plugins;
} jobs[] = {
    {"data", gnt_job_data, 0},       {"model", gnt_job_model, 0},
    {"train", gnt_job_train, 0},     {"side", gnt_job_side, 1},
    {"replay", gnt_job_replay, 0},   {"prepare-defense", gnt_job_prepare_defense, 1},
    {"observe", gnt_job_observe, 1}, {"prepare-attack", gnt_job_prepare_attack, 1},
    {"attack", gnt_job_attack, 1},   {"score", gnt_job_score, 0},
};
enum { JOBS = sizeof jobs / sizeof *jobs };

int gnt_job_has_plugin(const char *kind) {
    for (size_t i = 0; i < JOBS; i++)
        if (strcmp(kind, jobs[i].kind) == 0)
            return jobs[i].opens_plugins;
    return 0;
}

int gnt_job_run(gnt_work *w, gnt_err *err) {
    const char *kind = gnt_request_text(w, "job");
    w->status = GNT_FAILED;
    for (size_t i = 0; i < JOBS; i++)
        if (strcmp(kind, jobs[i].kind) == 0)
            return jobs[i].run(w, err);
    return gnt_fail(err, "there is no kind of job called \"%s\"", kind);
}
