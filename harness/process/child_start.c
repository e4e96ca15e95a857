/* child_start: starts a process from a specification. Everything that can fail or allocate happens before the
 * fork; between fork and exec there are only system calls. */
#include "process/child_wire.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "process/launch.h"

/* AddressSanitizer's shadow memory takes terabytes of address space, which is then not limited. */
#if defined(__SANITIZE_ADDRESS__)
enum { UNDER_ASAN = 1 };
#else
enum { UNDER_ASAN = 0 };
#endif

enum {
    SEALS = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE,
    /* Address space in addition to the memory limit: code, libraries, OpenBLAS's buffers, stacks. */
    SPARE_MB = 1024,
    SPARE_FILES = 64
};
/* Bytes of the largest memo where memory is not limited. */
static const double MOST_MEMO = 0x1p36;

/* Everything that the new process needs, prepared before the fork. fds[i] becomes descriptor i. */
typedef struct process_setup {
    int *fds;
    size_t n_fds;
    char **environment;
    const char *folder;
    /* Write end of a pipe that closes on exec; transfers an errno if exec fails. */
    int error_fd;
    pid_t parent;
    struct rlimit address, cpu, file, files;
} process_setup;

/* Makes a sealed memfd with these bytes, which many children can read without a copy. */
static int sealed_file(const char *name, const void *bytes, size_t size, int *fd, gnt_err *err) {
    int made = memfd_create("gauntlet", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (made < 0)
        return gnt_fail(err, "%s: cannot make a memory file: %s", name, strerror(errno));
    if (gnt_fd_write(made, name, bytes, size, err) != 0) {
        close(made);
        return -1;
    }
    if (fcntl(made, F_ADD_SEALS, SEALS) != 0) {
        close(made);
        return gnt_fail(err, "%s: cannot seal a memory file: %s", name, strerror(errno));
    }
    *fd = made;
    return 0;
}

/* Opens a read-only descriptor of an open file, with its own offset. Reading by it changes no access time,
 * which processes that share the file could see; the kernel refuses this for a file of another user. */
static int view_of(int fd, const char *name, gnt_err *err) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    struct stat st;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        return gnt_fail(err, "the input \"%s\" is not a regular file", name);
    int view = open(path, O_RDONLY | O_CLOEXEC | O_NOATIME);
    if (view < 0 && errno == EPERM)
        view = open(path, O_RDONLY | O_CLOEXEC);
    if (view < 0)
        return gnt_fail(err, "the input \"%s\" cannot be reopened through %s: %s", name, path,
                        strerror(errno));
    return view;
}

/* The description of the worker's process, while it is assembled. */
typedef struct message {
    gnt_launch launch;
    gnt_launch_piece *inputs, *outputs, *sockets;
    gnt_arena memory;
} message;

/* Appends a piece to one of the lists, which has room for it. */
static int add_piece(gnt_launch_pieces *list, gnt_launch_piece *room, const char *name, size_t fd,
                     const char *digest, gnt_err *err) {
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->at[i].name, name) == 0)
            return gnt_fail(err, "two inputs or two outputs of a job are called \"%s\"", name);
    room[list->n++] = (gnt_launch_piece){name, (int64_t)fd, digest};
    list->at = room;
    return 0;
}

static int seal_message(const gnt_child_spec *spec, const gnt_launch *of, int *fd, gnt_err *err) {
    json_t *all =
        json_pack("{s:o, s:O}", "process", gnt_fields_encode(&gnt_launch_fields, of, GNT_FIELDS_ALL),
                  "request", spec->request);
    char *text = all ? json_dumps(all, JSON_COMPACT) : NULL;
    const size_t size = text ? strlen(text) : 0;
    int rc = -1, sealed = -1;
    if (!text)
        gnt_fail(err, "a job's request cannot be written: a path in it is not UTF-8, or out of memory");
    else if (size > GNT_REQUEST_MOST)
        gnt_fail(err, "a job's request has %zu bytes, more than the %d allowed", size, GNT_REQUEST_MOST);
    else
        rc = sealed_file("a job's request", text, size, &sealed, err);
    if (rc == 0) {
        *fd = view_of(sealed, "request", err);
        rc = *fd < 0 ? -1 : 0;
        close(sealed);
    }
    free(text);
    json_decref(all);
    return rc;
}

