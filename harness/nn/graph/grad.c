/* grad: vector-Jacobian products as graph rewrites. A table has one rule for each primitive: given the
 * adjoint of the node, it builds the adjoints of the node's inputs, in the same primitives, so the result can
 * be differentiated again. A primitive without a rule is an error that names it.
 *
 * Jacobian-vector products need no rules of their own: a VJP is linear in its cotangent u, so the VJP of x ↦
 * VJP(u) with respect to u, applied to v, is the JVP. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "nn/graph/graph.h"

typedef struct gnt_rule_args {
    gnt_graph *g;
    gnt_node y, u;     /* the node and its adjoint */
    gnt_vertex v;      /* copy of y's vertex: builders may move the list */
    gnt_node in[2];    /* its first inputs */
    gnt_nn_shape s[2]; /* their shapes */
    const char *need;  /* need[i]: input i's adjoint is needed */
    gnt_node *out;     /* adjoints of the inputs; left at −1 where none flows */
} gnt_rule_args;

typedef void (*gnt_rule)(gnt_rule_args *r);

/* ---- elementwise ---- */

static void vjp_none(gnt_rule_args *r) {
    (void)r;
}
static void vjp_affine(gnt_rule_args *r) {
    r->out[0] = r->v.a == 1 ? r->u : gnt_nn_affine(r->g, r->u, r->v.a, 0);
}
static void vjp_exp(gnt_rule_args *r) {
    r->out[0] = gnt_nn_mul(r->g, r->u, r->y);
}
static void vjp_log(gnt_rule_args *r) {
    r->out[0] = gnt_nn_div(r->g, r->u, r->in[0]);
}
static void vjp_sqrt(gnt_rule_args *r) { /* 1 / (2y) */
    r->out[0] = gnt_nn_div(r->g, gnt_nn_affine(r->g, r->u, 0.5, 0), r->y);
}
static void vjp_sigmoid(gnt_rule_args *r) { /* y (1 − y) */
    r->out[0] = gnt_nn_mul(r->g, r->u, gnt_nn_mul(r->g, r->y, gnt_nn_affine(r->g, r->y, -1, 1)));
}
static void vjp_tanh(gnt_rule_args *r) { /* 1 − y² */
    gnt_node y2 = gnt_nn_mul(r->g, r->y, r->y);
    r->out[0] = gnt_nn_mul(r->g, r->u, gnt_nn_affine(r->g, y2, -1, 1));
}
static void vjp_erf(gnt_rule_args *r) { /* 2/√π · exp(−x²) */
    gnt_node x2 = gnt_nn_mul(r->g, r->in[0], r->in[0]);
    gnt_node slope = gnt_nn_affine(r->g, gnt_nn_exp(r->g, gnt_nn_affine(r->g, x2, -1, 0)), M_2_SQRTPI, 0);
    r->out[0] = gnt_nn_mul(r->g, r->u, slope);
}
static void vjp_softplus(gnt_rule_args *r) {
    r->out[0] = gnt_nn_mul(r->g, r->u, gnt_nn_sigmoid(r->g, r->in[0]));
}
static void vjp_relu(gnt_rule_args *r) {
    r->out[0] = gnt_nn_mul(r->g, r->u, gnt_nn_step(r->g, r->in[0]));
}
static void vjp_leaky_relu(gnt_rule_args *r) { /* slope + (1 − slope)·step(x) */
    gnt_node slope = gnt_nn_affine(r->g, gnt_nn_step(r->g, r->in[0]), 1 - r->v.a, r->v.a);
    r->out[0] = gnt_nn_mul(r->g, r->u, slope);
}
static void vjp_abs(gnt_rule_args *r) {
    r->out[0] = gnt_nn_mul(r->g, r->u, gnt_nn_sign(r->g, r->in[0]));
}
static void vjp_add(gnt_rule_args *r) {
    r->out[0] = r->out[1] = r->u;
}
static void vjp_sub(gnt_rule_args *r) {
    r->out[0] = r->u;
    if (r->need[1])
        r->out[1] = gnt_nn_affine(r->g, r->u, -1, 0);
}
static void vjp_mul(gnt_rule_args *r) {
    for (int i = 0; i < 2; i++)
        if (r->need[i])
            r->out[i] = gnt_nn_mul(r->g, r->u, r->in[1 - i]);
}
static void vjp_div(gnt_rule_args *r) { /* y = a/b: 1/b and −y/b */
    gnt_node over = gnt_nn_div(r->g, r->u, r->in[1]);
    r->out[0] = over;
    if (r->need[1])
        r->out[1] = gnt_nn_affine(r->g, gnt_nn_mul(r->g, over, r->y), -1, 0);
}

