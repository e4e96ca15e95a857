/* Jobs: keyed by content, run once, their output stored. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "plugin/hook_times.h"
#include "plugin/info.h"
#include "process/describe.h"
#include "run/order.h"
#include "run/run_impl.h"
#include "run/sides.h"

/* Digest of everything that can change the output. */
static int key_of(const run *r, run_job *j) {
    json_t *identity = gnt_request_encode(&j->request, GNT_FIELDS_IDENTITY);
    char *text = identity ? gnt_json_canonical(identity) : NULL;
    json_decref(identity);
    if (!text)
        return -1;
    gnt_hasher h;
    gnt_hasher_init(&h);
    gnt_hasher_text(&h, "job 1");
    gnt_hasher_text(&h, r->host);
    gnt_hasher_text(&h, text);
    gnt_free(text);
    for (size_t i = 0; i < j->n_inputs; i++) {
        const run_input *in = &j->input[i];
        gnt_hasher_text(&h, in->name);
        if (in->from) {
            const char *digest = gnt_store_digest(in->from->record, in->output);
            gnt_hasher_text(&h, digest ? digest : "none");
        }
    }
    j->key = gnt_hasher_end(&h);
    return 0;
}

/* Its output is in the store: the job is done, unless that cannot be read. */
static void finish_stored(const run *r, run_job *j) {
    gnt_err why;
    j->state = RUN_OK;
    if (strcmp(j->outputs[0], "trained") != 0 || r->options->share == GNT_SHARE_WORK || run_has_utility(r, j))
        return; /* a search that needs it asks for itself */
    gnt_fail(&why, "the utility that the job %s left cannot be read back from the store", j->name);
    run_end_job(j, "failed", why.text);
}

/* ---- what a job took ---- */

static json_t *times_of(const run_job *j) {
    return json_pack("{s:f, s:f, s:I, s:O}", "seconds", j->wall_seconds, "cpu_seconds", j->cpu_seconds,
                     "peak_bytes", (json_int_t)j->peak, "hooks", j->hooks);
}

static double no_less_than_0(const json_t *times, const char *name) {
    const double x = json_number_value(json_object_get(times, name));
    return isfinite(x) && x > 0 ? x : 0;
}

/* Of a job whose output was in the store: what it took when that was made. */
static void read_times(run *r, run_job *j) {
    if (r->options->share == GNT_SHARE_WORK && !run_order_wants(r->order, j->name, j->attack))
        return;
    json_t *times = gnt_store_times(r->store, &j->key);
    const json_int_t peak = json_integer_value(json_object_get(times, "peak_bytes"));
    j->wall_seconds = no_less_than_0(times, "seconds");
    j->cpu_seconds = no_less_than_0(times, "cpu_seconds");
    j->peak = peak > 0 ? (uint64_t)peak : 0;
    j->hooks = json_array();
    gnt_hook_times_join(j->hooks, json_object_get(times, "hooks"));
    if (r->order && times)
        run_order_learn(r->order, j->name, j->attack, j->wall_seconds);
    json_decref(times);
}

static int put_times(run *r, const run_job *j, gnt_err *err) {
    json_t *times = times_of(j);
    const int rc = times ? gnt_store_put_times(r->store, &j->key, times, err)
                         : gnt_fail(err, "out of memory for the job %s", j->name);
    json_decref(times);
    return rc;
}

/* A waiting job whose inputs are there becomes ready, or done when its output is stored. */
static int check_inputs(run *r, run_job *j, int *moved, gnt_err *err) {
    for (size_t i = 0; i < j->n_inputs; i++) {
        const run_job *from = j->input[i].from;
        if (from && from->state == RUN_ENDED) {
            run_end_job(j, from->verdict, from->reason);
            j->origin = run_origin(from);
            *moved = 1;
            return 0;
        }
        if (from && from->state != RUN_OK)
            return 0;
    }
    if (j->request.memory.failed)
        return gnt_fail(err, "out of memory for the request of the job %s", j->name);
    if (j->request_error)
        return gnt_fail(err, "the request of the job %s cannot be made: %s", j->name, j->request_error);
    if (key_of(r, j) != 0)
        return gnt_fail(err, "out of memory for the job %s", j->name);
    if (run_find_stored(r, j, &j->record, err) != 0)
        return -1;
    j->cached = j->record != NULL;
    if (j->cached) {
        j->sandbox = gnt_strdup(json_string_value(json_object_get(j->record, "sandbox")));
        read_times(r, j);
        finish_stored(r, j);
    } else
        j->state = RUN_READY;
    *moved = 1;
    return 0;
}

