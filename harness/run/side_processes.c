#include "run/side_processes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "plugin/hook_times.h"
#include "request/side.h"

/* Seconds that a side may go on after its job has ended badly. */
static const double grace = 2;

static int start_one(run *r, run_job *j, const gnt_request_sides *s, uint32_t side,
                     const gnt_sandbox_spec *sandbox, const gnt_child_input *inputs, size_t n_inputs,
                     int *job_end, gnt_err *err) {
    gnt_child_input own[RUN_MOST_INPUTS];
    size_t n = 0;
    int end[2], line[2] = {-1, -1};
    for (size_t i = 0; i < n_inputs; i++)
        if (gnt_side_reads(s, side, inputs[i].name))
            own[n++] = inputs[i];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, end) != 0)
        return gnt_fail(err, "cannot connect two processes of a job: %s", strerror(errno));
    const int copies = gnt_side_copies(s, side);
    if (copies && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, line) != 0) {
        close(end[0]);
        close(end[1]);
        return gnt_fail(err, "cannot connect two processes of a job: %s", strerror(errno));
    }
    const gnt_request of_side = gnt_request_of_side(s, side);
    json_t *request = gnt_request_encode(&of_side, GNT_FIELDS_ALL);
    run_memo memo = {.launch.fd = -1};
    /* copies serve one client each, which must know nothing of another */
    const int no_memo =
        side == GNT_SIDE_CLIENT && !copies ? run_memo_open(r, j, GNT_STORE_MEMO_CLIENT, &memo, err) : 1;
    gnt_sandbox_spec own_sandbox = *sandbox;
    own_sandbox.may_fork = copies; /* only where clients are served by copies */
    const gnt_child_socket sockets[] = {{.name = "training", .fd = end[1]},
                                        {.name = "outer", .fd = line[0]},
                                        {.name = "inner", .fd = line[1]}};
    const gnt_child_spec spec = {.request = request,
                                 .sandbox = &own_sandbox,
                                 .inputs = own,
                                 .n_inputs = n,
                                 .sockets = sockets,
                                 .n_sockets = copies ? 3 : 1,
                                 .memo = no_memo ? NULL : &memo.launch,
                                 .seconds = r->suite->seconds,
                                 .cpu_seconds = r->suite->cpu_seconds,
                                 .memory = (uint64_t)r->suite->memory_mb << 20};
    const int rc = no_memo < 0 ? -1
                   : request   ? gnt_child_start(&j->processes.side[j->processes.n_sides], &spec, err)
                               : gnt_fail(err, "out of memory for a job's process");
    json_decref(request);
    run_memo_close(&memo);
    close(end[1]);
    if (copies) {
        close(line[0]);
        close(line[1]);
    }
    if (rc != 0) {
        close(end[0]);
        return -1;
    }
    j->processes.n_sides++;
    *job_end = end[0];
    return 0;
}

const gnt_child_result *run_process_result(const run_job *j, size_t which) {
    return gnt_child_result_of(which ? j->processes.side[which - 1] : j->processes.child);
}

int run_sides_start(run *r, run_job *j, const gnt_sandbox_spec *sandbox, const gnt_child_input *inputs,
                    size_t n_inputs, gnt_child_socket *sockets, size_t *n_sockets, gnt_err *err) {
    const gnt_request_sides s = gnt_request_sides_of(&j->request);
    *n_sockets = 0;
    if (s.server_copies > GNT_SIDE_MOST_COPIES)
        return gnt_fail(err, "a job has %zu further processes of its server, more than %d", s.server_copies,
                        GNT_SIDE_MOST_COPIES);
    for (size_t i = 0; i < gnt_side_words.n; i++) {
        const gnt_word *side = &gnt_side_words.word[i];
        int fd = -1;
        if (!(s.wanted & side->bit))
            continue;
        if (start_one(r, j, &s, side->bit, sandbox, inputs, n_inputs, &fd, err) != 0)
            return -1;
        sockets[(*n_sockets)++] = (gnt_child_socket){.name = side->name, .fd = fd};
    }
    j->processes.n_reporting = j->processes.n_sides;
    for (size_t i = 0; i < s.server_copies; i++) {
        char *name = j->processes.copy_name[i];
        int fd = -1;
        if (start_one(r, j, &s, GNT_SIDE_SERVER, sandbox, inputs, n_inputs, &fd, err) != 0)
            return -1;
        gnt_server_copy_name(i, name);
        sockets[(*n_sockets)++] = (gnt_child_socket){.name = name, .fd = fd};
    }
    return 0;
}

