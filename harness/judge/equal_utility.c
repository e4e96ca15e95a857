#include "judge/equal_utility.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "judge/curve.h"
#include "judge/group_roles.h"
#include "judge/section.h"

/* Where the suite says nothing: halfway between the floor and no defense. */
static const double usual_share = 0.5;

enum { MOST_ROWS = 1 << 20, MOST_SHARES = 16 };

/* The cells of curves, sorted by task, stage, defense and attack, then as they stand in the file. */
typedef struct sorted {
    const gnt_outcome **cell;
    size_t n;
} sorted;

/* One defense under one attack, at a task and stage. */
typedef struct place {
    const gnt_results *r;
    const sorted *cells;
    const char *task, *defense, *attack;
    int64_t stage;
    const gnt_measure *measure;
} place;

/* ---- cells of a curve ---- */

static int by_place(const gnt_outcome *a, const gnt_outcome *b) {
    int order = strcmp(a->task, b->task);
    if (order == 0)
        order = (a->stage > b->stage) - (a->stage < b->stage);
    if (order == 0)
        order = strcmp(a->defense, b->defense);
    return order ? order : strcmp(a->attack, b->attack);
}

static int by_place_and_cell(const void *a, const void *b) {
    const gnt_outcome *x = *(const gnt_outcome *const *)a, *y = *(const gnt_outcome *const *)b;
    const int order = by_place(x, y);
    return order ? order : x < y ? -1 : x > y; /* both in one array */
}

static int sort_cells(const gnt_results *r, sorted *out, gnt_err *err) {
    out->n = 0;
    out->cell = gnt_array(r->n_cell + 1, sizeof *out->cell);
    if (!out->cell)
        return gnt_fail(err, "out of memory for curves");
    for (size_t i = 0; i < r->n_cell; i++) {
        const gnt_outcome *o = &r->cell[i];
        if (gnt_on_curve(o))
            out->cell[out->n++] = o;
    }
    qsort(out->cell, out->n, sizeof *out->cell, by_place_and_cell);
    return 0;
}

