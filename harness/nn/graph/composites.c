/* composites: functions of nn.h that are written in its primitives, and so need no differentiation rules. */
#include "nn/graph/graph.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"

static gnt_node to_scalar(gnt_graph *g, gnt_node x) {
    return gnt_nn_reshape(g, x, 0, NULL);
}

/* Broadcasts a vector of C entries along axis 1 of x. */
static gnt_node along_axis1(gnt_graph *g, const char *who, gnt_node v, gnt_node x) {
    gnt_node in[2] = {x, v};
    if (gnt_graph_check(g, who, in, 2))
        return -1;
    gnt_nn_shape s = g->v[x].shape, c = g->v[v].shape;
    if (s.rank < 2 || c.rank != 1 || c.dim[0] != s.dim[1])
        return gnt_graph_fail(g, "%s: %s along axis 1 of %s: expected a vector of that many entries", who,
                              gnt_shape_print(&c).s, gnt_shape_print(&s).s);
    int64_t ones[GNT_NN_RANK] = {1, 1, 1, 1, 1, 1};
    ones[1] = s.dim[1];
    return gnt_nn_expand(g, gnt_nn_reshape(g, v, s.rank, ones), s.rank, s.dim);
}

gnt_node gnt_nn_square(gnt_graph *g, gnt_node x) {
    return gnt_nn_mul(g, x, x);
}

gnt_node gnt_nn_sum_all(gnt_graph *g, gnt_node x) {
    if (gnt_graph_check(g, "sum_all", &x, 1))
        return -1;
    return to_scalar(g, gnt_nn_sum(g, x, (1u << g->v[x].shape.rank) - 1));
}

gnt_node gnt_nn_mean_all(gnt_graph *g, gnt_node x) {
    if (gnt_graph_check(g, "mean_all", &x, 1))
        return -1;
    double n = (double)g->v[x].count;
    return gnt_nn_affine(g, gnt_nn_sum_all(g, x), 1 / n, 0);
}

gnt_node gnt_nn_dot(gnt_graph *g, gnt_node a, gnt_node b) {
    return gnt_nn_sum_all(g, gnt_nn_mul(g, a, b));
}

gnt_node gnt_nn_norm(gnt_graph *g, gnt_node x, double eps) {
    return gnt_nn_sqrt(g, gnt_nn_dot(g, x, x), eps);
}

gnt_node gnt_nn_dense(gnt_graph *g, gnt_node x, gnt_node w, gnt_node b) {
    gnt_node y = gnt_nn_matmul(g, x, 0, w, 1);
    return b < 0 || y < 0 ? y : gnt_nn_bias(g, y, b);
}

gnt_node gnt_nn_bias(gnt_graph *g, gnt_node x, gnt_node b) {
    return gnt_nn_add(g, x, along_axis1(g, "bias", b, x));
}

static gnt_node scale_and_shift(gnt_graph *g, gnt_node x, gnt_node gamma, gnt_node beta) {
    if (gamma >= 0 && x >= 0)
        x = gnt_nn_mul(g, x, along_axis1(g, "batch_norm gamma", gamma, x));
    return beta >= 0 && x >= 0 ? gnt_nn_bias(g, x, beta) : x;
}

gnt_node gnt_nn_batch_norm_eval(gnt_graph *g, gnt_node x, gnt_node mean, gnt_node var, gnt_node gamma,
                                gnt_node beta, double eps) {
    gnt_node in[3] = {x, mean, var};
    if (gnt_graph_check(g, "batch_norm_eval", in, 3))
        return -1;
    gnt_node centred = gnt_nn_sub(g, x, along_axis1(g, "batch_norm mean", mean, x));
    /* gamma / √(var + eps) first: it has one entry a channel only */
    gnt_node sd = gnt_nn_sqrt(g, var, eps);
    gnt_node factor = gnt_nn_div(g, gamma >= 0 ? gamma : gnt_nn_fill_like(g, var, 1), sd);
    gnt_node y = gnt_nn_mul(g, centred, along_axis1(g, "batch_norm gamma", factor, x));
    return scale_and_shift(g, y, -1, beta);
}

