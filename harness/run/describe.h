/* describe: descriptions of plugins from processes of their own, so that the program that schedules a run
 * never opens a plugin. */
#ifndef GNT_RUN_DESCRIBE_H
#define GNT_RUN_DESCRIBE_H

#include "base/err.h"
#include "plugin/catalog.h"
#include "plugin/find.h"

/* A gnt_describe_fn: a walled-in worker opens the file and describes it. context is not used. */
int gnt_describe_in_child(void *context, const char *path, char **json, size_t *size, gnt_err *err);

/* All plugins this program finds, with `plugins` (may be NULL) as the folder of --plugins; answers are cached
 * under gnt_catalog_cache_folder(). Free with gnt_plugin_list_free. */
int gnt_list_plugins(gnt_plugin_list *out, const char *plugins, gnt_err *err);

/* What a worker must be able to read to open the plugin at `path`: the file itself and the numeric toolkit's
 * library where it lies beside the plugins or the program. Free with gnt_paths_free. */
int gnt_plugin_files(gnt_paths *out, const char *path, gnt_err *err);

#endif
