#include "finished/time_builds.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <jansson.h>

#include "base/mem.h"

extern char **environ;

/* Most bytes of an answer. */
enum { MOST_LINE = 1 << 20 };

/* One of the two programs. */
typedef struct runner {
    const char *program;
    /* 0: not started. */
    pid_t pid;
    FILE *to, *from;
} runner;

/* Fills argv of a program, which NULL ends. */
static int fill_argv(char *argv[GNT_TIME_BUILDS_MOST_ARGUMENTS + 3], const char *program,
                     const char *const *arguments, gnt_err *err) {
    size_t n = 0;
    argv[n++] = (char *)(uintptr_t)program;
    argv[n++] = (char *)(uintptr_t) "pace";
    for (size_t i = 0; arguments[i]; i++) {
        if (i == GNT_TIME_BUILDS_MOST_ARGUMENTS)
            return gnt_fail(err, "more than %d arguments for %s", GNT_TIME_BUILDS_MOST_ARGUMENTS, program);
        argv[n++] = (char *)(uintptr_t)arguments[i];
    }
    argv[n] = NULL;
    return 0;
}

static int start(runner *r, const gnt_time_builds_options *o, int which, gnt_err *err) {
    int to[2] = {-1, -1}, from[2] = {-1, -1};
    char *argv[GNT_TIME_BUILDS_MOST_ARGUMENTS + 3];
    posix_spawn_file_actions_t actions;
    r->program = o->program[which];
    if (fill_argv(argv, r->program, o->arguments, err) != 0)
        return -1;
    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0 ||
        posix_spawn_file_actions_init(&actions) != 0) {
        for (int i = 0; i < 2; i++) {
            close(to[i]);
            close(from[i]);
        }
        return gnt_fail(err, "no pipe to %s can be made: %s", r->program, strerror(errno));
    }
    posix_spawn_file_actions_adddup2(&actions, to[0], 0);
    posix_spawn_file_actions_adddup2(&actions, from[1], 1);
    const int why = posix_spawn(&r->pid, r->program, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(to[0]);
    close(from[1]);
    r->to = fdopen(to[1], "w");
    r->from = fdopen(from[0], "r");
    if (why != 0) {
        r->pid = 0;
        return gnt_fail(err, "%s cannot be started: %s", r->program, strerror(why));
    }
    return r->to && r->from ? 0 : gnt_fail(err, "out of memory for a pipe to %s", r->program);
}

static void stop(runner *r) {
    if (r->to)
        fclose(r->to);
    if (r->from)
        fclose(r->from);
    while (r->pid && waitpid(r->pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

/* Sends a request, of which it takes ownership, and returns the answer; the caller releases it. NULL with a
 * sentence. */
static json_t *query(runner *r, json_t *request, gnt_err *err) {
    char *line = request ? json_dumps(request, JSON_COMPACT) : NULL, *said = NULL;
    json_t *answer = NULL;
    json_decref(request);
    if (!line) {
        gnt_fail(err, "out of memory for a request to %s", r->program);
        return NULL;
    }
    if (fprintf(r->to, "%s\n", line) > 0 && fflush(r->to) == 0 && (said = gnt_alloc(MOST_LINE)) != NULL &&
        fgets(said, MOST_LINE, r->from))
        answer = json_loads(said, JSON_REJECT_DUPLICATES, NULL);
    free(line);
    gnt_free(said);
    const char *wrong = json_string_value(json_object_get(answer, "error"));
    if (json_is_object(answer) && !wrong)
        return answer;
    if (wrong)
        gnt_fail(err, "%s: %s", r->program, wrong);
    else
        gnt_fail(
            err,
            "%s ends without an answer; expected a gauntlet of another build, which knows `gauntlet pace`",
            r->program);
    json_decref(answer);
    return NULL;
}

/* Runs the jobs once, so that everything that they need is stored. */
static int prepare_jobs(runner *r, const gnt_time_builds_options *o, gnt_err *err) {
    json_t *jobs = json_array();
    for (size_t i = 0; i < o->n; i++)
        json_array_append_new(
            jobs, json_pack("{s:s, s:b}", "cell", o->job[i].cell, "training", o->job[i].is_training));
    json_t *answer = query(r, json_pack("{s:o}", "jobs", jobs), err);
    const int good = json_integer_value(json_object_get(answer, "ready")) == (json_int_t)o->n;
    if (answer && !good)
        gnt_fail(err, "%s made %lld of %zu jobs ready", r->program,
                 (long long)json_integer_value(json_object_get(answer, "ready")), o->n);
    json_decref(answer);
    return good ? 0 : -1;
}

static int run_round(runner *r, const gnt_time_builds_options *o, size_t round, double *seconds,
                     gnt_err *err) {
    json_t *answer = query(r, json_pack("{s:I}", "round", (json_int_t)round), err);
    const json_t *list = json_object_get(answer, "seconds");
    int rc = answer ? 0 : -1;
    for (size_t i = 0; rc == 0 && i < o->n; i++) {
        const json_t *x = json_array_get(list, i);
        seconds[i * o->rounds + round] = json_number_value(x);
        if (!json_is_number(x) || !isfinite(json_number_value(x)) || json_number_value(x) <= 0)
            rc = gnt_fail(err, "%s tells no seconds for %.200s", r->program, o->job[i].cell);
    }
    json_decref(answer);
    return rc;
}

int gnt_time_builds(const gnt_time_builds_options *o, double *seconds, gnt_err *err) {
    runner r[2] = {{0}};
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    sigaction(SIGPIPE, &ignore, &before); /* a program that has ended is found out by its missing answer */
    int rc = start(&r[0], o, 0, err) || start(&r[1], o, 1, err) || prepare_jobs(&r[0], o, err) ||
                     prepare_jobs(&r[1], o, err)
                 ? -1
                 : 0;
    for (size_t k = 0; rc == 0 && k < o->rounds; k++) {
        for (size_t turn = 0; rc == 0 && turn < 2; turn++) {
            const size_t which = (turn + k) % 2;
            rc = run_round(&r[which], o, k, seconds + which * o->n * o->rounds, err);
        }
        if (rc == 0 && o->round)
            o->round(o->user, k + 1);
    }
    stop(&r[0]);
    stop(&r[1]);
    sigaction(SIGPIPE, &before, NULL);
    return rc;
}