/* ---- shape ---- */

static void vjp_sum(gnt_rule_args *r) {
    r->out[0] = gnt_nn_expand(r->g, r->u, r->s[0].rank, r->s[0].dim);
}
static void vjp_expand(gnt_rule_args *r) {
    uint32_t grown = 0;
    for (int32_t i = 0; i < r->s[0].rank; i++)
        if (r->s[0].dim[i] != r->v.shape.dim[i])
            grown |= 1u << i;
    r->out[0] = grown ? gnt_nn_sum(r->g, r->u, grown) : r->u;
}
static void vjp_reshape(gnt_rule_args *r) {
    r->out[0] = gnt_nn_reshape(r->g, r->u, r->s[0].rank, r->s[0].dim);
}
static void vjp_permute(gnt_rule_args *r) {
    int32_t back[GNT_NN_RANK] = {0};
    for (int32_t i = 0; i < r->v.shape.rank; i++)
        back[r->v.p[i]] = i;
    r->out[0] = gnt_nn_permute(r->g, r->u, back);
}
static void vjp_slice(gnt_rule_args *r) {
    int32_t axis = (int32_t)r->v.p[0];
    int64_t from = r->v.p[1], to = from + r->v.shape.dim[axis];
    r->out[0] = gnt_nn_pad(r->g, r->u, axis, from, r->s[0].dim[axis] - to);
}
static void vjp_pad(gnt_rule_args *r) {
    int32_t axis = (int32_t)r->v.p[0];
    r->out[0] = gnt_nn_slice(r->g, r->u, axis, r->v.p[1], r->v.p[1] + r->s[0].dim[axis]);
}
static void vjp_concat(gnt_rule_args *r) {
    int32_t axis = (int32_t)r->v.p[0];
    int64_t at = 0;
    for (int32_t i = 0; i < r->v.n_in; i++) {
        int64_t n = r->g->v[r->g->edge[r->v.first + i]].shape.dim[axis];
        if (r->need[i])
            r->out[i] = gnt_nn_slice(r->g, r->u, axis, at, at + n);
        at += n;
    }
}

/* ---- linear algebra: each is linear in each of its inputs ---- */

static void vjp_matmul(gnt_rule_args *r) { /* Y = op(A)·op(B); dop(A) = U·op(B)ᵀ, dop(B) = op(A)ᵀ·U */
    int ta = (int)r->v.p[0], tb = (int)r->v.p[1];
    gnt_node a = r->in[0], b = r->in[1];
    if (r->need[0])
        r->out[0] = ta ? gnt_nn_matmul(r->g, b, tb, r->u, 1) : gnt_nn_matmul(r->g, r->u, 0, b, !tb);
    if (r->need[1])
        r->out[1] = tb ? gnt_nn_matmul(r->g, r->u, 1, a, ta) : gnt_nn_matmul(r->g, a, !ta, r->u, 0);
}
static void vjp_conv(gnt_rule_args *r) {
    gnt_nn_window w = gnt_graph_window(&r->v);
    if (r->need[0])
        r->out[0] = gnt_nn_general_conv_dx(r->g, r->u, r->in[1], r->s[0].dim[2], r->s[0].dim[3], &w);
    if (r->need[1])
        r->out[1] = gnt_nn_general_conv_dw(r->g, r->in[0], r->u, r->s[1].dim[2], r->s[1].dim[3], &w);
}
static void vjp_conv_dx(gnt_rule_args *r) {
    gnt_nn_window w = gnt_graph_window(&r->v);
    if (r->need[0])
        r->out[0] = gnt_nn_general_conv(r->g, r->u, r->in[1], &w);
    if (r->need[1])
        r->out[1] = gnt_nn_general_conv_dw(r->g, r->u, r->in[0], r->s[1].dim[2], r->s[1].dim[3], &w);
}
static void vjp_conv_dw(gnt_rule_args *r) {
    gnt_nn_window w = gnt_graph_window(&r->v);
    if (r->need[0])
        r->out[0] = gnt_nn_general_conv_dx(r->g, r->in[1], r->u, r->s[0].dim[2], r->s[0].dim[3], &w);
    if (r->need[1])
        r->out[1] = gnt_nn_general_conv(r->g, r->in[0], r->u, &w);
}

