/* geometry: turns one node into a step for a kernel: drops axes of size 1, joins neighbouring axes, collects
 * sizes. */
#include "nn/kernels/thin.h"
#include "nn/plan/nn_plan.h"

int gnt_nn_plan_is_view(const gnt_graph *ir, const gnt_vertex *v, int64_t *offset) {
    *offset = 0;
    if (v->op == GNT_OP_RESHAPE)
        return 1;
    if (v->op != GNT_OP_SLICE)
        return 0;
    const gnt_nn_shape *s = &ir->v[gnt_graph_in(ir, v)[0]].shape;
    int64_t below = 1;
    for (int32_t i = 0; i < v->p[0]; i++)
        if (s->dim[i] != 1)
            return 0;
    for (int32_t i = (int32_t)v->p[0] + 1; i < s->rank; i++)
        below *= s->dim[i];
    *offset = v->p[1] * below;
    return 1;
}

static void strides(const gnt_nn_shape *s, int64_t *stride) {
    int64_t n = 1;
    for (int32_t i = s->rank - 1; i >= 0; i--) {
        stride[i] = n;
        n *= s->dim[i];
    }
}

/* Drops axes of size 1 and joins neighbouring axes that are contiguous on both sides. */
static void join_axes(gnt_move *m) {
    int32_t rank = 0;
    for (int32_t i = 0; i < m->rank; i++) {
        if (m->dim[i] == 1)
            continue;
        int joins = rank > 0 && m->from[rank - 1] == m->from[i] * m->dim[i] &&
                    m->to[rank - 1] == m->to[i] * m->dim[i];
        if (joins)
            m->dim[rank - 1] *= m->dim[i];
        else
            m->dim[rank++] = m->dim[i];
        m->from[rank - 1] = m->from[i];
        m->to[rank - 1] = m->to[i];
    }
    m->rank = rank;
}

/* Returns the move of an input of shape x into node v; `start`: the first place of a part of a concat. */
static gnt_move move_of(const gnt_vertex *v, const gnt_nn_shape *x, int64_t start) {
    gnt_move m = {.rank = v->shape.rank};
    int64_t from[GNT_NN_RANK] = {0}, to[GNT_NN_RANK] = {0};
    strides(x, from);
    strides(&v->shape, to);
    for (int32_t i = 0; i < m.rank; i++) {
        int32_t j = v->op == GNT_OP_PERMUTE ? (int32_t)v->p[i] : i;
        m.dim[i] = v->op == GNT_OP_PAD || v->op == GNT_OP_CONCAT ? x->dim[i] : v->shape.dim[i];
        m.from[i] = v->op == GNT_OP_EXPAND && x->dim[i] == 1 ? 0 : from[j];
        m.to[i] = to[i];
    }
    if (v->op == GNT_OP_SLICE)
        m.from_at = v->p[1] * from[v->p[0]];
    if (v->op == GNT_OP_PAD)
        m.to_at = v->p[1] * to[v->p[0]];
    if (v->op == GNT_OP_CONCAT)
        m.to_at = start * to[v->p[0]];
    join_axes(&m);
    return m;
}

static gnt_reduce reduce_of(const gnt_vertex *v, const gnt_nn_shape *x) {
    gnt_reduce r = {0};
    for (int32_t i = 0; i < x->rank; i++) {
        if (x->dim[i] == 1)
            continue;
        uint8_t reduced = v->p[0] >> i & 1;
        if (r.rank > 0 && r.reduced[r.rank - 1] == reduced) {
            r.dim[r.rank - 1] *= x->dim[i];
        } else {
            r.dim[r.rank] = x->dim[i];
            r.reduced[r.rank++] = reduced;
        }
    }
    return r;
}

