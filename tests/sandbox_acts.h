/* sandbox_acts: what a plugin could try from inside a sandbox, one act after the other, and the words of a
 * level that say that it may succeed. For tests. */
#ifndef TESTS_SANDBOX_ACTS_H
#define TESTS_SANDBOX_ACTS_H

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <jansson.h>

#include "base/mem.h"
#include "process/sandbox.h"
#include "process/worker.h"

static const char truth[] = "private.";

/* The acts: each returns 0 when it succeeded. They may use what the request says: "folder" holds plugin.so,
 * which is allowed, other.so and data.bin, which are not. */
enum {
    CONTROL = 1, /* must succeed without a sandbox for any user */
    ALONE = 2    /* may end its process: tried in one of its own */
};

typedef struct act {
    const char *name;
    int (*try_it)(const gnt_worker *w);
    const char *open; /* words of a level that say it may succeed; where they are missing it must not */
    int how;          /* CONTROL, ALONE */
} act;

static json_int_t given(const gnt_worker *w, const char *name) {
    return json_integer_value(json_object_get(w->request, name));
}

static const char *given_text(const gnt_worker *w, const char *name) {
    return json_string_value(json_object_get(w->request, name));
}

static char *within(const gnt_worker *w, const char *name) {
    return gnt_format("%s/%s", given_text(w, "folder"), name);
}

static int open_and_close(const char *path, int flags) {
    int fd = open(path, flags, 0600);
    if (fd < 0)
        return -1;
    char byte;
    ssize_t got = (flags & O_ACCMODE) == O_RDONLY ? read(fd, &byte, 1) : 0;
    close(fd);
    return got < 0 ? -1 : 0;
}

static int open_within(const gnt_worker *w, const char *name, int flags) {
    char *path = within(w, name);
    int rc = open_and_close(path, flags);
    gnt_free(path);
    return rc;
}

static int read_passwd(const gnt_worker *w) {
    (void)w;
    return open_and_close("/etc/passwd", O_RDONLY);
}

static int read_data(const gnt_worker *w) {
    return open_within(w, "data.bin", O_RDONLY);
}

static int write_data(const gnt_worker *w) {
    return open_within(w, "data.bin", O_WRONLY);
}

/* A descriptor that reads nothing but names a file: Landlock lets it through. */
static int name_data(const gnt_worker *w) {
    char *path = within(w, "data.bin");
    int fd = open(path, O_PATH);
    gnt_free(path);
    return fd < 0 ? -1 : close(fd);
}

static int write_plugin(const gnt_worker *w) {
    return open_within(w, "plugin.so", O_RDWR);
}

static int make_file(const gnt_worker *w) {
    return open_within(w, "made", O_WRONLY | O_CREAT);
}

static int remove_file(const gnt_worker *w) {
    char *path = within(w, "spare");
    int rc = unlink(path);
    gnt_free(path);
    return rc;
}

static int truncate_data(const gnt_worker *w) {
    char *path = within(w, "data.bin");
    int rc = truncate(path, 8);
    gnt_free(path);
    return rc;
}

static int change_mode(const gnt_worker *w) {
    char *path = within(w, "data.bin");
    int rc = chmod(path, 0600);
    gnt_free(path);
    return rc;
}

static int change_mode_of_input(const gnt_worker *w) {
    gnt_err err = {0};
    return fchmod(gnt_worker_input(w, "in", &err), 0600);
}

static int list_folder(const gnt_worker *w) {
    DIR *dir = opendir(given_text(w, "folder"));
    if (!dir)
        return -1;
    int rc = -1; /* behind a mount namespace the folder holds the plugin alone */
    for (struct dirent *e; (e = readdir(dir));)
        if (strcmp(e->d_name, "data.bin") == 0)
            rc = 0;
    closedir(dir);
    return rc;
}

static int list_root(const gnt_worker *w) {
    (void)w;
    return open_and_close("/home", O_RDONLY | O_DIRECTORY) == 0 || errno == EISDIR ? 0 : -1;
}

static int read_parent_memory(const gnt_worker *w) {
    (void)w;
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/mem", (long)getppid());
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        return -1;
    close(fd);
    return 0;
}

