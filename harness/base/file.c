#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"

static int read_fd(int fd, const char *name, size_t most, uint8_t **bytes, size_t *size, gnt_err *err) {
    size_t room = 1 << 16, n = 0;
    struct stat st;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
        if (st.st_size < 0 || (uint64_t)st.st_size > most)
            return gnt_fail(err, "%s: holds %lld bytes, more than the %zu allowed", name,
                            (long long)st.st_size, most);
        room = (size_t)st.st_size + 2; /* for the byte that is not there, and the zero at the end */
    }
    uint8_t *data = gnt_array(room, 1);
    if (!data)
        return gnt_fail(err, "%s: out of memory for %zu bytes", name, room);
    for (ssize_t got = 1; got != 0 && n <= most;) {
        if (n + 1 == room) {
            uint8_t *grown = gnt_resize(data, 2 * room, 1);
            if (!grown) {
                gnt_fail(err, "%s: out of memory for %zu bytes", name, 2 * room);
                goto cleanup;
            }
            data = grown;
            room *= 2;
        }
        got = read(fd, data + n, room - 1 - n);
        if (got > 0)
            n += (size_t)got;
        else if (got < 0 && errno != EINTR) {
            gnt_fail(err, "%s: cannot read: %s", name, strerror(errno));
            goto cleanup;
        }
    }
    if (n > most) {
        gnt_fail(err, "%s: holds more than the %zu bytes allowed", name, most);
        goto cleanup;
    }
    data[n] = 0;
    *bytes = data;
    *size = n;
    return 0;
cleanup:
    gnt_free(data);
    return -1;
}

int gnt_file_read(const char *path, size_t most, uint8_t **bytes, size_t *size, gnt_err *err) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a named pipe must not hold us */
    if (fd < 0)
        return gnt_fail(err, "%s: cannot open: %s", path, strerror(errno));
    struct stat st = {0};
    int rc;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        rc = gnt_fail(err, "%s: is %s; expected a file", path,
                      S_ISDIR(st.st_mode) ? "a folder" : "no regular file");
    else
        rc = read_fd(fd, path, most, bytes, size, err);
    close(fd);
    return rc;
}

int gnt_is_pipe(const char *path) {
    struct stat st;
    return strcmp(path, "-") == 0 || (stat(path, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode)));
}

int gnt_pipe_read(const char *path, size_t most, uint8_t **bytes, size_t *size, gnt_err *err) {
    const int is_input = strcmp(path, "-") == 0,
              fd = is_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return gnt_fail(err, "%s: cannot open: %s", path, strerror(errno));
    const int rc = read_fd(fd, is_input ? "standard input" : path, most, bytes, size, err);
    if (!is_input)
        close(fd);
    return rc;
}

int gnt_fd_write(int fd, const char *name, const void *bytes, size_t size, gnt_err *err) {
    const char *at = bytes;
    while (size) {
        ssize_t put = write(fd, at, size);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return gnt_fail(err, "%s: cannot write: %s", name, strerror(errno));
        at += put;
        size -= (size_t)put;
    }
    return 0;
}

enum { MOST_WRITERS = 8, TAG_SIZE = 9 };

/* Returns the first digits of the running kernel's boot id, which changes at every boot; zeros if it
 * cannot be read. It is read once: every file that is written has it in nine names. */
static const char *kernel_tag(void) {
    static char tag[TAG_SIZE];
    if (tag[0])
        return tag;
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (fd < 0 || read(fd, tag, TAG_SIZE - 1) != TAG_SIZE - 1)
        memset(tag, '0', TAG_SIZE - 1);
    if (fd >= 0)
        close(fd);
    return tag;
}

char *gnt_file_part_name(const char *path, int writer) {
    const char *tag = kernel_tag();
    return writer == 0             ? gnt_format("%s.%s.part", path, tag)
           : writer < MOST_WRITERS ? gnt_format("%s.%s.%d.part", path, tag, writer)
                                   : gnt_format("%s.%s.%ld.part", path, tag, (long)getpid());
}

/* True if fd is open on the file of that name. */
static int is_at(int fd, const char *name) {
    struct stat mine, there;
    return fstat(fd, &mine) == 0 && lstat(name, &there) == 0 && mine.st_dev == there.st_dev &&
           mine.st_ino == there.st_ino;
}