/* An input's descriptor; *fd −1 and no error when the giving job left that output out. */
static int open_input(run *r, const run_input *in, int *fd, gnt_err *err) {
    *fd = -1;
    if (!in->from) {
        *fd = open(in->path, O_RDONLY | O_CLOEXEC);
        return *fd >= 0 ? 0 : gnt_fail(err, "%s: cannot open: %s", in->path, strerror(errno));
    }
    if (!gnt_store_digest(in->from->record, in->output))
        return 0;
    *fd = gnt_store_open_output(r->store, &in->from->key, in->output, err);
    return *fd >= 0 ? 0 : -1;
}

static void close_inputs(run_job *j) {
    for (size_t i = 0; i < j->n_inputs; i++)
        if (j->fd[i] >= 0)
            close(j->fd[i]);
}

/* The files that the job's worker must be able to read: its plugins and what they
 * link with. The caller frees. */
static int readable_files(gnt_paths *out, const run_job *j, gnt_err *err) {
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < j->n_plugins; i++)
        rc = gnt_plugin_files(out, j->plugin[i], err);
    return rc;
}

enum { MOST_OUTPUTS = 12 }; /* of one job */

static void note_progress(void *user, uint64_t done, uint64_t total) {
    run_job *j = user;
    j->done = done;
    j->total = total;
}

/* Opens the job's inputs into j->fd and describes to a child those that are there. */
static int open_inputs(run *r, run_job *j, gnt_child_input input[RUN_MOST_INPUTS], size_t *n, gnt_err *err) {
    *n = 0;
    for (size_t i = 0; i < j->n_inputs; i++)
        j->fd[i] = -1;
    for (size_t i = 0; i < j->n_inputs; i++) {
        const run_input *in = &j->input[i];
        if (open_input(r, in, &j->fd[i], err) != 0)
            return -1;
        if (j->fd[i] >= 0)
            input[(*n)++] =
                (gnt_child_input){.name = in->name,
                                  .fd = j->fd[i],
                                  .digest = in->from ? gnt_store_digest(in->from->record, in->output) : NULL};
    }
    return 0;
}

/* Starts the job's own process, its sides having been started: `sockets` are its ends to them. */
static int start_own(run *r, run_job *j, const json_t *request, const gnt_sandbox_spec *sandbox,
                     const gnt_child_input *inputs, size_t n_inputs, const gnt_child_socket *sockets,
                     size_t n_sockets, gnt_err *err) {
    gnt_child_output output[MOST_OUTPUTS];
    size_t n_outputs = 0;
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
                                 .user = j,
                                 .seconds = r->suite->seconds,
                                 .cpu_seconds = r->suite->cpu_seconds,
                                 .memory = (uint64_t)r->suite->memory_mb << 20};
    return gnt_child_start(&j->child, &spec, err);
}

/* All processes of the job, in one kind of sandbox. */
static int start_processes(run *r, run_job *j, const gnt_child_input *inputs, size_t n_inputs, gnt_err *err) {
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

/* A job that cannot be started has failed like any other: the rest of the run goes on. */
static void start_job(run *r, run_job *j) {
    gnt_child_input input[RUN_MOST_INPUTS];
    size_t n_inputs;
    gnt_err why = {0}, whole;
    if (open_inputs(r, j, input, &n_inputs, &why) == 0 && start_processes(r, j, input, n_inputs, &why) == 0) {
        j->state = RUN_RUNNING;
        r->running++;
        return;
    }
    run_sides_free(j);
    close_inputs(j);
    gnt_fail(&whole, "the job %s could not be started: %s", j->name, why.text);
    run_end_job(j, "failed", whole.text);
}

/* Facts come out of a process that a plugin shares: only numbers with a proper name are taken. */
static json_t *checked_facts(const json_t *facts) {
    enum { MOST_FACTS = 1024 };
    json_t *all = json_object();
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)facts, name, value) if (json_is_number(value) &&
                                                                     gnt_id_ok(name, '_') &&
                                                                     json_object_size(all) < MOST_FACTS)
        json_object_set_new(all, name, json_real(json_number_value(value)));
    return all;
}

