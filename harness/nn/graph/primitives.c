/* primitives: nn.h's builders of single nodes except convolutions (convolutions.c). Each checks the types and
 * shapes of its arguments, names itself and the shapes in its error, and sets the shape of the result;
 * nothing is computed here. */
#include <inttypes.h>
#include <string.h>

#include "nn/graph/graph.h"

static gnt_node unary(gnt_graph *g, int op, gnt_node x, double a, double b) {
    if (gnt_graph_check_reals(g, gnt_op_name(op), &x, 1))
        return -1;
    gnt_vertex v = {.op = (uint8_t)op, .shape = g->v[x].shape, .a = a, .b = b};
    return gnt_graph_add(g, &v, &x, 1);
}

static gnt_node binary(gnt_graph *g, int op, gnt_node a, gnt_node b) {
    gnt_node in[2] = {a, b};
    if (gnt_graph_check_reals(g, gnt_op_name(op), in, 2))
        return -1;
    if (!gnt_shape_same(&g->v[a].shape, &g->v[b].shape))
        return gnt_graph_fail(g, "%s: %s meets %s, expected equal shapes (gnt_nn_expand broadcasts)",
                              gnt_op_name(op), gnt_shape_print(&g->v[a].shape).s,
                              gnt_shape_print(&g->v[b].shape).s);
    gnt_vertex v = {.op = (uint8_t)op, .shape = g->v[a].shape};
    return gnt_graph_add(g, &v, in, 2);
}

gnt_node gnt_nn_affine(gnt_graph *g, gnt_node x, double a, double b) {
    return unary(g, GNT_OP_AFFINE, x, a, b);
}
gnt_node gnt_nn_exp(gnt_graph *g, gnt_node x) {
    return unary(g, GNT_OP_EXP, x, 0, 0);
}
gnt_node gnt_nn_log(gnt_graph *g, gnt_node x) {
    return unary(g, GNT_OP_LOG, x, 0, 0);
}
gnt_node gnt_nn_sqrt(gnt_graph *g, gnt_node x, double eps) {
    return unary(g, GNT_OP_SQRT, x, eps, 0);
}
gnt_node gnt_nn_sigmoid(gnt_graph *g, gnt_node x) {
    return unary(g, GNT_OP_SIGMOID, x, 0, 0);
}
gnt_node gnt_nn_tanh(gnt_graph *g, gnt_node x) {
    return unary(g, GNT_OP_TANH, x, 0, 0);
}
gnt_node gnt_nn_erf(gnt_graph *g, gnt_node x) {
    return unary(g, GNT_OP_ERF, x, 0, 0);
}
gnt_node gnt_nn_softplus(gnt_graph *g, gnt_node x) {
    return unary(g, GNT_OP_SOFTPLUS, x, 0, 0);
}
gnt_node gnt_nn_relu(gnt_graph *g, gnt_node x) {
    return unary(g, GNT_OP_RELU, x, 0, 0);
}
gnt_node gnt_nn_leaky_relu(gnt_graph *g, gnt_node x, double slope) {
    return unary(g, GNT_OP_LEAKY_RELU, x, slope, 0);
}
gnt_node gnt_nn_step(gnt_graph *g, gnt_node x) {
    return unary(g, GNT_OP_STEP, x, 0, 0);
}
gnt_node gnt_nn_sign(gnt_graph *g, gnt_node x) {
    return unary(g, GNT_OP_SIGN, x, 0, 0);
}
gnt_node gnt_nn_abs(gnt_graph *g, gnt_node x) {
    return unary(g, GNT_OP_ABS, x, 0, 0);
}
gnt_node gnt_nn_add(gnt_graph *g, gnt_node a, gnt_node b) {
    return binary(g, GNT_OP_ADD, a, b);
}
gnt_node gnt_nn_sub(gnt_graph *g, gnt_node a, gnt_node b) {
    return binary(g, GNT_OP_SUB, a, b);
}
gnt_node gnt_nn_mul(gnt_graph *g, gnt_node a, gnt_node b) {
    return binary(g, GNT_OP_MUL, a, b);
}
gnt_node gnt_nn_div(gnt_graph *g, gnt_node a, gnt_node b) {
    return binary(g, GNT_OP_DIV, a, b);
}