static int open_inputs(const gnt_child_spec *spec, process_setup *l, message *m, gnt_err *err) {
    for (size_t i = 0; i < spec->n_inputs; i++) {
        const gnt_child_input *in = &spec->inputs[i];
        int sealed = in->fd;
        if (in->bytes && sealed_file(in->name, in->bytes, in->size, &sealed, err) != 0)
            return -1;
        l->fds[GNT_FD_FIRST + i] = view_of(sealed, in->name, err);
        if (in->bytes)
            close(sealed);
        if (l->fds[GNT_FD_FIRST + i] < 0 ||
            add_piece(&m->launch.inputs, m->inputs, in->name, GNT_FD_FIRST + i, in->digest, err) != 0)
            return -1;
    }
    return 0;
}

static int open_outputs(const gnt_child_spec *spec, gnt_child *child, process_setup *l, message *m,
                        gnt_err *err) {
    size_t first = GNT_FD_FIRST + spec->n_inputs;
    for (size_t i = 0; i < spec->n_outputs; i++) {
        gnt_child_output_file *output = &child->outputs[i];
        output->most = spec->outputs[i].most;
        output->name = gnt_strdup(spec->outputs[i].name);
        if (!output->name)
            return gnt_fail(err, "out of memory for a job's outputs");
        output->fd = memfd_create("gauntlet", MFD_CLOEXEC | MFD_ALLOW_SEALING);
        if (output->fd < 0)
            return gnt_fail(err, "cannot make a memory file for the output \"%s\": %s", output->name,
                            strerror(errno));
        l->fds[first + i] = fcntl(output->fd, F_DUPFD_CLOEXEC, 0);
        if (l->fds[first + i] < 0)
            return gnt_fail(err, "cannot pass a job the output \"%s\": %s", output->name, strerror(errno));
        if (add_piece(&m->launch.outputs, m->outputs, output->name, first + i, NULL, err) != 0)
            return -1;
    }
    return 0;
}

static int open_sockets(const gnt_child_spec *spec, process_setup *l, message *m, gnt_err *err) {
    size_t first = GNT_FD_FIRST + spec->n_inputs + spec->n_outputs;
    for (size_t i = 0; i < spec->n_sockets; i++) {
        l->fds[first + i] = fcntl(spec->sockets[i].fd, F_DUPFD_CLOEXEC, 0);
        if (l->fds[first + i] < 0)
            return gnt_fail(err, "cannot pass a job the socket \"%s\": %s", spec->sockets[i].name,
                            strerror(errno));
        if (add_piece(&m->launch.sockets, m->sockets, spec->sockets[i].name, first + i, NULL, err) != 0)
            return -1;
    }
    return 0;
}

/* Passes the memo's file, if there is one, as the last descriptor. */
static int open_memo(const gnt_child_spec *spec, process_setup *l, gnt_launch_memo *memo, gnt_err *err) {
    if (!spec->memo)
        return 0;
    const size_t last = l->n_fds - 1;
    l->fds[last] = fcntl((int)spec->memo->fd, F_DUPFD_CLOEXEC, 0);
    if (l->fds[last] < 0)
        return gnt_fail(err, "cannot pass a job its memo: %s", strerror(errno));
    *memo = (gnt_launch_memo){(int64_t)last, spec->memo->job};
    return 0;
}

