/* The tables of a cell and of a group of cells, in the order of the file. */
#include <math.h>

#include "result/result.h"
#include "result/rows_impl.h"

/* ---- values of members that a table does not have ---- */

#define NO_UTILITY                                                                                           \
    { .measure = gnt_no_text, .value = NAN, .low = NAN, .high = NAN, .none = NAN, .error = NAN }
static const gnt_utility blank_utility = NO_UTILITY;
static const gnt_other_utility blank_other = {.value = NAN, .error = NAN, .low = NAN, .high = NAN};
static const gnt_target blank_target = {.score = {[GNT_MEASURE_ATTRIBUTE_BALANCED] = NAN,
                                                  [GNT_MEASURE_ATTRIBUTE_RELABELLED] = NAN,
                                                  [GNT_MEASURE_CONTRIBUTION_RANK] = NAN}};
static const gnt_outcome blank_outcome = {.id = gnt_no_text,
                                          .task = gnt_no_text,
                                          .defense = gnt_no_text,
                                          .plugin = gnt_no_text,
                                          .attack = gnt_no_text,
                                          .attack_plugin = gnt_no_text,
                                          .surface = gnt_no_text,
                                          .reason = gnt_no_text,
                                          .images = gnt_no_text,
                                          .strength = NAN,
                                          .utility = NO_UTILITY};

#define OPEN_FROM(of, rows, from)                                                                            \
    { .field = rows, .n = COUNT(rows), .size = sizeof(of), .open = 1, .blank = &from }

/* ---- statistics ---- */

static const gnt_word intervals[] = {
    {"none", GNT_INTERVAL_NONE}, {"targets", GNT_INTERVAL_TARGETS}, {"trainings", GNT_INTERVAL_TRAININGS}};
static const gnt_words interval_words = {intervals, COUNT(intervals)};

static const gnt_field stat_rows[] = {
    {GNT_FIELD(gnt_stat, mean, REAL), .nullable = 1},
    {GNT_FIELD(gnt_stat, deviation, REAL), .nullable = 1},
    {GNT_FIELD(gnt_stat, worst, REAL), .nullable = 1},
    {GNT_FIELD(gnt_stat, median, REAL), .nullable = 1},
    {GNT_FIELD(gnt_stat, low, REAL), .nullable = 1},
    {GNT_FIELD(gnt_stat, high, REAL), .nullable = 1},
    {GNT_FIELD(gnt_stat, n, INT), ANY_INT},
    {GNT_FIELD(gnt_stat, trainings, INT), ANY_INT},
    {GNT_FIELD_AS("interval", gnt_stat, over, WORD), .words = &interval_words},
};
const gnt_fields gnt_stat_fields = GNT_OPEN(gnt_stat, stat_rows);

static const gnt_field named_stat_rows[] = {
    {GNT_FIELD_AS("", gnt_named_stat, stat, GROUP), .group = &gnt_stat_fields}};
static const gnt_fields named_stat_fields = {
    .field = named_stat_rows, .n = 1, .size = sizeof(gnt_named_stat), .form = GNT_FIELDS_BARE, .open = 1};

#define FLOOR(key, index)                                                                                    \
    { GNT_FIELD_AS(key, gnt_named_floor, floor[index], REAL), .optional = 1, .nullable = 1 }
static const gnt_field floor_rows[] = {FLOOR("random", GNT_FLOOR_RANDOM), FLOOR("other", GNT_FLOOR_OTHER),
                                       FLOOR("mean_image", GNT_FLOOR_MEAN),
                                       FLOOR("nearest_public", GNT_FLOOR_NEAREST)};
const gnt_fields gnt_floor_fields = GNT_OPEN_WITH_THERE(gnt_named_floor, floor_rows);

/* ---- utility ---- */

static const gnt_field round_rows[] = {
    {GNT_FIELD(gnt_round_utility, round, INT), .needed = 1},
    {GNT_FIELD(gnt_round_utility, accuracy, REAL), .nullable = 1},
    {GNT_FIELD(gnt_round_utility, loss, REAL), .nullable = 1},
    {GNT_FIELD(gnt_round_utility, iou, REAL), .nullable = 1, .optional = 1},
};
const gnt_fields gnt_round_fields = GNT_OPEN_WITH_THERE(gnt_round_utility, round_rows);

static const gnt_field value_rows[] = {
    {GNT_FIELD(gnt_value_counts, n, INT), .needed = 1},
    {GNT_FIELD(gnt_value_counts, right, INT), .needed = 1},
    {GNT_FIELD(gnt_value_counts, labels, INTS), .needed = 1},
};
static const gnt_fields value_fields = GNT_OPEN(gnt_value_counts, value_rows);

