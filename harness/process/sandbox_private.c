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
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "plugin/exports.h"

enum { LARGEST = 1 << 30 };

/* How the file begins that plugins may be linked with; it is copied where one is. */
static const char toolkit[] = "libgauntlet-nn.so";

typedef struct own_file {
    char *path;
    uint8_t *bytes;
    size_t size;
    /* The first bytes, which the copy has: without names for debuggers, which are most of the toolkit. */
    size_t copied;
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

static int read_file(const char *path, gnt_err *err) {
    if (path[0] != '/')
        return gnt_fail(err, "%s: a file for a sandbox must have an absolute path", path);
    if (GNT_GROW(files, n_files) != 0)
        return gnt_fail(err, "out of memory for a sandbox's files");
    own_file f = {.path = gnt_strdup(path), .fd = -1};
    if (!f.path || gnt_file_read(f.path, LARGEST, &f.bytes, &f.size, err) != 0) {
        gnt_free(f.path);
        return -1;
    }
    f.copied = is_toolkit(path) ? gnt_loaded_size(f.bytes, f.size) : f.size;
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

int gnt_sandbox_read_files(const gnt_texts *paths, gnt_err *err) {
    int needed = 0, rc = 0;
    for (size_t i = 0; rc == 0 && i < paths->n; i++)
        if (!is_toolkit(paths->at[i]) && (rc = read_file(paths->at[i], err)) == 0)
            needed |= needs_toolkit(&files[n_files - 1]);
    for (size_t i = 0; rc == 0 && needed && i < paths->n; i++)
        if (is_toolkit(paths->at[i]))
            rc = read_file(paths->at[i], err);
    return rc;
}

size_t gnt_sandbox_n_files(void) {
    return n_files;
}

gnt_own_bytes gnt_sandbox_file(size_t i) {
    return (gnt_own_bytes){files[i].path, files[i].bytes, files[i].size};
}

int gnt_sandbox_write_file(size_t i, int fd) {
    files[i].fd = fd;
    return gnt_fd_write(fd, files[i].path, files[i].bytes, files[i].copied, NULL);
}

int gnt_sandbox_make_memory_files(gnt_err *err) {
    for (size_t i = 0; i < n_files; i++) {
        own_file *f = &files[i];
        if (f->fd >= 0)
            close(f->fd);
        f->fd = memfd_create("gauntlet", MFD_CLOEXEC);
        if (f->fd < 0)
            return gnt_fail(err, "%s: cannot be copied to a memory file: %s", f->path, strerror(errno));
        if (gnt_fd_write(f->fd, f->path, f->bytes, f->copied, err) != 0)
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
        if (ftruncate(f->fd, 0) != 0 || lseek(f->fd, 0, SEEK_SET) != 0)
            return gnt_fail(err, "%s: its copy cannot be renewed: %s", f->path, strerror(errno));
        if (gnt_fd_write(f->fd, f->path, f->bytes, f->copied, err) != 0)
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
