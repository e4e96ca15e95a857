/* describe: descriptions of plugins from processes of their own, so that the program that schedules a
 * run never opens a plugin.
 *
 * Owner and lifetime: what comes out is the caller's; arguments are borrowed for the call.
 * Thread: the one that handles the children.
 * Errors: −1 with a sentence. */
#ifndef GNT_PROCESS_DESCRIBE_H
#define GNT_PROCESS_DESCRIBE_H

#include "base/err.h"
#include "plugin/catalog.h"
#include "plugin/find.h"
#include "process/sandbox.h"

/* A gnt_describe_fn: a worker in a sandbox opens the file and describes it. context: a const
 * gnt_sandbox_options * or NULL. */
int gnt_describe_in_child(void *context, const char *path, char **json, size_t *size, gnt_err *err);

/* All plugins this program finds, with `plugins` (may be NULL) as the folder of --plugins. Descriptions are
 * cached under gnt_catalog_cache_folder(). options: may be NULL. Free with gnt_plugin_list_free. */
int gnt_list_plugins(gnt_plugin_list *out, const char *plugins, const gnt_sandbox_options *options,
                     gnt_err *err);

/* Adds what a worker must be able to read to open the plugin at `path`: the file itself and the numeric
 * toolkit's library where it lies beside the plugins or the program. Each stands there once. The caller
 * frees, after a failure too. */
int gnt_plugin_files(gnt_paths *out, const char *path, gnt_err *err);

#endif
