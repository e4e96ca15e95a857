/* program: replay. Everything is decided when the program is made: one arena, one list of steps, one pointer
 * for each value. A run walks the steps of its stage and calls kernels; it allocates nothing. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "nn/kernels/thin.h"
#include "nn/plan/cost.h"
#include "nn/plan/nn_plan.h"

typedef struct bound_input {
    gnt_node node;      /* in the graph */
    int32_t value;      /* −1: no output needs it */
    const void *caller; /* as bound */
    uint64_t stages;    /* bit s: stage s reads it */
    int8_t constant;    /* the steps of constant inputs read it */
    void *copy;         /* only where the caller's pointer is not aligned to a real */
} bound_input;

struct gnt_program {
    gnt_nn_plan plan;
    char *arena;
    void **at;     /* each value's entries; NULL: an unbound input */
    int32_t *next; /* a ring through the values of one input: itself and its views */
    void **place;  /* scratch for the pointers of a chain */
    bound_input *input;
    int32_t n_inputs;
    int32_t graph_nodes;             /* of the graph it was made from */
    int stale;                       /* the steps of constant inputs must run */
    int32_t from[GNT_NN_STAGES + 3]; /* steps of stage s: from[s + 2] … from[s + 3] */
};

/* Runs a kernel of the table: moves, reductions and look-ups; else elementwise. */
static void run_kernel(const gnt_kernels *k, const gnt_nn_plan_step *s, void *y, const void *x[2]) {
    switch (s->op) {
    case GNT_OP_FILL:
        k->fill(y, s->a, s->n);
        break;
    case GNT_OP_DATA:
        k->load(y, s->data, s->n);
        break;
    case GNT_OP_PAD:
        k->fill(y, 0, s->n);
        k->move(y, x[0], &s->u.move);
        break;
    case GNT_OP_EXPAND:
    case GNT_OP_PERMUTE:
    case GNT_OP_SLICE:
    case GNT_OP_CONCAT:
    case GNT_OP_COPY:
        k->move(y, x[0], &s->u.move);
        break;
    case GNT_OP_SUM:
        k->sum(y, x[0], &s->u.reduce);
        break;
    case GNT_OP_MAX_INDEX:
        k->max_index(y, x[0], &s->u.pool);
        break;
    case GNT_OP_AVG_POOL:
        k->avg_pool(y, x[0], &s->u.pool);
        break;
    case GNT_OP_AVG_POOL_DX:
        k->avg_pool_dx(y, x[0], &s->u.pool);
        break;
    case GNT_OP_LOG_SUM_EXP:
        k->log_sum_exp(y, x[0], &s->u.rows);
        break;
    case GNT_OP_ARGMAX:
        k->argmax(y, x[0], &s->u.rows);
        break;
    case GNT_OP_GATHER:
        k->gather(y, x[0], x[1], &s->u.rows);
        break;
    case GNT_OP_SCATTER:
        k->scatter(y, x[0], x[1], &s->u.rows);
        break;
    default:
        if (gnt_op_is_unary(s->op))
            k->unary(s->op, y, x[0], s->n, s->a, s->b);
        else
            k->binary(s->op, y, x[0], x[1], s->n);
    }
}

static void run_step(const gnt_program *p, const gnt_nn_plan_step *s) {
    void *scratch = p->arena;
    if (s->op == GNT_STEP_CHAIN) {
        p->plan.kernels->chain(s->u.chain, p->at, p->place, scratch);
        return;
    }
    void *y = p->at[s->out];
    const void *x[2];
    for (int i = 0; i < 2; i++)
        x[i] = s->in[i] >= 0 ? p->at[s->in[i]] : NULL;
    if (s->copy) {
        gnt_dnnl_run(s->copy, y, x[0], NULL, scratch);
        return;
    }
    switch (s->op) {
    case GNT_STEP_REWRITE:
        s->u.rewrite.backend->rewrite(s->u.rewrite.op, y, x[0], s->u.rewrite.o, s->u.rewrite.c);
        break;
    case GNT_OP_CONV:
    case GNT_OP_CONV_DX:
    case GNT_OP_CONV_DW:
    case GNT_OP_GRAM:
    case GNT_OP_GRAM_DX:
        s->u.conv.run(y, x[0], x[1], scratch, &s->u.conv.s);
        break;
    case GNT_OP_MATMUL:
        if (s->scratch)
            gnt_thin_product(y, x[0], x[1], scratch, &s->u.gemm);
        else
            p->plan.kernels->gemm(y, x[0], x[1], &s->u.gemm);
        break;
    case GNT_OP_GENERAL_CONV:
    case GNT_OP_GENERAL_CONV_DX:
    case GNT_OP_GENERAL_CONV_DW:
        s->u.general.run(y, x[0], x[1], scratch, &s->u.general.s);
        break;
    default:
        run_kernel(p->plan.kernels, s, y, x);
    }
}

static void run_steps(gnt_program *p, int32_t stage) {
    for (int32_t i = p->from[stage + 2]; i < p->from[stage + 3]; i++)
        run_step(p, &p->plan.step[i]);
}