gnt_node gnt_nn_sum(gnt_graph *g, gnt_node x, uint32_t axes) {
    if (gnt_graph_check_reals(g, "sum", &x, 1))
        return -1;
    gnt_vertex v = {.op = GNT_OP_SUM, .shape = g->v[x].shape, .p = {axes}};
    if (axes >> v.shape.rank)
        return gnt_graph_fail(g, "sum: axes mask 0x%x reaches beyond %s", axes, gnt_shape_print(&v.shape).s);
    for (int32_t i = 0; i < v.shape.rank; i++)
        if (axes >> i & 1)
            v.shape.dim[i] = 1;
    return gnt_graph_add(g, &v, &x, 1);
}

gnt_node gnt_nn_expand(gnt_graph *g, gnt_node x, int32_t rank, const int64_t *dim) {
    gnt_vertex v = {.op = GNT_OP_EXPAND};
    if (gnt_graph_check_reals(g, "expand", &x, 1) || gnt_graph_shape(g, "expand", rank, dim, &v.shape))
        return -1;
    const gnt_nn_shape *s = &g->v[x].shape;
    int fits = s->rank == rank;
    for (int32_t i = 0; fits && i < rank; i++)
        fits = s->dim[i] == dim[i] || s->dim[i] == 1;
    if (!fits)
        return gnt_graph_fail(
            g,
            "expand: %s does not broadcast to %s: equal rank and only axes of size 1 may grow "
            "(gnt_nn_reshape adds axes)",
            gnt_shape_print(s).s, gnt_shape_print(&v.shape).s);
    return gnt_graph_add(g, &v, &x, 1);
}

gnt_node gnt_nn_reshape(gnt_graph *g, gnt_node x, int32_t rank, const int64_t *dim) {
    gnt_vertex v = {.op = GNT_OP_RESHAPE};
    if (gnt_graph_check(g, "reshape", &x, 1) || gnt_graph_shape(g, "reshape", rank, dim, &v.shape))
        return -1;
    const gnt_vertex *vx = &g->v[x];
    if (gnt_shape_count(rank, dim) != vx->count)
        return gnt_graph_fail(g, "reshape: %s does not hold as many entries as %s",
                              gnt_shape_print(&v.shape).s, gnt_shape_print(&vx->shape).s);
    v.type = vx->type;
    v.p[7] = vx->p[7];
    return gnt_graph_add(g, &v, &x, 1);
}

gnt_node gnt_nn_permute(gnt_graph *g, gnt_node x, const int32_t *order) {
    if (gnt_graph_check_reals(g, "permute", &x, 1))
        return -1;
    gnt_vertex v = {.op = GNT_OP_PERMUTE, .shape = g->v[x].shape};
    uint32_t seen = 0;
    for (int32_t i = 0; i < v.shape.rank; i++) {
        if (order[i] < 0 || order[i] >= v.shape.rank || (seen >> order[i] & 1))
            return gnt_graph_fail(g, "permute of %s: order[%d] is %d, expected each axis once",
                                  gnt_shape_print(&v.shape).s, i, order[i]);
        seen |= 1u << order[i];
        v.p[i] = order[i];
        v.shape.dim[i] = g->v[x].shape.dim[order[i]];
    }
    return gnt_graph_add(g, &v, &x, 1);
}

static int check_axis(gnt_graph *g, const char *who, const gnt_nn_shape *s, int32_t axis) {
    if (axis >= 0 && axis < s->rank)
        return 0;
    return gnt_graph_fail(g, "%s: axis %d of %s does not exist", who, axis, gnt_shape_print(s).s);
}

