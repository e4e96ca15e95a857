/* python: plugins that are Python scripts, files named *.py. libgauntlet-python, which is next to the
 * program or in ../lib/gauntlet, runs them and is opened only where there is one; a build without Python's
 * headers has none.
 *
 * The interpreter and the modules that scripts name are loaded by gnt_scripts_start, before a process enters
 * its sandbox; it runs nothing of a script. Threads: one. Errors: −1 with a message. */
#ifndef GNT_PLUGIN_PYTHON_H
#define GNT_PLUGIN_PYTHON_H

#include <stddef.h>

#include "base/err.h"
#include "gauntlet/plugin.h"

/* True if the file of a plugin is a script. */
int gnt_is_script(const char *path);
/* Loads what the scripts among the files need; does nothing without any. */
int gnt_scripts_start(const char *const *paths, size_t n, gnt_err *err);
/* Returns what the numbers of scripts depend on besides the scripts: the digests of the library and of the
 * interpreter, and the installed versions of modules that compute. The caller frees with gnt_free. */
char *gnt_scripts_identity(gnt_err *err);
/* Runs the script in the file `place`; `path` names it. Starts the interpreter if nothing did. */
int gnt_script_open(const gnt_entry **out, const char *path, const char *place, gnt_err *err);

#endif
