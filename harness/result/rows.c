/* The tables of results.json but of its cells, in the order of the file. */
#include "result/result.h"
#include "result/rows_impl.h"

enum { MOST_NAMES = 1024, MOST_ROWS = 1 << 18, MOST_SEEDS = 256 };

/* ---- tasks and models ---- */

static const gnt_field adequate_rows[] = {
    {GNT_FIELD(gnt_adequate_limits, identified, REAL), .nullable = 1,
     .help = "least identification rate at which an attack is adequate, where it exceeds chance"},
    {GNT_FIELD(gnt_adequate_limits, above_floor, REAL), .nullable = 1,
     .help = "least PSNR above the baseline", .unit = "dB"},
    {GNT_FIELD(gnt_adequate_limits, gain, REAL), .nullable = 1,
     .help = "least share of what an attack can gain over the baseline"},
};
static const gnt_fields adequate_fields = GNT_OPEN(gnt_adequate_limits, adequate_rows);

static const gnt_field public_rows[] = {
    {GNT_FIELD(gnt_public_only, seed, INT), ANY_INT, .needed = 1, .help = "the suite's seed"},
    {GNT_FIELD(gnt_public_only, utility, REAL), .nullable = 1,
     .help = "utility of the same training on public data alone"},
    {GNT_FIELD_AS("standard_error", gnt_public_only, error, REAL), .nullable = 1,
     .help = "standard error of that utility, by the finite test set"},
};
static const gnt_fields public_fields = GNT_OPEN(gnt_public_only, public_rows);

static const gnt_field captures_rows[] = {
    {GNT_FIELD(gnt_result_captures, digests, TEXTS), .help = "digest of the files of each capture"},
    {GNT_FIELD(gnt_result_captures, withheld, FLAG),
     .help = "true if there are no private batches, so that nothing was scored"},
    {GNT_FIELD(gnt_result_captures, defense, TEXT), .nullable = 1,
     .help = "ids of the defense that the captures name, joined by +; none; null: they do not say"},
    {GNT_FIELD(gnt_result_captures, knows_defense, FLAG),
     .help = "true if the attacker may be granted the defense"},
};
static const gnt_fields captures_fields = GNT_OPEN(gnt_result_captures, captures_rows);

static const gnt_field task_rows[] = {
    {GNT_FIELD(gnt_result_task, id, TEXT), .help = "name by which all other entries refer to the task"},
    {GNT_FIELD(gnt_result_task, digest, TEXT),
     .help = "digest of all that decides what is measured on the task, but the defenses and attacks; runs "
             "whose tasks share it may be compared ([leaderboard.md](leaderboard.md))"},
    {GNT_FIELD(gnt_result_task, data, TEXT), .help = "data set"},
    {GNT_FIELD(gnt_result_task, data_kind, TEXT), .late = 1, .help = "image, tabular or audio"},
    {GNT_FIELD(gnt_result_task, model, TEXT), .help = "model that is trained"},
    {GNT_FIELD(gnt_result_task, stages, INTS),
     .help =
         "rounds that are observed, or after which a probe runs; where rounds are drawn, 1 to their number"},
    {GNT_FIELD(gnt_result_task, stages_drawn, FLAG), .late = 1,
     .help =
         "true if each training run's rounds were drawn under the run key (`round` of a cell), false if the "
         "suite named them"},
    {GNT_FIELD(gnt_result_task, seed_public, FLAG), .late = 1,
     .help = "true if the run key came from the suite's seed, which everybody may know beforehand"},
    {GNT_FIELD(gnt_result_task, utility, TEXT), .help = "measure of utility"},
    {GNT_FIELD(gnt_result_task, surface, TEXT), .late = 1,
     .help = "what the attacker sees: update, encoding, representation or transcript"},
    {GNT_FIELD(gnt_result_task, observe_from, TEXT), .late = 1,
     .help = "round: what the training run aggregated; probe: hooks run once more on rows set apart "
             "([suites.md](suites.md#observe)); capture: captures"},
    {GNT_FIELD(gnt_result_task, targets, INT),
     .help = "number of private samples to reconstruct, or of observed clients"},
    {GNT_FIELD(gnt_result_task, batch, INT), .help = "samples of one observation"},
    {GNT_FIELD(gnt_result_task, local_steps, INT), .help = "steps of a client in a round"},
    {GNT_FIELD(gnt_result_task, rounds, INT), .nullable = 1,
     .help = "rounds of training; null if the task trains nothing"},
    {GNT_FIELD(gnt_result_task, weights, FLAG), .help = "true if training starts from weights of a file"},
    {GNT_FIELD(gnt_result_task, attribute, TEXT), .nullable = 1,
     .help = "private attribute that is observed"},
    {GNT_FIELD(gnt_result_task, adequate, GROUP), .late = 1, .group = &adequate_fields,
     .help = "limits from which an attack is adequate ([suites.md](suites.md#adequate-attacks))"},
    {GNT_FIELD(gnt_result_task, equal_leakage, REALS), .late = 1, .single = 1,
     .help = "shares between baseline and undefended leakage at which utility is compared "
             "([suites.md](suites.md#matching))"},
    {GNT_FIELD(gnt_result_task, set, INT), .optional = 1, .nullable = 1,
     .help = "encodings that an attacker sees as one set"},
    {GNT_FIELD(gnt_result_task, epochs, INT), .optional = 1, .nullable = 1,
     .help = "passes over the data whose encodings are observed; 0: all of a client's"},
    {GNT_FIELD(gnt_result_task, curve, INT), .optional = 1, .nullable = 1,
     .help = "every how many rounds utility is measured"},
    {GNT_FIELD(gnt_result_task, width, REAL), .optional = 1, .nullable = 1,
     .help = "factor on the width of the model"},
    {GNT_FIELD_AS("public", gnt_result_task, public_set, TEXT), .optional = 1, .help = "public data set"},
    {GNT_FIELD_AS("prior", gnt_result_task, prior_set, TEXT), .optional = 1,
     .help = "set of the grant `prior_data`"},
    {GNT_FIELD(gnt_result_task, captures, GROUP), .group = &captures_fields, .optional = 1,
     .help = "captures that the task attacks, in a run of the class capture"},
    {GNT_FIELD(gnt_result_task, public_only, LIST), .group = &public_fields, .nullable = 1,
     .most_entries = MOST_SEEDS, .help = "utility of training on public data alone, for each seed"},
};
const gnt_fields gnt_task_fields = {
    .field = task_rows, .n = COUNT(task_rows), .size = sizeof(gnt_result_task), .open = 1, .named = 1};