gnt_node gnt_nn_slice(gnt_graph *g, gnt_node x, int32_t axis, int64_t from, int64_t to) {
    if (gnt_graph_check_reals(g, "slice", &x, 1) || check_axis(g, "slice", &g->v[x].shape, axis))
        return -1;
    gnt_vertex v = {.op = GNT_OP_SLICE, .shape = g->v[x].shape, .p = {axis, from}};
    if (from < 0 || from >= to || to > v.shape.dim[axis])
        return gnt_graph_fail(g, "slice: [%" PRId64 ", %" PRId64 ") is not a part of axis %d of %s", from, to,
                              axis, gnt_shape_print(&v.shape).s);
    v.shape.dim[axis] = to - from;
    return gnt_graph_add(g, &v, &x, 1);
}

gnt_node gnt_nn_pad(gnt_graph *g, gnt_node x, int32_t axis, int64_t before, int64_t after) {
    if (gnt_graph_check_reals(g, "pad", &x, 1) || check_axis(g, "pad", &g->v[x].shape, axis))
        return -1;
    gnt_vertex v = {.op = GNT_OP_PAD, .shape = g->v[x].shape, .p = {axis, before}};
    if (before < 0 || after < 0 || before > GNT_NN_MOST || after > GNT_NN_MOST)
        return gnt_graph_fail(g, "pad of %s: %" PRId64 " before and %" PRId64 " after, expected 0 to 2^40",
                              gnt_shape_print(&v.shape).s, before, after);
    v.shape.dim[axis] += before + after;
    return gnt_graph_add(g, &v, &x, 1);
}

gnt_node gnt_nn_concat(gnt_graph *g, const gnt_node *x, int32_t n, int32_t axis) {
    if (n < 1)
        return gnt_graph_fail(g, "concat: %d parts, expected at least one", n);
    if (gnt_graph_check_reals(g, "concat", x, n) || check_axis(g, "concat", &g->v[x[0]].shape, axis))
        return -1;
    gnt_vertex v = {.op = GNT_OP_CONCAT, .shape = g->v[x[0]].shape, .p = {axis}};
    for (int32_t i = 1; i < n; i++) {
        gnt_nn_shape part = g->v[x[i]].shape;
        int64_t more = part.rank == v.shape.rank ? part.dim[axis] : 0;
        part.dim[axis] = v.shape.dim[axis];
        if (!gnt_shape_same(&part, &v.shape))
            return gnt_graph_fail(g, "concat along axis %d: part %d is %s, the first is %s", axis, i + 1,
                                  gnt_shape_print(&g->v[x[i]].shape).s, gnt_shape_print(&g->v[x[0]].shape).s);
        v.shape.dim[axis] += more;
    }
    return gnt_graph_add(g, &v, x, n);
}

gnt_node gnt_nn_matmul(gnt_graph *g, gnt_node a, int ta, gnt_node b, int tb) {
    gnt_node in[2] = {a, b};
    if (gnt_graph_check_reals(g, "matmul", in, 2))
        return -1;
    const gnt_nn_shape *sa = &g->v[a].shape, *sb = &g->v[b].shape;
    if (sa->rank != 2 || sb->rank != 2)
        return gnt_graph_fail(g, "matmul: %s by %s, expected two matrices", gnt_shape_print(sa).s,
                              gnt_shape_print(sb).s);
    int64_t inner_a = sa->dim[ta ? 0 : 1], inner_b = sb->dim[tb ? 1 : 0];
    if (inner_a != inner_b)
        return gnt_graph_fail(g, "matmul: %s%s by %s%s: inner sizes %" PRId64 " and %" PRId64 " differ",
                              gnt_shape_print(sa).s, ta ? " transposed" : "", gnt_shape_print(sb).s,
                              tb ? " transposed" : "", inner_a, inner_b);
    gnt_vertex v = {.op = GNT_OP_MATMUL,
                    .shape = {2, {sa->dim[ta ? 1 : 0], sb->dim[tb ? 0 : 1]}},
                    .p = {ta != 0, tb != 0}};
    if (!gnt_graph_blas_fits(inner_a) || !gnt_graph_blas_fits(v.shape.dim[0]) ||
        !gnt_graph_blas_fits(v.shape.dim[1]))
        return gnt_graph_fail(g, "matmul: %s by %s: an axis exceeds 2^31 − 1", gnt_shape_print(sa).s,
                              gnt_shape_print(sb).s);
    return gnt_graph_add(g, &v, in, 2);
}

