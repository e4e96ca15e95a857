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
                                          .unknown = gnt_no_text,
                                          .scored_against = gnt_no_text,
                                          .round = -1,
                                          .silent = -1,
                                          .strength = NAN,
                                          .utility = NO_UTILITY};

#define OPEN_FROM(of, rows, from)                                                                            \
    { .field = rows, .n = COUNT(rows), .size = sizeof(of), .open = 1, .blank = &from }

/* ---- statistics ---- */

static const gnt_word intervals[] = {
    {"none", GNT_INTERVAL_NONE}, {"targets", GNT_INTERVAL_TARGETS}, {"trainings", GNT_INTERVAL_TRAININGS}};
static const gnt_words interval_words = {intervals, COUNT(intervals)};

static const gnt_field stat_rows[] = {
    {GNT_FIELD(gnt_stat, mean, REAL), .nullable = 1,
     .help = "mean over targets; with several seeds each training run counts once"},
    {GNT_FIELD(gnt_stat, deviation, REAL), .nullable = 1, .help = "standard deviation"},
    {GNT_FIELD(gnt_stat, worst, REAL), .nullable = 1,
     .help = "target that leaked most or, of measures of a cell as a whole, seed"},
    {GNT_FIELD(gnt_stat, median, REAL), .nullable = 1, .help = "median"},
    {GNT_FIELD(gnt_stat, low, REAL), .nullable = 1,
     .help = "lower end of the 95 % confidence interval of the mean"},
    {GNT_FIELD(gnt_stat, high, REAL), .nullable = 1, .help = "upper end"},
    {GNT_FIELD(gnt_stat, n, INT), ANY_INT, .help = "number of targets"},
    {GNT_FIELD(gnt_stat, trainings, INT), ANY_INT, .help = "number of training runs"},
    {GNT_FIELD_AS("interval", gnt_stat, over, WORD), .words = &interval_words,
     .help = "what the confidence interval is over; none: all are equal, and both ends are the mean "
             "([measures.md](measures.md#from-many-scores-to-one))"},
};
const gnt_fields gnt_stat_fields = GNT_OPEN(gnt_stat, stat_rows);

static const gnt_field named_stat_rows[] = {
    {GNT_FIELD_AS("", gnt_named_stat, stat, GROUP), .group = &gnt_stat_fields}};
static const gnt_fields named_stat_fields = {
    .field = named_stat_rows, .n = 1, .size = sizeof(gnt_named_stat), .form = GNT_FIELDS_BARE, .open = 1};

#define FLOOR(key, index, says)                                                                              \
    { GNT_FIELD_AS(key, gnt_named_floor, floor[index], REAL), .optional = 1, .nullable = 1, .help = says }
static const gnt_field floor_rows[] = {
    FLOOR("random", GNT_FLOOR_RANDOM, "baseline of a random guess"),
    FLOOR("other", GNT_FLOOR_OTHER, "baseline of another public sample"),
    FLOOR("mean_image", GNT_FLOOR_MEAN, "baseline of the mean public sample"),
    FLOOR("nearest_public", GNT_FLOOR_NEAREST, "baseline of the nearest public sample")};
const gnt_fields gnt_floor_fields = GNT_OPEN_WITH_THERE(gnt_named_floor, floor_rows);

/* ---- utility ---- */

static const gnt_field round_rows[] = {
    {GNT_FIELD(gnt_round_utility, round, INT), .needed = 1, .help = "rounds trained, rising from 0"},
    {GNT_FIELD(gnt_round_utility, accuracy, REAL), .nullable = 1,
     .help = "accuracy on the test part; null for a model whose output is a map"},
    {GNT_FIELD(gnt_round_utility, loss, REAL), .nullable = 1, .help = "loss on the test part"},
    {GNT_FIELD(gnt_round_utility, iou, REAL), .nullable = 1, .optional = 1,
     .help = "intersection over union"},
};
const gnt_fields gnt_round_fields = GNT_OPEN_WITH_THERE(gnt_round_utility, round_rows);