/* Returns the mean over all axes but axis 1, as 1×C×1×… */
static gnt_node channel_mean(gnt_graph *g, gnt_node x) {
    if (x < 0)
        return -1;
    gnt_nn_shape s = g->v[x].shape;
    uint32_t axes = ((1u << s.rank) - 1) & ~2u;
    double n = (double)(g->v[x].count / s.dim[1]);
    return gnt_nn_affine(g, gnt_nn_sum(g, x, axes), 1 / n, 0);
}

gnt_node gnt_nn_batch_norm_train(gnt_graph *g, gnt_node x, gnt_node gamma, gnt_node beta, double eps,
                                 gnt_node *mean, gnt_node *var) {
    if (mean)
        *mean = -1;
    if (var)
        *var = -1;
    if (gnt_graph_check(g, "batch_norm_train", &x, 1))
        return -1;
    gnt_nn_shape s = g->v[x].shape;
    if (s.rank < 2)
        return gnt_graph_fail(g, "batch_norm_train of %s: expected N×C×…", gnt_shape_print(&s).s);
    gnt_node m = channel_mean(g, x);
    gnt_node centred = gnt_nn_sub(g, x, gnt_nn_expand(g, m, s.rank, s.dim));
    gnt_node v = channel_mean(g, gnt_nn_square(g, centred));
    if (mean)
        *mean = gnt_nn_reshape(g, m, 1, &s.dim[1]);
    if (var)
        *var = gnt_nn_reshape(g, v, 1, &s.dim[1]);
    gnt_node sd = gnt_nn_sqrt(g, v, eps);
    gnt_node y = -1;
    if (sd >= 0) {
        gnt_node one = gnt_nn_fill_like(g, sd, 1);
        gnt_node top = gamma >= 0 ? gnt_nn_reshape(g, gamma, s.rank, g->v[sd].shape.dim) : one;
        y = gnt_nn_mul(g, centred, gnt_nn_expand(g, gnt_nn_div(g, top, sd), s.rank, s.dim));
    }
    return scale_and_shift(g, y, -1, beta);
}

/* Returns x − log Σ exp x along the last axis. */
static gnt_node log_softmax(gnt_graph *g, gnt_node x) {
    gnt_node l = gnt_nn_log_sum_exp(g, x);
    if (l < 0)
        return -1;
    gnt_nn_shape s = g->v[x].shape;
    return gnt_nn_sub(g, x, gnt_nn_expand(g, l, s.rank, s.dim));
}

/* Returns the mean over the axes of the mask, which stay with size 1. */
static gnt_node mean_over(gnt_graph *g, gnt_node x, uint32_t axes) {
    gnt_node sum = gnt_nn_sum(g, x, axes);
    if (sum < 0)
        return -1;
    double n = (double)(g->v[x].count / g->v[sum].count);
    return gnt_nn_affine(g, sum, 1 / n, 0);
}

gnt_node gnt_nn_standardise(gnt_graph *g, gnt_node x, uint32_t axes, double eps) {
    gnt_node mean = mean_over(g, x, axes);
    if (mean < 0)
        return -1;
    gnt_nn_shape s = g->v[x].shape;
    gnt_node centred = gnt_nn_sub(g, x, gnt_nn_expand(g, mean, s.rank, s.dim));
    gnt_node sd = gnt_nn_sqrt(g, mean_over(g, gnt_nn_square(g, centred), axes), eps);
    if (sd < 0)
        return -1;
    gnt_node factor = gnt_nn_div(g, gnt_nn_fill_like(g, sd, 1), sd);
    return gnt_nn_mul(g, centred, gnt_nn_expand(g, factor, s.rank, s.dim));
}