/* ---- pooling, reductions, indexing ---- */

static void vjp_avg_pool(gnt_rule_args *r) {
    r->out[0] = gnt_nn_avg_pool_dx(r->g, r->u, &r->v, &r->s[0]);
}
static void vjp_avg_pool_dx(gnt_rule_args *r) {
    gnt_vertex v = {.op = GNT_OP_AVG_POOL, .shape = r->s[0]};
    memcpy(v.p, r->v.p, sizeof v.p);
    r->out[0] = r->u < 0 ? -1 : gnt_graph_add(r->g, &v, &r->u, 1);
}
static void vjp_log_sum_exp(gnt_rule_args *r) { /* softmax(x) */
    gnt_node y = gnt_nn_expand(r->g, r->y, r->s[0].rank, r->s[0].dim);
    gnt_node p = gnt_nn_exp(r->g, gnt_nn_sub(r->g, r->in[0], y));
    r->out[0] = gnt_nn_mul(r->g, p, gnt_nn_expand(r->g, r->u, r->s[0].rank, r->s[0].dim));
}
static void vjp_gather(gnt_rule_args *r) {
    r->out[0] = gnt_nn_scatter(r->g, r->u, r->in[1], r->s[0].dim[r->s[0].rank - 1]);
}
static void vjp_scatter(gnt_rule_args *r) {
    r->out[0] = gnt_nn_gather(r->g, r->u, r->in[1]);
}

static const gnt_rule rules[GNT_OP_COUNT] = {
    [GNT_OP_INPUT] = vjp_none,
    [GNT_OP_FILL] = vjp_none,
    [GNT_OP_DATA] = vjp_none,
    [GNT_OP_AFFINE] = vjp_affine,
    [GNT_OP_EXP] = vjp_exp,
    [GNT_OP_LOG] = vjp_log,
    [GNT_OP_SQRT] = vjp_sqrt,
    [GNT_OP_SIGMOID] = vjp_sigmoid,
    [GNT_OP_TANH] = vjp_tanh,
    [GNT_OP_ERF] = vjp_erf,
    [GNT_OP_SOFTPLUS] = vjp_softplus,
    [GNT_OP_RELU] = vjp_relu,
    [GNT_OP_LEAKY_RELU] = vjp_leaky_relu,
    [GNT_OP_STEP] = vjp_none,
    [GNT_OP_SIGN] = vjp_none,
    [GNT_OP_ABS] = vjp_abs,
    [GNT_OP_ADD] = vjp_add,
    [GNT_OP_SUB] = vjp_sub,
    [GNT_OP_MUL] = vjp_mul,
    [GNT_OP_DIV] = vjp_div,
    [GNT_OP_SUM] = vjp_sum,
    [GNT_OP_EXPAND] = vjp_expand,
    [GNT_OP_RESHAPE] = vjp_reshape,
    [GNT_OP_PERMUTE] = vjp_permute,
    [GNT_OP_SLICE] = vjp_slice,
    [GNT_OP_PAD] = vjp_pad,
    [GNT_OP_CONCAT] = vjp_concat,
    [GNT_OP_MATMUL] = vjp_matmul,
    [GNT_OP_CONV] = vjp_conv,
    [GNT_OP_CONV_DX] = vjp_conv_dx,
    [GNT_OP_CONV_DW] = vjp_conv_dw,
    [GNT_OP_GENERAL_CONV] = vjp_conv,
    [GNT_OP_GENERAL_CONV_DX] = vjp_conv_dx,
    [GNT_OP_GENERAL_CONV_DW] = vjp_conv_dw,
    [GNT_OP_MAX_INDEX] = vjp_none,
    [GNT_OP_AVG_POOL] = vjp_avg_pool,
    [GNT_OP_AVG_POOL_DX] = vjp_avg_pool_dx,
    [GNT_OP_LOG_SUM_EXP] = vjp_log_sum_exp,
    [GNT_OP_ARGMAX] = vjp_none,
    [GNT_OP_GATHER] = vjp_gather,
    [GNT_OP_SCATTER] = vjp_scatter,
};