static const gnt_field model_rows[] = {
    {GNT_FIELD(gnt_result_model, id, TEXT), .help = "name in the suite"},
    {GNT_FIELD(gnt_result_model, model, TEXT), .help = "model that is trained"},
    {GNT_FIELD(gnt_result_model, data, TEXT), .help = "data set"},
    {GNT_FIELD(gnt_result_model, weights_given, FLAG), .help = "true if the weights came from a file"},
    {GNT_FIELD(gnt_result_model, samples, INT), .nullable = 1,
     .help = "training samples; null if no cell needed the model"},
    {GNT_FIELD(gnt_result_model, epochs, INT), .nullable = 1, .help = "passes over them"},
    {GNT_FIELD(gnt_result_model, accuracy, REAL), .nullable = 1, .help = "accuracy on the test part"},
    {GNT_FIELD(gnt_result_model, accuracy_error, REAL), .nullable = 1, .help = "its standard error"},
    {GNT_FIELD(gnt_result_model, loss, REAL), .nullable = 1, .help = "loss on the test part"},
    {GNT_FIELD(gnt_result_model, loss_error, REAL), .nullable = 1, .help = "its standard error"},
    {GNT_FIELD(gnt_result_model, iou, REAL), .nullable = 1, .optional = 1,
     .help = "intersection over union, of models whose output is a map"},
    {GNT_FIELD(gnt_result_model, iou_error, REAL), .nullable = 1, .optional = 1,
     .help = "its standard error"},
};
const gnt_fields gnt_model_fields = GNT_OPEN_WITH_THERE(gnt_result_model, model_rows);

/* ---- defenses and attacks ---- */

static const gnt_field member_rows[] = {
    {GNT_FIELD(gnt_result_member, id, TEXT), .help = "id of the plugin"},
    {GNT_FIELD(gnt_result_member, version, TEXT), .help = "its version"},
    {GNT_FIELD(gnt_result_member, flags, TEXTS), .late = 1,
     .help = "what its descriptor declares, as gauntlet show names it, without \"resumes\""},
    {GNT_FIELD(gnt_result_member, hooks, TEXTS), .late = 1,
     .help = "hooks that it has, which decide what must have been tried on a defense "
             "([leaderboard.md](leaderboard.md#what-is-compared))"},
    {GNT_FIELD(gnt_result_member, families, TEXTS), .late = 1,
     .help = "mechanisms that it has or, of an attack, adapts to"},
    {GNT_FIELD(gnt_result_member, params, JSON), .nullable = 1,
     .help = "its parameters, with defaults filled in"},
};
const gnt_fields gnt_member_fields = GNT_OPEN(gnt_result_member, member_rows);

