/* What the files that check a results.json share. Private to this room.
 *
 * The file was read by result/read.c, which checks sizes, types and words. A check returns 0, or −1 with a
 * sentence that names the file and the field. */
#ifndef GNT_CHECK_CHECK_IMPL_H
#define GNT_CHECK_CHECK_IMPL_H

#include <math.h>

#include "base/json.h"
#include "check/check.h"
#include "suite/plan.h"

typedef struct check {
    const gnt_result *of;
    /* name of the file at the beginning of sentences */
    const char *file;
    /* NULL: unknown, and what follows from them is not checked. `should` is what the suite gives. */
    const gnt_suite *suite;
    const gnt_plan *plan;
    const gnt_result *should;
    /* data sets of files: the run may have had others than are here */
    const json_t *assumed;
    gnt_checked *out;
    gnt_err *err;
} check;

/* ---- same.c: values of the file compared with those that there should be ---- */

/* How far a number may be from what it should be, as a share of the larger of the two: twenty times what
 * rounding both to nine digits can do. */
extern const double check_rounding;
int check_close(double a, double b, double slack);

/* How the file is compared with values that something gives ("the targets of its cells give"). */
typedef struct check_says {
    const check *of;
    const char *because;
    /* how far numbers may be apart in addition to their rounding */
    double slack;
    /* maps and parameters may have more entries than there should be */
    int may_have_more;
} check_says;

int check_number(const check_says *says, const char *path, double is, double should);
/* Compares all members of a struct, or those of a list of offsets. */
int check_same(const check_says *says, const gnt_fields *fields, const char *path, const void *is,
               const void *should);
int check_members(const check_says *says, const gnt_fields *fields, const char *path, const void *is,
                  const void *should, const size_t *member, size_t n);
/* Compares statistics by measure, with the tolerance of scores that may have been rounded. */
int check_stats(const check_says *says, const char *path, const gnt_named_stats *is,
                const gnt_named_stats *should);

/* ---- lookup.c ---- */

/* True if the file has a utility of the cell, with or without its measure. */
static inline int check_has_utility(const gnt_outcome *cell) {
    return cell->utility.measure != gnt_no_text || isfinite(cell->utility.value) ||
           cell->utility.by_round.at || cell->utility.by_value.at || cell->utility.others.at;
}
static inline int check_is_ok(const gnt_outcome *cell) {
    return cell->status == GNT_CELL_OK;
}
/* Returns the entry of `tasks` to which a cell belongs, or NULL. */
const gnt_result_task *check_task(const check *c, const gnt_outcome *cell);
/* Adds a line to the notes: a field that could not be checked, and why. */
void check_note(const check *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Returns the index under the key, where it is the first `index` itself. Frees the key; NULL: `index`. */
size_t check_first_of(json_t *seen, char *key, size_t index);

/* ---- the checks, in the order in which check.c makes them, each in a file named for it ---- */

/* Compares the cells with the plan of suite.json, one by one. */
int check_plan(const check *c);
/* Checks cells: ids, statuses, numbers from targets. */
int check_cells(const check *c);
/* Checks what cells of one seed have in common. */
int check_guesses(const check *c);
/* Checks utilities, marks and controls: one for each training run. */
int check_utilities(const check *c);
/* Checks the verdicts of searches against their histories. */
int check_matches(const check *c);
/* Checks groups, which follow from cells. */
int check_groups(const check *c);

/* ---- standin.c: descriptors of plugins that are not here, from what a results.json says of them ---- */

struct check_plugins {
    /* those here, borrowed, and substitutes */
    gnt_plugin_list all;
};
int check_plugins_make(struct check_plugins *out, const gnt_plugin_list *here, const gnt_result *of,
                       gnt_err *err);
void check_plugins_free(struct check_plugins *p);
int check_is_standin(const gnt_plugin_info *info);
/* True if a plugin of the entry is a stand-in: what only its descriptor says is not known. */
int check_unknown_defense(const gnt_suite_defense *d);
int check_unknown_attack(const gnt_suite_attack *a);

#endif
