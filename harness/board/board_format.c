#include "board/board_format.h"

#define TEXT(of, key, words)                                                                                 \
    { GNT_FIELD(of, key, TEXT), .needed = 1, .help = words }
#define REAL(of, key, words)                                                                                 \
    { GNT_FIELD(of, key, REAL), .needed = 1, .nullable = 1, .help = words }

/* ---- runs ---- */

#define RUN_TEXT(key, words) TEXT(board_run_entry, key, words)
static const gnt_field run_rows[] = {
    REAL(board_run_entry, run, "number of the run, from 1, in the order given"),
    RUN_TEXT(contributor, "who made it"),
    RUN_TEXT(date, "of board.json; \"\": none"),
    RUN_TEXT(suite, "name of the suite"),
    RUN_TEXT(title, "title of the suite"),
    RUN_TEXT(suite_digest, "first 12 digits of the suite's digest"),
    RUN_TEXT(signature, "key that signed it (or the submission that was run again), or that nobody did"),
    RUN_TEXT(note, "of board.json"),
    RUN_TEXT(links, "titles and addresses of board.json, with semicolons between"),
    RUN_TEXT(season_key, "SHA-256 of the key of the season that it was run under; \"\": no season's"),
};
const gnt_fields board_run_fields = GNT_FIELDS_OF(board_run_entry, run_rows);

/* ---- places ---- */

#define PLACE_TEXT(key, words) TEXT(board_place_entry, key, words)
#define PLACE_REAL(key, words) REAL(board_place_entry, key, words)
#define PLACE_IN(key, of, words)                                                                             \
    { GNT_FIELD(board_place_entry, key, REAL), .needed = 1, .nullable = 1, .unit = of, .help = words }
#define LEAKAGE(key, words) PLACE_IN(key, "the unit of `measure`", words)
#define UTILITY(key, words) PLACE_IN(key, "the unit of `utility_measure`", words)
#define SHARE(key, words) PLACE_IN(key, "shares of 1", words)
static const gnt_field place_rows[] = {
    PLACE_REAL(section, "number of the section, from 1"),
    PLACE_TEXT(task, "id of the task"),
    PLACE_REAL(stage, "observed round; null where the host drew the rounds"),
    PLACE_TEXT(attacker, "`any`, or `limited` to what `attacker_knows` says"),
    PLACE_TEXT(attacker_knows, "grants of the threat model"),
    PLACE_TEXT(measure,
               "measure of leakage; `share`: of what leaks undefended, in an arena or over a group of them"),
    PLACE_REAL(rank, "null: not ranked"),
    PLACE_TEXT(tied, "`tied` if the rank is shared"),
    PLACE_TEXT(defense, "label"),
    PLACE_TEXT(contributors, "who ran it"),
    {.name = "standing",
     .type = GNT_FIELD_TEXT,
     .offset = offsetof(board_place_entry, kind),
     .needed = 1,
     .help = "how it came to its utility: `matched`, `saturated`, `as it is` …"},
    PLACE_TEXT(utility_measure, "measure of utility"),
    UTILITY(utility, "of the cell behind `measured`"),
    LEAKAGE(claimed, "value that board.json claims"),
    PLACE_TEXT(claim_source, "where it is claimed"),
    LEAKAGE(measured, "mean under the best known attack"),
    LEAKAGE(low, "lower end of its 95 % interval"),
    LEAKAGE(high, "upper end"),
    LEAKAGE(floor, "score of the best guess without an observation"),
    LEAKAGE(leakage, "no less than the floor, at the target utility: what is ranked"),
    LEAKAGE(leakage_low, "lower end of its interval"),
    LEAKAGE(leakage_high, "upper end"),
    UTILITY(utility_surplus, "utility less the target"),
    PLACE_TEXT(best_known_attack, "attack under which it leaks most"),
    PLACE_TEXT(attack_knows, "what that attack was granted"),
    PLACE_TEXT(attack_run_by, "contributor who ran it"),
    PLACE_REAL(attacks_with_number, "attacks that gave a number"),
    PLACE_REAL(attacks, "attacks that apply"),
    PLACE_TEXT(footnotes, "flags of its plugins, in words"),
    PLACE_TEXT(observed_from, "`round` or `probe`"),
    PLACE_TEXT(stages, "`drawn`: the worst of all counts; or `fixed`"),
    PLACE_REAL(worst_stage, "round in which it leaks most; a number from 1 where rounds are drawn"),
    UTILITY(public_only, "utility of public data alone, mean over seeds"),
    SHARE(identified, "identification rate, the highest of all attacks"),
    SHARE(identified_low, "lower end of its interval"),
    SHARE(identified_high, "upper end"),
    PLACE_TEXT(why_not_ranked, "reason; \"\": ranked"),
    PLACE_TEXT(plugins, "id, version and digest of each member's file; `?`: the run does not say"),
    PLACE_TEXT(at_target, "`yes` if `measured` was read at exactly the target"),
    LEAKAGE(at_strength, "measured at the matched strength"),
    LEAKAGE(at_strength_low, "lower end of its interval"),
    LEAKAGE(at_strength_high, "upper end"),
    PLACE_TEXT(why_last, "why the rank is the last; \"\": it is not, or for no special reason"),
    PLACE_TEXT(draws,
               "`season`: of the season's secret key; or `submitter`: of the run's own; \"\": no number"),
    LEAKAGE(submitted, "as `measured`, in the submission that was run again"),
    LEAKAGE(submitted_low, "lower end of its interval"),
    LEAKAGE(submitted_high, "upper end"),
    PLACE_TEXT(submission, "how `measured` and the plugin files compare with the submission, in words"),
    PLACE_TEXT(surface, "what the attacker sees: `update`, `encoding`, `representation` or `transcript`"),
    PLACE_TEXT(goal, "what the measure says was recovered: the kind of the data, `attribute` …"),
    PLACE_TEXT(arena, "of a `share`: the suites of its arenas, with semicolons between"),
    PLACE_TEXT(trainings,
               "of a `share` in a task: that of each training run, with blanks between; `?`: none"),
    SHARE(listed, "of a `share`: under the attacks of the list alone"),
    SHARE(others, "of a `share`: under all other attacks"),
    PLACE_REAL(clipped,
               "of a `share`: training runs in which no more than chance leaked, or more than undefended"),
};
const gnt_fields board_place_fields = GNT_FIELDS_OF(board_place_entry, place_rows);

