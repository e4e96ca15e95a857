/* From the evidence of all rows to their verdicts. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "gate/gate_impl.h"

static int same_family(const gnt_gate_row *a, const gnt_gate_row *b) {
    return a->about == b->about && !strcmp(a->cell->task, b->cell->task) &&
           (a->about != GNT_GATE_LEAKAGE || a->cell->stage == b->cell->stage);
}

static int same_training(const gnt_gate_row *a, const gnt_gate_row *b) {
    return a && a->cell->mode == b->cell->mode && !strcmp(a->cell->defense, b->cell->defense) &&
           (a->cell->strength == b->cell->strength || isnan(b->cell->strength));
}

/* Joins two tests of one cell: the better p-value counts twice. */
static void settle_row(gnt_gate_row *row, const gnt_evidence_pool *together) {
    gnt_evidence_settle(&row->e, together);
    if (!isnan(row->p_jumps) && row->about == GNT_GATE_LEAKAGE)
        row->e.p = fmin(1, 2 * fmin(row->e.p, row->p_jumps));
}

/* Settles the rows of each task, stage and defense together. A row that did not change at all, or is
 * settled, says nothing of how training runs scatter. */
static void settle_rows(gnt_gate *g) {
    for (size_t i = 0, end; i < g->n_row; i = end) {
        gnt_evidence_pool together = {0};
        const gnt_gate_row *last = NULL;
        for (end = i; end < g->n_row && same_family(&g->row[i], &g->row[end]); end++) {
            const gnt_gate_row *row = &g->row[end];
            if (row->settled || row->verdict == GNT_GATE_SAME)
                continue;
            gnt_evidence_pool_add(&together, &row->e);
            if (!same_training(last, row))
                together.trainings += row->e.between;
            last = row;
        }
        for (size_t k = i; k < end; k++)
            if (!g->row[k].settled)
                settle_row(&g->row[k], &together);
    }
}

static gnt_gate_verdict verdict_of(const gnt_gate_row *row, int can_fail, double alpha) {
    if (row->p <= alpha && row->worse > row->tolerance + row->allowance)
        return GNT_GATE_WORSE;
    if (row->allowance > 0 && row->worse > row->tolerance)
        return GNT_GATE_MOVED;
    if (row->p_less <= alpha && row->worse < -row->tolerance)
        return GNT_GATE_BETTER;
    return can_fail ? GNT_GATE_WITHIN : GNT_GATE_UNABLE;
}

/* Removes the allowance of defenses whose strength became weaker because the old one costs more utility than
 * before: these did not move along their curve. */
static void look_at_moved(const gate_maker *m) {
    for (size_t i = 0; i < m->g->n_row; i++) {
        gnt_gate_row *row = &m->g->row[i];
        const gate_search *s =
            row->verdict == GNT_GATE_MOVED ? gate_search_of(m, row->cell->task, row->cell->defense) : NULL;
        if (s && s->loss_row != SIZE_MAX && m->g->row[s->loss_row].verdict == GNT_GATE_WORSE)
            row->verdict = GNT_GATE_WORSE;
    }
}

int gate_judge(gate_maker *m) {
    gnt_gate *g = m->g;
    const double alpha = g->redrawn ? g->settings.alpha / 2 : g->settings.alpha;
    size_t n = 0;
    double *p = gnt_array(g->n_row + 1, sizeof *p), *less = gnt_array(g->n_row + 1, sizeof *less);
    double *least = gnt_array(g->n_row + 1, sizeof *least);
    int *can_fail = gnt_array(g->n_row + 1, sizeof *can_fail);
    int rc =
        p && less && least && can_fail ? 0 : gnt_fail(m->err, "out of memory for %zu comparisons", g->n_row);
    settle_rows(g);
    for (size_t i = 0; i < g->n_row && rc == 0; i++)
        if (g->row[i].verdict != GNT_GATE_SAME) {
            p[n] = g->row[i].e.p;
            less[n] = g->row[i].e.p_less;
            least[n++] = g->row[i].e.p_least;
        }
    if (rc == 0 && (gnt_evidence_family(less, least, can_fail, n, alpha, m->err) != 0 ||
                    gnt_evidence_family(p, least, can_fail, n, alpha, m->err) != 0))
        rc = -1;
    n = 0;
    for (size_t i = 0; i < g->n_row && rc == 0; i++) {
        gnt_gate_row *row = &g->row[i];
        if (row->verdict == GNT_GATE_SAME) {
            g->same++;
            continue;
        }
        row->p = p[n];
        row->p_less = less[n];
        row->verdict = verdict_of(row, can_fail[n], alpha);
        g->tested += (size_t)can_fail[n];
        g->unable += !can_fail[n++];
    }
    if (rc == 0)
        look_at_moved(m);
    gnt_free(p);
    gnt_free(less);
    gnt_free(least);
    gnt_free(can_fail);
    return rc;
}
