/* `gauntlet worker --job DIR`: reruns one job that `run --keep-failed` or `vet --keep-failed` kept, in
 * this process, for a debugger. There is no sandbox and no limit; outputs go to DIR/outputs.
 *
 * The sides of a training or a replay, in which hooks run, are forks of this process. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "cli/args.h"
#include "cli/worker_main.h"
#include "job/job.h"
#include "process/worker.h"
#include "request/side.h"
#include "vet/vet.h"

enum { MOST_LINES = 3 + GNT_SIDE_MOST_COPIES };

typedef struct line { /* a socket to another process of the job */
    char name[GNT_SIDE_NAME_SIZE];
    int fd;
} line;

typedef struct place {
    const char *folder;
    line line[MOST_LINES];
    size_t n_lines;
    /* NULL: all inputs are readable. */
    const gnt_request_sides *sides;
    uint32_t side;
} place;

static char *path_in(const place *p, const char *part, const char *name) {
    return gnt_format("%s/%s/%s", p->folder, part, name);
}

static int has(void *context, const char *name) {
    const place *p = context;
    char *path = path_in(p, "inputs", name);
    const int there = path && (!p->sides || gnt_side_reads(p->sides, p->side, name)) && gnt_file_exists(path);
    gnt_free(path);
    return there;
}

static int read_input(void *context, const char *name, gnt_st *out, gnt_err *err) {
    char *path = path_in(context, "inputs", name);
    const int rc = path ? gnt_st_load(out, path, err) : gnt_fail(err, "out of memory");
    gnt_free(path);
    return rc;
}

static int write_output(void *context, const char *name, const gnt_st *st, gnt_err *err) {
    char *path = path_in(context, "outputs", name);
    const int rc = path ? gnt_st_save(st, path, err) : gnt_fail(err, "out of memory");
    gnt_free(path);
    return rc;
}

static int socket_of(void *context, const char *name) {
    const place *p = context;
    for (size_t i = 0; i < p->n_lines; i++)
        if (strcmp(p->line[i].name, name) == 0)
            return p->line[i].fd;
    return -1;
}

static void progress(void *context, double done, double total) {
    (void)context, (void)done, (void)total;
}

static int never_stops(void *context) {
    (void)context;
    return 0;
}

/* Prints the hook that a check calls. */
static void note(void *context, const char *hook) {
    (void)context;
    fprintf(stderr, "%s\n", hook);
}

static int others(void *context) {
    (void)context;
    return gnt_worker_others();
}

static int run_here(place *p, const gnt_request *request, json_t *facts, gnt_err *err) {
    gnt_work w = {.request = request,
                  .memory = (size_t)1 << 40,
                  .context = p,
                  .has = has,
                  .read = read_input,
                  .write = write_output,
                  .socket = socket_of,
                  .progress = progress,
                  .should_stop = never_stops,
                  .note = note,
                  .others = others,
                  .facts = facts};
    return request->kind == GNT_JOB_VET ? gnt_vet_work(&w, err) : gnt_job_run(&w, err);
}

/* Runs a side in the forked process; returns its exit code. */
static int serve(const place *of, const gnt_request_sides *sides, uint32_t side, int fd) {
    gnt_err err = {0};
    place p = {.folder = of->folder, .line = {{"training", fd}}, .n_lines = 1, .sides = sides, .side = side};
    int pair[2] = {-1, -1};
    if (gnt_side_copies(sides, side) && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0) {
        p.line[p.n_lines++] = (line){.name = "outer", .fd = pair[0]};
        p.line[p.n_lines++] = (line){.name = "inner", .fd = pair[1]};
    }
    const gnt_request request = gnt_request_of_side(sides, side);
    json_t *facts = json_object();
    const int rc = run_here(&p, &request, facts, &err);
    if (rc != 0)
        fprintf(stderr, "the side %s failed: %s\n", gnt_word_name(&gnt_side_words, side), err.text);
    json_decref(facts);
    return rc == 0 ? 0 : 1;
}