static const gnt_field defense_rows[] = {
    {GNT_FIELD(gnt_result_defense, label, TEXT),
     .help = "name by which all other entries refer to the defense"},
    {GNT_FIELD(gnt_result_defense, plugin, TEXT), .help = "ids of its members, joined by +"},
    {GNT_FIELD(gnt_result_defense, members, LIST), .group = &gnt_member_fields,
     .help = "plugins that it is composed of, in order"},
    {GNT_FIELD(gnt_result_defense, strength, TEXT), .nullable = 1, .help = "parameter that is its strength"},
    {GNT_FIELD(gnt_result_defense, unit, TEXT), .nullable = 1, .help = "unit of the strength"},
    {GNT_FIELD(gnt_result_defense, scale, TEXT), .nullable = 1, .help = "linear, log or complement"},
};
const gnt_fields gnt_defense_fields = {.field = defense_rows,
                                       .n = COUNT(defense_rows),
                                       .size = sizeof(gnt_result_defense),
                                       .open = 1,
                                       .named = 1};

static const gnt_field attack_list_rows[] = {
    {GNT_FIELD(gnt_result_list, name, TEXT), .help = "name of the list, with its variant"},
    {GNT_FIELD(gnt_result_list, digest, TEXT),
     .help = "digest of its content and of the versions of its plugins"},
    {GNT_FIELD(gnt_result_list, status, TEXT),
     .help = "draft: the list may still change under this name; frozen: it does not"},
};
static const gnt_fields attack_list_fields = GNT_OPEN(gnt_result_list, attack_list_rows);

static const gnt_field attack_rows[] = {
    {GNT_FIELD(gnt_result_attack, label, TEXT),
     .help = "name by which all other entries refer to the attack"},
    {GNT_FIELD(gnt_result_attack, plugin, TEXT), .help = "ids of its members, joined by +"},
    {GNT_FIELD(gnt_result_attack, influence_of, TEXT), .optional = 1,
     .help = "label of the same attack on updates as received; this one is on their influence "
             "([suites.md](suites.md#influence))"},
    {GNT_FIELD(gnt_result_attack, list, GROUP), .optional = 1, .group = &attack_list_fields,
     .help = "list of attacks that it is from ([suites.md](suites.md#lists-of-attacks))"},
    {GNT_FIELD(gnt_result_attack, grants, TEXTS), .help = "attacker knowledge that the suite grants"},
    {GNT_FIELD(gnt_result_attack, budget, INT), ANY_INT,
     .help = "greatest number of steps; 0 if the suite gave none"},
    {GNT_FIELD(gnt_result_attack, members, LIST), .group = &gnt_member_fields,
     .help = "plugins of a chain, in order"},
    {GNT_FIELD(gnt_result_attack, first_budget, INT), .optional = 1, .nullable = 1,
     .help = "steps of a chain's first member"},
};
const gnt_fields gnt_attack_fields = {
    .field = attack_rows, .n = COUNT(attack_rows), .size = sizeof(gnt_result_attack), .open = 1, .named = 1};

/* ---- matches ---- */

static const gnt_field confirmation_rows[] = {
    {GNT_FIELD(gnt_confirmation, mean, REAL), .nullable = 1,
     .help = "mean utility of the confirming training runs"},
    {GNT_FIELD(gnt_confirmation, standard_error, REAL), .nullable = 1, .help = "standard error of the mean"},
    {GNT_FIELD(gnt_confirmation, t, REAL), .nullable = 1,
     .help = "Student's t at 90 % by which the mean is judged"},
    {GNT_FIELD(gnt_confirmation, trainings, INT), ANY_INT, .help = "confirming training runs"},
    {GNT_FIELD(gnt_confirmation, failed, INT), ANY_INT,
     .help = "training runs of earlier confirmations, which failed"},
    {GNT_FIELD(gnt_confirmation, searching, INT), ANY_INT, .help = "training runs that searched"},
};
const gnt_fields gnt_confirmation_fields = GNT_OPEN(gnt_confirmation, confirmation_rows);

static const gnt_field attempt_rows[] = {
    {GNT_FIELD(gnt_attempt, strength, REAL), .nullable = 1, .help = "strength of one training run"},
    {GNT_FIELD(gnt_attempt, utility, REAL), .nullable = 1, .help = "utility that it left"},
    {GNT_FIELD(gnt_attempt, standard_error, REAL), .nullable = 1,
     .help = "standard error of the utility, by the finite test set"},
    {GNT_FIELD(gnt_attempt, seed, INT), ANY_INT,
     .help = "number of the training run within the search; no cell shares one"},
};
const gnt_fields gnt_attempt_fields = GNT_OPEN(gnt_attempt, attempt_rows);

