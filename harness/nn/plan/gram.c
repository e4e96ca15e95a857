/* gram: removes weight gradients that are only compared with something and differentiated again, as in
 * gradient matching. With few places (over the batch) against the channels, g = conv_dw(x, dy) is large and
 * of low rank; writing it, reading it together with the observed gradient c, writing a·c + b·g and reading
 * that as weights takes more time than all products. Without g:
 *
 *   Σ g∘c                      = Σ dy∘conv(x, c)
 *   conv(x, a·c + b·g)         = a·conv(x, c) + b·gram(x, dy)               gram    = conv(x, g)
 *   conv_dx(dy, a·c + b·g)     = a·conv_dx(dy, c) + b·gram_dx(x, dy)        gram_dx = conv_dx(dy, g)
 *
 * and gram and gram_dx need no g either (real_gram.c). For a dense layer g is a matrix product op(a)·op(b),
 * and y·g is (y·op(a))·op(b). The pass applies where every use of g is one of these, with one c that is an
 * input or depends on constant inputs only. Sums of squared differences, as in an L2 distance, are left
 * alone: split into terms, they would cancel near a match. So are masked gradients, whose rank is not low. */
#include "nn/plan/nn_plan.h"

#include <string.h>

#include "base/mem.h"

enum { DEPTH = 8, MANY_WEIGHTS = 1 << 15 };

typedef enum kind {
    PLAIN,
    MULTIPLE,    /* g, or scalars times g */
    COMBINATION, /* of multiples of g and of c */
    PRODUCT,     /* elementwise, of a multiple of g with another, or one of c */
    DOT,         /* the sum of a product */
    USE          /* a convolution, or product, of one of g's own factors by a multiple or combination */
} kind;

/* One node of the graph before the pass. */
typedef struct pass_node {
    gnt_node map;  /* the node in the new graph; −1 where it is removed */
    gnt_node of;   /* of a node that is not plain: the g it is made of */
    gnt_node with; /* of a g: its c; −1: none yet */
    int32_t stage; /* the last input that it depends on */
    uint8_t kind, depth, refused;
} pass_node;

typedef struct pass {
    const gnt_graph *from;
    gnt_graph *to;
    pass_node *node; /* by node of `from` */
} pass;

/* A function that is linear in the weights: the convolution of x (or of dy) by them, or the product with one
 * of g's factors. */
typedef struct face {
    gnt_node g;
    int op;
    /* For a product: the factor, 1 if the weights are on its right, and 1 if it and the weights are
     * transposed. */
    gnt_node other;
    int right, turned, w_turned;
} face;

static const gnt_vertex *at(const pass *p, gnt_node i) {
    return &p->from->v[i];
}

static gnt_node input(const pass *p, gnt_node i, int32_t k) {
    return p->from->edge[at(p, i)->first + k];
}

/* ---- choice of gradients ---- */

double gnt_gram_flops(const gnt_conv *s) {
    double pixels = (double)(s->n * s->h * s->w), places = (double)(s->n * s->oh * s->ow);
    return 2 * pixels * pixels * (double)s->c + 2 * places * places * (double)s->o +
           places * places * (double)(s->kh * s->kw);
}

/* True if the two products that replace g take at most a quarter of its flops (with a half, 64 channels of
 * 8×8 gain nothing) and their matrices are no larger; decided by shape only. */
static int is_narrow(const gnt_conv *s) {
    double weights = (double)(s->o * s->c * s->kh * s->kw), pixels = (double)(s->n * s->h * s->w),
           places = (double)(s->n * s->oh * s->ow);
    return weights >= MANY_WEIGHTS && 2 * gnt_gram_flops(s) <= weights * places / 2 &&
           pixels * pixels + places * places <= weights;
}

