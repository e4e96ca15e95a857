/* blocked: gives convolutions the layouts of their back-ends, and the nodes between them the same: blocks of
 * channels, or samples as the last axis.
 *
 * One walk rebuilds the graph. Every node has a native form: rows, blocks or samples (activations), weights,
 * or free (made of fills and broadcasts alone: built in any form on demand). An elementwise node takes the
 * form of its first operand that is neither rows nor free, so activations stay in blocks from one convolution
 * to the next, and weight gradients stay as they are into the sums over them. Any other form of a node is a
 * copy, made for its first reader and kept.
 *
 * A blocked layout is written as shape: n×c×h×w in blocks is n×C×h×w×b with c = C·b, weights o×c×kh×kw are
 * O×C×kh×kw×b×b, n×c×h×w with samples last n/16×c×h×w×16. So broadcasts and sums over it need a rule for
 * their axes only. Only channels that are multiples of b take part, and sixteen samples or a multiple: there
 * is no padding. */
#include "nn/plan/nn_plan.h"

#include <string.h>

#include "base/mem.h"

/* FREE: a form of its own, beyond all layouts. */
enum { DEPTH = 8, FREE = UINT8_MAX };

typedef struct pass {
    gnt_nn_plan *plan;
    const gnt_graph *from;
    gnt_graph *to;
    int64_t b;     /* channels of a block; 0: no oneDNN */
    int32_t forms; /* number of layouts */
    gnt_node *at;  /* by node of `from`, in each form; −1: not made yet */
    uint8_t *native, *depth;
} pass;

static gnt_node *forms_of(const pass *p, gnt_node i) {
    return p->at + (size_t)i * (size_t)p->forms;
}

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
    if (form >= GNT_LAYOUT_OWN) {
        int op;
        return (gnt_nn_shape){3, {gnt_conv_owner(form, &op)->own, d[0], d[1]}};
    }
    return *s;
}

static gnt_node add(pass *p, const gnt_vertex *v, int form, const gnt_node *in, int32_t n) {
    gnt_vertex w = *v;
    w.layout = (uint8_t)form;
    return gnt_graph_add(p->to, &w, in, n);
}

/* Gives x another shape; both layouts must have the entries in the same order. */
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

/* True if two forms of a tensor have their entries in the same order: blocks of single entries are rows, and
 * so are samples of a single entry. */
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
    gnt_node x = forms_of(p, i)[from];
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
        forms_of(p, i)[GNT_LAYOUT_ROWS] = get(p, i, GNT_LAYOUT_ROWS);
        return convert(p, i, GNT_LAYOUT_ROWS, form);
    }
    v.shape = s;
    return x < 0 ? -1 : add(p, &v, form, &x, 1);
}

/* Builds node i with all operands in one form. */
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
    gnt_node *at = forms_of(p, i);
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

/* Returns the form of x for an elementwise reader: rows only if x has no other yet. */
static int offers(const pass *p, gnt_node x) {
    if (p->native[x] != GNT_LAYOUT_ROWS)
        return p->native[x];
    if (forms_of(p, x)[GNT_LAYOUT_WEIGHTS] >= 0)
        return GNT_LAYOUT_WEIGHTS;
    if (forms_of(p, x)[GNT_LAYOUT_SAMPLES] >= 0)
        return GNT_LAYOUT_SAMPLES;
    return forms_of(p, x)[GNT_LAYOUT_BLOCKS] >= 0 ? GNT_LAYOUT_BLOCKS : GNT_LAYOUT_ROWS;
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

/* Builds a sum over activations in blocks, or over all of a weight tensor. */
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
        forms_of(p, i)[form] = y;
        p->native[i] = (uint8_t)form;
        return y;
    }
    return forms_of(p, i)[GNT_LAYOUT_ROWS] = reshape(p, y, &v.shape, GNT_LAYOUT_ROWS);
}

/* Converts the result of a convolution in rows to blocks: elementwise nodes follow it and meet blocks
 * later. */
static void enter_blocks(pass *p, gnt_node i) {
    if (!can_be(p, &p->from->v[i], GNT_LAYOUT_BLOCKS))
        return;
    forms_of(p, i)[GNT_LAYOUT_BLOCKS] = convert(p, i, GNT_LAYOUT_ROWS, GNT_LAYOUT_BLOCKS);
    p->native[i] = GNT_LAYOUT_BLOCKS;
}