static const gnt_field match_rows[] = {
    {GNT_FIELD(gnt_match_row, task, TEXT), .needed = 1, .help = "task"},
    {GNT_FIELD(gnt_match_row, defense, TEXT), .needed = 1, .help = "defense"},
    {GNT_FIELD(gnt_match_row, target, REAL), .nullable = 1, .help = "target utility"},
    {GNT_FIELD(gnt_match_row, tolerance, REAL), .nullable = 1,
     .help = "greatest distance from it that counts as matched"},
    {GNT_FIELD(gnt_match_row, verdict, TEXT), .needed = 1,
     .help = "matched; saturated: even the strongest setting leaves more utility than the target; unmatched; "
             "n/a"},
    {GNT_FIELD(gnt_match_row, reason, TEXT), .nullable = 1, .help = "why it is unmatched or n/a"},
    {GNT_FIELD(gnt_match_row, strength, REAL), .nullable = 1,
     .help = "strength found, or the nearest reached"},
    {GNT_FIELD(gnt_match_row, utility, REAL), .nullable = 1, .help = "its utility"},
    {GNT_FIELD(gnt_match_row, utility_none, REAL), .nullable = 1, .help = "undefended utility"},
    {GNT_FIELD(gnt_match_row, confirmed, FLAG),
     .help = "true if training runs that had not chosen the strength confirmed it or, of a curve, the target "
             "lies between two of its strengths"},
    {GNT_FIELD(gnt_match_row, confirmation, GROUP), .group = &gnt_confirmation_fields, .optional = 1,
     .inside = 1, .help = "the last confirmation; not in files of older builds"},
    {GNT_FIELD(gnt_match_row, history, LIST), .group = &gnt_attempt_fields,
     .help = "each training run of search and confirmations"},
};
const gnt_fields gnt_match_fields = GNT_OPEN_WITH_THERE(gnt_match_row, match_rows);

/* ---- curves ---- */

#define EQUAL_PLACE                                                                                          \
    {GNT_FIELD(gnt_result_equal, task, TEXT), .help = "task"},                                               \
        {GNT_FIELD(gnt_result_equal, stage, INT), ANY_INT, .help = "stage"},                                 \
        {GNT_FIELD(gnt_result_equal, defense, TEXT), .help = "defense"},                                     \
        {GNT_FIELD(gnt_result_equal, attack, TEXT), .help = "attack"}, {                                     \
        GNT_FIELD(gnt_result_equal, measure, TEXT), .help = "measure of leakage"                             \
    }
#define EQUAL_UTILITY                                                                                        \
    {                                                                                                        \
        GNT_FIELD(gnt_result_equal, utility, REAL),                                                          \
            .nullable = 1,                                                                                   \
            .help = "in equal_utility the target utility; in equal_leakage the utility read off the curve"   \
    }
#define EQUAL_LEAKAGE                                                                                        \
    {                                                                                                        \
        GNT_FIELD(gnt_result_equal, leakage, REAL),                                                          \
            .nullable = 1,                                                                                   \
            .help = "in equal_leakage the leakage at which the curve was read; in equal_utility the "        \
                    "leakage read"                                                                           \
    }
#define EQUAL_REST                                                                                           \
    {GNT_FIELD(gnt_result_equal, standard_error, REAL), .nullable = 1,                                       \
     .help = "standard error of what was read"},                                                             \
        {GNT_FIELD(gnt_result_equal, low, REAL), .nullable = 1,                                              \
         .help = "lower end of its 95 % confidence interval; null with one seed"},                           \
        {GNT_FIELD(gnt_result_equal, high, REAL), .nullable = 1, .help = "upper end"},                       \
        {GNT_FIELD(gnt_result_equal, strengths, INT), ANY_INT, .help = "strengths on the curve"},            \
        {GNT_FIELD(gnt_result_equal, seeds, INT), ANY_INT, .help = "seeds on the curve"},                    \
        {GNT_FIELD(gnt_result_equal, from, REAL), .nullable = 1,                                             \
         .help = "strength below the point that was read"},                                                  \
        {GNT_FIELD(gnt_result_equal, to, REAL), .nullable = 1, .help = "strength above it"}, {               \
        GNT_FIELD(gnt_result_equal, reason, TEXT), .nullable = 1, .help = "why there is no number"           \
    }

