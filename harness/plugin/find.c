#include "plugin/find.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "plugin/python.h"

enum { MOST_FILES = 4096 };

void gnt_paths_free(gnt_paths *paths) {
    for (size_t i = 0; i < paths->n; i++)
        gnt_free(paths->path[i]);
    gnt_free(paths->path);
    *paths = (gnt_paths){0};
}

static int add_file(gnt_paths *out, const char *path, gnt_err *err) {
    char real[PATH_MAX];
    struct stat st;
    if (!realpath(path, real) || stat(real, &st) != 0 || !S_ISREG(st.st_mode))
        return 0; /* a dangling link, or a folder named like a plugin */
    for (size_t i = 0; i < out->n; i++)
        if (strcmp(out->path[i], real) == 0)
            return 0;
    if (out->n == MOST_FILES)
        return gnt_fail(err, "%s: more than %d plugin files in all", path, MOST_FILES);
    char *copy = GNT_GROW(out->path, out->n) == 0 ? gnt_strdup(real) : NULL;
    if (!copy)
        return gnt_fail(err, "%s: out of memory", path);
    out->path[out->n++] = copy;
    return 0;
}

static int is_plugin_name(const struct dirent *e) {
    size_t n = strlen(e->d_name);
    return n > 3 && e->d_name[0] != '.' &&
           (strcmp(e->d_name + n - 3, ".so") == 0 || gnt_is_script(e->d_name));
}

/* Compares bytewise; alphasort would follow the locale. */
static int by_bytes(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int scan_one(gnt_paths *out, const char *folder, int must_exist, gnt_err *err) {
    struct dirent **entries = NULL;
    int n = scandir(folder, &entries, is_plugin_name, by_bytes), bad = 0;
    if (n < 0)
        return must_exist
                   ? gnt_fail(err, "%s: cannot be read as a folder of plugins: %s", folder, strerror(errno))
                   : 0;
    for (int i = 0; i < n; i++) {
        char *path = bad ? NULL : gnt_format("%s/%s", folder, entries[i]->d_name);
        if (!bad)
            bad = path ? add_file(out, path, err) : gnt_fail(err, "%s: out of memory", folder);
        gnt_free(path);
        free(entries[i]);
    }
    free(entries);
    return bad;
}

static int scan(gnt_paths *out, const char *folder, int must_exist, gnt_err *err) {
    static const char *const parts[] = {"defenses", "attacks"};
    if (scan_one(out, folder, must_exist, err))
        return -1;
    for (size_t i = 0; i < 2; i++) {
        char *path = gnt_format("%s/%s", folder, parts[i]);
        int bad = path ? scan_one(out, path, 0, err) : gnt_fail(err, "%s: out of memory", folder);
        gnt_free(path);
        if (bad)
            return -1;
    }
    return 0;
}

static int scan_installed(gnt_paths *out, const char *exe_dir, gnt_err *err) {
    static const char *const places[] = {"plugins", "../lib/gauntlet/plugins"};
    for (size_t i = 0; i < 2; i++) {
        char *path = gnt_format("%s/%s", exe_dir, places[i]);
        int bad = path ? scan(out, path, 0, err) : gnt_fail(err, "%s: out of memory", exe_dir);
        gnt_free(path);
        if (bad)
            return -1;
    }
    return 0;
}

static int scan_variable(gnt_paths *out, const char *variable, gnt_err *err) {
    for (const char *at = variable; *at;) {
        size_t n = strcspn(at, ":");
        char *folder = n ? gnt_format("%.*s", n < PATH_MAX ? (int)n : PATH_MAX, at) : NULL;
        int bad = n == 0 ? 0 : folder ? scan(out, folder, 1, err) : gnt_fail(err, "out of memory");
        gnt_free(folder);
        if (bad)
            return gnt_fail_in(err, "GAUNTLET_PLUGINS");
        at += n + (at[n] == ':');
    }
    return 0;
}

int gnt_find_plugins(gnt_paths *out, const char *exe_dir, const char *path_variable, const char *extra,
                     gnt_err *err) {
    *out = (gnt_paths){0};
    int rc = exe_dir ? scan_installed(out, exe_dir, err) : 0;
    out->n_own = out->n;
    if (rc != 0 || (path_variable && scan_variable(out, path_variable, err)) ||
        (extra && scan(out, extra, 1, err))) {
        gnt_paths_free(out);
        return -1;
    }
    return 0;
}

int gnt_find_own_plugins(gnt_paths *out, const char *extra, gnt_err *err) {
    char exe[PATH_MAX];
    *out = (gnt_paths){0};
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    if (n <= 0)
        return gnt_fail(err, "/proc/self/exe: %s; is /proc mounted?", strerror(errno));
    exe[n] = 0;
    *strrchr(exe, '/') = 0;
    return gnt_find_plugins(out, exe, getenv("GAUNTLET_PLUGINS"), extra, err);
}
