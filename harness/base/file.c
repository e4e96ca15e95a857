#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

int gnt_fd_read(int fd, const char *name, size_t most, uint8_t **bytes, size_t *size, gnt_err *err) {
    size_t room = 1 << 16, n = 0;
    struct stat st;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
        if (st.st_size < 0 || (uint64_t)st.st_size > most)
            return gnt_fail(err, "%s: holds %lld bytes, more than the %zu allowed", name,
                            (long long)st.st_size, most);
        room = (size_t)st.st_size + 1;
    }
    uint8_t *data = gnt_array(room, 1);
    if (!data)
        return gnt_fail(err, "%s: out of memory for %zu bytes", name, room);
    for (;;) {
        if (n + 1 >= room) {
            uint8_t probe;
            ssize_t more = read(fd, &probe, 1);
            if (more == 0)
                break;
            if (more < 0 && errno == EINTR)
                continue;
            if (more < 0)
                goto broken;
            size_t bigger = room * 2;
            uint8_t *grown = n + 1 > most ? NULL : gnt_resize(data, bigger, 1);
            if (!grown) {
                gnt_fail(err, "%s: holds more than the %zu bytes allowed", name, most);
                goto cleanup;
            }
            data = grown;
            room = bigger;
            data[n++] = probe;
            continue;
        }
        ssize_t got = read(fd, data + n, room - 1 - n);
        if (got == 0)
            break;
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            goto broken;
        n += (size_t)got;
    }
    if (n > most) {
        gnt_fail(err, "%s: holds more than the %zu bytes allowed", name, most);
        goto cleanup;
    }
    data[n] = 0;
    *bytes = data;
    *size = n;
    return 0;
broken:
    gnt_fail(err, "%s: cannot read: %s", name, strerror(errno));
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
        rc = gnt_fd_read(fd, path, most, bytes, size, err);
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

int gnt_file_write(const char *path, const void *bytes, size_t size, gnt_err *err) {
    char *beside = gnt_format("%s.%ld.part", path, (long)getpid());
    if (!beside)
        return gnt_fail(err, "%s: out of memory", path);
    int rc = -1, fd = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) {
        gnt_fail(err, "%s: cannot create: %s", path, strerror(errno));
        goto cleanup;
    }
    rc = gnt_fd_write(fd, path, bytes, size, err);
    if (rc == 0 && fsync(fd) != 0)
        rc = gnt_fail(err, "%s: cannot write: %s", path, strerror(errno));
    if (close(fd) != 0 && rc == 0)
        rc = gnt_fail(err, "%s: cannot write: %s", path, strerror(errno));
    if (rc == 0 && rename(beside, path) != 0)
        rc = gnt_fail(err, "%s: cannot rename into place: %s", path, strerror(errno));
    if (rc != 0)
        unlink(beside);
cleanup:
    gnt_free(beside);
    return rc;
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
