/* adaptive_pool: averages over a given number of windows. Where all windows have one size it is avg_pool;
 * else a product along each axis with a constant n×o matrix whose column i is 1/length within window i. */
#include <inttypes.h>

#include "base/mem.h"
#include "nn/graph/graph.h"

enum { MOST_MATRIX = 1 << 24 };

/* Returns the n×o matrix of window means, owned by the graph. */
static gnt_node window_means(gnt_graph *g, int64_t n, int64_t o) {
    if (n > MOST_MATRIX / o)
        return gnt_graph_fail(
            g, "adaptive_avg_pool: %" PRId64 " windows over %" PRId64 " values are too many", o, n);
    double *values = gnt_array((size_t)(n * o), sizeof *values);
    if (!values)
        return gnt_graph_fail(g, "adaptive_avg_pool: out of memory for %" PRId64 " windows", o);
    for (int64_t i = 0; i < o; i++) {
        int64_t from = i * n / o, to = ((i + 1) * n + o - 1) / o;
        for (int64_t j = from; j < to; j++)
            values[j * o + i] = 1 / (double)(to - from);
    }
    gnt_node m = gnt_nn_data(g, 2, (int64_t[]){n, o}, values);
    gnt_free(values);
    return m;
}

/* Averages the last axis of P×A×n to o windows. */
static gnt_node pool_last(gnt_graph *g, gnt_node x, int64_t o) {
    if (x < 0)
        return -1;
    gnt_nn_shape s = g->v[x].shape;
    int64_t rows[2] = {s.dim[0] * s.dim[1], s.dim[2]}, out[3] = {s.dim[0], s.dim[1], o};
    if (s.dim[2] == o)
        return x;
    gnt_node y = gnt_nn_matmul(g, gnt_nn_reshape(g, x, 2, rows), 0, window_means(g, s.dim[2], o), 0);
    return gnt_nn_reshape(g, y, 3, out);
}

gnt_node gnt_nn_adaptive_avg_pool(gnt_graph *g, gnt_node x, int64_t oh, int64_t ow) {
    static const int32_t swapped[3] = {0, 2, 1};
    if (gnt_graph_check_reals(g, "adaptive_avg_pool", &x, 1))
        return -1;
    gnt_nn_shape s = g->v[x].shape;
    if (s.rank != 4 || oh < 1 || ow < 1 || oh > MOST_MATRIX || ow > MOST_MATRIX)
        return gnt_graph_fail(
            g, "adaptive_avg_pool of %s to %" PRId64 "×%" PRId64 ": expected N×C×H×W and at least 1×1",
            gnt_shape_print(&s).s, oh, ow);
    int64_t h = s.dim[2], w = s.dim[3];
    if (h % oh == 0 && w % ow == 0 && gnt_graph_blas_fits(h / oh) && gnt_graph_blas_fits(w / ow)) {
        int32_t kh = (int32_t)(h / oh), kw = (int32_t)(w / ow);
        return gnt_nn_avg_pool(g, x, kh, kw, kh, kw, 0, 0, 0, 0);
    }
    int64_t planes[3] = {s.dim[0] * s.dim[1], h, w}, out[4] = {s.dim[0], s.dim[1], oh, ow};
    gnt_node y = pool_last(g, gnt_nn_reshape(g, x, 3, planes), ow);
    y = pool_last(g, gnt_nn_permute(g, y, swapped), oh);
    return gnt_nn_reshape(g, gnt_nn_permute(g, y, swapped), 4, out);
}
