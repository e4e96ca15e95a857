/* Compares leakage in tasks whose private targets are not the baseline's. No target has a pair, and a target
 * says nothing of another training run, so that training runs are the units. Where rounds were drawn, a
 * training run's mean is over all of its own. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gate/gate_impl.h"
#include "gate/target_pairs_impl.h"
#include "gate/welch_impl.h"
#include "metric/stats.h"

static int both_ok(const gnt_joined *j) {
    return j->now && j->before && j->now->status == GNT_CELL_OK && j->before->status == GNT_CELL_OK;
}

/* The means of one run's cells of one defense and attack, by training run. */
typedef struct table {
    int64_t *seed;
    double *by_seed;
    size_t *n_of_seed;
    size_t seeds;
    double shown; /* the mean in the measure's own direction */
    size_t cells;
} table;

static int make_table(table *t, size_t n) {
    *t = (table){.seed = gnt_array(n, sizeof *t->seed),
                 .by_seed = gnt_array(n, sizeof *t->by_seed),
                 .n_of_seed = gnt_array(n, sizeof *t->n_of_seed)};
    return t->seed && t->by_seed && t->n_of_seed ? 0 : -1;
}

static void free_table(table *t) {
    gnt_free(t->seed);
    gnt_free(t->by_seed);
    gnt_free(t->n_of_seed);
}

/* Adds x to the mean of its label. */
static void join_mean(int64_t *label, double *mean, size_t *n_of, size_t *n, int64_t of, double x) {
    size_t i = 0;
    while (i < *n && label[i] != of)
        i++;
    if (i == *n) {
        label[i] = of;
        mean[i] = 0;
        n_of[i] = 0;
        ++*n;
    }
    n_of[i]++;
    mean[i] += (x - mean[i]) / (double)n_of[i];
}

static int add_cell(table *t, const gate_maker *m, const gnt_outcome *o, const gnt_measure *measure,
                    const char *name) {
    gnt_pairs scores = {0};
    int rc = gnt_pairs_add_one(&scores, o, measure, gnt_targets_together(m->g->now, o), name, m->err);
    if (rc == 0 && scores.n > 0) {
        double x, variance;
        gnt_metric_moments(scores.d, scores.n, &x, &variance);
        join_mean(t->seed, t->by_seed, t->n_of_seed, &t->seeds, o->seed, x);
        t->cells++;
        t->shown += (scores.is - t->shown) / (double)t->cells;
    }
    gnt_pairs_free(&scores);
    return rc;
}

/* Sets `worse` and what it rests on. */
static void weigh_tables(gnt_gate_row *row, double tolerance, const table *now, const table *before) {
    gate_error e = {0};
    row->is = now->shown;
    row->was = before->shown;
    row->e.units = now->seeds + before->seeds;
    row->e.seeds = row->e.units;
    const double is = gate_error_add(&e, now->by_seed, now->seeds);
    row->worse = row->e.mean = is - gate_error_add(&e, before->by_seed, before->seeds);
    gate_error_settle(row, tolerance, &e,
                      now->seeds >= GATE_FEWEST_TRAININGS && before->seeds >= GATE_FEWEST_TRAININGS);
}

/* Compares one measure. j: the cells of one defense and attack at all drawn rounds, or at one. */
static int compare_measure(gate_maker *m, const gnt_joined *const *j, size_t n, const gnt_measure *measure) {
    table now = {0}, before = {0};
    const gnt_joined *first = NULL;
    int rc = make_table(&now, n) || make_table(&before, n)
                 ? gnt_fail(m->err, "out of memory for %zu cells", n)
                 : 0;
    for (size_t i = 0; i < n && rc == 0; i++) {
        if (!both_ok(j[i]))
            continue;
        first = first ? first : j[i];
        rc = add_cell(&now, m, j[i]->now, measure, m->now_name) ||
                     add_cell(&before, m, j[i]->before, measure, m->before_name)
                 ? -1
                 : 0;
    }
    gnt_gate_row *row = rc == 0 && now.cells && before.cells ? gate_add_row(m) : NULL;
    if (rc == 0 && now.cells && before.cells && !row)
        rc = -1;
    if (row) {
        gate_begin_leak_row(m, row, first, measure);
        weigh_tables(row, row->tolerance + row->allowance, &now, &before);
    }
    free_table(&now);
    free_table(&before);
    return rc;
}

static int by_defense(const void *a, const void *b) {
    const gnt_joined *x = *(const gnt_joined *const *)a, *y = *(const gnt_joined *const *)b;
    int d = gnt_join_compare(x, y, 0);
    return d ? d : (x > y) - (x < y);
}

static int say_undecided(gate_maker *m) {
    for (size_t i = 0; i < m->n_other; i++) {
        size_t rows = 0, unable = 0;
        for (size_t k = 0; k < m->g->n_row; k++) {
            const gnt_gate_row *row = &m->g->row[k];
            if (row->about != GNT_GATE_LEAKAGE || strcmp(row->cell->task, m->other[i]) != 0)
                continue;
            rows++;
            unable += row->e.p_least > 0;
        }
        if (rows == 0 || unable < rows)
            continue;
        m->g->undecided++;
        if (gate_add_finding(m, GNT_GATE_UNDECIDED, NULL, m->other[i],
                             "other targets than the baseline's, as under another run key, and fewer than 5 "
                             "trainings to tell what that does; give the suite 5 seeds, or run it under the "
                             "baseline's key") != 0)
            return -1;
    }
    return 0;
}

int gate_compare_other_targets(gate_maker *m) {
    const gnt_joined **some = gnt_array(m->n_cell + 1, sizeof *some);
    size_t n = 0;
    int rc = some ? 0 : gnt_fail(m->err, "out of memory for %zu cells", m->n_cell);
    for (size_t i = 0; i < m->n_cell && rc == 0; i++)
        if (m->cell[i].now && !m->cell[i].is_left && gate_has_other_targets(m, m->cell[i].now->task))
            some[n++] = &m->cell[i];
    if (n)
        qsort((void *)some, n, sizeof *some, by_defense);
    for (size_t i = 0, end; i < n && rc == 0; i = end) {
        const gnt_measure *lead[GNT_RECOVERS_KINDS];
        size_t leads = 0;
        for (end = i; end < n && gnt_join_compare(some[i], some[end], 0) == 0; end++)
            if (both_ok(some[end]) && leads == 0)
                leads = gnt_lead_measures(some[end]->before, lead);
        for (size_t k = 0; k < leads && rc == 0; k++)
            rc = compare_measure(m, some + i, end - i, lead[k]);
    }
    gnt_free((void *)some);
    return rc == 0 ? say_undecided(m) : rc;
}
