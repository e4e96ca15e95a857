#include "run/sides.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/random.h"
#include "job/work.h"
#include "process/sandbox_request.h"

static const double grace = 2; /* seconds */

/* What a side may have of the job's inputs: artefacts that clients keep to themselves are for their side alone. */
static int is_for_side(const json_t *request, const char *side, const char *name) {
    static const char artefacts[] = "artefacts.";
    if (strncmp(name, artefacts, sizeof artefacts - 1) != 0)
        return strcmp(name, "public") == 0 || strncmp(name, "model.", 6) == 0;
    const size_t member = (size_t)strtoul(name + sizeof artefacts - 1, NULL, 10);
    const json_t *entry = json_array_get(json_object_get(request, "defense"), member);
    return strcmp(side, "server") != 0 || !json_is_true(json_object_get(entry, "private"));
}

/* Clients one by one, each by a process that saw no other (job/side_copies.h). */
static int by_copies(const json_t *request, const char *side) {
    return json_is_true(json_object_get(request, "copies")) && strcmp(side, "client") == 0;
}

/* Each side has a key of its own: the job keeps the one that clients' streams are derived from, and sends each client's with
 * what it asks for it, so that no process can draw the noise of another's client again. */
static int key_of(const json_t *request, const char *side, char hex[GNT_HEX_SIZE]) {
    const gnt_work of_job = {.request = request};
    gnt_key role;
    gnt_err ignored;
    if (gnt_request_key(&of_job, "keys.defense", &role, &ignored) != 0)
        return -1;
    const gnt_key own = gnt_key_derive(&role, side);
    gnt_key_hex(&own, hex);
    return 0;
}

/* The request of a side: what it needs of the job's, and no more. */
static json_t *request_of(const json_t *request, const char *side) {
    static const char *const parts[] = {"model", "defense", "region", "hide", "memory_mb", "sums", "sandbox"};
    json_t *own = json_pack("{s:s, s:s}", "job", "side", "side", side);
    for (size_t i = 0; own && i < sizeof parts / sizeof *parts; i++) {
        json_t *part = json_object_get(request, parts[i]);
        if (part)
            json_object_set(own, parts[i], part);
    }
    if (own && !by_copies(request, side)) { /* no processes but where clients are served by copies */
        json_t *walls = json_copy(json_object_get(own, "sandbox"));
        json_object_set_new(walls, "may_fork", json_false());
        json_object_set_new(own, "sandbox", walls);
    }
    if (own && json_object_get(json_object_get(request, "keys"), "defense")) {
        char hex[GNT_HEX_SIZE];
        if (key_of(request, side, hex) == 0)
            json_object_set_new(own, "keys", json_pack("{s:s}", "defense", hex));
    }
    return own;
}

static int start_one(run *r, run_job *j, const json_t *request, const char *side,
                     const gnt_child_input *inputs, size_t n_inputs, int *job_end, gnt_err *err) {
    gnt_child_input own[RUN_MOST_INPUTS];
    size_t n = 0;
    int end[2], line[2] = {-1, -1};
    for (size_t i = 0; i < n_inputs; i++)
        if (is_for_side(request, side, inputs[i].name))
            own[n++] = inputs[i];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, end) != 0)
        return gnt_fail(err, "cannot connect two processes of a job: %s", strerror(errno));
    const int copies = by_copies(request, side);
    if (copies && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, line) != 0) {
        close(end[0]);
        close(end[1]);
        return gnt_fail(err, "cannot connect two processes of a job: %s", strerror(errno));
    }
    json_t *ask = request_of(request, side);
    const gnt_child_socket sockets[] = {{.name = "training", .fd = end[1]},
                                        {.name = "outer", .fd = line[0]},
                                        {.name = "inner", .fd = line[1]}};
    const gnt_child_spec spec = {.request = ask,
                                 .inputs = own,
                                 .n_inputs = n,
                                 .sockets = sockets,
                                 .n_sockets = copies ? 3 : 1,
                                 .seconds = r->suite->seconds,
                                 .cpu_seconds = r->suite->cpu_seconds,
                                 .memory = (uint64_t)r->suite->memory_mb << 20};
    const int rc = ask ? gnt_child_start(&j->side[j->n_sides], &spec, err)
                       : gnt_fail(err, "out of memory for a job's process");
    json_decref(ask);
    close(end[1]);
    if (copies) {
        close(line[0]);
        close(line[1]);
    }
    if (rc != 0) {
        close(end[0]);
        return -1;
    }
    j->n_sides++;
    *job_end = end[0];
    return 0;
}

