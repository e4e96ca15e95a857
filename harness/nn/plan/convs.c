/* convs: gives every convolution the first back-end of nn/conv that fits. */
#include "base/mem.h"
#include "nn/plan/nn_plan.h"

static uint8_t is_gradient(const gnt_vertex *v) {
    switch (v->op) {
    case GNT_OP_CONV_DX:
    case GNT_OP_GENERAL_CONV_DX:
        return !v->p[GNT_CONV_IS_FORWARD];
    case GNT_OP_CONV_DW:
    case GNT_OP_GENERAL_CONV_DW:
        return 1;
    default:
        return 0;
    }
}

/* Marks the nodes that depend on a gradient's convolution. The others are a forward pass, where a rounding
 * error affects everything after it and decides which ReLUs are active: it keeps sums that round as direct
 * ones. */
static uint8_t *behind_gradients(const gnt_graph *g) {
    uint8_t *behind = gnt_array((size_t)g->n, 1);
    for (gnt_node i = 0; behind && i < g->n; i++) {
        const gnt_vertex *v = &g->v[i];
        behind[i] = is_gradient(v);
        for (int32_t k = 0; k < v->n_in; k++)
            behind[i] |= behind[gnt_graph_in(g, v)[k]];
    }
    return behind;
}

static gnt_conv_case case_of(const gnt_nn_plan *plan, const gnt_vertex *v, int any_layout, int exact) {
    const gnt_vertex *w = &plan->ir->v[gnt_graph_in(plan->ir, v)[1]];
    gnt_conv_case q = {.op = v->op, .s = gnt_nn_plan_conv(plan->ir, v), .any_layout = any_layout};
    if (!any_layout)
        return q;
    q.dnnl = plan->dnnl;
    q.block = plan->dnnl ? gnt_dnnl_block(plan->dnnl) : 0;
    q.given = w->op == GNT_OP_INPUT;
    q.constant = q.given && w->stage == GNT_STAGE_CONSTANT;
    q.exact = exact;
    return q;
}

int gnt_nn_plan_convs(gnt_nn_plan *plan, int any_layout) {
    gnt_graph *g = plan->ir;
    size_t n = 0;
    for (gnt_node i = 0; i < g->n; i++)
        n += (size_t)gnt_conv_is_face(g->v[i].op);
    if (n == 0)
        return 0;
    uint8_t *behind = behind_gradients(g);
    plan->conv = gnt_array(n, sizeof *plan->conv);
    int failed = !behind || !plan->conv;
    for (gnt_node i = 0; i < g->n && !failed; i++) {
        gnt_vertex *v = &g->v[i];
        if (!gnt_conv_is_face(v->op))
            continue;
        gnt_conv_case q = case_of(plan, v, any_layout, !behind[i]);
        failed = gnt_conv_choose(plan->convs, &q, &plan->conv[plan->n_convs]);
        if (!failed)
            v->conv = ++plan->n_convs;
    }
    gnt_free(behind);
    return failed ? -1 : 0;
}
