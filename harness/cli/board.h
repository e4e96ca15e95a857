/* board: a leaderboard of runs that were checked first, as `leaderboard` and `accept` make it. */
#ifndef GNT_CLI_BOARD_H
#define GNT_CLI_BOARD_H

#include "board/board.h"
#include "cli/paths.h"

struct gnt_sandbox_options; /* run/sandbox.h */

/* Holds each of the board's sources, which it fills in, and makes the board. sandbox: as in
 * cli_consistency_env. Returns an exit code; a sentence of `command` is on stderr where it is not 0. */
int cli_make_board(gnt_board_options *board, gnt_board_source *sources, const cli_paths *paths,
                   const struct gnt_sandbox_options *sandbox, const char *command);

#endif