/* ---- the walk ---- */

typedef struct gnt_walk {
    gnt_graph *g;
    int32_t n;         /* nodes when the walk began */
    char *depends;     /* 1: on some x */
    gnt_node *adjoint; /* −1: nothing has flowed here yet */
    char *need;        /* scratch for the flags of one node's inputs */
    gnt_node *out;     /* scratch for the adjoints of one node's inputs */
    int32_t most_in;
} gnt_walk;

static void walk_close(gnt_walk *w) {
    gnt_free(w->depends);
    gnt_free(w->adjoint);
    gnt_free(w->need);
    gnt_free(w->out);
}

/* Marks what depends on x between the first x and the last y; nothing outside matters. */
static int walk_open(gnt_walk *w, gnt_graph *g, const gnt_node *x, int32_t nx, int32_t last) {
    *w = (gnt_walk){.g = g, .n = last + 1, .most_in = 2};
    w->depends = gnt_array((size_t)w->n, 1);
    w->adjoint = gnt_array((size_t)w->n, sizeof *w->adjoint);
    if (!w->depends || !w->adjoint)
        return -1;
    for (int32_t i = 0; i < w->n; i++)
        w->adjoint[i] = -1;
    for (int32_t j = 0; j < nx; j++)
        if (x[j] < w->n)
            w->depends[x[j]] = 1;
    for (int32_t i = 0; i < w->n; i++) {
        const gnt_vertex *v = &g->v[i];
        if (v->n_in > w->most_in)
            w->most_in = v->n_in;
        for (int32_t k = 0; k < v->n_in && !w->depends[i] && v->type == GNT_NN_REAL; k++)
            w->depends[i] = w->depends[g->edge[v->first + k]];
    }
    w->need = gnt_array((size_t)w->most_in, 1);
    w->out = gnt_array((size_t)w->most_in, sizeof *w->out);
    return w->need && w->out ? 0 : -1;
}

/* Adds u to a node's adjoint. Sums are left chains in the order of the walk, so that the same graph always
 * gives the same bits. */
static void flow(gnt_walk *w, gnt_node to, gnt_node u) {
    if (u >= 0)
        w->adjoint[to] = w->adjoint[to] < 0 ? u : gnt_nn_add(w->g, w->adjoint[to], u);
}

static int walk_node(gnt_walk *w, gnt_node i) {
    gnt_graph *g = w->g;
    gnt_rule_args r = {.g = g, .y = i, .u = w->adjoint[i], .v = g->v[i], .need = w->need, .out = w->out};
    if (!rules[r.v.op])
        return gnt_graph_fail(g, "%s has no differentiation rule", gnt_op_name(r.v.op));
    for (int32_t k = 0; k < r.v.n_in; k++) {
        gnt_node in = g->edge[r.v.first + k];
        w->need[k] = w->depends[in];
        w->out[k] = -1;
        if (k < 2) {
            r.in[k] = in;
            r.s[k] = g->v[in].shape;
        }
    }
    rules[r.v.op](&r);
    for (int32_t k = 0; k < r.v.n_in; k++)
        if (w->need[k])
            flow(w, g->edge[r.v.first + k], w->out[k]);
    return g->error[0] ? -1 : 0;
}

