/* catalog: lists all plugins, from a cache by file digest if possible, else from a describe worker.
 *
 * A cached description is treated as hostile text; one that is corrupt or belongs to another file is ignored
 * and replaced. A cache that cannot be written is not an error. */
#ifndef GNT_PLUGIN_CATALOG_H
#define GNT_PLUGIN_CATALOG_H

#include "base/err.h"
#include "plugin/info.h"

/* Returns the text of gnt_describe for a file, from a separate process. The caller frees *json with gnt_free.
 * On failure the file is refused, and the catalog continues. */
typedef int (*gnt_describe_fn)(void *context, const char *path, char **json, size_t *size, gnt_err *err);

typedef struct gnt_catalog_spec {
    const char *plugins; /* --plugins DIR, or NULL */
    const char *cache;   /* folder of cached descriptions; NULL: no cache */
    gnt_describe_fn describe;
    void *context;
} gnt_catalog_spec;

/* Lists all plugins. Fails on duplicate ids, ids of built-in plugins in other files than the program's own, a
 * missing --plugins folder, or lack of memory. */
int gnt_catalog(gnt_plugin_list *out, const gnt_catalog_spec *spec, gnt_err *err);

#endif
