/* result: the format of results.json: its structs, and the tables of rows from which it is read and written.
 * Nothing else spells its keys. docs/results.md says what they mean.
 *
 * A number that does not exist is NAN, a text that does not exist is gnt_no_text (""), a list that does not
 * exist has `at` NULL. A list is a pointer with its number of entries behind it. Where a struct has `there`,
 * gnt_fields_has says whether an optional key is in the file.
 *
 * Files are hostile: sizes, types and words are checked when one is read, and nowhere after. Text is as the
 * file has it; code that writes it escapes it (render/escape.h).
 *
 * A number more is a member here and a row in a table: it is read, written, rounded and compared by them. */
#ifndef GNT_RESULT_RESULT_H
#define GNT_RESULT_RESULT_H

#include <stddef.h>
#include <stdint.h>

#include "base/fields.h"
#include "metric/adequate.h"
#include "metric/measure.h"

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

/* How the strength of a defense was chosen. */
typedef enum gnt_row_mode {
    /* no defense */
    GNT_ROW_NONE,
    GNT_ROW_MATCHED,
    GNT_ROW_FIXED,
    GNT_ROW_SWEEP,
    /* a defense that has no strength */
    GNT_ROW_AS_IS,
    GNT_ROW_MODES
} gnt_row_mode;

/* Guesses that need no update, by what is guessed. */
enum { GNT_FLOOR_RANDOM, GNT_FLOOR_MEAN, GNT_FLOOR_NEAREST, GNT_FLOOR_OTHER, GNT_FLOORS };

/* ---- parts of a cell ---- */

/* The model after so many rounds of a cell's training. */
typedef struct gnt_round_utility {
    uint64_t there;
    int64_t round;
    double accuracy, loss, iou; /* optional: iou */
} gnt_round_utility;

typedef struct gnt_rounds {
    const gnt_round_utility *at;
    size_t n;
} gnt_rounds;

/* Counts of the test samples that have one value of an attribute: all of them, those that the model
 * classified correctly, and those of each class. */
typedef struct gnt_value_counts {
    int64_t n, right;
    gnt_ints labels;
} gnt_value_counts;

typedef struct gnt_values {
    const gnt_value_counts *at;
    size_t n;
} gnt_values;

/* Another number that was measured on the test samples. `error` is of a cell, `low` and `high` of a group. */
typedef struct gnt_other_utility {
    const char *name;
    double value, error, low, high;
} gnt_other_utility;

typedef struct gnt_other_utilities {
    const gnt_other_utility *at;
    size_t n;
} gnt_other_utilities;

typedef struct gnt_utility {
    const char *measure;
    /* of a group: over seeds, the mean, the least and the greatest */
    double value, low, high;
    /* of the undefended training */
    double none;
    /* of a cell: the standard error of `value` */
    double error;
    /* of a cell, rising */
    gnt_rounds by_round;
    /* of a cell, where an attribute is observed, an entry for each of its values */
    gnt_values by_value;
    gnt_other_utilities others;
} gnt_utility;

typedef struct gnt_named_stat {
    const char *measure;
    gnt_stat stat;
} gnt_named_stat;

typedef struct gnt_named_stats {
    const gnt_named_stat *at;
    size_t n;
} gnt_named_stats;

typedef struct gnt_named_floor {
    const char *measure;
    uint64_t there;
    double floor[GNT_FLOORS]; /* optional */
} gnt_named_floor;

typedef struct gnt_named_floors {
    const gnt_named_floor *at;
    size_t n;
} gnt_named_floors;

/* The scores of one private sample; of a transcript, of one client. All but `id` is optional. */
typedef struct gnt_target {
    uint64_t there;
    int64_t id;
    /* the row of the private sample that an answer was assigned to; −1: none */
    int64_t member;
    /* by gnt_measure_id; NAN for the measures that belong to a cell as a whole */
    double score[GNT_MEASURES];
    /* the place among the candidates of identification */
    double rank;
    int exact, broken, missing;
    /* numbers of values; an answer is −1 for none */
    int64_t attribute_truth, attribute_told, attribute_renamed;
    /* the first entries of the client's vector, and of the attack's answer (`at` NULL: none) */
    gnt_reals contribution_truth, contribution_told;
} gnt_target;

typedef struct gnt_targets {
    const gnt_target *at;
    size_t n;
} gnt_targets;

typedef struct gnt_cost {
    int64_t step;
    double cost;
} gnt_cost;

