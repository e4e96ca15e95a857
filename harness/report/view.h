/* view: the questions that tables, plots and pages ask of the results: which stages, which group stands for a
 * defense, how the defenses rank, what the floors are. Pure; nothing here owns memory unless it says so. */
#ifndef GNT_REPORT_VIEW_H
#define GNT_REPORT_VIEW_H

#include "report/measure.h"
#include "report/results.h"

/* Where a defense's number stands: only GNT_STAND_MATCHED numbers are compared with each other. */
typedef enum gnt_stand { GNT_STAND_NONE, GNT_STAND_MATCHED, GNT_STAND_UNMATCHED, GNT_STAND_FIXED } gnt_stand;

enum { GNT_MOST_STAGES = 64 };

gnt_stand gnt_stand_of(const gnt_outcome *group);
const char *gnt_stand_name(gnt_stand stand);

/* The stages of a task, rising, without repeats; at most GNT_MOST_STAGES (the first ones). */
size_t gnt_stages(const gnt_results *r, const char *task, int64_t stages[GNT_MOST_STAGES]);

/* The group that stands for a defense in the matrix: the matched one, else undefended, else the first fixed
 * one; NULL when the defense was only swept or not tried. `attack` NULL: of any attack. */
const gnt_outcome *gnt_representative(const gnt_results *r, const char *task, int64_t stage,
                                      const char *defense, const char *attack);

/* 1 when some ok group of the task and stage (and attack, unless NULL) has a number for the measure. */
int gnt_has_measure(const gnt_results *r, const char *task, int64_t stage, const char *attack,
                    const char *measure);

/* Each floor (and chance) that leaks most among the groups of an attack; NAN where none is known. */
void gnt_floors(const gnt_results *r, const char *task, int64_t stage, const char *attack,
                const gnt_measure *m, double floor[GNT_FLOORS], double *chance);

const char *gnt_utility_measure(const gnt_results *r, const char *task);

/* One defense's worst case over attacks. */
typedef struct gnt_standing {
    const char *defense;
    gnt_stand stand;
    const gnt_outcome *worst; /* the group where it leaks most; NULL: no number at all */
    const gnt_score *score;
    size_t judged, of; /* attacks with a number, of the attacks that gave any defense one */
} gnt_standing;

/* Standings of all defenses with a representative, best first: matched and judged on every attack, then
 * matched but not judged on every attack, then the rest. `rows` holds at least r->n_defense. Returns how
 * many. */
size_t gnt_rank(const gnt_results *r, const char *task, int64_t stage, const gnt_measure *m,
                gnt_standing *rows);

#endif
