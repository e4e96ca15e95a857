/* Which tasks have other private targets than the baseline's, as under another run key. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "gate/gate_impl.h"

/* Rounding of other processors, far below what other targets change. */
static const double same_floor = 1e-4;

/* ---- which tasks ---- */

typedef struct votes {
    size_t same, other;
} votes;

static int both_ok(const gnt_joined *j) {
    return j->now && j->before && j->now->status == GNT_CELL_OK && j->before->status == GNT_CELL_OK;
}

/* What the mean public image scores hangs on the targets alone. */
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

/* So do the attributes and the contributions that an attack was after. */
static void vote_by_truths(const gnt_outcome *a, const gnt_outcome *b, votes *v) {
    static const char *const truths[] = {"attribute_truth", "contribution_truth"};
    const size_t n = json_array_size(a->json.targets);
    for (size_t k = 0; k < 2; k++) {
        size_t told = 0, differ = n != json_array_size(b->json.targets);
        for (size_t i = 0; i < n && i < json_array_size(b->json.targets); i++) {
            const json_t *x = json_object_get(json_array_get(a->json.targets, i), truths[k]);
            const json_t *y = json_object_get(json_array_get(b->json.targets, i), truths[k]);
            told += x && y;
            differ += x && y && !json_equal((json_t *)(uintptr_t)x, (json_t *)(uintptr_t)y);
        }
        v->same += told && !differ;
        v->other += told && differ;
    }
}

static int was_drawn_anew(const gate_maker *m, const char *task) {
    votes floors = {0}, truths = {0};
    for (size_t i = 0; i < m->n_cell; i++) {
        const gnt_joined *j = &m->cell[i];
        if (!both_ok(j) || strcmp(j->now->task, task) != 0)
            continue;
        if (j->now->stage != j->before->stage)
            return 1;
        vote_by_floors(j->now, j->before, &floors);
        vote_by_truths(j->now, j->before, &truths);
    }
    return floors.same + floors.other ? !floors.same : truths.other && !truths.same;
}

int gate_find_anew(gate_maker *m) {
    const gnt_results *r = m->g->now;
    m->anew = gnt_array(r->n_task + 1, sizeof *m->anew);
    if (!m->anew)
        return gnt_fail(m->err, "out of memory for %zu tasks", r->n_task);
    for (size_t i = 0; i < r->n_task && !m->g->redrawn; i++)
        if (was_drawn_anew(m, r->task[i]))
            m->anew[m->n_anew++] = r->task[i];
    return 0;
}

int gate_is_anew(const gate_maker *m, const char *task) {
    for (size_t i = 0; i < m->n_anew; i++)
        if (!strcmp(m->anew[i], task))
            return 1;
    return 0;
}
