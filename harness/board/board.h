/* board: a leaderboard of several runs and contributors, made from run folders alone (docs/leaderboard.md).
 * Run folders are treated as hostile; nothing outside them and the output folder is touched, and the same
 * runs give the same bytes. */
#ifndef GNT_BOARD_BOARD_H
#define GNT_BOARD_BOARD_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/fields.h"
#include "base/json.h"
#include "base/text.h"

enum { GNT_BOARD_MOST_RUNS = 256, GNT_BOARD_UNREADABLE = -2 };

typedef struct gnt_board_source {
    const char *folder; /* of a run */
    /* The contributor, by the word of the caller; NULL: the owner of the key that signed the run, or a
     * contributor of no other run, by the name in its board.json, else that of the folder */
    const char *contributor;
    const struct gnt_checked *checked; /* of its results.json, check/check.h; NULL: nothing in it is open */
} gnt_board_source;

typedef struct gnt_board_options {
    /* where leaderboard.html, .md, .csv, .json and reports/ go; made where it is missing */
    const char *folder;
    const char *title; /* NULL: "Leaderboard" */
    const gnt_board_source *source;
    size_t n_source;
    /* a file that lists the mandatory attacks (docs/leaderboard.md); NULL: those in the last run of the first
     * contributor */
    const char *mandatory;
    /* labels of the only defenses that are ranked and compared, with commas between; no defense is always
     * there. NULL: all */
    const char *defenses;
    int plots; /* 0: neither plots nor image sheets */
    /* The SHA-256 of a season's key, hexadecimal: folders with season.json are runs that `gauntlet accept`
     * made here, and what they say is believed. NULL: season.json is not read. */
    const char *season;
    /* plugins that are installed here, for what they say of themselves; NULL: none */
    const struct gnt_plugin_list *plugins;
} gnt_board_options;

/* Strengths of a defense with listed ones, from weak to strong. */
typedef struct gnt_season_strengths {
    const char *defense; /* label */
    gnt_reals submitted; /* in the order of the submission's suite */
    gnt_reals chosen;    /* with which it was run, found under a development key */
} gnt_season_strengths;

typedef struct gnt_season_strength_list {
    const gnt_season_strengths *at;
    size_t n;
} gnt_season_strength_list;

/* season.json of a folder in which `gauntlet accept` ran a submission again under the key of a season. The
 * folder submitted/ in it has the results.json and host.json that were submitted. */
typedef struct gnt_season_run {
    int64_t format;                     /* 1 */
    const char *key_sha256;             /* of the season's key file */
    const char *name;                   /* of the submission's folder */
    const char *signed_by;              /* public key that signed the submission, hexadecimal; "": unsigned */
    gnt_season_strength_list strengths; /* optional: runs of older versions have the submitted ones */
} gnt_season_run;
int gnt_season_run_write(const char *folder, const gnt_season_run *of, gnt_err *err);

struct gnt_results; /* judge/judge.h */

/* Reads a file of mandatory attacks, and checks it. The caller frees it with gnt_doc_free. */
int gnt_board_mandatory_load(gnt_doc *doc, const char *path, gnt_err *err);
/* True if such a file lists an attack of a run, by its label, for a task. */
int gnt_board_is_mandatory(const gnt_doc *doc, const struct gnt_results *r, const char *task,
                           const char *attack);

/* Makes a leaderboard. `notices` (may be NULL) receives a line for each thing left out; those are no
 * failures. Returns 0, GNT_BOARD_UNREADABLE if a run cannot be read or its board.json is wrong, −1 if a file
 * cannot be written. */
int gnt_board_make(const gnt_board_options *options, gnt_text *notices, gnt_err *err);

#endif
