/* simplify: one walk that rebuilds the needed part of a graph, node by node, into a new one. Each node is
 * first folded (rules below), then looked up among the nodes made so far, so that equal nodes exist once.
 *
 * A rule may only use algebra that keeps every value up to rounding. 0·x is taken as 0. */
#include "nn/plan/nn_plan.h"

#include <string.h>

#include "base/mem.h"

typedef struct rewriter {
    gnt_graph *out;
    gnt_node *slot; /* hash table of nodes of `out`, −1 empty */
    uint32_t mask;
} rewriter;

static uint64_t mix(uint64_t h, uint64_t v) {
    h = (h ^ v) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

static uint64_t bits(double d) {
    uint64_t u;
    memcpy(&u, &d, sizeof u);
    return u;
}

static uint64_t hash(const gnt_vertex *v, const gnt_node *in, int32_t n_in) {
    uint64_t h = mix(v->op, (uint64_t)v->shape.rank);
    for (int32_t i = 0; i < v->shape.rank; i++)
        h = mix(h, (uint64_t)v->shape.dim[i]);
    for (int i = 0; i < GNT_NN_PARAMS; i++)
        h = mix(h, (uint64_t)v->p[i]);
    h = mix(mix(h, bits(v->a)), bits(v->b));
    h = mix(h, (uint64_t)v->tag);
    for (int32_t i = 0; i < n_in; i++)
        h = mix(h, (uint64_t)in[i] + 1);
    return h;
}

static int equal(const gnt_graph *g, const gnt_vertex *x, const gnt_vertex *y, const gnt_node *in,
                 int32_t n_in) {
    return x->op == y->op && x->type == y->type && x->stage == y->stage && x->tag == y->tag &&
           x->data == y->data && x->n_in == n_in && gnt_shape_same(&x->shape, &y->shape) &&
           !memcmp(x->p, y->p, sizeof x->p) && bits(x->a) == bits(y->a) && bits(x->b) == bits(y->b) &&
           (n_in == 0 || !memcmp(gnt_graph_in(g, x), in, (size_t)n_in * sizeof *in));
}

static int widen(rewriter *r) {
    uint32_t size = (r->mask + 1) * 2;
    gnt_node *slot = gnt_array(size, sizeof *slot);
    if (!slot)
        return -1;
    for (uint32_t i = 0; i < size; i++)
        slot[i] = -1;
    for (gnt_node i = 0; i < r->out->n; i++) {
        const gnt_vertex *v = &r->out->v[i];
        uint64_t h = hash(v, gnt_graph_in(r->out, v), v->n_in);
        while (slot[h & (size - 1)] >= 0)
            h++;
        slot[h & (size - 1)] = i;
    }
    gnt_free(r->slot);
    r->slot = slot;
    r->mask = size - 1;
    return 0;
}

/* Returns the node equal to this one, or −1. */
static gnt_node look_up(const rewriter *r, const gnt_vertex *v, const gnt_node *in, int32_t n_in) {
    for (uint64_t h = hash(v, in, n_in); r->slot[h & r->mask] >= 0; h++) {
        gnt_node found = r->slot[h & r->mask];
        if (equal(r->out, &r->out->v[found], v, in, n_in))
            return found;
    }
    return -1;
}

/* Returns the node equal to this one; adds it if there is none. */
static gnt_node place(rewriter *r, const gnt_vertex *v, const gnt_node *in, int32_t n_in) {
    if ((uint32_t)r->out->n * 2 > r->mask && widen(r))
        return -1;
    gnt_node found = look_up(r, v, in, n_in);
    if (found >= 0)
        return found;
    gnt_node made = gnt_graph_add(r->out, v, in, n_in);
    uint64_t h = hash(v, in, n_in);
    while (r->slot[h & r->mask] >= 0)
        h++;
    if (made >= 0)
        r->slot[h & r->mask] = made;
    return made;
}

/* ---- rules ---- */

static const gnt_vertex *at(const rewriter *r, gnt_node x) {
    return &r->out->v[x];
}

static gnt_node operand(const rewriter *r, gnt_node x, int32_t k) {
    return r->out->edge[r->out->v[x].first + k];
}

static int is_fill(const rewriter *r, gnt_node x) {
    return at(r, x)->op == GNT_OP_FILL;
}

static int is_zero(const rewriter *r, gnt_node x) {
    return is_fill(r, x) && at(r, x)->a == 0;
}

static int is_negation(const rewriter *r, gnt_node x) {
    return at(r, x)->op == GNT_OP_AFFINE && at(r, x)->a == -1 && at(r, x)->b == 0;
}

static gnt_node emit(rewriter *r, gnt_vertex *v, gnt_node *in, int32_t n_in);

static gnt_node fill(rewriter *r, const gnt_nn_shape *shape, double value) {
    gnt_vertex v = {.op = GNT_OP_FILL, .shape = *shape, .a = value};
    return place(r, &v, NULL, 0);
}

static gnt_node affine(rewriter *r, gnt_node x, double a, double b) {
    if (a == 1 && b == 0)
        return x;
    gnt_vertex vx = *at(r, x);
    if (vx.op == GNT_OP_FILL)
        return fill(r, &vx.shape, a * vx.a + b);
    if (a == 0)
        return fill(r, &vx.shape, b);
    if (vx.op == GNT_OP_AFFINE)
        return affine(r, operand(r, x, 0), a * vx.a, a * vx.b + b);
    gnt_vertex v = {.op = GNT_OP_AFFINE, .shape = vx.shape, .a = a, .b = b};
    return place(r, &v, &x, 1);
}

static gnt_node binary_of(rewriter *r, int op, gnt_node a, gnt_node b) {
    gnt_vertex v = {.op = (uint8_t)op, .shape = at(r, a)->shape};
    gnt_node in[2] = {a, b};
    return emit(r, &v, in, 2);
}

static gnt_node emit_binary(rewriter *r, gnt_vertex *v, gnt_node *in) {
    gnt_node a = in[0], b = in[1];
    double fa = at(r, a)->a, fb = at(r, b)->a;
    switch (v->op) {
    case GNT_OP_ADD:
        if (is_fill(r, b))
            return affine(r, a, 1, fb);
        if (is_fill(r, a))
            return affine(r, b, 1, fa);
        if (is_negation(r, b))
            return binary_of(r, GNT_OP_SUB, a, operand(r, b, 0));
        if (is_negation(r, a))
            return binary_of(r, GNT_OP_SUB, b, operand(r, a, 0));
        break;
    case GNT_OP_SUB:
        if (is_fill(r, b))
            return affine(r, a, 1, -fb);
        if (is_fill(r, a))
            return affine(r, b, -1, fa);
        if (is_negation(r, b))
            return binary_of(r, GNT_OP_ADD, a, operand(r, b, 0));
        break;
    case GNT_OP_MUL:
        if (is_fill(r, b))
            return affine(r, a, fb, 0);
        if (is_fill(r, a))
            return affine(r, b, fa, 0);
        break;
    case GNT_OP_DIV:
        if (is_fill(r, b) && fb != 0)
            return affine(r, a, 1 / fb, 0);
        break;
    default:
        break;
    }
    if ((v->op == GNT_OP_ADD || v->op == GNT_OP_MUL) && a > b) { /* the same bits either way round */
        in[0] = b;
        in[1] = a;
    }
    return place(r, v, in, 2);
}

static gnt_node emit_sum(rewriter *r, gnt_vertex *v, gnt_node x) {
    gnt_nn_shape s = at(r, x)->shape;
    double n = 1;
    for (int32_t i = 0; i < s.rank; i++) {
        if (s.dim[i] == 1)
            v->p[0] &= ~((int64_t)1 << i);
        if (v->p[0] >> i & 1)
            n *= (double)s.dim[i];
    }
    if (v->p[0] == 0)
        return x;
    if (is_fill(r, x))
        return fill(r, &v->shape, at(r, x)->a * n);
    if (at(r, x)->op == GNT_OP_AFFINE && at(r, x)->b == 0) { /* scale the smaller one */
        double a = at(r, x)->a;
        gnt_node inner = operand(r, x, 0);
        gnt_node sum = emit_sum(r, v, inner);
        return sum < 0 ? -1 : affine(r, sum, a, 0);
    }
    return place(r, v, &x, 1);
}

/* Folds an expand or a reshape; two in a row of one kind are one. */
static gnt_node emit_view(rewriter *r, gnt_vertex *v, gnt_node x) {
    if (gnt_shape_same(&at(r, x)->shape, &v->shape))
        return x;
    if (is_fill(r, x))
        return fill(r, &v->shape, at(r, x)->a);
    if (at(r, x)->op == v->op)
        return emit_view(r, v, operand(r, x, 0));
    return place(r, v, &x, 1);
}

/* Folds a permutation; one that only moves axes of size 1 is a reshape. */
static gnt_node emit_permute(rewriter *r, gnt_vertex *v, gnt_node x) {
    if (is_fill(r, x))
        return fill(r, &v->shape, at(r, x)->a);
    int64_t last = -1;
    int still = 1;
    for (int32_t i = 0; i < v->shape.rank; i++) {
        if (v->shape.dim[i] == 1)
            continue;
        still &= v->p[i] > last;
        last = v->p[i];
    }
    if (!still)
        return place(r, v, &x, 1);
    gnt_vertex reshape = {.op = GNT_OP_RESHAPE, .shape = v->shape};
    return emit_view(r, &reshape, x);
}

static gnt_node emit_slice(rewriter *r, gnt_vertex *v, gnt_node x) {
    if (gnt_shape_same(&at(r, x)->shape, &v->shape))
        return x;
    if (is_fill(r, x))
        return fill(r, &v->shape, at(r, x)->a);
    int64_t axis = v->p[0], from = v->p[1], size = v->shape.dim[axis];
    const gnt_vertex *vx = at(r, x);
    if (vx->op == GNT_OP_PAD && vx->p[0] == axis) { /* the slice undoes the padding */
        gnt_node inner = operand(r, x, 0);
        if (vx->p[1] == from && at(r, inner)->shape.dim[axis] == size)
            return inner;
    }
    if (vx->op == GNT_OP_CONCAT && vx->p[0] == axis) {
        int64_t start = 0;
        for (int32_t k = 0; k < vx->n_in && start <= from; k++) {
            gnt_node part = operand(r, x, k);
            if (start == from && at(r, part)->shape.dim[axis] == size)
                return part;
            start += at(r, part)->shape.dim[axis];
        }
    }
    return place(r, v, &x, 1);
}

/* Takes the step of relu(x) if there is one: relu(x) > 0 exactly where x > 0, and later layers keep
 * relu(x). */
static gnt_node emit_step(rewriter *r, gnt_vertex *v, gnt_node x) {
    gnt_vertex relu = *v;
    relu.op = GNT_OP_RELU;
    gnt_node found = look_up(r, &relu, &x, 1);
    return place(r, v, found >= 0 ? &found : &x, 1);
}

/* Turns a transposed factor into a flag. */
static gnt_node emit_matmul(rewriter *r, gnt_vertex *v, gnt_node *in) {
    for (int k = 0; k < 2; k++)
        if (at(r, in[k])->op == GNT_OP_PERMUTE) {
            in[k] = operand(r, in[k], 0);
            v->p[k] = !v->p[k];
        }
    return is_zero(r, in[0]) || is_zero(r, in[1]) ? fill(r, &v->shape, 0) : place(r, v, in, 2);
}

static gnt_node emit(rewriter *r, gnt_vertex *v, gnt_node *in, int32_t n_in) {
    if (gnt_op_is_binary(v->op))
        return emit_binary(r, v, in);
    switch (v->op) {
    case GNT_OP_AFFINE:
        return affine(r, in[0], v->a, v->b);
    case GNT_OP_STEP:
        return emit_step(r, v, in[0]);
    case GNT_OP_SUM:
        return emit_sum(r, v, in[0]);
    case GNT_OP_EXPAND:
    case GNT_OP_RESHAPE:
        return emit_view(r, v, in[0]);
    case GNT_OP_PERMUTE:
        return emit_permute(r, v, in[0]);
    case GNT_OP_SLICE:
        return emit_slice(r, v, in[0]);
    case GNT_OP_MATMUL:
        return emit_matmul(r, v, in);
    case GNT_OP_CONV:
    case GNT_OP_CONV_DX:
    case GNT_OP_CONV_DW:
    case GNT_OP_GENERAL_CONV:
    case GNT_OP_GENERAL_CONV_DX:
    case GNT_OP_GENERAL_CONV_DW:
        if (is_zero(r, in[0]) || is_zero(r, in[1]))
            return fill(r, &v->shape, 0);
        break;
    case GNT_OP_PAD:
        if (gnt_shape_same(&at(r, in[0])->shape, &v->shape))
            return in[0];
        /* fall through */
    case GNT_OP_SCATTER:
        if (is_zero(r, in[0]))
            return fill(r, &v->shape, 0);
        break;
    case GNT_OP_CONCAT:
        if (n_in == 1)
            return in[0];
        break;
    default:
        break;
    }
    return place(r, v, in, n_in);
}

/* Marks the nodes that the outputs need. */
static char *needed(const gnt_graph *g, const gnt_node *outputs, int32_t n_outputs) {
    char *need = gnt_array((size_t)g->n, 1);
    if (!need)
        return NULL;
    for (int32_t i = 0; i < n_outputs; i++)
        need[outputs[i]] = 1;
    for (gnt_node i = g->n - 1; i >= 0; i--)
        for (int32_t k = 0; need[i] && k < g->v[i].n_in; k++)
            need[g->edge[g->v[i].first + k]] = 1;
    return need;
}

static int rebuild(rewriter *r, const gnt_graph *g, const char *need, int plain, gnt_node *map,
                   gnt_node *in) {
    for (gnt_node i = 0; i < g->n; i++) {
        map[i] = -1;
        if (!need[i])
            continue;
        gnt_vertex v = g->v[i];
        for (int32_t k = 0; k < v.n_in; k++)
            in[k] = map[g->edge[v.first + k]];
        if ((v.op == GNT_OP_INPUT || v.op == GNT_OP_DATA) && !v.tag) /* these are never merged */
            v.tag = i + 1;
        map[i] = plain ? gnt_graph_add(r->out, &v, in, v.n_in) : emit(r, &v, in, v.n_in);
        if (map[i] < 0)
            return -1;
    }
    return 0;
}

gnt_graph *gnt_simplify(const gnt_graph *g, const gnt_node *outputs, int32_t n_outputs, int plain,
                        gnt_node *mapped) {
    rewriter r = {.out = gnt_graph_new()};
    char *need = needed(g, outputs, n_outputs);
    gnt_node *map = gnt_array((size_t)g->n, sizeof *map);
    gnt_node *in = gnt_array((size_t)gnt_graph_most_inputs(g), sizeof *in);
    int failed = 1;
    r.mask = 511;
    if (!r.out || !need || !map || !in || widen(&r) || rebuild(&r, g, need, plain, map, in))
        goto cleanup;
    for (int32_t i = 0; i < n_outputs; i++)
        mapped[i] = map[outputs[i]];
    failed = 0;
cleanup:
    gnt_free(need);
    gnt_free(map);
    gnt_free(in);
    gnt_free(r.slot);
    if (!failed)
        return r.out;
    gnt_graph_free(r.out);
    return NULL;
}
