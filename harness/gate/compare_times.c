/* Processor seconds of jobs that two builds ran in turns. A round is a pair: if the builds are alike, who
 * took how long may be swapped, and each is the slower one as often as the other. So rounds are counted,
 * whose ratio is above the tolerance: the test of signs, which one round that something else on the machine
 * made long cannot decide. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "gate/gate_impl.h"

static const gnt_outcome *find(const gnt_results *r, const char *id) {
    for (size_t i = 0; i < r->n_cell; i++)
        if (strcmp(r->cell[i].id, id) == 0)
            return &r->cell[i];
    return NULL;
}

static double median(double *x, size_t n) {
    gnt_sort_reals(x, n);
    return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

/* Returns P(at least `seen` of n) in a sign test. */
static double coins_above(size_t seen, size_t n) {
    double p = 0;
    for (size_t k = seen; k <= n; k++)
        p += exp(lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1) -
                 (double)n * log(2));
    return fmin(p, 1);
}

/* Tests the times of a row. x has room for `rounds` numbers. */
static void weigh(gnt_gate_row *row, const gnt_gate_timed *t, double *x) {
    const double most = 1 + row->tolerance;
    size_t slower = 0, faster = 0;
    for (size_t i = 0; i < t->rounds; i++) {
        x[i] = log(t->now[i] / t->before[i]);
        slower += t->now[i] > most * t->before[i];
        faster += t->before[i] > most * t->now[i];
    }
    row->worse = expm1(median(x, t->rounds));
    memcpy(x, t->now, t->rounds * sizeof *x);
    row->is = median(x, t->rounds);
    memcpy(x, t->before, t->rounds * sizeof *x);
    row->was = median(x, t->rounds);
    row->e = (gnt_evidence){
        .mean = row->worse, .units = t->rounds, .seeds = 1, .f = NAN, .p_least = ldexp(1, -(int)t->rounds)};
    row->e.p = coins_above(slower, t->rounds);
    row->e.p_less = coins_above(faster, t->rounds);
}

static int add_time(gate_maker *m, const gnt_gate_timed *t) {
    const gnt_outcome *now = find(m->g->now, t->cell), *before = find(m->g->before, t->cell);
    double *x = gnt_array(t->rounds, sizeof *x);
    gnt_gate_row *row = x && now ? gate_add_row(m) : NULL;
    int rc = 0;
    if (!now)
        rc = gnt_fail(m->err, "there is no cell %.200s in %s to time", t->cell, m->now_name);
    else if (!row)
        rc = gnt_fail(m->err, "out of memory for the times of %.200s", t->cell);
    for (size_t i = 0; rc == 0 && i < t->rounds; i++)
        if (!(t->now[i] > 0 && t->before[i] > 0 && isfinite(t->now[i]) && isfinite(t->before[i])))
            rc = gnt_fail(m->err, "round %zu of %.200s took no time that can be", i, t->cell);
    if (rc == 0) {
        *row = (gnt_gate_row){.about = t->is_training ? GNT_GATE_TRAINING_TIME : GNT_GATE_ATTACK_TIME,
                              .cell = now,
                              .old = before ? before : now,
                              .measure = "seconds",
                              .tolerance = gnt_gate_tolerance(&m->g->settings, "time"),
                              .settled = 1,
                              .p = 1,
                              .p_less = 1,
                              .verdict = GNT_GATE_WITHIN};
        weigh(row, t, x);
        m->g->timed++;
    }
    gnt_free(x);
    return rc;
}

int gate_compare_times(gate_maker *m) {
    for (size_t i = 0; i < m->n_timed; i++)
        if (add_time(m, &m->timed[i]) != 0)
            return -1;
    return 0;
}