/* Forks one side. *fd: this process's end of the socket to it. */
static int start_side(const place *p, const gnt_request_sides *sides, uint32_t side, int *fd, gnt_err *err) {
    int end[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, end) != 0)
        return gnt_fail(err, "cannot connect two processes of a job");
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        for (size_t k = 0; k < p->n_lines; k++)
            close(p->line[k].fd);
        close(end[0]);
        _exit(serve(p, sides, side, end[1]));
    }
    close(end[1]);
    *fd = end[0];
    return pid < 0 ? gnt_fail(err, "cannot fork this process") : 0;
}

static int start_sides(place *p, const gnt_request_sides *sides, gnt_err *err) {
    for (size_t i = 0; i < gnt_side_words.n; i++) {
        const gnt_word *side = &gnt_side_words.word[i];
        line *l = &p->line[p->n_lines];
        if (!(sides->wanted & side->bit))
            continue;
        if (start_side(p, sides, side->bit, &l->fd, err) != 0)
            return -1;
        snprintf(l->name, sizeof l->name, "%s", side->name);
        p->n_lines++;
    }
    for (size_t i = 0; i < sides->server_copies && i < GNT_SIDE_MOST_COPIES; i++) {
        line *l = &p->line[p->n_lines];
        if (start_side(p, sides, GNT_SIDE_SERVER, &l->fd, err) != 0)
            return -1;
        gnt_server_copy_name(i, l->name);
        p->n_lines++;
    }
    return 0;
}

static int read_request(gnt_request *out, const char *folder, gnt_err *err) {
    enum { MOST = 64 << 20 };
    gnt_doc doc;
    char *path = gnt_format("%s/request.json", folder);
    int rc = path ? gnt_doc_load(&doc, path, MOST, err) : gnt_fail(err, "out of memory");
    gnt_free(path);
    if (rc != 0)
        return -1;
    rc = gnt_request_decode(out, doc.root, err);
    gnt_doc_free(&doc);
    return rc;
}

static int make_outputs(const char *folder, gnt_err *err) {
    char *path = gnt_format("%s/outputs", folder);
    const int rc = path ? gnt_make_dirs(path, err) : gnt_fail(err, "out of memory");
    gnt_free(path);
    return rc;
}

int gnt_worker_job(const char *folder) {
    gnt_err err = {0};
    gnt_request request = {0};
    place p = {.folder = folder};
    json_t *facts = json_object();
    signal(SIGPIPE, SIG_IGN);
    int rc = read_request(&request, folder, &err);
    if (rc == 0)
        rc = make_outputs(folder, &err);
    const gnt_request_sides sides = gnt_request_sides_of(&request);
    if (rc == 0)
        rc = start_sides(&p, &sides, &err);
    if (rc == 0)
        rc = run_here(&p, &request, facts, &err);
    for (size_t i = 0; i < p.n_lines; i++)
        close(p.line[i].fd);
    int status, bad = 0;
    while (wait(&status) > 0)
        if (WIFSIGNALED(status)) {
            fprintf(stderr, "a side ended by signal %d (%s)\n", WTERMSIG(status),
                    strsignal(WTERMSIG(status)));
            bad = 1;
        }
    const char *verdict = json_string_value(json_object_get(facts, "verdict"));
    const char *why = json_string_value(json_object_get(facts, "why"));
    bad |= verdict && strcmp(verdict, "failed") == 0;
    if (rc != 0)
        cli_error("worker", &err, 1);
    else if (verdict)
        printf("the check %s: %s%s%s\n", request.vet.check, verdict, why && *why ? ": " : "", why ? why : "");
    else
        printf("the job succeeded; its outputs are in %s/outputs\n", folder);
    json_decref(facts);
    gnt_request_free(&request);
    return rc != 0 || bad;
}