static const gnt_field equal_utility_rows[] = {EQUAL_PLACE, EQUAL_UTILITY, EQUAL_LEAKAGE, EQUAL_REST};
static const gnt_fields equal_utility_fields = GNT_OPEN(gnt_result_equal, equal_utility_rows);
static const gnt_field equal_leakage_rows[] = {EQUAL_PLACE, EQUAL_LEAKAGE, EQUAL_UTILITY, EQUAL_REST};
const gnt_fields gnt_equal_leakage_fields = GNT_OPEN(gnt_result_equal, equal_leakage_rows);

/* ---- the whole file ---- */

static const gnt_field scale_rows[] = {
    {GNT_FIELD(gnt_result_scale, name, TEXT), .help = "scale of the suite that was run"},
    {GNT_FIELD(gnt_result_scale, says, TEXT), .help = "its description"}};
static const gnt_fields scale_fields = GNT_OPEN(gnt_result_scale, scale_rows);

static const gnt_field strength_rows[] = {{GNT_FIELD(gnt_result_strength, task, TEXT), .help = "task"},
                                          {GNT_FIELD(gnt_result_strength, defense, TEXT), .help = "defense"},
                                          {GNT_FIELD(gnt_result_strength, strength, REAL),
                                           .help = "strength at which the baseline run was matched"}};
static const gnt_fields strength_fields = GNT_OPEN(gnt_result_strength, strength_rows);

static const gnt_field result_rows[] = {
    {GNT_FIELD(gnt_result, format, INT), .least = 1, .most = 1, .needed = 1,
     .help = "version of this format"},
    {GNT_FIELD(gnt_result, suite, TEXT), .help = "name of the suite"},
    {GNT_FIELD(gnt_result, title, TEXT), .help = "title of the suite"},
    {GNT_FIELD(gnt_result, suite_digest, TEXT), .help = "digest of the suite file"},
    {GNT_FIELD_AS("class", gnt_result, run_class, TEXT), .optional = 1,
     .help =
         "capture: the run attacked captures, and is never ranked ([below](#class-capture)); missing: a run "
         "of a suite"},
    {GNT_FIELD(gnt_result, tasks, LIST), .group = &gnt_task_fields, .most_entries = MOST_NAMES,
     .help = "tasks of the suite"},
    {GNT_FIELD(gnt_result, models, LIST), .group = &gnt_model_fields, .most_entries = MOST_NAMES,
     .help = "models of the suite that plugins work with"},
    {GNT_FIELD(gnt_result, defenses, LIST), .group = &gnt_defense_fields, .most_entries = MOST_NAMES,
     .help = "defenses of the suite"},
    {GNT_FIELD(gnt_result, attacks, LIST), .group = &gnt_attack_fields, .most_entries = MOST_NAMES,
     .help = "attacks of the suite"},
    {GNT_FIELD(gnt_result, matches, LIST), .group = &gnt_match_fields, .most_entries = MOST_ROWS,
     .help = "one entry for each task and defense whose strength was searched"},
    {GNT_FIELD(gnt_result, groups, LIST), .group = &gnt_group_fields, .most_entries = MOST_ROWS, .needed = 1,
     .help = "cells that differ in the seed alone, joined"},
    {GNT_FIELD(gnt_result, cells, LIST), .group = &gnt_cell_fields, .most_entries = MOST_ROWS, .needed = 1,
     .help = "one entry for each planned cell, in the plan's order"},
    {GNT_FIELD(gnt_result, scale, GROUP), .group = &scale_fields, .optional = 1,
     .help = "scale at which the suite was run"},
    {GNT_FIELD(gnt_result, baseline, LIST), .group = &strength_fields, .optional = 1,
     .most_entries = MOST_ROWS, .help = "strengths of a baseline run, if the run was given one"},
    {GNT_FIELD(gnt_result, check, JSON), .optional = 1,
     .help = "settings of gauntlet check ([suites.md](suites.md#check))"},
    {GNT_FIELD(gnt_result, facts, TEXTS), .optional = 1, .help = "facts that the suite reports"},
    {GNT_FIELD(gnt_result, points, INT), .optional = 1, .nullable = 1,
     .help = "number of targets that are drawn as points"},
    {GNT_FIELD(gnt_result, tables, JSON), .optional = 1,
     .help = "tables that the suite lays out as a paper does ([suites.md](suites.md))"},
    {GNT_FIELD(gnt_result, equal_utility, LIST), .group = &equal_utility_fields, .optional = 1,
     .help = "leakage of each defense at exactly the target utility "
             "([measures.md](measures.md#at-exactly-equal-utility))"},
    {GNT_FIELD(gnt_result, equal_leakage, LIST), .group = &gnt_equal_leakage_fields, .optional = 1,
     .help = "utility of each defense at one leakage"},
};
const gnt_fields gnt_result_fields = GNT_OPEN(gnt_result, result_rows);