/* True if an m×n product of inner size k is thin, as is_narrow. */
static int is_thin(const gnt_graph *ir, const gnt_vertex *v) {
    const gnt_vertex *a = &ir->v[gnt_graph_in(ir, v)[0]];
    double m = (double)v->shape.dim[0], n = (double)v->shape.dim[1],
           k = (double)a->shape.dim[v->p[0] ? 0 : 1];
    return m * n >= MANY_WEIGHTS && 4 * k * k * (m + n) <= m * n * k / 2;
}

static int holds_gradient(const pass *p, gnt_node i) {
    return p->node[i].kind == MULTIPLE || p->node[i].kind == COMBINATION;
}

/* Returns the operand of a product that is one broadcast number; −1: none. */
static int32_t scalar_side(const pass *p, gnt_node i) {
    for (int32_t k = 0; at(p, i)->op == GNT_OP_MUL && k < 2; k++) {
        gnt_node s = input(p, i, k);
        if (at(p, s)->op == GNT_OP_EXPAND && at(p, input(p, s, 0))->count == 1)
            return k;
    }
    return -1;
}

static int is_scaling(const pass *p, gnt_node i) {
    return at(p, i)->op == GNT_OP_AFFINE && at(p, i)->b == 0;
}

static int is_given(const pass *p, gnt_node i) {
    return at(p, i)->op == GNT_OP_INPUT || p->node[i].stage < 0;
}

/* True if `i` is a multiple of the one c of g; sets that c at its first use. */
static int goes_with(pass *p, gnt_node g, gnt_node i) {
    for (int depth = 0; !is_given(p, i) && depth < DEPTH; depth++) {
        int32_t k = scalar_side(p, i);
        if (!is_scaling(p, i) && k < 0)
            return 0;
        i = input(p, i, is_scaling(p, i) ? 0 : 1 - k);
    }
    if (!is_given(p, i) || p->node[i].stage > p->node[g].stage ||
        (p->node[g].with >= 0 && p->node[g].with != i))
        return 0;
    p->node[g].with = i;
    return 1;
}

/* Returns the kind of a sum or product of two operands of one shape; *g is the gradient in it. */
static kind join(pass *p, gnt_node a, gnt_node b, kind together, gnt_node *g) {
    if (!holds_gradient(p, a)) {
        gnt_node t = a;
        a = b;
        b = t;
    }
    if (!holds_gradient(p, a))
        return PLAIN;
    *g = p->node[a].of;
    if (together == PRODUCT && (p->node[a].kind != MULTIPLE || p->node[b].kind == COMBINATION))
        return PLAIN;
    return (holds_gradient(p, b) ? p->node[b].of == *g : goes_with(p, *g, b)) ? together : PLAIN;
}

static int same_window(const gnt_vertex *a, const gnt_vertex *b) {
    return a->p[0] == b->p[0] && a->p[1] == b->p[1];
}

/* Returns USE if i is a convolution of g's own x or dy. */
static kind conv_use(const pass *p, gnt_node i, gnt_node *g) {
    gnt_node w = input(p, i, 1);
    if (!holds_gradient(p, w))
        return PLAIN;
    *g = p->node[w].of;
    gnt_node x = input(p, *g, 0), dy = input(p, *g, 1);
    if (!same_window(at(p, i), at(p, *g)))
        return PLAIN;
    if (at(p, i)->op == GNT_OP_CONV)
        return input(p, i, 0) == x ? USE : PLAIN;
    return input(p, i, 0) == dy && gnt_shape_same(&at(p, i)->shape, &at(p, x)->shape) ? USE : PLAIN;
}

/* Returns USE if i is a product with one of g's own factors. */
static kind matmul_use(const pass *p, gnt_node i, gnt_node *g) {
    int32_t side = holds_gradient(p, input(p, i, 1));
    gnt_node w = input(p, i, side), other = input(p, i, 1 - side);
    if (!holds_gradient(p, w))
        return PLAIN;
    *g = p->node[w].of;
    return other == input(p, *g, 0) || other == input(p, *g, 1) ? USE : PLAIN;
}

