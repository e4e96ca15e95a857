#include "seal/folder_impl.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

static int left_out(const char *path) {
    static const char *const names[] = {"store", "report", "slurm", "signature.json"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(path, names[i]) == 0)
            return 1;
    return 0;
}

static int add(gnt_seal_folder *f, const char *path, const struct stat *st, gnt_err *err) {
    if (f->n == GNT_SEAL_MOST_FILES)
        return gnt_fail(err, "the folder has more than %d files, which no run has", GNT_SEAL_MOST_FILES);
    char *copy = GNT_GROW(f->file, f->n) == 0 ? gnt_strdup(path) : NULL;
    if (!copy)
        return gnt_fail(err, "out of memory for the names of a folder");
    f->file[f->n++] = (gnt_seal_found){
        .path = copy, .regular = S_ISREG(st->st_mode), .size = st->st_size > 0 ? (uint64_t)st->st_size : 0};
    return 0;
}

static int walk(gnt_seal_folder *f, int folder, const char *prefix, int depth, gnt_err *err);

static int visit(gnt_seal_folder *f, int folder, const char *prefix, const char *name, int depth,
                 gnt_err *err) {
    char path[GNT_SEAL_PATH + 1];
    struct stat st;
    int n = snprintf(path, sizeof path, "%s%s%s", prefix, *prefix ? "/" : "", name);
    if (n < 0 || (size_t)n >= sizeof path)
        return gnt_fail(err, "a path in the folder has more than %d bytes, which no run has", GNT_SEAL_PATH);
    if (!*prefix && left_out(name))
        return 0;
    if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return gnt_fail(err, "%s: cannot inspect: %s", path, strerror(errno));
    if (!S_ISDIR(st.st_mode))
        return add(f, path, &st, err);
    if (depth == GNT_SEAL_DEPTH)
        return gnt_fail(err, "%s: folders are nested more than %d deep, which no run has", path,
                        GNT_SEAL_DEPTH);
    int inner = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (inner < 0)
        return gnt_fail(err, "%s: cannot open: %s", path, strerror(errno));
    return walk(f, inner, path, depth + 1, err);
}

/* Adds what is in a folder; closes its descriptor. */
static int walk(gnt_seal_folder *f, int folder, const char *prefix, int depth, gnt_err *err) {
    DIR *d = fdopendir(folder);
    if (!d) {
        close(folder);
        return gnt_fail(err, "cannot list a folder: %s", strerror(errno));
    }
    int rc = 0;
    for (const struct dirent *e; rc == 0 && (errno = 0, e = readdir(d));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            rc = visit(f, dirfd(d), prefix, e->d_name, depth, err);
    if (rc == 0 && errno)
        rc = gnt_fail(err, "cannot list a folder: %s", strerror(errno));
    closedir(d);
    return rc;
}

static int by_path(const void *a, const void *b) {
    return strcmp(((const gnt_seal_found *)a)->path, ((const gnt_seal_found *)b)->path);
}

int gnt_seal_folder_open(gnt_seal_folder *out, const char *path, gnt_err *err) {
    *out = (gnt_seal_folder){.fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (out->fd < 0)
        return gnt_fail(err, "%s: cannot open the folder: %s", path, strerror(errno));
    int own = openat(out->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (own < 0 ? gnt_fail(err, "cannot open the folder again: %s", strerror(errno))
                : walk(out, own, "", 0, err)) {
        gnt_fail_in(err, "%s", path);
        gnt_seal_folder_close(out);
        return -1;
    }
    if (out->n)
        qsort(out->file, out->n, sizeof *out->file, by_path);
    return 0;
}

void gnt_seal_folder_close(gnt_seal_folder *f) {
    for (size_t i = 0; i < f->n; i++)
        gnt_free(f->file[i].path);
    gnt_free(f->file);
    if (f->fd > 0)
        close(f->fd);
    *f = (gnt_seal_folder){0};
}

int gnt_seal_folder_read(const gnt_seal_folder *f, const char *path, gnt_err *err) {
    struct stat st;
    int fd = openat(f->fd, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return gnt_fail(err, "%s: cannot open: %s", path, strerror(errno));
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
        return fd;
    close(fd);
    return gnt_fail(err, "%s: is not a regular file", path);
}
