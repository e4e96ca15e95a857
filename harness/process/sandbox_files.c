/* sandbox_files: which files of the system remain readable: the loader's cache, every library that is loaded
 * already, those that plans open later, and those that the plugin's files are linked with. All of them are in
 * the page cache before a plugin is opened, so that none can be the first to read one. */
#include "process/sandbox_layers.h"

#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "nn/plan/libraries.h"
#include "plugin/exports.h"

enum { LARGEST = 1 << 30, MOST_NAMES = 1 << 20 };

static const char loader_cache[] = "/etc/ld.so.cache";

int gnt_readable_add(gnt_readable *r, const char *path) {
    struct stat st;
    if (path[0] != '/' || stat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return 0; /* the program itself, and what the kernel maps */
    for (size_t i = 0; i < r->n; i++)
        if (strcmp(r->paths[i], path) == 0)
            return 0;
    if (GNT_GROW(r->paths, r->n) != 0)
        return -1;
    r->paths[r->n] = gnt_strdup(path);
    return r->paths[r->n] ? (void)r->n++, 0 : -1;
}

static int add_loaded(struct dl_phdr_info *info, size_t size, void *user) {
    (void)size;
    return gnt_readable_add(user, info->dlpi_name);
}

/* True if a file of that name is among the readable ones or the plugin's own. */
static int is_there(const gnt_readable *r, const char *name) {
    for (size_t i = 0; i < r->n; i++)
        if (strcmp(strrchr(r->paths[i], '/') + 1, name) == 0)
            return 1;
    for (size_t i = 0; i < gnt_sandbox_n_files(); i++)
        if (strcmp(strrchr(gnt_sandbox_file(i).path, '/') + 1, name) == 0)
            return 1;
    return 0;
}

typedef struct search {
    gnt_readable *readable;
    /* The loader's cache, which has the path of each library as a text; NULL if there is none. */
    uint8_t *cache;
    size_t size;
} search;

/* Adds every path of the cache that ends in that name; the loader takes the one that suits the machine. */
static int add_cached(const search *s, const char *name) {
    const size_t n = strlen(name) + 1;
    const uint8_t *at = s->cache, *end = s->cache + s->size, *start;
    int bad = 0;
    while (!bad && at && (at = memmem(at, (size_t)(end - at), name, n))) {
        for (start = at; start > s->cache && start[-1]; start--)
            ;
        if (at > start && at[-1] == '/')
            bad = gnt_readable_add(s->readable, (const char *)start);
        at += n;
    }
    return bad;
}

/* Adds the library from each folder of LD_LIBRARY_PATH and from the cache. */
static int add_library(const search *s, const char *name) {
    if (strchr(name, '/') || is_there(s->readable, name))
        return 0;
    char *folders = gnt_strdup(getenv("LD_LIBRARY_PATH")), *rest = folders;
    int bad = 0;
    for (char *folder; !bad && (folder = strsep(&rest, ":;"));) {
        char *path = gnt_format("%s/%s", folder, name);
        bad = !path || gnt_readable_add(s->readable, path) != 0;
        gnt_free(path);
    }
    gnt_free(folders);
    return bad || add_cached(s, name) != 0 ? -1 : 0;
}

/* Adds the libraries that an object is linked with. One that cannot be read needs none: it will not load. */
static int add_libraries(const search *s, const char *path, const uint8_t *bytes, size_t size) {
    gnt_text names;
    gnt_err ignored;
    int bad = 0;
    gnt_text_init(&names, MOST_NAMES);
    if (gnt_libraries(&names, bytes, size, path, &ignored) == 0 && names.data) {
        char *rest = names.data;
        for (char *name; !bad && (name = strsep(&rest, "\n"));)
            bad = *name && add_library(s, name) != 0;
    }
    gnt_text_free(&names);
    return bad ? -1 : 0;
}

/* Reads what is not in the page cache yet; a hint, which maps nothing and costs little for what is there. */
static void read_ahead(const char *path) {
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        posix_fadvise(fd, 0, 0, POSIX_FADV_WILLNEED);
        close(fd);
    }
}

/* Adds the libraries that an object in a file is linked with. It is mapped, since most of it is not read. */
static int add_libraries_of_file(const search *s, const char *path) {
    struct stat st;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    void *bytes = MAP_FAILED;
    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0)
        bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    const int bad = bytes != MAP_FAILED ? add_libraries(s, path, bytes, (size_t)st.st_size) : 0;
    if (bytes != MAP_FAILED)
        munmap(bytes, (size_t)st.st_size);
    if (fd >= 0)
        close(fd);
    return bad;
}

/* Adds what plans and the plugin's files need, and what these need. */
static int add_needed(const search *s) {
    const size_t loaded = s->readable->n;
    int bad = 0;
    for (const char *const *name = gnt_plan_libraries(); !bad && *name; name++)
        bad = add_library(s, *name);
    for (size_t i = 0; !bad && i < gnt_sandbox_n_files(); i++) {
        const gnt_own_bytes f = gnt_sandbox_file(i);
        bad = add_libraries(s, f.path, f.bytes, f.size);
    }
    for (size_t i = loaded; !bad && i < s->readable->n; i++)
        bad = add_libraries_of_file(s, s->readable->paths[i]);
    return bad;
}

int gnt_sandbox_collect(gnt_readable *r, gnt_err *err) {
    search s = {.readable = r};
    int bad = gnt_readable_add(r, loader_cache) || dl_iterate_phdr(add_loaded, r) != 0;
    if (!bad && gnt_file_read(loader_cache, LARGEST, &s.cache, &s.size, NULL) != 0)
        s.cache = NULL;
    bad = bad || add_needed(&s) != 0;
    gnt_free(s.cache);
    for (size_t i = 0; !bad && i < r->n; i++)
        read_ahead(r->paths[i]);
    return bad ? gnt_fail(err, "out of memory for a sandbox's files") : 0;
}