static int read_own_maps(const gnt_worker *w) {
    (void)w;
    return open_and_close("/proc/self/maps", O_RDONLY);
}

static int load_other(const gnt_worker *w) {
    char *path = within(w, "other.so");
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    gnt_free(path);
    return object ? 0 : -1;
}

static int make_socket(const gnt_worker *w) {
    (void)w;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    return fd < 0 ? -1 : close(fd);
}

/* The parent listens, on a port, on an abstract name and on a named one. */
static int reach(int family, int type, const void *address, socklen_t size) {
    int fd = socket(family, type, 0);
    if (fd < 0)
        return -1;
    int rc = type == SOCK_DGRAM ? (int)sendto(fd, "x", 1, 0, address, size) : connect(fd, address, size);
    int why = errno;
    close(fd);
    errno = why;
    return rc < 0 ? -1 : 0;
}

static struct sockaddr_in port_of(const gnt_worker *w) {
    return (struct sockaddr_in){.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)given(w, "port")),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static int connect_to_a_port(const gnt_worker *w) {
    struct sockaddr_in to = port_of(w);
    return reach(AF_INET, SOCK_STREAM, &to, sizeof to);
}

static int send_a_datagram(const gnt_worker *w) {
    struct sockaddr_in to = port_of(w);
    return reach(AF_INET, SOCK_DGRAM, &to, sizeof to);
}

static struct sockaddr_un name_of(const char *folder, int abstract) {
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    snprintf(name.sun_path + abstract, sizeof name.sun_path - 1, "%s/socket", folder);
    return name;
}

static int connect_to_a_socket(const gnt_worker *w) {
    struct sockaddr_un to = name_of(given_text(w, "folder"), 0);
    return reach(AF_UNIX, SOCK_STREAM, &to, sizeof to);
}

static int connect_to_an_abstract_socket(const gnt_worker *w) {
    struct sockaddr_un to = name_of(given_text(w, "folder"), 1);
    return reach(AF_UNIX, SOCK_STREAM, &to, sizeof to);
}

static int make_local_socket(const gnt_worker *w) {
    (void)w;
    int pair[2];
    return socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
}

static int attach_shared_memory(const gnt_worker *w) {
    void *at = shmat((int)given(w, "shared"), NULL, SHM_RDONLY);
    return at == (void *)-1 ? -1 : shmdt(at);
}

static int start_process(const gnt_worker *w) {
    (void)w;
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    return pid < 0 ? -1 : waitpid(pid, NULL, 0) == pid ? 0 : -1;
}

static int start_clone3(const gnt_worker *w) {
    (void)w;
    uint64_t arguments[8] = {0, 0, 0, 0, SIGCHLD, 0, 0, 0};
    long pid = syscall(435 /* clone3 */, arguments, sizeof arguments);
    if (pid == 0)
        _exit(0);
    return pid < 0 ? -1 : waitpid((pid_t)pid, NULL, 0) == pid ? 0 : -1;
}

static void *nothing(void *user) {
    return user;
}

static int start_thread(const gnt_worker *w) {
    (void)w;
    pthread_t thread;
    if ((errno = pthread_create(&thread, NULL, nothing, NULL)) != 0)
        return -1;
    return pthread_join(thread, NULL);
}

/* The same numbers mean other calls there: 41 is dup, which 64-bit filters know as socket. */
static int call_through_the_old_gate(const gnt_worker *w) {
    (void)w;
#if defined(__x86_64__)
    long rc;
    __asm__ volatile("int $0x80" : "=a"(rc) : "a"(41), "b"(2) : "r8", "r9", "r10", "r11", "memory");
    return rc >= 0 ? 0 : -1;
#else
    errno = ENOSYS;
    return -1;
#endif
}

static int execute(const gnt_worker *w) {
    (void)w;
    char name[] = "/proc/self/exe", *arguments[] = {name, NULL}, *environment[] = {NULL};
    execve(name, arguments, environment); /* if this succeeds, no status line comes */
    return -1;
}