static gnt_node convolution(pass *p, gnt_node i) {
    gnt_vertex v = p->from->v[i];
    const gnt_conv_choice *c = gnt_nn_plan_choice(p->plan, &v);
    gnt_node in[2] = {get(p, input(p, i, 0), c->first), get(p, input(p, i, 1), c->second)};
    if (in[0] < 0 || in[1] < 0)
        return -1;
    v.shape = shape_in(p, &v.shape, c->result);
    p->native[i] = c->result;
    gnt_node y = forms_of(p, i)[c->result] = add(p, &v, c->result, in, 2);
    if (y >= 0 && c->result == GNT_LAYOUT_ROWS && v.op != GNT_OP_CONV_DW)
        enter_blocks(p, i);
    return y;
}

static gnt_node rows(pass *p, gnt_node i, gnt_node *in) {
    gnt_vertex v = p->from->v[i];
    for (int32_t k = 0; k < v.n_in; k++) {
        in[k] = get(p, input(p, i, k), GNT_LAYOUT_ROWS);
        if (in[k] < 0)
            return -1;
    }
    return forms_of(p, i)[GNT_LAYOUT_ROWS] = add(p, &v, GNT_LAYOUT_ROWS, in, v.n_in);
}

static int walk(pass *p, gnt_node *in) {
    for (gnt_node i = 0; i < p->from->n; i++) {
        const gnt_vertex *v = &p->from->v[i];
        gnt_node made = 0;
        p->native[i] = GNT_LAYOUT_ROWS;
        if (v->op == GNT_OP_FILL || v->op == GNT_OP_EXPAND) {
            p->native[i] = FREE;
        } else if (gnt_op_is_unary(v->op) || gnt_op_is_binary(v->op)) {
            choose_elementwise(p, i);
            if (p->native[i] != FREE)
                made = forms_of(p, i)[p->native[i]] = build_in(p, i, p->native[i]);
        } else if (gnt_conv_is_face(v->op)) {
            made = convolution(p, i);
        } else if (v->op == GNT_OP_SUM) {
            int form = p->native[input(p, i, 0)];
            int whole = v->count == 1 || form == GNT_LAYOUT_BLOCKS || form == GNT_LAYOUT_SAMPLES;
            made = whole && form != FREE && form != GNT_LAYOUT_ROWS ? sum_in(p, i, form) : rows(p, i, in);
        } else {
            made = rows(p, i, in);
        }
        if (made < 0)
            return -1;
    }
    return 0;
}

/* ---- the pass ---- */

static int wants_layouts(const gnt_nn_plan *plan) {
    for (int32_t i = 0; i < plan->n_convs; i++) {
        const gnt_conv_choice *c = &plan->conv[i];
        if (c->first != GNT_LAYOUT_ROWS || c->second != GNT_LAYOUT_ROWS || c->result != GNT_LAYOUT_ROWS)
            return 1;
    }
    return 0;
}

int gnt_nn_plan_blocks(gnt_nn_plan *plan) {
    size_t n = (size_t)plan->ir->n;
    if (!wants_layouts(plan))
        return 0;
    pass p = {.plan = plan,
              .from = plan->ir,
              .b = plan->dnnl ? gnt_dnnl_block(plan->dnnl) : 0,
              .forms = GNT_LAYOUT_OWN + gnt_conv_own_layouts()};
    size_t forms = n * (size_t)p.forms;
    gnt_node *in = gnt_array((size_t)gnt_graph_most_inputs(plan->ir), sizeof *in);
    int failed = 1;
    p.at = gnt_array(forms, sizeof *p.at);
    p.native = gnt_array(n, 1);
    p.depth = gnt_array(n, 1);
    p.to = gnt_graph_new();
    if (!in || !p.at || !p.native || !p.depth || !p.to)
        goto cleanup;
    memset(p.at, -1, forms * sizeof *p.at);
    if (walk(&p, in))
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
    gnt_free(p.at);
    gnt_free(p.native);
    gnt_free(p.depth);
    gnt_free(in);
    gnt_graph_free(p.to);
    return failed ? -1 : 0;
}
