/* What the files that check a results.json share. Private to this room.
 *
 * Each check reads the file as hostile: what has another shape than expected is a difference, never a crash.
 * A check returns 0, or −1 with a sentence that names the file and the field. */
#ifndef GNT_TALLY_TALLY_IMPL_H
#define GNT_TALLY_TALLY_IMPL_H

#include "base/json.h"
#include "suite/plan.h"
#include "tally/same_impl.h"
#include "tally/tally.h"

typedef struct tally {
    const json_t *root, *tasks, *cells, *groups, *matches;
    /* stands at the beginning of sentences */
    const char *file;
    /* NULL: not known, and what follows from them is not checked */
    const gnt_suite *suite;
    const gnt_plan *plan;
    /* data sets of files, which the run may have had others of than are here */
    const json_t *assumed;
    gnt_tally *out;
    gnt_err *err;
} tally;

static inline gnt_tally_says tally_says(const tally *t, const char *because) {
    return (gnt_tally_says){t->file, because, t->err};
}

/* ---- fields.c ---- */

/* "" where there is no text */
const char *tally_text(const json_t *object, const char *key);
/* NaN where there is none */
double tally_number(const json_t *object, const char *key);
int tally_is_ok(const json_t *cell);
/* The entry of `tasks` that a cell is of, or NULL. */
const json_t *tally_task(const tally *t, const json_t *cell);
/* A line for the notes of the check: a field that could not be checked, and why. */
void tally_note(const tally *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- the checks, in the order in which tally.c makes them, each in a file named for it ---- */

/* What suite.json asks for, cell by cell. */
int tally_check_plan(const tally *t);
/* Ids, statuses, numbers from targets. */
int tally_check_cells(const tally *t);
/* What cells of one seed have in common. */
int tally_check_floors(const tally *t);
/* Utilities, one for each training. */
int tally_check_trainings(const tally *t);
/* Verdicts from histories. */
int tally_check_matches(const tally *t);
/* Groups from cells. */
int tally_check_groups(const tally *t);

/* ---- standin.c: descriptors of plugins that are not here, as a results.json tells of them ---- */

struct tally_plugins {
    /* those here, borrowed, and stand-ins */
    gnt_plugin_list all;
};
int tally_plugins_make(struct tally_plugins *out, const gnt_plugin_list *here, const json_t *root,
                       gnt_err *err);
void tally_plugins_free(struct tally_plugins *p);
int tally_is_standin(const gnt_plugin_info *info);
/* 1 when a plugin of the entry is a stand-in: what only its descriptor says is not known. */
int tally_unknown_defense(const gnt_suite_defense *d);
int tally_unknown_attack(const gnt_suite_attack *a);

#endif
