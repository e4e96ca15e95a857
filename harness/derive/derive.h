/* derive: what in a result follows from what: what a suite requests, statistics from the scores of targets,
 * groups from cells. Both the run that writes results.json and the check of the file call it.
 *
 * Owner: lists are of the arena that is passed, texts of the suite or of the cells that they come from.
 * Errors: −1 with a sentence. */
#ifndef GNT_DERIVE_DERIVE_H
#define GNT_DERIVE_DERIVE_H

#include "base/arena.h"
#include "base/err.h"
#include "result/result.h"
#include "suite/plan.h"

/* Fills what results.json repeats of the suite: all but groups, cells, matches, curves, and the numbers of
 * tasks and models that a run measures. */
int gnt_derive_suite(gnt_result *r, const gnt_suite *suite, gnt_arena *arena, gnt_err *err);
/* Fills what is known of a cell before it runs: all but strength, status, reason, matched and its numbers. */
int gnt_derive_cell(gnt_outcome *out, const gnt_suite *suite, const gnt_cell *cell, gnt_arena *arena,
                    gnt_err *err);

/* Gives a suite the strengths of a baseline: those that the results of a run list as its baseline's, or those
 * at which the searches of the baseline itself ended. `name` stands for the file in sentences. A list that
 * does not exist changes nothing. */
int gnt_derive_add_baseline(gnt_suite *suite, const char *name, const gnt_result_strengths *given,
                            gnt_err *err);
int gnt_derive_add_matches(gnt_suite *suite, const char *name, const gnt_match_rows *matches, gnt_err *err);

/* Gives the statistics of every measure that the first of the targets has, without those of a cell as a
 * whole. The list has room for GNT_MEASURES entries. */
int gnt_derive_measures(gnt_named_stats *out, const gnt_targets *targets, gnt_arena *arena, gnt_err *err);

/* Joins cells that differ in the seed alone, in the order of their first; `tasks` gives the number of samples
 * of each observation. */
int gnt_derive_groups(gnt_outcomes *out, const gnt_outcomes *cells, const gnt_result_tasks *tasks,
                      gnt_arena *arena, gnt_err *err);

#endif
