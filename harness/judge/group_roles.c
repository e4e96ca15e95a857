#include "judge/group_roles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

gnt_group_kind gnt_group_kind_of(const gnt_outcome *group) {
    if (group->mode == GNT_ROW_NONE)
        return GNT_GROUP_UNDEFENDED;
    if (group->mode == GNT_ROW_SWEEP)
        return GNT_GROUP_SWEEP;
    if (group->mode == GNT_ROW_AS_IS)
        return GNT_GROUP_AS_IS;
    if (group->matched)
        return GNT_GROUP_MATCHED;
    return group->mode == GNT_ROW_MATCHED ? GNT_GROUP_UNMATCHED : GNT_GROUP_FIXED;
}

const char *gnt_group_kind_name(gnt_group_kind kind) {
    static const char *const names[] = {"undefended",     "matched",  "unmatched",
                                        "fixed strength", "as it is", "sweep"};
    return names[kind];
}

int gnt_stands_for(const gnt_outcome *cell, const gnt_outcome *group) {
    const int same_strength =
        cell->strength == group->strength || isnan(cell->strength) || isnan(group->strength);
    return cell->mode == group->mode && same_strength && cell->stage == group->stage &&
           !strcmp(cell->task, group->task) && !strcmp(cell->defense, group->defense) &&
           !strcmp(cell->attack, group->attack);
}

const gnt_outcome *gnt_representative(const gnt_results *r, const char *task, int64_t stage,
                                      const char *defense, const char *attack) {
    const gnt_outcome *best = NULL;
    const gnt_indices own = gnt_groups_of(r, task, defense);
    for (size_t i = 0; i < own.n; i++) {
        const gnt_outcome *g = &r->group[own.at[i]];
        if (g->mode == GNT_ROW_SWEEP || !gnt_is_at(g, task, stage) ||
            (attack && g->attack != attack && strcmp(g->attack, attack)))
            continue;
        /* matched before undefended before fixed; a second group of the same mode never replaces the first */
        int better = !best || (g->mode == GNT_ROW_MATCHED && best->mode != GNT_ROW_MATCHED) ||
                     (g->mode == GNT_ROW_NONE && best->mode == GNT_ROW_FIXED);
        if (better)
            best = g;
    }
    return best;
}

static int rising(const void *a, const void *b) {
    const gnt_point *p = a, *q = b;
    if (p->defense != q->defense)
        return p->defense < q->defense ? -1 : 1;
    return (p->strength > q->strength) - (p->strength < q->strength);
}

size_t gnt_sweep_points(const gnt_results *r, const char *task, int64_t stage, gnt_point *points,
                        size_t most) {
    size_t n = 0;
    for (size_t d = 0; d < r->n_defense; d++) {
        const gnt_indices own = gnt_groups_of(r, task, r->defense[d]);
        for (size_t i = 0; i < own.n; i++) {
            const gnt_outcome *g = &r->group[own.at[i]];
            if (g->mode != GNT_ROW_SWEEP || isnan(g->strength) || !gnt_is_at(g, task, stage))
                continue;
            size_t k = 0, room = n < most ? n : most;
            while (k < room && (points[k].defense != d || points[k].strength != g->strength))
                k++;
            if (k < room)
                continue;
            if (n < most)
                points[n] = (gnt_point){d, g->strength};
            n++;
        }
    }
    qsort(points, n < most ? n : most, sizeof *points, rising);
    return n;
}

const gnt_outcome *gnt_sweep_group(const gnt_results *r, const char *task, int64_t stage, const gnt_point *p,
                                   const char *attack) {
    const gnt_outcome *best = NULL;
    const gnt_indices own = gnt_groups_of(r, task, r->defense[p->defense]);
    for (size_t i = 0; i < own.n; i++) {
        const gnt_outcome *g = &r->group[own.at[i]];
        if (g->mode != GNT_ROW_SWEEP || !gnt_is_at(g, task, stage) ||
            (attack && strcmp(g->attack, attack) != 0) || (g->strength != p->strength && !isnan(g->strength)))
            continue;
        if (!best || (isnan(best->utility.value) && isfinite(g->utility.value)))
            best = g;
    }
    return best;
}

