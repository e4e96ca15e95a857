/* onnx_constants: computes nodes whose inputs are constants or the shape of data: what PyTorch's exporter
 * writes for the arguments of reshapes, paddings and slices, and views of weights. */
#include <inttypes.h>
#include <string.h>

#include "onnx/onnx_graph.h"

enum { MOST_WHOLE = 4096 }; /* entries of a computed list of integers */

static onnx_constant *new_constant(onnx_graph *g, const onnx_node *node, onnx_shape shape, gnt_err *err) {
    onnx_constant *c = gnt_arena_array(&g->arena, 1, sizeof *c);
    if (!c) {
        gnt_onnx_fail(node, err, "out of memory");
        return NULL;
    }
    *c = (onnx_constant){.root = c, .shape = shape, .count = 1};
    for (int32_t i = 0; i < shape.rank; i++)
        c->count *= shape.dim[i];
    g->value[node->output[0]].constant = c;
    return c;
}

/* The same numbers in another shape with as many entries. */
static int view(onnx_graph *g, const onnx_node *node, onnx_constant *in, onnx_shape shape, gnt_err *err) {
    onnx_constant *c = new_constant(g, node, shape, err);
    if (!c)
        return -1;
    if (c->count != in->count)
        return gnt_onnx_fail(node, err, "it gives %" PRId64 " entries another shape with %" PRId64, in->count,
                             c->count);
    c->origin = in->origin;
    c->root = in->root;
    c->real = in->real;
    c->whole = in->whole;
    return 1;
}

static int copy_whole(onnx_graph *g, const onnx_node *node, const int64_t *from, int64_t n, int32_t rank,
                      gnt_err *err) {
    onnx_constant *c = new_constant(g, node, (onnx_shape){rank, {n}}, err);
    if (!c)
        return -1;
    c->whole = gnt_arena_copy(&g->arena, from, (size_t)n, sizeof *from);
    return c->whole ? 1 : gnt_onnx_fail(node, err, "out of memory");
}

/* Entry i₀, i₁, … of the output is entry `offset` + Σ iₖ·stride[k] of the input. */
static int strided(onnx_graph *g, const onnx_node *node, const onnx_constant *in, onnx_shape shape,
                   int64_t offset, const int64_t *stride, gnt_err *err) {
    onnx_constant *c = new_constant(g, node, shape, err);
    if (!c)
        return -1;
    c->origin = in->origin;
    c->root = in->root;
    const size_t size = in->real ? sizeof *in->real : sizeof *in->whole;
    char *to = gnt_arena_array(&g->arena, (size_t)c->count, size);
    const char *from = in->real ? (const char *)in->real : (const char *)in->whole;
    if (!to)
        return gnt_onnx_fail(node, err, "out of memory");
    int64_t at[ONNX_RANK] = {0};
    for (int64_t i = 0; i < c->count; i++) {
        memcpy(to + (size_t)i * size, from + (size_t)offset * size, size);
        for (int32_t k = shape.rank - 1; k >= 0; k--) {
            offset += stride[k];
            if (++at[k] < shape.dim[k])
                break;
            offset -= at[k] * stride[k];
            at[k] = 0;
        }
    }
    if (in->real)
        c->real = (const float *)(const void *)to;
    else
        c->whole = (const int64_t *)(const void *)to;
    return 1;
}

static void strides_of(const onnx_shape *s, int64_t stride[ONNX_RANK]) {
    int64_t n = 1;
    for (int32_t i = s->rank - 1; i >= 0; i--) {
        stride[i] = n;
        n *= s->dim[i];
    }
}

/* ---- the kinds of nodes ---- */

static int constant(onnx_graph *g, const onnx_node *node, gnt_err *err) {
    if (node->n_attributes != 1)
        return gnt_onnx_fail(node, err, "it has %d values; expected one", (int)node->n_attributes);
    const onnx_attribute *a = &node->attribute[0];
    if (strcmp(a->name, "value") == 0 && a->tensor)
        return view(g, node, a->tensor, a->tensor->shape, err);
    if (strcmp(a->name, "value_ints") == 0 && a->n_ints <= MOST_WHOLE)
        return copy_whole(g, node, a->ints, a->n_ints, 1, err);
    if (strcmp(a->name, "value_int") == 0)
        return copy_whole(g, node, &a->i, 1, 0, err);
    if (strcmp(a->name, "value_float") != 0)
        return gnt_onnx_fail(node, err, "its value is neither a tensor nor numbers");
    onnx_constant *c = new_constant(g, node, (onnx_shape){0}, err);
    float *real = gnt_arena_array(&g->arena, 1, sizeof *real);
    if (!c || !real)
        return -1;
    *real = (float)a->f;
    c->real = real;
    return 1;
}

