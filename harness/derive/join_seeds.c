/* Cells that differ in the seed alone, joined over their targets. Each seed is a training run of its own. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "derive/derive.h"

/* Seeds vary fastest in a plan: a group is a stretch of its cells. */
typedef struct group {
    const gnt_outcome *cell;
    size_t n, targets;
    gnt_arena *arena;
    gnt_outcome *out;
} group;

/* Returns the length of the part of a cell's id before the seed; 0 if it has no seed. */
static size_t key_length(const gnt_outcome *cell) {
    const char *slash = strrchr(cell->id, '/');
    return slash ? (size_t)(slash - cell->id) : 0;
}

static int same_group(const gnt_outcome *a, const gnt_outcome *b) {
    const size_t n = key_length(a);
    return n && n == key_length(b) && memcmp(a->id, b->id, n) == 0;
}

/* ---- measures ---- */

/* Numbers with the training run that each is of: the index of its cell. */
typedef struct samples {
    double *x;
    int32_t *truth, *answer;
    int64_t *training;
    size_t n;
} samples;

static int samples_make(samples *s, size_t room) {
    *s = (samples){.x = gnt_array(room, sizeof *s->x),
                   .truth = gnt_array(room, sizeof *s->truth),
                   .answer = gnt_array(room, sizeof *s->answer),
                   .training = gnt_array(room, sizeof *s->training)};
    return s->x && s->truth && s->answer && s->training ? 0 : -1;
}

static void samples_free(samples *s) {
    gnt_free(s->x);
    gnt_free(s->truth);
    gnt_free(s->answer);
    gnt_free(s->training);
}

static void add_number(samples *s, double x, size_t training) {
    if (!isfinite(x))
        return;
    s->x[s->n] = x;
    s->training[s->n++] = (int64_t)training;
}

/* Appends a statistic; `join` has allocated the room. */
static void add_stat(const group *g, const char *measure, gnt_stat stat) {
    gnt_named_stats *list = &g->out->measures;
    ((gnt_named_stat *)(uintptr_t)list->at)[list->n++] = (gnt_named_stat){measure, stat};
}

static void add_stat_of(const group *g, const gnt_measure *m, const samples *s) {
    gnt_stat stat;
    if (s->n && gnt_measure_stat(&stat, m, s->x, s->training, s->n, NULL) == 0)
        add_stat(g, m->name, stat);
}

static void add_measure(const group *g, samples *s, const gnt_measure *m) {
    s->n = 0;
    for (size_t i = 0; i < g->n; i++)
        for (size_t t = 0; t < g->cell[i].targets.n; t++)
            add_number(s, g->cell[i].targets.at[t].score[gnt_measure_id_of(m)], i);
    add_stat_of(g, m, s);
}

/* Returns the mean of a measure over a cell, or NAN. */
static double mean_of(const gnt_outcome *cell, const char *measure) {
    for (size_t i = 0; i < cell->measures.n; i++)
        if (strcmp(cell->measures.at[i].measure, measure) == 0)
            return cell->measures.at[i].stat.mean;
    return NAN;
}

/* Adds balanced accuracy, which belongs to a cell as a whole, not to a target; the worst is that of the seed
 * that leaked most. batch: targets behind one observation, which share the attribute and the answer. */
static void add_balanced(const group *g, samples *s, gnt_measure_id id, int64_t batch) {
    const char *const name = gnt_measure_of(id)->name;
    gnt_estimate e;
    double most = -INFINITY;
    s->n = 0;
    for (size_t i = 0; i < g->n; i++) {
        const gnt_targets *targets = &g->cell[i].targets;
        const double mean = mean_of(&g->cell[i], name);
        most = isfinite(mean) ? fmax(most, mean) : most;
        for (size_t t = 0; t < targets->n; t += (size_t)batch) {
            const gnt_target *one = &targets->at[t];
            if (!gnt_fields_has(&gnt_target_fields, one, &one->attribute_truth))
                continue;
            s->truth[s->n] = (int32_t)one->attribute_truth;
            s->answer[s->n] = (int32_t)(id == GNT_MEASURE_ATTRIBUTE_BALANCED ? one->attribute_told
                                                                             : one->attribute_renamed);
            s->training[s->n++] = (int64_t)i;
        }
    }
    if (s->n && isfinite(most) &&
        gnt_estimate_balanced(&e, s->truth, s->answer, s->training, s->n, NULL) == 0)
        add_stat(g, name, gnt_measure_stat_whole(&e, most, s->n));
}