static kind kind_of(pass *p, gnt_node i, gnt_node *g) {
    const gnt_vertex *v = at(p, i);
    gnt_node a = v->n_in > 0 ? input(p, i, 0) : -1, b = v->n_in > 1 ? input(p, i, 1) : -1;
    int32_t k;
    gnt_conv s;
    switch (v->op) {
    case GNT_OP_CONV_DW:
        s = gnt_nn_plan_conv(p->from, v);
        *g = i;
        return p->node[i].stage >= 0 && is_narrow(&s) ? MULTIPLE : PLAIN;
    case GNT_OP_MATMUL:
        if (holds_gradient(p, a) || holds_gradient(p, b))
            return matmul_use(p, i, g);
        *g = i;
        return p->node[i].stage >= 0 && is_thin(p->from, v) ? MULTIPLE : PLAIN;
    case GNT_OP_AFFINE:
        *g = p->node[a].of;
        return v->b == 0 && holds_gradient(p, a) ? (kind)p->node[a].kind : PLAIN;
    case GNT_OP_MUL:
        k = scalar_side(p, i);
        if (k < 0)
            return join(p, a, b, PRODUCT, g);
        *g = p->node[k ? a : b].of;
        return holds_gradient(p, k ? a : b) ? (kind)p->node[k ? a : b].kind : PLAIN;
    case GNT_OP_ADD:
    case GNT_OP_SUB:
        return join(p, a, b, COMBINATION, g);
    case GNT_OP_SUM:
        *g = p->node[a].of;
        return p->node[a].kind == PRODUCT && v->count == 1 ? DOT : PLAIN;
    case GNT_OP_CONV:
    case GNT_OP_CONV_DX:
        return conv_use(p, i, g);
    default:
        return PLAIN;
    }
}

static int is_taken_out(const pass *p, gnt_node i) {
    return holds_gradient(p, i) || p->node[i].kind == PRODUCT;
}

static void mark(pass *p, gnt_node i) {
    const gnt_vertex *v = at(p, i);
    gnt_node g = -1;
    int32_t stage = v->op == GNT_OP_INPUT ? v->stage : GNT_STAGE_ONCE;
    for (int32_t k = 0; k < v->n_in; k++) {
        gnt_node x = input(p, i, k);
        stage = p->node[x].stage > stage ? p->node[x].stage : stage;
        p->node[i].depth = p->node[x].depth > p->node[i].depth ? p->node[x].depth : p->node[i].depth;
    }
    p->node[i].stage = stage;
    kind here = kind_of(p, i, &g);
    p->node[i].of = here == PLAIN ? -1 : g;
    p->node[i].kind = (uint8_t)here;
    p->node[i].depth = is_taken_out(p, i) && g != i ? (uint8_t)(p->node[i].depth + 1) : 0;
    for (int32_t k = 0; k < v->n_in; k++) {
        gnt_node x = input(p, i, k);
        if (is_taken_out(p, x) && (p->node[x].of != p->node[i].of || p->node[i].depth > DEPTH))
            p->node[p->node[x].of].refused = 1;
    }
}

/* Marks all nodes. Returns the number of gradients to remove. */
static int32_t choose(pass *p, const gnt_nn_plan *plan) {
    int32_t n = 0;
    for (gnt_node i = 0; i < p->from->n; i++) {
        p->node[i].with = -1;
        mark(p, i);
    }
    for (int32_t i = 0; i < plan->n_outputs; i++)
        if (is_taken_out(p, plan->output[i]))
            p->node[p->node[plan->output[i]].of].refused = 1;
    for (gnt_node i = 0; i < p->from->n; i++) {
        if (p->node[i].of >= 0 && p->node[p->node[i].of].refused)
            p->node[i].kind = PLAIN;
        n += p->node[i].kind != PLAIN && p->node[i].of == i;
    }
    return n;
}

/* ---- replacements ---- */

/* Returns l·r, of nodes of `to`. */
static gnt_node product(pass *p, gnt_node l, int tl, gnt_node r, int tr) {
    return gnt_nn_matmul(p->to, l, tl, r, tr);
}

