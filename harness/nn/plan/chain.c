/* chain: turns the members of one group into a chain: operands become slots, intermediate values become
 * blocks of scratch that are reused as soon as their last reader has run. */
#include "nn/plan/group.h"

#include <string.h>

#include "base/mem.h"

enum { NEAR_BYTES = 32768, LEAST_BLOCK = 256, MOST_BLOCK = 2048 };

typedef struct builder {
    gnt_nn_plan *plan;
    const gnt_grouping *q;
    gnt_fused_chain *c;
    gnt_node *of_slot; /* by slot: its node */
    int failed;
} builder;

static int32_t new_slot(builder *b, gnt_node node, gnt_fused_slot s) {
    gnt_fused_chain *c = b->c;
    if (GNT_GROW(c->slot, c->n_slots) != 0 || GNT_GROW(b->of_slot, c->n_slots) != 0) {
        b->failed = 1;
        return 0;
    }
    s.first_op = c->n_ops;
    s.last_op = -1;
    c->slot[c->n_slots] = s;
    b->of_slot[c->n_slots] = node;
    if (node >= 0)
        b->plan->mark[node] = c->n_slots;
    return c->n_slots++;
}

static void new_op(builder *b, gnt_fused_op o) {
    gnt_fused_chain *c = b->c;
    b->failed |= GNT_GROW(c->op, c->n_ops) != 0;
    if (b->failed)
        return;
    c->slot[o.y].first_op = c->slot[o.y].first_op < c->n_ops ? c->slot[o.y].first_op : c->n_ops;
    c->slot[o.a].last_op = c->n_ops;
    if (o.b >= 0)
        c->slot[o.b].last_op = c->n_ops;
    c->op[c->n_ops++] = o;
}

static int32_t slot_of(builder *b, gnt_node r);

static gnt_node input(const builder *b, gnt_node i, int32_t k) {
    return b->q->node[b->plan->ir->edge[b->plan->ir->v[i].first + k]].alias;
}

/* Computes elementwise node i into a new slot. */
static int32_t compute(builder *b, gnt_node i, int is_stored) {
    const gnt_vertex *v = &b->plan->ir->v[i];
    gnt_fused_op o = {.op = v->op, .b = -1, .pa = v->a, .pb = v->b};
    o.a = slot_of(b, input(b, i, 0));
    if (v->n_in > 1)
        o.b = slot_of(b, input(b, i, 1));
    gnt_fused_slot s = {
        .value = is_stored ? i : -1, .moves = (uint8_t)is_stored, .output = (uint8_t)is_stored};
    o.y = new_slot(b, i, s);
    new_op(b, o);
    return o.y;
}

/* Begins an operation between a whole and what has one entry for many of it. */
static gnt_fused_op op_of_extents(const builder *b, gnt_node r, int32_t op) {
    return (gnt_fused_op){
        .op = op, .b = -1, .inner = b->q->node[r].inner, .mid = b->q->node[r].mid, .low = b->q->node[r].low};
}

static int32_t spread(builder *b, gnt_node r) {
    gnt_node small = input(b, r, 0);
    gnt_fused_op o = op_of_extents(b, r, GNT_FUSED_SPREAD);
    o.a = new_slot(b, -1, (gnt_fused_slot){.value = small});
    o.y = new_slot(b, r, (gnt_fused_slot){.value = -1});
    new_op(b, o);
    return o.y;
}

/* Returns the slot of node r in this chain; makes it if there is none. */
static int32_t slot_of(builder *b, gnt_node r) {
    int32_t m = b->plan->mark[r];
    if (m >= 0 && m < b->c->n_slots && b->of_slot[m] == r)
        return m;
    if (b->q->node[r].kind == GNT_KIND_INLINE)
        return compute(b, r, 0);
    if (b->q->node[r].kind == GNT_KIND_SPREAD)
        return spread(b, r);
    return new_slot(b, r, (gnt_fused_slot){.value = r, .moves = 1});
}

/* True if m is a product that only a sum reads: it is never stored. */
static int becomes_dot(const builder *b, gnt_node m) {
    return b->plan->ir->v[m].op == GNT_OP_MUL && b->q->node[m].kind == GNT_KIND_EACH &&
           !b->q->node[m].stored && b->q->node[m].uses == 1;
}