/* Checks a list of nodes: all in range and real. */
static int check_list(gnt_graph *g, const char *who, const char *what, const gnt_node *x, int32_t n) {
    if (n < 0)
        return gnt_graph_fail(g, "%s: %d nodes %s", who, n, what);
    if (gnt_graph_check(g, who, x, n))
        return -1;
    for (int32_t i = 0; i < n; i++)
        if (g->v[x[i]].type != GNT_NN_REAL)
            return gnt_graph_fail(g, "%s: %s %d holds indices, expected reals", who, what, i);
    return 0;
}

static int check_shapes(gnt_graph *g, const char *who, const gnt_node *x, const gnt_node *u, int32_t n) {
    for (int32_t i = 0; i < n; i++)
        if (!gnt_shape_same(&g->v[x[i]].shape, &g->v[u[i]].shape))
            return gnt_graph_fail(g, "%s: vector %d is %s, expected %s", who, i,
                                  gnt_shape_print(&g->v[u[i]].shape).s, gnt_shape_print(&g->v[x[i]].shape).s);
    return 0;
}

int gnt_nn_vjp(gnt_graph *g, const gnt_node *y, const gnt_node *u, int32_t ny, const gnt_node *x, int32_t nx,
               gnt_node *dx) {
    for (int32_t j = 0; j < nx; j++)
        dx[j] = -1;
    if (g->error[0] || check_list(g, "vjp", "y", y, ny) || check_list(g, "vjp", "x", x, nx))
        return -1;
    gnt_node one = -1;
    if (!u) {
        if (ny != 1 || g->v[y[0]].count != 1)
            return gnt_graph_fail(g, "vjp: without u, y must be one scalar");
        one = gnt_nn_fill_like(g, y[0], 1);
        u = &one;
    }
    if (check_list(g, "vjp", "u", u, ny) || check_shapes(g, "vjp", y, u, ny))
        return -1;
    int32_t last = -1, result = -1;
    for (int32_t i = 0; i < ny; i++)
        last = y[i] > last ? y[i] : last;
    gnt_walk w;
    if (walk_open(&w, g, x, nx, last)) {
        gnt_graph_fail(g, "vjp: out of memory for %d nodes", last + 1);
        goto cleanup;
    }
    for (int32_t i = 0; i < ny; i++)
        if (w.depends[y[i]])
            flow(&w, y[i], u[i]);
    for (gnt_node i = last; i >= 0; i--)
        if (w.depends[i] && w.adjoint[i] >= 0 && walk_node(&w, i))
            goto cleanup;
    for (int32_t j = 0; j < nx; j++) {
        dx[j] = x[j] <= last ? w.adjoint[x[j]] : -1;
        if (dx[j] < 0)
            dx[j] = gnt_nn_fill_like(g, x[j], 0);
    }
    result = g->error[0] ? -1 : 0;
cleanup:
    walk_close(&w);
    return result;
}

int gnt_nn_jvp(gnt_graph *g, const gnt_node *y, int32_t ny, const gnt_node *x, const gnt_node *v, int32_t nx,
               gnt_node *dy) {
    for (int32_t i = 0; i < ny; i++)
        dy[i] = -1;
    if (g->error[0] || check_list(g, "jvp", "y", y, ny) || check_list(g, "jvp", "x", x, nx) ||
        check_list(g, "jvp", "v", v, nx) || check_shapes(g, "jvp", x, v, nx))
        return -1;
    int result = -1;
    gnt_node *u = gnt_array((size_t)ny, sizeof *u), *back = gnt_array((size_t)nx, sizeof *back);
    if (!u || !back) {
        gnt_graph_fail(g, "jvp: out of memory");
        goto cleanup;
    }
    /* placeholders for the cotangents: the outer VJP is constant in them, so no program needs their values */
    for (int32_t i = 0; i < ny; i++) {
        gnt_nn_shape s = g->v[y[i]].shape;
        u[i] = gnt_nn_input(g, "cotangent", s.rank, s.dim, 0);
    }
    if (!gnt_nn_vjp(g, y, u, ny, x, nx, back))
        result = gnt_nn_vjp(g, back, v, nx, u, ny, dy);
cleanup:
    gnt_free(u);
    gnt_free(back);
    return result;
}