static int trace(const gnt_worker *w) {
    (void)w;
    return ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0 ? -1 : 0;
}

/* Attaches without stopping it, and lets go at its own end. */
static int trace_parent(const gnt_worker *w) {
    (void)w;
    return ptrace(PTRACE_SEIZE, getppid(), NULL, NULL) < 0 ? -1 : 0;
}

/* Where its truth lies is known: what must be closed is the way there. */
static int read_parent(const gnt_worker *w) {
    char to[sizeof truth];
    struct iovec mine = {to, sizeof to}, theirs = {(void *)(uintptr_t)given(w, "address"), sizeof to};
    return process_vm_readv(getppid(), &mine, 1, &theirs, 1, 0) < 0 ? -1 : 0;
}

static int signal_parent(const gnt_worker *w) {
    (void)w;
    return kill(getppid(), 0);
}

static int signal_the_parents_group(const gnt_worker *w) {
    (void)w;
    return kill(-getpgid(getppid()), 0);
}

static int slow_the_parent_down(const gnt_worker *w) {
    (void)w;
    return setpriority(PRIO_PROCESS, (id_t)getppid(), getpriority(PRIO_PROCESS, (id_t)getppid()));
}

static int read_the_limits_of_the_parent(const gnt_worker *w) {
    struct rlimit now;
    (void)w;
    return prlimit(getppid(), RLIMIT_NOFILE, NULL, &now);
}

static int raise_limit(const gnt_worker *w) {
    (void)w;
    struct rlimit core = {0, 0};
    return setrlimit(RLIMIT_CORE, &core);
}

static int make_memory_file(const gnt_worker *w) {
    (void)w;
    int fd = memfd_create("x", 0);
    return fd < 0 ? -1 : close(fd);
}

static int change_folder(const gnt_worker *w) {
    (void)w;
    return chdir("/");
}

/* ---- what one process could leave for another to find ---- */

static int advise(int advice) {
    static char page[2 << 12] __attribute__((aligned(4096)));
    return madvise(page, 1 << 12, advice);
}

static int see_pages(const gnt_worker *w) {
    static char page[1 << 12] __attribute__((aligned(4096)));
    unsigned char resident;
    (void)w;
    return mincore(page, sizeof page, &resident);
}

static int page_out(const gnt_worker *w) {
    (void)w;
    return advise(MADV_PAGEOUT);
}

static int make_cold(const gnt_worker *w) {
    (void)w;
    return advise(MADV_COLD);
}

static int read_ahead_of_use(const gnt_worker *w) {
    (void)w;
    return advise(MADV_WILLNEED);
}

static int populate(const gnt_worker *w) {
    (void)w;
    return advise(22 /* MADV_POPULATE_READ */);
}

static int merge(const gnt_worker *w) {
    (void)w;
    return advise(MADV_MERGEABLE);
}

static int input_of(const gnt_worker *w) {
    return gnt_worker_input(w, "in", NULL);
}

static int read_from_the_cache(const gnt_worker *w) {
    char byte;
    const struct iovec to = {&byte, 1};
    return preadv2(input_of(w), &to, 1, 0, RWF_NOWAIT) < 0 ? -1 : 0;
}

static int see_the_cache(const gnt_worker *w) {
    uint64_t range[2] = {0, 0}, numbers[5];
    return (int)syscall(451 /* cachestat */, input_of(w), range, numbers, 0);
}

static int drop_from_the_cache(const gnt_worker *w) {
    return (errno = posix_fadvise(input_of(w), 0, 0, POSIX_FADV_DONTNEED)) ? -1 : 0;
}

static int read_an_input_ahead(const gnt_worker *w) {
    return readahead(input_of(w), 0, 1) < 0 ? -1 : 0;
}

static int lock_pages(const gnt_worker *w) {
    static char page[1 << 12] __attribute__((aligned(4096)));
    (void)w;
    return (int)syscall(SYS_mlock, page, sizeof page); /* AddressSanitizer replaces mlock by nothing */
}

static int lock_an_input(const gnt_worker *w) {
    return flock(input_of(w), LOCK_SH | LOCK_NB);
}