/* Fills v's p[0..5] and shape for a pooling of x. */
static int pool_shape(gnt_graph *g, const char *who, gnt_node x, int32_t kh, int32_t kw, int32_t sh,
                      int32_t sw, int32_t ph, int32_t pw, int ceil_mode, gnt_vertex *v) {
    if (gnt_graph_check_reals(g, who, &x, 1))
        return -1;
    const gnt_nn_shape *s = &g->v[x].shape;
    if (s->rank != 4)
        return gnt_graph_fail(g, "%s of %s: expected N×C×H×W", who, gnt_shape_print(s).s);
    if (kh < 1 || kw < 1 || sh < 1 || sw < 1 || ph < 0 || pw < 0 || ph >= kh || pw >= kw)
        return gnt_graph_fail(
            g,
            "%s of %s: window %d×%d, stride %d×%d, padding %d×%d: expected window and stride at least 1 "
            "and less padding than window",
            who, gnt_shape_print(s).s, kh, kw, sh, sw, ph, pw);
    v->shape = *s;
    v->shape.dim[2] = gnt_window_places(s->dim[2], kh, sh, ph, ceil_mode);
    v->shape.dim[3] = gnt_window_places(s->dim[3], kw, sw, pw, ceil_mode);
    if (v->shape.dim[2] < 1 || v->shape.dim[3] < 1 || !gnt_graph_blas_fits(s->dim[2] * s->dim[3]))
        return gnt_graph_fail(g, "%s of %s: a %d×%d window with padding %d×%d does not fit", who,
                              gnt_shape_print(s).s, kh, kw, ph, pw);
    int64_t p[6] = {kh, kw, sh, sw, ph, pw};
    memcpy(v->p, p, sizeof p);
    return 0;
}

gnt_node gnt_nn_max_index(gnt_graph *g, gnt_node x, int32_t kh, int32_t kw, int32_t sh, int32_t sw,
                          int32_t ph, int32_t pw, int ceil_mode) {
    gnt_vertex v = {.op = GNT_OP_MAX_INDEX, .type = GNT_NN_I32};
    if (pool_shape(g, "max_pool", x, kh, kw, sh, sw, ph, pw, ceil_mode, &v))
        return -1;
    v.p[7] = g->v[x].shape.dim[2] * g->v[x].shape.dim[3];
    return gnt_graph_add(g, &v, &x, 1);
}

gnt_node gnt_nn_avg_pool(gnt_graph *g, gnt_node x, int32_t kh, int32_t kw, int32_t sh, int32_t sw, int32_t ph,
                         int32_t pw, int ceil_mode, int count_pad) {
    gnt_vertex v = {.op = GNT_OP_AVG_POOL};
    if (pool_shape(g, "avg_pool", x, kh, kw, sh, sw, ph, pw, ceil_mode, &v))
        return -1;
    v.p[6] = count_pad != 0;
    return gnt_graph_add(g, &v, &x, 1);
}

gnt_node gnt_nn_avg_pool_dx(gnt_graph *g, gnt_node u, const gnt_vertex *pool, const gnt_nn_shape *x) {
    gnt_vertex v = {.op = GNT_OP_AVG_POOL_DX, .shape = *x};
    if (gnt_graph_check_reals(g, "avg_pool_dx", &u, 1))
        return -1;
    memcpy(v.p, pool->p, sizeof v.p);
    return gnt_graph_add(g, &v, &u, 1);
}

