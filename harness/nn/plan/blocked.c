/* blocked: gives the convolutions that oneDNN has a vector kernel for, and what lies between them, a blocked layout; and
 * those that lanes.c has one for, and what lies between them, samples as the last axis.
 *
 * One walk rebuilds the graph. Every node has a native form: rows, blocks or samples (activations), weights, or free
 * (made of fills and broadcasts alone: built in whatever form is asked for). An elementwise node takes the form of its first
 * operand that is neither rows nor free, so activations stay in blocks from one convolution to the next, and weight
 * gradients stay as they are into the sums over them. Any other form of a node is a copy, made when a reader first
 * asks, and kept.
 *
 * A blocked layout is written as shape: n×c×h×w in blocks is n×C×h×w×b with c = C·b, weights o×c×kh×kw are
 * O×C×kh×kw×b×b, n×c×h×w with samples last n/16×c×h×w×16. So broadcasts and sums over it need no rule but their axes.
 * Only channels that are multiples of b take part, and sixteen samples or a multiple: there is no padding. */
#include "nn/plan/plan.h"

#include <string.h>

#include "base/mem.h"
#include "nn/conv/four.h"
#include "nn/conv/lanes.h"
#include "nn/conv/winograd.h"

enum { FORMS = GNT_LAYOUT_FOUR_DX + 1, FREE = FORMS, DEPTH = 8, FEW_PLACES = 16 };
enum {
    IN_ROWS = -1,
    BY_SAMPLES = -2,
    BY_WINOGRAD = -3,
    BY_FOUR = -4
}; /* of a convolution that no operation of oneDNN computes */

typedef struct pass {
    gnt_nn_plan *plan;
    const gnt_graph *from;
    gnt_graph *to;
    int64_t b;             /* channels of a block; 0: no oneDNN */
    gnt_node (*at)[FORMS]; /* by node of `from`, in each form; −1: not made yet */
    uint8_t *native, *depth;
    int32_t *conv; /* the operation that computes it, or one of the above */
} pass;

static gnt_node input(const pass *p, gnt_node i, int32_t k) {
    return p->from->edge[p->from->v[i].first + k];
}

/* ---- shapes ---- */

static int can_be(const pass *p, const gnt_vertex *v, int form) {
    const int64_t *d = v->shape.dim;
    if (form == GNT_LAYOUT_ROWS)
        return 1;
    if (v->type != GNT_NN_REAL || v->shape.rank != 4)
        return 0;
    if (form == GNT_LAYOUT_SAMPLES)
        return d[0] % GNT_NN_LANES == 0;
    if (p->b == 0 || d[1] % p->b)
        return 0;
    return form == GNT_LAYOUT_BLOCKS || d[0] % p->b == 0;
}

static gnt_nn_shape shape_in(const pass *p, const gnt_nn_shape *s, int form) {
    const int64_t *d = s->dim, b = p->b;
    if (form == GNT_LAYOUT_BLOCKS)
        return (gnt_nn_shape){5, {d[0], d[1] / b, d[2], d[3], b}};
    if (form == GNT_LAYOUT_WEIGHTS || form == GNT_LAYOUT_TURNED)
        return (gnt_nn_shape){6, {d[0] / b, d[1] / b, d[2], d[3], b, b}};
    if (form == GNT_LAYOUT_SAMPLES)
        return (gnt_nn_shape){5, {d[0] / GNT_NN_LANES, d[1], d[2], d[3], GNT_NN_LANES}};
    if (form == GNT_LAYOUT_POINTS || form == GNT_LAYOUT_POINTS_DX)
        return (gnt_nn_shape){3, {16, d[0], d[1]}};
    if (form == GNT_LAYOUT_FOUR || form == GNT_LAYOUT_FOUR_DX)
        return (gnt_nn_shape){3, {9, d[0], d[1]}};
    return *s;
}

static gnt_node add(pass *p, const gnt_vertex *v, int form, const gnt_node *in, int32_t n) {
    gnt_vertex w = *v;
    w.layout = (uint8_t)form;
    return gnt_graph_add(p->to, &w, in, n);
}

/* The same entries under another shape: both layouts must have them in the same order. */
static gnt_node reshape(pass *p, gnt_node x, const gnt_nn_shape *s, int form) {
    if (x >= 0 && p->to->v[x].op == GNT_OP_RESHAPE)
        x = gnt_graph_in(p->to, &p->to->v[x])[0];
    if (x < 0 || gnt_shape_same(&p->to->v[x].shape, s))
        return x;
    gnt_vertex v = {.op = GNT_OP_RESHAPE, .shape = *s};
    return add(p, &v, form, &x, 1);
}