gnt_node gnt_nn_group_norm(gnt_graph *g, gnt_node x, int64_t groups, double eps) {
    if (gnt_graph_check(g, "group_norm", &x, 1))
        return -1;
    gnt_nn_shape s = g->v[x].shape;
    if (s.rank < 2 || groups < 1 || s.dim[1] % groups != 0)
        return gnt_graph_fail(
            g, "group_norm of %s in %" PRId64 " groups: expected N×C×… and a number that divides C",
            gnt_shape_print(&s).s, groups);
    int64_t rows[3] = {s.dim[0], groups, g->v[x].count / s.dim[0] / groups};
    gnt_node y = gnt_nn_standardise(g, gnt_nn_reshape(g, x, 3, rows), 1u << 2, eps);
    return gnt_nn_reshape(g, y, s.rank, s.dim);
}

/* Returns ½x·(1 + s). */
static gnt_node gated_half(gnt_graph *g, gnt_node x, gnt_node s) {
    return gnt_nn_mul(g, x, gnt_nn_affine(g, s, 0.5, 0.5));
}

gnt_node gnt_nn_gelu(gnt_graph *g, gnt_node x) {
    return gated_half(g, x, gnt_nn_erf(g, gnt_nn_affine(g, x, M_SQRT1_2, 0)));
}

gnt_node gnt_nn_gelu_tanh(gnt_graph *g, gnt_node x) {
    const double a = M_SQRT1_2 * M_2_SQRTPI; /* √(2/π) */
    gnt_node factor = gnt_nn_affine(g, gnt_nn_square(g, x), 0.044715 * a, a);
    return gated_half(g, x, gnt_nn_tanh(g, gnt_nn_mul(g, x, factor)));
}

gnt_node gnt_nn_silu(gnt_graph *g, gnt_node x) {
    return gnt_nn_mul(g, x, gnt_nn_sigmoid(g, x));
}

gnt_node gnt_nn_softmax_channels(gnt_graph *g, gnt_node x) {
    static const int32_t last[4] = {0, 2, 3, 1}, back[4] = {0, 3, 1, 2};
    if (gnt_graph_check(g, "softmax_channels", &x, 1))
        return -1;
    if (g->v[x].shape.rank != 4)
        return gnt_graph_fail(g, "softmax_channels of %s: expected N×C×H×W",
                              gnt_shape_print(&g->v[x].shape).s);
    return gnt_nn_permute(g, gnt_nn_softmax(g, gnt_nn_permute(g, x, last)), back);
}

gnt_node gnt_nn_softmax(gnt_graph *g, gnt_node x) {
    return gnt_nn_exp(g, log_softmax(g, x));
}

gnt_node gnt_nn_cross_entropy(gnt_graph *g, gnt_node z, gnt_node y) {
    gnt_node in[2] = {z, y};
    if (gnt_graph_check(g, "cross_entropy", in, 2))
        return -1;
    gnt_nn_shape s = g->v[z].shape;
    if (s.rank != 2 || !gnt_shape_same(&s, &g->v[y].shape))
        return gnt_graph_fail(g, "cross_entropy: scores %s and labels %s, expected N×C twice",
                              gnt_shape_print(&s).s, gnt_shape_print(&g->v[y].shape).s);
    return gnt_nn_affine(g, gnt_nn_dot(g, y, log_softmax(g, z)), -1.0 / (double)s.dim[0], 0);
}

gnt_node gnt_nn_binary_cross_entropy(gnt_graph *g, gnt_node z, gnt_node y) {
    return gnt_nn_mean_all(g, gnt_nn_sub(g, gnt_nn_softplus(g, z), gnt_nn_mul(g, y, z)));
}

gnt_node gnt_nn_mse(gnt_graph *g, gnt_node a, gnt_node b) {
    return gnt_nn_mean_all(g, gnt_nn_square(g, gnt_nn_sub(g, a, b)));
}

