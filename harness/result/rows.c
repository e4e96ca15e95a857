/* The tables of results.json but of its cells, in the order of the file. */
#include "result/result.h"
#include "result/rows_impl.h"

enum { MOST_NAMES = 1024, MOST_ROWS = 1 << 18, MOST_SEEDS = 256 };

/* ---- tasks and models ---- */

static const gnt_field adequate_rows[] = {
    {GNT_FIELD(gnt_adequate_limits, identified, REAL), .nullable = 1},
    {GNT_FIELD(gnt_adequate_limits, above_floor, REAL), .nullable = 1, .unit = "dB"},
    {GNT_FIELD(gnt_adequate_limits, gain, REAL), .nullable = 1},
};
static const gnt_fields adequate_fields = GNT_OPEN(gnt_adequate_limits, adequate_rows);

static const gnt_field public_rows[] = {
    {GNT_FIELD(gnt_public_only, seed, INT), ANY_INT, .needed = 1},
    {GNT_FIELD(gnt_public_only, utility, REAL), .nullable = 1},
    {GNT_FIELD_AS("standard_error", gnt_public_only, error, REAL), .nullable = 1},
};
static const gnt_fields public_fields = GNT_OPEN(gnt_public_only, public_rows);

static const gnt_field task_rows[] = {
    {GNT_FIELD(gnt_result_task, id, TEXT)},
    {GNT_FIELD(gnt_result_task, digest, TEXT)},
    {GNT_FIELD(gnt_result_task, data, TEXT)},
    {GNT_FIELD(gnt_result_task, model, TEXT)},
    {GNT_FIELD(gnt_result_task, stages, INTS)},
    {GNT_FIELD(gnt_result_task, stages_drawn, FLAG)},
    {GNT_FIELD(gnt_result_task, seed_public, FLAG)},
    {GNT_FIELD(gnt_result_task, utility, TEXT)},
    {GNT_FIELD(gnt_result_task, surface, TEXT)},
    {GNT_FIELD(gnt_result_task, observe_from, TEXT)},
    {GNT_FIELD(gnt_result_task, targets, INT)},
    {GNT_FIELD(gnt_result_task, batch, INT)},
    {GNT_FIELD(gnt_result_task, local_steps, INT)},
    {GNT_FIELD(gnt_result_task, rounds, INT), .nullable = 1},
    {GNT_FIELD(gnt_result_task, weights, FLAG)},
    {GNT_FIELD(gnt_result_task, attribute, TEXT), .nullable = 1},
    {GNT_FIELD(gnt_result_task, adequate, GROUP), .group = &adequate_fields},
    {GNT_FIELD(gnt_result_task, equal_leakage, REALS), .single = 1},
    {GNT_FIELD(gnt_result_task, set, INT), .optional = 1, .nullable = 1},
    {GNT_FIELD(gnt_result_task, epochs, INT), .optional = 1, .nullable = 1},
    {GNT_FIELD(gnt_result_task, curve, INT), .optional = 1, .nullable = 1},
    {GNT_FIELD(gnt_result_task, width, REAL), .optional = 1, .nullable = 1},
    {GNT_FIELD_AS("public", gnt_result_task, public_set, TEXT), .optional = 1},
    {GNT_FIELD(gnt_result_task, public_only, LIST), .group = &public_fields, .nullable = 1,
     .most_entries = MOST_SEEDS},
};
const gnt_fields gnt_task_fields = {
    .field = task_rows, .n = COUNT(task_rows), .size = sizeof(gnt_result_task), .open = 1, .named = 1};

static const gnt_field model_rows[] = {
    {GNT_FIELD(gnt_result_model, id, TEXT)},
    {GNT_FIELD(gnt_result_model, model, TEXT)},
    {GNT_FIELD(gnt_result_model, data, TEXT)},
    {GNT_FIELD(gnt_result_model, weights_given, FLAG)},
    {GNT_FIELD(gnt_result_model, samples, INT), .nullable = 1},
    {GNT_FIELD(gnt_result_model, epochs, INT), .nullable = 1},
    {GNT_FIELD(gnt_result_model, accuracy, REAL), .nullable = 1},
    {GNT_FIELD(gnt_result_model, accuracy_error, REAL), .nullable = 1},
    {GNT_FIELD(gnt_result_model, loss, REAL), .nullable = 1},
    {GNT_FIELD(gnt_result_model, loss_error, REAL), .nullable = 1},
    {GNT_FIELD(gnt_result_model, iou, REAL), .nullable = 1, .optional = 1},
    {GNT_FIELD(gnt_result_model, iou_error, REAL), .nullable = 1, .optional = 1},
};
const gnt_fields gnt_model_fields = GNT_OPEN_WITH_THERE(gnt_result_model, model_rows);

/* ---- defenses and attacks ---- */

