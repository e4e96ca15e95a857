/* ranked: a leaderboard of runs that were held first, as `leaderboard` and `accept` make it. */
#ifndef GNT_CLI_RANKED_H
#define GNT_CLI_RANKED_H

#include "board/board.h"
#include "cli/places.h"

struct gnt_sandbox_wish; /* run/sandbox.h */

/* Holds each of the board's sources, which it fills in, and makes the board. walls: as in cli_held_world.
 * Returns an exit code; a sentence of `command` is on stderr where it is not 0. */
int cli_make_board(gnt_board_options *board, gnt_board_source *sources, const cli_places *places,
                   const struct gnt_sandbox_wish *walls, const char *command);

#endif