/* Checks that all inputs of the stage are bound, copies those that are not aligned, and runs the steps of
 * constant inputs if they are stale. */
static int take_inputs(gnt_program *p, int32_t stage) {
    if (!p || stage < 0 || stage >= GNT_NN_STAGES)
        return -1;
    for (int32_t i = 0; i < p->n_inputs; i++) {
        bound_input *b = &p->input[i];
        if (!(b->stages >> stage & 1) && !(b->constant && p->stale))
            continue;
        if (!b->caller)
            return -1;
        if (b->copy)
            memcpy(b->copy, b->caller, p->plan.value[b->value].bytes);
    }
    if (p->stale)
        run_steps(p, GNT_STAGE_CONSTANT);
    p->stale = 0;
    return 0;
}

int gnt_program_run(gnt_program *p, int32_t stage) {
    if (take_inputs(p, stage))
        return -1;
    run_steps(p, stage);
    return 0;
}

int gnt_program_run_timed(gnt_program *p, int32_t stage, double *seconds) {
    if (take_inputs(p, stage))
        return -1;
    double before = gnt_clock();
    for (int32_t i = p->from[stage + 2]; i < p->from[stage + 3]; i++) {
        run_step(p, &p->plan.step[i]);
        double after = gnt_clock();
        seconds[i] += after - before;
        before = after;
    }
    return 0;
}

static int list_inputs(gnt_program *p, const gnt_graph *g) {
    for (gnt_node i = 0; i < g->n; i++)
        p->n_inputs += g->v[i].op == GNT_OP_INPUT;
    p->input = gnt_array((size_t)p->n_inputs, sizeof *p->input);
    if (!p->input)
        return -1;
    int32_t n = 0, at = 0;
    const gnt_graph *ir = p->plan.ir; /* keeps the order of the graph */
    for (gnt_node i = 0; i < g->n; i++) {
        if (g->v[i].op != GNT_OP_INPUT)
            continue;
        while (at < ir->n && (ir->v[at].op != GNT_OP_INPUT || ir->v[at].tag < i + 1))
            at++;
        p->input[n++] = (bound_input){.node = i, .value = at < ir->n && ir->v[at].tag == i + 1 ? at : -1};
    }
    return 0;
}

/* Notes the stages that read each input, itself or through a view. */
static int note_stages(gnt_program *p) {
    uint64_t *stages = gnt_array((size_t)p->plan.n_values, sizeof *stages);
    int8_t *constant = gnt_array((size_t)p->plan.n_values, 1);
    if (!stages || !constant) {
        gnt_free(stages);
        gnt_free(constant);
        return -1;
    }
    for (int32_t i = 0; i < p->plan.n_steps; i++) {
        const gnt_nn_plan_step *s = &p->plan.step[i];
        int32_t n = s->op == GNT_STEP_CHAIN ? s->u.chain->n_slots : 3;
        for (int32_t k = 0; k < n && s->stage >= GNT_STAGE_CONSTANT; k++) {
            int32_t used = s->op == GNT_STEP_CHAIN ? s->u.chain->slot[k].value : s->in[k];
            if (used < 0)
                continue;
            if (s->stage == GNT_STAGE_CONSTANT)
                constant[p->plan.value[used].root] = 1;
            else
                stages[p->plan.value[used].root] |= (uint64_t)1 << s->stage;
        }
    }
    for (int32_t i = 0; i < p->n_inputs; i++) {
        bound_input *b = &p->input[i];
        b->stages = b->value >= 0 ? stages[b->value] : 0;
        b->constant = b->value >= 0 ? constant[b->value] : 0;
    }
    gnt_free(stages);
    gnt_free(constant);
    return 0;
}

static char *place_of(const gnt_program *p, char *base, const gnt_nn_plan_value *v) {
    return base + (size_t)v->offset * p->plan.kernels->size;
}

/* Points the input and its views at the caller's entries, or at NULL. */
static void point(gnt_program *p, int32_t input, void *entries) {
    int32_t i = input;
    do {
        p->at[i] = entries ? place_of(p, entries, &p->plan.value[i]) : NULL;
        i = p->next[i];
    } while (i != input);
}

static void link_views(gnt_program *p) {
    for (int32_t i = 0; i < p->plan.n_values; i++) {
        int32_t root = p->plan.value[i].root;
        p->next[i] = root == i ? i : p->next[root];
        p->next[root] = i;
    }
}

