/* held: a results.json held against itself and the suite beside it, as leaderboard, report, check, audit and
 * accept do before they believe it. */
#ifndef GNT_CLI_HELD_H
#define GNT_CLI_HELD_H

#include "cli/places.h"
#include "tally/tally.h"

struct cli_world;        /* cli/world.h */
struct gnt_sandbox_wish; /* run/sandbox.h */

/* What plugins, models and data are here. Plugins that cannot be listed are as if they were not there; a line
 * on stderr says so. walls: of the workers that describe them, may be NULL. Nothing that a run folder holds
 * is opened as one. Close it with cli_world_close. */
void cli_held_world(struct cli_world *w, const cli_places *places, const struct gnt_sandbox_wish *walls,
                    const char *command);
/* gnt_tally_check, with its notes on stderr as lines of `command`. */
int cli_held_check(gnt_tally *out, const char *path, const struct cli_world *w, const char *command,
                   gnt_err *err);
/* The same where nothing is asked but whether the file holds. */
int cli_held_path(const char *path, const cli_places *places, const char *command, gnt_err *err);

#endif
