/* sides: a job of a test whose hooks run in processes of their own, as a worker's do: each side is a copy of
 * this process that runs the job "side" over a socket. For tests that have included cmocka. */
#ifndef TESTS_SIDES_H
#define TESTS_SIDES_H

#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "fuzz/work.h"
#include "job/side/side_job.h"
#include "plugin/info.h"
#include "try_plugin.h"

enum { SIDES = 9, SIDES_MOST_DEFENSES = 4 };
static const char *const sides_names[SIDES] = {"client",   "server",   "query",    "server.1", "server.2",
                                               "server.3", "server.4", "server.5", "server.6"};
static const uint32_t sides_bits[SIDES] = {GNT_SIDE_CLIENT, GNT_SIDE_SERVER, GNT_SIDE_QUERY,
                                           GNT_SIDE_SERVER, GNT_SIDE_SERVER, GNT_SIDE_SERVER,
                                           GNT_SIDE_SERVER, GNT_SIDE_SERVER, GNT_SIDE_SERVER};

static const char sides_model_json[] =
    "{\"layers\": [{\"type\": \"conv\", \"name\": \"c\", \"out\": 2, \"kernel\": 3, \"pad\": 1}, "
    "{\"type\": \"batch_norm\", \"name\": \"n\"}, {\"type\": \"relu\"}, {\"type\": \"flatten\"}, "
    "{\"type\": \"dense\", \"name\": \"d\", \"out\": \"classes\"}]}";

/* A defense of the file `so` of this build. */
typedef struct sides_defense {
    const char *so, *id, *params;
    uint32_t hooks;
} sides_defense;

typedef struct sides_defenses {
    const sides_defense *at;
    size_t n;
} sides_defenses;

/* As an argument: it lives as long as the block that it is written in. */
#define SIDES_DEFENSES(...)                                                                                  \
    ((sides_defenses){(const sides_defense[]){__VA_ARGS__},                                                  \
                      sizeof((const sides_defense[]){__VA_ARGS__}) / sizeof(sides_defense)})
static const sides_defenses sides_undefended = {NULL, 0};

typedef struct sides_job {
    fuzz_work inputs; /* its work's context is this, being the first member */
    gnt_request side; /* the request of each side */
    int copies;       /* each client is served by a process that saw no other */
    gnt_request_plugin defense[SIDES_MOST_DEFENSES];
    char path[SIDES_MOST_DEFENSES][4096];
    int fd[SIDES]; /* −1: there is no such side */
    pid_t pid[SIDES];
    gnt_st output[16];
    const char *output_name[16];
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
static inline void sides_serve(sides_job *j, int which, int fd) {
    gnt_err err = {0};
    for (int i = 0; i < SIDES; i++) {
        if (j->fd[i] >= 0)
            close(j->fd[i]);
        j->fd[i] = -1;
    }
    j->fd[0] = fd;
    j->side.side.side = sides_bits[which];
    j->inputs.work.request = &j->side;
    if (j->copies && sides_bits[which] == GNT_SIDE_CLIENT)
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
            sides_serve(j, i, end[1]);
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

enum {
    SIDES_EVERY = GNT_HOOK_CONTRIBUTE | GNT_HOOK_ENCODE_SET | GNT_HOOK_ENCODE_BATCH | GNT_HOOK_LOCAL_RATE |
                  GNT_HOOK_TRANSFORM_UPDATE | GNT_HOOK_AGGREGATE | GNT_HOOK_STATE | GNT_HOOK_ENCODE_QUERY
};

/* A training of a small network with batch norm behind these defenses; further settings are to be added to
 * `inputs.request.train`. */
static inline gnt_request_train *sides_open(sides_job *j, sides_defenses defenses) {
    static const int64_t sample[] = {1, 4, 4};
    const gnt_request_model model = {
        .name = "small", .json = sides_model_json, .sample = {sample, 3}, .classes = FUZZ_CLASSES};
    *j = (sides_job){0};
    assert_true(defenses.n <= SIDES_MOST_DEFENSES);
    for (size_t i = 0; i < defenses.n; i++) {
        const sides_defense *d = &defenses.at[i];
        j->defense[i] = (gnt_request_plugin){
            .file = built(d->so, j->path[i]), .id = d->id, .params = d->params, .hooks = d->hooks};
    }
    const gnt_request_plugins defense = {j->defense, defenses.n};
    const gnt_key role = gnt_key_of_seed(11);
    j->side = (gnt_request){.kind = GNT_JOB_SIDE,
                            .side = {.model = model, .defense = defense, .key = role, .training_stats = 1}};
    fuzz_work_open(&j->inputs, (gnt_request){.kind = GNT_JOB_TRAIN,
                                             .train = {.model = model,
                                                       .defense = defense,
                                                       .partition_key = gnt_key_of_seed(14),
                                                       .init_key = gnt_key_of_seed(13),
                                                       .train_key = gnt_key_of_seed(12),
                                                       .defense_key = role}});
    j->inputs.work.context = j;
    j->inputs.work.write = sides_keep;
    j->inputs.work.socket = sides_socket;
    for (int i = 0; i < SIDES; i++)
        j->fd[i] = -1;
    return &j->inputs.request.train;
}

#endif