/* ---- forms ---- */

static gnt_node get(pass *p, gnt_node i, int form);

/* Whether two forms of a tensor have their entries in one order: blocks of single entries are rows, and so are samples
 * of a single entry. */
static int same_order(const int64_t *d, int a, int b) {
    int samples = a == GNT_LAYOUT_SAMPLES || b == GNT_LAYOUT_SAMPLES;
    if (samples)
        return d[1] * d[2] * d[3] == 1;
    return d[2] * d[3] == 1 && a <= GNT_LAYOUT_BLOCKS && b <= GNT_LAYOUT_BLOCKS;
}

static gnt_node convert(pass *p, gnt_node i, int from, int form) {
    const gnt_vertex *v = &p->from->v[i];
    gnt_nn_shape s = shape_in(p, &v->shape, form);
    if (from != GNT_LAYOUT_ROWS && form != GNT_LAYOUT_ROWS &&
        (from == GNT_LAYOUT_SAMPLES || form == GNT_LAYOUT_SAMPLES)) {
        get(p, i, GNT_LAYOUT_ROWS);
        from = GNT_LAYOUT_ROWS;
    }
    gnt_node x = p->at[i][from];
    if (same_order(v->shape.dim, from, form))
        return reshape(p, x, &s, form);
    gnt_vertex copy = {.op = GNT_OP_COPY, .shape = s};
    memcpy(copy.p, v->shape.dim, 4 * sizeof *copy.p);
    return x < 0 ? -1 : add(p, &copy, form, &x, 1);
}

static gnt_node expand_in(pass *p, gnt_node i, int form) {
    gnt_vertex v = p->from->v[i];
    gnt_node x = input(p, i, 0);
    gnt_nn_shape small = p->from->v[x].shape, s = shape_in(p, &v.shape, form);
    if (form == GNT_LAYOUT_ROWS) {
        x = get(p, x, form);
        return x < 0 ? -1 : add(p, &v, form, &x, 1);
    }
    int samples = form == GNT_LAYOUT_SAMPLES, activations = samples || form == GNT_LAYOUT_BLOCKS;
    if (activations && small.dim[samples ? 0 : 1] > 1) {
        x = get(p, x, form);
    } else if (samples) {
        gnt_nn_shape thin = {5, {1, small.dim[1], small.dim[2], small.dim[3], 1}};
        x = reshape(p, get(p, x, GNT_LAYOUT_ROWS), &thin, form);
    } else if (activations || p->from->v[x].count == 1) {
        gnt_nn_shape thin = {s.rank, {small.dim[0], 1, small.dim[2], small.dim[3], 1, 1}};
        x = reshape(p, get(p, x, GNT_LAYOUT_ROWS), &thin, form);
    } else { /* broadcast over weights along one axis */
        p->at[i][GNT_LAYOUT_ROWS] = get(p, i, GNT_LAYOUT_ROWS);
        return convert(p, i, GNT_LAYOUT_ROWS, form);
    }
    v.shape = s;
    return x < 0 ? -1 : add(p, &v, form, &x, 1);
}

/* Node i with all of its operands in one form. */
static gnt_node build_in(pass *p, gnt_node i, int form) {
    gnt_vertex v = p->from->v[i];
    gnt_node in[2] = {-1, -1};
    for (int32_t k = 0; k < v.n_in; k++) {
        in[k] = get(p, input(p, i, k), form);
        if (in[k] < 0)
            return -1;
    }
    v.shape = shape_in(p, &v.shape, form);
    return add(p, &v, form, in, v.n_in);
}

static gnt_node get(pass *p, gnt_node i, int form) {
    gnt_node *at = p->at[i];
    if (at[form] >= 0)
        return at[form];
    if (p->native[i] != FREE)
        at[form] = convert(p, i, p->native[i], form);
    else if (p->from->v[i].op == GNT_OP_EXPAND)
        at[form] = expand_in(p, i, form);
    else
        at[form] = build_in(p, i, form);
    return at[form];
}

/* ---- nodes ---- */

