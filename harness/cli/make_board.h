/* make_board: makes a leaderboard of runs after checking them, for `leaderboard` and `accept`. */
#ifndef GNT_CLI_MAKE_BOARD_H
#define GNT_CLI_MAKE_BOARD_H

#include "board/board.h"
#include "cli/paths.h"

struct gnt_sandbox_options; /* run/sandbox.h */

/* Checks and completes each of the board's sources, and makes the board. season_key: the file of the
 * season's key, which is the run key of its runs too; NULL: the board is of no season. sandbox: see
 * cli_consistency_env. Returns an exit code, after an error message of `command` if it is not 0. */
int cli_make_board(gnt_board_options *board, gnt_board_source *sources, const cli_paths *paths,
                   const char *season_key, const struct gnt_sandbox_options *sandbox, const char *command);

#endif
