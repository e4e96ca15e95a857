/* load: opens a plugin's shared object. Only a worker does this, in its sandbox.
 *
 * An object is opened with RTLD_NOW | RTLD_LOCAL and never closed: its constants are used until the process
 * ends. */
#ifndef GNT_PLUGIN_LOAD_H
#define GNT_PLUGIN_LOAD_H

#include "base/err.h"
#include "gauntlet/plugin.h"
#include "plugin/info.h"

/* Makes gnt_plugin_open open the file that `place` returns for its path; a process calls this once. */
void gnt_plugin_open_from(const char *(*place)(const char *path));
/* Opens a plugin file. Errors name the file, the field, the value found and the value expected. */
int gnt_plugin_open(const gnt_entry **out, const char *path, gnt_err *err);
/* Checks an entry, as gnt_plugin_open does: magic, ABI, pointer size, size, number of plugins. */
int gnt_entry_check(const gnt_entry *entry, const char *path, gnt_err *err);
/* Finds the descriptor of that kind and id, and checks it as gnt_info_of_descriptor does. */
int gnt_entry_find(const gnt_descriptor **out, const gnt_entry *entry, const char *path, int32_t kind,
                   const char *id, gnt_err *err);
/* Opens `path` and finds the plugin in it. */
int gnt_plugin_load(const gnt_descriptor **out, const char *path, int32_t kind, const char *id, gnt_err *err);

/* Returns all descriptors of a file as JSON text {"format": 1, "digest": …, "plugins": […]}, the output of a
 * describe worker. The caller frees with gnt_free. */
int gnt_describe(char **json, const char *path, gnt_err *err);
/* Reads such text as hostile input and adds its plugins to the list, all or none. `file` and `digest`
 * identify the file that the caller described; another digest is refused. */
int gnt_describe_read(gnt_plugin_list *list, const char *json, size_t size, const char *file,
                      const char *digest, gnt_err *err);

#endif