typedef struct gnt_costs {
    const gnt_cost *at;
    size_t n;
} gnt_costs;

/* The attack's own cost over one restart. */
typedef struct gnt_restart {
    int64_t target, restart;
    gnt_costs points;
} gnt_restart;

typedef struct gnt_restarts {
    const gnt_restart *at;
    size_t n;
} gnt_restarts;

/* How many of an attack's searches, one for each observation, ended why, as it says: it took its budget,
 * its cost fell to its tolerance, or it made no more progress; what it says contradicts its budget or its
 * costs; or it says nothing. */
typedef struct gnt_ended {
    int64_t budget, tolerance, stall, contradicted, unknown;
} gnt_ended;

typedef struct gnt_xy {
    double x, y;
} gnt_xy;

typedef struct gnt_xys {
    const gnt_xy *at;
    size_t n;
} gnt_xys;

/* Rows as points of a plane: by principal components, whose shares of the variance are `share`, and by t-SNE;
 * `probe` is the balanced accuracy of a linear probe. */
typedef struct gnt_plane {
    gnt_xys components;
    gnt_reals share;
    gnt_xys neighbours;
    double probe;
} gnt_plane;

typedef struct gnt_points {
    /* the attribute of each row, and how its values are named */
    gnt_ints value;
    const gnt_plane *representation, *samples;
    gnt_texts names;
} gnt_points;

/* A word such as "not-reproducible", and a sentence. */
typedef struct gnt_mark {
    const char *what, *says;
} gnt_mark;

typedef struct gnt_marks {
    const gnt_mark *at;
    size_t n;
} gnt_marks;

/* A control training with secret labels (metric/secret.h): the accuracy on the labels that the rule leaves,
 * how much of the rule was learnt, with its standard error, and how much of it no defense learns. */
typedef struct gnt_secret {
    double accuracy, learnt, error, none, none_error;
} gnt_secret;

/* One measure of an outcome with its floors and chance. */
typedef struct gnt_score {
    const char *measure;
    gnt_stat stat;
    double floor[GNT_FLOORS];
    double chance;
} gnt_score;

/* One job's outcome, or (in `groups`) the seeds of one cell joined. Fields that only one of the two has are
 * empty in the other. */
typedef struct gnt_outcome {
    const char *id, *task, *defense, *plugin, *attack, *attack_plugin, *surface, *reason, *images;
    int64_t stage, round, seed, n_cells, n_ok; /* round: −1 unless it was drawn */
    double strength;
    gnt_row_mode mode;
    gnt_cell_status status;
    int matched;
    gnt_utility utility;
    gnt_named_stats measures;
    gnt_named_floors floors;
    gnt_named_reals chance;
    /* of a cell */
    gnt_texts grants, goals;
    gnt_targets targets;
    /* scores of the attack with a quarter of its budget, of one cell of each attack at each stage */
    gnt_targets quarter;
    gnt_restarts convergence;
    /* of a cell whose attack says why its searches ended; else NULL */
    gnt_ended *ended;
    /* observations of which every number is zero, so that they were scored as guesses; −1: none. Of a group,
     * not in the file: of all its cells (judge/results_view.c) */
    int64_t silent;
    /* numbers that plugins report on themselves */
    gnt_named_reals facts;
    gnt_points *points;
    /* what the host found wrong with the defense */
    gnt_marks marks;
    /* of a cell whose task requests it; else NULL */
    gnt_secret *secret;
    /* measures that were requested, and why they have no number */
    gnt_named_texts unmeasured;
    /* gnt_of_batch or gnt_of_all_rows: what reconstructions of updates that depend on more than a batch were
     * scored against; gnt_no_text: not in question. Of a group, not in the file: gnt_of_all_rows if any cell
     * was (judge/results_view.c) */
    const char *scored_against;
    /* measures, floors and chance joined, by name (gnt_result_join); not in the file */
    gnt_score *score;
    size_t n_score;
    /* of a cell that was read, the path in it of the first key that no build of today writes, "" for none;
     * not in the file */
    const char *unknown;
} gnt_outcome;

/* The class of runs that attack captures: never ranked, and never compared with cells of others. */
extern const char gnt_of_captures[];

/* The values of `scored_against`; and 1 where it says the second. */
extern const char gnt_of_batch[], gnt_of_all_rows[];
int gnt_is_of_all_rows(const gnt_outcome *o);

/* ---- matching ---- */

