#include "nn/plan/group.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { LATE = INT32_MAX, MEMBERS = 40, DEPTH = 3, SEEN = 4 };

/* One node while groups are made. */
typedef struct grouper_node {
    int32_t allowed;    /* the last wave that its readers allow */
    int32_t low, high;  /* least and greatest wave of the chains that read it */
    int32_t parent;     /* union of members, by least node */
    int32_t reader;     /* the last member that read it, for joining members that read the same vector */
    int32_t seen[SEEN]; /* waves at which chains read an input */
    uint8_t depth;      /* of inlined nodes */
} grouper_node;

typedef struct grouper {
    gnt_nn_plan *plan;
    gnt_graph *ir;
    gnt_grouping *q;
    grouper_node *node; /* by node */
} grouper;

static gnt_node input(const grouper *w, gnt_node c, int32_t k) {
    return w->q->node[w->ir->edge[w->ir->v[c].first + k]].alias;
}

/* Returns the node whose entries input k of node c has, looking through reshapes and inlined nodes. */
static gnt_node operand(const grouper *w, gnt_node c, int32_t k) {
    gnt_node r = input(w, c, k);
    while (w->q->node[r].kind == GNT_KIND_INLINE)
        r = input(w, r, 0);
    return r;
}

static int is_member(const grouper *w, gnt_node i) {
    return w->q->node[i].kind == GNT_KIND_EACH || w->q->node[i].kind == GNT_KIND_TOTAL;
}

static int32_t stage_of(const grouper *w, gnt_node i) {
    return w->plan->value[i].stage;
}

/* ---- kinds ---- */

/* True if the axes of `wide` where the small side has size 1 are before and after one run of common axes,
 * which the channels of a block, common as well, may follow. */
static int pattern(const gnt_nn_shape *wide, const gnt_nn_shape *small, int64_t *inner, int64_t *mid,
                   uint8_t *low) {
    int part = 0; /* 0 outer, 1 common, 2 inner */
    *inner = *mid = *low = 1;
    for (int32_t i = 0; i < wide->rank; i++) {
        if (wide->dim[i] == 1)
            continue;
        int common = small->dim[i] == wide->dim[i];
        if (common && part == 2) {
            if (i + 1 != wide->rank || (wide->dim[i] != 8 && wide->dim[i] != 16))
                return 0;
            *low = (uint8_t)wide->dim[i];
            *inner *= *low;
            return 1;
        }
        if (common)
            part = 1;
        else if (part == 1)
            part = 2;
        if (part == 1)
            *mid *= wide->dim[i];
        if (part == 2)
            *inner *= wide->dim[i];
    }
    return 1;
}

static gnt_kind kind_of(grouper *w, gnt_node i) {
    const gnt_vertex *v = &w->ir->v[i];
    gnt_grouping *q = w->q;
    if (stage_of(w, i) == GNT_STAGE_DEAD)
        return GNT_KIND_DEAD;
    if (v->op == GNT_OP_INPUT)
        return GNT_KIND_INPUT;
    if (v->op == GNT_OP_RESHAPE)
        return GNT_KIND_ALIAS;
    if (w->plan->value[i].root != i)
        return GNT_KIND_SLICE;
    if (gnt_op_is_unary(v->op) || gnt_op_is_binary(v->op))
        return GNT_KIND_EACH;
    if (v->op != GNT_OP_SUM && v->op != GNT_OP_EXPAND)
        return GNT_KIND_KERNEL;
    const gnt_nn_shape *x = &w->ir->v[gnt_graph_in(w->ir, v)[0]].shape;
    if (v->op == GNT_OP_SUM)
        return pattern(x, &v->shape, &q->node[i].inner, &q->node[i].mid, &q->node[i].low) ? GNT_KIND_TOTAL
                                                                                          : GNT_KIND_KERNEL;
    return pattern(&v->shape, x, &q->node[i].inner, &q->node[i].mid, &q->node[i].low) ? GNT_KIND_SPREAD
                                                                                      : GNT_KIND_KERNEL;
}

static int is_cheap(int op) {
    return op == GNT_OP_AFFINE || op == GNT_OP_RELU || op == GNT_OP_LEAKY_RELU || op == GNT_OP_STEP ||
           op == GNT_OP_SIGN || op == GNT_OP_ABS;
}

