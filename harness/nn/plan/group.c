#include "nn/plan/group.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { LATE = INT32_MAX, MEMBERS = 40, DEPTH = 3, SEEN = 4 };

typedef struct grouper {
    gnt_nn_plan *plan;
    gnt_graph *ir;
    gnt_grouping *q;
    int32_t *allowed;      /* the last wave that its readers allow */
    int32_t *low, *high;   /* least and greatest wave of the chains that read it */
    int32_t *parent;       /* union of members, by least node */
    int32_t *reader;       /* the last member that read it, for joining members that read the same vector */
    int32_t (*seen)[SEEN]; /* waves at which chains read an input */
    uint8_t *depth;        /* of inlined nodes */
} grouper;

static gnt_node input(const grouper *w, gnt_node c, int32_t k) {
    return w->q->alias[w->ir->edge[w->ir->v[c].first + k]];
}

/* The node whose entries input k of node c are, looking through reshapes and inlined nodes. */
static gnt_node operand(const grouper *w, gnt_node c, int32_t k) {
    gnt_node r = input(w, c, k);
    while (w->q->kind[r] == GNT_KIND_INLINE)
        r = input(w, r, 0);
    return r;
}

static int is_member(const grouper *w, gnt_node i) {
    return w->q->kind[i] == GNT_KIND_EACH || w->q->kind[i] == GNT_KIND_TOTAL;
}

static int32_t stage_of(const grouper *w, gnt_node i) {
    return w->plan->value[i].stage;
}

/* ---- kinds ---- */

/* Whether the axes of `wide` where the small side has size 1 lie outside and inside one run of common
 * axes, after which may come the channels of a block, common as well. */
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
        return pattern(x, &v->shape, &q->inner[i], &q->mid[i], &q->low[i]) ? GNT_KIND_TOTAL : GNT_KIND_KERNEL;
    return pattern(&v->shape, x, &q->inner[i], &q->mid[i], &q->low[i]) ? GNT_KIND_SPREAD : GNT_KIND_KERNEL;
}

static int is_cheap(int op) {
    return op == GNT_OP_AFFINE || op == GNT_OP_RELU || op == GNT_OP_LEAKY_RELU || op == GNT_OP_STEP ||
           op == GNT_OP_SIGN || op == GNT_OP_ABS;
}

static void kinds(grouper *w) {
    gnt_grouping *q = w->q;
    for (gnt_node i = 0; i < w->ir->n; i++) {
        q->kind[i] = (uint8_t)kind_of(w, i);
        q->alias[i] = q->kind[i] == GNT_KIND_ALIAS ? input(w, i, 0) : i;
    }
    for (int32_t i = 0; i < w->plan->n_outputs; i++)
        q->memory[q->alias[w->plan->output[i]]] = 1;
    for (gnt_node i = 0; i < w->ir->n; i++)
        if (q->kind[i] == GNT_KIND_KERNEL || q->kind[i] == GNT_KIND_SLICE || q->kind[i] == GNT_KIND_SPREAD)
            for (int32_t k = 0; k < w->ir->v[i].n_in; k++)
                q->memory[input(w, i, k)] = 1;
    for (gnt_node i = 0; i < w->ir->n; i++) {
        if (q->kind[i] != GNT_KIND_EACH || !is_cheap(w->ir->v[i].op) || q->memory[i])
            continue;
        gnt_node near = input(w, i, 0), base = operand(w, i, 0);
        int kept = q->kind[base] == GNT_KIND_EACH ? q->memory[base] : q->kind[base] != GNT_KIND_SPREAD;
        w->depth[i] = (uint8_t)(q->kind[near] == GNT_KIND_INLINE ? w->depth[near] + 1 : 1);
        if (kept && w->depth[i] <= DEPTH)
            q->kind[i] = GNT_KIND_INLINE;
    }
}

/* ---- waves ---- */

/* The first wave at which c can read r from memory. */
static int32_t ready(const grouper *w, gnt_node c, gnt_node r) {
    if (stage_of(w, r) < stage_of(w, c) || w->q->kind[r] == GNT_KIND_INPUT)
        return 0;
    return w->q->wave[r] + is_member(w, r);
}

/* The first wave at which a chain with c in it can have its operand r. */
static int32_t ready_in_chain(const grouper *w, gnt_node c, gnt_node r) {
    if (w->q->kind[r] == GNT_KIND_SPREAD)
        return ready(w, c, input(w, r, 0));
    if (w->q->kind[r] == GNT_KIND_EACH && stage_of(w, r) == stage_of(w, c))
        return w->q->wave[r];
    return ready(w, c, r);
}

static void see(grouper *w, gnt_node leaf, int32_t wave) {
    for (int k = 0; k < SEEN; k++) {
        if (w->seen[leaf][k] == wave)
            return;
        if (w->seen[leaf][k] < 0) {
            w->seen[leaf][k] = wave;
            return;
        }
    }
}

