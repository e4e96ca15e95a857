/* real_chain: runs a chain block by block. */
#include <string.h>

#include "nn/kernels/loops.h"

/* The place of entry `at` of the long vector in a pattern, and the rest of its run. */
typedef struct cursor {
    int64_t j, left; /* entry of the small vector; entries of the long one until the next */
} cursor;

static cursor cursor_at(const gnt_fused_op *o, int64_t at) {
    int64_t run = at / o->inner;
    return (cursor){run % o->mid, o->inner - at % o->inner};
}

static void spread(const NAME(loops) * loops, const gnt_fused_op *o, real *y, const real *small, int64_t at,
                   int64_t n) {
    cursor c = cursor_at(o, at);
    if (o->low > 1) { /* blocks begin at multiples of low */
        while (n > 0) {
            int64_t run = c.left < n ? c.left : n;
            loops->tile(y, small + c.j * o->low, run, o->low);
            y += run;
            n -= run;
            c.left = o->inner;
            c.j = c.j + 1 == o->mid ? 0 : c.j + 1;
        }
        return;
    }
    if (o->inner == 1) {
        while (n > 0) {
            int64_t run = o->mid - c.j < n ? o->mid - c.j : n;
            memcpy(y, small + c.j, (size_t)run * sizeof *y);
            y += run;
            n -= run;
            c.j = 0;
        }
        return;
    }
    while (n > 0) {
        int64_t run = c.left < n ? c.left : n;
        loops->fill(y, small[c.j], run);
        y += run;
        n -= run;
        c.left = o->inner;
        c.j = c.j + 1 == o->mid ? 0 : c.j + 1;
    }
}

static void gather_sum(const NAME(loops) * loops, const gnt_fused_op *o, double *total, const real *a,
                       const real *b, int64_t at, int64_t n) {
    if (o->mid * o->low == 1) {
        *total += o->op == GNT_FUSED_SUM ? loops->sum(a, n) : loops->dot(a, b, n);
        return;
    }
    cursor c = cursor_at(o, at);
    while (n > 0) {
        int64_t most = o->inner == 1 ? o->mid - c.j : c.left, run = most < n ? most : n;
        if (o->low > 1)
            loops->add_tiles(total + c.j * o->low, a, b, run, o->low);
        else if (o->inner == 1 && o->op == GNT_FUSED_SUM)
            loops->add_to(total + c.j, a, run);
        else if (o->inner == 1)
            loops->add_product_to(total + c.j, a, b, run);
        else
            total[c.j] += o->op == GNT_FUSED_SUM ? loops->sum(a, run) : loops->dot(a, b, run);
        a += run;
        b = b ? b + run : NULL;
        n -= run;
        c.left = o->inner;
        c.j = o->inner == 1 || c.j + 1 == o->mid ? 0 : c.j + 1;
    }
}

static void run_block(const gnt_fused_chain *c, const NAME(loops) * loops, void **place, double *total,
                      int64_t at, int64_t n) {
    for (int32_t i = 0; i < c->n_ops; i++) {
        const gnt_fused_op *o = &c->op[i];
        real *y = place[o->y];
        const real *a = place[o->a], *b = o->b >= 0 ? place[o->b] : NULL;
        if (o->op < GNT_OP_COUNT)
            loops->op[o->op](y, a, b, n, (real)o->pa, (real)o->pb);
        else if (o->op != GNT_FUSED_SPREAD)
            gather_sum(loops, o, total + o->total, a, b, at, n);
        else if (o->mid * o->low > 1)
            spread(loops, o, y, a, at, n);
        else if (at == 0) /* one number for all: written once */
            loops->fill(y, a[0], n);
    }
}

/* Runs a chain. at: a vector of n entries for each value, and the small ones of patterns; place: n_slots
 * pointers. */
void NAME(fused_chain)(const gnt_fused_chain *c, void *const *at, void **place, void *scratch) {
    const NAME(loops) *loops = NAME(loops_best)();
    double *total = scratch;
    real *blocks = (real *)(total + c->totals);
    for (int64_t j = 0; j < c->totals; j++)
        total[j] = 0;
    for (int32_t i = 0; i < c->n_slots; i++)
        place[i] = c->slot[i].value >= 0 ? at[c->slot[i].value] : blocks + c->slot[i].block * c->block;
    for (int64_t i = 0; i < c->n; i += c->block) {
        int64_t n = c->n - i < c->block ? c->n - i : c->block;
        run_block(c, loops, place, total, i, n);
        for (int32_t k = 0; k < c->n_slots; k++)
            if (c->slot[k].moves)
                place[k] = (real *)place[k] + n;
    }
    for (int32_t i = 0; i < c->n_ops; i++) {
        const gnt_fused_op *o = &c->op[i];
        if (o->op != GNT_FUSED_SUM && o->op != GNT_FUSED_DOT)
            continue;
        real *y = at[c->slot[o->y].value];
        for (int64_t j = 0; j < o->mid * o->low; j++)
            y[j] = (real)total[o->total + j];
    }
}
