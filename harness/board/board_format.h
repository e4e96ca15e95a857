/* board_format: the format of leaderboard.json: a struct for each kind of entry, and its rows of keys. The
 * keys are also the columns of leaderboard.csv, which has the places alone. */
#ifndef GNT_BOARD_FORMAT_H
#define GNT_BOARD_FORMAT_H

#include "base/fields.h"

typedef struct board_run_entry {
    double run;
    const char *contributor, *date, *suite, *title, *suite_digest, *signature, *note, *links, *season_key;
} board_run_entry;

/* A defense's place by one measure under one threat model. */
typedef struct board_place_entry {
    double section, stage, rank, utility, claimed, measured, low, high, floor, leakage, leakage_low,
        leakage_high, utility_surplus, attacks_with_number, attacks, worst_stage, public_only, identified,
        identified_low, identified_high, at_strength, at_strength_low, at_strength_high, submitted,
        submitted_low, submitted_high, listed, others, clipped;
    const char *task, *attacker, *attacker_knows, *measure, *tied, *defense, *contributors, *kind,
        *utility_measure, *claim_source, *best_known_attack, *attack_knows, *attack_run_by, *footnotes,
        *observed_from, *stages, *why_not_ranked, *plugins, *at_target, *why_last, *draws, *submission,
        *surface, *goal, *arena, *trainings;
} board_place_entry;

/* Two defenses in the arenas of one surface and goal. */
typedef struct board_pair_entry {
    const char *surface, *goal, *defense, *other, *surely;
    double less, of, difference, p;
} board_pair_entry;

/* A plugin of a defense. */
typedef struct board_plugin_entry {
    const char *plugin, *version, *file, *what, *paper;
} board_plugin_entry;

/* A defense in one of several runs of a contributor. */
typedef struct board_history_entry {
    const char *contributor, *section, *defense;
    double run;
    const char *date, *measured, *under, *what_changed;
} board_history_entry;

extern const gnt_fields board_run_fields, board_place_fields, board_history_fields, board_pair_fields,
    board_plugin_fields;
/* The whole file. Its lists are written entry by entry (board_tables.c), so there is no struct of it. */
extern const gnt_fields board_file_fields;

#endif