static int lock_a_range(const gnt_worker *w) {
    struct flock range = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_len = 1};
    return fcntl(input_of(w), F_SETLK, &range);
}

static int watch(const gnt_worker *w) {
    (void)w;
    const int fd = inotify_init1(0);
    return fd < 0 ? -1 : close(fd);
}

static int count_faults(const gnt_worker *w) {
    struct rusage use;
    (void)w;
    return getrusage(RUSAGE_SELF, &use);
}

static int see_free_memory(const gnt_worker *w) {
    struct sysinfo info;
    (void)w;
    return sysinfo(&info);
}

/* By the number of a clock that counts the processor time of another process. */
static int read_the_parents_clock(const gnt_worker *w) {
    struct timespec used;
    (void)w;
    return clock_gettime((clockid_t)(~(unsigned)getppid() << 3 | 2), &used);
}

static int read_the_parents_affinity(const gnt_worker *w) {
    unsigned char set[128];
    (void)w;
    return syscall(SYS_sched_getaffinity, getppid(), sizeof set, set) < 0 ? -1 : 0;
}

/* Any process that maps the same file could wait there. */
static int wake_others(const gnt_worker *w) {
    (void)w;
    return syscall(SYS_futex, truth, 1 /* FUTEX_WAKE */, 1, NULL, NULL, 0) < 0 ? -1 : 0;
}

/* All processes of a user share a limit on those that are pending. */
static int queue_a_signal(const gnt_worker *w) {
    (void)w;
    signal(SIGRTMIN, SIG_IGN);
    return (int)syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGRTMIN);
}

static int make_a_timer(const gnt_worker *w) {
    timer_t timer;
    (void)w;
    return timer_create(CLOCK_MONOTONIC, NULL, &timer) != 0 ? -1 : timer_delete(timer);
}

static int wait_for_all_processors(const gnt_worker *w) {
    (void)w;
    return (int)syscall(SYS_membarrier, 0, 0, 0) < 0 ? -1 : 0;
}

static int see_free_blocks(const gnt_worker *w) {
    struct statvfs fs;
    return fstatvfs(input_of(w), &fs);
}

static int count_pipe_bytes(const gnt_worker *w) {
    int n;
    (void)w;
    return ioctl(4, FIONREAD, &n);
}

static int read_a_library_of_nobody(const gnt_worker *w) {
    (void)w;
    return open_and_close("/usr/lib/os-release", O_RDONLY);
}

/* The number of the file that a plugin is loaded from is not that of the file that others read. */
static int share_the_plugins_pages(const gnt_worker *w) {
    struct stat st = {0};
    char *path = within(w, "plugin.so");
    const int fd = open(gnt_sandbox_place(path), O_RDONLY);
    gnt_free(path);
    if (fd < 0)
        return -1;
    fstat(fd, &st);
    close(fd);
    return (json_int_t)st.st_ino == given(w, "number") && (json_int_t)st.st_dev == given(w, "device") ? 0
                                                                                                      : -1;
}

/* Words of levels, as sandbox_words.c has them. */
#define FILES "the user's files"
#define LENGTHS "lengths of files"
#define MODES "modes"
#define MEMORY "the memory of other processes"
#define NETWORK "the network"
#define SHARED "memory that other processes share"
#define SIGNALS "signals to other processes"
#define LIMITS "limits"
#define PROCESSES "new processes"
#define KERNEL "more of the kernel"
#define NEVER "(is never open)"