static void kinds(grouper *w) {
    gnt_grouping *q = w->q;
    for (gnt_node i = 0; i < w->ir->n; i++) {
        q->node[i].kind = (uint8_t)kind_of(w, i);
        q->node[i].alias = q->node[i].kind == GNT_KIND_ALIAS ? input(w, i, 0) : i;
    }
    for (int32_t i = 0; i < w->plan->n_outputs; i++)
        q->node[q->node[w->plan->output[i]].alias].memory = 1;
    for (gnt_node i = 0; i < w->ir->n; i++)
        if (q->node[i].kind == GNT_KIND_KERNEL || q->node[i].kind == GNT_KIND_SLICE ||
            q->node[i].kind == GNT_KIND_SPREAD)
            for (int32_t k = 0; k < w->ir->v[i].n_in; k++)
                q->node[input(w, i, k)].memory = 1;
    for (gnt_node i = 0; i < w->ir->n; i++) {
        if (q->node[i].kind != GNT_KIND_EACH || !is_cheap(w->ir->v[i].op) || q->node[i].memory)
            continue;
        gnt_node near = input(w, i, 0), base = operand(w, i, 0);
        int kept = q->node[base].kind == GNT_KIND_EACH ? q->node[base].memory
                                                       : q->node[base].kind != GNT_KIND_SPREAD;
        w->node[i].depth = (uint8_t)(q->node[near].kind == GNT_KIND_INLINE ? w->node[near].depth + 1 : 1);
        if (kept && w->node[i].depth <= DEPTH)
            q->node[i].kind = GNT_KIND_INLINE;
    }
}

/* ---- waves ---- */

/* Returns the first wave at which c can read r from memory. */
static int32_t ready(const grouper *w, gnt_node c, gnt_node r) {
    if (stage_of(w, r) < stage_of(w, c) || w->q->node[r].kind == GNT_KIND_INPUT)
        return 0;
    return w->q->node[r].wave + is_member(w, r);
}

/* Returns the first wave at which a chain with c in it can have its operand r. */
static int32_t ready_in_chain(const grouper *w, gnt_node c, gnt_node r) {
    if (w->q->node[r].kind == GNT_KIND_SPREAD)
        return ready(w, c, input(w, r, 0));
    if (w->q->node[r].kind == GNT_KIND_EACH && stage_of(w, r) == stage_of(w, c))
        return w->q->node[r].wave;
    return ready(w, c, r);
}

static void see(grouper *w, gnt_node leaf, int32_t wave) {
    for (int k = 0; k < SEEN; k++) {
        if (w->node[leaf].seen[k] == wave)
            return;
        if (w->node[leaf].seen[k] < 0) {
            w->node[leaf].seen[k] = wave;
            return;
        }
    }
}

static void waves(grouper *w) {
    gnt_grouping *q = w->q;
    for (gnt_node i = 0; i < w->ir->n; i++) {
        int member = is_member(w, i);
        if (q->node[i].kind == GNT_KIND_DEAD || q->node[i].kind == GNT_KIND_ALIAS ||
            q->node[i].kind == GNT_KIND_INLINE)
            continue;
        for (int32_t k = 0; k < w->ir->v[i].n_in; k++) {
            int32_t t = member ? ready_in_chain(w, i, operand(w, i, k)) : ready(w, i, input(w, i, k));
            q->node[i].wave = t > q->node[i].wave ? t : q->node[i].wave;
        }
        for (int32_t k = 0; member && k < w->ir->v[i].n_in; k++)
            see(w, operand(w, i, k), q->node[i].wave);
    }
}

static void limit(grouper *w, gnt_node c, gnt_node r, int32_t wave) {
    if (stage_of(w, r) == stage_of(w, c) && wave < w->node[r].allowed)
        w->node[r].allowed = wave;
}

