/* break_in: an attack that tries the ways out of its process: files that it knows of, its own and its
 * parent's /proc, folders, sockets, processes, memory shared with others, a write to what it was handed to
 * read. Each kind of attempt is a fact: how many succeeded. A sandbox that works gives zero everywhere.
 * `deadly` names one call more, one that a sandbox answers by ending the process. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gauntlet/plugin.h"

enum { DEADLY_NOTHING, DEADLY_PTRACE, DEADLY_PEEK, DEADLY_MOUNT };

typedef struct burglar {
    const gnt_host *host;
    char *paths;
    int deadly, done;
} burglar;

extern char **environ;

static int closed(int fd) {
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

static int can_read(const char *path) {
    return closed(open(path, O_RDONLY)) || closed(open(path, O_PATH)) ||
           closed(open(path, O_RDONLY | O_DIRECTORY));
}

static int lists(const char *path) {
    char entries[4096];
    int fd = open(path, O_RDONLY | O_DIRECTORY);
    long n = fd >= 0 ? syscall(SYS_getdents64, fd, entries, sizeof entries) : -1;
    closed(fd);
    return n > 0;
}

/* All paths that it was given, separated by ':'; also whether its environment names one of them. */
static void try_paths(const burglar *b, double *opened, double *named) {
    char *all = strdup(b->paths), *rest = all;
    for (char *path; rest && (path = strsep(&rest, ":"));) {
        *opened += can_read(path) + lists(path);
        for (char **at = environ; *at; at++)
            *named += *path && strstr(*at, path) != NULL;
    }
    free(all);
}

static double try_proc(void) {
    static const char *const files[] = {"maps", "mem", "environ", "cmdline", "fd", "fd/3", "root", "cwd"};
    char path[64];
    double opened = 0;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (strncmp(files[i], "fd/", 3) != 0) { /* its own descriptors are its own, by whatever name */
            snprintf(path, sizeof path, "/proc/self/%s", files[i]);
            opened += can_read(path);
        }
        snprintf(path, sizeof path, "/proc/%ld/%s", (long)getppid(), files[i]);
        opened += can_read(path);
        snprintf(path, sizeof path, "/proc/1/%s", files[i]);
        opened += can_read(path);
    }
    return opened;
}

/* Every process there could be, up to a few beyond this one: its memory, its words, its open files. */
static double walk_proc(void) {
    static const char *const files[] = {"mem", "maps", "environ", "cmdline", "stat", "fd"};
    const long last = (long)getpid() + 20;
    char path[64];
    double opened = 0;
    for (long pid = last > 20000 ? last - 20000 : 1; pid <= last; pid++)
        for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
            snprintf(path, sizeof path, "/proc/%ld/%s", pid, files[i]);
            opened += closed(open(path, O_RDONLY));
        }
    return opened;
}

/* The parent's open files: the store, the data, other jobs' inputs. */
static double try_descriptors_of_parent(void) {
    char path[64], to[64];
    double opened = 0;
    for (int fd = 0; fd < 256; fd++) {
        snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)getppid(), fd);
        opened += closed(open(path, O_RDONLY)) + (readlink(path, to, sizeof to) > 0);
    }
    return opened;
}

static double try_lists(void) {
    static const char *const folders[] = {"/", ".", "..", "/tmp", "/proc", "/home", "/root", "/dev", "/sys"};
    double n = 0;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        n += lists(folders[i]);
    return n;
}

static double try_to_write(void) {
    static const char *const files[] = {"left-behind", "/tmp/gauntlet-left-behind",
                                        "/dev/shm/gauntlet-left-behind"};
    double n = 0;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (closed(open(files[i], O_WRONLY | O_CREAT, 0600))) {
            n++;
            unlink(files[i]);
        }
    return n + (mkdir("left-behind.d", 0700) == 0 && rmdir("left-behind.d") == 0);
}

/* The request and the inputs are to be read only; outputs, pipes and what is not
 * there may be what they are. */
static double try_inputs(int most) {
    double n = 0;
    for (int fd = 3; fd <= most; fd++) {
        struct stat st;
        char path[64], byte = 'x';
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        n += closed(open(path, O_RDWR));
        int flags = fcntl(fd, F_GETFL);
        if (flags < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size == 0)
            continue;
        n += pwrite(fd, &byte, 1, 0) == 1;
        n += ftruncate(fd, st.st_size / 2) == 0;
        void *map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        n += map != MAP_FAILED;
        if (map != MAP_FAILED)
            munmap(map, 4096);
    }
    return n;
}

static double try_sockets(void) {
    int pair[2] = {-1, -1};
    double n = closed(socket(AF_INET, SOCK_STREAM, 0)) + closed(socket(AF_INET6, SOCK_DGRAM, 0)) +
               closed(socket(AF_UNIX, SOCK_STREAM, 0)) + closed(socket(AF_NETLINK, SOCK_RAW, 0));
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0) {
        n++;
        close(pair[0]);
        close(pair[1]);
    }
    return n;
}

static void *nothing(void *unused) {
    return unused;
}

