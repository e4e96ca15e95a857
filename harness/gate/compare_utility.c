/* Compares utility of the training runs that both runs have. The tests of a seed's two models share their
 * samples, so that adding up their standard errors errs to the safe side; how far two training runs of one
 * seed scatter beyond that is measured. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gate/gate_impl.h"
#include "gate/welch_impl.h"
#include "metric/stats.h"

typedef struct trained {
    const gnt_outcome *now, *before;
    size_t order;
} trained;

/* True if two cells are of one training run but for the seed: its stages and attacks have one utility. */
static int same_point(const gnt_outcome *a, const gnt_outcome *b) {
    return !strcmp(a->task, b->task) && !strcmp(a->defense, b->defense) && a->mode == b->mode &&
           (a->strength == b->strength || (isnan(a->strength) && isnan(b->strength)));
}

static int compare(const gnt_outcome *x, const gnt_outcome *y) {
    int d = strcmp(x->task, y->task);
    if (d == 0)
        d = strcmp(x->defense, y->defense);
    if (d == 0)
        d = (int)x->mode - (int)y->mode;
    if (d == 0 && isnan(x->strength) != isnan(y->strength))
        d = isnan(x->strength) ? -1 : 1;
    if (d == 0)
        d = (x->strength > y->strength) - (x->strength < y->strength);
    if (d == 0)
        d = (x->seed > y->seed) - (x->seed < y->seed);
    return d;
}

static int by_training(const void *a, const void *b) {
    const trained *x = a, *y = b;
    int d = compare(x->now, y->now);
    return d ? d : (x->order > y->order) - (x->order < y->order);
}

/* Lists the training runs whose utility is compared. A matched utility is what a search made it: whether the
 * search still reaches it is judged separately, and so is utility at the baseline's strength
 * (compare_strengths.c). A redrawn run made no search. */
static size_t list_trainings(const gate_maker *m, trained *list) {
    size_t n = 0, kept = 0;
    for (size_t i = 0; i < m->n_cell; i++) {
        const gnt_outcome *now = m->cell[i].now, *before = m->cell[i].before;
        if (!now || !before ||
            ((now->mode == GNT_ROW_MATCHED || before->mode == GNT_ROW_MATCHED) && !m->g->redrawn) ||
            strcmp(now->utility.measure, before->utility.measure) != 0)
            continue;
        if (isfinite(now->utility.value) && isfinite(before->utility.value) && now->utility.error >= 0 &&
            before->utility.error >= 0 && fabs(now->utility.value) < 1e100 &&
            fabs(before->utility.value) < 1e100 && now->utility.error < 1e100 &&
            before->utility.error < 1e100)
            list[n++] = (trained){now, before, i};
    }
    qsort(list, n, sizeof *list, by_training);
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || compare(list[kept - 1].now, list[i].now) != 0)
            list[kept++] = list[i];
    return kept;
}

/* Returns the sample variance; 0 for n = 1. */
static double variance_of(const double *x, size_t n) {
    double mean, variance;
    gnt_metric_moments(x, n, &mean, &variance);
    return variance;
}

/* Fills one row for the n seeds of a training; x has room for 3n numbers. The scatter between two training
 * runs of a seed is estimated from their differences, and bounded by the scatter of seeds within each run,
 * which is the better estimate if there are only two: f multiplies the standard errors by the larger one.
 * is_other: the runs share nothing, but all training runs of each share its test samples. */
static void weigh(gnt_gate_row *row, const trained *t, size_t n, double tolerance, int is_other, double *x) {
    const char *measure = t->now->utility.measure;
    int differ = 0;
    double squares = 0, *is = x + n, *was = x + 2 * n;
    *row = (gnt_gate_row){.cell = t->now,
                          .old = t->before,
                          .measure = measure,
                          .about = GNT_GATE_UTILITY,
                          .tolerance = tolerance};
    for (size_t i = 0; i < n; i++) {
        const gnt_utility *a = &t[i].now->utility, *b = &t[i].before->utility;
        is[i] = a->value;
        was[i] = b->value;
        x[i] = is[i] - was[i];
        row->is += is[i] / (double)n;
        row->was += was[i] / (double)n;
        squares += a->error * a->error + b->error * b->error;
        differ |= is[i] != was[i];
    }
    row->worse = gnt_utility_sign(measure) * (row->was - row->is);
    double scatter = fmax(variance_of(x, n), variance_of(is, n) + variance_of(was, n));
    double error = fmax(sqrt(squares) / (double)n, 1e-12); /* an exact utility: any difference is one */
    row->e = (gnt_evidence){.mean = row->worse,
                            .t = (row->worse - tolerance) / error,
                            .t_less = (-row->worse - tolerance) / error,
                            .f = n > 1 && squares > 0 ? 1 + scatter / (squares / (double)n) : NAN,
                            .freedom = INFINITY,
                            .units = n,
                            .seeds = n,
                            .between = n - 1};
    if (is_other)
        gate_weigh_welch(row, tolerance, is, n, was, n, squares / (double)n);
    row->p = row->p_less = 1;
    row->verdict = differ ? GNT_GATE_WITHIN : GNT_GATE_SAME;
}

/* Returns the tolerance of the cell's search: the search stops anywhere within it, so its utility may vary by
 * as much. */
static double tolerance_of(const gate_maker *m, const gnt_outcome *o) {
    const double tolerance = gnt_gate_tolerance(&m->g->settings, "utility");
    const gnt_results *r = m->g->before;
    for (size_t i = 0; i < r->n_match && o->mode == GNT_ROW_MATCHED; i++)
        if (!strcmp(r->match[i].task, o->task) && !strcmp(r->match[i].defense, o->defense))
            return fmax(tolerance, r->match[i].tolerance);
    return tolerance;
}

static int add_training(gate_maker *m, const trained *t, size_t n) {
    gnt_gate_row *row = gate_add_row(m);
    double *x = gnt_array(3 * n, sizeof *x);
    int rc = row && x ? 0 : gnt_fail(m->err, "out of memory for the utility of %zu seeds", n);
    if (rc == 0)
        weigh(row, t, n, tolerance_of(m, t->now), gate_has_other_targets(m, t->now->task), x);
    gnt_free(x);
    return rc;
}

int gate_compare_utility(gate_maker *m) {
    trained *list = gnt_array(m->n_cell ? m->n_cell : 1, sizeof *list);
    int rc = list ? 0 : gnt_fail(m->err, "out of memory for the utility of %zu cells", m->n_cell);
    size_t n = list ? list_trainings(m, list) : 0;
    for (size_t i = 0, end; i < n && rc == 0; i = end) {
        for (end = i; end < n && same_point(list[i].now, list[end].now); end++)
            ;
        rc = add_training(m, list + i, end - i);
    }
    gnt_free(list);
    return rc;
}
