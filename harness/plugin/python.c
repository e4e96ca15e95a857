#include "plugin/python.h"

#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"

enum { LARGEST_SCRIPT = 16 << 20, MOST_SCRIPTS = 16, LONGEST_REASON = 1000 };

/* plugins/python/entry.c defines both. They write a sentence to `why`. */
typedef int start_fn(const char *const *texts, const size_t *sizes, size_t n, char *why, size_t room);
typedef const gnt_entry *open_fn(const char *name, const char *text, size_t size, char *why, size_t room);
static start_fn *start;
static open_fn *open_script;

int gnt_is_script(const char *path) {
    const size_t n = strlen(path);
    return n > 3 && strcmp(path + n - 3, ".py") == 0;
}

static int find(void *library, const char *name, void *to, gnt_err *err) {
    void *symbol = dlsym(library, name);
    memcpy(to, &symbol, sizeof symbol); /* ISO C has no conversion from object to function pointers */
    return symbol ? 0
                  : gnt_fail(err, "libgauntlet-python.so.0 does not define %s: install gauntlet again", name);
}

/* Returns the path of the library, NULL if there is none. The caller frees. */
static char *library_path(void) {
    static const char *const places[] = {".", "../lib/gauntlet"};
    char exe[PATH_MAX], *found = NULL;
    const ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    exe[n > 0 ? n : 0] = 0;
    char *slash = strrchr(exe, '/');
    for (size_t i = 0; slash && !found && i < sizeof places / sizeof *places; i++) {
        found = gnt_format("%.*s/%s/libgauntlet-python.so.0", (int)(slash - exe), exe, places[i]);
        if (found && !gnt_file_exists(found)) {
            gnt_free(found);
            found = NULL;
        }
    }
    return found;
}

/* Opens the library for all objects: modules in C find the interpreter's functions only so. */
static int open_library(const char *script, gnt_err *err) {
    if (start)
        return 0;
    char *path = library_path();
    void *library = path ? dlopen(path, RTLD_NOW | RTLD_GLOBAL) : NULL;
    gnt_free(path);
    if (!library) {
        const char *why = dlerror();
        return gnt_fail(
            err,
            "%s: this gauntlet runs no plugins in Python%s%s; install python3-dev and python3-numpy, "
            "then build gauntlet again",
            script, why ? ": " : "", why ? why : "");
    }
    return find(library, "gauntlet_python_start", &start, err) ||
                   find(library, "gauntlet_python_open", &open_script, err)
               ? -1
               : 0;
}

int gnt_scripts_start(const char *const *paths, size_t n, gnt_err *err) {
    const char *texts[MOST_SCRIPTS], *first = NULL;
    size_t sizes[MOST_SCRIPTS], m = 0;
    char why[LONGEST_REASON] = "";
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < n; i++) {
        uint8_t *bytes = NULL;
        if (!gnt_is_script(paths[i]))
            continue;
        if (m == MOST_SCRIPTS)
            rc = gnt_fail(err, "%s: more than %d scripts in one process", paths[i], MOST_SCRIPTS);
        else
            rc = gnt_file_read(paths[i], LARGEST_SCRIPT, &bytes, &sizes[m], err);
        if (rc == 0) {
            first = first ? first : paths[i];
            texts[m++] = (const char *)bytes;
        }
    }
    if (rc == 0 && m > 0)
        rc = open_library(first, err);
    if (rc == 0 && m > 0 && start(texts, sizes, m, why, sizeof why) != 0)
        rc = gnt_fail(err, "%s: %s", first, why);
    for (size_t i = 0; i < m; i++)
        gnt_free((void *)(uintptr_t)texts[i]);
    return rc;
}

/* Adds the digests of files, or the names of folders, that a pattern finds. */
static int add_found(gnt_text *out, const char *pattern, int bytes, gnt_err *err) {
    glob_t found = {0};
    int rc = 0;
    if (glob(pattern, GLOB_BRACE, NULL, &found) == 0)
        for (size_t i = 0; rc == 0 && i < found.gl_pathc; i++) {
            char hex[GNT_HEX_SIZE] = "";
            gnt_digest digest;
            rc = bytes ? gnt_digest_file(found.gl_pathv[i], &digest, err) : 0;
            if (rc == 0 && bytes)
                gnt_digest_hex(&digest, hex);
            gnt_text_add(out, "; %s %s", found.gl_pathv[i], hex);
        }
    globfree(&found);
    return rc;
}

char *gnt_scripts_identity(gnt_err *err) {
    enum { LONGEST = 1 << 20 };
    gnt_text out;
    char hex[GNT_HEX_SIZE] = "none", *path = library_path();
    gnt_digest digest;
    gnt_text_init(&out, LONGEST);
    int rc = path ? gnt_digest_file(path, &digest, err) : 0;
    if (rc == 0 && path)
        gnt_digest_hex(&digest, hex);
    gnt_text_add(&out, "scripts %s", hex);
    rc = rc || add_found(&out, "/usr/{,local/}lib/{,*-linux-gnu/}libpython3.*.so.1.0", 1, err) ||
         add_found(&out,
                   "/usr/{,local/}lib/python3*/{dist,site}-packages/"
                   "{breaching,numpy,scipy,sklearn,torch,torchvision}-*",
                   0, err);
    char *text = rc ? NULL : gnt_text_take(&out);
    if (!rc && !text)
        gnt_fail(err, "out of memory");
    gnt_text_free(&out);
    gnt_free(path);
    return text;
}

int gnt_script_open(const gnt_entry **out, const char *path, const char *place, gnt_err *err) {
    char why[LONGEST_REASON] = "";
    uint8_t *bytes = NULL;
    size_t size = 0;
    *out = NULL;
    if ((!start && gnt_scripts_start(&path, 1, err) != 0) ||
        gnt_file_read(place, LARGEST_SCRIPT, &bytes, &size, err) != 0)
        return -1;
    const char *slash = strrchr(path, '/');
    *out = open_script(slash ? slash + 1 : path, (const char *)bytes, size, why, sizeof why);
    gnt_free(bytes);
    return *out ? 0 : gnt_fail(err, "%s: cannot be opened as a plugin: %s", path, why);
}