/* Returns the index of the first cell that does not sort before the place. */
static size_t first_of(const sorted *all, const gnt_outcome *place_of) {
    size_t low = 0, high = all->n;
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        if (by_place(all->cell[mid], place_of) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* Returns the number of cells of a place; *first is the index of the first. */
static size_t find_cells(const place *p, size_t *first) {
    const gnt_outcome here = {.task = p->task, .stage = p->stage, .defense = p->defense, .attack = p->attack};
    const sorted *all = p->cells;
    *first = first_of(all, &here);
    size_t end = *first;
    while (end < all->n && by_place(all->cell[end], &here) == 0)
        end++;
    return end - *first;
}

static void exchange(gnt_curve *c) {
    for (size_t i = 0; i < c->n * c->n_seeds; i++)
        c->point[i] = (gnt_equal_point){c->point[i].y, c->point[i].x};
}

/* ---- the requested leakage ---- */

/* Lists the shares of leakage at which the suite compares utilities, and returns their number. */
static size_t shares_of(const gnt_results *r, const char *task, double share[MOST_SHARES]) {
    const gnt_result_task *of = gnt_task_of(r, task);
    const size_t listed = of ? of->equal_leakage.n : 0, n = listed < MOST_SHARES ? listed : MOST_SHARES;
    for (size_t i = 0; i < n; i++) {
        const double one = of->equal_leakage.at[i];
        share[i] = one > 0 && one < 1 ? one : usual_share;
    }
    if (n == 0)
        share[0] = usual_share;
    return n ? n : 1;
}

/* Returns the leakage at a share of the way from the baseline to the undefended score. NAN if the attack has
 * no undefended group or no known baseline. */
static double leakage_of(const place *p, double share) {
    const char *name;
    const double floor = gnt_section_floor(p->r, p->task, p->stage, p->measure, &name);
    for (size_t i = 0; i < p->r->n_group; i++) {
        const gnt_outcome *g = &p->r->group[i];
        if (g->mode != GNT_ROW_NONE || !gnt_is_at(g, p->task, p->stage) || strcmp(g->attack, p->attack) != 0)
            continue;
        const gnt_score *s = gnt_number_of(g, p->measure->name);
        if (s)
            return floor + share * (s->stat.mean - floor);
    }
    return NAN;
}

/* ---- rows ---- */

static int add_row(gnt_equal_rows *out, const gnt_equal_row *row, gnt_err *err) {
    if (out->n == MOST_ROWS)
        return 0;
    if (GNT_GROW(out->row, out->n) != 0)
        return gnt_fail(err, "out of memory for curves");
    out->row[out->n++] = *row;
    return 0;
}

/* Adds one row for each place at which the curve is read. */
static int read_at(const place *p, gnt_curve *c, const double *at, size_t n, gnt_equal_rows *out,
                   gnt_err *err) {
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < n && c->n_seeds > 0; i++) {
        gnt_equal_row row = {.task = p->task,
                             .defense = p->defense,
                             .attack = p->attack,
                             .stage = p->stage,
                             .measure = p->measure,
                             .at = at[i],
                             .from = NAN,
                             .to = NAN};
        rc = gnt_metric_equal(&row.found, c->point, c->n, c->n_seeds, row.at, NULL, err);
        if (rc == 0 && row.found.verdict == GNT_EQUAL_FOUND) {
            row.from = c->strength[row.found.from];
            row.to = c->strength[row.found.to];
        }
        rc = rc ? rc : add_row(out, &row, err);
    }
    return rc;
}

static int read_off(const place *p, size_t first, size_t n, int by_leakage, gnt_equal_rows *out,
                    gnt_err *err) {
    gnt_curve c;
    double at[MOST_SHARES];
    const size_t n_at = by_leakage ? shares_of(p->r, p->task, at) : 1;
    for (size_t i = 0; i < n_at; i++)
        at[i] = by_leakage ? leakage_of(p, at[i]) : gnt_target_utility(p->r, p->task);
    if (isnan(at[0]))
        return 0;
    if (gnt_curve_make(&c, p->cells->cell + first, n, p->measure, err) != 0)
        return -1;
    if (by_leakage)
        exchange(&c);
    const int rc = read_at(p, &c, at, n_at, out, err);
    gnt_curve_free(&c);
    return rc;
}

static int add_defense(place *p, const unsigned char drawn[GNT_MEASURES], int by_leakage, gnt_equal_rows *out,
                       gnt_err *err) {
    int rc = 0;
    for (size_t a = 0; rc == 0 && a < p->r->n_attack; a++) {
        size_t first;
        p->attack = p->r->attack[a];
        const size_t n = find_cells(p, &first);
        for (size_t k = 0; rc == 0 && n && k < GNT_MEASURES; k++) {
            p->measure = gnt_measure_at(k);
            if (drawn[k])
                rc = read_off(p, first, n, by_leakage, out, err);
        }
    }
    return rc;
}

/* m: NULL: all measures. */
static int add_stage(const gnt_results *r, const sorted *cells, const char *task, int64_t stage,
                     const gnt_measure *m, int by_leakage, gnt_equal_rows *out, gnt_err *err) {
    unsigned char drawn[GNT_MEASURES];
    int rc = 0;
    for (size_t k = 0; k < GNT_MEASURES; k++)
        drawn[k] = (!m || m == gnt_measure_at(k)) && gnt_section_draws(r, task, stage, gnt_measure_at(k));
    for (size_t d = 0; rc == 0 && d < r->n_defense; d++) {
        place p = {.r = r, .cells = cells, .task = task, .stage = stage, .defense = r->defense[d]};
        rc = add_defense(&p, drawn, by_leakage, out, err);
    }
    return rc;
}

static int add_all(const gnt_results *r, int by_leakage, gnt_equal_rows *out, gnt_err *err) {
    sorted cells;
    *out = (gnt_equal_rows){0};
    int rc = sort_cells(r, &cells, err);
    for (size_t t = 0; rc == 0 && t < r->n_task; t++) {
        int64_t stages[GNT_MOST_STAGES];
        const int comparable = by_leakage || !isnan(gnt_target_utility(r, r->task[t]));
        const size_t n = comparable ? gnt_stages(r, r->task[t], stages) : 0;
        for (size_t s = 0; rc == 0 && s < n; s++)
            rc = add_stage(r, &cells, r->task[t], stages[s], NULL, by_leakage, out, err);
    }
    gnt_free(cells.cell);
    if (rc != 0)
        gnt_equal_free(out);
    return rc;
}

int gnt_equal_of(const gnt_results *r, const char *task, int64_t stage, const gnt_measure *m, int by_leakage,
                 gnt_equal_rows *out, gnt_err *err) {
    sorted cells;
    *out = (gnt_equal_rows){0};
    int rc = sort_cells(r, &cells, err);
    if (rc == 0 && (by_leakage || !isnan(gnt_target_utility(r, task))))
        rc = add_stage(r, &cells, task, stage, m, by_leakage, out, err);
    gnt_free(cells.cell);
    if (rc != 0)
        gnt_equal_free(out);
    return rc;
}

int gnt_equal_utility(const gnt_results *r, gnt_equal_rows *out, gnt_err *err) {
    return add_all(r, 0, out, err);
}

int gnt_equal_leakage(const gnt_results *r, gnt_equal_rows *out, gnt_err *err) {
    return add_all(r, 1, out, err);
}

void gnt_equal_free(gnt_equal_rows *rows) {
    gnt_free(rows->row);
    *rows = (gnt_equal_rows){0};
}

/* ---- results.json ---- */

static gnt_result_equal entry_of(const gnt_equal_row *w, int by_leakage) {
    const char *reason = gnt_equal_reason(w->found.verdict, !by_leakage);
    return (gnt_result_equal){.task = w->task,
                              .stage = w->stage,
                              .defense = w->defense,
                              .attack = w->attack,
                              .measure = w->measure->name,
                              .utility = by_leakage ? w->found.value : w->at,
                              .leakage = by_leakage ? w->at : w->found.value,
                              .standard_error = w->found.error,
                              .low = w->found.low,
                              .high = w->found.high,
                              .strengths = (int64_t)w->found.strengths,
                              .seeds = (int64_t)w->found.seeds,
                              .from = w->from,
                              .to = w->to,
                              .reason = *reason ? reason : gnt_no_text};
}

static int list_all(const gnt_results *r, int by_leakage, gnt_result_equals *out, gnt_arena *arena,
                    gnt_err *err) {
    gnt_equal_rows rows;
    if (add_all(r, by_leakage, &rows, err) != 0)
        return -1;
    gnt_result_equal *list = gnt_arena_array(arena, rows.n, sizeof *list);
    for (size_t i = 0; list && i < rows.n; i++)
        list[i] = entry_of(&rows.row[i], by_leakage);
    *out = (gnt_result_equals){list, rows.n};
    gnt_equal_free(&rows);
    return list ? 0 : gnt_fail(err, "out of memory for curves");
}

int gnt_equal_fill(gnt_result *of, const gnt_results *r, gnt_err *err) {
    return list_all(r, 0, &of->equal_utility, &of->memory, err) ||
                   list_all(r, 1, &of->equal_leakage, &of->memory, err)
               ? -1
               : 0;
}