int run_sides_start(run *r, run_job *j, const json_t *request, const gnt_child_input *inputs, size_t n_inputs,
                    gnt_child_socket *sockets, size_t *n_sockets, gnt_err *err) {
    const json_t *sides = json_object_get(request, "sides");
    *n_sockets = 0;
    for (size_t i = 0; i < json_array_size(sides) && i < RUN_SIDES; i++) {
        const char *name = json_string_value(json_array_get(sides, i));
        int fd = -1;
        if (start_one(r, j, request, name, inputs, n_inputs, &fd, err) != 0)
            return -1;
        sockets[(*n_sockets)++] = (gnt_child_socket){.name = name, .fd = fd};
    }
    return 0;
}

static double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A side whose job has ended finds its socket closed and ends; one that is in a hook may take its time, but not for ever. */
static void tend(run_job *j) {
    gnt_err ignored;
    if (!gnt_child_result_of(j->child) || strcmp(gnt_child_verdict(j->child, &ignored), "ok") == 0)
        return;
    if (j->ended_at <= 0)
        j->ended_at = seconds_now();
    for (size_t i = 0; i < j->n_sides; i++)
        if (!gnt_child_result_of(j->side[i]) && seconds_now() - j->ended_at > grace)
            gnt_child_stop(j->side[i]);
}

int run_sides_over(run_job *j) {
    tend(j);
    for (size_t i = 0; i < j->n_sides; i++)
        if (!gnt_child_result_of(j->side[i]))
            return 0;
    return gnt_child_result_of(j->child) != NULL;
}

/* Of one that had been asked to stop, since the job had ended already: what it says of itself, where it had failed before. */
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

/* A side that had to be stopped because the job had ended is no reason. */
static int is_reason(const gnt_child *side) {
    gnt_err ignored;
    const char *verdict = gnt_child_result_of(side) ? verdict_of(side, &ignored) : "ok";
    return strcmp(verdict, "ok") != 0 && strcmp(verdict, "stopped") != 0;
}

const char *run_sides_verdict(const run_job *j, gnt_err *reason) {
    for (size_t i = 0; i < j->n_sides; i++)
        if (is_reason(j->side[i]))
            return verdict_of(j->side[i], reason);
    return gnt_child_verdict(j->child, reason);
}

const gnt_child *run_sides_culprit(const run_job *j) {
    for (size_t i = 0; i < j->n_sides; i++)
        if (is_reason(j->side[i]))
            return j->side[i];
    return j->child;
}

json_t *run_sides_facts(const run_job *j) {
    json_t *all = json_object();
    for (size_t i = 0; i <= j->n_sides; i++) {
        const gnt_child_result *result = gnt_child_result_of(i ? j->side[i - 1] : j->child);
        const json_t *facts = json_object_get(result ? result->status : NULL, "facts");
        if (json_is_object(facts))
            json_object_update_missing(all, (json_t *)(uintptr_t)facts);
    }
    return all;
}

const char *run_sides_sandbox(const run_job *j) {
    const char *lowest = gnt_child_result_of(j->child)->sandbox;
    for (size_t i = 0; i < j->n_sides; i++) {
        const char *level = gnt_child_result_of(j->side[i])->sandbox;
        if (i == 0 || gnt_sandbox_level_of(level) < gnt_sandbox_level_of(lowest))
            lowest = level;
    }
    return lowest;
}

void run_sides_free(run_job *j) {
    for (size_t i = 0; i < j->n_sides; i++) {
        gnt_child_free(j->side[i]);
        j->side[i] = NULL;
    }
    j->n_sides = 0;
    j->ended_at = 0;
}
