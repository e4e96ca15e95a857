/* judge: a run's results.json as what judges it asks for: the names in order, outcomes, tasks, marks. The
 * format is result/result.h.
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

/* What the suite says of a defense, and how it is told apart in pictures: defenses of the same plugins are
 * one family and share a colour, so that a matched point is seen on the curve of its sweep; within a family,
 * those in the same role (swept only, or not) differ in their shape. */
typedef struct gnt_about {
    /* `strength` is the parameter's name */
    const char *plugin, *strength, *unit;
    /* "linear", "log", "complement" or "" */
    const char *scale;
    size_t family, sibling;
} gnt_about;

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

/* `name` stands for the file in sentences. On failure *r is empty. */
int gnt_results_parse(gnt_results *r, const char *name, const char *text, size_t size, gnt_err *err);
int gnt_results_load(gnt_results *r, const char *path, gnt_err *err);
/* The same of a result in memory, which the caller keeps until after gnt_results_free. Its outcomes are
 * joined (gnt_outcome_join). */
int gnt_results_view(gnt_results *r, const char *name, const gnt_result *of, gnt_err *err);
void gnt_results_free(gnt_results *r);

/* 1 when an outcome is of a task and stage. */
int gnt_is_at(const gnt_outcome *o, const char *task, int64_t stage);
/* 1 when a cell is of a group: the same task, stage, defense, mode, strength (where both tell it), attack. */
int gnt_is_of_group(const gnt_outcome *cell, const gnt_outcome *group);
/* What a plugin reports on itself by a name; NAN when absent. */
double gnt_fact_of(const gnt_outcome *cell, const char *name);
/* What an outcome has for a measure; NULL when absent. */
const gnt_score *gnt_score_find(const gnt_outcome *o, const char *measure);
/* The same of an outcome (or NULL) that is ok, with a finite mean. */
const gnt_score *gnt_number_of(const gnt_outcome *o, const char *measure);

/* The entry of a task, defense or attack, or NULL. */
const gnt_result_task *gnt_task_of(const gnt_results *r, const char *id);
const gnt_result_defense *gnt_defense_of(const gnt_results *r, const char *label);
const gnt_result_attack *gnt_attack_of(const gnt_results *r, const char *label);

/* What is known of a task: of one that is not listed what an old run would say. */
const gnt_task_facts *gnt_facts_of(const gnt_results *r, const char *task);

#endif
