/* judge: a view of a run's results.json for the code that judges it: the names in order, outcomes, tasks,
 * marks. The format is result/result.h.
 *
 * Owner: texts and lists belong to the gnt_results, or to the result it is a view of. */
#ifndef GNT_JUDGE_JUDGE_H
#define GNT_JUDGE_JUDGE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "result/result.h"
#include "judge/task.h"

/* GNT_EVERY_STAGE stands for all stages of a task. */
enum { GNT_MOST_STAGES = 64, GNT_EVERY_STAGE = -1 };

/* The suite's description of a defense, and how plots distinguish it: defenses of the same plugins are one
 * family and share a colour, so that a matched point is recognised on the curve of its sweep; within a
 * family, those in the same role (swept only, or not) differ in shape. */
typedef struct gnt_about {
    /* `strength` is the parameter's name */
    const char *plugin, *strength, *unit;
    /* "linear", "log", "complement" or "" */
    const char *scale;
    size_t family, sibling;
} gnt_about;

/* Outcomes sorted by task and defense: those of pair k are at[from[k]] … at[from[k + 1] − 1]. */
typedef struct gnt_pair_index {
    size_t *from, *at;
} gnt_pair_index;

/* Indices of outcomes, in the order of their list. */
typedef struct gnt_indices {
    const size_t *at;
    size_t n;
} gnt_indices;

typedef struct gnt_results {
    const char *suite, *title;
    /* in the suite's order, completed from cells and groups; each name once */
    const char **task, **defense, **attack;
    size_t n_task, n_defense, n_attack;
    /* of each defense */
    gnt_about *about;
    gnt_match_row *match;
    size_t n_match;
    gnt_outcome *cell, *group;
    size_t n_cell, n_group;
    /* task · n_defense + defense is a pair */
    gnt_pair_index groups_by_pair, cells_by_pair;
    /* the cells that have a mark */
    const gnt_outcome **marked;
    size_t n_marked;
    /* of the tasks that are listed as objects */
    gnt_task_facts *facts;
    size_t n_facts;
    /* the file */
    const gnt_result *file;
    /* what `file` is where it was read here; NULL in a view */
    gnt_result *own;
} gnt_results;

/* Reads a results.json; errors call the file `name`. On failure *r is empty. */
int gnt_results_parse(gnt_results *r, const char *name, const char *text, size_t size, gnt_err *err);
int gnt_results_load(gnt_results *r, const char *path, gnt_err *err);
/* Makes a view of a result in memory, which the caller keeps until after gnt_results_free. Joins its outcomes
 * (gnt_result_join). */
int gnt_results_view(gnt_results *r, const char *name, const gnt_result *of, gnt_err *err);
void gnt_results_free(gnt_results *r);

/* True if an outcome is of this task and stage. */
int gnt_is_at(const gnt_outcome *o, const char *task, int64_t stage);
/* True if a cell belongs to a group: the same task, stage, defense, mode, attack, and strength where both
 * have one. */
int gnt_is_of_group(const gnt_outcome *cell, const gnt_outcome *group);
/* Returns the fact of this name that a plugin reports on itself; NAN if absent. */
double gnt_fact_of(const gnt_outcome *cell, const char *name);
/* Returns the score of an outcome for a measure; NULL if absent. */
const gnt_score *gnt_score_find(const gnt_outcome *o, const char *measure);
/* Returns that score if the outcome (or NULL) is ok and the mean is finite, else NULL. */
const gnt_score *gnt_number_of(const gnt_outcome *o, const char *measure);

/* Return the indices of the groups, or cells, of a task and defense. */
gnt_indices gnt_groups_of(const gnt_results *r, const char *task, const char *defense);
gnt_indices gnt_cells_of(const gnt_results *r, const char *task, const char *defense);

/* Return the entry of a task, defense or attack, or NULL. */
const gnt_result_task *gnt_task_of(const gnt_results *r, const char *id);
const gnt_result_defense *gnt_defense_of(const gnt_results *r, const char *label);
const gnt_result_attack *gnt_attack_of(const gnt_results *r, const char *label);

/* Returns the facts of a task; for one that is not listed, those of a run by an older version. */
const gnt_task_facts *gnt_facts_of(const gnt_results *r, const char *task);

#endif
