/* plan: stages, values and steps of a simplified graph.
 *
 * Stages. A node that depends on an input given at stage s > 0 runs at the largest such s; one that depends
 * on constant inputs only, before all of these. Any other node runs at the stage that uses it, or where
 * several do, one before the first of them. So an edge never leads from a later stage to an earlier one, and
 * the steps ordered by stage, then by number, are a topological order. */
#include "nn/plan/nn_plan.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "nn/kernels/blas.h"
#include "nn/kernels/cpu.h"
#include "nn/plan/group.h"

static int say(char *error, size_t size, const char *text) {
    if (error && size)
        snprintf(error, size, "%s", text);
    return -1;
}

/* ---- outputs ---- */

/* Copies outputs that are inputs, or views of one: the program owns its outputs. */
static int copy_inputs(gnt_nn_plan *plan) {
    for (int32_t i = 0; i < plan->n_outputs; i++) {
        gnt_node root = plan->output[i];
        int64_t offset;
        while (gnt_nn_plan_is_view(plan->ir, &plan->ir->v[root], &offset))
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

/* Returns the stage of a node that no input binds to a later one, from the stages that use it. */
static int32_t stage_for(uint64_t use) {
    int32_t first = 0;
    while (!(use >> first & 1))
        first++;
    return use >> first == 1 || first == 0 ? first : first - 1;
}

static int stages(gnt_nn_plan *plan, const int32_t *output_stage, char *error, size_t error_size) {
    gnt_graph *ir = plan->ir;
    gnt_nn_plan_value *value = plan->value;
    for (gnt_node i = 0; i < ir->n; i++) { /* stages of the inputs */
        const gnt_vertex *v = &ir->v[i];
        int32_t s = v->op == GNT_OP_INPUT ? v->stage : GNT_STAGE_ONCE;
        for (int32_t k = 0; k < v->n_in; k++) {
            int32_t t = value[ir->edge[v->first + k]].stage;
            s = t > s ? t : s;
        }
        value[i].stage = s;
    }
    uint64_t *use = gnt_array((size_t)ir->n, sizeof *use); /* bit s: stage s uses it */
    int8_t *once = gnt_array((size_t)ir->n, 1);            /* 1: a step that is not replayed uses it */
    if (!use || !once) {
        gnt_free(use);
        gnt_free(once);
        return say(error, error_size, "program: out of memory");
    }
    int failed = 0;
    for (int32_t i = 0; i < plan->n_outputs && !failed; i++) {
        int32_t at = output_stage ? output_stage[i] : 0, least = value[plan->output[i]].stage;
        failed = least > at || at >= GNT_NN_STAGES || at < 0;
        if (failed && error && error_size)
            snprintf(error, error_size,
                     "program: output %d has stage %d, expected %d to %d: it "
                     "depends on an input given at the first of these",
                     i, at, least < 0 ? 0 : least, GNT_NN_STAGES - 1);
        if (!failed)
            use[plan->output[i]] |= (uint64_t)1 << at;
    }
    for (gnt_node i = ir->n - 1; i >= 0 && !failed; i--) {
        const gnt_vertex *v = &ir->v[i];
        if (!use[i] && !once[i]) {
            value[i].stage = GNT_STAGE_DEAD;
            continue;
        }
        if (value[i].stage == 0 && v->op != GNT_OP_INPUT)
            value[i].stage = stage_for(use[i]);
        for (int32_t k = 0; k < v->n_in; k++) {
            gnt_node in = ir->edge[v->first + k];
            if (value[i].stage < 0)
                once[in] = 1;
            else
                use[in] |= (uint64_t)1 << value[i].stage;
        }
    }
    gnt_free(use);
    gnt_free(once);
    return failed ? -1 : 0;
}

/* ---- steps ---- */

/* Schedules the kernels of each stage in the order of the nodes. */
static int schedule_plain(gnt_nn_plan *plan) {
    int failed = 0;
    for (int32_t stage = GNT_STAGE_ONCE; stage < GNT_NN_STAGES; stage++)
        for (gnt_node i = 0; i < plan->ir->n && !failed; i++)
            if (plan->value[i].stage == stage)
                failed = gnt_nn_plan_node(plan, i);
    return failed ? -1 : 0;
}

static int schedule(gnt_nn_plan *plan) {
    gnt_grouping q;
    int failed = gnt_group(plan, &q);
    for (int32_t i = 0, next; i < q.n_items && !failed; i = next) {
        for (next = i + 1; next < q.n_items; next++)
            if (q.node[q.item[next].node].chunk != q.node[q.item[i].node].chunk)
                break;
        failed = q.item[i].late ? gnt_fused_step(plan, &q, q.item + i, next - i)
                                : gnt_nn_plan_node(plan, q.item[i].node);
    }
    gnt_grouping_free(&q);
    return failed ? -1 : 0;
}

static void roots(gnt_nn_plan *plan) {
    for (gnt_node i = 0; i < plan->ir->n; i++) {
        const gnt_vertex *v = &plan->ir->v[i];
        gnt_nn_plan_value *value = &plan->value[i];
        *value = (gnt_nn_plan_value){.root = i, .first = -1, .last = -1, .is_input = v->op == GNT_OP_INPUT};
        int64_t offset;
        if (gnt_nn_plan_is_view(plan->ir, v, &offset)) {
            const gnt_nn_plan_value *base = &plan->value[gnt_graph_in(plan->ir, v)[0]];
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
    if (gnt_cpu_vectors_error())
        return say(error, error_size, gnt_cpu_vectors_error());
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

static int is_product(int op) {
    switch (op) {
    case GNT_OP_MATMUL:
    case GNT_OP_GRAM:
    case GNT_OP_GRAM_DX:
    case GNT_OP_GENERAL_CONV:
    case GNT_OP_GENERAL_CONV_DX:
    case GNT_OP_GENERAL_CONV_DW:
        return 1;
    default:
        return gnt_conv_is_face(op);
    }
}

static int any_node(const gnt_graph *g, int (*is)(int op)) {
    gnt_node i = 0;
    while (i < g->n && !is(g->v[i].op))
        i++;
    return i < g->n;
}

/* Opens the libraries that the kernels of the plan call, if any. */
static int open_libraries(gnt_nn_plan *plan, int any_layout, char *error, size_t error_size) {
    gnt_err err;
    if (any_node(plan->ir, is_product) && gnt_blas_open(&err) != 0) {
        gnt_fail_in(&err, "program");
        return say(error, error_size, err.text);
    }
    return any_layout ? gnt_dnnl_open(&plan->dnnl, any_node(plan->ir, gnt_conv_is_face), error, error_size)
                      : 0;
}

int gnt_nn_plan_open(gnt_nn_plan *plan, const gnt_graph *g, const gnt_node *outputs,
                     const int32_t *output_stage, int32_t n_outputs, int32_t precision, int plain,
                     char *error, size_t error_size) {
    *plan = (gnt_nn_plan){.n_outputs = n_outputs};
    if (arguments(g, outputs, n_outputs, precision, error, error_size))
        return -1;
    int any_layout = precision == 4 && !plain;
    plan->kernels = precision == 4 ? gnt_kernels_f32() : gnt_kernels_f64();
    plan->convs = precision == 4 ? gnt_conv_table_f32() : gnt_conv_table_f64();
    plan->output = gnt_array((size_t)n_outputs, sizeof *plan->output);
    if (plan->output)
        plan->ir = gnt_simplify(g, outputs, n_outputs, plain, plan->output);
    if (!plan->ir)
        goto memory;
    if (!plain && gnt_nn_plan_gram(plan))
        goto memory;
    if (open_libraries(plan, any_layout, error, error_size)) {
        gnt_nn_plan_close(plan);
        return -1;
    }
    if (gnt_nn_plan_convs(plan, any_layout) || gnt_nn_plan_blocks(plan) || copy_inputs(plan))
        goto memory;
    plan->n_values = plan->ir->n;
    plan->value = gnt_array((size_t)plan->n_values, sizeof *plan->value);
    plan->mark = gnt_array((size_t)plan->n_values, sizeof *plan->mark);
    if (!plan->value || !plan->mark)
        goto memory;
    for (int32_t i = 0; i < plan->n_values; i++)
        plan->mark[i] = -1;
    roots(plan);
    if (stages(plan, output_stage, error, error_size)) {
        gnt_nn_plan_close(plan);
        return -1;
    }
    if ((plain ? schedule_plain(plan) : schedule(plan)) || gnt_nn_plan_layout(plan))
        goto memory;
    return 0;
memory:
    gnt_nn_plan_close(plan);
    return say(error, error_size, "program: out of memory");
}

void gnt_nn_plan_close(gnt_nn_plan *plan) {
    gnt_graph_free(plan->ir);
    gnt_free(plan->output);
    gnt_free(plan->value);
    gnt_free(plan->mark);
    for (int32_t i = 0; i < plan->n_steps; i++)
        if (plan->step[i].op == GNT_STEP_CHAIN)
            gnt_fused_free(plan->step[i].u.chain);
        else if (plan->step[i].op == GNT_OP_COPY)
            gnt_dnnl_free(plan->step[i].copy);
    for (int32_t i = 0; i < plan->n_convs; i++)
        gnt_conv_discard(&plan->conv[i]);
    gnt_free(plan->conv);
    gnt_dnnl_close(plan->dnnl);
    gnt_free(plan->step);
    *plan = (gnt_nn_plan){0};
}