static void total(builder *b, gnt_node i) {
    gnt_node x = input(b, i, 0);
    gnt_fused_op o = op_of_extents(b, i, GNT_FUSED_SUM);
    if (b->q->node[x].chunk == b->q->node[i].chunk && becomes_dot(b, x)) {
        o.op = GNT_FUSED_DOT;
        o.a = slot_of(b, input(b, x, 0));
        o.b = slot_of(b, input(b, x, 1));
    } else {
        o.a = slot_of(b, x);
    }
    o.y = new_slot(b, i, (gnt_fused_slot){.value = i, .output = 1});
    o.total = b->c->totals;
    b->c->totals += o.mid * o.low;
    new_op(b, o);
}

/* True if a sum among the next n members reads m and computes it. */
static int left_to_sum(const builder *b, gnt_node m, const gnt_grouping_item *members, int32_t n) {
    if (!becomes_dot(b, m))
        return 0;
    for (int32_t k = 0; k < n; k++)
        if (b->q->node[members[k].node].kind == GNT_KIND_TOTAL && input(b, members[k].node, 0) == m)
            return 1;
    return 0;
}

/* Assigns blocks to the scratch slots, by first and last use. A broadcast number is written once, so it has a
 * block of its own. */
static int place_blocks(gnt_fused_chain *c) {
    int32_t *free_block = gnt_array((size_t)c->n_slots, sizeof *free_block), n_free = 0;
    if (!free_block)
        return -1;
    for (int32_t i = 0; i < c->n_ops; i++) {
        const gnt_fused_op *o = &c->op[i];
        for (int k = 0; k < 2; k++) {
            int32_t used = k ? o->b : o->a;
            if (used < 0 || (k && used == o->a) || c->slot[used].value >= 0 || c->slot[used].last_op != i)
                continue;
            free_block[n_free++] = c->slot[used].block;
        }
        gnt_fused_slot *y = &c->slot[o->y];
        if (y->value >= 0)
            continue;
        if (o->op == GNT_FUSED_SPREAD && o->mid * o->low == 1) {
            y->last_op = c->n_ops;
            y->block = c->blocks++;
        } else {
            y->block = n_free > 0 ? free_block[--n_free] : c->blocks++;
        }
    }
    gnt_free(free_block);
    return 0;
}

static void choose_block(gnt_fused_chain *c, size_t size) {
    int64_t block = MOST_BLOCK;
    while (block > LEAST_BLOCK && (size_t)block * size * (size_t)(c->blocks + 2) > NEAR_BYTES)
        block /= 2;
    c->block = c->n < block ? c->n : block;
    c->totals = (c->totals + 7) / 8 * 8;
}

int gnt_fused_step(gnt_nn_plan *plan, const gnt_grouping *q, const gnt_grouping_item *members, int32_t n) {
    gnt_nn_plan_step s = {.op = GNT_STEP_CHAIN, .stage = members[0].stage, .out = -1, .in = {-1, -1, -1}};
    builder b = {.plan = plan, .q = q, .c = gnt_alloc(sizeof *b.c)};
    if (!b.c)
        return -1;
    s.u.chain = b.c;
    gnt_node one = members[0].node;
    b.c->n =
        q->node[one].kind == GNT_KIND_TOTAL ? plan->ir->v[input(&b, one, 0)].count : plan->ir->v[one].count;
    for (int32_t k = 0; k < n && !b.failed; k++) {
        gnt_node i = members[k].node;
        if (q->node[i].kind == GNT_KIND_TOTAL)
            total(&b, i);
        else if (!left_to_sum(&b, i, members, n))
            compute(&b, i, q->node[i].stored);
    }
    gnt_free(b.of_slot);
    if (b.failed || place_blocks(b.c)) {
        gnt_fused_free(b.c);
        return -1;
    }
    choose_block(b.c, plan->kernels->size);
    s.n = b.c->n;
    s.scratch =
        (size_t)b.c->totals * sizeof(double) + (size_t)(b.c->blocks * b.c->block) * plan->kernels->size;
    if (b.c->n_slots > plan->most_slots)
        plan->most_slots = b.c->n_slots;
    if (!gnt_nn_plan_add(plan, &s)) {
        gnt_fused_free(b.c);
        return -1;
    }
    return 0;
}

void gnt_fused_free(gnt_fused_chain *c) {
    if (!c)
        return;
    gnt_free(c->op);
    gnt_free(c->slot);
    gnt_free(c);
}