static const gnt_field value_rows[] = {
    {GNT_FIELD(gnt_value_counts, n, INT), .needed = 1,
     .help = "test samples with this value of the attribute"},
    {GNT_FIELD(gnt_value_counts, right, INT), .needed = 1,
     .help = "those that the model classified correctly"},
    {GNT_FIELD(gnt_value_counts, labels, INTS), .needed = 1, .help = "how many of them are of each class"},
};
const gnt_fields gnt_value_fields = GNT_OPEN(gnt_value_counts, value_rows);

static const gnt_field other_cell_rows[] = {
    {GNT_FIELD(gnt_other_utility, value, REAL), .nullable = 1, .help = "the number"},
    {GNT_FIELD_AS("standard_error", gnt_other_utility, error, REAL), .nullable = 1,
     .help = "its standard error, by the finite test set"},
};
static const gnt_fields other_cell_fields = OPEN_FROM(gnt_other_utility, other_cell_rows, blank_other);

static const gnt_field other_group_rows[] = {
    {GNT_FIELD_AS("mean", gnt_other_utility, value, REAL), .nullable = 1, .help = "mean over seeds"},
    {GNT_FIELD(gnt_other_utility, low, REAL), .nullable = 1, .help = "least of the seeds"},
    {GNT_FIELD(gnt_other_utility, high, REAL), .nullable = 1, .help = "greatest of the seeds"},
};
static const gnt_fields other_group_fields = {.field = other_group_rows,
                                              .n = COUNT(other_group_rows),
                                              .size = sizeof(gnt_other_utility),
                                              .open = 1,
                                              .blank = &blank_other,
                                              .nullable = 1};

static const gnt_field cell_utility_rows[] = {
    {GNT_FIELD(gnt_utility, measure, TEXT), .help = "accuracy, loss or iou"},
    {GNT_FIELD(gnt_utility, value, REAL), .nullable = 1, .help = "utility of the trained model"},
    {GNT_FIELD_AS("standard_error", gnt_utility, error, REAL), .nullable = 1,
     .help = "standard error of the utility, by the finite test set"},
    {GNT_FIELD(gnt_utility, none, REAL), .nullable = 1, .help = "undefended utility"},
    {GNT_FIELD(gnt_utility, by_round, LIST), .group = &gnt_round_fields, .optional = 1,
     .help = "the model after rounds of training ([utility.curve](suites.md#tasks))"},
    {GNT_FIELD(gnt_utility, by_value, LIST), .group = &gnt_value_fields, .optional = 1,
     .help = "one entry for each value of the observed attribute"},
    {GNT_FIELD_AS("beside", gnt_utility, others, MAP), .group = &other_cell_fields, .optional = 1,
     .help = "other numbers measured on the test samples, by [name](measures.md#utility)"},
    {GNT_FIELD_AS("mean", gnt_utility, value, REAL), .old = 1, .help = "mean over seeds"},
    {GNT_FIELD(gnt_utility, low, REAL), .old = 1, .help = "least of the seeds"},
    {GNT_FIELD(gnt_utility, high, REAL), .old = 1, .help = "greatest of the seeds"},
};
const gnt_fields gnt_cell_utility_fields = OPEN_FROM(gnt_utility, cell_utility_rows, blank_utility);

static const gnt_field group_utility_rows[] = {
    {GNT_FIELD_AS("mean", gnt_utility, value, REAL), .nullable = 1, .help = "mean over seeds"},
    {GNT_FIELD(gnt_utility, low, REAL), .nullable = 1, .help = "least of the seeds"},
    {GNT_FIELD(gnt_utility, high, REAL), .nullable = 1, .help = "greatest of the seeds"},
    {GNT_FIELD_AS("beside", gnt_utility, others, MAP), .group = &other_group_fields, .optional = 1,
     .help = "other numbers measured on the test samples, by [name](measures.md#utility)"},
    {GNT_FIELD(gnt_utility, measure, TEXT), .old = 1, .help = "accuracy, loss or iou"},
    {GNT_FIELD(gnt_utility, value, REAL), .old = 1, .help = "utility of the trained model"},
    {GNT_FIELD_AS("standard_error", gnt_utility, error, REAL), .old = 1, .help = "its standard error"},
    {GNT_FIELD(gnt_utility, none, REAL), .old = 1, .help = "undefended utility"},
};
static const gnt_fields group_utility_fields = OPEN_FROM(gnt_utility, group_utility_rows, blank_utility);

/* ---- targets ---- */

