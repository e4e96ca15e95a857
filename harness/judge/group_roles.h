/* group_roles: which group of results answers a question: the one that represents a defense, the points of a
 * sweep, the columns of a matrix, the baselines. Pure; what is returned belongs to the results. */
#ifndef GNT_JUDGE_GROUP_ROLES_H
#define GNT_JUDGE_GROUP_ROLES_H

#include "judge/measure_text.h"
#include "judge/judge.h"

/* Kind of a group, by how its strength was chosen: only numbers of GNT_GROUP_MATCHED are compared with each
 * other. */
typedef enum gnt_group_kind {
    GNT_GROUP_UNDEFENDED,
    GNT_GROUP_MATCHED,
    GNT_GROUP_UNMATCHED,
    GNT_GROUP_FIXED,
    /* a defense that has no strength */
    GNT_GROUP_AS_IS,
    GNT_GROUP_SWEEP
} gnt_group_kind;

gnt_group_kind gnt_group_kind_of(const gnt_outcome *group);
const char *gnt_group_kind_name(gnt_group_kind kind);

/* True if a cell is one of those that a group joins. */
int gnt_stands_for(const gnt_outcome *cell, const gnt_outcome *group);

/* Returns the group that represents a defense in the matrix: the matched one, else undefended, else the first
 * fixed one; NULL if the defense was only swept or not tried. `attack` NULL: of any attack. */
const gnt_outcome *gnt_representative(const gnt_results *r, const char *task, int64_t stage,
                                      const char *defense, const char *attack);

/* A point of a sweep: a defense (its place in r->defense) at one of its strengths. */
typedef struct gnt_point {
    size_t defense;
    double strength;
} gnt_point;

/* Lists the points of all sweeps of a task and stage, by defense as the suite lists them, strengths rising;
 * at most `most`. Returns how many there are, which may be more. */
size_t gnt_sweep_points(const gnt_results *r, const char *task, int64_t stage, gnt_point *points,
                        size_t most);

/* Returns the group of a point under an attack (NULL: any; one that has a utility first). A sweep that does
 * not apply has no strengths: its one group represents all points. NULL if not tried. */
const gnt_outcome *gnt_sweep_group(const gnt_results *r, const char *task, int64_t stage, const gnt_point *p,
                                   const char *attack);

/* Lists the attacks that are columns of a matrix: those with a number for the measure, and those that gave no
 * number of any kind here (n/a or failed), so that nobody looks for them. Indices into r->attack; room for
 * r->n_attack. */
size_t gnt_columns(const gnt_results *r, const char *task, int64_t stage, const gnt_measure *m,
                   size_t *columns);

/* True if some ok group of the task and stage (and attack, unless NULL) has a number for the measure. */
int gnt_has_measure(const gnt_results *r, const char *task, int64_t stage, const char *attack,
                    const char *measure);

/* Sets every floor, and chance, to NAN. */
void gnt_floors_clear(double floor[GNT_FLOORS], double *chance);
/* Raises floors and chance to those of a group. False, and nothing is changed, if it states none for the
 * measure, is not of the requested kind (undefended or defended), or was scored against all rows of a client:
 * a guess at more rows is no baseline of the others. */
int gnt_floors_add(const gnt_outcome *g, const gnt_measure *m, int undefended, double floor[GNT_FLOORS],
                   double *chance);
/* Computes each floor (and chance) that leaks most among the undefended groups of an attack (NULL: of any),
 * or among all if none of these states any; NAN if none is known. Defended ones may be scored on other
 * questions: the attribute that most rows of a client have is guessed more easily than that of one row. */
void gnt_floors(const gnt_results *r, const char *task, int64_t stage, const char *attack,
                const gnt_measure *m, double floor[GNT_FLOORS], double *chance);

/* True if chance alone gives a group more than the section's baseline, so that its number is of another
 * question than those of others, and cannot be compared with them. */
int gnt_is_guess(const gnt_outcome *g, const gnt_measure *m, double floor);

/* Returns the floor that leaks most, chance among them, and its name; NAN and "" if none is known. */
double gnt_highest_floor(const gnt_measure *m, const double floor[GNT_FLOORS], double chance,
                         const char **name);

#endif