static void waves(grouper *w) {
    gnt_grouping *q = w->q;
    for (gnt_node i = 0; i < w->ir->n; i++) {
        int member = is_member(w, i);
        if (q->kind[i] == GNT_KIND_DEAD || q->kind[i] == GNT_KIND_ALIAS || q->kind[i] == GNT_KIND_INLINE)
            continue;
        for (int32_t k = 0; k < w->ir->v[i].n_in; k++) {
            int32_t t = member ? ready_in_chain(w, i, operand(w, i, k)) : ready(w, i, input(w, i, k));
            q->wave[i] = t > q->wave[i] ? t : q->wave[i];
        }
        for (int32_t k = 0; member && k < w->ir->v[i].n_in; k++)
            see(w, operand(w, i, k), q->wave[i]);
    }
}

static void limit(grouper *w, gnt_node c, gnt_node r, int32_t wave) {
    if (stage_of(w, r) == stage_of(w, c) && wave < w->allowed[r])
        w->allowed[r] = wave;
}

/* Tells the operands of c, whose wave is final, how late they may be. */
static void limit_operands(grouper *w, gnt_node c) {
    gnt_grouping *q = w->q;
    int member = is_member(w, c);
    for (int32_t k = 0; k < w->ir->v[c].n_in; k++) {
        gnt_node r = member ? operand(w, c, k) : input(w, c, k);
        if (member && q->kind[r] == GNT_KIND_SPREAD) {
            limit(w, c, input(w, r, 0), q->wave[c] - 1);
        } else if (member && q->kind[r] == GNT_KIND_EACH && stage_of(w, r) == stage_of(w, c)) {
            limit(w, c, r, q->wave[c]);
            w->low[r] = q->wave[c] < w->low[r] ? q->wave[c] : w->low[r];
            w->high[r] = q->wave[c] > w->high[r] ? q->wave[c] : w->high[r];
        } else if (is_member(w, r)) {
            limit(w, c, r, q->wave[c] - 1);
            if (stage_of(w, r) != stage_of(w, c))
                q->memory[r] = 1;
        }
    }
}

/* How many of i's operands would have to be stored only because i runs later. */
static int fresh_operands(const grouper *w, gnt_node i) {
    int n = 0;
    for (int32_t k = 0; k < w->ir->v[i].n_in; k++) {
        gnt_node r = operand(w, i, k);
        n += w->q->kind[r] == GNT_KIND_EACH && stage_of(w, r) == stage_of(w, i) && !w->q->memory[r] &&
             (k == 0 || r != operand(w, i, 0));
    }
    return n;
}

/* A sum over vectors that are in memory anyway, like t·t of a target, waits for the chain that reads them
 * too. */
static int32_t company(const grouper *w, gnt_node i) {
    gnt_node m = operand(w, i, 0);
    if (w->q->kind[m] == GNT_KIND_EACH && !w->q->memory[m] && fresh_operands(w, m) > 0)
        return w->q->wave[i];
    int inside = w->q->kind[m] == GNT_KIND_EACH && !w->q->memory[m];
    int32_t best = w->q->wave[i];
    for (int32_t k = 0; k < (inside ? w->ir->v[m].n_in : 1); k++) {
        gnt_node leaf = inside ? operand(w, m, k) : m;
        for (int s = 0; s < SEEN; s++)
            if (w->seen[leaf][s] > best && w->seen[leaf][s] <= w->allowed[i])
                best = w->seen[leaf][s];
    }
    return best;
}

