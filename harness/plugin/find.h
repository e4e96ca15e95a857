/* find: lists the plugin files, in a fixed order, without opening any. */
#ifndef GNT_PLUGIN_FIND_H
#define GNT_PLUGIN_FIND_H

#include <stddef.h>

#include "base/err.h"

typedef struct gnt_paths {
    char **path; /* canonical paths of files named *.so or *.py */
    size_t n;
    size_t n_own; /* of which the first so many are the program's own */
} gnt_paths;

/* Searches `exe_dir`/plugins and `exe_dir`/../lib/gauntlet/plugins (may be missing), then every folder of
 * the colon-separated `path_variable`, then `extra`, which must exist if given. From each folder: its *.so
 * and *.py files and those of its subfolders defenses and attacks, by name. NULL skips a source. A file
 * found twice is listed once. Free with gnt_paths_free. */
int gnt_find_plugins(gnt_paths *out, const char *exe_dir, const char *path_variable, const char *extra,
                     gnt_err *err);
/* Finds plugins as above, with the folder of the running program and the environment variable
 * GAUNTLET_PLUGINS. */
int gnt_find_own_plugins(gnt_paths *out, const char *extra, gnt_err *err);
void gnt_paths_free(gnt_paths *paths);

#endif
