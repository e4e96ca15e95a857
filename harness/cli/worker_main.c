#include "cli/worker_main.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "job/job.h"
#include "nn/plan/libraries.h"
#include "plugin/load.h"
#include "plugin/python.h"
#include "process/sandbox.h"
#include "process/worker.h"
#include "vet/vet.h"

static const size_t most_bundle = (size_t)8 << 30;

/* ---- gnt_work on the worker's inputs and outputs ---- */

static int has_input(void *context, const char *name) {
    return gnt_worker_has_input(context, name);
}

static int read_input(void *context, const char *name, gnt_st *out, gnt_err *err) {
    uint8_t *bytes;
    size_t size;
    if (gnt_worker_read(context, name, most_bundle, &bytes, &size, err) != 0)
        return -1;
    int rc = gnt_st_parse(out, name, bytes, size, err);
    gnt_free(bytes);
    return rc;
}

static int write_output(void *context, const char *name, const gnt_st *st, gnt_err *err) {
    uint8_t *bytes;
    size_t size;
    if (gnt_st_write(st, &bytes, &size, err) != 0)
        return -1;
    int rc = gnt_worker_write(context, name, bytes, size, err);
    gnt_free(bytes);
    return rc;
}

static int socket_of(void *context, const char *name) {
    return gnt_worker_socket(context, name, NULL);
}

static void alone(void *context) {
    (void)context;
    gnt_sandbox_forbid_processes();
}

static int renew(void *context, gnt_err *err) {
    (void)context;
    return gnt_sandbox_renew_files(err);
}

static void rewind_inputs(void *context) {
    gnt_worker_rewind(context);
}

static void progress(void *context, double done, double total) {
    (void)context;
    if (done >= 0 && total >= done)
        gnt_worker_progress((uint64_t)done, (uint64_t)total);
}

static int should_stop(void *context) {
    (void)context;
    return gnt_worker_should_stop();
}

static void note(void *context, const char *hook) {
    gnt_worker_note(context, hook);
}

static int others(void *context) {
    (void)context;
    return gnt_worker_others();
}

static void say(void *context, int is_warning, const char *text) {
    (void)context;
    gnt_worker_say(is_warning, text);
}

static int describe(const gnt_worker *worker, const char *file, gnt_err *err) {
    char *text;
    if (gnt_describe(&text, file, err) != 0)
        return -1;
    int rc = gnt_worker_write(worker, "description", text, strlen(text), err);
    gnt_free(text);
    return rc;
}

static int work(gnt_worker *worker, const gnt_request *request, const char *level, json_t *facts,
                json_t *hooks, gnt_status *status, gnt_err *err) {
    const gnt_launch_checkpoint *to = worker->launch.checkpoint;
    gnt_work_checkpoint checkpoint = {0};
    gnt_memo_file memo;
    if (to)
        checkpoint = (gnt_work_checkpoint){to->path, to->job, to->program, to->seconds};
    const gnt_launch_memo *of = worker->launch.memo;
    if (gnt_memo_file_open(&memo, of ? (int)of->fd : -1, of ? of->job : "", err) != 0)
        return -1;
    gnt_work w = {.request = request,
                  .memory = (size_t)worker->launch.memory,
                  .checkpoint = to ? &checkpoint : NULL,
                  .memo = of ? &memo : NULL,
                  .say = say,
                  .sandbox = level,
                  .context = worker,
                  .has = has_input,
                  .read = read_input,
                  .write = write_output,
                  .socket = socket_of,
                  .renew = renew,
                  .alone = alone,
                  .rewind = rewind_inputs,
                  .progress = progress,
                  .should_stop = should_stop,
                  .note = note,
                  .others = others,
                  .facts = facts,
                  .hooks = hooks,
                  .status = GNT_FAILED};
    int rc = request->kind == GNT_JOB_VET ? gnt_vet_work(&w, err) : gnt_job_run(&w, err);
    *status = w.status;
    gnt_memo_file_close(&memo);
    return rc;
}

/* Enters the sandbox if the job opens plugins; fails without one. */
static int enter_sandbox(const gnt_worker *worker, const gnt_request *request, gnt_sandbox_report *report,
                         gnt_err *err) {
    const gnt_job_kind kind = request->kind;
    if (kind != GNT_JOB_SANDBOX && kind != GNT_JOB_DESCRIBE && kind != GNT_JOB_VET &&
        !gnt_job_opens_plugins(kind))
        return 0;
    if (!worker->launch.sandbox)
        return gnt_fail(err, "worker: the job \"%s\" opens plugins but got no sandbox",
                        gnt_job_kind_name(kind));
    gnt_sandbox_spec sandbox = *worker->launch.sandbox;
    sandbox.whole = kind == GNT_JOB_DESCRIBE;
    if (sandbox.may_fork) /* else each fork that computes would load them */
        gnt_plan_libraries_open();
    if (gnt_scripts_start(sandbox.files.at, sandbox.files.n, err) != 0)
        return -1;
    if (gnt_sandbox_enter(&sandbox, report, err) != 0)
        return -1;
    gnt_worker_sandbox(report->level);
    gnt_plugin_open_from(gnt_sandbox_place);
    return 0;
}

static int run(gnt_worker *worker, const gnt_request *request, const gnt_sandbox_report *report,
               json_t *facts, json_t *hooks, gnt_status *status, gnt_err *err) {
    switch (request->kind) {
    case GNT_JOB_SANDBOX:
        return json_object_set_new(facts, "remark", json_string(report->remark));
    case GNT_JOB_DESCRIBE:
        return describe(worker, request->describe.file, err);
    default:
        return work(worker, request, report->level, facts, hooks, status, err);
    }
}

int gnt_worker_main(void) {
    static const char *const words[] = {"ok", "failed", "unsupported", "stopped"};
    gnt_err err = {0};
    gnt_sandbox_report report = {0};
    gnt_worker worker;
    gnt_request request = {0};
    gnt_status status = GNT_FAILED;
    if (gnt_worker_open(&worker, &err) != 0) {
        fprintf(stderr, "gauntlet: %s\n", err.text); /* typed by a user */
        return 2;
    }
    json_t *facts = json_object(), *hooks = json_array();
    int rc = gnt_request_decode(&request, worker.request, &err);
    if (rc == 0)
        rc = enter_sandbox(&worker, &request, &report, &err);
    if (rc == 0)
        rc = run(&worker, &request, &report, facts, hooks, &status, &err);
    if (rc == 0)
        status = GNT_OK;
    else if (status <= GNT_OK || status > GNT_STOPPED)
        status = GNT_FAILED;
    int code = gnt_worker_finish(words[status], err.text, report.level, facts, hooks);
    json_decref(facts);
    json_decref(hooks);
    gnt_request_free(&request);
    gnt_worker_close(&worker);
    return code;
}