gnt_conv gnt_nn_plan_conv(const gnt_graph *ir, const gnt_vertex *v) {
    const gnt_node *in = gnt_graph_in(ir, v);
    const gnt_vertex *a = &ir->v[in[0]], *b = &ir->v[in[1]];
    int gram = v->op == GNT_OP_GRAM || v->op == GNT_OP_GRAM_DX;
    const int64_t *x = v->op == GNT_OP_CONV_DX ? v->shape.dim : a->shape.dim;
    const int64_t *y = v->op == GNT_OP_CONV      ? v->shape.dim
                       : v->op == GNT_OP_CONV_DX ? a->shape.dim
                                                 : b->shape.dim;
    const int64_t *w = gram ? v->p : v->op == GNT_OP_CONV_DW ? v->shape.dim : b->shape.dim;
    return (gnt_conv){x[0], x[1], x[2], x[3], y[1], w[2], w[3], y[2], y[3], v->p[0], v->p[1], NULL};
}

static gnt_general_conv general_conv(const gnt_graph *ir, const gnt_vertex *v) {
    const gnt_node *in = gnt_graph_in(ir, v);
    const int64_t *a = ir->v[in[0]].shape.dim, *b = ir->v[in[1]].shape.dim, *p = v->p;
    const int64_t *x = v->op == GNT_OP_GENERAL_CONV_DX ? v->shape.dim : a;
    const int64_t *y = v->op == GNT_OP_GENERAL_CONV ? v->shape.dim : v->op == GNT_OP_GENERAL_CONV_DX ? a : b;
    const int64_t *w = v->op == GNT_OP_GENERAL_CONV_DW ? v->shape.dim : b;
    return (gnt_general_conv){x[0], x[1], x[2], x[3], y[1], w[2], w[3], y[2],
                              y[3], p[0], p[1], p[2], p[3], p[4], p[5], p[6]};
}

static gnt_pool pool_of(const gnt_nn_shape *x, const gnt_nn_shape *y, const int64_t *p) {
    return (gnt_pool){
        x->dim[0] * x->dim[1], x->dim[2], x->dim[3], y->dim[2], y->dim[3], p[0], p[1], p[2], p[3], p[4], p[5],
        (int32_t)p[6]};
}

static gnt_rows rows_of(const gnt_vertex *wide, const gnt_vertex *narrow) {
    int64_t n = wide->shape.dim[wide->shape.rank - 1];
    return (gnt_rows){wide->count / n, n, narrow->shape.dim[narrow->shape.rank - 1]};
}

/* Appends the steps of a concat, one for each part. */
static int concat_steps(gnt_nn_plan *plan, gnt_nn_plan_step *s, const gnt_vertex *v) {
    int64_t start = 0;
    for (int32_t k = 0; k < v->n_in; k++) {
        s->in[0] = plan->ir->edge[v->first + k];
        const gnt_nn_shape *x = &plan->ir->v[s->in[0]].shape;
        s->u.move = move_of(v, x, start);
        start += x->dim[v->p[0]];
        if (!gnt_nn_plan_add(plan, s))
            return -1;
    }
    return 0;
}

static void geometry(gnt_nn_plan *plan, gnt_nn_plan_step *s, const gnt_vertex *v) {
    const gnt_vertex *x = s->in[0] >= 0 ? &plan->ir->v[s->in[0]] : NULL;
    const gnt_conv_choice *c;
    switch (v->op) {
    case GNT_OP_EXPAND:
    case GNT_OP_PERMUTE:
    case GNT_OP_SLICE:
    case GNT_OP_PAD:
    case GNT_OP_COPY:
        s->u.move = move_of(v, &x->shape, 0);
        break;
    case GNT_OP_SUM:
        s->u.reduce = reduce_of(v, &x->shape);
        break;
    case GNT_OP_MATMUL:
        s->u.gemm = (gnt_gemm){(int32_t)v->p[0], (int32_t)v->p[1], v->shape.dim[0], v->shape.dim[1],
                               x->shape.dim[v->p[0] ? 0 : 1]};
        if (plan->kernels->size == sizeof(float))
            s->scratch = gnt_thin_scratch(&s->u.gemm);
        break;
    case GNT_OP_CONV:
    case GNT_OP_CONV_DX:
    case GNT_OP_CONV_DW:
        c = gnt_nn_plan_choice(plan, v);
        s->u.conv.run = gnt_conv_face(c->backend, v->op);
        s->u.conv.s = c->s;
        s->scratch = c->scratch;
        break;
    case GNT_OP_GENERAL_CONV:
    case GNT_OP_GENERAL_CONV_DX:
    case GNT_OP_GENERAL_CONV_DW:
        s->u.general.run = plan->convs->general[v->op - GNT_OP_GENERAL_CONV];
        s->u.general.s = general_conv(plan->ir, v);
        s->scratch = plan->convs->general_scratch(&s->u.general.s);
        break;
    case GNT_OP_GRAM:
    case GNT_OP_GRAM_DX:
        s->u.conv.run = v->op == GNT_OP_GRAM ? plan->convs->gram : plan->convs->gram_dx;
        s->u.conv.s = gnt_nn_plan_conv(plan->ir, v);
        s->scratch = plan->convs->gram_scratch(&s->u.conv.s);
        break;
    case GNT_OP_MAX_INDEX:
    case GNT_OP_AVG_POOL:
        s->u.pool = pool_of(&x->shape, &v->shape, v->p);
        break;
    case GNT_OP_AVG_POOL_DX:
        s->u.pool = pool_of(&v->shape, &x->shape, v->p);
        break;
    case GNT_OP_LOG_SUM_EXP:
    case GNT_OP_ARGMAX:
    case GNT_OP_GATHER:
        s->u.rows = rows_of(x, v);
        break;
    case GNT_OP_SCATTER:
        s->u.rows = rows_of(v, x);
        break;
    default:
        break;
    }
}