/* Moves a place that may count from the end into [0, n]. */
static int64_t clamp(int64_t at, int64_t n) {
    at += at < 0 ? n : 0;
    return at < 0 ? 0 : at > n ? n : at;
}

static int shape_of(onnx_graph *g, const onnx_node *node, const onnx_shape *s, gnt_err *err) {
    int64_t start = 0, end = s->rank;
    if (gnt_onnx_int(node, "start", &start, err) || gnt_onnx_int(node, "end", &end, err))
        return -1;
    start = clamp(start, s->rank);
    end = clamp(end, s->rank);
    return copy_whole(g, node, s->dim + start, end > start ? end - start : 0, 1, err);
}

static int constant_of_shape(onnx_graph *g, const onnx_node *node, const onnx_constant *in, gnt_err *err) {
    const onnx_attribute *a = gnt_onnx_attribute(node, "value");
    double value = 0;
    int64_t zeros[MOST_WHOLE] = {0};
    if (!in->whole || in->count != 1 || in->whole[0] < 0 || in->whole[0] > MOST_WHOLE || !a ||
        !gnt_onnx_scalar(a->tensor, &value) || value != 0 || !a->tensor->whole)
        return gnt_onnx_fail(node, err, "it is no list of at most %d integer zeros, which alone is computed",
                             MOST_WHOLE);
    return copy_whole(g, node, zeros, in->whole[0], 1, err);
}

static int reshape(onnx_graph *g, const onnx_node *node, onnx_constant *in, const onnx_constant *to,
                   gnt_err *err) {
    onnx_shape s = {.rank = (int32_t)to->count};
    int64_t known = 1;
    int32_t open = -1;
    if (!to->whole || to->count > ONNX_RANK)
        return gnt_onnx_fail(node, err, "its shape is no list of at most %d integers", ONNX_RANK);
    for (int32_t i = 0; i < s.rank; i++) {
        s.dim[i] = to->whole[i] == 0 && i < in->shape.rank ? in->shape.dim[i] : to->whole[i];
        if (s.dim[i] == -1 && open < 0)
            open = i;
        else if (s.dim[i] < 1 || s.dim[i] > INT32_MAX / known)
            return gnt_onnx_fail(node, err, "its shape has the size %" PRId64, s.dim[i]);
        else
            known *= s.dim[i];
    }
    if (open >= 0)
        s.dim[open] = in->count / known;
    return view(g, node, in, s, err);
}

static int unsqueeze(onnx_graph *g, const onnx_node *node, onnx_constant *in, const int64_t *axes, int64_t n,
                     gnt_err *err) {
    onnx_shape s = {.rank = in->shape.rank + (int32_t)n};
    int is_new[ONNX_RANK] = {0};
    if (n < 0 || s.rank > ONNX_RANK)
        return gnt_onnx_fail(node, err, "it gives more than %d dimensions", ONNX_RANK);
    for (int64_t i = 0; i < n; i++) {
        const int64_t axis = axes[i] < 0 ? axes[i] + s.rank : axes[i];
        if (axis < 0 || axis >= s.rank || is_new[axis])
            return gnt_onnx_fail(node, err, "there is no axis %" PRId64 " to add", axes[i]);
        is_new[axis] = 1;
    }
    for (int32_t i = 0, from = 0; i < s.rank; i++)
        s.dim[i] = is_new[i] ? 1 : in->shape.dim[from++];
    return view(g, node, in, s, err);
}

static int squeeze(onnx_graph *g, const onnx_node *node, onnx_constant *in, const int64_t *axes, int64_t n,
                   gnt_err *err) {
    onnx_shape s = {0};
    int gone[ONNX_RANK] = {0};
    for (int64_t i = 0; i < n; i++) {
        const int64_t axis = axes[i] < 0 ? axes[i] + in->shape.rank : axes[i];
        if (axis < 0 || axis >= in->shape.rank || in->shape.dim[axis] != 1)
            return gnt_onnx_fail(node, err, "there is no axis %" PRId64 " of size 1", axes[i]);
        gone[axis] = 1;
    }
    for (int32_t i = 0; i < in->shape.rank; i++)
        if (!gone[i])
            s.dim[s.rank++] = in->shape.dim[i];
    return view(g, node, in, s, err);
}

/* Reads the axes of Unsqueeze and Squeeze: an attribute until operator set 12, an input since. */
static int with_axes(onnx_graph *g, const onnx_node *node, onnx_constant *in, gnt_err *err) {
    const onnx_attribute *a = gnt_onnx_attribute(node, "axes");
    const onnx_constant *c = gnt_onnx_constant_of(g, node, 1);
    const int64_t *axes = a ? a->ints : c ? c->whole : NULL, n = a ? a->n_ints : c ? c->count : 0;
    if (!axes || n > ONNX_RANK)
        return gnt_onnx_fail(node, err, "its axes are no list of at most %d integers", ONNX_RANK);
    return strcmp(node->op, "Squeeze") == 0 ? squeeze(g, node, in, axes, n, err)
                                            : unsqueeze(g, node, in, axes, n, err);
}

