#include "job/side_copies.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "job/side.h"

/* The copy at hand, as the first process sees it. */
typedef struct copy {
    const side_copies *all;
    pid_t pid;
    int ended, status;
} copy;

static int stop_work(void *context) {
    gnt_work *w = context;
    return w->should_stop(w->context);
}

/* There is no more to come where the copy has ended. */
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

/* A copy that ended before it was told to: as if that had happened here, for whoever waits for this process. */
static int say_how_it_ended(const copy *c, gnt_err *err) {
    if (c->ended && WIFSIGNALED(c->status)) {
        signal(WTERMSIG(c->status), SIG_DFL);
        raise(WTERMSIG(c->status));
    }
    return c->ended ? gnt_fail(err, "a defense's process ended with exit code %d in the middle of its work",
                               WIFEXITED(c->status) ? WEXITSTATUS(c->status) : -1)
                    : gnt_fail(err, "stopped");
}

/* What a copy did not read, or said without being asked, is nobody's. */
static void drain(int fd) {
    char nowhere[4096];
    struct pollfd p = {.fd = fd, .events = POLLIN};
    while (poll(&p, 1, 0) == 1 && (p.revents & POLLIN) && read(fd, nowhere, sizeof nowhere) > 0)
        ;
}

/* Means over copies of what each tells of itself. */
static void add_facts(json_t *all, const char *text, int64_t before) {
    json_t *facts = json_loads(text, 0, NULL), *value;
    const char *name;
    json_object_foreach(facts, name, value) {
        const double mean = json_number_value(json_object_get(all, name));
        if (json_is_number(value) && json_object_size(all) < 256)
            json_object_set_new(all, name,
                                json_real(mean + (json_number_value(value) - mean) / (double)(before + 1)));
    }
    json_decref(facts);
}

/* Passes on until the copy is told to end. The sockets' failures are told apart: 0: the training has ended. */
static int pass_on(copy *c, const gnt_frame_line *training, const gnt_frame_line *line, gnt_frame *f,
                   int64_t n_before, gnt_err *err) {
    uint64_t op = SIDE_ALONE;
    gnt_err ignored;
    for (;;) {
        if (gnt_frame_receive(line, f, &ignored) != 0)
            return say_how_it_ended(c, err);
        if (op == SIDE_DONE)
            break;
        if (gnt_frame_send(training, f, &ignored) != 0 || gnt_frame_receive(training, f, &ignored) != 0)
            return 0;
        op = f->op;
        if (has_ended(c) || gnt_frame_send(line, f, &ignored) != 0)
            return say_how_it_ended(c, err);
    }
    gnt_frame_get_int(f);
    gnt_frame_get_text(f);
    const char *facts = gnt_frame_get_text(f);
    if (!f->bad && c->all->work->facts)
        add_facts(c->all->work->facts, facts, n_before);
    if (wait_for_end(c, err) != 0)
        return -1;
    gnt_frame_begin(f, SIDE_DONE);
    gnt_frame_put_int(f, GNT_OK);
    gnt_frame_put_text(f, "");
    return gnt_frame_send(training, f, &ignored) == 0;
}

int side_copies_serve(const side_copies *c, gnt_err *err) {
    const gnt_frame_line training = {
        .fd = c->training, .most = side_most_message, .should_stop = stop_work, .context = c->work};
    gnt_frame f = {0};
    gnt_err ignored;
    int rc = 1;
    for (int64_t n = 0; rc > 0; n++) {
        if (gnt_frame_receive(&training, &f, &ignored) != 0) {
            rc = 0;
            break;
        }
        if (f.op != SIDE_ALONE) {
            rc = gnt_fail(err, "a hook is asked for outside of any client");
            break;
        }
        copy one = {.all = c, .pid = fork()};
        if (one.pid < 0) {
            rc = gnt_fail(err, "cannot copy a process: %s", strerror(errno));
            break;
        }
        if (one.pid == 0) {
            close(c->training);
            close(c->outer);
            gnt_frame_free(&f);
            if (c->work->alone)
                c->work->alone(c->work->context);
            return 1;
        }
        const gnt_frame_line line = {
            .fd = c->outer, .most = side_most_message, .should_stop = has_ended, .context = &one};
        rc = pass_on(&one, &training, &line, &f, n, err);
        drain(c->outer);
        drain(c->inner);
        if (c->work->rewind) /* offsets belong to open files, which all copies share */
            c->work->rewind(c->work->context);
    }
    gnt_frame_free(&f);
    return rc;
}