typedef struct gnt_attempt {
    double strength, utility, standard_error;
    int64_t seed;
} gnt_attempt;

/* The training runs that confirmed a strength or failed to: their mean, its standard error, Student's t by
 * which it is judged, and their number; also the numbers of runs in earlier, failed confirmations and in the
 * search. */
typedef struct gnt_confirmation {
    double mean, standard_error, t;
    int64_t trainings, failed, searching;
} gnt_confirmation;

/* How a search for a matched strength ended. */
typedef struct gnt_match_row {
    uint64_t there;
    const char *task, *defense, *verdict, *reason;
    /* the verdict is "matched" or "saturated"; not in the file */
    int is_matched;
    double target, tolerance, strength, utility, utility_none;
    int confirmed;
    gnt_confirmation confirmation; /* optional: files of older builds have none */
    gnt_attempt *history;
    size_t n_history;
} gnt_match_row;

/* ---- what was requested ---- */

/* The same training on the public data alone, of one seed. */
typedef struct gnt_public_only {
    int64_t seed;
    double utility, error; /* `error` is the standard error that a finite test set leaves; NAN when unknown */
} gnt_public_only;

typedef struct gnt_public_onlys {
    const gnt_public_only *at;
    size_t n;
} gnt_public_onlys;

/* The captures that a task attacks. */
typedef struct gnt_result_captures {
    gnt_texts digests;
    /* The private batches are not there. */
    int withheld;
    /* Ids of the defense that the captures name, joined by +; gnt_no_text: they do not say. */
    const char *defense;
    int knows_defense;
} gnt_result_captures;

typedef struct gnt_result_task {
    /* data_kind: "image", "tabular", "audio" */
    const char *id, *digest, *data, *data_kind, *model;
    gnt_ints stages;
    /* −1: the file does not say */
    int stages_drawn, seed_public;
    /* the measure of utility; "round", "probe" or "capture" */
    const char *utility, *surface, *observe_from;
    int64_t targets, batch, local_steps;
    /* of training; −1: the file does not say */
    int64_t rounds;
    int weights;
    const char *attribute;
    gnt_adequate_limits adequate;
    /* shares between the floor and the undefended leakage */
    gnt_reals equal_leakage;
    /* optional: −1, NAN and gnt_no_text */
    int64_t set, epochs, curve;
    double width;
    const char *public_set, *prior_set;
    gnt_public_onlys public_only;
    const gnt_result_captures *captures; /* NULL: it observes a training, or probes a network */
} gnt_result_task;

typedef struct gnt_result_tasks {
    const gnt_result_task *at;
    size_t n;
} gnt_result_tasks;

typedef struct gnt_result_model {
    uint64_t there;
    const char *id, *model, *data;
    int weights_given;
    int64_t samples, epochs;
    double accuracy, accuracy_error, loss, loss_error, iou, iou_error; /* optional: the last two */
} gnt_result_model;

typedef struct gnt_result_models {
    const gnt_result_model *at;
    size_t n;
} gnt_result_models;

/* A plugin of a defense or an attack. */
typedef struct gnt_result_member {
    const char *id, *version;
    gnt_texts flags, hooks, families;
    /* an object as JSON text */
    const char *params;
} gnt_result_member;

typedef struct gnt_result_members {
    const gnt_result_member *at;
    size_t n;
} gnt_result_members;

typedef struct gnt_result_defense {
    const char *label, *plugin;
    gnt_result_members members;
    /* of the parameter that is its strength */
    const char *strength, *unit, *scale;
} gnt_result_defense;

typedef struct gnt_result_defenses {
    const gnt_result_defense *at;
    size_t n;
} gnt_result_defenses;

/* A list of attacks that the suite names. */
typedef struct gnt_result_list {
    const char *name, *digest, *status;
} gnt_result_list;

typedef struct gnt_result_attack {
    const char *label, *plugin;
    const char *influence_of;    /* label of the same attack on updates as received; "": it is that attack */
    const gnt_result_list *list; /* that it is from; NULL: it is an entry of the suite */
    gnt_texts grants;
    int64_t budget;
    gnt_result_members members;
    int64_t first_budget; /* of a chain; −1: it is none */
} gnt_result_attack;

typedef struct gnt_result_attacks {
    const gnt_result_attack *at;
    size_t n;
} gnt_result_attacks;

typedef struct gnt_result_scale {
    const char *name, *says;
} gnt_result_scale;

