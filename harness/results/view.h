/* view: the questions that tables, plots and pages ask of the results: which stages, which group stands for a
 * defense, what the floors are. Pure; nothing here owns memory unless it says so. */
#ifndef GNT_RESULTS_VIEW_H
#define GNT_RESULTS_VIEW_H

#include "results/measure.h"
#include "results/results.h"

/* Where a defense's number stands: only GNT_STAND_MATCHED numbers are compared with each other. */
typedef enum gnt_stand {
    GNT_STAND_NONE,
    GNT_STAND_MATCHED,
    GNT_STAND_UNMATCHED,
    GNT_STAND_FIXED,
    GNT_STAND_SWEEP
} gnt_stand;

/* A stage that stands for all of a task. */
enum { GNT_MOST_STAGES = 64, GNT_EVERY_STAGE = -1 };

/* 1 when an outcome is of a task and stage. */
int gnt_is_at(const gnt_outcome *o, const char *task, int64_t stage);

gnt_stand gnt_stand_of(const gnt_outcome *group);
const char *gnt_stand_name(gnt_stand stand);

/* The stages of a task, rising, without repeats; at most GNT_MOST_STAGES (the first ones). */
size_t gnt_stages(const gnt_results *r, const char *task, int64_t stages[GNT_MOST_STAGES]);

/* The group that stands for a defense in the matrix: the matched one, else undefended, else the first fixed
 * one; NULL when the defense was only swept or not tried. `attack` NULL: of any attack. */
const gnt_outcome *gnt_representative(const gnt_results *r, const char *task, int64_t stage,
                                      const char *defense, const char *attack);

/* A point of a sweep: a defense at one of its strengths. */
typedef struct gnt_point {
    size_t defense; /* in r->defense */
    double strength;
} gnt_point;

/* The points of all sweeps of a task and stage, by defense as the suite lists them, strengths rising; at most
 * `most`. Returns how many there are, which may be more. */
size_t gnt_sweep_points(const gnt_results *r, const char *task, int64_t stage, gnt_point *points,
                        size_t most);

/* The group of a point under an attack (NULL: any; one that has a utility first). A sweep that does not apply
 * has no strengths: its one group stands for all points. NULL when not tried. */
const gnt_outcome *gnt_sweep_group(const gnt_results *r, const char *task, int64_t stage, const gnt_point *p,
                                   const char *attack);

/* The attacks that are columns of a matrix: those with a number for the measure, and those that gave no number
 * of any kind here (they do not apply, or failed), so that nobody looks for them. Indices into r->attack; room
 * for r->n_attack. */
size_t gnt_columns(const gnt_results *r, const char *task, int64_t stage, const gnt_measure *m,
                   size_t *columns);

/* 0 where the task's network was never trained under a defense: it was attacked as it is. */
int gnt_was_trained(const gnt_results *r, const char *task);
/* "round 10"; of stage 0 "before training", or "given weights" where they came from a file; of every stage "worst of rounds
 * 2, 5, 9". */
void gnt_stage_words(const gnt_results *r, const char *task, int64_t stage, char *text, size_t size);

/* 1 when defenses make a difference to utility here: by more than one point of accuracy, or one per cent of
 * another measure. */
int gnt_utility_varies(const gnt_results *r, const char *task, int64_t stage);

/* 1 when some ok group of the task and stage (and attack, unless NULL) has a number for the measure. */
int gnt_has_measure(const gnt_results *r, const char *task, int64_t stage, const char *attack,
                    const char *measure);

/* Each floor (and chance) that leaks most among the groups of an attack (NULL: of any); NAN where none is known. */
void gnt_floors(const gnt_results *r, const char *task, int64_t stage, const char *attack,
                const gnt_measure *m, double floor[GNT_FLOORS], double *chance);

/* The floor that leaks most, chance among them, and what it is called; NAN and "" when none is known. */
double gnt_highest_floor(const gnt_measure *m, const double floor[GNT_FLOORS], double chance,
                         const char **name);

const char *gnt_utility_measure(const gnt_results *r, const char *task);

#endif
