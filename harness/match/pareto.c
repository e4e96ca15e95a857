#include "match/pareto.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"

typedef struct entry {
    gnt_match_tradeoff point;
    size_t index;
} entry;

static int better_first(const void *a, const void *b) { /* utility down, then leakage up, then index */
    const entry *x = a, *y = b;
    if (x->point.utility != y->point.utility)
        return x->point.utility > y->point.utility ? -1 : 1;
    if (x->point.leakage != y->point.leakage)
        return x->point.leakage < y->point.leakage ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* Returns the finite points, best utility first, and sets *m to their number. The caller frees them. */
static entry *sorted(const gnt_match_tradeoff *points, size_t n, size_t *m, gnt_err *err) {
    entry *e = gnt_array(n, sizeof *e);
    if (!e) {
        gnt_fail(err, "out of memory while sorting %zu points of a trade-off", n);
        return NULL;
    }
    *m = 0;
    for (size_t i = 0; i < n; i++)
        if (isfinite(points[i].utility) && isfinite(points[i].leakage))
            e[(*m)++] = (entry){points[i], i};
    qsort(e, *m, sizeof *e, better_first);
    return e;
}

/* Walks down in utility: a point is on the front if it leaks less than all before it, or equals the last that
 * did. */
int gnt_match_pareto(unsigned char *on_front, size_t *order, size_t *n_front,
                     const gnt_match_tradeoff *points, size_t n, gnt_err *err) {
    size_t m = 0, found = 0;
    entry *e = sorted(points, n, &m, err);
    if (!e)
        return -1;
    for (size_t i = 0; i < n; i++)
        on_front[i] = 0;
    gnt_match_tradeoff last = {NAN, INFINITY};
    for (size_t i = 0; i < m; i++) {
        gnt_match_tradeoff p = e[i].point;
        if (p.leakage >= last.leakage && !(p.leakage == last.leakage && p.utility == last.utility))
            continue;
        last = p;
        on_front[e[i].index] = 1;
        e[found++] = e[i];
    }
    if (n_front)
        *n_front = found;
    if (order) { /* rising utility; equal points keep the order of their indices */
        size_t at = found;
        for (size_t i = 0; i < found;) {
            size_t end = i + 1;
            while (end < found && e[end].point.utility == e[i].point.utility)
                end++;
            at -= end - i;
            for (size_t k = i; k < end; k++)
                order[at + (k - i)] = e[k].index;
            i = end;
        }
    }
    gnt_free(e);
    return 0;
}