static int open_pieces(const gnt_child_spec *spec, gnt_child *child, process_setup *l, gnt_err *err) {
    message m = {.launch = {.memory = (int64_t)spec->memory,
                            .sandbox = spec->sandbox,
                            .checkpoint = spec->checkpoint}};
    gnt_launch_memo memo;
    m.launch.memo = spec->memo ? &memo : NULL;
    m.inputs = gnt_arena_array(&m.memory, spec->n_inputs, sizeof *m.inputs);
    m.outputs = gnt_arena_array(&m.memory, spec->n_outputs, sizeof *m.outputs);
    m.sockets = gnt_arena_array(&m.memory, spec->n_sockets, sizeof *m.sockets);
    int rc = m.memory.failed ? gnt_fail(err, "out of memory for a job's request") : 0;
    if (rc == 0)
        rc = open_inputs(spec, l, &m, err) != 0 || open_outputs(spec, child, l, &m, err) != 0 ||
                     open_sockets(spec, l, &m, err) != 0 || open_memo(spec, l, &memo, err) != 0 ||
                     seal_message(spec, &m.launch, &l->fds[GNT_FD_REQUEST], err) != 0
                 ? -1
                 : 0;
    gnt_arena_free(&m.memory);
    return rc;
}

static int open_pipes(gnt_child *child, process_setup *l, int *error_read, gnt_err *err) {
    int status[2] = {-1, -1}, errors[2] = {-1, -1}, failure[2] = {-1, -1};
    l->fds[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
    l->fds[1] = open("/dev/null", O_WRONLY | O_CLOEXEC);
    int bad = l->fds[0] < 0 || l->fds[1] < 0 || pipe2(status, O_CLOEXEC) != 0 ||
              pipe2(errors, O_CLOEXEC) != 0 || pipe2(failure, O_CLOEXEC) != 0;
    int why = errno;
    child->status_fd = status[0];
    child->stderr_fd = errors[0];
    l->fds[GNT_FD_STATUS] = status[1];
    l->fds[2] = errors[1];
    *error_read = failure[0];
    l->error_fd = failure[1];
    if (bad)
        return gnt_fail(err, "cannot open a job's pipes: %s", strerror(why));
    fcntl(child->status_fd, F_SETFL, O_NONBLOCK);
    fcntl(child->stderr_fd, F_SETFL, O_NONBLOCK);
    return 0;
}

static int make_folder(gnt_child *child, gnt_err *err) {
    const char *base = getenv("TMPDIR");
    int n =
        snprintf(child->folder, sizeof child->folder, "%s/gauntlet-XXXXXX", base && *base ? base : "/tmp");
    if (n < 0 || (size_t)n >= sizeof child->folder || !mkdtemp(child->folder)) {
        gnt_fail(err,
                 "%s: cannot make a job's working folder: %s; set TMPDIR to a folder that can be written",
                 base && *base ? base : "/tmp", strerror(errno));
        child->folder[0] = 0;
        return -1;
    }
    return 0;
}

static rlim_t most_of(double value) {
    return value < 1e15 ? (rlim_t)value : RLIM_INFINITY;
}

static double largest_file(const gnt_texts *files) {
    double largest = 0;
    struct stat st;
    for (size_t i = 0; i < files->n; i++)
        if (stat(files->at[i], &st) == 0 && (double)st.st_size > largest)
            largest = (double)st.st_size;
    return largest;
}

static void set_limits(const gnt_child_spec *spec, gnt_child *child, process_setup *l) {
    double inputs = 0, largest = 0;
    for (size_t i = 0; i < spec->n_inputs; i++) {
        struct stat st;
        if (fstat(l->fds[GNT_FD_FIRST + i], &st) == 0)
            inputs += (double)st.st_size;
    }
    for (size_t i = 0; i < spec->n_outputs; i++)
        if ((double)spec->outputs[i].most > largest)
            largest = (double)spec->outputs[i].most;
    if (spec->memo && largest < MOST_MEMO)
        largest = MOST_MEMO;
    if (spec->memory && (double)spec->memory < largest)
        largest = (double)spec->memory; /* outputs count as memory, which is only sampled */
    if (spec->sandbox && largest_file(&spec->sandbox->files) > largest)
        largest = largest_file(&spec->sandbox->files); /* the process makes its own copies */
    rlim_t address = RLIM_INFINITY, cpu = RLIM_INFINITY;
    if (spec->memory && !UNDER_ASAN)
        address = most_of((double)spec->memory + inputs + (double)SPARE_MB * 1048576);
    if (spec->cpu_seconds > 0)
        child->cpu = ceil(spec->cpu_seconds);
    else if (spec->seconds > 0) /* a reserve: the parent's clock expires first, since a job has one thread */
        child->cpu = ceil(spec->seconds + child->grace + 5);
    if (child->cpu > 0)
        cpu = most_of(child->cpu);
    l->address = (struct rlimit){address, address};
    l->cpu = (struct rlimit){cpu, cpu == RLIM_INFINITY ? cpu : cpu + 1}; /* SIGXCPU, then SIGKILL */
    l->file = (struct rlimit){most_of(largest), most_of(largest)};
    l->files = (struct rlimit){l->n_fds + SPARE_FILES, l->n_fds + SPARE_FILES};
}

static void lower_limit(int what, const struct rlimit *limit) {
    struct rlimit now;
    if (getrlimit(what, &now) == 0 && now.rlim_max < limit->rlim_max)
        return; /* the user's own limit is lower_limit still */
    setrlimit(what, limit);
}

/* Gives every signal its default action, after removing those that were sent to this process meanwhile, as to
 * the group of its parent: they are the parent's. */
static void reset_signals(void) {
    sigset_t waiting, none;
    sigpending(&waiting);
    for (int s = 1; s < NSIG; s++) {
        if (sigismember(&waiting, s) == 1)
            signal(s, SIG_IGN);
        signal(s, s == SIGXFSZ ? SIG_IGN : SIG_DFL); /* a write beyond the limit gives EFBIG */
    }
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Runs in the child, with system calls only: until it executes the program its memory is the parent's. */
static void exec_worker(const process_setup *l) {
    static const struct rlimit none = {0, 0};
    char *arguments[] = {(char[]){"gauntlet"}, (char[]){"worker"}, NULL};
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != l->parent)
        _exit(127);
    reset_signals();
    /* the working directory is removed at once: nothing can be created in it */
    int bad = chdir(l->folder) != 0 || rmdir(l->folder) != 0;
    for (size_t i = 0; i < l->n_fds && !bad; i++)
        bad = dup2(l->fds[i], (int)i) < 0; /* sources are above all targets */
    if (!bad && syscall(SYS_close_range, (unsigned)l->n_fds, ~0u, 4u /* CLOSE_RANGE_CLOEXEC */) != 0)
        for (long fd = (long)l->n_fds, most = sysconf(_SC_OPEN_MAX); fd < most; fd++)
            fcntl((int)fd, F_SETFD, FD_CLOEXEC);
    if (!bad) {
        lower_limit(RLIMIT_CORE, &none);
        lower_limit(RLIMIT_AS, &l->address);
        lower_limit(RLIMIT_CPU, &l->cpu);
        lower_limit(RLIMIT_FSIZE, &l->file);
        lower_limit(RLIMIT_NOFILE, &l->files);
        execve("/proc/self/exe", arguments, l->environment);
    }
    int why = errno;
    ssize_t put = write(l->error_fd, &why, sizeof why);
    (void)put;
    _exit(127);
}

/* Moves every source above the last target, so that no dup2 overwrites a later source. */
static int move_above_targets(process_setup *l, gnt_err *err) {
    int floor = (int)l->n_fds;
    for (size_t i = 0; i <= l->n_fds; i++) {
        int *fd = i < l->n_fds ? &l->fds[i] : &l->error_fd;
        int high = fcntl(*fd, F_DUPFD_CLOEXEC, floor);
        if (high < 0)
            return gnt_fail(err, "cannot pass a job its %zu descriptors: %s; `ulimit -n` may be too low",
                            l->n_fds, strerror(errno));
        close(*fd);
        *fd = high;
    }
    return 0;
}

/* A fork would copy the tables of the parent's pages, which grow with the number of cells. No signal is
 * handled in the child, whose handlers would write the parent's memory. */
static pid_t vfork_worker(const process_setup *l) {
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    const pid_t pid = vfork();
    if (pid == 0)
        exec_worker(l);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return pid;
}

static int fork_worker(gnt_child *child, process_setup *l, int error_read, gnt_err *err) {
    l->parent = getpid();
    child->started = gnt_clock();
    pid_t pid = vfork_worker(l);
    if (pid < 0)
        return gnt_fail(err, "cannot start a job's process: %s", strerror(errno));
    child->pid = pid;
    setpgid(pid, pid); /* parent and child both set it, since either may run first */
    child->pidfd = (int)syscall(SYS_pidfd_open, pid, 0u);
    close(l->error_fd);
    l->error_fd = -1;
    int why = 0;
    ssize_t got;
    do
        got = read(error_read, &why, sizeof why);
    while (got < 0 && errno == EINTR);
    if (got > 0)
        return gnt_fail(err, "cannot execute /proc/self/exe for a job: %s; is /proc mounted?", strerror(why));
    child->folder[0] = 0; /* the child has removed it */
    return 0;
}

static int check_spec(const gnt_child_spec *spec, gnt_err *err) {
    if (!json_is_object(spec->request))
        return gnt_fail(err, "a job's request must be a JSON object");
    if (spec->n_inputs > GNT_PIECES_MOST || spec->n_outputs > GNT_PIECES_MOST - spec->n_inputs ||
        spec->n_sockets > GNT_PIECES_MOST - spec->n_inputs - spec->n_outputs)
        return gnt_fail(err, "a job has %zu inputs, %zu outputs and %zu sockets, more than %d together",
                        spec->n_inputs, spec->n_outputs, spec->n_sockets, GNT_PIECES_MOST);
    return 0;
}

static gnt_child *new_child(const gnt_child_spec *spec) {
    gnt_child *child = gnt_alloc(sizeof *child);
    if (!child)
        return NULL;
    child->pidfd = child->status_fd = child->stderr_fd = -1;
    child->outputs = gnt_array(spec->n_outputs ? spec->n_outputs : 1, sizeof *child->outputs);
    if (!child->outputs) {
        gnt_free(child);
        return NULL;
    }
    child->n_outputs = spec->n_outputs;
    for (size_t i = 0; i < child->n_outputs; i++)
        child->outputs[i].fd = -1;
    child->seconds = spec->seconds;
    child->grace = spec->grace > 0 ? spec->grace : 2;
    child->memory = spec->memory;
    child->progress = spec->progress;
    child->said = spec->said;
    child->user = spec->user;
    return child;
}

int gnt_child_start(gnt_child **out, const gnt_child_spec *spec, gnt_err *err) {
    if (check_spec(spec, err) != 0)
        return -1;
    int rc = -1, error_read = -1;
    process_setup l = {.n_fds = GNT_FD_FIRST + spec->n_inputs + spec->n_outputs + spec->n_sockets +
                                (spec->memo != NULL),
                       .error_fd = -1};
    gnt_child *child = new_child(spec);
    l.fds = gnt_array(l.n_fds, sizeof *l.fds);
    l.environment = gnt_child_environment(spec->keep, spec->set);
    for (size_t i = 0; l.fds && i < l.n_fds; i++)
        l.fds[i] = -1;
    if (!child || !l.fds || !l.environment)
        gnt_fail(err, "out of memory for a job's process");
    else if (open_pieces(spec, child, &l, err) == 0 && open_pipes(child, &l, &error_read, err) == 0 &&
             make_folder(child, err) == 0 && move_above_targets(&l, err) == 0) {
        l.folder = child->folder;
        set_limits(spec, child, &l);
        rc = fork_worker(child, &l, error_read, err);
    }
    for (size_t i = 0; l.fds && i < l.n_fds; i++)
        if (l.fds[i] >= 0)
            close(l.fds[i]);
    if (l.error_fd >= 0)
        close(l.error_fd);
    if (error_read >= 0)
        close(error_read);
    gnt_free(l.fds);
    gnt_child_environment_free(l.environment);
    if (rc != 0) {
        gnt_child_free(child);
        return -1;
    }
    *out = child;
    return 0;
}
