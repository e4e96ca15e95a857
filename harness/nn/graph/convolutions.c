/* convolutions: nn.h's builders of the three faces of a convolution. There are two kinds of node: plain ones,
 * for which the planner has many back-ends, and general ones, with groups, dilation and a window that differs
 * between the axes. A plain window always becomes a plain node. */
#include <string.h>

#include "nn/graph/graph.h"

enum { MOST_STEP = 1 << 20 }; /* bound of stride, padding, dilation and groups */

static gnt_nn_window plain_window(int32_t stride, int32_t pad) {
    return (gnt_nn_window){{stride, stride}, {pad, pad}, {1, 1}, 1};
}

static int is_general(int op) {
    return op == GNT_OP_GENERAL_CONV || op == GNT_OP_GENERAL_CONV_DX || op == GNT_OP_GENERAL_CONV_DW;
}

static int is_plain(const gnt_nn_window *w) {
    return w->groups == 1 && w->dilation[0] == 1 && w->dilation[1] == 1 && w->stride[0] == w->stride[1] &&
           w->pad[0] == w->pad[1];
}

gnt_nn_window gnt_graph_window(const gnt_vertex *v) {
    const int64_t *p = v->p;
    if (!is_general(v->op))
        return plain_window((int32_t)p[0], (int32_t)p[1]);
    return (gnt_nn_window){{(int32_t)p[0], (int32_t)p[1]},
                           {(int32_t)p[2], (int32_t)p[3]},
                           {(int32_t)p[4], (int32_t)p[5]},
                           (int32_t)p[6]};
}

int64_t gnt_window_places(int64_t n, int64_t span, int64_t stride, int64_t pad, int ceil_mode) {
    int64_t room = n + 2 * pad - span;
    if (room < 0)
        return ceil_mode && n > 0 && room > -stride;
    int64_t out = (room + (ceil_mode ? stride - 1 : 0)) / stride + 1;
    return ceil_mode && (out - 1) * stride >= n + pad ? out - 1 : out;
}

int64_t gnt_window_spread(int64_t n, int64_t span, int64_t stride, int64_t pad, int64_t out_pad) {
    return (n - 1) * stride - 2 * pad + span + out_pad;
}

/* Returns the size of axis i (0 height, 1 width) of the convolution of x by w; 0 where the window does not
 * fit. */
static int64_t places(const gnt_nn_shape *x, const gnt_nn_shape *w, const gnt_nn_window *win, int i) {
    int64_t span = gnt_window_span(w->dim[i + 2], win->dilation[i]);
    return gnt_window_places(x->dim[i + 2], span, win->stride[i], win->pad[i], 0);
}

static int check_window(gnt_graph *g, const char *who, const gnt_nn_window *w) {
    for (int i = 0; i < 2; i++)
        if (w->stride[i] < 1 || w->pad[i] < 0 || w->dilation[i] < 1 || w->stride[i] > MOST_STEP ||
            w->pad[i] > MOST_STEP || w->dilation[i] > MOST_STEP || w->groups < 1 || w->groups > MOST_STEP)
            return gnt_graph_fail(
                g,
                "%s: stride %d, padding %d, dilation %d and %d groups: expected at least 1, 0, 1 and 1, "
                "and none above 2^20",
                who, w->stride[i], w->pad[i], w->dilation[i], w->groups);
    return 0;
}

/* Checks the three shapes of a convolution against one another. */
static int check_conv(gnt_graph *g, const char *who, const gnt_nn_shape *x, const gnt_nn_shape *w,
                      const gnt_nn_shape *y, const gnt_nn_window *win) {
    gnt_shape_text sx = gnt_shape_print(x), sw = gnt_shape_print(w), sy = gnt_shape_print(y);
    if (x->rank != 4 || w->rank != 4 || y->rank != 4 || gnt_nn_count(x) < 0 || gnt_nn_count(w) < 0)
        return gnt_graph_fail(g, "%s: image %s, weight %s, result %s: expected N×C×H×W, O×C×KH×KW, N×O×H'×W'",
                              who, sx.s, sw.s, sy.s);
    if (x->dim[1] != w->dim[1] * win->groups || x->dim[0] != y->dim[0] || w->dim[0] != y->dim[1] ||
        w->dim[0] % win->groups != 0)
        return gnt_graph_fail(g, "%s: image %s, weight %s, result %s, groups %d: channels or batch differ",
                              who, sx.s, sw.s, sy.s, win->groups);
    for (int i = 0; i < 2; i++) {
        int64_t size = places(x, w, win, i);
        if (size < 1 || size != y->dim[i + 2])
            return gnt_graph_fail(
                g,
                "%s: image %s, weight %s, stride %d×%d, padding %d×%d, dilation %d×%d do not give a "
                "result of %s",
                who, sx.s, sw.s, win->stride[0], win->stride[1], win->pad[0], win->pad[1], win->dilation[0],
                win->dilation[1], sy.s);
    }
    if (!gnt_graph_blas_fits(x->dim[2] * x->dim[3]) ||
        !gnt_graph_blas_fits(w->dim[1] * w->dim[2] * w->dim[3]) ||
        !gnt_graph_blas_fits(y->dim[2] * y->dim[3]) || !gnt_graph_blas_fits(w->dim[0]))
        return gnt_graph_fail(g, "%s: image %s, weight %s: a matrix axis exceeds 2^31 − 1", who, sx.s, sw.s);
    return 0;
}