/* Bounds the waves of c's operands, now that c's own is final. */
static void limit_operands(grouper *w, gnt_node c) {
    gnt_grouping *q = w->q;
    int member = is_member(w, c);
    for (int32_t k = 0; k < w->ir->v[c].n_in; k++) {
        gnt_node r = member ? operand(w, c, k) : input(w, c, k);
        if (member && q->node[r].kind == GNT_KIND_SPREAD) {
            limit(w, c, input(w, r, 0), q->node[c].wave - 1);
        } else if (member && q->node[r].kind == GNT_KIND_EACH && stage_of(w, r) == stage_of(w, c)) {
            limit(w, c, r, q->node[c].wave);
            w->node[r].low = q->node[c].wave < w->node[r].low ? q->node[c].wave : w->node[r].low;
            w->node[r].high = q->node[c].wave > w->node[r].high ? q->node[c].wave : w->node[r].high;
        } else if (is_member(w, r)) {
            limit(w, c, r, q->node[c].wave - 1);
            if (stage_of(w, r) != stage_of(w, c))
                q->node[r].memory = 1;
        }
    }
}

/* Returns the number of i's operands that would have to be stored only because i runs later. */
static int fresh_operands(const grouper *w, gnt_node i) {
    int n = 0;
    for (int32_t k = 0; k < w->ir->v[i].n_in; k++) {
        gnt_node r = operand(w, i, k);
        n += w->q->node[r].kind == GNT_KIND_EACH && stage_of(w, r) == stage_of(w, i) &&
             !w->q->node[r].memory && (k == 0 || r != operand(w, i, 0));
    }
    return n;
}

/* Returns the wave of sum i: over vectors that are in memory anyway, like t·t of a target, it waits for the
 * chain that reads them too. */
static int32_t wave_of_sum(const grouper *w, gnt_node i) {
    gnt_node m = operand(w, i, 0);
    if (w->q->node[m].kind == GNT_KIND_EACH && !w->q->node[m].memory && fresh_operands(w, m) > 0)
        return w->q->node[i].wave;
    int inside = w->q->node[m].kind == GNT_KIND_EACH && !w->q->node[m].memory;
    int32_t best = w->q->node[i].wave;
    for (int32_t k = 0; k < (inside ? w->ir->v[m].n_in : 1); k++) {
        gnt_node leaf = inside ? operand(w, m, k) : m;
        for (int s = 0; s < SEEN; s++)
            if (w->node[leaf].seen[s] > best && w->node[leaf].seen[s] <= w->node[i].allowed)
                best = w->node[leaf].seen[s];
    }
    return best;
}

/* Moves nodes to later waves where that keeps them out of memory or joins them with their reader. */
static void sink(grouper *w) {
    gnt_grouping *q = w->q;
    for (gnt_node i = w->ir->n - 1; i >= 0; i--) {
        if (q->node[i].kind == GNT_KIND_EACH && w->node[i].allowed != LATE) {
            int joins = !q->node[i].memory && w->node[i].low == w->node[i].high;
            int fresh = fresh_operands(w, i);
            int32_t target = joins ? w->node[i].low : w->node[i].allowed;
            if (target > q->node[i].wave && target <= w->node[i].allowed && fresh <= joins)
                q->node[i].wave = target;
        }
        if (q->node[i].kind == GNT_KIND_TOTAL && w->node[i].allowed != LATE)
            q->node[i].wave = wave_of_sum(w, i);
        if (is_member(w, i) || q->node[i].kind == GNT_KIND_KERNEL || q->node[i].kind == GNT_KIND_SLICE ||
            (q->node[i].kind == GNT_KIND_SPREAD && q->node[i].memory))
            limit_operands(w, i);
    }
}

/* ---- groups ---- */