/* Returns the product with g = op(a)·op(b) itself, one factor after the other. */
static gnt_node through_factors(pass *p, const face *f) {
    const gnt_vertex *v = at(p, f->g);
    int near = f->right == f->w_turned; /* g's factor next to the other */
    gnt_node next = p->node[input(p, f->g, near)].map, last = p->node[input(p, f->g, !near)].map;
    int t_next = (int)v->p[near] != f->w_turned, t_last = (int)v->p[!near] != f->w_turned;
    gnt_node other = p->node[f->other].map;
    if (f->right)
        return product(p, product(p, other, f->turned, next, t_next), 0, last, t_last);
    return product(p, last, t_last, product(p, next, t_next, other, f->turned), 0);
}

/* Returns the face with weights c, or with g itself. */
static gnt_node by(pass *p, const face *f, gnt_node c) {
    const gnt_vertex *v = at(p, f->g);
    gnt_node in[2] = {p->node[input(p, f->g, 0)].map, p->node[input(p, f->g, 1)].map};
    if (f->op == GNT_OP_MATMUL) {
        if (c == f->g)
            return through_factors(p, f);
        return f->right ? product(p, p->node[f->other].map, f->turned, p->node[c].map, f->w_turned)
                        : product(p, p->node[c].map, f->w_turned, p->node[f->other].map, f->turned);
    }
    const gnt_nn_shape *x = &at(p, input(p, f->g, 0))->shape, *dy = &at(p, input(p, f->g, 1))->shape;
    int32_t stride = (int32_t)v->p[0], pad = (int32_t)v->p[1];
    if (c == f->g) {
        gnt_vertex gram = {.op = f->op == GNT_OP_CONV ? GNT_OP_GRAM : GNT_OP_GRAM_DX,
                           .shape = f->op == GNT_OP_CONV ? *dy : *x,
                           .p = {stride, pad, v->shape.dim[2], v->shape.dim[3]}};
        return gnt_graph_add(p->to, &gram, in, 2);
    }
    if (f->op == GNT_OP_CONV)
        return gnt_nn_conv(p->to, in[0], p->node[c].map, stride, pad);
    return gnt_nn_conv_dx(p->to, in[1], p->node[c].map, x->dim[2], x->dim[3], stride, pad);
}

/* Returns the scalar of the product i, expanded to the shape of `like`. */
static gnt_node scalar(pass *p, gnt_node i, int32_t side, gnt_node like) {
    gnt_nn_shape s = gnt_nn_shape_of(p->to, like);
    return gnt_nn_expand(p->to, p->node[input(p, input(p, i, side), 0)].map, s.rank, s.dim);
}

/* Returns the face with the combination i as weights, term by term. */
static gnt_node by_terms(pass *p, const face *f, gnt_node i) {
    int32_t side = scalar_side(p, i);
    if (i == f->g || i == p->node[f->g].with)
        return by(p, f, i);
    if (is_scaling(p, i))
        return gnt_nn_affine(p->to, by_terms(p, f, input(p, i, 0)), at(p, i)->a, 0);
    if (side >= 0) {
        gnt_node y = by_terms(p, f, input(p, i, 1 - side));
        return y < 0 ? -1 : gnt_nn_mul(p->to, scalar(p, i, side, y), y);
    }
    gnt_node a = by_terms(p, f, input(p, i, 0)), b = by_terms(p, f, input(p, i, 1));
    return at(p, i)->op == GNT_OP_ADD ? gnt_nn_add(p->to, a, b) : gnt_nn_sub(p->to, a, b);
}

