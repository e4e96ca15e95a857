/* child: the parent's side of a running child: reads its pipes, enforces its limits, reaps it, reads its
 * outputs. A process group is always killed before its leader is reaped, while its number cannot be
 * reused. */
#include "process/child_wire.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"

/* Interval at which memory and clocks are read. */
enum { POLL_MS = 100 };

/* Set by signals that end a program. */
static volatile sig_atomic_t interrupted;

static void on_interrupt(int number) {
    interrupted = number;
}

void gnt_interrupt_catch(void) {
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND};
    sigaction(SIGINT, &action, NULL);
    action.sa_flags = 0; /* a signal to a whole process group may arrive more than once */
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

int gnt_interrupted(void) {
    return interrupted;
}

static void close_fd(int *fd) {
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void kill_group(gnt_child *child) {
    if (!child->pid)
        return;
    kill(-child->pid, SIGKILL);
    kill(child->pid, SIGKILL); /* before the group exists */
    child->killed = 1;
}

static void ask_to_stop(gnt_child *child) {
    if (!child->pid || child->asked_to_stop > 0)
        return;
    child->asked_to_stop = gnt_clock();
    kill(child->pid, SIGTERM);
}

void gnt_child_stop(gnt_child *child) {
    if (!child || !child->pid)
        return;
    child->stopped = 1;
    ask_to_stop(child);
}

/* Returns the peak resident memory of the running process, as the kernel recorded it. */
static void read_memory(gnt_child *child) {
    char path[64], text[4096];
    snprintf(path, sizeof path, "/proc/%ld/status", (long)child->pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    text[n > 0 ? n : 0] = 0;
    uint64_t bytes = gnt_wire_peak(text);
    if (bytes > child->peak)
        child->peak = bytes;
}

/* Returns the bytes of outputs: they are in memory too, but in no resident set. */
static uint64_t output_bytes(const gnt_child *child) {
    uint64_t sum = 0;
    for (size_t i = 0; i < child->n_outputs; i++) {
        struct stat st;
        if (fstat(child->outputs[i].fd, &st) == 0)
            sum += (uint64_t)st.st_blocks * 512;
    }
    return sum;
}

static int is_over_memory(const gnt_child *child) {
    return child->memory && child->peak + output_bytes(child) > child->memory;
}

static void keep_limits(gnt_child *child) {
    double now = gnt_clock();
    if (now - child->memory_read >= POLL_MS * 1e-3) {
        child->memory_read = now;
        read_memory(child);
        if (is_over_memory(child) && !child->killed) {
            child->over_memory = 1;
            kill_group(child);
        }
    }
    if (child->seconds > 0 && now - child->started >= child->seconds && child->asked_to_stop <= 0) {
        child->timed_out = 1;
        ask_to_stop(child);
    }
    if (child->asked_to_stop > 0 && now - child->asked_to_stop >= child->grace && !child->killed)
        kill_group(child);
}

/* Returns how a child ended. killed: the parent killed it before it ended. A child that crashed after it was
 * asked to stop counts as crashed. */
static gnt_child_end end_of(const gnt_child *child, int killed) {
    const gnt_child_result *r = &child->result;
    const int by_parent = r->signal == 0 || r->signal == SIGTERM || (r->signal == SIGKILL && killed);
    if (child->over_memory)
        return GNT_CHILD_OVER_MEMORY;
    if (child->timed_out)
        return GNT_CHILD_TIMED_OUT;
    if (child->stopped && by_parent)
        return GNT_CHILD_STOPPED;
    /* the kernel limits ticks but reports the time actually run, which is less on a shared machine */
    if (child->cpu > 0 && (r->signal == SIGXCPU || r->signal == SIGKILL) && r->cpu_seconds > child->cpu / 2)
        return GNT_CHILD_OVER_CPU;
    return r->signal ? GNT_CHILD_CRASHED : GNT_CHILD_EXITED;
}

static void seal_outputs(gnt_child *child) {
    for (size_t i = 0; i < child->n_outputs; i++)
        if (child->outputs[i].fd >= 0)
            fcntl(child->outputs[i].fd, F_ADD_SEALS,
                  F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
}

/* Returns the peak memory. The child's own report is exact; without its status line the result is the maximum
 * of the values read so far and of the kernel's figure, which includes what the parent had resident. */
static uint64_t peak_of(gnt_child *child, uint64_t kernel) {
    const json_int_t reported = json_integer_value(json_object_get(child->result.status, "peak"));
    if (reported > 0 && (uint64_t)reported > child->peak)
        child->peak = (uint64_t)reported;
    return reported > 0 || child->peak > kernel ? child->peak : kernel;
}

/* Reaps a leader that has ended or was killed; blocks no longer than a kill takes. */
static void reap(gnt_child *child) {
    int status = 0;
    struct rusage used = {0};
    const int killed = child->killed;
    kill_group(child); /* and the processes that it started */
    while (wait4(child->pid, &status, 0, &used) < 0 && errno == EINTR)
        ;
    gnt_child_result *r = &child->result;
    r->wall_seconds = gnt_clock() - child->started;
    r->cpu_seconds = (double)used.ru_utime.tv_sec + (double)used.ru_stime.tv_sec +
                     1e-6 * ((double)used.ru_utime.tv_usec + (double)used.ru_stime.tv_usec);
    r->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    r->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    child->pid = 0;
    gnt_child_listen(child);
    r->peak = peak_of(child, (uint64_t)used.ru_maxrss * 1024);
    child->over_memory |= is_over_memory(child); /* it may have ended since the last read */
    r->end = end_of(child, killed);
    r->sandbox = child->sandbox;
    r->stderr_tail = child->tail + (child->tail_size > GNT_TAIL_MOST ? child->tail_size - GNT_TAIL_MOST : 0);
    close_fd(&child->status_fd);
    close_fd(&child->stderr_fd);
    close_fd(&child->pidfd);
    seal_outputs(child);
}

static int has_ended(const gnt_child *child) {
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != 0;
}

/* Polls all children once; returns the index of one that has ended, GNT_WAIT_TIMEOUT, or GNT_WAIT_NOTHING. */
static int poll_children(gnt_child *const *children, size_t n) {
    int running = 0;
    for (size_t i = 0; i < n; i++) {
        gnt_child *child = children[i];
        if (!child || child->returned)
            continue;
        running = 1;
        gnt_child_listen(child);
        keep_limits(child);
        if (!has_ended(child))
            continue;
        reap(child);
        child->returned = 1;
        return (int)i;
    }
    return running ? GNT_WAIT_TIMEOUT : GNT_WAIT_NOTHING;
}

/* Sleeps until a child writes or ends, at most `ms`. */
static void sleep_until_event(gnt_child *const *children, size_t n, int ms) {
    struct pollfd *polls = gnt_array(n, 3 * sizeof *polls);
    nfds_t used = 0;
    for (size_t i = 0; polls && i < n; i++) {
        const gnt_child *child = children[i];
        if (!child || child->returned)
            continue;
        const int fds[3] = {child->status_fd, child->stderr_fd, child->pidfd};
        for (size_t k = 0; k < 3; k++)
            if (fds[k] >= 0)
                polls[used++] = (struct pollfd){.fd = fds[k], .events = POLLIN};
        if (child->pidfd < 0 && ms > 10)
            ms = 10;
    }
    poll(polls, used, polls ? ms : 10);
    gnt_free(polls);
}

int gnt_children_wait(gnt_child *const *children, size_t n, int timeout_ms) {
    double until = gnt_clock() + timeout_ms * 1e-3;
    for (;;) {
        int found = poll_children(children, n);
        if (found != GNT_WAIT_TIMEOUT)
            return found;
        if (interrupted)
            return GNT_WAIT_INTERRUPTED;
        double left = (until - gnt_clock()) * 1e3;
        if (timeout_ms >= 0 && left <= 0)
            return GNT_WAIT_TIMEOUT;
        sleep_until_event(children, n, timeout_ms >= 0 && left < POLL_MS ? (int)left + 1 : POLL_MS);
    }
}

const gnt_child_result *gnt_child_result_of(const gnt_child *child) {
    return child && child->returned ? &child->result : NULL;
}

static const gnt_child_output_file *output_of(const gnt_child *child, const char *name, gnt_err *err) {
    for (size_t i = 0; i < child->n_outputs; i++)
        if (strcmp(child->outputs[i].name, name) == 0)
            return &child->outputs[i];
    gnt_fail(err, "the job has no output \"%s\"", name);
    return NULL;
}

int gnt_child_output_fd(const gnt_child *child, const char *name, gnt_err *err) {
    const gnt_child_output_file *output = output_of(child, name, err);
    struct stat st;
    if (!output)
        return -1;
    if (child->pid)
        return gnt_fail(err, "the output \"%s\" can only be read after its job has ended", name);
    if (fstat(output->fd, &st) != 0)
        return gnt_fail(err, "the output \"%s\" cannot be read: %s", name, strerror(errno));
    if ((uint64_t)st.st_size > output->most)
        return gnt_fail(err, "the output \"%s\" has %lld bytes, more than the %llu allowed", name,
                        (long long)st.st_size, (unsigned long long)output->most);
    return output->fd;
}

int gnt_child_output_read(const gnt_child *child, const char *name, uint8_t **bytes, size_t *size,
                          gnt_err *err) {
    int fd = gnt_child_output_fd(child, name, err);
    return fd < 0 ? -1 : gnt_wire_read(fd, name, SIZE_MAX - 1, bytes, size, err);
}

void gnt_child_free(gnt_child *child) {
    if (!child)
        return;
    if (child->pid)
        reap(child);
    close_fd(&child->status_fd);
    close_fd(&child->stderr_fd);
    if (child->folder[0])
        rmdir(child->folder);
    for (size_t i = 0; i < child->n_outputs; i++) {
        close_fd(&child->outputs[i].fd);
        gnt_free(child->outputs[i].name);
    }
    gnt_free(child->outputs);
    gnt_free(child->line);
    json_decref(child->result.status);
    gnt_free(child);
}