/* The form that node x would give an elementwise reader: rows only where it has no other yet. */
static int offers(const pass *p, gnt_node x) {
    if (p->native[x] != GNT_LAYOUT_ROWS)
        return p->native[x];
    if (p->at[x][GNT_LAYOUT_WEIGHTS] >= 0)
        return GNT_LAYOUT_WEIGHTS;
    if (p->at[x][GNT_LAYOUT_SAMPLES] >= 0)
        return GNT_LAYOUT_SAMPLES;
    return p->at[x][GNT_LAYOUT_BLOCKS] >= 0 ? GNT_LAYOUT_BLOCKS : GNT_LAYOUT_ROWS;
}

static void choose_elementwise(pass *p, gnt_node i) {
    int form = FREE, depth = 0;
    for (int32_t k = 0; k < p->from->v[i].n_in; k++) {
        gnt_node x = input(p, i, k);
        int f = offers(p, x);
        if (f == FREE)
            depth = p->depth[x] + 1 > depth ? p->depth[x] + 1 : depth;
        else if (form == FREE || form == GNT_LAYOUT_ROWS)
            form = f;
    }
    if (form == FREE && depth > DEPTH)
        form = GNT_LAYOUT_ROWS;
    p->native[i] = (uint8_t)form;
    p->depth[i] = (uint8_t)depth;
}

/* A sum over activations in blocks, or over all of a weight tensor. */
static gnt_node sum_in(pass *p, gnt_node i, int form) {
    gnt_vertex v = p->from->v[i], w = v;
    gnt_node x = get(p, input(p, i, 0), form);
    if (x < 0)
        return -1;
    gnt_nn_shape s = p->to->v[x].shape;
    int64_t axes = v.p[0], split = form == GNT_LAYOUT_SAMPLES ? 1 : 2; /* n or c, which is two axes here */
    w.p[0] = form == GNT_LAYOUT_WEIGHTS ? 63 : axes | (axes & split ? 16 : 0);
    for (int32_t k = 0; k < s.rank; k++)
        if (w.p[0] >> k & 1)
            s.dim[k] = 1;
    w.shape = s;
    gnt_node y = add(p, &w, form, &x, 1);
    if (form != GNT_LAYOUT_WEIGHTS && s.dim[4] > 1 && !same_order(v.shape.dim, form, GNT_LAYOUT_ROWS)) {
        p->at[i][form] = y;
        p->native[i] = (uint8_t)form;
        return y;
    }
    return p->at[i][GNT_LAYOUT_ROWS] = reshape(p, y, &v.shape, GNT_LAYOUT_ROWS);
}

static gnt_node conv_by_samples(pass *p, gnt_node i) {
    gnt_vertex v = p->from->v[i];
    int dw = v.op == GNT_OP_CONV_DW, form = dw ? GNT_LAYOUT_ROWS : GNT_LAYOUT_SAMPLES;
    gnt_node in[2] = {get(p, input(p, i, 0), GNT_LAYOUT_SAMPLES),
                      get(p, input(p, i, 1), dw ? GNT_LAYOUT_SAMPLES : GNT_LAYOUT_ROWS)};
    if (in[0] < 0 || in[1] < 0)
        return -1;
    v.shape = shape_in(p, &v.shape, form);
    v.p[2] = -GNT_CONV_SAMPLES;
    p->native[i] = (uint8_t)form;
    return p->at[i][form] = add(p, &v, form, in, 2);
}

/* The edge of the blocked part: what follows a convolution in rows is elementwise, and meets blocks sooner or later. */
static void enter_blocks(pass *p, gnt_node i) {
    if (!can_be(p, &p->from->v[i], GNT_LAYOUT_BLOCKS))
        return;
    p->at[i][GNT_LAYOUT_BLOCKS] = convert(p, i, GNT_LAYOUT_ROWS, GNT_LAYOUT_BLOCKS);
    p->native[i] = GNT_LAYOUT_BLOCKS;
}

/* By winograd.c or four.c. */
static gnt_node conv_by_rewritten(pass *p, gnt_node i) {
    gnt_vertex v = p->from->v[i];
    int four = p->conv[i] == BY_FOUR, dx = v.op == GNT_OP_CONV_DX;
    int form = four ? GNT_LAYOUT_ROWS : GNT_LAYOUT_BLOCKS;
    int weights = (four ? GNT_LAYOUT_FOUR : GNT_LAYOUT_POINTS) + dx;
    gnt_node in[2] = {get(p, input(p, i, 0), form), get(p, input(p, i, 1), weights)};
    if (in[0] < 0 || in[1] < 0)
        return -1;
    v.shape = shape_in(p, &v.shape, form);
    v.p[2] = four ? -GNT_CONV_FOUR : -GNT_CONV_WINOGRAD;
    p->native[i] = (uint8_t)form;
    gnt_node y = p->at[i][form] = add(p, &v, form, in, 2);
    if (four && y >= 0)
        enter_blocks(p, i);
    return y;
}