/* Returns Σ g∘b = Σ dy∘conv(x, b); for g = op(a)·op(b'), the sum of a ∘ the product of its shape. */
static gnt_node dot_with(pass *p, gnt_node g, gnt_node b) {
    const gnt_vertex *v = at(p, g);
    face f = {.g = g, .op = GNT_OP_CONV};
    gnt_node y = input(p, g, 1);
    if (v->op == GNT_OP_MATMUL) {
        int ta = (int)v->p[0], tb = (int)v->p[1];
        f = (face){g, GNT_OP_MATMUL, y, ta, ta ? tb : !tb, ta};
        y = input(p, g, 0);
    }
    gnt_node terms = gnt_nn_mul(p->to, p->node[y].map, by_terms(p, &f, b));
    return terms < 0 ? -1 : gnt_nn_sum(p->to, terms, (1u << v->shape.rank) - 1);
}

/* Returns Σ a∘b, where a is a multiple of g. */
static gnt_node dot(pass *p, gnt_node g, gnt_node a, gnt_node b) {
    int32_t side = scalar_side(p, a);
    if (a == g)
        return dot_with(p, g, b);
    if (is_scaling(p, a))
        return gnt_nn_affine(p->to, dot(p, g, input(p, a, 0), b), at(p, a)->a, 0);
    gnt_node y = dot(p, g, input(p, a, 1 - side), b);
    return y < 0 ? -1 : gnt_nn_mul(p->to, scalar(p, a, side, y), y);
}

static gnt_node used(pass *p, gnt_node i) {
    const gnt_vertex *v = at(p, i);
    int right = v->op != GNT_OP_MATMUL || holds_gradient(p, input(p, i, 1));
    face f = {.g = p->node[i].of, .op = v->op};
    if (v->op == GNT_OP_MATMUL)
        f = (face){f.g, v->op, input(p, i, 1 - right), right, (int)v->p[1 - right], (int)v->p[right]};
    return by_terms(p, &f, input(p, i, right));
}

static gnt_node rewrite(pass *p, gnt_node i, gnt_node *in) {
    const gnt_vertex *v = at(p, i);
    if (p->node[i].kind == USE)
        return used(p, i);
    if (p->node[i].kind == DOT) {
        gnt_node both = input(p, i, 0), a = input(p, both, 0), b = input(p, both, 1);
        return holds_gradient(p, a) ? dot(p, p->node[i].of, a, b) : dot(p, p->node[i].of, b, a);
    }
    for (int32_t k = 0; k < v->n_in; k++)
        in[k] = p->node[input(p, i, k)].map;
    return gnt_graph_add(p->to, v, in, v->n_in);
}

static int rebuild(pass *p, gnt_nn_plan *plan) {
    gnt_node *in = gnt_array((size_t)gnt_graph_most_inputs(p->from), sizeof *in);
    int failed = !in;
    for (gnt_node i = 0; i < p->from->n && !failed; i++) {
        p->node[i].map = is_taken_out(p, i) ? -1 : rewrite(p, i, in);
        failed = p->node[i].map < 0 && !is_taken_out(p, i);
    }
    for (int32_t i = 0; i < plan->n_outputs && !failed; i++)
        plan->output[i] = p->node[plan->output[i]].map;
    gnt_free(in);
    return failed ? -1 : 0;
}

int gnt_nn_plan_gram(gnt_nn_plan *plan) {
    size_t n = (size_t)plan->ir->n;
    pass p = {.from = plan->ir, .to = gnt_graph_new()};
    int rc = -1;
    p.node = gnt_array(n, sizeof *p.node);
    if (!p.to || !p.node)
        goto cleanup;
    if (choose(&p, plan) == 0) {
        rc = 0;
        goto cleanup;
    }
    if (rebuild(&p, plan))
        goto cleanup;
    /* drops nodes that are no longer needed and merges equal ones */
    gnt_graph *clean = gnt_simplify(p.to, plan->output, plan->n_outputs, 0, plan->output);
    if (!clean)
        goto cleanup;
    gnt_graph_free(plan->ir);
    plan->ir = clean;
    rc = 0;
cleanup:
    gnt_graph_free(p.to);
    gnt_free(p.node);
    return rc;
}