static const act forbidden[] = {
    {"read /etc/passwd", read_passwd, FILES, CONTROL},
    {"read the data", read_data, FILES, CONTROL},
    {"write the data", write_data, FILES, CONTROL},
    {"write the plugin", write_plugin, FILES, CONTROL},
    {"make a file", make_file, FILES, CONTROL},
    {"list the folder", list_folder, FILES, CONTROL},
    {"list /home", list_root, FILES, CONTROL},
    {"read its own maps", read_own_maps, FILES, CONTROL},
    {"load another file", load_other, FILES, CONTROL},
    {"remove a file", remove_file, FILES, CONTROL},
    {"truncate the data", truncate_data, FILES "|" LENGTHS, CONTROL},
    {"change the data's mode", change_mode, FILES "|" MODES, CONTROL},
    {"change an input's mode", change_mode_of_input, FILES "|" MODES, CONTROL},
    {"open the parent's memory", read_parent_memory, MEMORY, 0},
    {"process_vm_readv", read_parent, MEMORY, ALONE},
    {"ptrace the parent", trace_parent, MEMORY, ALONE},
    {"connect to a port", connect_to_a_port, NETWORK, CONTROL},
    {"send a datagram", send_a_datagram, NETWORK, CONTROL},
    {"connect to a socket", connect_to_a_socket, NETWORK, CONTROL},
    {"connect to an abstract socket", connect_to_an_abstract_socket, NETWORK, CONTROL},
    {"attach shared memory", attach_shared_memory, SHARED, CONTROL},
    {"signal the parent", signal_parent, SIGNALS, CONTROL},
    {"signal the parent's group", signal_the_parents_group, SIGNALS, CONTROL},
    {"slow the parent down", slow_the_parent_down, LIMITS, CONTROL},
    {"read the parent's limits", read_the_limits_of_the_parent, LIMITS, CONTROL},
    {"fork", start_process, PROCESSES, CONTROL},
    {"clone3", start_clone3, PROCESSES, CONTROL},
    {"start a thread", start_thread, PROCESSES, CONTROL},
    {"name the data", name_data, KERNEL, CONTROL},
    {"open a socket", make_socket, KERNEL, CONTROL},
    {"open a local socket", make_local_socket, KERNEL, CONTROL},
    {"call through the 32-bit gate", call_through_the_old_gate, KERNEL, ALONE},
    {"execve", execute, KERNEL, ALONE},
    {"ptrace", trace, KERNEL, CONTROL | ALONE},
    {"set a limit", raise_limit, KERNEL, CONTROL},
    {"make a memory file", make_memory_file, KERNEL, CONTROL},
    {"change the folder", change_folder, KERNEL, CONTROL},
    {"see which pages are resident", see_pages, KERNEL, CONTROL},
    {"page out", page_out, KERNEL, CONTROL},
    {"advise that pages are cold", make_cold, KERNEL, CONTROL},
    {"advise that pages are needed", read_ahead_of_use, KERNEL, 0},
    {"populate pages", populate, KERNEL, 0},
    {"merge pages", merge, KERNEL, 0},
    {"read what is in the cache", read_from_the_cache, KERNEL, 0},
    {"see what is in the cache", see_the_cache, KERNEL, 0},
    {"drop an input from the cache", drop_from_the_cache, KERNEL, CONTROL},
    {"read an input ahead", read_an_input_ahead, KERNEL, 0},
    {"lock pages", lock_pages, KERNEL, CONTROL},
    {"lock an input", lock_an_input, KERNEL, CONTROL},
    {"lock a range of an input", lock_a_range, KERNEL, CONTROL},
    {"watch files", watch, KERNEL, CONTROL},
    {"count page faults", count_faults, KERNEL, CONTROL},
    {"see how much memory is free", see_free_memory, KERNEL, CONTROL},
    {"read the parent's processor time", read_the_parents_clock, KERNEL, CONTROL},
    {"read the parent's affinity", read_the_parents_affinity, KERNEL, CONTROL},
    {"wake waiters of other processes", wake_others, KERNEL, CONTROL},
    {"queue a signal", queue_a_signal, KERNEL, CONTROL},
    {"make a timer", make_a_timer, KERNEL, CONTROL},
    {"wait for all processors", wait_for_all_processors, KERNEL, CONTROL},
    {"see the blocks that are free", see_free_blocks, KERNEL, CONTROL},
    {"count the bytes of a pipe", count_pipe_bytes, KERNEL, CONTROL},
    {"read a file of the system", read_a_library_of_nobody, FILES, 0},
    {"share the plugin's pages", share_the_plugins_pages, NEVER, CONTROL},
};
enum { N_FORBIDDEN = sizeof forbidden / sizeof *forbidden };

#endif
