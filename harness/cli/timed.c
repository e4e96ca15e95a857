#include "cli/timed.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "finished/time_builds.h"

static int ok_there(const gnt_results *r, const char *id) {
    for (size_t i = 0; i < r->n_cell; i++)
        if (strcmp(r->cell[i].id, id) == 0)
            return r->cell[i].status == GNT_CELL_OK;
    return 0;
}

static int is_trained(const gnt_results *r, const char *task) {
    const gnt_result_task *of = gnt_task_of(r, task);
    return of && of->rounds > 0;
}

/* Adds the job of the first cell with that attack or, for a training, that defense. */
static void add_job(gnt_timed_job *job, size_t *n, const gnt_results *now, const gnt_results *before,
                    const char *label, int is_training) {
    for (size_t i = 0; i < now->n_cell && *n < GNT_TIMED_JOBS_MOST; i++) {
        const gnt_outcome *c = &now->cell[i];
        if (strcmp(is_training ? c->defense : c->attack, label) != 0 || c->status != GNT_CELL_OK ||
            (is_training && !is_trained(now, c->task)) || !ok_there(before, c->id))
            continue;
        job[(*n)++] = (gnt_timed_job){c->id, is_training};
        return;
    }
}

static void show_round(void *user, size_t done) {
    const cli_timing *how = user;
    if (!how->quiet)
        fprintf(stderr, "%s%zu of %zu rounds%s", done > 1 ? "\r" : "", done, how->rounds,
                done == how->rounds ? "\n" : "");
}

static int race(cli_timed *t, const cli_timing *how, const gnt_timed_job *job, gnt_err *err) {
    const char *values[] = {how->folder, "--data",     how->data, "--models", how->models,
                            "--plugins", how->plugins, "--key",   how->key};
    const char *arguments[GNT_TIME_BUILDS_MOST_ARGUMENTS] = {values[0]};
    size_t n = 1;
    for (size_t i = 1; i < sizeof values / sizeof *values; i += 2)
        if (values[i + 1]) {
            arguments[n++] = values[i];
            arguments[n++] = values[i + 1];
        }
    const gnt_time_builds_options o = {.program = {"/proc/self/exe", how->other},
                                       .arguments = arguments,
                                       .job = job,
                                       .n = t->n,
                                       .rounds = how->rounds,
                                       .round = show_round,
                                       .user = (void *)(uintptr_t)how};
    t->seconds = gnt_array(2 * t->n * how->rounds, sizeof *t->seconds);
    t->timed = gnt_array(t->n, sizeof *t->timed);
    if (!t->seconds || !t->timed)
        return gnt_fail(err, "out of memory for %zu rounds", how->rounds);
    if (gnt_time_builds(&o, t->seconds, err) != 0)
        return -1;
    for (size_t i = 0; i < t->n; i++)
        t->timed[i] = (gnt_gate_timed){.cell = job[i].cell,
                                       .is_training = job[i].is_training,
                                       .now = t->seconds + i * how->rounds,
                                       .before = t->seconds + (t->n + i) * how->rounds,
                                       .rounds = how->rounds};
    return 0;
}

int cli_time_builds(cli_timed *t, const cli_timing *how, const gnt_results *now, const gnt_results *before,
                    gnt_err *err) {
    gnt_timed_job job[GNT_TIMED_JOBS_MOST];
    *t = (cli_timed){0};
    for (size_t i = 0; i < now->n_attack; i++)
        add_job(job, &t->n, now, before, now->attack[i], 0);
    for (size_t i = 0; i < now->n_defense; i++)
        add_job(job, &t->n, now, before, now->defense[i], 1);
    if (t->n == 0)
        return gnt_fail(err, "no cell is ok in both runs: there is nothing to time");
    return race(t, how, job, err);
}

void cli_timed_free(cli_timed *t) {
    gnt_free(t->timed);
    gnt_free(t->seconds);
    *t = (cli_timed){0};
}
