/* The processes of a job: its inputs opened, its own process and its sides started, all of them freed. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "process/describe.h"
#include "run/run_impl.h"
#include "run/side_processes.h"

/* Opens an input; *fd is −1, and no error, if the giving job left that output out. */
static int open_input(run *r, const run_input *in, int *fd, gnt_err *err) {
    *fd = -1;
    if (!in->from) {
        *fd = open(in->path, O_RDONLY | O_CLOEXEC);
        return *fd >= 0 ? 0 : gnt_fail(err, "%s: cannot open: %s", in->path, strerror(errno));
    }
    if (!gnt_store_digest(in->from->stored.record, in->output))
        return 0;
    *fd = gnt_store_open_output(r->store, &in->from->stored.key, in->output, err);
    return *fd >= 0 ? 0 : -1;
}

/* Opens all inputs and describes to a child those that are there. */
static int open_inputs(run *r, run_job *j, gnt_child_input input[RUN_MOST_INPUTS], size_t *n, gnt_err *err) {
    int *fd = j->processes.fd;
    *n = 0;
    for (size_t i = 0; i < j->n_inputs; i++)
        fd[i] = -1;
    j->processes.n_fds = j->n_inputs;
    for (size_t i = 0; i < j->n_inputs; i++) {
        const run_input *in = &j->input[i];
        if (open_input(r, in, &fd[i], err) != 0)
            return -1;
        if (fd[i] >= 0)
            input[(*n)++] = (gnt_child_input){
                .name = in->name,
                .fd = fd[i],
                .digest = in->from ? gnt_store_digest(in->from->stored.record, in->output) : NULL};
    }
    return 0;
}

/* Lists the files that the job's worker must be able to read: its plugins and what they link with. */
static int readable_files(gnt_paths *out, const run_job *j, gnt_err *err) {
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < j->n_plugins; i++)
        rc = gnt_plugin_files(out, j->plugin[i], err);
    return rc;
}

static void note_progress(void *user, uint64_t done, uint64_t total) {
    run_job *j = user;
    j->processes.done = done;
    j->processes.total = total;
}

static void note_said(void *user, int is_warning, const char *text) {
    run_job *j = user;
    gnt_free(j->processes.said);
    j->processes.said = gnt_strdup(text);
    j->processes.said_warning = is_warning;
}

/* Starts the job's own process. `sockets` are its ends to its sides, which have been started. */
static int start_own(run *r, run_job *j, const json_t *request, const gnt_sandbox_spec *sandbox,
                     const gnt_child_input *inputs, size_t n_inputs, const gnt_child_socket *sockets,
                     size_t n_sockets, gnt_err *err) {
    gnt_child_output output[RUN_MOST_OUTPUTS];
    size_t n_outputs = 0;
    run_checkpoint checkpoint;
    run_memo memo = {.launch.fd = -1};
    const int none = run_checkpoint_of(r, j, &checkpoint, err);
    if (none < 0)
        return -1;
    /* with sides, these open the plugins */
    const int opens_none = n_sockets == 0 ? run_memo_open(r, j, GNT_STORE_MEMO_OWN, &memo, err) : 1;
    if (opens_none < 0) {
        run_checkpoint_free(&checkpoint);
        return -1;
    }
    for (; j->outputs[n_outputs]; n_outputs++)
        output[n_outputs] = (gnt_child_output){.name = j->outputs[n_outputs], .most = (uint64_t)8 << 30};
    const gnt_child_spec spec = {.request = request,
                                 .sandbox = sandbox,
                                 .sockets = sockets,
                                 .n_sockets = n_sockets,
                                 .inputs = inputs,
                                 .n_inputs = n_inputs,
                                 .outputs = output,
                                 .n_outputs = n_outputs,
                                 .progress = note_progress,
                                 .said = none ? NULL : note_said,
                                 .user = j,
                                 .checkpoint = none ? NULL : &checkpoint.launch,
                                 .memo = opens_none ? NULL : &memo.launch,
                                 .seconds = r->suite->seconds,
                                 .cpu_seconds = r->suite->cpu_seconds,
                                 .memory = (uint64_t)r->suite->memory_mb << 20};
    const int rc = gnt_child_start(&j->processes.child, &spec, err);
    run_checkpoint_free(&checkpoint);
    run_memo_close(&memo);
    return rc;
}

/* Starts all processes of the job, in one kind of sandbox. */
static int start_all(run *r, run_job *j, const gnt_child_input *inputs, size_t n_inputs, gnt_err *err) {
    gnt_child_socket sockets[RUN_MOST_SIDES];
    size_t n_sockets = 0;
    gnt_paths files = {0};
    json_t *request = gnt_request_encode(&j->request, GNT_FIELDS_ALL);
    int rc =
        request ? readable_files(&files, j, err) : gnt_fail(err, "out of memory for the job %s", j->name);
    const gnt_sandbox_spec sandbox = {.files = {(const char *const *)files.path, files.n},
                                      .options = r->options->sandbox};
    if (rc == 0)
        rc = run_sides_start(r, j, &sandbox, inputs, n_inputs, sockets, &n_sockets, err);
    if (rc == 0)
        rc = start_own(r, j, request, &sandbox, inputs, n_inputs, sockets, n_sockets, err);
    for (size_t i = 0; i < n_sockets; i++)
        close(sockets[i].fd);
    gnt_paths_free(&files);
    json_decref(request);
    return rc;
}

int run_processes_start(run *r, run_job *j, gnt_err *err) {
    gnt_child_input input[RUN_MOST_INPUTS];
    size_t n_inputs;
    j->processes = (run_processes){0};
    if (open_inputs(r, j, input, &n_inputs, err) == 0 && start_all(r, j, input, n_inputs, err) == 0)
        return 0;
    run_processes_free(j);
    return -1;
}

int run_processes_wait(run_job *j, gnt_err *reason) {
    gnt_child *all[1 + RUN_MOST_SIDES] = {j->processes.child};
    for (size_t i = 0; i < j->processes.n_sides; i++)
        all[1 + i] = j->processes.side[i];
    while (!run_sides_have_ended(j) && gnt_children_wait(all, 1 + j->processes.n_sides, -1) >= 0)
        ;
    if (!run_sides_have_ended(j))
        return gnt_fail(reason, "was interrupted");
    return strcmp(run_sides_verdict(j, reason), "ok") == 0 ? 0 : -1;
}

void run_processes_free(run_job *j) {
    for (size_t i = 0; i < j->processes.n_fds; i++)
        if (j->processes.fd[i] >= 0)
            close(j->processes.fd[i]);
    for (size_t i = 0; i < j->processes.n_sides; i++)
        gnt_child_free(j->processes.side[i]);
    gnt_child_free(j->processes.child);
    gnt_free(j->processes.said);
    j->processes = (run_processes){0};
}