/* Reads what a child that ended well wrote and puts it into the store. */
static int store_outputs(run *r, run_job *j, gnt_err *err) {
    gnt_stored_output output[MOST_OUTPUTS];
    uint8_t *bytes[MOST_OUTPUTS] = {0};
    size_t n = 0;
    int rc = 0;
    for (size_t i = 0; rc == 0 && j->outputs[i]; i++) {
        size_t size = 0;
        rc = gnt_child_output_read(j->child, j->outputs[i], &bytes[i], &size, err);
        if (rc == 0 && size > 0)
            output[n++] = (gnt_stored_output){j->outputs[i], bytes[i], size};
    }
    json_t *facts = run_sides_facts(j);
    j->record = json_pack("{s:s, s:s, s:o}", "status", "ok", "job", j->name, "facts", checked_facts(facts));
    json_decref(facts);
    if (j->n_plugins > 0)
        json_object_set_new(j->record, "sandbox", json_string(j->sandbox));
    if (rc == 0)
        rc = put_times(r, j, err);
    if (rc == 0)
        rc = j->record ? gnt_store_put(r->store, &j->key, j->record, output, n, err)
                       : gnt_fail(err, "out of memory for the job %s", j->name);
    for (size_t i = 0; i < MOST_OUTPUTS; i++)
        gnt_free(bytes[i]);
    return rc;
}

/* A job's first output is its purpose; others may be left out. */
static int left_nothing(const run_job *j) {
    struct stat st;
    int fd = gnt_child_output_fd(j->child, j->outputs[0], NULL);
    return fd < 0 || fstat(fd, &st) != 0 || st.st_size == 0;
}

/* A sentence of the worker's names who failed at what; how a process ended does not. */
static void end_badly(run_job *j, const char *verdict, const gnt_err *reason) {
    const json_t *status = gnt_child_result_of(run_sides_verdict_child(j))->status;
    const char *said = json_string_value(json_object_get(status, "sentence"));
    gnt_err whole = *reason;
    if (!said || strcmp(said, reason->text) != 0)
        gnt_fail(&whole, "the job %s %s", j->name, reason->text);
    run_end_job(j, verdict, whole.text);
}

static void free_processes(run *r, run_job *j) {
    close_inputs(j);
    run_sides_free(j);
    gnt_child_free(j->child);
    j->child = NULL;
    r->running--;
}

static int finish_job(run *r, run_job *j, gnt_err *err) {
    gnt_err reason = {0};
    const char *verdict = run_sides_verdict(j, &reason);
    const gnt_child_result *result = gnt_child_result_of(run_sides_verdict_child(j));
    j->sandbox = gnt_strdup(run_sides_sandbox(j));
    j->wall_seconds = gnt_child_result_of(j->child)->wall_seconds;
    j->exit_code = result->exit_code;
    j->signal = result->signal;
    j->cpu_seconds = 0;
    j->peak = 0;
    for (size_t i = 0; i <= j->n_sides; i++) {
        const gnt_child_result *one = gnt_child_result_of(i ? j->side[i - 1] : j->child);
        j->cpu_seconds += one->cpu_seconds;
        j->peak += one->peak;
    }
    j->hooks = run_sides_hooks(j);
    int rc = 0;
    if (run_share_was_ended(r, j, verdict)) {
        free_processes(r, j);
        return 0;
    }
    if (strcmp(verdict, "ok") == 0 && left_nothing(j)) {
        gnt_fail(&reason, "says it is done but left no \"%s\"", j->outputs[0]);
        end_badly(j, "failed", &reason);
    } else if (strcmp(verdict, "ok") == 0) {
        rc = store_outputs(r, j, err);
        if (rc == 0)
            finish_stored(r, j);
    } else
        end_badly(j, verdict, &reason);
    if (j->state == RUN_ENDED) {
        j->stderr_tail = gnt_strdup(result->stderr_tail);
        if (strcmp(j->verdict, "unsupported") != 0 && strcmp(j->verdict, "stopped") != 0)
            run_keep_failed(r, j);
    }
    free_processes(r, j);
    return rc == 0 ? run_share_ended(r, j, err) : rc;
}

