/* consistency: a results.json checked against itself and the suite beside it, as leaderboard, report, check,
 * audit and accept do before they believe it. */
#ifndef GNT_CLI_CONSISTENCY_H
#define GNT_CLI_CONSISTENCY_H

#include "cli/paths.h"
#include "tally/tally.h"

struct cli_env;             /* cli/env.h */
struct gnt_sandbox_options; /* run/sandbox.h */

/* What plugins, models and data are here. Plugins that cannot be listed are as if they were not there; a line
 * on stderr says so. sandbox: of the workers that describe them, may be NULL. Nothing that a run folder holds
 * is opened as one. Close it with cli_env_close. */
void cli_consistency_env(struct cli_env *w, const cli_paths *paths, const struct gnt_sandbox_options *sandbox,
                         const char *command);
/* gnt_tally_check, with its notes on stderr as lines of `command`. */
int cli_consistency_check(gnt_tally *out, const char *path, const struct cli_env *w, const char *command,
                          gnt_err *err);
/* The same where nothing is asked but whether the file holds. */
int cli_consistency_path(const char *path, const cli_paths *paths, const char *command, gnt_err *err);

#endif