static double try_processes(void) {
    char *arguments[] = {(char[]){"true"}, NULL};
    double n = 0;
    pid_t pid = fork();
    if (pid == 0) {
        execv("/bin/true", arguments);
        _exit(1);
    }
    if (pid > 0) {
        int status = 0;
        waitpid(pid, &status, 0);
        n += 1 + (WIFEXITED(status) && WEXITSTATUS(status) == 0);
    } else
        n += execv("/bin/true", arguments) == 0;
    pthread_t thread;
    if (pthread_create(&thread, NULL, nothing, NULL) == 0) {
        n++;
        pthread_join(thread, NULL);
    }
    n += kill(getppid(), 0) == 0;
    n += setpriority(PRIO_PROCESS, (id_t)getppid(), getpriority(PRIO_PROCESS, (id_t)getppid())) == 0;
    return n;
}

/* Places where one attack could leave word for the next, or for its partner. */
static double try_shared_memory(void) {
    double n = closed((int)syscall(SYS_memfd_create, "left-behind", 0u));
    long id = syscall(SYS_shmget, 0x6761756e, 4096ul, 01600);
    if (id >= 0) {
        n++;
        syscall(SYS_shmctl, id, 0, NULL);
    }
    id = syscall(SYS_msgget, 0x6761756e, 01600);
    if (id >= 0) {
        n++;
        syscall(SYS_msgctl, id, 0, NULL);
    }
    return n;
}

static double try_limits(void) {
    struct rlimit now;
    return getrlimit(RLIMIT_NOFILE, &now) == 0 && setrlimit(RLIMIT_NOFILE, &now) == 0;
}

static void try_deadly(int which) {
    struct iovec here = {.iov_base = &here, .iov_len = sizeof here};
    if (which == DEADLY_PTRACE)
        ptrace(PTRACE_ATTACH, getppid(), NULL, NULL);
    else if (which == DEADLY_PEEK)
        process_vm_readv(getppid(), &here, 1, &here, 1, 0);
    else if (which == DEADLY_MOUNT)
        syscall(SYS_mount, "none", "/", "tmpfs", 0ul, NULL);
}

static gnt_status run(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer) {
    burglar *b = self;
    const gnt_host *host = b->host;
    const gnt_model_info *info = host->model->info;
    int64_t features = 1;
    (void)own;
    if (!b->done) {
        double opened = 0, named = 0;
        try_paths(b, &opened, &named);
        host->fact(host->context, "opened_paths", opened);
        host->fact(host->context, "named_in_environment", named);
        host->fact(host->context, "opened_proc", try_proc());
        host->fact(host->context, "walked_proc", walk_proc());
        host->fact(host->context, "parents_descriptors", try_descriptors_of_parent());
        host->fact(host->context, "listed", try_lists());
        host->fact(host->context, "wrote", try_to_write());
        host->fact(host->context, "wrote_inputs", try_inputs(6));
        host->fact(host->context, "sockets", try_sockets());
        host->fact(host->context, "processes", try_processes());
        host->fact(host->context, "shared_memory", try_shared_memory());
        host->fact(host->context, "limits", try_limits());
        try_deadly(b->deadly);
        b->done = 1;
    }
    for (int i = 0; i < info->rank; i++)
        features *= info->dim[i];
    float *x = host->scratch(host->context, (size_t)(seen->n * features) * sizeof *x);
    return x ? answer->reconstruction(answer->context, seen->n, x) : host->fail(host->context, "no memory");
}

static void destroy(void *self) {
    free(((burglar *)self)->paths);
    free(self);
}

static void *create(const gnt_host *host, const gnt_value *values) {
    burglar *b = calloc(1, sizeof *b);
    if (b && (b->paths = strdup(values[0].text))) {
        b->host = host;
        b->deadly = (int)values[1].i;
        return b;
    }
    free(b);
    host->fail(host->context, "out of memory");
    return NULL;
}

static const gnt_attack hooks = {.size = sizeof hooks, .run = run};

static const char *const calls[] = {"nothing", "ptrace", "process_vm_readv", "mount", NULL};

static const gnt_parameter parameters[] = {
    {.id = "paths",
     .type = GNT_TYPE_TEXT,
     .unit = "",
     .preset_text = "",
     .help = "files and folders, by ':'"},
    {.id = "deadly",
     .type = GNT_TYPE_CHOICE,
     .unit = "",
     .preset_text = "nothing",
     .choices = calls,
     .help = "a call that nothing but an attack makes"},
};

static const gnt_descriptor descriptor = {
    .size = sizeof descriptor,
    .kind = GNT_PLUGIN_ATTACK,
    .id = "break-in",
    .version = "1.0",
    .line = "a test's attack that tries the ways out of its process",
    .licence = "MIT",
    .citation = "",
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .surfaces = GNT_SURFACE_UPDATE,
    .goals = GNT_GOAL_RECONSTRUCTION,
    .data_kinds = GNT_KIND_ANY,
    .create = create,
    .destroy = destroy,
    .attack = &hooks,
};

GNT_DEFINE_ENTRY(descriptor)