/* Adds the rank correlation of clients, which belongs to a cell as a whole: the mean over seeds, each counted
 * once. */
static void add_rank(const group *g, samples *s) {
    const gnt_measure *m = gnt_measure_of(GNT_MEASURE_CONTRIBUTION_RANK);
    s->n = 0;
    for (size_t i = 0; i < g->n; i++)
        add_number(s, mean_of(&g->cell[i], m->name), i);
    add_stat_of(g, m, s);
}

static int join_measures(const group *g, int64_t batch) {
    samples s;
    const int rc = samples_make(&s, g->targets + g->n);
    g->out->measures.at = gnt_arena_array(g->arena, GNT_MEASURES, sizeof *g->out->measures.at);
    if (rc == 0 && g->out->measures.at) {
        for (size_t i = 0; i < GNT_MEASURES; i++)
            if (!gnt_measure_at(i)->whole)
                add_measure(g, &s, gnt_measure_at(i));
        add_balanced(g, &s, GNT_MEASURE_ATTRIBUTE_BALANCED, batch);
        add_balanced(g, &s, GNT_MEASURE_ATTRIBUTE_RELABELLED, batch);
        add_rank(g, &s);
    }
    samples_free(&s);
    return rc;
}

/* ---- utility ---- */

/* Mean and range of numbers. */
typedef struct range {
    double sum, least, most;
    size_t n;
} range;

static const range no_range = {0, INFINITY, -INFINITY, 0};

static void add_to_range(range *r, double x) {
    if (!isfinite(x))
        return;
    r->sum += x;
    r->least = fmin(r->least, x);
    r->most = fmax(r->most, x);
    r->n++;
}

static double other_of(const gnt_outcome *cell, const char *name) {
    const gnt_other_utilities *list = &cell->utility.others;
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->at[i].name, name) == 0)
            return list->at[i].value;
    return NAN;
}

/* Joins the additional utilities, by the names in the first cell that has any. */
static void join_others(const group *g) {
    const gnt_other_utilities *names = NULL;
    for (size_t i = 0; !names && i < g->n; i++)
        names = g->cell[i].utility.others.at ? &g->cell[i].utility.others : NULL;
    gnt_other_utility *list = names ? gnt_arena_array(g->arena, names->n, sizeof *list) : NULL;
    for (size_t k = 0; list && k < names->n; k++) {
        range r = no_range;
        for (size_t i = 0; i < g->n; i++)
            add_to_range(&r, other_of(&g->cell[i], names->at[k].name));
        list[k] = (gnt_other_utility){names->at[k].name, NAN, NAN, NAN, NAN};
        if (r.n) {
            list[k].value = r.sum / (double)r.n;
            list[k].low = r.least;
            list[k].high = r.most;
        }
    }
    if (list)
        g->out->utility.others = (gnt_other_utilities){list, names->n};
}

static void join_utility(const group *g) {
    range value = no_range, none = no_range;
    for (size_t i = 0; i < g->n; i++) {
        add_to_range(&value, g->cell[i].utility.value);
        add_to_range(&none, g->cell[i].utility.none);
    }
    g->out->utility.none = none.n ? none.sum / (double)none.n : NAN;
    if (!value.n)
        return;
    g->out->utility.value = value.sum / (double)value.n;
    g->out->utility.low = value.least;
    g->out->utility.high = value.most;
    join_others(g);
}

/* ---- baselines and chance: means over the cells that have such a list ---- */

/* Returns the entry of a measure, which it adds if there is none. */
static gnt_named_floor *floor_of(gnt_named_floor *list, size_t *n, const char *measure) {
    for (size_t i = 0; i < *n; i++)
        if (strcmp(list[i].measure, measure) == 0)
            return &list[i];
    gnt_named_floor *one = &list[(*n)++];
    gnt_fields_clear(&gnt_floor_fields, one);
    one->measure = measure;
    return one;
}