static const gnt_field member_rows[] = {
    {GNT_FIELD(gnt_result_member, id, TEXT)},
    {GNT_FIELD(gnt_result_member, version, TEXT)},
    {GNT_FIELD(gnt_result_member, flags, TEXTS)},
    {GNT_FIELD(gnt_result_member, families, TEXTS)},
    {GNT_FIELD(gnt_result_member, params, JSON), .nullable = 1},
};
static const gnt_fields member_fields = GNT_OPEN(gnt_result_member, member_rows);

static const gnt_field defense_rows[] = {
    {GNT_FIELD(gnt_result_defense, label, TEXT)},
    {GNT_FIELD(gnt_result_defense, plugin, TEXT)},
    {GNT_FIELD(gnt_result_defense, members, LIST), .group = &member_fields},
    {GNT_FIELD(gnt_result_defense, strength, TEXT), .nullable = 1},
    {GNT_FIELD(gnt_result_defense, unit, TEXT), .nullable = 1},
    {GNT_FIELD(gnt_result_defense, scale, TEXT), .nullable = 1},
};
const gnt_fields gnt_defense_fields = {.field = defense_rows,
                                       .n = COUNT(defense_rows),
                                       .size = sizeof(gnt_result_defense),
                                       .open = 1,
                                       .named = 1};

static const gnt_field attack_rows[] = {
    {GNT_FIELD(gnt_result_attack, label, TEXT)},
    {GNT_FIELD(gnt_result_attack, plugin, TEXT)},
    {GNT_FIELD(gnt_result_attack, grants, TEXTS)},
    {GNT_FIELD(gnt_result_attack, budget, INT), ANY_INT},
    {GNT_FIELD(gnt_result_attack, members, LIST), .group = &member_fields},
    {GNT_FIELD(gnt_result_attack, first_budget, INT), .optional = 1, .nullable = 1},
};
const gnt_fields gnt_attack_fields = {
    .field = attack_rows, .n = COUNT(attack_rows), .size = sizeof(gnt_result_attack), .open = 1, .named = 1};

/* ---- matches ---- */

static const gnt_field confirmation_rows[] = {
    {GNT_FIELD(gnt_confirmation, mean, REAL), .nullable = 1},
    {GNT_FIELD(gnt_confirmation, standard_error, REAL), .nullable = 1},
    {GNT_FIELD(gnt_confirmation, t, REAL), .nullable = 1},
    {GNT_FIELD(gnt_confirmation, trainings, INT), ANY_INT},
    {GNT_FIELD(gnt_confirmation, failed, INT), ANY_INT},
    {GNT_FIELD(gnt_confirmation, searching, INT), ANY_INT},
};
static const gnt_fields confirmation_fields = GNT_OPEN(gnt_confirmation, confirmation_rows);

static const gnt_field attempt_rows[] = {
    {GNT_FIELD(gnt_attempt, strength, REAL), .nullable = 1},
    {GNT_FIELD(gnt_attempt, utility, REAL), .nullable = 1},
    {GNT_FIELD(gnt_attempt, standard_error, REAL), .nullable = 1},
    {GNT_FIELD(gnt_attempt, seed, INT), ANY_INT},
};
const gnt_fields gnt_attempt_fields = GNT_OPEN(gnt_attempt, attempt_rows);

static const gnt_field match_rows[] = {
    {GNT_FIELD(gnt_match_row, task, TEXT), .needed = 1},
    {GNT_FIELD(gnt_match_row, defense, TEXT), .needed = 1},
    {GNT_FIELD(gnt_match_row, target, REAL), .nullable = 1},
    {GNT_FIELD(gnt_match_row, tolerance, REAL), .nullable = 1},
    {GNT_FIELD(gnt_match_row, verdict, TEXT), .needed = 1},
    {GNT_FIELD(gnt_match_row, reason, TEXT), .nullable = 1},
    {GNT_FIELD(gnt_match_row, strength, REAL), .nullable = 1},
    {GNT_FIELD(gnt_match_row, utility, REAL), .nullable = 1},
    {GNT_FIELD(gnt_match_row, utility_none, REAL), .nullable = 1},
    {GNT_FIELD(gnt_match_row, confirmed, FLAG)},
    {GNT_FIELD(gnt_match_row, confirmation, GROUP), .group = &confirmation_fields, .optional = 1,
     .inside = 1},
    {GNT_FIELD(gnt_match_row, history, LIST), .group = &gnt_attempt_fields},
};
const gnt_fields gnt_match_fields = GNT_OPEN_WITH_THERE(gnt_match_row, match_rows);

/* ---- curves ---- */

#define EQUAL_PLACE                                                                                          \
    {GNT_FIELD(gnt_result_equal, task, TEXT)}, {GNT_FIELD(gnt_result_equal, stage, INT), ANY_INT},           \
        {GNT_FIELD(gnt_result_equal, defense, TEXT)}, {GNT_FIELD(gnt_result_equal, attack, TEXT)}, {         \
        GNT_FIELD(gnt_result_equal, measure, TEXT)                                                           \
    }