int run_step_jobs(run *r, int *moved, gnt_err *err) {
    for (size_t i = 0; i < r->n_jobs; i++)
        if (r->job[i]->state == RUN_WAITING && check_inputs(r, r->job[i], moved, err) != 0)
            return -1;
    while (r->running < (size_t)r->options->jobs && !r->interrupted) {
        run_job *next;
        if (run_next_job(r, &next, moved, err) != 0)
            return -1;
        if (!next)
            return 0;
        start_job(r, next);
        *moved = 1;
        if (next->state == RUN_ENDED && run_share_ended(r, next, err) != 0)
            return -1;
    }
    return 0;
}

int run_wait_job(run *r, gnt_err *err) {
    enum { MOST_CHILDREN = 256, WAIT_MS = 500 };
    gnt_child *children[MOST_CHILDREN] = {0};
    run_job *owner[MOST_CHILDREN];
    size_t n = 0;
    for (size_t i = 0; i < r->n_jobs && n + RUN_MOST_SIDES < MOST_CHILDREN; i++)
        for (size_t k = 0; r->job[i]->state == RUN_RUNNING && k <= r->job[i]->n_sides; k++) {
            owner[n] = r->job[i];
            children[n++] = k ? r->job[i]->side[k - 1] : r->job[i]->child;
        }
    int which = gnt_children_wait(children, n, WAIT_MS);
    if (which == GNT_WAIT_INTERRUPTED)
        r->interrupted = 1;
    for (size_t i = 0; which < 0 && i < n; i++)
        run_sides_have_ended(owner[i]);
    return which >= 0 && run_sides_have_ended(owner[which]) ? finish_job(r, owner[which], err) : 0;
}

int run_rerun_job(run *r, run_job *j, double *seconds, gnt_err *err) {
    gnt_err why = {0};
    start_job(r, j);
    if (j->state != RUN_RUNNING)
        return gnt_fail(err, "%s", j->reason ? j->reason : "out of memory");
    gnt_child *all[1 + RUN_MOST_SIDES] = {j->child};
    for (size_t i = 0; i < j->n_sides; i++)
        all[1 + i] = j->side[i];
    while (!run_sides_have_ended(j) && gnt_children_wait(all, 1 + j->n_sides, -1) >= 0)
        ;
    const int over = run_sides_have_ended(j);
    if (!over)
        gnt_fail(&why, "was interrupted");
    const int good = over && strcmp(run_sides_verdict(j, &why), "ok") == 0;
    *seconds = 0;
    for (size_t i = 0; over && i <= j->n_sides; i++)
        *seconds += gnt_child_result_of(all[i])->cpu_seconds;
    free_processes(r, j);
    j->state = RUN_OK;
    return good ? 0 : gnt_fail(err, "the job %s, run again: %s", j->name, why.text);
}

void run_free_jobs(run *r) {
    for (size_t i = 0; i < r->n_jobs; i++) {
        run_job *j = r->job[i];
        if (j->child) {
            run_sides_free(j);
            gnt_child_free(j->child);
            close_inputs(j);
        }
        for (size_t k = 0; k < j->n_inputs; k++)
            gnt_free(j->input[k].path);
        gnt_request_free(&j->request);
        json_decref(j->record);
        json_decref(j->by_round);
        json_decref(j->by_value);
        json_decref(j->beside);
        json_decref(j->hooks);
        gnt_free(j->name);
        gnt_free(j->reason);
        gnt_free(j->node);
        gnt_free(j->sandbox);
        gnt_free(j->stderr_tail);
        gnt_free(j);
    }
    gnt_free(r->job);
}