static int transpose(onnx_graph *g, const onnx_node *node, const onnx_constant *in, gnt_err *err) {
    onnx_shape s = {.rank = in->shape.rank};
    int64_t perm[ONNX_RANK], own[ONNX_RANK], stride[ONNX_RANK] = {0};
    uint32_t seen = 0;
    for (int32_t i = 0; i < s.rank; i++)
        perm[i] = s.rank - 1 - i;
    if (gnt_onnx_ints(node, "perm", s.rank, perm, err))
        return -1;
    strides_of(&in->shape, own);
    for (int32_t i = 0; i < s.rank; i++) {
        if (perm[i] < 0 || perm[i] >= s.rank || seen >> perm[i] & 1)
            return gnt_onnx_fail(node, err, "its perm is no order of the axes");
        seen |= 1u << perm[i];
        s.dim[i] = in->shape.dim[perm[i]];
        stride[i] = own[perm[i]];
    }
    return strided(g, node, in, s, 0, stride, err);
}

/* Slices along one axis, in either direction. */
static int slice(onnx_graph *g, const onnx_node *node, const onnx_constant *in, gnt_err *err) {
    int64_t v[4] = {0, 0, 0, 1}, stride[ONNX_RANK]; /* start, end, axis, step */
    for (int i = 0; i < 4; i++) {
        const onnx_constant *c = gnt_onnx_constant_of(g, node, i + 1);
        if (c && (c->count != 1 || !c->whole))
            return gnt_onnx_fail(node, err,
                                 "it slices constants along more than one axis, which is not computed");
        v[i] = c ? c->whole[0] : v[i];
    }
    const int64_t axis = v[2] < 0 ? v[2] + in->shape.rank : v[2];
    if (axis < 0 || axis >= in->shape.rank || (v[3] != 1 && v[3] != -1))
        return gnt_onnx_fail(node, err,
                             "it slices constants by other steps than 1 and −1, which is not computed");
    onnx_shape s = in->shape;
    const int64_t n = s.dim[axis];
    int64_t first = clamp(v[0], n), last = clamp(v[1], n);
    if (v[3] < 0) { /* from `first` down to above `last` */
        first = first >= n ? n - 1 : first;
        last = v[1] < -n ? -1 : last;
    }
    s.dim[axis] = (last - first) * v[3];
    if (s.dim[axis] < 1)
        return gnt_onnx_fail(node, err, "it slices nothing out of a constant");
    strides_of(&in->shape, stride);
    const int64_t offset = first * stride[axis];
    stride[axis] *= v[3];
    return strided(g, node, in, s, offset, stride, err);
}

static int gather(onnx_graph *g, const onnx_node *node, const onnx_constant *in, const onnx_constant *index,
                  gnt_err *err) {
    int64_t picked[ONNX_RANK];
    if (in->shape.rank != 1 || !in->whole || !index->whole || index->shape.rank > 1 ||
        index->count > ONNX_RANK)
        return gnt_onnx_fail(node, err, "it gathers from no list of integers, which alone is computed");
    for (int64_t i = 0; i < index->count; i++) {
        const int64_t at = index->whole[i] < 0 ? index->whole[i] + in->count : index->whole[i];
        if (at < 0 || at >= in->count)
            return gnt_onnx_fail(node, err, "its index %" PRId64 " is outside of %" PRId64 " entries",
                                 index->whole[i], in->count);
        picked[i] = in->whole[at];
    }
    return copy_whole(g, node, picked, index->count, index->shape.rank, err);
}

/* Joins lists of numbers. */
static int concat(onnx_graph *g, const onnx_node *node, gnt_err *err) {
    int64_t n = 0;
    const int real = gnt_onnx_constant_of(g, node, 0)->real != NULL;
    for (int32_t i = 0; i < node->n_inputs; i++) {
        const onnx_constant *c = gnt_onnx_constant_of(g, node, i);
        if (!c || c->shape.rank != 1 || (c->real != NULL) != real || n + c->count > MOST_WHOLE)
            return gnt_onnx_fail(node, err, "it joins constants that are no lists of at most %d numbers",
                                 MOST_WHOLE);
        n += c->count;
    }
    onnx_constant *out = new_constant(g, node, (onnx_shape){1, {n}}, err);
    char *to = gnt_arena_array(&g->arena, (size_t)n, 8);
    if (!out || !to)
        return gnt_onnx_fail(node, err, "out of memory");
    if (real)
        out->real = (const float *)(const void *)to;
    else
        out->whole = (const int64_t *)(const void *)to;
    for (int32_t i = 0; i < node->n_inputs; i++) {
        const onnx_constant *c = gnt_onnx_constant_of(g, node, i);
        const size_t bytes = (size_t)c->count * (real ? sizeof *c->real : sizeof *c->whole);
        memcpy(to, real ? (const void *)c->real : (const void *)c->whole, bytes);
        to += bytes;
    }
    return 1;
}