/* A strength that a baseline matched. */
typedef struct gnt_result_strength {
    const char *task, *defense;
    double strength;
} gnt_result_strength;

typedef struct gnt_result_strengths {
    const gnt_result_strength *at;
    size_t n;
} gnt_result_strengths;

/* A defense's curve, read at one utility or at one leakage. */
typedef struct gnt_result_equal {
    const char *task;
    int64_t stage;
    const char *defense, *attack, *measure;
    double utility, leakage, standard_error, low, high;
    int64_t strengths, seeds;
    double from, to;
    const char *reason;
} gnt_result_equal;

typedef struct gnt_result_equals {
    const gnt_result_equal *at;
    size_t n;
} gnt_result_equals;

/* ---- the whole file ---- */

typedef struct gnt_outcomes {
    gnt_outcome *at;
    size_t n;
} gnt_outcomes;

typedef struct gnt_match_rows {
    gnt_match_row *at;
    size_t n;
} gnt_match_rows;

typedef struct gnt_result {
    int64_t format;
    const char *suite, *title, *suite_digest;
    /* gnt_of_captures; gnt_no_text: a run of a suite that observes by itself */
    const char *run_class;
    gnt_result_tasks tasks;
    gnt_result_models models;
    gnt_result_defenses defenses;
    gnt_result_attacks attacks;
    gnt_match_rows matches;
    gnt_outcomes groups, cells;
    const gnt_result_scale *scale;
    gnt_result_strengths baseline;
    /* of formats that belong to the suite: JSON texts, NULL for none */
    const char *check, *tables;
    gnt_texts facts;
    int64_t points; /* −1: none */
    gnt_result_equals equal_utility, equal_leakage;
    /* of a file that was read: how many keys no row names, and the path of the first one; not in the file */
    size_t n_unknown;
    gnt_path unknown;
    /* of everything above */
    gnt_arena memory;
} gnt_result;

/* The tables, in the order of the file. gnt_score_fields is what a score job keeps of a cell, with the keys
 * of one. */
extern const gnt_fields gnt_result_fields, gnt_cell_fields, gnt_group_fields, gnt_match_fields,
    gnt_attempt_fields, gnt_confirmation_fields, gnt_target_fields, gnt_floor_fields, gnt_round_fields,
    gnt_value_fields, gnt_model_fields, gnt_task_fields, gnt_defense_fields, gnt_attack_fields,
    gnt_stat_fields, gnt_score_fields, gnt_member_fields, gnt_equal_leakage_fields, gnt_cell_utility_fields;

/* ---- reading and writing ---- */

/* Makes an empty result, to be filled. */
void gnt_result_clear(gnt_result *r);
/* True if it is of the class gnt_of_captures, or has a task that only such a run has. */
int gnt_result_is_of_captures(const gnt_result *r);
/* Reads the text of a file, which sentences call `name`. On failure *r is empty. */
int gnt_result_parse(gnt_result *r, const char *name, const char *text, size_t size, gnt_err *err);
/* Reads the file, or PATH.gz where there is none, which `gauntlet scores` writes. On failure *r is empty. */
int gnt_result_load(gnt_result *r, const char *path, gnt_err *err);
/* Returns the text of the file, indented or on one line; the caller frees it. NULL when out of memory, or
 * if a number that must be finite is not. */
char *gnt_result_text(const gnt_result *r, int indented);
void gnt_result_free(gnt_result *r);

/* Returns the index of the first entry whose round does not exceed that of the entry before; n for none. */
size_t gnt_rounds_stop_rising(const gnt_rounds *list);

/* Fills the score of every outcome from its measures, floors and chance. */
int gnt_result_join(gnt_result *r, gnt_err *err);

/* ---- influence ---- */

/* Returns the label of the attack on updates as received that an attack on their influence repeats; NULL for
 * other attacks. */
const char *gnt_result_influence_of(const gnt_result *r, const char *attack);
/* True if a run says that a plugin has this hook. */
int gnt_result_has_hook(const gnt_result_member *member, const char *hook);
/* True if attacks on influence apply to a defense: a member has the hook `aggregate`, or the run does not say
 * which hooks there are and has such a cell. */
int gnt_result_aggregates(const gnt_result *r, const char *defense);

/* ---- words ---- */

extern const gnt_words gnt_status_words, gnt_row_mode_words;
const char *gnt_status_name(gnt_cell_status status);
const char *gnt_row_mode_name(gnt_row_mode mode);

#endif