#define SCORE(key, id)                                                                                       \
    { GNT_FIELD_AS(key, gnt_target, score[GNT_MEASURE_##id], REAL), .optional = 1, .nullable = 1 }
#define ANSWER(member, says)                                                                                 \
    { GNT_FIELD(gnt_target, member, INT), .least = -1, .most = INT32_MAX, .optional = 1, .help = says }
static const gnt_field target_rows[] = {
    {GNT_FIELD(gnt_target, id, INT), ANY_INT,
     .help = "number of the private sample or, of a transcript, of the client"},
    {GNT_FIELD(gnt_target, member, INT), .optional = 1, .nullable = 1,
     .help = "row of the private sample that an answer was assigned to; null if nothing was answered"},
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
    {GNT_FIELD(gnt_target, exact, FLAG), .optional = 1,
     .help = "true if the reconstruction has the sample's bytes"},
    {GNT_FIELD(gnt_target, broken, FLAG), .optional = 1, .help = "true if the answer was not usable"},
    {GNT_FIELD(gnt_target, missing, FLAG), .optional = 1, .help = "true if the attack gave no answer"},
    SCORE("identification", IDENTIFICATION),
    {GNT_FIELD(gnt_target, rank, REAL), .optional = 1, .nullable = 1,
     .help = "place of the true sample among the candidates"},
    SCORE("label_accuracy", LABEL_ACCURACY),
    SCORE("attribute_accuracy", ATTRIBUTE_ACCURACY),
    ANSWER(attribute_truth, "value of the private attribute"),
    ANSWER(attribute_told, "inferred value; −1: no answer"),
    ANSWER(attribute_renamed, "inferred value under the best relabelling"),
    SCORE("contribution_error", CONTRIBUTION_ERROR),
    {GNT_FIELD(gnt_target, contribution_truth, REALS), .optional = 1, .nullable = 1,
     .help = "first entries of the client's vector"},
    {GNT_FIELD(gnt_target, contribution_told, REALS), .optional = 1, .nullable = 1,
     .help = "first entries of the answer"},
};
const gnt_fields gnt_target_fields = {.field = target_rows,
                                      .n = COUNT(target_rows),
                                      .size = sizeof(gnt_target),
                                      .open = 1,
                                      .blank = &blank_target,
                                      .there = 1 + offsetof(gnt_target, there)};

/* ---- pictures ---- */

static const gnt_field cost_rows[] = {{GNT_FIELD(gnt_cost, step, INT), ANY_INT, .help = "step of the attack"},
                                      {GNT_FIELD(gnt_cost, cost, REAL), .help = "its own cost there"}};
static const gnt_fields cost_fields = {
    .field = cost_rows, .n = 2, .size = sizeof(gnt_cost), .form = GNT_FIELDS_TUPLE};
static const gnt_field restart_rows[] = {
    {GNT_FIELD(gnt_restart, target, INT), ANY_INT, .help = "number of the target"},
    {GNT_FIELD(gnt_restart, restart, INT), ANY_INT, .help = "number of the restart"},
    {GNT_FIELD(gnt_restart, points, LIST), .group = &cost_fields, .help = "cost by step"},
};
static const gnt_fields restart_fields = GNT_OPEN(gnt_restart, restart_rows);

static const gnt_field ended_rows[] = {
    {GNT_FIELD(gnt_ended, budget, INT), .help = "they took the steps that they were allowed"},
    {GNT_FIELD(gnt_ended, tolerance, INT), .help = "their cost fell to the attack's tolerance"},
    {GNT_FIELD(gnt_ended, stall, INT), .help = "they made no more progress, though steps were left"},
    {GNT_FIELD(gnt_ended, contradicted, INT),
     .help = "what the attack says contradicts its budget or its costs"},
    {GNT_FIELD(gnt_ended, unknown, INT), .help = "the attack says nothing"},
};
static const gnt_fields ended_fields = GNT_OPEN(gnt_ended, ended_rows);

static const gnt_field secret_rows[] = {
    {GNT_FIELD(gnt_secret, accuracy, REAL), .nullable = 1,
     .help = "accuracy on test samples whose label the rule keeps"},
    {GNT_FIELD(gnt_secret, learnt, REAL), .nullable = 1,
     .help = "share of the changed test samples that get the rule's label, less that of the others"},
    {GNT_FIELD_AS("standard_error", gnt_secret, error, REAL), .nullable = 1, .help = "its standard error"},
    {GNT_FIELD(gnt_secret, none, REAL), .nullable = 1,
     .help = "the same without a defense, while that was as accurate"},
    {GNT_FIELD_AS("none_standard_error", gnt_secret, none_error, REAL), .nullable = 1,
     .help = "its standard error"},
};
static const gnt_fields secret_fields = GNT_OPEN(gnt_secret, secret_rows);

static const gnt_field xy_rows[] = {{GNT_FIELD(gnt_xy, x, REAL), .help = "first coordinate, −1 to 1"},
                                    {GNT_FIELD(gnt_xy, y, REAL), .help = "second coordinate, −1 to 1"}};
static const gnt_fields xy_fields = {
    .field = xy_rows, .n = 2, .size = sizeof(gnt_xy), .form = GNT_FIELDS_TUPLE};
static const gnt_field plane_rows[] = {
    {GNT_FIELD(gnt_plane, components, LIST), .group = &xy_fields, .help = "points by principal components"},
    {GNT_FIELD(gnt_plane, share, REALS), .help = "shares of the variance along the two components"},
    {GNT_FIELD(gnt_plane, neighbours, LIST), .group = &xy_fields, .help = "points by t-SNE"},
    {GNT_FIELD(gnt_plane, probe, REAL), .nullable = 1,
     .help = "balanced accuracy of a [linear probe](measures.md#representations-as-points); null if all have "
             "one value"},
};
static const gnt_fields plane_fields = GNT_OPEN(gnt_plane, plane_rows);
static const gnt_field points_rows[] = {
    {GNT_FIELD(gnt_points, value, INTS), ANY_INT, .help = "attribute of each of the first targets"},
    {GNT_FIELD(gnt_points, representation, GROUP), .group = &plane_fields, .optional = 1,
     .help = "their representations"},
    {GNT_FIELD(gnt_points, samples, GROUP), .group = &plane_fields, .optional = 1,
     .help = "the samples themselves; undefended alone"},
    {GNT_FIELD(gnt_points, names, TEXTS), .optional = 1, .help = "names of the attribute's values"},
};
static const gnt_fields points_fields = GNT_OPEN(gnt_points, points_rows);

static const gnt_field mark_rows[] = {
    {GNT_FIELD(gnt_mark, what, TEXT), .needed = 1, .help = "kind of mark ([marks](#facts-and-marks))"},
    {GNT_FIELD(gnt_mark, says, TEXT), .needed = 1, .help = "the finding as a sentence"}};
static const gnt_fields mark_fields = GNT_OPEN(gnt_mark, mark_rows);

/* ---- outcomes ---- */

#define MEASURES                                                                                             \
    {                                                                                                        \
        GNT_FIELD(gnt_outcome, measures, MAP),                                                               \
            .group = &named_stat_fields, .optional = 1,                                                      \
            .help = "statistics of each measure over the targets, by name"                                   \
    }
#define FLOORS                                                                                               \
    {                                                                                                        \
        GNT_FIELD(gnt_outcome, floors, MAP), .group = &gnt_floor_fields, .optional = 1,                      \
                                             .help = "baselines of each measure, by name"                    \
    }
#define CHANCE                                                                                               \
    {                                                                                                        \
        GNT_FIELD(gnt_outcome, chance, MAP), .group = &gnt_named_real_fields, .optional = 1,                 \
                                             .help = "what blind guessing scores, by measure"                \
    }
#define TARGETS                                                                                              \
    {                                                                                                        \
        GNT_FIELD(gnt_outcome, targets, LIST),                                                               \
            .group = &gnt_target_fields, .optional = 1,                                                      \
            .help = "scores of each private sample or, of a transcript, of each client"                      \
    }
#define QUARTER                                                                                              \
    {                                                                                                        \
        GNT_FIELD(gnt_outcome, quarter, LIST), .group = &gnt_target_fields, .optional = 1,                   \
                                               .help = "`targets` as the attack left them with a quarter "   \
                                                       "of its budget, of one cell of each attack whose "    \
                                                       "schedule depends on it"                              \
    }
#define CONVERGENCE                                                                                          \
    {                                                                                                        \
        GNT_FIELD(gnt_outcome, convergence, LIST), .group = &restart_fields, .optional = 1,                  \
                                                   .help = "the attack's own cost over its steps"            \
    }
#define ENDED                                                                                                \
    {                                                                                                        \
        GNT_FIELD(gnt_outcome, ended, GROUP), .group = &ended_fields, .optional = 1,                         \
                                              .help = "why the attack's searches ended, as it says: how "    \
                                                      "many of them"                                         \
    }
#define SILENT                                                                                               \
    {                                                                                                        \
        GNT_FIELD(gnt_outcome, silent, INT), .optional = 1, .nullable = 1,                                   \
                                             .help = "observations of which every number is zero: no "       \
                                                     "attack was run on them; their targets have no score, " \
                                                     "or where all are such, that of public data alone"      \
    }
#define FACTS                                                                                                \
    {                                                                                                        \
        GNT_FIELD(gnt_outcome, facts, MAP), .group = &gnt_named_real_fields, .optional = 1,                  \
                                            .help = "named numbers that plugins report on themselves, and "  \
                                                    "that the score has found of sets of encodings"          \
    }
#define POINTS                                                                                               \
    {                                                                                                        \
        GNT_FIELD(gnt_outcome, points, GROUP),                                                               \
            .group = &points_fields, .optional = 1,                                                          \
            .help = "targets as points of a plane, of one cell of each setting, if the suite requests it"    \
    }
#define MARKS                                                                                                \
    {                                                                                                        \
        GNT_FIELD(gnt_outcome, marks, LIST),                                                                 \
            .group = &mark_fields, .optional = 1,                                                            \
            .help = "findings of the host about the defense, over all observed rounds"                       \
    }
#define UNMEASURED                                                                                           \
    {                                                                                                        \
        GNT_FIELD(gnt_outcome, unmeasured, MAP), .group = &gnt_named_text_fields, .optional = 1,             \
                                                 .help = "why a requested measure or a fact has no number"   \
    }

#define SCORED_AGAINST                                                                                       \
    {                                                                                                        \
        GNT_FIELD(gnt_outcome, scored_against, TEXT), .optional = 1,                                         \
                                                      .help = "of updates that depend on more than their "   \
                                                              "batches, what leaks more: \"batch\" or "      \
                                                              "\"all rows\", all rows of the client "        \
                                                              "([measures.md](measures.md#more-than-a-"      \
                                                              "batch))"                                      \
    }

static const gnt_field cell_rows[] = {
    {GNT_FIELD_AS("cell", gnt_outcome, id, TEXT),
     .help = "id, TASK/rSTAGE/DEFENSE@STRENGTH/ATTACK/sSEED, or TASK/dSTAGE/… of a drawn round; STRENGTH is "
             "matched, weaker, stronger, "
             "baseline, none or a number"},
    {GNT_FIELD(gnt_outcome, task, TEXT), .needed = 1, .help = "task"},
    {GNT_FIELD(gnt_outcome, stage, INT),
     .help =
         "round of the snapshot, 0 before training; in the round, the round in which the observed update "
         "was computed, from 0; where rounds are drawn, 1 for the first of a training run's drawn rounds, 2 "
         "for the second"},
    {GNT_FIELD(gnt_outcome, round, INT), .optional = 1, .nullable = 1,
     .help = "the drawn round of this training run, from 0; left out where the suite lists rounds"},
    {GNT_FIELD(gnt_outcome, defense, TEXT), .needed = 1, .help = "defense"},
    {GNT_FIELD(gnt_outcome, plugin, TEXT),
     .help = "ids of the plugins; members of a composed defense joined by +"},
    {GNT_FIELD(gnt_outcome, strength, REAL), .nullable = 1,
     .help = "strength at which it ran; null without one"},
    {GNT_FIELD(gnt_outcome, mode, WORD), .words = &gnt_row_mode_words, .needed = 1,
     .help = "none: undefended; as-is: a defense without a strength; matched: strength found by matching; "
             "fixed: one strength; sweep: a point of "
             "a curve, of the bracket of a matched strength, or at the strength that a baseline matched"},
    {GNT_FIELD(gnt_outcome, attack, TEXT), .needed = 1, .help = "attack"},
    {GNT_FIELD(gnt_outcome, attack_plugin, TEXT),
     .help = "ids of the plugins; members of a chain joined by +"},
    {GNT_FIELD(gnt_outcome, seed, INT), ANY_INT, .help = "seed"},
    {GNT_FIELD(gnt_outcome, status, WORD), .words = &gnt_status_words, .needed = 1,
     .help = "how the cell ended; unfinished: the run was interrupted"},
    {GNT_FIELD(gnt_outcome, reason, TEXT), .nullable = 1, .help = "why it is not ok"},
    {GNT_FIELD(gnt_outcome, matched, FLAG), .help = "true if the utility was matched and confirmed"},
    {GNT_FIELD(gnt_outcome, grants, TEXTS), .help = "attacker knowledge that the attack had"},
    {GNT_FIELD(gnt_outcome, surface, TEXT), .nullable = 1, .late = 1, .help = "what the attacker saw"},
    {GNT_FIELD(gnt_outcome, goals, TEXTS), .help = "what the attack returned"},
    {GNT_FIELD(gnt_outcome, utility, GROUP), .group = &gnt_cell_utility_fields, .nullable = 1,
     .help = "utility of the trained model; null if unknown"},
    {GNT_FIELD_AS("utility_none", gnt_outcome, utility.none, REAL), .old = 1, .help = "undefended utility"},
    MEASURES,
    FLOORS,
    CHANCE,
    TARGETS,
    QUARTER,
    CONVERGENCE,
    ENDED,
    SILENT,
    FACTS,
    POINTS,
    MARKS,
    UNMEASURED,
    SCORED_AGAINST,
    {GNT_FIELD(gnt_outcome, secret, GROUP), .group = &secret_fields, .optional = 1,
     .help = "what a [control training with secret labels](suites.md#secret-labels) learnt of them"},
    {GNT_FIELD(gnt_outcome, images, TEXT), .nullable = 1, .help = "file below the run folder"},
};
const gnt_fields gnt_cell_fields = OPEN_FROM(gnt_outcome, cell_rows, blank_outcome);

static const gnt_field group_rows[] = {
    {GNT_FIELD(gnt_outcome, task, TEXT), .needed = 1, .help = "task"},
    {GNT_FIELD(gnt_outcome, stage, INT), .help = "stage"},
    {GNT_FIELD(gnt_outcome, defense, TEXT), .needed = 1, .help = "defense"},
    {GNT_FIELD(gnt_outcome, strength, REAL), .nullable = 1, .help = "strength"},
    {GNT_FIELD(gnt_outcome, mode, WORD), .words = &gnt_row_mode_words, .needed = 1, .help = "mode"},
    {GNT_FIELD(gnt_outcome, attack, TEXT), .needed = 1, .help = "attack"},
    {GNT_FIELD(gnt_outcome, status, WORD), .words = &gnt_status_words, .needed = 1,
     .help = "ok if any cell is"},
    {GNT_FIELD(gnt_outcome, reason, TEXT), .nullable = 1, .help = "why none is ok"},
    {GNT_FIELD(gnt_outcome, n_cells, INT), ANY_INT, .help = "number of cells"},
    {GNT_FIELD(gnt_outcome, n_ok, INT), ANY_INT, .help = "number of cells that are ok"},
    {GNT_FIELD(gnt_outcome, utility, GROUP), .group = &group_utility_fields, .nullable = 1,
     .help = "utility over seeds"},
    {GNT_FIELD_AS("utility_none", gnt_outcome, utility.none, REAL), .nullable = 1,
     .help = "undefended utility"},
    MEASURES,
    FLOORS,
    CHANCE,
    {GNT_FIELD(gnt_outcome, matched, FLAG), .help = "true if the utility was matched and confirmed"},
};
const gnt_fields gnt_group_fields = OPEN_FROM(gnt_outcome, group_rows, blank_outcome);

static const gnt_field score_rows[] = {TARGETS, MEASURES, FLOORS,     CHANCE, CONVERGENCE, ENDED,
                                       SILENT,  FACTS,    UNMEASURED, MARKS,  POINTS,      SCORED_AGAINST};
const gnt_fields gnt_score_fields = OPEN_FROM(gnt_outcome, score_rows, blank_outcome);
