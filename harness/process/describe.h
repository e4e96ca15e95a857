/* describe: describes plugins in separate processes, so that the scheduler never opens a plugin.
 *
 * Ownership: results belong to the caller; arguments are borrowed for the call. Threads: the one that handles
 * the children. Errors: −1 with a message. */
#ifndef GNT_PROCESS_DESCRIBE_H
#define GNT_PROCESS_DESCRIBE_H

#include "base/err.h"
#include "plugin/catalog.h"
#include "plugin/find.h"
#include "process/sandbox.h"

/* Describes the file in a sandboxed worker, as a gnt_describe_fn. context: a const gnt_sandbox_options * or
 * NULL. */
int gnt_describe_in_child(void *context, const char *path, char **json, size_t *size, gnt_err *err);

/* Lists all plugins that this program finds, with `plugins` (may be NULL) as the folder of --plugins.
 * Descriptions are cached under gnt_cache_folder("plugins"). options: may be NULL. Free with
 * gnt_plugin_list_free. */
int gnt_list_plugins(gnt_plugin_list *out, const char *plugins, const gnt_sandbox_options *options,
                     gnt_err *err);

/* Adds, once each, the files that a worker must read to open the plugin at `path`: the file itself and the
 * numeric toolkit's library, if it is next to the plugins or the program. The caller frees, after a failure
 * too. */
int gnt_plugin_files(gnt_paths *out, const char *path, gnt_err *err);

#endif