static const gnt_field other_cell_rows[] = {
    {GNT_FIELD(gnt_other_utility, value, REAL), .nullable = 1},
    {GNT_FIELD_AS("standard_error", gnt_other_utility, error, REAL), .nullable = 1},
};
static const gnt_fields other_cell_fields = OPEN_FROM(gnt_other_utility, other_cell_rows, blank_other);

static const gnt_field other_group_rows[] = {
    {GNT_FIELD_AS("mean", gnt_other_utility, value, REAL), .nullable = 1},
    {GNT_FIELD(gnt_other_utility, low, REAL), .nullable = 1},
    {GNT_FIELD(gnt_other_utility, high, REAL), .nullable = 1},
};
static const gnt_fields other_group_fields = {.field = other_group_rows,
                                              .n = COUNT(other_group_rows),
                                              .size = sizeof(gnt_other_utility),
                                              .open = 1,
                                              .blank = &blank_other,
                                              .nullable = 1};

static const gnt_field cell_utility_rows[] = {
    {GNT_FIELD(gnt_utility, measure, TEXT)},
    {GNT_FIELD(gnt_utility, value, REAL), .nullable = 1},
    {GNT_FIELD_AS("standard_error", gnt_utility, error, REAL), .nullable = 1},
    {GNT_FIELD(gnt_utility, none, REAL), .nullable = 1},
    {GNT_FIELD(gnt_utility, by_round, LIST), .group = &gnt_round_fields, .optional = 1},
    {GNT_FIELD(gnt_utility, by_value, LIST), .group = &value_fields, .optional = 1},
    {GNT_FIELD_AS("beside", gnt_utility, others, MAP), .group = &other_cell_fields, .optional = 1},
    {GNT_FIELD_AS("mean", gnt_utility, value, REAL), .old = 1},
    {GNT_FIELD(gnt_utility, low, REAL), .old = 1},
    {GNT_FIELD(gnt_utility, high, REAL), .old = 1},
};
static const gnt_fields cell_utility_fields = OPEN_FROM(gnt_utility, cell_utility_rows, blank_utility);

static const gnt_field group_utility_rows[] = {
    {GNT_FIELD_AS("mean", gnt_utility, value, REAL), .nullable = 1},
    {GNT_FIELD(gnt_utility, low, REAL), .nullable = 1},
    {GNT_FIELD(gnt_utility, high, REAL), .nullable = 1},
    {GNT_FIELD_AS("beside", gnt_utility, others, MAP), .group = &other_group_fields, .optional = 1},
    {GNT_FIELD(gnt_utility, measure, TEXT), .old = 1},
    {GNT_FIELD(gnt_utility, value, REAL), .old = 1},
    {GNT_FIELD_AS("standard_error", gnt_utility, error, REAL), .old = 1},
    {GNT_FIELD(gnt_utility, none, REAL), .old = 1},
};
static const gnt_fields group_utility_fields = OPEN_FROM(gnt_utility, group_utility_rows, blank_utility);

/* ---- targets ---- */

