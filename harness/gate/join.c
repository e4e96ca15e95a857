#include "gate/join_impl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* ---- rounds that were drawn ---- */

/* Finds what is before and after the number of the round in "TASK/d2/REST". */
static void find_drawn(gnt_joined *j, const gnt_outcome *o) {
    const size_t task = strlen(o->task);
    if (o->round < 0 || j->length < task + 2 || memcmp(j->key, o->task, task) != 0 ||
        memcmp(j->key + task, "/d", 2) != 0)
        return;
    j->drawn = o->stage;
    j->head = j->tail = task + 2;
    while (j->tail < j->length && j->key[j->tail] >= '0' && j->key[j->tail] <= '9')
        j->tail++;
}

/* ---- order ---- */

static int by_bytes(const char *a, size_t na, const char *b, size_t nb) {
    int d = memcmp(a, b, na < nb ? na : nb);
    return d ? d : (na > nb) - (na < nb);
}

int gnt_join_compare(const gnt_joined *a, const gnt_joined *b, int stages) {
    int d = by_bytes(a->key, a->head, b->key, b->head);
    if (d == 0 && stages)
        d = (a->drawn > b->drawn) - (a->drawn < b->drawn);
    return d ? d : by_bytes(a->key + a->tail, a->length - a->tail, b->key + b->tail, b->length - b->tail);
}

static int by_key(const gnt_joined *a, const gnt_joined *b) {
    return gnt_join_compare(a, b, 1);
}

static int by_cell(const void *a, const void *b) {
    const gnt_joined *x = a, *y = b;
    int d = by_key(x, y);
    if (d == 0)
        d = (x->seed > y->seed) - (x->seed < y->seed);
    return d;
}

static int by_order(const void *a, const void *b) {
    const gnt_joined *x = a, *y = b;
    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    return (x->seed > y->seed) - (x->seed < y->seed);
}

/* Lists the cells of one run, sorted. */
static int list_cells(const gnt_results *r, const char *name, int is_now, gnt_joined **out, gnt_err *err) {
    gnt_joined *list = *out = gnt_array(r->n_cell ? r->n_cell : 1, sizeof *list);
    if (!list)
        return gnt_fail(err, "%s: out of memory for %zu cells", name, r->n_cell);
    for (size_t i = 0; i < r->n_cell; i++) {
        const gnt_outcome *o = &r->cell[i];
        const char *slash = strrchr(o->id, '/');
        if (!slash)
            return gnt_fail(
                err,
                "%s: cells[%zu].cell: expected the id of a cell, TASK/rSTAGE/DEFENSE@STRENGTH/ATTACK/sSEED",
                name, i);
        list[i] = (gnt_joined){.key = o->id,
                               .length = (size_t)(slash - o->id),
                               .drawn = -1,
                               .head = (size_t)(slash - o->id),
                               .tail = (size_t)(slash - o->id),
                               .seed = o->seed,
                               .now = is_now ? o : NULL,
                               .before = is_now ? NULL : o,
                               .order = i + (is_now ? 0 : SIZE_MAX / 2)};
        find_drawn(&list[i], o);
    }
    qsort(list, r->n_cell, sizeof *list, by_cell);
    for (size_t i = 1; i < r->n_cell; i++)
        if (by_cell(&list[i - 1], &list[i]) == 0)
            return gnt_fail(
                err, "%s: two cells are called \"%.*s\" with the seed %" PRId64 "; each has its own id", name,
                (int)(list[i].length < 200 ? list[i].length : 200), list[i].key, list[i].seed);
    return 0;
}

/* Sorts the cells so that seeds of one key are adjacent, in the place of the first that the new run has,
 * or else the old one. */
static void put_together(gnt_joined *all, size_t n) {
    for (size_t i = 0, end; i < n; i = end) {
        size_t first = all[i].order;
        for (end = i; end < n && by_key(&all[i], &all[end]) == 0; end++)
            first = all[end].order < first ? all[end].order : first;
        for (size_t k = i; k < end; k++)
            all[k].order = first;
    }
    qsort(all, n, sizeof *all, by_order);
}

int gnt_join_cells(const gnt_results *now, const char *now_name, const gnt_results *before,
                   const char *before_name, gnt_joined **out, size_t *n, gnt_err *err) {
    gnt_joined *a = NULL, *b = NULL, *all = NULL;
    int rc = -1;
    *out = NULL;
    *n = 0;
    if (list_cells(now, now_name, 1, &a, err) || list_cells(before, before_name, 0, &b, err))
        goto cleanup;
    all = gnt_array(now->n_cell + before->n_cell + 1, sizeof *all);
    if (!all) {
        gnt_fail(err, "out of memory for %zu cells", now->n_cell + before->n_cell);
        goto cleanup;
    }
    for (size_t i = 0, k = 0; i < now->n_cell || k < before->n_cell;) {
        int d = i == now->n_cell ? 1 : k == before->n_cell ? -1 : by_cell(&a[i], &b[k]);
        all[*n] = d <= 0 ? a[i] : b[k];
        if (d == 0)
            all[*n].before = b[k].before;
        i += d <= 0;
        k += d >= 0;
        ++*n;
    }
    put_together(all, *n);
    *out = all;
    rc = 0;
cleanup:
    gnt_free(a);
    gnt_free(b);
    return rc;
}