static int has_any_number(const gnt_results *r, const char *task, int64_t stage, const char *attack,
                          int *planned) {
    *planned = 0;
    for (size_t i = 0; i < r->n_group; i++) {
        const gnt_outcome *g = &r->group[i];
        if (!gnt_is_at(g, task, stage) || strcmp(g->attack, attack) != 0)
            continue;
        *planned = 1;
        if (g->status == GNT_CELL_OK && g->n_score > 0)
            return 1;
    }
    return 0;
}

size_t gnt_columns(const gnt_results *r, const char *task, int64_t stage, const gnt_measure *m,
                   size_t *columns) {
    size_t n = 0;
    for (size_t a = 0; a < r->n_attack; a++) {
        int planned;
        if (gnt_has_measure(r, task, stage, r->attack[a], m->name) ||
            (!has_any_number(r, task, stage, r->attack[a], &planned) && planned))
            columns[n++] = a;
    }
    return n;
}

int gnt_has_measure(const gnt_results *r, const char *task, int64_t stage, const char *attack,
                    const char *measure) {
    for (size_t i = 0; i < r->n_group; i++) {
        const gnt_outcome *g = &r->group[i];
        if (gnt_is_at(g, task, stage) && (!attack || !strcmp(g->attack, attack)) && gnt_number_of(g, measure))
            return 1;
    }
    return 0;
}

void gnt_floors_clear(double floor[GNT_FLOORS], double *chance) {
    for (int f = 0; f < GNT_FLOORS; f++)
        floor[f] = NAN;
    *chance = NAN;
}

int gnt_floors_add(const gnt_outcome *g, const gnt_measure *m, int undefended, double floor[GNT_FLOORS],
                   double *chance) {
    const gnt_score *s = gnt_number_of(g, m->name);
    if (!s || (gnt_group_kind_of(g) == GNT_GROUP_UNDEFENDED) != undefended || gnt_is_of_all_rows(g))
        return 0;
    int any = !isnan(s->chance);
    for (int f = 0; f < GNT_FLOORS; f++) {
        any |= !isnan(s->floor[f]);
        if (gnt_leaks_more(m, s->floor[f], floor[f]))
            floor[f] = s->floor[f];
    }
    if (gnt_leaks_more(m, s->chance, *chance))
        *chance = s->chance;
    return any;
}

void gnt_floors(const gnt_results *r, const char *task, int64_t stage, const char *attack,
                const gnt_measure *m, double floor[GNT_FLOORS], double *chance) {
    int found = 0;
    gnt_floors_clear(floor, chance);
    for (int undefended = 1; undefended >= 0 && !found; undefended--)
        for (size_t i = 0; i < r->n_group; i++) {
            const gnt_outcome *g = &r->group[i];
            if (gnt_is_at(g, task, stage) && (!attack || !strcmp(g->attack, attack)))
                found |= gnt_floors_add(g, m, undefended, floor, chance);
        }
}

int gnt_is_guess(const gnt_outcome *g, const gnt_measure *m, double floor) {
    static const double rounding = 1e-9;
    const gnt_score *s = g ? gnt_number_of(g, m->name) : NULL;
    return s && !isnan(floor) && !isnan(s->chance) && !gnt_is_of_all_rows(g) &&
           gnt_leaks_more(m, s->chance, floor) && fabs(s->chance - floor) > rounding;
}

double gnt_highest_floor(const gnt_measure *m, const double floor[GNT_FLOORS], double chance,
                         const char **name) {
    static const char *const names[GNT_FLOORS] = {"random guess", "mean image", "nearest public image",
                                                  "another image"};
    double highest = chance;
    *name = isfinite(chance) ? "chance" : "";
    for (int f = 0; f < GNT_FLOORS; f++)
        if (gnt_leaks_more(m, floor[f], highest)) {
            highest = floor[f];
            *name = names[f];
        }
    return highest;
}
