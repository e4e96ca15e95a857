/* plan: stages, values and steps of a simplified graph.
 *
 * Stages. A node that depends on an input given at stage s > 0 runs at the largest such s. Any other node
 * runs at the earliest stage that has a use for it. So an edge never leads from a later stage to an earlier
 * one, and the steps ordered by stage, then by number, are a topological order. */
#include "nn/plan.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"

static int say(char *error, size_t size, const char *text) {
    if (error && size)
        snprintf(error, size, "%s", text);
    return -1;
}

/* ---- views ---- */

/* A slice is contiguous when every axis before its own has size 1. */
static int is_view(const gnt_graph *ir, const gnt_vertex *v, int64_t *offset) {
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

/* An output that is an input, or a view of one, is copied: the program owns its outputs. */
static int copy_inputs(gnt_plan *plan) {
    for (int32_t i = 0; i < plan->n_outputs; i++) {
        gnt_node root = plan->output[i];
        int64_t offset;
        while (is_view(plan->ir, &plan->ir->v[root], &offset))
            root = gnt_graph_in(plan->ir, &plan->ir->v[root])[0];
        if (plan->ir->v[root].op != GNT_OP_INPUT)
            continue;
        gnt_node from = plan->output[i];
        gnt_vertex v = {.op = GNT_OP_COPY, .shape = plan->ir->v[from].shape};
        plan->output[i] = gnt_graph_add(plan->ir, &v, &from, 1);
        if (plan->output[i] < 0)
            return -1;
    }
    return 0;
}

/* ---- stages ---- */

static int stages(gnt_plan *plan, const int32_t *output_stage, char *error, size_t error_size) {
    gnt_graph *ir = plan->ir;
    gnt_value *value = plan->value;
    for (gnt_node i = 0; i < ir->n; i++) { /* what it depends on */
        const gnt_vertex *v = &ir->v[i];
        int32_t s = v->op == GNT_OP_INPUT ? v->stage : GNT_STAGE_CONSTANT;
        for (int32_t k = 0; k < v->n_in; k++) {
            int32_t t = value[ir->edge[v->first + k]].stage;
            s = t > s ? t : s;
        }
        value[i].stage = s;
    }
    int32_t *use = gnt_array((size_t)ir->n, sizeof *use); /* the earliest stage that has a use for it */
    if (!use)
        return say(error, error_size, "program: out of memory");
    for (gnt_node i = 0; i < ir->n; i++)
        use[i] = GNT_NN_STAGES;
    for (int32_t i = 0; i < plan->n_outputs; i++) {
        int32_t asked = output_stage ? output_stage[i] : 0;
        gnt_node n = plan->output[i];
        if (value[n].stage > asked || asked >= GNT_NN_STAGES || asked < 0) {
            if (error && error_size)
                snprintf(error, error_size,
                         "program: output %d is asked for at stage %d, expected %d to %d: it "
                         "depends on an input given at the first of these",
                         i, asked, value[n].stage < 0 ? 0 : value[n].stage, GNT_NN_STAGES - 1);
            gnt_free(use);
            return -1;
        }
        use[n] = asked < use[n] ? asked : use[n];
    }
    for (gnt_node i = ir->n - 1; i >= 0; i--) {
        const gnt_vertex *v = &ir->v[i];
        if (use[i] == GNT_NN_STAGES) {
            value[i].stage = GNT_STAGE_DEAD;
            continue;
        }
        if (value[i].stage == 0 && v->op != GNT_OP_INPUT)
            value[i].stage = use[i];
        for (int32_t k = 0; k < v->n_in; k++) {
            int32_t *u = &use[ir->edge[v->first + k]];
            *u = value[i].stage < *u ? value[i].stage : *u;
        }
    }
    gnt_free(use);
    return 0;
}

/* ---- steps ---- */

static gnt_step *add_step(gnt_plan *plan, const gnt_step *s) {
    if (plan->n_steps == plan->room_steps) {
        int32_t room = plan->room_steps ? plan->room_steps * 2 : 64;
        gnt_step *grown = gnt_resize(plan->step, (size_t)room, sizeof *grown);
        if (!grown)
            return NULL;
        plan->step = grown;
        plan->room_steps = room;
    }
    plan->step[plan->n_steps] = *s;
    return &plan->step[plan->n_steps++];
}

static void strides(const gnt_nn_shape *s, int64_t *stride) {
    int64_t n = 1;
    for (int32_t i = s->rank - 1; i >= 0; i--) {
        stride[i] = n;
        n *= s->dim[i];
    }
}

/* Drops axes of size 1 and joins neighbours that run on from one another on both sides. */
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

/* The move of node v's input k (of shape x) into v; `start` is where a part of a concat begins. */
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

static gnt_conv conv_of(const gnt_nn_shape *x, const gnt_nn_shape *w, const gnt_nn_shape *y,
                        const int64_t *p) {
    return (gnt_conv){x->dim[0], x->dim[1], x->dim[2], x->dim[3], w->dim[0], w->dim[2],
                      w->dim[3], y->dim[2], y->dim[3], p[0],      p[1]};
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

/* A concat is one step for each part. */
static int concat_steps(gnt_plan *plan, gnt_step *s, const gnt_vertex *v) {
    int64_t start = 0;
    for (int32_t k = 0; k < v->n_in; k++) {
        s->in[0] = plan->ir->edge[v->first + k];
        const gnt_nn_shape *x = &plan->ir->v[s->in[0]].shape;
        s->u.move = move_of(v, x, start);
        start += x->dim[v->p[0]];
        if (!add_step(plan, s))
            return -1;
    }
    return 0;
}

static void geometry(gnt_plan *plan, gnt_step *s, const gnt_vertex *v) {
    const gnt_vertex *x = s->in[0] >= 0 ? &plan->ir->v[s->in[0]] : NULL;
    const gnt_vertex *y = s->in[1] >= 0 ? &plan->ir->v[s->in[1]] : NULL;
    switch (v->op) {
    case GNT_OP_EXPAND:
    case GNT_OP_PERMUTE:
    case GNT_OP_SLICE:
    case GNT_OP_PAD:
    case GNT_OP_COPY:
        s->zero_first = v->op == GNT_OP_PAD;
        s->u.move = move_of(v, &x->shape, 0);
        break;
    case GNT_OP_SUM:
        s->u.reduce = reduce_of(v, &x->shape);
        break;
    case GNT_OP_MATMUL:
        s->u.gemm = (gnt_gemm){(int32_t)v->p[0], (int32_t)v->p[1], v->shape.dim[0], v->shape.dim[1],
                               x->shape.dim[v->p[0] ? 0 : 1]};
        break;
    case GNT_OP_CONV:
        s->u.conv = conv_of(&x->shape, &y->shape, &v->shape, v->p);
        break;
    case GNT_OP_CONV_DX:
        s->u.conv = conv_of(&v->shape, &y->shape, &x->shape, v->p);
        break;
    case GNT_OP_CONV_DW:
        s->u.conv = conv_of(&x->shape, &v->shape, &y->shape, v->p);
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
    if (v->op == GNT_OP_CONV || v->op == GNT_OP_CONV_DX || v->op == GNT_OP_CONV_DW)
        s->scratch = plan->kernels->conv_scratch(v->op, &s->u.conv);
}

static int node_steps(gnt_plan *plan, gnt_node i) {
    const gnt_vertex *v = &plan->ir->v[i];
    int64_t offset;
    if (v->op == GNT_OP_INPUT || is_view(plan->ir, v, &offset))
        return 0;
    gnt_step s = {.op = v->op,
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
    geometry(plan, &s, v);
    return add_step(plan, &s) ? 0 : -1;
}

/* The steps of each stage in turn; within a stage in the order of the nodes. */
static int schedule(gnt_plan *plan) {
    gnt_graph *ir = plan->ir;
    int32_t start[GNT_NN_STAGES + 2] = {0}; /* counting sort of the live nodes by stage */
    gnt_node *order = gnt_array((size_t)ir->n, sizeof *order);
    if (!order)
        return -1;
    for (gnt_node i = 0; i < ir->n; i++)
        if (plan->value[i].stage != GNT_STAGE_DEAD)
            start[plan->value[i].stage + 2]++;
    for (int s = 1; s < GNT_NN_STAGES + 2; s++)
        start[s] += start[s - 1];
    int32_t n = start[GNT_NN_STAGES + 1];
    for (gnt_node i = 0; i < ir->n; i++)
        if (plan->value[i].stage != GNT_STAGE_DEAD)
            order[start[plan->value[i].stage + 1]++] = i;
    int failed = 0;
    for (int32_t i = 0; i < n && !failed; i++)
        failed = node_steps(plan, order[i]);
    gnt_free(order);
    return failed ? -1 : 0;
}

static void roots(gnt_plan *plan) {
    for (gnt_node i = 0; i < plan->ir->n; i++) {
        const gnt_vertex *v = &plan->ir->v[i];
        gnt_value *value = &plan->value[i];
        *value = (gnt_value){.root = i, .first = -1, .last = -1, .is_input = v->op == GNT_OP_INPUT};
        int64_t offset;
        if (is_view(plan->ir, v, &offset)) {
            const gnt_value *base = &plan->value[gnt_graph_in(plan->ir, v)[0]];
            value->root = base->root;
            value->offset = base->offset + offset;
        }
        value->bytes = (size_t)v->count * (v->type == GNT_NN_I32 ? sizeof(int32_t) : plan->kernels->size);
    }
}

static int arguments(const gnt_graph *g, const gnt_node *outputs, int32_t n_outputs, int32_t precision,
                     char *error, size_t error_size) {
    if (!g || (n_outputs > 0 && !outputs))
        return say(error, error_size, "program: no graph or no outputs");
    if (gnt_graph_error(g))
        return say(error, error_size, gnt_graph_error(g));
    if (precision != 4 && precision != 8)
        return say(error, error_size, "program: precision must be 4 (float) or 8 (double)");
    if (n_outputs < 1)
        return say(error, error_size, "program: expected at least one output");
    for (int32_t i = 0; i < n_outputs; i++)
        if (outputs[i] < 0 || outputs[i] >= g->n) {
            if (error && error_size)
                snprintf(error, error_size, "program: output %d is node %d, the graph has nodes 0 to %d", i,
                         outputs[i], g->n - 1);
            return -1;
        }
    return 0;
}

int gnt_plan_open(gnt_plan *plan, const gnt_graph *g, const gnt_node *outputs, const int32_t *output_stage,
                  int32_t n_outputs, int32_t precision, char *error, size_t error_size) {
    *plan = (gnt_plan){.n_outputs = n_outputs};
    if (arguments(g, outputs, n_outputs, precision, error, error_size))
        return -1;
    plan->kernels = precision == 4 ? gnt_kernels_f32() : gnt_kernels_f64();
    plan->output = gnt_array((size_t)n_outputs, sizeof *plan->output);
    if (plan->output)
        plan->ir = gnt_simplify(g, outputs, n_outputs, plan->output);
    if (!plan->ir || copy_inputs(plan))
        goto memory;
    plan->n_values = plan->ir->n;
    plan->value = gnt_array((size_t)plan->n_values, sizeof *plan->value);
    if (!plan->value)
        goto memory;
    roots(plan);
    if (stages(plan, output_stage, error, error_size)) {
        gnt_plan_close(plan);
        return -1;
    }
    if (schedule(plan) || gnt_plan_layout(plan))
        goto memory;
    return 0;
memory:
    gnt_plan_close(plan);
    return say(error, error_size, "program: out of memory");
}

void gnt_plan_close(gnt_plan *plan) {
    gnt_graph_free(plan->ir);
    gnt_free(plan->output);
    gnt_free(plan->value);
    gnt_free(plan->step);
    *plan = (gnt_plan){0};
}