static gnt_node conv_in(pass *p, gnt_node i) {
    gnt_vertex v = p->from->v[i];
    int second = v.op == GNT_OP_CONV_DW ? GNT_LAYOUT_BLOCKS : gnt_dnnl_weights(p->plan->conv[p->conv[i]].op);
    int form = v.op == GNT_OP_CONV_DW ? GNT_LAYOUT_WEIGHTS : GNT_LAYOUT_BLOCKS;
    gnt_node in[2] = {get(p, input(p, i, 0), GNT_LAYOUT_BLOCKS), get(p, input(p, i, 1), second)};
    if (in[0] < 0 || in[1] < 0)
        return -1;
    v.shape = shape_in(p, &v.shape, form);
    v.p[2] = 1 + p->conv[i];
    p->native[i] = (uint8_t)form;
    return p->at[i][form] = add(p, &v, form, in, 2);
}

static gnt_node rows(pass *p, gnt_node i, gnt_node **in, int32_t *room) {
    gnt_vertex v = p->from->v[i];
    if (v.n_in > *room) {
        gnt_node *wider = gnt_resize(*in, (size_t)v.n_in, sizeof **in);
        if (!wider)
            return -1;
        *in = wider;
        *room = v.n_in;
    }
    for (int32_t k = 0; k < v.n_in; k++) {
        (*in)[k] = get(p, input(p, i, k), GNT_LAYOUT_ROWS);
        if ((*in)[k] < 0)
            return -1;
    }
    gnt_node y = add(p, &v, GNT_LAYOUT_ROWS, *in, v.n_in);
    p->at[i][GNT_LAYOUT_ROWS] = y;
    if (y >= 0 && (v.op == GNT_OP_CONV || v.op == GNT_OP_CONV_DX))
        enter_blocks(p, i);
    return y;
}

static int walk(pass *p, gnt_node **in, int32_t *room) {
    for (gnt_node i = 0; i < p->from->n; i++) {
        const gnt_vertex *v = &p->from->v[i];
        gnt_node made = 0;
        p->native[i] = GNT_LAYOUT_ROWS;
        if (v->op == GNT_OP_FILL || v->op == GNT_OP_EXPAND) {
            p->native[i] = FREE;
        } else if (gnt_op_is_unary(v->op) || gnt_op_is_binary(v->op)) {
            choose_elementwise(p, i);
            if (p->native[i] != FREE)
                made = p->at[i][p->native[i]] = build_in(p, i, p->native[i]);
        } else if (p->conv[i] >= 0) {
            made = conv_in(p, i);
        } else if (p->conv[i] == BY_SAMPLES) {
            made = conv_by_samples(p, i);
        } else if (p->conv[i] == BY_WINOGRAD || p->conv[i] == BY_FOUR) {
            made = conv_by_rewritten(p, i);
        } else if (v->op == GNT_OP_SUM) {
            int form = p->native[input(p, i, 0)];
            int whole = v->count == 1 || form == GNT_LAYOUT_BLOCKS || form == GNT_LAYOUT_SAMPLES;
            made =
                whole && form != FREE && form != GNT_LAYOUT_ROWS ? sum_in(p, i, form) : rows(p, i, in, room);
        } else {
            made = rows(p, i, in, room);
        }
        if (made < 0)
            return -1;
    }
    return 0;
}

/* ---- which convolutions ---- */

static int is_conv(int op) {
    return op == GNT_OP_CONV || op == GNT_OP_CONV_DX || op == GNT_OP_CONV_DW;
}

/* Marks what depends on a gradient's convolution. What does not is a forward pass, where each rounding error goes into
 * everything after it and decides which ReLUs are open: it keeps the direct algorithm. */
static uint8_t *behind_gradients(const gnt_graph *g) {
    uint8_t *behind = gnt_array((size_t)g->n, 1);
    for (gnt_node i = 0; behind && i < g->n; i++) {
        const gnt_vertex *v = &g->v[i];
        behind[i] = v->op == GNT_OP_CONV_DX || v->op == GNT_OP_CONV_DW;
        for (int32_t k = 0; k < v->n_in; k++)
            behind[i] |= behind[gnt_graph_in(g, v)[k]];
    }
    return behind;
}

