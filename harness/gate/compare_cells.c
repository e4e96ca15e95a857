/* Compares cells of the two runs: which fail, which are missing, and how their leakage differs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "gate/gate_impl.h"
#include "gate/target_pairs_impl.h"
#include "gate/welch_impl.h"

/* ---- statuses ---- */

/* Cells that share a finding. */
typedef struct finding_cells {
    size_t n;
    const gnt_joined *first;
} finding_cells;

static void count(finding_cells *t, const gnt_joined *j) {
    if (t->n++ == 0)
        t->first = j;
}

static int say(gate_maker *m, gnt_gate_kind kind, const finding_cells *t, const char *what, const char *why) {
    gnt_text place, text;
    if (t->n == 0)
        return 0;
    gnt_text_init(&place, 4096);
    gnt_text_init(&text, 4096);
    gnt_text_add(&place, "%.*s", (int)(t->first->length < 1000 ? t->first->length : 1000), t->first->key);
    gnt_text_add(&text, "%s", what);
    if (t->n > 1)
        gnt_text_add(&text, ", %zu seeds", t->n);
    if (*why)
        gnt_text_add(&text, ": %.1000s", why);
    int rc = gate_add_finding(m, kind, NULL, gnt_text_get(&place), gnt_text_get(&text));
    gnt_text_free(&place);
    gnt_text_free(&text);
    return rc;
}

static int compare_statuses(gate_maker *m, const gnt_joined *j, size_t n) {
    finding_cells fails = {0}, gone = {0}, fresh = {0}, works = {0};
    for (size_t i = 0; i < n; i++) {
        const gnt_joined *c = &j[i];
        if (c->is_apart)
            continue;
        if (m->g->redrawn && (!c->now || c->now->status == GNT_CELL_UNFINISHED))
            continue;
        if (!c->now)
            count(&gone, c);
        else if (!c->before)
            count(&fresh, c);
        else if (c->before->status == GNT_CELL_OK && c->now->status != GNT_CELL_OK)
            count(&fails, c);
        else if (c->before->status == GNT_CELL_NA && c->now->status != GNT_CELL_OK &&
                 c->now->status != GNT_CELL_NA)
            count(&fails, c);
        else if (c->before->status != GNT_CELL_OK && c->now->status == GNT_CELL_OK)
            count(&works, c);
    }
    const gnt_outcome *bad = fails.n ? fails.first->now : NULL;
    if (say(m, GNT_GATE_FAILS_NOW, &fails, bad ? gnt_status_name(bad->status) : "", bad ? bad->reason : "") ||
        say(m, GNT_GATE_MISSING, &gone, "in the baseline, not in this run", "") ||
        say(m, GNT_GATE_NEW, &fresh, "in this run, not in the baseline", "") ||
        say(m, GNT_GATE_WORKS_NOW, &works, "ok", ""))
        return -1;
    return 0;
}

/* ---- leakage ---- */

static int both_ok(const gnt_joined *j) {
    return j->now && j->before && j->now->status == GNT_CELL_OK && j->before->status == GNT_CELL_OK;
}

static int has_number(const gnt_outcome *o, const gnt_measure *m) {
    const gnt_score *s = gnt_score_find(o, m->name);
    return s && isfinite(s->stat.mean);
}

/* Tests for large differences at some targets. A defense that leaves some targets unprotected moves the mean
 * little and its spread much. So the differences of at least half the largest one are counted separately,
 * worse against better, in a sign test. */
static int weigh_jumps(gnt_gate_row *row, const gnt_pairs *pairs, gnt_err *err) {
    static const gnt_evidence_pool alone = {0};
    double *jump = gnt_array(pairs->n, sizeof *jump), largest = 0;
    gnt_evidence e;
    if (!jump)
        return gnt_fail(err, "out of memory for %zu pairs", pairs->n);
    for (size_t i = 0; i < pairs->n; i++)
        largest = fmax(largest, fabs(pairs->d[i]));
    for (size_t i = 0; i < pairs->n; i++)
        jump[i] = fabs(pairs->d[i]) < largest / 2 ? 0 : pairs->d[i] > 0 ? 1 : -1;
    int rc = gnt_evidence_weigh(&e, jump, pairs->seed, pairs->n, 0, err);
    if (rc == 0)
        gnt_evidence_settle(&e, &alone);
    row->p_jumps = e.p;
    gnt_free(jump);
    return rc;
}

