/* season_strengths: strengths for the defenses of a submission that list theirs, as those of an arena were
 * chosen: by searches for the targets under a key that is no run's. */
#ifndef GNT_CLI_SEASON_STRENGTHS_H
#define GNT_CLI_SEASON_STRENGTHS_H

#include "base/arena.h"
#include "board/board.h"
#include "run/engine.h"
#include "suite/suite.h"

/* True if a defense of the suite lists strengths. */
int cli_any_listed(const gnt_suite *suite);
/* Runs the searches in `how`'s folder, and goes on there after an interruption; the suite was read under its
 * development key, and is changed: it searches, with few training runs, where it had lists. Fills a list for
 * each defense with one; `memory` has them. *interrupted: nothing was filled. */
int cli_season_strengths(gnt_season_strength_list *out, gnt_suite *suite, const gnt_run_options *how,
                         gnt_arena *memory, int *interrupted, gnt_err *err);

#endif