static void join_floors(const group *g) {
    size_t room = 0, lists = 0, n = 0;
    for (size_t i = 0; i < g->n; i++) {
        room += g->cell[i].floors.n;
        lists += g->cell[i].floors.at != NULL;
    }
    gnt_named_floor *list = gnt_arena_array(g->arena, room, sizeof *list);
    for (size_t i = 0; list && i < g->n; i++)
        for (size_t k = 0; k < g->cell[i].floors.n; k++) {
            const gnt_named_floor *from = &g->cell[i].floors.at[k];
            gnt_named_floor *to = floor_of(list, &n, from->measure);
            for (size_t f = 0; f < GNT_FLOORS; f++) {
                if (!isfinite(from->floor[f]))
                    continue;
                const int has = gnt_fields_has(&gnt_floor_fields, to, &to->floor[f]);
                to->floor[f] = (has ? to->floor[f] : 0) + from->floor[f] / (double)lists;
                gnt_fields_mark(&gnt_floor_fields, to, &to->floor[f]);
            }
        }
    g->out->floors = (gnt_named_floors){list, n};
}

static double *chance_of(gnt_named_real *list, size_t *n, const char *measure) {
    for (size_t i = 0; i < *n; i++)
        if (strcmp(list[i].name, measure) == 0)
            return &list[i].value;
    list[*n] = (gnt_named_real){measure, 0};
    return &list[(*n)++].value;
}

static void join_chance(const group *g) {
    size_t room = 0, lists = 0, n = 0;
    for (size_t i = 0; i < g->n; i++) {
        room += g->cell[i].chance.n;
        lists += g->cell[i].chance.at != NULL;
    }
    gnt_named_real *list = gnt_arena_array(g->arena, room, sizeof *list);
    for (size_t i = 0; list && i < g->n; i++)
        for (size_t k = 0; k < g->cell[i].chance.n; k++) {
            const gnt_named_real *from = &g->cell[i].chance.at[k];
            if (isfinite(from->value))
                *chance_of(list, &n, from->name) += from->value / (double)lists;
        }
    g->out->chance = (gnt_named_reals){list, n};
}

/* ---- the whole ---- */

/* Returns the number of samples behind one observation of a cell's task. */
static int64_t batch_of(const gnt_result_tasks *tasks, const gnt_outcome *cell) {
    for (size_t i = 0; i < tasks->n; i++)
        if (strcmp(tasks->at[i].id, cell->task) == 0)
            return tasks->at[i].batch > 0 ? tasks->at[i].batch : 1;
    return 1;
}

/* Takes what all cells have in common from the first one; a group is ok if any cell is. */
static void join_coordinates(const group *g) {
    const gnt_outcome *first = &g->cell[0];
    gnt_outcome *out = g->out;
    out->task = first->task;
    out->stage = first->stage;
    out->defense = first->defense;
    out->strength = first->strength;
    out->mode = first->mode;
    out->attack = first->attack;
    out->matched = first->matched;
    out->n_cells = (int64_t)g->n;
    for (size_t i = 0; i < g->n; i++)
        out->n_ok += g->cell[i].status == GNT_CELL_OK;
    out->status = out->n_ok ? GNT_CELL_OK : first->status;
    out->reason = out->n_ok ? gnt_no_text : first->reason;
}

static int join(const group *g, const gnt_result_tasks *tasks) {
    gnt_fields_clear(&gnt_group_fields, g->out);
    join_coordinates(g);
    join_utility(g);
    join_floors(g);
    join_chance(g);
    return join_measures(g, batch_of(tasks, &g->cell[0]));
}

int gnt_derive_groups(gnt_outcomes *out, const gnt_outcomes *cells, const gnt_result_tasks *tasks,
                      gnt_arena *arena, gnt_err *err) {
    *out = (gnt_outcomes){gnt_arena_array(arena, cells->n, sizeof *out->at), 0};
    int rc = out->at ? 0 : -1;
    for (size_t i = 0; rc == 0 && i < cells->n;) {
        group g = {.cell = &cells->at[i], .arena = arena, .out = &out->at[out->n++]};
        while (i + g.n < cells->n && (g.n == 0 || same_group(g.cell, &g.cell[g.n])))
            g.targets += g.cell[g.n++].targets.n;
        rc = join(&g, tasks);
        i += g.n;
    }
    return rc == 0 && !arena->failed ? 0
                                     : gnt_fail(err, "out of memory for the groups of %zu cells", cells->n);
}
