#include "results/view.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

gnt_stand gnt_stand_of(const gnt_outcome *group) {
    if (group->mode == GNT_ROW_NONE)
        return GNT_STAND_NONE;
    if (group->mode == GNT_ROW_SWEEP)
        return GNT_STAND_SWEEP;
    if (group->matched)
        return GNT_STAND_MATCHED;
    return group->mode == GNT_ROW_MATCHED ? GNT_STAND_UNMATCHED : GNT_STAND_FIXED;
}

const char *gnt_stand_name(gnt_stand stand) {
    static const char *const names[] = {"undefended", "matched", "unmatched", "fixed strength", "sweep"};
    return names[stand];
}

static int by_stage(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

size_t gnt_stages(const gnt_results *r, const char *task, int64_t stages[GNT_MOST_STAGES]) {
    size_t n = 0;
    for (size_t i = 0; i < r->n_group && n < GNT_MOST_STAGES; i++) {
        size_t k = 0;
        if (strcmp(r->group[i].task, task))
            continue;
        while (k < n && stages[k] != r->group[i].stage)
            k++;
        if (k == n)
            stages[n++] = r->group[i].stage;
    }
    qsort(stages, n, sizeof *stages, by_stage);
    return n;
}

int gnt_is_at(const gnt_outcome *o, const char *task, int64_t stage) {
    return (stage == GNT_EVERY_STAGE || o->stage == stage) && !strcmp(o->task, task);
}

const gnt_outcome *gnt_representative(const gnt_results *r, const char *task, int64_t stage,
                                      const char *defense, const char *attack) {
    const gnt_outcome *best = NULL;
    for (size_t i = 0; i < r->n_group; i++) {
        const gnt_outcome *g = &r->group[i];
        if (g->mode == GNT_ROW_SWEEP || !gnt_is_at(g, task, stage) || strcmp(g->defense, defense) ||
            (attack && strcmp(g->attack, attack)))
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
    for (size_t d = 0; d < r->n_defense; d++)
        for (size_t i = 0; i < r->n_group; i++) {
            const gnt_outcome *g = &r->group[i];
            if (g->mode != GNT_ROW_SWEEP || isnan(g->strength) || !gnt_is_at(g, task, stage) ||
                strcmp(g->defense, r->defense[d]) != 0)
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
    qsort(points, n < most ? n : most, sizeof *points, rising);
    return n;
}

const gnt_outcome *gnt_sweep_group(const gnt_results *r, const char *task, int64_t stage, const gnt_point *p,
                                   const char *attack) {
    const gnt_outcome *best = NULL;
    for (size_t i = 0; i < r->n_group; i++) {
        const gnt_outcome *g = &r->group[i];
        if (g->mode != GNT_ROW_SWEEP || !gnt_is_at(g, task, stage) ||
            strcmp(g->defense, r->defense[p->defense]) != 0 || (attack && strcmp(g->attack, attack) != 0) ||
            (g->strength != p->strength && !isnan(g->strength)))
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

/* What the suite says of a task, or NULL. */
static const json_t *facts_of(const gnt_results *r, const char *task) {
    const json_t *list = json_object_get(r->root, "tasks");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        const char *id = json_string_value(json_object_get(one, "id"));
        if (id && !strcmp(id, task))
            return one;
    }
    return NULL;
}

int gnt_was_trained(const gnt_results *r, const char *task) {
    const json_t *rounds = json_object_get(facts_of(r, task), "rounds");
    return !json_is_integer(rounds) || json_integer_value(rounds) > 0;
}

static void every_stage_words(const gnt_results *r, const char *task, char *text, size_t size) {
    int64_t stages[GNT_MOST_STAGES];
    const size_t n = gnt_stages(r, task, stages);
    size_t used = (size_t)snprintf(text, size, "worst of round%s ", n == 1 ? "" : "s");
    for (size_t i = 0; i < n && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%" PRId64, i ? ", " : "", stages[i]);
}

void gnt_stage_words(const gnt_results *r, const char *task, int64_t stage, char *text, size_t size) {
    if (stage == GNT_EVERY_STAGE)
        every_stage_words(r, task, text, size);
    else if (stage || gnt_facts_of(r, task)->in_round)
        snprintf(text, size, "round %" PRId64, stage);
    else
        snprintf(text, size, "%s",
                 json_is_true(json_object_get(facts_of(r, task), "weights")) ? "given weights"
                                                                             : "before training");
}

int gnt_utility_varies(const gnt_results *r, const char *task, int64_t stage) {
    double low = NAN, high = NAN;
    for (size_t i = 0; i < r->n_group; i++) {
        const gnt_outcome *g = &r->group[i];
        if (!gnt_is_at(g, task, stage) || g->status != GNT_CELL_OK || !isfinite(g->utility.value))
            continue;
        low = isnan(low) ? g->utility.value : fmin(low, g->utility.value);
        high = isnan(high) ? g->utility.value : fmax(high, g->utility.value);
    }
    double scale = gnt_utility_scale(gnt_utility_measure(r, task)) == 100 ? 1 : fmax(fabs(low), fabs(high));
    return high - low > 0.01 * scale;
}

static const gnt_score *number_of(const gnt_outcome *g, const char *measure) {
    const gnt_score *s = g && g->status == GNT_CELL_OK ? gnt_score_find(g, measure) : NULL;
    return s && isfinite(s->stat.mean) ? s : NULL;
}

int gnt_has_measure(const gnt_results *r, const char *task, int64_t stage, const char *attack,
                    const char *measure) {
    for (size_t i = 0; i < r->n_group; i++) {
        const gnt_outcome *g = &r->group[i];
        if (gnt_is_at(g, task, stage) && (!attack || !strcmp(g->attack, attack)) && number_of(g, measure))
            return 1;
    }
    return 0;
}

void gnt_floors(const gnt_results *r, const char *task, int64_t stage, const char *attack,
                const gnt_measure *m, double floor[GNT_FLOORS], double *chance) {
    for (int f = 0; f < GNT_FLOORS; f++)
        floor[f] = NAN;
    *chance = NAN;
    for (size_t i = 0; i < r->n_group; i++) {
        const gnt_outcome *g = &r->group[i];
        if (!gnt_is_at(g, task, stage) || (attack && strcmp(g->attack, attack) != 0))
            continue;
        const gnt_score *s = number_of(g, m->name);
        if (!s)
            continue;
        for (int f = 0; f < GNT_FLOORS; f++)
            if (gnt_leaks_more(m, s->floor[f], floor[f]))
                floor[f] = s->floor[f];
        if (gnt_leaks_more(m, s->chance, *chance))
            *chance = s->chance;
    }
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

const char *gnt_utility_measure(const gnt_results *r, const char *task) {
    for (size_t i = 0; i < r->n_group; i++)
        if (!strcmp(r->group[i].task, task) && r->group[i].utility.measure[0])
            return r->group[i].utility.measure;
    return "";
}