/* Stops sides that go on for `grace` seconds after the job has ended badly. A side that is in no hook finds
 * its socket closed and ends by itself. */
static void stop_late_sides(run_job *j) {
    gnt_err ignored;
    if (!gnt_child_result_of(j->processes.child) ||
        strcmp(gnt_child_verdict(j->processes.child, &ignored), "ok") == 0)
        return;
    if (j->processes.ended_badly_at <= 0)
        j->processes.ended_badly_at = gnt_clock();
    for (size_t i = 0; i < j->processes.n_sides; i++)
        if (!gnt_child_result_of(j->processes.side[i]) && gnt_clock() - j->processes.ended_badly_at > grace)
            gnt_child_stop(j->processes.side[i]);
}

int run_sides_have_ended(run_job *j) {
    stop_late_sides(j);
    for (size_t i = 0; i < j->processes.n_sides; i++)
        if (!gnt_child_result_of(j->processes.side[i]))
            return 0;
    return gnt_child_result_of(j->processes.child) != NULL;
}

/* Returns the verdict of a side: of one that was stopped because the job had ended, its own status if it had
 * failed before. */
static const char *verdict_of(const gnt_child *side, gnt_err *reason) {
    const gnt_child_result *result = gnt_child_result_of(side);
    const char *word = json_string_value(json_object_get(result->status, "status"));
    const char *sentence = json_string_value(json_object_get(result->status, "sentence"));
    if (result->end == GNT_CHILD_STOPPED && word && strcmp(word, "unsupported") == 0) {
        gnt_fail(reason, "%s", sentence ? sentence : "");
        return "unsupported";
    }
    if (result->end == GNT_CHILD_STOPPED && word && strcmp(word, "failed") == 0 && sentence &&
        strcmp(sentence, "stopped") != 0) {
        gnt_fail(reason, "%s", sentence);
        return "failed";
    }
    return gnt_child_verdict(side, reason);
}

/* True if the side ended badly by itself, and was not stopped because the job had ended. */
static int is_reason(const gnt_child *side) {
    gnt_err ignored;
    const char *verdict = gnt_child_result_of(side) ? verdict_of(side, &ignored) : "ok";
    return strcmp(verdict, "ok") != 0 && strcmp(verdict, "stopped") != 0;
}

const char *run_sides_verdict(const run_job *j, gnt_err *reason) {
    for (size_t i = 0; i < j->processes.n_sides; i++)
        if (is_reason(j->processes.side[i]))
            return verdict_of(j->processes.side[i], reason);
    return gnt_child_verdict(j->processes.child, reason);
}

const gnt_child *run_sides_verdict_child(const run_job *j) {
    for (size_t i = 0; i < j->processes.n_sides; i++)
        if (is_reason(j->processes.side[i]))
            return j->processes.side[i];
    return j->processes.child;
}

json_t *run_sides_facts(const run_job *j) {
    json_t *all = json_object();
    for (size_t i = 0; i <= j->processes.n_reporting; i++) {
        const gnt_child_result *result = run_process_result(j, i);
        const json_t *facts = json_object_get(result ? result->status : NULL, "facts");
        if (json_is_object(facts))
            json_object_update_missing(all, (json_t *)(uintptr_t)facts);
    }
    return all;
}

json_t *run_sides_hooks(const run_job *j) {
    json_t *all = json_array();
    for (size_t i = 0; all && i <= j->processes.n_reporting; i++) {
        const gnt_child_result *result = run_process_result(j, i);
        gnt_hook_times_join(all, json_object_get(result ? result->status : NULL, "hooks"));
    }
    return all;
}

const char *run_sides_sandbox(const run_job *j) {
    const char *lowest = gnt_child_result_of(j->processes.child)->sandbox;
    for (size_t i = 0; i < j->processes.n_sides; i++) {
        const char *level = gnt_child_result_of(j->processes.side[i])->sandbox;
        if (i == 0 || gnt_sandbox_level_of(level) < gnt_sandbox_level_of(lowest))
            lowest = level;
    }
    return lowest;
}