/* Removes what a dead writer left: nobody has its lock. Returns 0 if no file of that name is there now. */
static int clear_part(const char *part) {
    int fd = open(part, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
        return 0;
    /* no writer makes a link */
    int dead = fd < 0 ? errno == ELOOP : flock(fd, LOCK_EX | LOCK_NB) == 0 && is_at(fd, part);
    int rc = dead ? unlink(part) : -1;
    if (fd >= 0)
        close(fd);
    return rc;
}

/* Creates `part`, locked while it is written; −1 if another writer was faster. */
static int make_part(const char *part) {
    int fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return -1;
    if ((flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) || !is_at(fd, part)) {
        close(fd); /* removed as a dead writer's before it had its lock */
        errno = EEXIST;
        return -1;
    }
    return fd;
}

/* Opens the first name that is free, after removing those of dead writers. The process's own number comes
 * last, for file systems without locks, where it is unknown which writers are dead. */
static int open_part(const char *path, char **part, gnt_err *err) {
    int fd = -1;
    *part = NULL;
    for (int n = 0; n <= MOST_WRITERS; n++) {
        char *name = gnt_file_part_name(path, n);
        if (!name)
            return fd >= 0 ? fd : gnt_fail(err, "%s: out of memory", path);
        int clear = clear_part(name) == 0 || n == MOST_WRITERS;
        if (fd < 0 && clear && (fd = make_part(name)) >= 0) {
            *part = name;
            continue;
        }
        int why = errno;
        gnt_free(name);
        if (fd < 0 && clear && why != EEXIST)
            return gnt_fail(err, "%s: cannot create: %s", path, strerror(why));
    }
    return fd >= 0 ? fd : gnt_fail(err, "%s: cannot create: too many write it at once", path);
}

int gnt_file_write(const char *path, const void *bytes, size_t size, gnt_err *err) {
    char *part;
    int fd = open_part(path, &part, err);
    if (fd < 0)
        return -1;
    int rc = gnt_fd_write(fd, path, bytes, size, err);
    if (rc == 0 && fsync(fd) != 0)
        rc = gnt_fail(err, "%s: cannot write: %s", path, strerror(errno));
    if (rc == 0 && rename(part, path) != 0) /* before its lock goes */
        rc = gnt_fail(err, "%s: cannot rename into place: %s", path, strerror(errno));
    if (rc != 0)
        unlink(part);
    close(fd);
    gnt_free(part);
    return rc;
}

void gnt_file_remove(const char *path) {
    for (int n = 0; n < MOST_WRITERS; n++) {
        char *part = gnt_file_part_name(path, n);
        if (part)
            clear_part(part);
        gnt_free(part);
    }
    unlink(path);
}

int gnt_file_sweep_parts(const char *folder, const char *now, double seconds) {
    static const char ending[] = ".part";
    struct stat clock, st;
    DIR *d = stat(now, &clock) == 0 ? opendir(folder) : NULL;
    int removed = 0;
    for (const struct dirent *e; d && (e = readdir(d));) {
        const size_t n = strlen(e->d_name);
        if (n < sizeof ending || strcmp(e->d_name + n - (sizeof ending - 1), ending) != 0 ||
            fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 || S_ISDIR(st.st_mode))
            continue;
        const double age = difftime(clock.st_mtim.tv_sec, st.st_mtim.tv_sec) +
                           1e-9 * (double)(clock.st_mtim.tv_nsec - st.st_mtim.tv_nsec);
        removed += age >= seconds && unlinkat(dirfd(d), e->d_name, 0) == 0;
    }
    if (d)
        closedir(d);
    return removed;
}

int gnt_make_dirs(const char *path, gnt_err *err) {
    char *copy = gnt_strdup(path);
    if (!copy)
        return gnt_fail(err, "%s: out of memory", path);
    int rc = 0;
    for (char *at = copy + 1; rc == 0 && *copy; at++) {
        char kept = *at;
        if (kept != '/' && kept != 0)
            continue;
        *at = 0;
        if (mkdir(copy, 0777) != 0 && errno != EEXIST)
            rc = gnt_fail(err, "%s: cannot make the folder: %s", copy, strerror(errno));
        *at = kept;
        if (!kept)
            break;
    }
    struct stat st;
    if (rc == 0 && (stat(path, &st) != 0 || !S_ISDIR(st.st_mode)))
        rc = gnt_fail(err, "%s: is not a folder", path);
    gnt_free(copy);
    return rc;
}

int gnt_file_exists(const char *path) {
    struct stat st;
    return stat(path, &st) == 0;
}

double gnt_disk_free(const char *path) {
    struct statvfs fs;
    return statvfs(path, &fs) == 0 ? (double)fs.f_bavail * (double)fs.f_frsize : INFINITY;
}

/* Opens and locks a folder; −1: not, and errno says why. */
static int lock_folder(const char *path, int how) {
    int rc = -1, fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (fd >= 0 && (rc = flock(fd, how)) != 0 && errno == EINTR)
        ;
    if (rc == 0)
        return fd;
    const int why = errno;
    if (fd >= 0)
        close(fd);
    errno = why;
    return -1;
}

int gnt_folder_hold(const char *path) {
    return lock_folder(path, LOCK_EX);
}

int gnt_folder_take(const char *path, int share, int *busy) {
    const int fd = lock_folder(path, (share ? LOCK_SH : LOCK_EX) | LOCK_NB);
    *busy = fd < 0 && errno == EWOULDBLOCK;
    return fd;
}

int gnt_file_write_text(const char *folder, const char *name, const char *text, gnt_err *err) {
    char *path = gnt_format("%s/%s", folder, name);
    const int rc =
        path && text ? gnt_file_write(path, text, strlen(text), err) : gnt_fail(err, "out of memory");
    gnt_free(path);
    return rc;
}
