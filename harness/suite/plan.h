/* plan: a suite expanded to its cells, before anything runs.
 *
 * A cell is one (task, stage, defense at a strength, attack, seed). Its id consists of these coordinates:
 *
 *     TASK/rSTAGE/DEFENSE@STRENGTH/ATTACK/sSEED glyphs-lenet/r10/dp-gaussian@matched/dlg/s1
 *
 * rSTAGE is the round that the suite lists; dSTAGE, "d2", is the second of the drawn rounds, which is another
 * one for each seed.
 * STRENGTH is "matched", "weaker" or "stronger" (than matched), "baseline", "none" without a strength, or the
 * shortest decimal that reads back as the same number. Cells come in one fixed order: task, stage, defense
 * (matched first, then its sweep, then at the baseline's strength), attack, seed, each as the file lists
 * them. A pair that does not fit is also a cell, with the reason why it is n/a. */
#ifndef GNT_SUITE_PLAN_H
#define GNT_SUITE_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"
#include "suite/suite.h"

typedef enum gnt_cell_mode {
    GNT_MODE_NONE, /* no defense */
    GNT_MODE_FIXED,
    GNT_MODE_SWEEP,
    GNT_MODE_MATCHED,
    GNT_MODE_AS_IS /* a defense that has no strength */
} gnt_cell_mode;
extern const char *const gnt_mode_names[]; /* "none", "fixed", "sweep", "matched", "as-is" */

/* Cells on either side of a matched strength, where utility is some tolerances above and below the target:
 * points of the defense's curve, with the mode SWEEP. Their ids have the name in the place of the
 * strength. */
typedef enum gnt_bracket {
    GNT_BRACKET_NONE,
    GNT_BRACKET_WEAKER,
    GNT_BRACKET_STRONGER,
    GNT_BRACKETS
} gnt_bracket;
extern const char *const gnt_bracket_names[]; /* "", "weaker", "stronger" */
extern const char gnt_baseline_name[];        /* "baseline" */

typedef struct gnt_cell {
    char *id;
    size_t task, defense, attack; /* indices into the suite */
    int64_t stage;                /* of suite.h: a listed round, or the number of a drawn one */
    int64_t round;                /* the observed round of this cell's training run */
    gnt_cell_mode mode;
    double strength; /* FIXED and SWEEP; NaN in a bracket */
    gnt_bracket bracket;
    /* 1: a point of a sweep that the suite does not list: the strength at which a baseline run was matched */
    int at_baseline;
    uint64_t seed;
    int draws_points;  /* 1: this cell's observations are plotted for its setting */
    int tries_quarter; /* 1: its attack runs with a quarter of its budget as well */
    uint32_t surface;
    uint32_t goals;                     /* GNT_GOAL_* that the attack must return */
    uint32_t grants;                    /* GNT_KNOWS_* that the suite grants and the task has */
    uint32_t first_goals, first_grants; /* of a chain's first member */
    char *reason;                       /* why it is n/a, "needs labels, which …"; NULL: it will run */
} gnt_cell;

typedef struct gnt_plan {
    gnt_cell *cell;
    size_t n, n_na;
    int64_t trainings;       /* of cells with a known strength, and of `none` as the baseline */
    int64_t match_trainings; /* the most that matching may need in addition */
    /* Approximate bytes of observed updates in the store, of targets and shadow rows: most of a large run. */
    double update_bytes;
} gnt_plan;

int gnt_plan_make(gnt_plan *out, const gnt_suite *suite, gnt_err *err);
void gnt_plan_free(gnt_plan *p);
const gnt_cell *gnt_plan_find(const gnt_plan *p, const char *id); /* NULL: there is none */

/* Formats the plan for --dry-run: one line for each cell, then counts; and as JSON. The caller frees; NULL:
 * out of memory. */
char *gnt_plan_text(const gnt_plan *p, const gnt_suite *suite);
char *gnt_plan_json(const gnt_plan *p, const gnt_suite *suite);

/* Writes what in the plan keeps its run from a verdict, such as too few training runs, and what in the suite
 * has no effect, such as a grant that no cell has: one line each, none if there is nothing. */
void gnt_plan_warnings(const gnt_plan *p, const gnt_suite *suite, gnt_text *out);

#endif
