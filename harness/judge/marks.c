#include "judge/marks.h"

#include <string.h>

#include "base/mem.h"
#include "judge/judge_impl.h"

size_t gnt_mark_count(const gnt_outcome *cell) {
    return cell->marks.n;
}

gnt_mark gnt_mark_at(const gnt_outcome *cell, size_t i) {
    return cell->marks.at[i];
}

int results_collect_marks(gnt_results *r, gnt_err *err) {
    size_t n = 0;
    for (size_t i = 0; i < r->n_cell; i++)
        n += gnt_mark_count(&r->cell[i]) > 0;
    r->marked = gnt_array(n + 1, sizeof *r->marked);
    if (!r->marked)
        return gnt_fail(err, "results.json: out of memory for %zu marked cells", n);
    for (size_t i = 0; i < r->n_cell; i++)
        if (gnt_mark_count(&r->cell[i]) > 0)
            r->marked[r->n_marked++] = &r->cell[i];
    return 0;
}

/* Returns whether a mark disqualifies. Two do not: a probe computes differently from the training run, so the
 * hooks of an honest defense may differ there too, and statistics in the clear are observed, so attacks are
 * judged with them. */
int gnt_mark_costs_rank(const gnt_mark *mark) {
    static const char *const reported[] = {"probe-differs", "statistics-in-the-clear"};
    for (size_t i = 0; i < sizeof reported / sizeof *reported; i++)
        if (strcmp(mark->what, reported[i]) == 0)
            return 0;
    return 1;
}

static int costs_rank(const gnt_outcome *cell) {
    for (size_t i = 0; i < gnt_mark_count(cell); i++) {
        const gnt_mark mark = gnt_mark_at(cell, i);
        if (gnt_mark_costs_rank(&mark))
            return 1;
    }
    return 0;
}

const gnt_outcome *gnt_marked_cell(const gnt_results *r, const char *task, int64_t stage,
                                   const char *defense) {
    for (size_t i = 0; i < r->n_marked; i++)
        if (gnt_is_at(r->marked[i], task, stage) && !strcmp(r->marked[i]->defense, defense) &&
            costs_rank(r->marked[i]))
            return r->marked[i];
    return NULL;
}
