/* results: a run's results.json, parsed and checked. The file is treated as hostile: its size is limited,
 * every value's type is checked, unknown words in `status` and `mode` are refused, and nothing in it is
 * followed.
 *
 * Owner: strings and JSON values belong to the gnt_results and live until gnt_results_free.
 * Text is as the file has it: who writes it somewhere escapes it (render/escape.h).
 * An absent or null number is NAN, absent text is "". */
#ifndef GNT_RESULTS_RESULTS_H
#define GNT_RESULTS_RESULTS_H

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/err.h"
#include "metric/estimate.h"
#include "results/task.h"

typedef enum gnt_cell_status {
    GNT_CELL_OK,
    GNT_CELL_FAILED,
    GNT_CELL_CRASHED,
    GNT_CELL_TIMEOUT,
    GNT_CELL_NA,
    /* the run was interrupted before it */
    GNT_CELL_UNFINISHED,
    GNT_CELL_STATUSES
} gnt_cell_status;

/* How a defense came to its strength. */
typedef enum gnt_row_mode {
    GNT_ROW_NONE,
    GNT_ROW_MATCHED,
    GNT_ROW_FIXED,
    GNT_ROW_SWEEP,
    GNT_ROW_MODES
} gnt_row_mode;

/* Guesses that need no update, by what is guessed. */
enum { GNT_FLOOR_RANDOM, GNT_FLOOR_MEAN, GNT_FLOOR_NEAREST, GNT_FLOOR_OTHER, GNT_FLOORS };

/* GNT_EVERY_STAGE stands for all stages of a task. */
enum { GNT_MOST_STAGES = 64, GNT_EVERY_STAGE = -1 };

typedef struct gnt_stat {
    /* low … high: the interval of the mean */
    double mean, deviation, worst, median, low, high;
    int64_t n;
    /* how many there are; 0: the file does not say, nor what the interval is over */
    int64_t trainings;
    gnt_interval_over over;
} gnt_stat;

typedef struct gnt_score {
    const char *measure;
    gnt_stat stat;
    double floor[GNT_FLOORS];
    double chance;
} gnt_score;

typedef struct gnt_utility {
    const char *measure;
    double value, low, high;
    /* of the undefended training */
    double none;
    /* of a cell: the standard error of `value` */
    double error;
    /* of a cell: objects with a whole "round", rising, and "accuracy", "loss" and, of maps, "iou", each a
     * number or null; NULL where the file does not tell */
    const json_t *by_round;
    /* of a cell: for each value of the observed attribute an object with "n", "right" and "labels", how many
     * test samples have it, how many of these were told rightly, and how many are of each class; or NULL */
    const json_t *by_value;
    /* of maps, what else was measured: for each name an object, of a cell with "value" and "standard_error",
     * of a group with "mean", "low" and "high"; or NULL */
    const json_t *beside;
} gnt_utility;

/* One job's outcome, or (in `groups`) the seeds of one cell joined. Fields that only one of the two has are
 * empty in the other. */
typedef struct gnt_outcome {
    const char *id, *task, *defense, *plugin, *attack, *attack_plugin, *surface, *reason, *images;
    int64_t stage, seed, n_cells, n_ok;
    double strength;
    gnt_row_mode mode;
    gnt_cell_status status;
    int matched;
    gnt_utility utility;
    gnt_score *score;
    size_t n_score;
    /* arrays, or NULL */
    const json_t *targets, *convergence;
    /* numbers by name, or NULL */
    const json_t *facts;
    /* of a cell: measures that were asked for, and why they have no number; or NULL */
    const json_t *unmeasured;
    /* of a cell: observed representations as points of a plane, an object or NULL */
    const json_t *points;
    /* of a cell: what the host found wrong with the defense, an array or NULL */
    const json_t *marks;
    /* of a cell: names of what the attack was granted, an array or NULL */
    const json_t *grants;
} gnt_outcome;

typedef struct gnt_attempt {
    double strength, utility, standard_error;
    int64_t seed;
} gnt_attempt;

/* How a search for a matched strength ended. */
typedef struct gnt_match_row {
    const char *task, *defense, *verdict, *reason;
    /* the verdict is "matched" or "saturated" */
    int is_matched;
    double target, tolerance, strength, utility, utility_none;
    int confirmed;
    /* of the trainings that confirmed it or failed to: their mean, its standard error, how many; and how many
     * trainings searched. NAN and 0 in files that do not tell */
    double confirm_mean, confirm_error;
    int64_t n_confirm, n_search;
    gnt_attempt *history;
    size_t n_history;
} gnt_match_row;

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
    json_t *root;
} gnt_results;

/* `name` stands for the file in sentences. On failure *r is empty. */
int gnt_results_parse(gnt_results *r, const char *name, const char *text, size_t size, gnt_err *err);
int gnt_results_load(gnt_results *r, const char *path, gnt_err *err);
void gnt_results_free(gnt_results *r);

const char *gnt_status_name(gnt_cell_status status);
const char *gnt_row_mode_name(gnt_row_mode mode);

/* 1 when an outcome is of a task and stage. */
int gnt_is_at(const gnt_outcome *o, const char *task, int64_t stage);
/* 1 when a cell is of a group: the same task, stage, defense, mode, strength (where both tell it), attack. */
int gnt_is_of_group(const gnt_outcome *cell, const gnt_outcome *group);
/* What an outcome has for a measure; NULL when absent. */
const gnt_score *gnt_score_find(const gnt_outcome *o, const char *measure);
/* The same of an outcome (or NULL) that is ok, with a finite mean. */
const gnt_score *gnt_number_of(const gnt_outcome *o, const char *measure);

/* What is known of a task: of one that is not listed what an old run would say. */
const gnt_task_facts *gnt_facts_of(const gnt_results *r, const char *task);

#endif