/* Adds a row. `old`: the scores to compare with, of a redrawn run; NULL for pairs. */
static int add_row(gate_maker *m, const gnt_joined *first, const gnt_measure *measure, const gnt_pairs *pairs,
                   const gnt_pairs *old) {
    gnt_gate_row *row = gate_add_row(m);
    if (!row)
        return -1;
    gate_begin_leak_row(m, row, first, measure);
    row->is = pairs->is;
    row->was = old ? old->is : pairs->was;
    if (!pairs->differ && !old)
        row->verdict = GNT_GATE_SAME;
    const gnt_sample now = {pairs->d, pairs->seed, pairs->n};
    const gnt_sample before = old ? (gnt_sample){old->d, old->seed, old->n} : (gnt_sample){0};
    const double tolerance = row->tolerance + row->allowance;
    int rc = old ? gnt_evidence_weigh_two(&row->e, &now, &before, tolerance, m->err)
                 : gnt_evidence_weigh(&row->e, now.x, now.seed, now.n, tolerance, m->err);
    row->worse = row->e.mean;
    if (rc == 0 && !old && row->e.seeds >= GATE_FEWEST_TRAININGS)
        rc = weigh_jumps(row, pairs, m->err);
    return rc;
}

static int add_scores(gate_maker *m, const gnt_joined *j, const gnt_measure *measure, gnt_pairs *pairs,
                      gnt_pairs *old) {
    const int64_t together = gnt_targets_together(m->g->now, j->now);
    if (!m->g->redrawn)
        return gnt_pairs_add(pairs, j, measure, together, m->now_name, m->err);
    return gnt_pairs_add_one(pairs, j->now, measure, together, m->now_name, m->err) ||
                   gnt_pairs_add_one(old, j->before, measure, together, m->before_name, m->err)
               ? -1
               : 0;
}

static int compare_measure(gate_maker *m, const gnt_joined *j, size_t n, const gnt_measure *measure) {
    gnt_pairs pairs = {0}, old = {0};
    const gnt_joined *first = NULL;
    finding_cells lost = {0}, alone = {0};
    char what[100];
    int rc = 0;
    for (size_t i = 0; i < n && rc == 0; i++) {
        if (!both_ok(&j[i]))
            continue;
        size_t had = pairs.n, old_had = old.n;
        rc = add_scores(m, &j[i], measure, &pairs, &old);
        if (pairs.n > had && (!m->g->redrawn || old.n > old_had))
            first = first ? first : &j[i];
        else
            count(has_number(j[i].now, measure) ? &alone : &lost, &j[i]);
    }
    snprintf(what, sizeof what, "no %s in this run", measure->name);
    if (rc == 0)
        rc = say(m, GNT_GATE_NO_NUMBER, &lost, what, "");
    snprintf(what, sizeof what, "no target has its %s in both runs", measure->name);
    if (rc == 0)
        rc = say(m, GNT_GATE_UNPAIRED, &alone, what, "");
    if (rc == 0 && first)
        rc = add_row(m, first, measure, &pairs, m->g->redrawn ? &old : NULL);
    gnt_pairs_free(&pairs);
    gnt_pairs_free(&old);
    return rc;
}

static int compare_leaks(gate_maker *m, const gnt_joined *j, size_t n) {
    const gnt_measure *lead[GNT_RECOVERS_KINDS];
    size_t leads = 0;
    for (size_t i = 0; i < n && leads == 0; i++)
        if (both_ok(&j[i]))
            leads = gnt_lead_measures(j[i].before, lead);
    for (size_t i = 0; i < leads; i++)
        if (compare_measure(m, j, n, lead[i]) != 0)
            return -1;
    return 0;
}

int gate_compare_cells(gate_maker *m) {
    for (size_t i = 0, end; i < m->n_cell; i = end) {
        for (end = i; end < m->n_cell && m->cell[end].order == m->cell[i].order; end++)
            ;
        const gnt_outcome *now = m->cell[i].now;
        if (compare_statuses(m, m->cell + i, end - i) ||
            (!(now && gate_has_other_targets(m, now->task)) && !m->cell[i].is_left &&
             compare_leaks(m, m->cell + i, end - i)))
            return -1;
    }
    return 0;
}