/* Sets the move into or out of GNT_LAYOUT_SAMPLES: sixteen samples at a time become neighbours, or
 * separate. */
static void turn_samples(gnt_nn_plan_step *s, const gnt_vertex *v) {
    int64_t n = GNT_NN_LANES, size = v->count / v->p[0], group = n * size;
    s->u.move = v->layout == GNT_LAYOUT_SAMPLES
                    ? (gnt_move){3, {v->p[0] / n, size, n}, {group, 1, size}, {group, n, 1}, 0, 0}
                    : (gnt_move){3, {v->p[0] / n, n, size}, {group, 1, n}, {group, size, 1}, 0, 0};
}

/* Appends a copy to another layout. */
static int convert(gnt_nn_plan *plan, gnt_nn_plan_step *s, const gnt_vertex *v) {
    int from = plan->ir->v[s->in[0]].layout;
    if (from == GNT_LAYOUT_SAMPLES || v->layout == GNT_LAYOUT_SAMPLES) {
        turn_samples(s, v);
        return gnt_nn_plan_add(plan, s) ? 0 : -1;
    }
    if (v->layout >= GNT_LAYOUT_OWN) {
        s->op = GNT_STEP_REWRITE;
        s->u.rewrite.backend = gnt_conv_owner(v->layout, &s->u.rewrite.op);
        s->u.rewrite.o = v->p[0];
        s->u.rewrite.c = v->p[1];
        return gnt_nn_plan_add(plan, s) ? 0 : -1;
    }
    s->copy = gnt_dnnl_copy(plan->dnnl, from, v->layout, v->p, &s->scratch);
    if (s->copy && gnt_nn_plan_add(plan, s))
        return 0;
    gnt_dnnl_free(s->copy);
    return -1;
}

int gnt_nn_plan_node(gnt_nn_plan *plan, gnt_node i) {
    const gnt_vertex *v = &plan->ir->v[i];
    int64_t offset;
    if (v->op == GNT_OP_INPUT || gnt_nn_plan_is_view(plan->ir, v, &offset))
        return 0;
    gnt_nn_plan_step s = {.op = v->op,
                          .stage = plan->value[i].stage,
                          .out = i,
                          .in = {-1, -1, -1},
                          .n = v->count,
                          .a = v->a,
                          .b = v->b,
                          .data = v->data};
    if (v->op == GNT_OP_CONCAT)
        return concat_steps(plan, &s, v);
    for (int32_t k = 0; k < v->n_in; k++)
        s.in[k] = plan->ir->edge[v->first + k];
    if (v->op == GNT_OP_COPY && v->layout != plan->ir->v[s.in[0]].layout)
        return convert(plan, &s, v);
    geometry(plan, &s, v);
    return gnt_nn_plan_add(plan, &s) ? 0 : -1;
}