/* Checks that x has a last axis to reduce. */
static int check_last_axis(gnt_graph *g, const char *who, gnt_node x) {
    if (gnt_graph_check_reals(g, who, &x, 1))
        return -1;
    if (g->v[x].shape.rank > 0 && g->v[x].shape.dim[g->v[x].shape.rank - 1] <= INT32_MAX)
        return 0;
    return gnt_graph_fail(g, "%s of %s: expected a last axis of at most 2^31 − 1 entries", who,
                          gnt_shape_print(&g->v[x].shape).s);
}

gnt_node gnt_nn_log_sum_exp(gnt_graph *g, gnt_node x) {
    if (check_last_axis(g, "log_sum_exp", x))
        return -1;
    gnt_vertex v = {.op = GNT_OP_LOG_SUM_EXP, .shape = g->v[x].shape};
    v.shape.dim[v.shape.rank - 1] = 1;
    return gnt_graph_add(g, &v, &x, 1);
}

gnt_node gnt_nn_argmax(gnt_graph *g, gnt_node x) {
    if (check_last_axis(g, "argmax", x))
        return -1;
    gnt_vertex v = {.op = GNT_OP_ARGMAX, .type = GNT_NN_I32, .shape = g->v[x].shape};
    v.p[7] = v.shape.dim[v.shape.rank - 1];
    v.shape.dim[v.shape.rank - 1] = 1;
    return gnt_graph_add(g, &v, &x, 1);
}

/* Checks that `index` has indices below `size` and x's axes except the last. */
static int check_index(gnt_graph *g, const char *who, gnt_node x, gnt_node index, int64_t size) {
    if (check_last_axis(g, who, x) || gnt_graph_check(g, who, &index, 1))
        return -1;
    const gnt_vertex *vx = &g->v[x], *vi = &g->v[index];
    if (vi->type != GNT_NN_I32)
        return gnt_graph_fail(g, "%s: the index %s holds reals, expected indices (from gnt_nn_argmax)", who,
                              gnt_shape_print(&vi->shape).s);
    int fits = vx->shape.rank == vi->shape.rank;
    for (int32_t i = 0; fits && i + 1 < vx->shape.rank; i++)
        fits = vx->shape.dim[i] == vi->shape.dim[i];
    if (!fits)
        return gnt_graph_fail(g, "%s: %s and index %s: all axes but the last must agree", who,
                              gnt_shape_print(&vx->shape).s, gnt_shape_print(&vi->shape).s);
    if (vi->p[7] > size)
        return gnt_graph_fail(g, "%s: indices up to %" PRId64 " into an axis of %" PRId64, who, vi->p[7] - 1,
                              size);
    return 0;
}

gnt_node gnt_nn_gather(gnt_graph *g, gnt_node x, gnt_node index) {
    if (check_last_axis(g, "gather", x))
        return -1;
    const gnt_nn_shape *s = &g->v[x].shape;
    if (check_index(g, "gather", x, index, s->dim[s->rank - 1]))
        return -1;
    gnt_vertex v = {.op = GNT_OP_GATHER, .shape = g->v[index].shape};
    gnt_node in[2] = {x, index};
    return gnt_graph_add(g, &v, in, 2);
}

gnt_node gnt_nn_scatter(gnt_graph *g, gnt_node x, gnt_node index, int64_t size) {
    if (check_index(g, "scatter", x, index, size))
        return -1;
    gnt_vertex v = {.op = GNT_OP_SCATTER, .shape = g->v[x].shape};
    if (!gnt_shape_same(&g->v[index].shape, &v.shape))
        return gnt_graph_fail(g, "scatter: %s and index %s, expected equal shapes",
                              gnt_shape_print(&v.shape).s, gnt_shape_print(&g->v[index].shape).s);
    v.shape.dim[v.shape.rank - 1] = size;
    gnt_node in[2] = {x, index};
    return gnt_graph_add(g, &v, in, 2);
}
