/* Cells at the strength at which the baseline matched a defense: what a search hides by choosing a stronger
 * setting of a weakened defense is seen where the strength is the same. Such a cell is compared with the
 * baseline's matched one, and then leakage at the two matched strengths, which are others, is not compared.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gate/gate_impl.h"

/* True for an id like "TASK/rSTAGE/DEFENSE@baseline/ATTACK", as `gauntlet run --baseline` makes them; no name
 * before it has an @. */
static int is_named_so(const gnt_joined *j) {
    static const char name[] = "@baseline/";
    const char *at = memchr(j->key, '@', j->length);
    return at && (size_t)(j->key + j->length - at) >= sizeof name - 1 && !memcmp(at, name, sizeof name - 1);
}

static int by_coordinates(const gnt_outcome *a, const gnt_outcome *b) {
    int d = strcmp(a->task, b->task);
    if (d == 0)
        d = strcmp(a->defense, b->defense);
    if (d == 0)
        d = strcmp(a->attack, b->attack);
    if (d == 0)
        d = (a->stage > b->stage) - (a->stage < b->stage);
    return d ? d : (a->seed > b->seed) - (a->seed < b->seed);
}

static int by_cell(const void *a, const void *b) {
    const gnt_joined *x = *(const gnt_joined *const *)a, *y = *(const gnt_joined *const *)b;
    return by_coordinates(x->now, y->now);
}

/* Lists the matched cells of the new run that the baseline has too, sorted. */
static size_t list_matched(const gnt_joined *cell, size_t n_cell, const gnt_joined **list) {
    size_t n = 0;
    for (size_t i = 0; i < n_cell; i++)
        if (cell[i].now && cell[i].before && cell[i].now->mode == GNT_ROW_MATCHED)
            list[n++] = &cell[i];
    if (n)
        qsort((void *)list, n, sizeof *list, by_cell);
    return n;
}

static const gnt_outcome *matched_before(const gnt_joined *const *list, size_t n, const gnt_joined *j) {
    const gnt_joined *const *found =
        n ? bsearch((const void *)&j, (const void *)list, n, sizeof *list, by_cell) : NULL;
    return found ? (*found)->before : NULL;
}

/* Returns the search whose old strength the cell is at, if its new strength is another one; else NULL. */
static gate_search *search_left(const gate_maker *m, const gnt_outcome *o) {
    for (size_t i = 0; i < m->n_search; i++) {
        gate_search *s = &m->search[i];
        if (!strcmp(s->now.match->task, o->task) && !strcmp(s->now.match->defense, o->defense))
            return o->strength == s->before.match->strength &&
                           s->now.match->strength != s->before.match->strength
                       ? s
                       : NULL;
    }
    return NULL;
}

static void pair(const gate_maker *m, gnt_joined *j, const gnt_joined *const *list, size_t n) {
    const int named_so = is_named_so(j);
    if (named_so) { /* another baseline's strength is none to compare at */
        j->before = NULL;
        j->is_apart = 1;
    }
    if (!j->now || j->now->mode != GNT_ROW_SWEEP)
        return;
    gate_search *s = search_left(m, j->now);
    if (!s)
        return;
    if (!j->before)
        j->before = matched_before(list, n, j);
    j->is_apart = named_so && !j->before;
    s->is_at_baseline |= j->before != NULL;
}

int gate_find_at_baseline(gate_maker *m, gnt_joined *cell) {
    const gnt_joined **list = gnt_array(m->n_cell + 1, sizeof *list);
    if (!list)
        return gnt_fail(m->err, "out of memory for %zu cells", m->n_cell);
    const size_t n = list_matched(cell, m->n_cell, list);
    for (size_t i = 0; i < m->n_cell; i++)
        pair(m, &cell[i], list, n);
    for (size_t i = 0; i < m->n_cell; i++) {
        const gnt_outcome *o = cell[i].now;
        const gate_search *s =
            o && o->mode == GNT_ROW_MATCHED ? gate_search_of(m, o->task, o->defense) : NULL;
        cell[i].is_left = s && s->is_at_baseline;
    }
    for (size_t i = 0; i < m->n_search; i++) {
        const gate_search *s = &m->search[i];
        m->g->elsewhere += isfinite(s->before.match->strength) && !s->is_at_baseline &&
                           s->now.match->strength != s->before.match->strength;
    }
    gnt_free((void *)list);
    return 0;
}