#define SCORE(key, id)                                                                                       \
    { GNT_FIELD_AS(key, gnt_target, score[GNT_MEASURE_##id], REAL), .optional = 1, .nullable = 1 }
#define ANSWER(member)                                                                                       \
    { GNT_FIELD(gnt_target, member, INT), .least = -1, .most = INT32_MAX, .optional = 1 }
static const gnt_field target_rows[] = {
    {GNT_FIELD(gnt_target, id, INT), ANY_INT},
    {GNT_FIELD(gnt_target, member, INT), .optional = 1, .nullable = 1},
    SCORE("mse", MSE),
    SCORE("mse255", MSE255),
    SCORE("psnr", PSNR),
    SCORE("ssim", SSIM),
    SCORE("lpips_alex", LPIPS_ALEX),
    SCORE("lpips_vgg", LPIPS_VGG),
    SCORE("lpips_squeeze", LPIPS_SQUEEZE),
    SCORE("feature_distance", FEATURE_DISTANCE),
    SCORE("representation_mse", REPRESENTATION_MSE),
    SCORE("region_mse", REGION_MSE),
    SCORE("region_psnr", REGION_PSNR),
    SCORE("region_ssim", REGION_SSIM),
    SCORE("region_lpips_alex", REGION_LPIPS_ALEX),
    SCORE("region_lpips_vgg", REGION_LPIPS_VGG),
    SCORE("region_lpips_squeeze", REGION_LPIPS_SQUEEZE),
    {GNT_FIELD(gnt_target, exact, FLAG), .optional = 1},
    {GNT_FIELD(gnt_target, broken, FLAG), .optional = 1},
    {GNT_FIELD(gnt_target, missing, FLAG), .optional = 1},
    SCORE("identification", IDENTIFICATION),
    {GNT_FIELD(gnt_target, rank, REAL), .optional = 1, .nullable = 1},
    SCORE("label_accuracy", LABEL_ACCURACY),
    SCORE("attribute_accuracy", ATTRIBUTE_ACCURACY),
    ANSWER(attribute_truth),
    ANSWER(attribute_told),
    ANSWER(attribute_renamed),
    SCORE("contribution_error", CONTRIBUTION_ERROR),
    {GNT_FIELD(gnt_target, contribution_truth, REALS), .optional = 1, .nullable = 1},
    {GNT_FIELD(gnt_target, contribution_told, REALS), .optional = 1, .nullable = 1},
};
const gnt_fields gnt_target_fields = {.field = target_rows,
                                      .n = COUNT(target_rows),
                                      .size = sizeof(gnt_target),
                                      .open = 1,
                                      .blank = &blank_target,
                                      .there = 1 + offsetof(gnt_target, there)};

/* ---- pictures ---- */

static const gnt_field cost_rows[] = {{GNT_FIELD(gnt_cost, step, INT), ANY_INT},
                                      {GNT_FIELD(gnt_cost, cost, REAL)}};
static const gnt_fields cost_fields = {
    .field = cost_rows, .n = 2, .size = sizeof(gnt_cost), .form = GNT_FIELDS_TUPLE};
static const gnt_field restart_rows[] = {
    {GNT_FIELD(gnt_restart, target, INT), ANY_INT},
    {GNT_FIELD(gnt_restart, restart, INT), ANY_INT},
    {GNT_FIELD(gnt_restart, points, LIST), .group = &cost_fields},
};
static const gnt_fields restart_fields = GNT_OPEN(gnt_restart, restart_rows);

static const gnt_field xy_rows[] = {{GNT_FIELD(gnt_xy, x, REAL)}, {GNT_FIELD(gnt_xy, y, REAL)}};
static const gnt_fields xy_fields = {
    .field = xy_rows, .n = 2, .size = sizeof(gnt_xy), .form = GNT_FIELDS_TUPLE};
static const gnt_field plane_rows[] = {
    {GNT_FIELD(gnt_plane, components, LIST), .group = &xy_fields},
    {GNT_FIELD(gnt_plane, share, REALS)},
    {GNT_FIELD(gnt_plane, neighbours, LIST), .group = &xy_fields},
    {GNT_FIELD(gnt_plane, probe, REAL), .nullable = 1},
};
static const gnt_fields plane_fields = GNT_OPEN(gnt_plane, plane_rows);
static const gnt_field points_rows[] = {
    {GNT_FIELD(gnt_points, value, INTS), ANY_INT},
    {GNT_FIELD(gnt_points, representation, GROUP), .group = &plane_fields, .optional = 1},
    {GNT_FIELD(gnt_points, samples, GROUP), .group = &plane_fields, .optional = 1},
    {GNT_FIELD(gnt_points, names, TEXTS), .optional = 1},
};
const gnt_fields gnt_points_fields = GNT_OPEN(gnt_points, points_rows);

static const gnt_field mark_rows[] = {{GNT_FIELD(gnt_mark, what, TEXT), .needed = 1},
                                      {GNT_FIELD(gnt_mark, says, TEXT), .needed = 1}};
const gnt_fields gnt_mark_fields = GNT_OPEN(gnt_mark, mark_rows);

/* ---- outcomes ---- */

#define MEASURES                                                                                             \
    { GNT_FIELD(gnt_outcome, measures, MAP), .group = &named_stat_fields, .optional = 1 }
#define FLOORS                                                                                               \
    { GNT_FIELD(gnt_outcome, floors, MAP), .group = &gnt_floor_fields, .optional = 1 }
#define CHANCE                                                                                               \
    { GNT_FIELD(gnt_outcome, chance, MAP), .group = &gnt_named_real_fields, .optional = 1 }
#define TARGETS                                                                                              \
    { GNT_FIELD(gnt_outcome, targets, LIST), .group = &gnt_target_fields, .optional = 1 }
#define CONVERGENCE                                                                                          \
    { GNT_FIELD(gnt_outcome, convergence, LIST), .group = &restart_fields, .optional = 1 }
#define FACTS                                                                                                \
    { GNT_FIELD(gnt_outcome, facts, MAP), .group = &gnt_named_real_fields, .optional = 1 }
#define POINTS                                                                                               \
    { GNT_FIELD(gnt_outcome, points, GROUP), .group = &gnt_points_fields, .optional = 1 }
#define MARKS                                                                                                \
    { GNT_FIELD(gnt_outcome, marks, LIST), .group = &gnt_mark_fields, .optional = 1 }
#define UNMEASURED                                                                                           \
    { GNT_FIELD(gnt_outcome, unmeasured, MAP), .group = &gnt_named_text_fields, .optional = 1 }
#define WORDS_OF(member, of_words)                                                                           \
    { GNT_FIELD(gnt_outcome, member, WORD), .words = &of_words, .needed = 1 }

static const gnt_field cell_rows[] = {
    {GNT_FIELD_AS("cell", gnt_outcome, id, TEXT)},
    {GNT_FIELD(gnt_outcome, task, TEXT), .needed = 1},
    {GNT_FIELD(gnt_outcome, stage, INT)},
    {GNT_FIELD(gnt_outcome, defense, TEXT), .needed = 1},
    {GNT_FIELD(gnt_outcome, plugin, TEXT)},
    {GNT_FIELD(gnt_outcome, strength, REAL), .nullable = 1},
    WORDS_OF(mode, gnt_row_mode_words),
    {GNT_FIELD(gnt_outcome, attack, TEXT), .needed = 1},
    {GNT_FIELD(gnt_outcome, attack_plugin, TEXT)},
    {GNT_FIELD(gnt_outcome, seed, INT), ANY_INT},
    WORDS_OF(status, gnt_status_words),
    {GNT_FIELD(gnt_outcome, reason, TEXT), .nullable = 1},
    {GNT_FIELD(gnt_outcome, matched, FLAG)},
    {GNT_FIELD(gnt_outcome, grants, TEXTS)},
    {GNT_FIELD(gnt_outcome, surface, TEXT), .nullable = 1},
    {GNT_FIELD(gnt_outcome, goals, TEXTS)},
    {GNT_FIELD(gnt_outcome, utility, GROUP), .group = &cell_utility_fields, .nullable = 1},
    {GNT_FIELD_AS("utility_none", gnt_outcome, utility.none, REAL), .old = 1},
    MEASURES,
    FLOORS,
    CHANCE,
    TARGETS,
    CONVERGENCE,
    FACTS,
    POINTS,
    MARKS,
    UNMEASURED,
    {GNT_FIELD(gnt_outcome, images, TEXT), .nullable = 1},
};
const gnt_fields gnt_cell_fields = OPEN_FROM(gnt_outcome, cell_rows, blank_outcome);

static const gnt_field group_rows[] = {
    {GNT_FIELD(gnt_outcome, task, TEXT), .needed = 1},
    {GNT_FIELD(gnt_outcome, stage, INT)},
    {GNT_FIELD(gnt_outcome, defense, TEXT), .needed = 1},
    {GNT_FIELD(gnt_outcome, strength, REAL), .nullable = 1},
    WORDS_OF(mode, gnt_row_mode_words),
    {GNT_FIELD(gnt_outcome, attack, TEXT), .needed = 1},
    WORDS_OF(status, gnt_status_words),
    {GNT_FIELD(gnt_outcome, reason, TEXT), .nullable = 1},
    {GNT_FIELD(gnt_outcome, n_cells, INT), ANY_INT},
    {GNT_FIELD(gnt_outcome, n_ok, INT), ANY_INT},
    {GNT_FIELD(gnt_outcome, utility, GROUP), .group = &group_utility_fields, .nullable = 1},
    {GNT_FIELD_AS("utility_none", gnt_outcome, utility.none, REAL), .nullable = 1},
    MEASURES,
    FLOORS,
    CHANCE,
    {GNT_FIELD(gnt_outcome, matched, FLAG)},
};
const gnt_fields gnt_group_fields = OPEN_FROM(gnt_outcome, group_rows, blank_outcome);

static const gnt_field score_rows[] = {TARGETS, MEASURES,   FLOORS, CHANCE, CONVERGENCE,
                                       FACTS,   UNMEASURED, MARKS,  POINTS};
const gnt_fields gnt_score_fields = OPEN_FROM(gnt_outcome, score_rows, blank_outcome);
