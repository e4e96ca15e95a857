#include "job/side/side_copies.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "job/side/side_carried.h"
#include "job/side/side_job.h"
#include "plugin/hook_times.h"

/* The copy that runs. */
typedef struct copy {
    const side_copies *all;
    pid_t pid;
    int ended, status;
} copy;

/* What became of one copy, as the first process sees it. */
typedef enum copy_end { COPY_FAILED = -1, COPY_TRAINING_ENDED = 0, COPY_DONE = 1 } copy_end;

static int stop_work(void *context) {
    gnt_work *w = context;
    return w->should_stop(w->context);
}

/* Ends a wait for the copy where it has ended, and after a stop. */
static int has_ended(void *context) {
    copy *c = context;
    if (!c->ended && waitpid(c->pid, &c->status, WNOHANG) == c->pid)
        c->ended = 1;
    return c->ended || stop_work(c->all->work);
}

static int wait_for_end(copy *c, gnt_err *err) {
    while (!c->ended) {
        if (waitpid(c->pid, &c->status, 0) == c->pid)
            c->ended = 1;
        else if (errno != EINTR || stop_work(c->all->work))
            return gnt_fail(err, "stopped");
    }
    return 0;
}

/* Ends this process by the signal that ended a copy too early, so that the process that waits for it sees the
 * cause. */
static copy_end fail_as_it_ended(const copy *c, gnt_err *err) {
    if (c->ended && WIFSIGNALED(c->status)) {
        signal(WTERMSIG(c->status), SIG_DFL);
        raise(WTERMSIG(c->status));
    }
    if (c->ended)
        gnt_fail(err, "a defense's process ended with exit code %d in the middle of its work",
                 WIFEXITED(c->status) ? WEXITSTATUS(c->status) : -1);
    else
        gnt_fail(err, "stopped");
    return COPY_FAILED;
}

/* Drops what a copy did not read, or wrote without a request. */
static void drain(int fd) {
    char dropped[4096];
    struct pollfd p = {.fd = fd, .events = POLLIN};
    while (poll(&p, 1, 0) == 1 && (p.revents & POLLIN) && read(fd, dropped, sizeof dropped) > 0)
        ;
}

/* Averages facts over the copies that reported them; `reports` counts those by name. A copy in which a
 * client only gave its part of a secure sum reports no fact of the training. */
static void add_facts(json_t *all, json_t *reports, const char *text) {
    json_t *facts = json_loads(text, 0, NULL), *value;
    const char *name;
    json_object_foreach(facts, name, value) {
        const double mean = json_number_value(json_object_get(all, name));
        const json_int_t n = json_integer_value(json_object_get(reports, name)) + 1;
        if (json_is_number(value) && json_object_size(all) < 256 &&
            json_object_set_new(reports, name, json_integer(n)) == 0)
            json_object_set_new(all, name, json_real(mean + (json_number_value(value) - mean) / (double)n));
    }
    json_decref(facts);
}

static void add_times(json_t *all, const char *text) {
    json_t *times = json_loads(text, 0, NULL);
    gnt_hook_times_join(all, times);
    json_decref(times);
}

/* Passes messages on until one ends the copy. */
static copy_end pass_on(copy *c, const gnt_frame_connection *training, const gnt_frame_connection *connection,
                        gnt_frame *f, json_t *reports, gnt_err *err) {
    uint64_t op = SIDE_COPY_BEGIN;
    int64_t dropped = 0;
    gnt_err ignored;
    for (;;) {
        if (gnt_frame_receive(connection, f, &ignored) != 0)
            return fail_as_it_ended(c, err);
        if (op == SIDE_COPY_END)
            break;
        if (gnt_frame_send(training, f, &ignored) != 0 || gnt_frame_receive(training, f, &ignored) != 0)
            return COPY_TRAINING_ENDED;
        op = f->op;
        if (op == SIDE_COPY_END)
            dropped = gnt_frame_get_int(f);
        if (has_ended(c) || gnt_frame_send(connection, f, &ignored) != 0)
            return fail_as_it_ended(c, err);
    }
    gnt_frame_get_int(f);
    gnt_frame_get_text(f);
    const char *facts = gnt_frame_get_text(f), *times = gnt_frame_get_text(f);
    if (!f->bad && !dropped && c->all->work->facts)
        add_facts(c->all->work->facts, reports, facts);
    if (!f->bad && !dropped && c->all->work->hooks)
        add_times(c->all->work->hooks, times);
    if (wait_for_end(c, err) != 0)
        return COPY_FAILED;
    gnt_frame_begin(f, SIDE_COPY_END);
    gnt_frame_put_int(f, GNT_OK);
    gnt_frame_put_text(f, "");
    return gnt_frame_send(training, f, &ignored) == 0 ? COPY_DONE : COPY_TRAINING_ENDED;
}

