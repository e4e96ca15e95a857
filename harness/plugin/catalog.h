/* catalog: the list of all plugins found, from a cache by file digest where it can, else from a describe
 * worker.
 *
 * A cached answer is read as the hostile text it is; one that is corrupt or belongs to another file is
 * ignored and written anew. A cache that cannot be written is no error. */
#ifndef GNT_PLUGIN_CATALOG_H
#define GNT_PLUGIN_CATALOG_H

#include "base/err.h"
#include "plugin/info.h"

/* Gives the text of gnt_describe for a file, from a process of its own. The caller of the callback frees
 * *json with gnt_free. A failure makes the file a refused one, not the catalog. */
typedef int (*gnt_describe_fn)(void *context, const char *path, char **json, size_t *size, gnt_err *err);

typedef struct gnt_catalog_spec {
    const char *plugins; /* --plugins DIR, or NULL */
    const char *cache;   /* folder of cached answers; NULL: none is used */
    gnt_describe_fn describe;
    void *context;
} gnt_catalog_spec;

/* Fails on duplicate ids, a missing folder that was asked for, or lack of memory. */
int gnt_catalog(gnt_plugin_list *out, const gnt_catalog_spec *spec, gnt_err *err);
/* $XDG_CACHE_HOME/gauntlet/plugins, or $HOME/.cache/gauntlet/plugins; NULL when neither is set. The caller
 * frees. */
char *gnt_catalog_cache_folder(void);

#endif
