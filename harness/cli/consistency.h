/* consistency: checks a results.json for internal consistency and against its suite, before leaderboard,
 * report, check, audit and accept use it. */
#ifndef GNT_CLI_CONSISTENCY_H
#define GNT_CLI_CONSISTENCY_H

#include "cli/paths.h"
#include "check/check.h"

struct cli_env;             /* cli/env.h */
struct gnt_sandbox_options; /* run/sandbox.h */

/* Opens the plugins, models and data of this machine. Plugins that cannot be listed are ignored with a note
 * on stderr; nothing in a run folder is opened as a plugin. sandbox: of the workers that describe plugins,
 * may be NULL. Close it with cli_env_close. */
void cli_consistency_env(struct cli_env *w, const cli_paths *paths, const struct gnt_sandbox_options *sandbox,
                         const char *command);
/* Calls gnt_check for the results.json in a run folder, and prints its notes on stderr as lines of
 * `command`. Refuses a run that attacks captures, which is neither ranked nor audited. */
int cli_consistency_folder(gnt_checked *out, const char *folder, const struct cli_env *w, const char *command,
                           gnt_err *err);
/* Opens the environment, and checks without returning the checked. */
int cli_consistency_path(const char *path, const cli_paths *paths, const char *command, gnt_err *err);

#endif
