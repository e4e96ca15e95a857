/* sandbox_private: copies of a plugin's files that belong to one process. The kernel keeps one set of pages
 * of a file for all processes that map it, and by which of them are resident, or in a processor's cache, one
 * process could leave data for another. In a root of its own, the process finds its copy at the file's path;
 * elsewhere it is a memory file, opened by its descriptor. */
#include "process/sandbox_layers.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "plugin/exports.h"

enum { LARGEST = 1 << 30, MOST_HEAD = 4096 };

/* How the file begins that plugins may be linked with; it is copied where one is. */
static const char toolkit[] = "libgauntlet-nn.so";

typedef struct own_file {
    char *path;
    uint8_t *bytes;
    size_t size;
    /* The parts that were read, and that the copy has; the other bytes are zeros. */
    gnt_object_part part[2];
    /* The copy, open for writing; −1 after the bytes were released. */
    int fd;
    /* "/proc/self/fd/N"; empty if the copy has the file's path. */
    char place[32];
} own_file;

/* A process enters one sandbox. */
static own_file *files;
static size_t n_files;

static int is_toolkit(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash && strncmp(slash + 1, toolkit, sizeof toolkit - 1) == 0;
}

static int read_part(const own_file *f, int fd, gnt_object_part part, gnt_err *err) {
    while (part.first < part.end) {
        const ssize_t got = pread(fd, f->bytes + part.first, part.end - part.first, (off_t)part.first);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return gnt_fail(err, "%s: cannot be read: %s", f->path, got ? strerror(errno) : "it changed");
        part.first += (size_t)got;
    }
    return 0;
}

/* Reads what is loaded of an object, or all of the file. */
static int read_open_file(own_file *f, int fd, int whole, gnt_err *err) {
    struct stat st;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size > LARGEST)
        return gnt_fail(err, "%s: is no regular file of at most a GiB", f->path);
    f->size = (size_t)st.st_size;
    f->bytes = gnt_alloc(f->size); /* pages that are not read take no memory */
    if (!f->bytes)
        return gnt_fail(err, "%s: out of memory", f->path);
    const gnt_object_part head = {0, f->size < MOST_HEAD ? f->size : MOST_HEAD};
    f->part[0] = (gnt_object_part){0, f->size};
    f->part[1] = (gnt_object_part){f->size, f->size};
    if (!whole && read_part(f, fd, head, err) != 0)
        return -1;
    if (!whole)
        gnt_object_parts(f->part, f->bytes, head.end, f->size);
    return read_part(f, fd, f->part[0], err) != 0 || read_part(f, fd, f->part[1], err) != 0 ? -1 : 0;
}

static int read_file(const char *path, int whole, gnt_err *err) {
    if (path[0] != '/')
        return gnt_fail(err, "%s: a file for a sandbox must have an absolute path", path);
    if (GNT_GROW(files, n_files) != 0)
        return gnt_fail(err, "out of memory for a sandbox's files");
    own_file f = {.path = gnt_strdup(path), .fd = -1};
    if (!f.path)
        return gnt_fail(err, "%s: out of memory", path);
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a named pipe must not block */
    const int rc = fd < 0 ? gnt_fail(err, "%s: cannot open: %s", path, strerror(errno))
                          : read_open_file(&f, fd, whole, err);
    if (fd >= 0)
        close(fd);
    if (rc != 0) {
        gnt_free(f.bytes);
        gnt_free(f.path);
        return -1;
    }
    files[n_files++] = f;
    return 0;
}

/* True if a file is linked with the toolkit, or cannot be read as an object. */
static int needs_toolkit(const own_file *f) {
    gnt_text names;
    gnt_text_init(&names, 1 << 20);
    const int needs = gnt_libraries(&names, f->bytes, f->size, f->path, NULL) != 0 ||
                      strstr(gnt_text_get(&names), toolkit) != NULL;
    gnt_text_free(&names);
    return needs;
}

int gnt_sandbox_read_files(const gnt_texts *paths, int whole, gnt_err *err) {
    int needed = 0, rc = 0;
    for (size_t i = 0; rc == 0 && i < paths->n; i++)
        if (!is_toolkit(paths->at[i]) && (rc = read_file(paths->at[i], whole, err)) == 0)
            needed |= needs_toolkit(&files[n_files - 1]);
    for (size_t i = 0; rc == 0 && needed && i < paths->n; i++)
        if (is_toolkit(paths->at[i]))
            rc = read_file(paths->at[i], 0, err);
    return rc;
}

size_t gnt_sandbox_n_files(void) {
    return n_files;
}

gnt_own_bytes gnt_sandbox_file(size_t i) {
    return (gnt_own_bytes){files[i].path, files[i].bytes, files[i].size};
}

/* Writes the parts of a file to an empty one at their places. */
static int write_copy(const own_file *f, gnt_err *err) {
    if (ftruncate(f->fd, (off_t)f->size) != 0)
        return gnt_fail(err, "%s: its copy cannot be made: %s", f->path, strerror(errno));
    for (size_t i = 0; i < 2; i++)
        if (lseek(f->fd, (off_t)f->part[i].first, SEEK_SET) < 0 ||
            gnt_fd_write(f->fd, f->path, f->bytes + f->part[i].first, f->part[i].end - f->part[i].first,
                         err) != 0)
            return -1;
    return 0;
}

int gnt_sandbox_write_file(size_t i, int fd) {
    files[i].fd = fd;
    return write_copy(&files[i], NULL);
}

int gnt_sandbox_make_memory_files(gnt_err *err) {
    for (size_t i = 0; i < n_files; i++) {
        own_file *f = &files[i];
        if (f->fd >= 0)
            close(f->fd);
        f->fd = memfd_create("gauntlet", MFD_CLOEXEC);
        if (f->fd < 0)
            return gnt_fail(err, "%s: cannot be copied to a memory file: %s", f->path, strerror(errno));
        if (write_copy(f, err) != 0)
            return -1;
        snprintf(f->place, sizeof f->place, "/proc/self/fd/%d", f->fd);
    }
    return 0;
}

void gnt_sandbox_keep_files(void) {
    for (size_t i = 0; i < n_files; i++) {
        if (!files[i].place[0] && files[i].fd >= 0) /* the path remains; a memory file is opened by it */
            close(files[i].fd);
        gnt_free(files[i].bytes);
        files[i].bytes = NULL;
    }
}

int gnt_sandbox_renew_files(gnt_err *err) {
    if (n_files && files[0].place[0])
        return gnt_sandbox_make_memory_files(err);
    for (size_t i = 0; i < n_files; i++) {
        const own_file *f = &files[i];
        if (f->fd < 0)
            continue;
        if (ftruncate(f->fd, 0) != 0)
            return gnt_fail(err, "%s: its copy cannot be renewed: %s", f->path, strerror(errno));
        if (write_copy(f, err) != 0)
            return -1;
    }
    return 0;
}

void gnt_sandbox_close_files(void) {
    for (size_t i = 0; i < n_files; i++)
        if (!files[i].place[0] && files[i].fd >= 0)
            close(files[i].fd);
}

const char *gnt_sandbox_place(const char *path) {
    const own_file *found = NULL;
    for (size_t i = 0; i < n_files && !found; i++)
        if (strcmp(files[i].path, path) == 0)
            found = &files[i];
    if (!found || !found->place[0])
        return path;
    /* its folder is /proc/self/fd now, where it would not find the toolkit */
    for (size_t i = 0; i < n_files; i++)
        if (is_toolkit(files[i].path))
            return dlopen(files[i].place, RTLD_NOW | RTLD_LOCAL) ? found->place : path;
    return found->place;
}