static gnt_program *make(const gnt_graph *g, const gnt_node *outputs, const int32_t *output_stage,
                         int32_t n_outputs, int32_t precision, int plain, char *error, size_t error_size) {
    gnt_program *p = gnt_alloc(sizeof *p);
    if (!p) {
        if (error && error_size)
            snprintf(error, error_size, "program: out of memory");
        return NULL;
    }
    if (gnt_nn_plan_open(&p->plan, g, outputs, output_stage, n_outputs, precision, plain, error,
                         error_size)) {
        gnt_free(p);
        return NULL;
    }
    p->graph_nodes = g->n;
    p->arena = gnt_aligned(p->plan.arena, 1);
    p->at = gnt_array((size_t)p->plan.n_values, sizeof *p->at);
    p->next = gnt_array((size_t)p->plan.n_values, sizeof *p->next);
    p->place = gnt_array((size_t)p->plan.most_slots, sizeof *p->place);
    if (!p->arena || !p->at || !p->next || !p->place || list_inputs(p, g) || note_stages(p)) {
        if (error && error_size)
            snprintf(error, error_size, "program: out of memory for an arena of %zu bytes", p->plan.arena);
        gnt_program_free(p);
        return NULL;
    }
    link_views(p);
    for (int32_t i = 0; i < p->plan.n_values; i++) {
        const gnt_nn_plan_value *v = &p->plan.value[i], *root = &p->plan.value[v->root];
        if (!root->is_input && root->stage != GNT_STAGE_DEAD)
            p->at[i] = place_of(p, p->arena + root->at, v);
    }
    for (int32_t i = 0; i < p->plan.n_steps; i++)
        p->from[p->plan.step[i].stage + 3]++;
    for (int s = 1; s < GNT_NN_STAGES + 3; s++)
        p->from[s] += p->from[s - 1];
    run_steps(p, GNT_STAGE_ONCE);
    p->stale = 1;
    gnt_graph_free(p->plan.ir); /* its data belongs to the caller's graph */
    p->plan.ir = NULL;
    return p;
}

gnt_program *gnt_program_new(const gnt_graph *g, const gnt_node *outputs, const int32_t *output_stage,
                             int32_t n_outputs, int32_t precision, char *error, size_t error_size) {
    return make(g, outputs, output_stage, n_outputs, precision, 0, error, error_size);
}

gnt_program *gnt_program_new_plain(const gnt_graph *g, const gnt_node *outputs, const int32_t *output_stage,
                                   int32_t n_outputs, int32_t precision, char *error, size_t error_size) {
    return make(g, outputs, output_stage, n_outputs, precision, 1, error, error_size);
}

void gnt_program_free(gnt_program *p) {
    if (!p)
        return;
    for (int32_t i = 0; p->input && i < p->n_inputs; i++)
        gnt_free_aligned(p->input[i].copy);
    gnt_free(p->input);
    gnt_free(p->at);
    gnt_free(p->next);
    gnt_free(p->place);
    gnt_free_aligned(p->arena);
    gnt_nn_plan_close(&p->plan);
    gnt_free(p);
}

int gnt_program_bind(gnt_program *p, gnt_node input, const void *values) {
    int32_t low = 0, high = p->n_inputs;
    while (low < high) {
        int32_t mid = low + (high - low) / 2;
        if (p->input[mid].node < input)
            low = mid + 1;
        else
            high = mid;
    }
    if (low == p->n_inputs || p->input[low].node != input)
        return -1;
    bound_input *b = &p->input[low];
    if (b->value < 0)
        return 0;
    p->stale |= b->constant && b->caller != values;
    b->caller = values;
    void *entries = (void *)(uintptr_t)values;
    if ((uintptr_t)values % p->plan.kernels->size) {
        if (!b->copy)
            b->copy = gnt_aligned(p->plan.value[b->value].bytes, 1);
        if (!b->copy)
            return -1;
        entries = b->copy;
    } else {
        gnt_free_aligned(b->copy);
        b->copy = NULL;
    }
    point(p, b->value, entries);
    return 0;
}

void gnt_program_changed(gnt_program *p) {
    p->stale = 1;
}

const void *gnt_program_output(const gnt_program *p, int32_t i) {
    return i < 0 || i >= p->plan.n_outputs ? NULL : p->at[p->plan.output[i]];
}

size_t gnt_program_arena_bytes(const gnt_program *p) {
    return p->plan.arena;
}

gnt_program_size gnt_program_measure(const gnt_program *p) {
    gnt_program_size size = gnt_cost_of_plan(&p->plan);
    size.graph_nodes = p->graph_nodes;
    return size;
}

gnt_step_cost gnt_program_step(const gnt_program *p, int32_t i) {
    return gnt_cost_of_step(&p->plan, &p->plan.step[i]);
}

double gnt_program_floor(const gnt_program *p, double flop_rate, double byte_rate) {
    double seconds = 0;
    for (int32_t i = 0; i < p->plan.n_steps; i++) {
        gnt_step_cost c = gnt_program_step(p, i);
        double computing = c.flops / flop_rate, moving = c.bytes / byte_rate;
        if (c.stage >= 0 && !c.conversion)
            seconds += computing > moving ? computing : moving;
    }
    return seconds;
}

size_t gnt_program_plan_bytes(const gnt_graph *g, const gnt_node *outputs, const int32_t *output_stage,
                              int32_t n_outputs, int32_t precision) {
    gnt_nn_plan plan;
    if (gnt_nn_plan_open(&plan, g, outputs, output_stage, n_outputs, precision, 0, NULL, 0))
        return 0;
    size_t bytes = plan.arena;
    gnt_nn_plan_close(&plan);
    return bytes > 0 ? bytes : 64;
}