/* Returns a node of the face `op` (GNT_OP_CONV, …) with this window and shape. */
static gnt_vertex face(int op, const gnt_nn_window *w, const gnt_nn_shape *shape) {
    gnt_vertex v = {.op = (uint8_t)op, .shape = *shape};
    const int64_t plain[2] = {w->stride[0], w->pad[0]};
    const int64_t general[7] = {w->stride[0],   w->stride[1],   w->pad[0], w->pad[1],
                                w->dilation[0], w->dilation[1], w->groups};
    if (is_plain(w)) {
        memcpy(v.p, plain, sizeof plain);
    } else {
        v.op = (uint8_t)(op - GNT_OP_CONV + GNT_OP_GENERAL_CONV);
        memcpy(v.p, general, sizeof general);
    }
    return v;
}

gnt_node gnt_nn_general_conv(gnt_graph *g, gnt_node x, gnt_node w, const gnt_nn_window *win) {
    gnt_node in[2] = {x, w};
    const char *who = gnt_op_name(is_plain(win) ? GNT_OP_CONV : GNT_OP_GENERAL_CONV);
    if (gnt_graph_check_reals(g, who, in, 2) || check_window(g, who, win))
        return -1;
    const gnt_nn_shape *sx = &g->v[x].shape, *sw = &g->v[w].shape;
    gnt_nn_shape sy = {4, {sx->dim[0], sw->dim[0], 0, 0}};
    for (int i = 0; i < 2; i++)
        sy.dim[i + 2] = places(sx, sw, win, i);
    if (check_conv(g, who, sx, sw, &sy, win))
        return -1;
    gnt_vertex v = face(GNT_OP_CONV, win, &sy);
    return gnt_graph_add(g, &v, in, 2);
}

/* Builds a conv_dx; `forward`: 1 if it is a layer's forward pass, not a gradient. */
static gnt_node conv_dx(gnt_graph *g, gnt_node dy, gnt_node w, int64_t h, int64_t width,
                        const gnt_nn_window *win, int forward) {
    gnt_node in[2] = {dy, w};
    const char *who = gnt_op_name(is_plain(win) ? GNT_OP_CONV_DX : GNT_OP_GENERAL_CONV_DX);
    if (gnt_graph_check_reals(g, who, in, 2) || check_window(g, who, win))
        return -1;
    const gnt_nn_shape *sy = &g->v[dy].shape, *sw = &g->v[w].shape;
    gnt_nn_shape sx = {4, {sy->dim[0], sw->dim[1] * win->groups, h, width}};
    if (check_conv(g, who, &sx, sw, sy, win))
        return -1;
    gnt_vertex v = face(GNT_OP_CONV_DX, win, &sx);
    v.p[GNT_CONV_IS_FORWARD] = forward;
    return gnt_graph_add(g, &v, in, 2);
}

gnt_node gnt_nn_general_conv_dx(gnt_graph *g, gnt_node dy, gnt_node w, int64_t h, int64_t width,
                                const gnt_nn_window *win) {
    return conv_dx(g, dy, w, h, width, win, 0);
}

gnt_node gnt_nn_general_conv_dw(gnt_graph *g, gnt_node x, gnt_node dy, int64_t kh, int64_t kw,
                                const gnt_nn_window *win) {
    gnt_node in[2] = {x, dy};
    const char *who = gnt_op_name(is_plain(win) ? GNT_OP_CONV_DW : GNT_OP_GENERAL_CONV_DW);
    if (gnt_graph_check_reals(g, who, in, 2) || check_window(g, who, win))
        return -1;
    const gnt_nn_shape *sx = &g->v[x].shape, *sy = &g->v[dy].shape;
    gnt_nn_shape sw = {4, {sy->dim[1], sx->dim[1] / win->groups, kh, kw}};
    if (check_conv(g, who, sx, &sw, sy, win))
        return -1;
    gnt_vertex v = face(GNT_OP_CONV_DW, win, &sw);
    return gnt_graph_add(g, &v, in, 2);
}

gnt_node gnt_nn_conv(gnt_graph *g, gnt_node x, gnt_node w, int32_t stride, int32_t pad) {
    gnt_nn_window win = plain_window(stride, pad);
    return gnt_nn_general_conv(g, x, w, &win);
}

gnt_node gnt_nn_conv_dx(gnt_graph *g, gnt_node dy, gnt_node w, int64_t h, int64_t width, int32_t stride,
                        int32_t pad) {
    gnt_nn_window win = plain_window(stride, pad);
    return gnt_nn_general_conv_dx(g, dy, w, h, width, &win);
}

gnt_node gnt_nn_conv_dw(gnt_graph *g, gnt_node x, gnt_node dy, int64_t kh, int64_t kw, int32_t stride,
                        int32_t pad) {
    gnt_nn_window win = plain_window(stride, pad);
    return gnt_nn_general_conv_dw(g, x, dy, kh, kw, &win);
}

gnt_node gnt_nn_conv_transpose(gnt_graph *g, gnt_node x, gnt_node w, const int32_t out_pad[2],
                               const gnt_nn_window *win) {
    gnt_node in[2] = {x, w};
    if (gnt_graph_check_reals(g, "conv_transpose", in, 2) || check_window(g, "conv_transpose", win))
        return -1;
    const gnt_nn_shape *sx = &g->v[x].shape, *sw = &g->v[w].shape;
    int64_t side[2];
    for (int i = 0; i < 2; i++) {
        if (out_pad[i] < 0 || out_pad[i] >= win->stride[i])
            return gnt_graph_fail(g,
                                  "conv_transpose: padding of the output %d with stride %d: expected 0 to %d",
                                  out_pad[i], win->stride[i], win->stride[i] - 1);
        side[i] = gnt_window_spread(sx->dim[i + 2], gnt_window_span(sw->dim[i + 2], win->dilation[i]),
                                    win->stride[i], win->pad[i], out_pad[i]);
    }
    return conv_dx(g, x, w, side[0], side[1], win, 1);
}