/* Forks a copy. Returns IN_COPY in it, and ENDED in this process. */
static side_copies_end start_copy(copy *one, const side_copies *c, gnt_err *err) {
    if (c->work->renew && c->work->renew(c->work->context, err) != 0)
        return SIDE_COPIES_FAILED;
    one->pid = fork();
    if (one->pid < 0) {
        gnt_fail(err, "cannot copy a process: %s", strerror(errno));
        return SIDE_COPIES_FAILED;
    }
    if (one->pid > 0)
        return SIDE_COPIES_ENDED;
    close(c->training);
    close(c->outer);
    if (c->work->alone)
        c->work->alone(c->work->context);
    return SIDE_COPIES_IN_COPY;
}

/* Serves one copy from SIDE_COPY_BEGIN, which is in `f`, to its end. */
static copy_end serve_copy(copy *one, const side_copies *c, const gnt_frame_connection *training,
                           gnt_frame *f, json_t *reports, gnt_err *err) {
    const gnt_frame_connection connection = {
        .fd = c->outer, .most = side_most_message, .should_stop = has_ended, .context = one};
    const copy_end end = pass_on(one, training, &connection, f, reports, err);
    drain(c->outer);
    drain(c->inner);
    if (c->work->rewind) /* offsets belong to open files, which all copies share */
        c->work->rewind(c->work->context);
    return end;
}

/* Answers a request for what this process carries: the facts of all copies so far. Returns −1 when the
 * training has ended. */
static int answer_carried(const side_copies *c, const gnt_frame_connection *training, gnt_frame *f,
                          json_t *reports) {
    gnt_err why = {0}, ignored;
    const uint64_t op = f->op;
    gnt_st st;
    gnt_st_init(&st);
    int rc = 0;
    if (op == SIDE_CARRY) {
        rc = side_get_bundle(f, &st, &why);
        if (rc == 0 && side_carried_check(&st, NULL, &why) == 0)
            rc = side_carried_set_copies(&st, c->work->facts, reports, &why);
        else
            rc = -1;
    } else
        rc = side_carried_level(&st, c->work, &why) == 0
                 ? side_carried_of_copies(&st, c->work->facts, reports, &why)
                 : -1;
    gnt_frame_begin(f, op);
    gnt_frame_put_int(f, rc == 0 ? GNT_OK : GNT_FAILED);
    gnt_frame_put_text(f, why.text);
    if (rc == 0 && op == SIDE_CARRIED)
        side_put_bundle(f, &st);
    gnt_st_free(&st);
    return gnt_frame_send(training, f, &ignored);
}

side_copies_end side_copies_serve(const side_copies *c, gnt_err *err) {
    const gnt_frame_connection training = {
        .fd = c->training, .most = side_most_message, .should_stop = stop_work, .context = c->work};
    gnt_frame f = {0};
    gnt_err ignored;
    side_copies_end end = SIDE_COPIES_ENDED;
    copy_end last = COPY_DONE;
    json_t *reports = json_object();
    while (last == COPY_DONE && gnt_frame_receive(&training, &f, &ignored) == 0) {
        copy one = {.all = c};
        if (f.op == SIDE_CARRIED || f.op == SIDE_CARRY) {
            if (answer_carried(c, &training, &f, reports) != 0)
                break;
            continue;
        }
        if (f.op != SIDE_COPY_BEGIN) {
            gnt_fail(err, "a hook is asked for outside of any client");
            end = SIDE_COPIES_FAILED;
        } else
            end = start_copy(&one, c, err);
        if (end != SIDE_COPIES_ENDED)
            break;
        last = serve_copy(&one, c, &training, &f, reports, err);
    }
    json_decref(reports);
    gnt_frame_free(&f);
    return last == COPY_FAILED ? SIDE_COPIES_FAILED : end;
}
