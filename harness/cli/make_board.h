/* make_board: makes a leaderboard of runs after checking them, for `leaderboard` and `accept`. */
#ifndef GNT_CLI_MAKE_BOARD_H
#define GNT_CLI_MAKE_BOARD_H

#include "board/board.h"
#include "cli/paths.h"

struct gnt_sandbox_options; /* run/sandbox.h */

/* Checks and completes each of the board's sources, and makes the board. sandbox: see cli_consistency_env.
 * Returns an exit code, after an error message of `command` if it is not 0. */
int cli_make_board(gnt_board_options *board, gnt_board_source *sources, const cli_paths *paths,
                   const struct gnt_sandbox_options *sandbox, const char *command);

#endif
