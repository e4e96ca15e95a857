/* Finds tasks with other private targets than the baseline's, as under another run key. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "gate/gate_impl.h"

/* Relative difference by rounding on other processors, far below that between other targets. */
static const double same_floor = 1e-4;

/* ---- which tasks ---- */

typedef struct votes {
    size_t same, other;
} votes;

static int both_ok(const gnt_joined *j) {
    return j->now && j->before && j->now->status == GNT_CELL_OK && j->before->status == GNT_CELL_OK;
}

/* Votes by the scores of the mean public image, which depend on the targets alone. */
static void vote_by_floors(const gnt_outcome *a, const gnt_outcome *b, votes *v) {
    for (size_t i = 0; i < a->n_score; i++) {
        const gnt_score *now = &a->score[i], *before = gnt_score_find(b, now->measure);
        const double x = now->floor[GNT_FLOOR_MEAN], y = before ? before->floor[GNT_FLOOR_MEAN] : NAN;
        if (!isfinite(x) || !isfinite(y))
            continue;
        const int same = fabs(x - y) <= same_floor * fmax(fabs(x), fabs(y));
        v->same += (size_t)same;
        v->other += (size_t)!same;
    }
}

typedef struct truths {
    size_t known, differ;
} truths;

static void compare_attribute(const gnt_target *a, const gnt_target *b, truths *t) {
    if (!gnt_fields_has(&gnt_target_fields, a, &a->attribute_truth) ||
        !gnt_fields_has(&gnt_target_fields, b, &b->attribute_truth))
        return;
    t->known++;
    t->differ += a->attribute_truth != b->attribute_truth;
}

static void compare_contribution(const gnt_target *a, const gnt_target *b, truths *t) {
    const gnt_reals *x = &a->contribution_truth, *y = &b->contribution_truth;
    if (!x->at || !y->at)
        return;
    t->known++;
    t->differ += x->n != y->n || (x->n && memcmp(x->at, y->at, x->n * sizeof *x->at) != 0);
}

/* Votes by the true attributes and contributions, which depend on the targets too. */
static void vote_by_truths(const gnt_outcome *a, const gnt_outcome *b, votes *v) {
    static void (*const compare[])(const gnt_target *a, const gnt_target *b,
                                   truths *t) = {compare_attribute, compare_contribution};
    const size_t n = a->targets.n, other = b->targets.n;
    for (size_t k = 0; k < 2; k++) {
        truths t = {.differ = n != other};
        for (size_t i = 0; i < n && i < other; i++)
            compare[k](&a->targets.at[i], &b->targets.at[i], &t);
        v->same += t.known && !t.differ;
        v->other += t.known && t.differ;
    }
}

static int has_other_targets(const gate_maker *m, const char *task) {
    votes floors = {0}, answers = {0};
    for (size_t i = 0; i < m->n_cell; i++) {
        const gnt_joined *j = &m->cell[i];
        if (!both_ok(j) || strcmp(j->now->task, task) != 0)
            continue;
        if (j->now->round != j->before->round)
            return 1;
        vote_by_floors(j->now, j->before, &floors);
        vote_by_truths(j->now, j->before, &answers);
    }
    return floors.same + floors.other ? !floors.same : answers.other && !answers.same;
}

int gate_find_other_targets(gate_maker *m) {
    const gnt_results *r = m->g->now;
    m->other = gnt_array(r->n_task + 1, sizeof *m->other);
    if (!m->other)
        return gnt_fail(m->err, "out of memory for %zu tasks", r->n_task);
    for (size_t i = 0; i < r->n_task && !m->g->redrawn; i++)
        if (has_other_targets(m, r->task[i]))
            m->other[m->n_other++] = r->task[i];
    return 0;
}

int gate_has_other_targets(const gate_maker *m, const char *task) {
    for (size_t i = 0; i < m->n_other; i++)
        if (!strcmp(m->other[i], task))
            return 1;
    return 0;
}