/* Computes with two single integers. */
static int arithmetic(onnx_graph *g, const onnx_node *node, const onnx_constant *a, const onnx_constant *b,
                      gnt_err *err) {
    int64_t v = 0;
    if (!a->whole || !b || !b->whole || a->count != 1 || b->count != 1 || a->whole[0] == ONNX_BATCH ||
        b->whole[0] == ONNX_BATCH)
        return gnt_onnx_fail(node, err,
                             "it computes with constants that are no two integers; export with "
                             "do_constant_folding=True and a batch of fixed size");
    const int failed = strcmp(node->op, "Add") == 0   ? __builtin_add_overflow(a->whole[0], b->whole[0], &v)
                       : strcmp(node->op, "Sub") == 0 ? __builtin_sub_overflow(a->whole[0], b->whole[0], &v)
                                                      : __builtin_mul_overflow(a->whole[0], b->whole[0], &v);
    if (failed || v == ONNX_BATCH)
        return gnt_onnx_fail(node, err, "it computes an integer that does not fit");
    return copy_whole(g, node, &v, 1, a->shape.rank > b->shape.rank ? a->shape.rank : b->shape.rank, err);
}

static int identity(onnx_graph *g, const onnx_node *node, onnx_constant *in, gnt_err *err) {
    const int rc = view(g, node, in, in->shape, err);
    onnx_constant *out = g->value[node->output[0]].constant;
    if (rc != 1 || !in->origin)
        return rc;
    /* the exporter stores tensors with the same numbers once: this is a parameter of its own */
    out->root = out;
    out->origin = g->value[node->output[0]].name;
    g->copies++;
    return 1;
}

static int cast(onnx_graph *g, const onnx_node *node, onnx_constant *in, gnt_err *err) {
    int64_t to = 0;
    if (gnt_onnx_int(node, "to", &to, err))
        return -1;
    if (!(in->whole && (to == 6 || to == 7)) && !(in->real && to == 1))
        return gnt_onnx_fail(node, err, "it casts a constant to another kind of number");
    return view(g, node, in, in->shape, err);
}

int gnt_onnx_compute(onnx_graph *g, onnx_node *node, gnt_err *err) {
    const char *op = node->op;
    onnx_constant *a = gnt_onnx_constant_of(g, node, 0), *b = gnt_onnx_constant_of(g, node, 1);
    if (node->n_outputs < 1 || node->output[0] == ONNX_NONE)
        return gnt_onnx_fail(node, err, "it has no output");
    if (strcmp(op, "Constant") == 0)
        return constant(g, node, err);
    const onnx_value *first = gnt_onnx_input(g, node, 0);
    if (strcmp(op, "Shape") == 0)
        return first ? shape_of(g, node, first->constant ? &first->constant->shape : &first->shape, err) : 0;
    for (int32_t i = 0; i < node->n_inputs; i++)
        if (node->input[i] != ONNX_NONE && !gnt_onnx_constant_of(g, node, i))
            return 0;
    if (!a)
        return gnt_onnx_fail(node, err, "its first input is absent");
    if (strcmp(op, "Identity") == 0)
        return identity(g, node, a, err);
    if (strcmp(op, "Cast") == 0)
        return cast(g, node, a, err);
    if (strcmp(op, "ConstantOfShape") == 0)
        return constant_of_shape(g, node, a, err);
    if (strcmp(op, "Reshape") == 0 && b)
        return reshape(g, node, a, b, err);
    if (strcmp(op, "Unsqueeze") == 0 || strcmp(op, "Squeeze") == 0)
        return with_axes(g, node, a, err);
    if (strcmp(op, "Transpose") == 0)
        return transpose(g, node, a, err);
    if (strcmp(op, "Slice") == 0)
        return slice(g, node, a, err);
    if (strcmp(op, "Gather") == 0 && b)
        return gather(g, node, a, b, err);
    if (strcmp(op, "Concat") == 0)
        return concat(g, node, err);
    if (strcmp(op, "Add") == 0 || strcmp(op, "Sub") == 0 || strcmp(op, "Mul") == 0)
        return arithmetic(g, node, a, b, err);
    return gnt_onnx_fail(node, err, "it computes with constants in a way that is not followed here");
}