/* Nodes move to later waves where that keeps them out of memory or brings them next to their reader. */
static void sink(grouper *w) {
    gnt_grouping *q = w->q;
    for (gnt_node i = w->ir->n - 1; i >= 0; i--) {
        if (q->kind[i] == GNT_KIND_EACH && w->allowed[i] != LATE) {
            int joins = !q->memory[i] && w->low[i] == w->high[i];
            int fresh = fresh_operands(w, i);
            int32_t target = joins ? w->low[i] : w->allowed[i];
            if (target > q->wave[i] && target <= w->allowed[i] && fresh <= joins)
                q->wave[i] = target;
        }
        if (q->kind[i] == GNT_KIND_TOTAL && w->allowed[i] != LATE)
            q->wave[i] = company(w, i);
        if (is_member(w, i) || q->kind[i] == GNT_KIND_KERNEL || q->kind[i] == GNT_KIND_SLICE ||
            (q->kind[i] == GNT_KIND_SPREAD && q->memory[i]))
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
    while (w->parent[i] != i) {
        w->parent[i] = w->parent[w->parent[i]];
        i = w->parent[i];
    }
    return i;
}

static int64_t length(const grouper *w, gnt_node i) {
    return w->q->kind[i] == GNT_KIND_TOTAL ? w->ir->v[input(w, i, 0)].count : w->ir->v[i].count;
}

static void join(grouper *w, gnt_node a, gnt_node b) {
    if (stage_of(w, a) != stage_of(w, b) || w->q->wave[a] != w->q->wave[b] || length(w, a) != length(w, b))
        return;
    int32_t x = find(w, a), y = find(w, b);
    if (x != y)
        w->parent[x > y ? x : y] = x < y ? x : y;
}

static void join_readers(grouper *w, gnt_node i) {
    for (int32_t k = 0; k < w->ir->v[i].n_in; k++) {
        gnt_node r = operand(w, i, k);
        if (w->q->kind[r] == GNT_KIND_EACH)
            join(w, i, r);
        if (w->q->kind[r] == GNT_KIND_SPREAD)
            continue;
        if (w->reader[r] >= 0)
            join(w, i, w->reader[r]);
        w->reader[r] = i;
    }
}

static void list_items(grouper *w) {
    gnt_grouping *q = w->q;
    for (gnt_node i = 0; i < w->ir->n; i++) {
        int member = is_member(w, i);
        if (member || q->kind[i] == GNT_KIND_KERNEL || (q->kind[i] == GNT_KIND_SPREAD && q->memory[i]))
            q->item[q->n_items++] =
                (gnt_grouping_item){stage_of(w, i), q->wave[i], member, member ? 0 : i, i};
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

/* Long groups are cut; the pieces run in order. */
static void chunks(grouper *w) {
    gnt_grouping *q = w->q;
    int32_t chunk = 0, members = 0;
    for (int32_t i = 0; i < q->n_items; i++) {
        int follows = i > 0 && q->item[i].late && q->item[i - 1].late &&
                      q->item[i].stage == q->item[i - 1].stage && q->item[i].group == q->item[i - 1].group;
        members = follows && members < MEMBERS ? members + 1 : 1;
        chunk += members == 1;
        q->chunk[q->item[i].node] = chunk;
    }
    for (int32_t i = 0; i < q->n_items; i++) {
        gnt_node c = q->item[i].node;
        if (!q->item[i].late)
            continue;
        if (q->memory[c] || q->kind[c] == GNT_KIND_TOTAL)
            q->stored[c] = 1;
        for (int32_t k = 0; k < w->ir->v[c].n_in; k++) {
            gnt_node r = operand(w, c, k);
            if (q->kind[r] == GNT_KIND_EACH && q->chunk[r] != q->chunk[c])
                q->stored[r] = 1;
            else
                q->uses[r]++;
        }
    }
}

static int open_grouper(grouper *w, gnt_nn_plan *plan, gnt_grouping *q) {
    size_t n = (size_t)plan->ir->n;
    *q = (gnt_grouping){0};
    *w = (grouper){.plan = plan, .ir = plan->ir, .q = q};
    q->kind = gnt_array(n, 1);
    q->memory = gnt_array(n, 1);
    q->stored = gnt_array(n, 1);
    q->alias = gnt_array(n, sizeof *q->alias);
    q->wave = gnt_array(n, sizeof *q->wave);
    q->chunk = gnt_array(n, sizeof *q->chunk);
    q->uses = gnt_array(n, sizeof *q->uses);
    q->inner = gnt_array(n, sizeof *q->inner);
    q->mid = gnt_array(n, sizeof *q->mid);
    q->low = gnt_array(n, 1);
    q->item = gnt_array(n, sizeof *q->item);
    w->allowed = gnt_array(n, sizeof *w->allowed);
    w->low = gnt_array(n, sizeof *w->low);
    w->high = gnt_array(n, sizeof *w->high);
    w->parent = gnt_array(n, sizeof *w->parent);
    w->reader = gnt_array(n, sizeof *w->reader);
    w->seen = gnt_array(n, sizeof *w->seen);
    w->depth = gnt_array(n, 1);
    if (!q->kind || !q->memory || !q->stored || !q->alias || !q->wave || !q->chunk || !q->uses || !q->inner ||
        !q->mid || !q->low || !q->item || !w->allowed || !w->low || !w->high || !w->parent || !w->reader ||
        !w->seen || !w->depth)
        return -1;
    for (size_t i = 0; i < n; i++) {
        w->allowed[i] = w->low[i] = LATE;
        w->high[i] = w->reader[i] = -1;
        w->parent[i] = (int32_t)i;
        for (int k = 0; k < SEEN; k++)
            w->seen[i][k] = -1;
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
    gnt_free(w.allowed);
    gnt_free(w.low);
    gnt_free(w.high);
    gnt_free(w.parent);
    gnt_free(w.reader);
    gnt_free(w.seen);
    gnt_free(w.depth);
    return failed;
}

void gnt_grouping_free(gnt_grouping *q) {
    gnt_free(q->kind);
    gnt_free(q->memory);
    gnt_free(q->stored);
    gnt_free(q->alias);
    gnt_free(q->wave);
    gnt_free(q->chunk);
    gnt_free(q->uses);
    gnt_free(q->inner);
    gnt_free(q->mid);
    gnt_free(q->low);
    gnt_free(q->item);
}