/* ---- history ---- */

#define HISTORY_TEXT(key, words) TEXT(board_history_entry, key, words)
static const gnt_field history_rows[] = {
    HISTORY_TEXT(contributor, "whose runs are compared"),
    HISTORY_TEXT(section, "task and round"),
    HISTORY_TEXT(defense, "label"),
    REAL(board_history_entry, run, "number of the run"),
    HISTORY_TEXT(date, "of that run"),
    HISTORY_TEXT(measured, "worst case in that run alone, in words"),
    HISTORY_TEXT(under, "attack of the worst case"),
    {.name = "what changed",
     .type = GNT_FIELD_TEXT,
     .offset = offsetof(board_history_entry, what_changed),
     .needed = 1,
     .help = "since the contributor's run before it"},
};
const gnt_fields board_history_fields = GNT_FIELDS_OF(board_history_entry, history_rows);

/* ---- pairs ---- */

#define PAIR_TEXT(key, words) TEXT(board_pair_entry, key, words)
#define PAIR_REAL(key, words) REAL(board_pair_entry, key, words)
static const gnt_field pair_rows[] = {
    PAIR_TEXT(surface, "of the group of arenas"),
    PAIR_TEXT(goal, "of the group"),
    PAIR_TEXT(defense, "label"),
    PAIR_TEXT(other, "label of the defense that it is compared with"),
    PAIR_REAL(less, "training runs in which `defense` leaks less; a tie is a half"),
    PAIR_REAL(of, "training runs that both have a share of"),
    PAIR_REAL(difference, "mean share of `defense` less that of `other`"),
    PAIR_REAL(p, "of the paired t-test, by Holm's method over all pairs of the group; null: fewer than 5 "
                 "training runs"),
    PAIR_TEXT(surely, "the label of the one that leaks less, if p is at most 5 %"),
};
const gnt_fields board_pair_fields = GNT_FIELDS_OF(board_pair_entry, pair_rows);

/* ---- plugins ---- */

#define PLUGIN_TEXT(key, words) TEXT(board_plugin_entry, key, words)
static const gnt_field plugin_rows[] = {
    PLUGIN_TEXT(plugin, "id"),
    PLUGIN_TEXT(version, "of the plugin"),
    PLUGIN_TEXT(file, "the shared object that has it here; \"\": it is not installed"),
    {.name = "what it does",
     .type = GNT_FIELD_TEXT,
     .offset = offsetof(board_plugin_entry, what),
     .needed = 1,
     .help = "in the words of the plugin of this id and version that is installed here"},
    PLUGIN_TEXT(paper, "that it cites; \"\": none"),
};
const gnt_fields board_plugin_fields = GNT_FIELDS_OF(board_plugin_entry, plugin_rows);

/* ---- the file ---- */

#define PART(key, of, words)                                                                                 \
    { .name = key, .type = GNT_FIELD_LIST, .group = of, .needed = 1, .help = words }
static const gnt_field file_rows[] = {
    {.name = "format", .type = GNT_FIELD_INT, .least = 1, .most = 1, .needed = 1, .help = "1"},
    {.name = "title", .type = GNT_FIELD_TEXT, .needed = 1, .help = "of the leaderboard"},
    PART("runs", &board_run_fields, "the runs that were given"),
    PART("places", &board_place_fields, "the rows of leaderboard.csv"),
    PART("pairs", &board_pair_fields, "pairs of defenses in groups of arenas"),
    PART("history", &board_history_fields, "defenses in several runs of a contributor"),
    PART("plugins", &board_plugin_fields, "the plugins of the defenses"),
};
const gnt_fields board_file_fields = {.field = file_rows, .n = sizeof file_rows / sizeof *file_rows};
