/* sides: a job of a test whose hooks run in processes of their own, as a worker's do: each side is a copy of this process
 * that runs the job "side" over a socket. For tests that have included cmocka. */
#ifndef TESTS_SIDES_H
#define TESTS_SIDES_H

#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "fuzz/work.h"
#include "job/job.h"
#include "plugin/info.h"
#include "try_plugin.h"

enum { SIDES = 3 };
static const char *const sides_names[SIDES] = {"client", "server", "query"};

static const char sides_model_json[] =
    "{\"layers\": [{\"type\": \"conv\", \"name\": \"c\", \"out\": 2, \"kernel\": 3, \"pad\": 1}, "
    "{\"type\": \"batch_norm\", \"name\": \"n\"}, {\"type\": \"relu\"}, {\"type\": \"flatten\"}, "
    "{\"type\": \"dense\", \"name\": \"d\", \"out\": \"classes\"}]}";

typedef struct sides_job {
    fuzz_work inputs; /* its work's context is this, being the first member */
    int fd[SIDES];    /* −1: there is no such side */
    pid_t pid[SIDES];
    gnt_st output[8];
    const char *output_name[8];
    size_t n_outputs;
} sides_job;

static inline int sides_socket(void *context, const char *name) {
    const sides_job *j = context;
    for (int i = 0; i < SIDES; i++)
        if (strcmp(name, sides_names[i]) == 0)
            return j->fd[i];
    return -1;
}

static inline int sides_training(void *context, const char *name) {
    const sides_job *j = context;
    return strcmp(name, "training") == 0 ? j->fd[0]
           : strcmp(name, "outer") == 0  ? j->fd[1]
           : strcmp(name, "inner") == 0  ? j->fd[2]
                                         : -1;
}

static inline int sides_keep(void *context, const char *name, const gnt_st *st, gnt_err *err) {
    sides_job *j = context;
    j->output_name[j->n_outputs] = name;
    return fuzz_copy(&j->output[j->n_outputs++], st, err);
}

static inline gnt_st *sides_output(sides_job *j, const char *name) {
    for (size_t i = 0; i < j->n_outputs; i++)
        if (strcmp(j->output_name[i], name) == 0)
            return &j->output[i];
    fail_msg("the job left no %s", name);
    return NULL;
}

/* In the copy: the job until the socket ends. */
static inline void sides_serve(sides_job *j, int fd) {
    gnt_err err = {0};
    for (int i = 0; i < SIDES; i++) {
        if (j->fd[i] >= 0)
            close(j->fd[i]);
        j->fd[i] = -1;
    }
    j->fd[0] = fd;
    if (json_is_true(gnt_request(&j->inputs.work, "copies")))
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, j->fd + 1), 0);
    j->inputs.work.socket = sides_training;
    const int rc = gnt_job_side(&j->inputs.work, &err);
    if (rc != 0)
        fprintf(stderr, "# a side ended: %s\n", err.text);
    _exit(rc == 0 ? 0 : 1);
}

/* Starts the sides of these names ("client server"). */
static inline void sides_start(sides_job *j, const char *names) {
    signal(SIGPIPE, SIG_IGN);
    for (int i = 0; i < SIDES; i++)
        j->fd[i] = -1;
    for (int i = 0; i < SIDES; i++) {
        int end[2];
        if (!strstr(names, sides_names[i]))
            continue;
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, end), 0);
        j->pid[i] = fork();
        assert_true(j->pid[i] >= 0);
        if (j->pid[i] == 0) {
            close(end[0]);
            sides_serve(j, end[1]);
        }
        close(end[1]);
        j->fd[i] = end[0];
    }
}

/* Ends the sides; each ended well. */
static inline void sides_stop(sides_job *j) {
    for (int i = 0; i < SIDES; i++) {
        int status = 0;
        if (j->fd[i] < 0)
            continue;
        close(j->fd[i]);
        assert_true(waitpid(j->pid[i], &status, 0) == j->pid[i]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        j->fd[i] = -1;
    }
}

static inline void sides_close(sides_job *j) {
    sides_stop(j);
    for (size_t i = 0; i < j->n_outputs; i++)
        gnt_st_free(&j->output[i]);
    fuzz_work_close(&j->inputs);
}

static inline json_t *sides_key(uint64_t seed) {
    char hex[GNT_HEX_SIZE];
    const gnt_key key = gnt_key_of_seed(seed);
    gnt_key_hex(&key, hex);
    return json_string(hex);
}

/* One defense of the file `so` of this build, or of none where id is NULL. */
static inline json_t *sides_defense(const char *so, const char *id, const char *params, uint32_t hooks) {
    char path[4096];
    return id ? json_pack("{s:s, s:s, s:s, s:i}", "file", built(so, path), "id", id, "params", params,
                          "hooks", (int)hooks)
              : NULL;
}

enum {
    SIDES_EVERY = GNT_HOOK_CONTRIBUTE | GNT_HOOK_ENCODE_SET | GNT_HOOK_ENCODE_BATCH | GNT_HOOK_LOCAL_RATE |
                  GNT_HOOK_TRANSFORM_UPDATE | GNT_HOOK_AGGREGATE | GNT_HOOK_STATE | GNT_HOOK_ENCODE_QUERY
};

/* A job with a small network with batch norm and these defenses (a list, taken over); the request is to be added to, in
 * `inputs.work.request`. */
static inline json_t *sides_open(sides_job *j, json_t *defense) {
    json_t *request =
        json_pack("{s:{s:s, s:s, s:[i, i, i], s:i}, s:o, s:{s:o, s:o, s:o, s:o, s:o}}", "model", "name",
                  "small", "json", sides_model_json, "sample", 1, 4, 4, "classes", FUZZ_CLASSES, "defense",
                  defense, "keys", "defense", sides_key(11), "train", sides_key(12), "init", sides_key(13),
                  "partition", sides_key(14), "observe", sides_key(15));
    *j = (sides_job){0};
    fuzz_work_open(&j->inputs, request);
    j->inputs.work.context = j;
    j->inputs.work.write = sides_keep;
    j->inputs.work.socket = sides_socket;
    for (int i = 0; i < SIDES; i++)
        j->fd[i] = -1;
    return request;
}

#endif