static int is_held(const pass *p, gnt_node i) {
    const gnt_vertex *w = &p->from->v[input(p, i, 1)];
    return w->op == GNT_OP_INPUT && w->stage == GNT_STAGE_HELD;
}

/* Weights that are no input change with every step, and are in blocks. */
static int by_winograd(const pass *p, gnt_node i, const gnt_conv *s, int exact) {
    const gnt_vertex *v = &p->from->v[i], *w = &p->from->v[input(p, i, 1)];
    if (p->b != 16 || v->op == GNT_OP_CONV_DW || w->op != GNT_OP_INPUT)
        return 0;
    return gnt_winograd_fits(v->op, s, is_held(p, i), exact);
}

/* Decides how each convolution is computed, and makes oneDNN's operations. Returns how many are not left in rows,
 * −1 out of memory. */
static int32_t choose_convs(pass *p, const uint8_t *behind) {
    gnt_nn_plan *plan = p->plan;
    int32_t n = 0, fits = 0, others = 0;
    for (gnt_node i = 0; i < p->from->n; i++) {
        n += is_conv(p->from->v[i].op);
        p->conv[i] = IN_ROWS;
    }
    plan->conv = n > 0 ? gnt_array((size_t)n, sizeof *plan->conv) : NULL;
    if (n > 0 && !plan->conv)
        return -1;
    for (gnt_node i = 0; i < p->from->n && n > 0; i++) {
        const gnt_vertex *v = &p->from->v[i];
        if (!is_conv(v->op))
            continue;
        gnt_conv s = gnt_nn_plan_conv(p->from, v);
        gnt_planned_conv *c = &plan->conv[fits];
        if (is_held(p, i) && gnt_four_fits(v->op, &s)) {
            p->conv[i] = BY_FOUR;
            others++;
            continue;
        }
        /* over so few places, copying the weights into blocks costs more than the kernel gains */
        if (p->b == 0 || s.c % p->b || s.o % p->b || s.n * s.oh * s.ow <= FEW_PLACES) {
            p->conv[i] = gnt_lanes_fits(v->op, &s) ? BY_SAMPLES : IN_ROWS;
            others += p->conv[i] == BY_SAMPLES;
            continue;
        }
        if (by_winograd(p, i, &s, !behind[i])) {
            p->conv[i] = BY_WINOGRAD;
            others++;
            continue;
        }
        if (gnt_dnnl_conv(plan->dnnl, v->op, &s, !behind[i], &c->op, &c->scratch))
            return -1;
        if (c->op) {
            p->conv[i] = fits++;
            plan->n_convs = fits;
        }
    }
    return fits + others;
}

int gnt_nn_plan_blocks(gnt_nn_plan *plan) {
    size_t n = (size_t)plan->ir->n;
    pass p = {.plan = plan, .from = plan->ir, .b = plan->dnnl ? gnt_dnnl_block(plan->dnnl) : 0};
    gnt_node *in = NULL;
    int32_t room = 0, failed = -1, fits;
    uint8_t *behind = behind_gradients(plan->ir);
    p.conv = gnt_array(n, sizeof *p.conv);
    fits = behind && p.conv ? choose_convs(&p, behind) : -1;
    gnt_free(behind);
    if (fits <= 0) {
        gnt_free(p.conv);
        return fits;
    }
    p.at = gnt_array(n, sizeof *p.at);
    p.native = gnt_array(n, 1);
    p.depth = gnt_array(n, 1);
    p.to = gnt_graph_new();
    if (!p.at || !p.native || !p.depth || !p.to)
        goto cleanup;
    memset(p.at, -1, n * sizeof *p.at);
    if (walk(&p, &in, &room))
        goto cleanup;
    failed = 0;
    for (int32_t i = 0; i < plan->n_outputs; i++) {
        plan->output[i] = get(&p, plan->output[i], GNT_LAYOUT_ROWS);
        failed |= plan->output[i] < 0;
    }
    if (!failed) {
        gnt_graph_free(plan->ir);
        plan->ir = p.to;
        p.to = NULL;
    }
cleanup:
    gnt_free(p.conv);
    gnt_free(p.at);
    gnt_free(p.native);
    gnt_free(p.depth);
    gnt_free(in);
    gnt_graph_free(p.to);
    return failed ? -1 : 0;
}