#define EQUAL_UTILITY                                                                                        \
    { GNT_FIELD(gnt_result_equal, utility, REAL), .nullable = 1 }
#define EQUAL_LEAKAGE                                                                                        \
    { GNT_FIELD(gnt_result_equal, leakage, REAL), .nullable = 1 }
#define EQUAL_REST                                                                                           \
    {GNT_FIELD(gnt_result_equal, standard_error, REAL), .nullable = 1},                                      \
        {GNT_FIELD(gnt_result_equal, low, REAL), .nullable = 1},                                             \
        {GNT_FIELD(gnt_result_equal, high, REAL), .nullable = 1},                                            \
        {GNT_FIELD(gnt_result_equal, strengths, INT), ANY_INT},                                              \
        {GNT_FIELD(gnt_result_equal, seeds, INT), ANY_INT},                                                  \
        {GNT_FIELD(gnt_result_equal, from, REAL), .nullable = 1},                                            \
        {GNT_FIELD(gnt_result_equal, to, REAL), .nullable = 1}, {                                            \
        GNT_FIELD(gnt_result_equal, reason, TEXT), .nullable = 1                                             \
    }

static const gnt_field equal_utility_rows[] = {EQUAL_PLACE, EQUAL_UTILITY, EQUAL_LEAKAGE, EQUAL_REST};
static const gnt_fields equal_utility_fields = GNT_OPEN(gnt_result_equal, equal_utility_rows);
static const gnt_field equal_leakage_rows[] = {EQUAL_PLACE, EQUAL_LEAKAGE, EQUAL_UTILITY, EQUAL_REST};
static const gnt_fields equal_leakage_fields = GNT_OPEN(gnt_result_equal, equal_leakage_rows);

/* ---- the whole file ---- */

static const gnt_field scale_rows[] = {{GNT_FIELD(gnt_result_scale, name, TEXT)},
                                       {GNT_FIELD(gnt_result_scale, says, TEXT)}};
static const gnt_fields scale_fields = GNT_OPEN(gnt_result_scale, scale_rows);

static const gnt_field strength_rows[] = {{GNT_FIELD(gnt_result_strength, task, TEXT)},
                                          {GNT_FIELD(gnt_result_strength, defense, TEXT)},
                                          {GNT_FIELD(gnt_result_strength, strength, REAL)}};
static const gnt_fields strength_fields = GNT_OPEN(gnt_result_strength, strength_rows);

static const gnt_field result_rows[] = {
    {GNT_FIELD(gnt_result, format, INT), .least = 1, .most = 1, .needed = 1},
    {GNT_FIELD(gnt_result, suite, TEXT)},
    {GNT_FIELD(gnt_result, title, TEXT)},
    {GNT_FIELD(gnt_result, suite_digest, TEXT)},
    {GNT_FIELD(gnt_result, tasks, LIST), .group = &gnt_task_fields, .most_entries = MOST_NAMES},
    {GNT_FIELD(gnt_result, models, LIST), .group = &gnt_model_fields, .most_entries = MOST_NAMES},
    {GNT_FIELD(gnt_result, defenses, LIST), .group = &gnt_defense_fields, .most_entries = MOST_NAMES},
    {GNT_FIELD(gnt_result, attacks, LIST), .group = &gnt_attack_fields, .most_entries = MOST_NAMES},
    {GNT_FIELD(gnt_result, matches, LIST), .group = &gnt_match_fields, .most_entries = MOST_ROWS},
    {GNT_FIELD(gnt_result, groups, LIST), .group = &gnt_group_fields, .most_entries = MOST_ROWS, .needed = 1},
    {GNT_FIELD(gnt_result, cells, LIST), .group = &gnt_cell_fields, .most_entries = MOST_ROWS, .needed = 1},
    {GNT_FIELD(gnt_result, scale, GROUP), .group = &scale_fields, .optional = 1},
    {GNT_FIELD(gnt_result, baseline, LIST), .group = &strength_fields, .optional = 1,
     .most_entries = MOST_ROWS},
    {GNT_FIELD(gnt_result, check, JSON), .optional = 1},
    {GNT_FIELD(gnt_result, facts, TEXTS), .optional = 1},
    {GNT_FIELD(gnt_result, points, INT), .optional = 1, .nullable = 1},
    {GNT_FIELD(gnt_result, tables, JSON), .optional = 1},
    {GNT_FIELD(gnt_result, equal_utility, LIST), .group = &equal_utility_fields, .optional = 1},
    {GNT_FIELD(gnt_result, equal_leakage, LIST), .group = &equal_leakage_fields, .optional = 1},
};
const gnt_fields gnt_result_fields = GNT_OPEN(gnt_result, result_rows);