/* Returns mean |x[i + 1] − x[i]| along an axis; 0 for an axis of size 1. */
static gnt_node mean_step(gnt_graph *g, gnt_node x, int32_t axis) {
    int64_t n = g->v[x].shape.dim[axis];
    if (n < 2)
        return gnt_nn_fill(g, 0, NULL, 0);
    gnt_node d = gnt_nn_sub(g, gnt_nn_slice(g, x, axis, 1, n), gnt_nn_slice(g, x, axis, 0, n - 1));
    return gnt_nn_mean_all(g, gnt_nn_abs(g, d));
}

gnt_node gnt_nn_total_variation(gnt_graph *g, gnt_node x) {
    if (gnt_graph_check(g, "total_variation", &x, 1))
        return -1;
    if (g->v[x].shape.rank != 4)
        return gnt_graph_fail(g, "total_variation of %s: expected N×C×H×W",
                              gnt_shape_print(&g->v[x].shape).s);
    return gnt_nn_add(g, mean_step(g, x, 2), mean_step(g, x, 3));
}

gnt_node gnt_nn_cosine_distance(gnt_graph *g, const gnt_node *a, const gnt_node *b, int32_t n, double eps) {
    if (n < 1)
        return gnt_graph_fail(g, "cosine_distance: %d pairs, expected at least one", n);
    gnt_node ab = -1, aa = -1, bb = -1;
    for (int32_t i = 0; i < n; i++) {
        gnt_node xy = gnt_nn_dot(g, a[i], b[i]), xx = gnt_nn_dot(g, a[i], a[i]),
                 yy = gnt_nn_dot(g, b[i], b[i]);
        ab = i ? gnt_nn_add(g, ab, xy) : xy;
        aa = i ? gnt_nn_add(g, aa, xx) : xx;
        bb = i ? gnt_nn_add(g, bb, yy) : yy;
    }
    gnt_node norms = gnt_nn_mul(g, gnt_nn_sqrt(g, aa, eps), gnt_nn_sqrt(g, bb, eps));
    return gnt_nn_affine(g, gnt_nn_div(g, ab, norms), -1, 1);
}

gnt_node gnt_nn_upsample(gnt_graph *g, gnt_node x, int32_t factor) {
    if (gnt_graph_check(g, "upsample", &x, 1))
        return -1;
    gnt_nn_shape s = g->v[x].shape;
    if (s.rank != 4 || factor < 1)
        return gnt_graph_fail(g, "upsample of %s by %d: expected N×C×H×W and a factor of at least 1",
                              gnt_shape_print(&s).s, factor);
    int64_t thin[6] = {s.dim[0], s.dim[1], s.dim[2], 1, s.dim[3], 1};
    int64_t wide[6] = {s.dim[0], s.dim[1], s.dim[2], factor, s.dim[3], factor};
    if (s.dim[2] > GNT_NN_MOST / factor || s.dim[3] > GNT_NN_MOST / factor)
        return gnt_graph_fail(g, "upsample by %d: the result is too large", factor);
    int64_t out[4] = {s.dim[0], s.dim[1], s.dim[2] * factor, s.dim[3] * factor};
    return gnt_nn_reshape(g, gnt_nn_expand(g, gnt_nn_reshape(g, x, 6, thin), 6, wide), 4, out);
}

gnt_node gnt_nn_max_pool(gnt_graph *g, gnt_node x, int32_t kh, int32_t kw, int32_t sh, int32_t sw, int32_t ph,
                         int32_t pw, int ceil_mode) {
    gnt_node index = gnt_nn_max_index(g, x, kh, kw, sh, sw, ph, pw, ceil_mode);
    if (index < 0)
        return -1;
    gnt_nn_shape in = g->v[x].shape, out = g->v[index].shape;
    int64_t planes[3] = {in.dim[0], in.dim[1], in.dim[2] * in.dim[3]};
    int64_t picks[3] = {in.dim[0], in.dim[1], out.dim[2] * out.dim[3]};
    gnt_node chosen = gnt_nn_gather(g, gnt_nn_reshape(g, x, 3, planes), gnt_nn_reshape(g, index, 3, picks));
    return gnt_nn_reshape(g, chosen, 4, out.dim);
}
