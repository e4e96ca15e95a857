/* faulty: gauntlet on a disk and a clock that fail when FAULTY says so. It is linked around the program's own
 * calls (-Wl,--wrap), so that nothing of the program knows of it. The environment variable FAULTY says what
 * happens; workers do not have it.
 *
 *   count        at the end standard error says how many calls changed the disk
 *   kill N       the process is killed in front of the Nth of them
 *   torn N       as above, but a write has put half of its bytes
 *   full N       from the Nth on nothing more can be made or written: no space is left
 *   broken N     the Nth fails alone: an input/output error
 *   sealed       a file system that can only be read
 *   clock        the clock on the wall jumps by days, to and fro, each time somebody looks at it
 *   checkpoint N each worker is killed in front of the Nth checkpoint that it puts into place: it reads what
 *                its parent was given
 *   memo N       likewise, but when half of the Nth record of a memo is written */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

int __real_open(const char *path, int flags, ...);
ssize_t __real_write(int fd, const void *bytes, size_t n);
int __real_fsync(int fd);
int __real_rename(const char *from, const char *to);
int __real_mkdir(const char *path, mode_t mode);
int __real_unlink(const char *path);
time_t __real_time(time_t *at);
ssize_t __real_pwrite(int fd, const void *bytes, size_t n, off_t at);

int __wrap_open(const char *path, int flags, ...);
ssize_t __wrap_write(int fd, const void *bytes, size_t n);
int __wrap_fsync(int fd);
int __wrap_rename(const char *from, const char *to);
int __wrap_mkdir(const char *path, mode_t mode);
int __wrap_unlink(const char *path);
time_t __wrap_time(time_t *at);
ssize_t __wrap_pwrite(int fd, const void *bytes, size_t n, off_t at);

enum what { NOTHING, COUNT, KILL, TORN, FULL, BROKEN, SEALED, CLOCK, CHECKPOINT, MEMO };

static enum what what;
static long at_call, calls, checkpoints, records;

static void say_count(void) {
    fprintf(stderr, "disk calls: %ld\n", calls);
}

/* Returns the parent's FAULTY if it is about workers; else NULL. */
static const char *of_parent(void) {
    static char all[1 << 16];
    static const char *const names[] = {"FAULTY=checkpoint ", "FAULTY=memo "};
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/environ", (long)getppid());
    const int fd = __real_open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd >= 0 ? read(fd, all, sizeof all - 1) : 0;
    if (fd >= 0)
        close(fd);
    for (ssize_t at = 0; at < n; at += (ssize_t)strlen(all + at) + 1)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (strncmp(all + at, names[i], strlen(names[i])) == 0)
                return all + at + sizeof "FAULTY=" - 1;
    return NULL;
}

__attribute__((constructor)) static void read_faults(void) {
    static const char *const names[] = {"",       "count",  "kill",  "torn",       "full",
                                        "broken", "sealed", "clock", "checkpoint", "memo"};
    const char *own = getenv("FAULTY"), *text = own ? own : of_parent();
    for (size_t i = 1; text && i < sizeof names / sizeof *names; i++) {
        size_t n = strlen(names[i]);
        if (strncmp(text, names[i], n) != 0 || (text[n] && text[n] != ' '))
            continue;
        what = (enum what)i;
        at_call = strtol(text + n, NULL, 10);
    }
    if (what == COUNT)
        atexit(say_count);
}

/* One more call that changes the disk. 0: it may go on; else the errno it fails with. */
static int next_call(void) {
    calls++;
    if (what == KILL && calls == at_call)
        kill(getpid(), SIGKILL);
    if (what == SEALED)
        return EROFS;
    if (what == FULL && calls >= at_call)
        return ENOSPC;
    return what == BROKEN && calls == at_call ? EIO : 0;
}

static int fails(void) {
    int why = next_call();
    if (what == TORN && calls == at_call)
        kill(getpid(), SIGKILL);
    if (why)
        errno = why;
    return why != 0;
}

int __wrap_open(const char *path, int flags, ...) {
    va_list args;
    va_start(args, flags);
    mode_t mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
    va_end(args);
    return flags & O_CREAT && fails() ? -1 : __real_open(path, flags, mode);
}

/* Pipes and memory files are no disk. */
static int on_disk(int fd) {
    struct stat st;
    return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink > 0;
}

ssize_t __wrap_write(int fd, const void *bytes, size_t n) {
    if (!on_disk(fd))
        return __real_write(fd, bytes, n);
    int why = next_call();
    if (n > 1 && ((what == TORN && calls == at_call) || (what == FULL && calls == at_call)))
        n = (size_t)__real_write(fd, bytes, n / 2);
    if (what == TORN && calls == at_call)
        kill(getpid(), SIGKILL);
    if (what == FULL && calls == at_call)
        return (ssize_t)n;
    if (!why)
        return __real_write(fd, bytes, n);
    errno = why;
    return -1;
}

ssize_t __wrap_pwrite(int fd, const void *bytes, size_t n, off_t at) {
    if (what != MEMO || !on_disk(fd) || ++records != at_call)
        return __real_pwrite(fd, bytes, n, at);
    __real_pwrite(fd, bytes, n / 2, at);
    __builtin_trap(); /* in its sandbox a process signals none */
}

int __wrap_fsync(int fd) {
    return fails() ? -1 : __real_fsync(fd);
}

int __wrap_rename(const char *from, const char *to) {
    const char *name = strrchr(to, '/');
    if (what == CHECKPOINT && name && strcmp(name, "/checkpoint") == 0 && ++checkpoints == at_call)
        kill(getpid(), SIGKILL);
    return fails() ? -1 : __real_rename(from, to);
}

int __wrap_mkdir(const char *path, mode_t mode) {
    struct stat st;
    if (stat(path, &st) == 0) { /* changes nothing */
        errno = EEXIST;
        return -1;
    }
    return fails() ? -1 : __real_mkdir(path, mode);
}

/* To remove needs no space. */
int __wrap_unlink(const char *path) {
    if (what == FULL || what == BROKEN)
        return __real_unlink(path);
    return fails() ? -1 : __real_unlink(path);
}

time_t __wrap_time(time_t *at) {
    static const long days[] = {0, 400, -3000, 9, -1};
    static unsigned looks;
    time_t now = __real_time(NULL);
    if (what == CLOCK)
        now += 86400 * days[looks++ % (sizeof days / sizeof *days)];
    if (at)
        *at = now;
    return now;
}
