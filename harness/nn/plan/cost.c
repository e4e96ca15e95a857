/* cost: flops and bytes of a planned step. */
#include "nn/plan/cost.h"

/* Counts the pairs of a window's tap and a result's place that are on a pixel, along one axis. */
static double pairs(int64_t taps, int64_t places, int64_t size, int64_t stride, int64_t pad,
                    int64_t dilation) {
    int64_t n = 0;
    for (int64_t i = 0; i < taps; i++)
        for (int64_t p = 0; p < places; p++) {
            int64_t at = p * stride + i * dilation - pad;
            n += at >= 0 && at < size;
        }
    return (double)n;
}

static double conv_flops(const gnt_conv *s) {
    return 2 * (double)s->n * (double)s->o * (double)s->c * pairs(s->kh, s->oh, s->h, s->stride, s->pad, 1) *
           pairs(s->kw, s->ow, s->w, s->stride, s->pad, 1);
}

static double general_flops(const gnt_general_conv *s) {
    return 2 * (double)s->n * (double)s->o * (double)(s->c / s->groups) *
           pairs(s->kh, s->oh, s->h, s->sh, s->ph, s->dh) * pairs(s->kw, s->ow, s->w, s->sw, s->pw, s->dw);
}

static double value_bytes(const gnt_nn_plan *plan, int32_t value) {
    return value >= 0 ? (double)plan->value[value].bytes : 0;
}

static double entries(const gnt_nn_plan *plan, int32_t value) {
    return value_bytes(plan, value) / (double)plan->kernels->size;
}

static double chain_flops(const gnt_fused_chain *c) {
    double ops = 0;
    for (int32_t i = 0; i < c->n_ops; i++)
        ops += c->op[i].op == GNT_FUSED_SPREAD ? 0 : c->op[i].op == GNT_FUSED_DOT ? 2 : 1;
    return ops * (double)c->n;
}

static double flops(const gnt_nn_plan *plan, const gnt_nn_plan_step *s) {
    switch (s->op) {
    case GNT_STEP_CHAIN:
        return chain_flops(s->u.chain);
    case GNT_OP_CONV:
    case GNT_OP_CONV_DX:
    case GNT_OP_CONV_DW:
        return conv_flops(&s->u.conv.s);
    case GNT_OP_GENERAL_CONV:
    case GNT_OP_GENERAL_CONV_DX:
    case GNT_OP_GENERAL_CONV_DW:
        return general_flops(&s->u.general.s);
    case GNT_OP_GRAM:
    case GNT_OP_GRAM_DX:
        return gnt_gram_flops(&s->u.conv.s);
    case GNT_OP_MATMUL:
        return 2 * (double)s->u.gemm.m * (double)s->u.gemm.n * (double)s->u.gemm.k;
    case GNT_OP_SUM:
    case GNT_OP_LOG_SUM_EXP:
    case GNT_OP_ARGMAX:
    case GNT_OP_SCATTER:
        return entries(plan, s->in[0]);
    case GNT_OP_MAX_INDEX:
    case GNT_OP_AVG_POOL:
    case GNT_OP_AVG_POOL_DX:
        return (double)s->u.pool.planes * (double)(s->u.pool.oh * s->u.pool.ow) *
               (double)(s->u.pool.kh * s->u.pool.kw);
    default:
        return gnt_op_is_unary(s->op) || gnt_op_is_binary(s->op) ? (double)s->n : 0;
    }
}

static double bytes(const gnt_nn_plan *plan, const gnt_nn_plan_step *s) {
    double sum = value_bytes(plan, s->out);
    for (int k = 0; k < 3; k++)
        if (k == 0 || s->in[k] != s->in[0])
            sum += value_bytes(plan, s->in[k]);
    for (int32_t k = 0; s->op == GNT_STEP_CHAIN && k < s->u.chain->n_slots; k++)
        sum += value_bytes(plan, s->u.chain->slot[k].value);
    if (s->op == GNT_OP_CONCAT) /* one step for each part: it writes no more than it reads */
        sum = 2 * value_bytes(plan, s->in[0]);
    return sum;
}

gnt_step_cost gnt_cost_of_step(const gnt_nn_plan *plan, const gnt_nn_plan_step *s) {
    return (gnt_step_cost){.name = s->op == GNT_STEP_CHAIN     ? "chain"
                                   : s->op == GNT_STEP_REWRITE ? "rewrite"
                                                               : gnt_op_name(s->op),
                           .stage = s->stage,
                           .conversion = s->op == GNT_OP_COPY || s->op == GNT_STEP_REWRITE,
                           .flops = flops(plan, s),
                           .bytes = bytes(plan, s)};
}

gnt_program_size gnt_cost_of_plan(const gnt_nn_plan *plan) {
    gnt_program_size size = {.arena = plan->arena, .scratch = plan->scratch};
    for (int32_t i = 0; i < plan->n_values; i++) {
        const gnt_nn_plan_value *v = &plan->value[i];
        size.nodes += plan->value[v->root].stage != GNT_STAGE_DEAD;
        if (v->is_input && v->root == i)
            size.inputs += v->bytes;
    }
    for (int32_t i = 0; i < plan->n_steps; i++) {
        const gnt_nn_plan_step *s = &plan->step[i];
        if (s->stage < 0) {
            size.constant++;
            continue;
        }
        size.steps++;
        size.conversions += s->op == GNT_OP_COPY || s->op == GNT_STEP_REWRITE;
        if (s->op == GNT_STEP_CHAIN) {
            size.chains++;
            for (int32_t k = 0; k < s->u.chain->n_ops; k++)
                size.chained += s->u.chain->op[k].op != GNT_FUSED_SPREAD;
        }
    }
    return size;
}