static int by_place(const void *a, const void *b) {
    const gnt_grouping_item *x = a, *y = b;
    if (x->stage != y->stage)
        return x->stage < y->stage ? -1 : 1;
    if (x->wave != y->wave)
        return x->wave < y->wave ? -1 : 1;
    if (x->late != y->late)
        return x->late < y->late ? -1 : 1;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

static int32_t find(grouper *w, gnt_node i) {
    while (w->node[i].parent != i) {
        w->node[i].parent = w->node[w->node[i].parent].parent;
        i = w->node[i].parent;
    }
    return i;
}

static int64_t length(const grouper *w, gnt_node i) {
    return w->q->node[i].kind == GNT_KIND_TOTAL ? w->ir->v[input(w, i, 0)].count : w->ir->v[i].count;
}

static void join(grouper *w, gnt_node a, gnt_node b) {
    if (stage_of(w, a) != stage_of(w, b) || w->q->node[a].wave != w->q->node[b].wave ||
        length(w, a) != length(w, b))
        return;
    int32_t x = find(w, a), y = find(w, b);
    if (x != y)
        w->node[x > y ? x : y].parent = x < y ? x : y;
}

static void join_readers(grouper *w, gnt_node i) {
    for (int32_t k = 0; k < w->ir->v[i].n_in; k++) {
        gnt_node r = operand(w, i, k);
        if (w->q->node[r].kind == GNT_KIND_EACH)
            join(w, i, r);
        if (w->q->node[r].kind == GNT_KIND_SPREAD)
            continue;
        if (w->node[r].reader >= 0)
            join(w, i, w->node[r].reader);
        w->node[r].reader = i;
    }
}

static void list_items(grouper *w) {
    gnt_grouping *q = w->q;
    for (gnt_node i = 0; i < w->ir->n; i++) {
        int member = is_member(w, i);
        if (member || q->node[i].kind == GNT_KIND_KERNEL ||
            (q->node[i].kind == GNT_KIND_SPREAD && q->node[i].memory))
            q->item[q->n_items++] =
                (gnt_grouping_item){stage_of(w, i), q->node[i].wave, member, member ? 0 : i, i};
    }
    qsort(q->item, (size_t)q->n_items, sizeof *q->item, by_place);
    for (int32_t i = 0; i < q->n_items; i++)
        if (q->item[i].late)
            join_readers(w, q->item[i].node);
    for (int32_t i = 0; i < q->n_items; i++)
        if (q->item[i].late)
            q->item[i].group = find(w, q->item[i].node);
    qsort(q->item, (size_t)q->n_items, sizeof *q->item, by_place);
}

/* Splits long groups into chunks, which run in order. */
static void chunks(grouper *w) {
    gnt_grouping *q = w->q;
    int32_t chunk = 0, members = 0;
    for (int32_t i = 0; i < q->n_items; i++) {
        int follows = i > 0 && q->item[i].late && q->item[i - 1].late &&
                      q->item[i].stage == q->item[i - 1].stage && q->item[i].group == q->item[i - 1].group;
        members = follows && members < MEMBERS ? members + 1 : 1;
        chunk += members == 1;
        q->node[q->item[i].node].chunk = chunk;
    }
    for (int32_t i = 0; i < q->n_items; i++) {
        gnt_node c = q->item[i].node;
        if (!q->item[i].late)
            continue;
        if (q->node[c].memory || q->node[c].kind == GNT_KIND_TOTAL)
            q->node[c].stored = 1;
        for (int32_t k = 0; k < w->ir->v[c].n_in; k++) {
            gnt_node r = operand(w, c, k);
            if (q->node[r].kind == GNT_KIND_EACH && q->node[r].chunk != q->node[c].chunk)
                q->node[r].stored = 1;
            else
                q->node[r].uses++;
        }
    }
}

static int open_grouper(grouper *w, gnt_nn_plan *plan, gnt_grouping *q) {
    size_t n = (size_t)plan->ir->n;
    *q = (gnt_grouping){0};
    *w = (grouper){.plan = plan, .ir = plan->ir, .q = q};
    q->node = gnt_array(n, sizeof *q->node);
    q->item = gnt_array(n, sizeof *q->item);
    w->node = gnt_array(n, sizeof *w->node);
    if (!q->node || !q->item || !w->node)
        return -1;
    for (size_t i = 0; i < n; i++) {
        w->node[i].allowed = w->node[i].low = LATE;
        w->node[i].high = w->node[i].reader = -1;
        w->node[i].parent = (int32_t)i;
        for (int k = 0; k < SEEN; k++)
            w->node[i].seen[k] = -1;
    }
    return 0;
}

int gnt_group(gnt_nn_plan *plan, gnt_grouping *q) {
    grouper w;
    int failed = open_grouper(&w, plan, q);
    if (!failed) {
        kinds(&w);
        waves(&w);
        sink(&w);
        list_items(&w);
        chunks(&w);
    }
    gnt_free(w.node);
    return failed;
}

void gnt_grouping_free(gnt_grouping *q) {
    gnt_free(q->node);
    gnt_free(q->item);
}
