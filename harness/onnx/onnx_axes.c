/* onnx_axes: axes, paddings, slices and factors that nodes take as constants. */
#include <inttypes.h>
#include <string.h>

#include "onnx/onnx_graph.h"

int gnt_onnx_axes(const onnx_graph *g, const onnx_node *node, int32_t rank, uint32_t *axes, gnt_err *err) {
    const onnx_attribute *a = gnt_onnx_attribute(node, "axes");
    const onnx_constant *c = gnt_onnx_constant_of(g, node, 1);
    const int64_t *list = a ? a->ints : c ? c->whole : NULL, n = a ? a->n_ints : c ? c->count : 0;
    *axes = 0;
    if (!list || n < 1)
        return gnt_onnx_fail(node, err, "its axes are no constant integers");
    for (int64_t i = 0; i < n; i++) {
        const int64_t axis = list[i] < 0 ? list[i] + rank : list[i];
        if (axis < 1 || axis >= rank || *axes >> axis & 1)
            return gnt_onnx_fail(
                node, err, "its axis %" PRId64 " is the batch, outside of its input's %d axes, or repeated",
                list[i], (int)rank);
        *axes |= 1u << axis;
    }
    return 0;
}

/* Returns the i-th input's integers, of which there must be n, or any number if n is −1. */
static const onnx_constant *integers(const onnx_graph *g, const onnx_node *node, int32_t i, int64_t n) {
    const onnx_constant *c = gnt_onnx_constant_of(g, node, i);
    return c && c->whole && (n < 0 || c->count == n) ? c : NULL;
}

int gnt_onnx_pads(const onnx_graph *g, const onnx_node *node, int32_t rank, int64_t before[ONNX_RANK],
                  int64_t after[ONNX_RANK], gnt_err *err) {
    const char *mode = "constant";
    double value = 0;
    const onnx_constant *pads = integers(g, node, 1, 2 * rank);
    if (gnt_onnx_word(node, "mode", &mode, err))
        return -1;
    if (!pads || gnt_onnx_input(g, node, 3))
        return gnt_onnx_fail(node, err, "its pads are no %d constant integers", 2 * (int)rank);
    if (strcmp(mode, "constant") != 0 ||
        (gnt_onnx_input(g, node, 2) &&
         (!gnt_onnx_scalar(gnt_onnx_constant_of(g, node, 2), &value) || value != 0)))
        return gnt_onnx_fail(node, err, "it pads with other values than zero (mode %.40s, value %g)", mode,
                             value);
    for (int32_t i = 0; i < rank; i++) {
        before[i] = pads->whole[i];
        after[i] = pads->whole[rank + i];
        if (before[i] < 0 || after[i] < 0 || before[i] > INT32_MAX || after[i] > INT32_MAX)
            return gnt_onnx_fail(node, err, "it pads axis %d by %" PRId64 " and %" PRId64, (int)i, before[i],
                                 after[i]);
    }
    return before[0] || after[0] ? gnt_onnx_fail(node, err, "it pads the batch") : 0;
}

static int64_t clamp(int64_t at, int64_t n) {
    at += at < 0 ? n : 0;
    return at < 0 ? 0 : at > n ? n : at;
}

int gnt_onnx_slice(const onnx_graph *g, const onnx_node *node, const onnx_shape *in, int64_t first[ONNX_RANK],
                   int64_t count[ONNX_RANK], int64_t step[ONNX_RANK], gnt_err *err) {
    const onnx_constant *starts = integers(g, node, 1, -1);
    const int64_t n = starts ? starts->count : 0;
    const onnx_constant *ends = integers(g, node, 2, n), *axes = integers(g, node, 3, n),
                        *steps = integers(g, node, 4, n);
    if (n < 1 || n > in->rank || !ends || (gnt_onnx_input(g, node, 3) && !axes) ||
        (gnt_onnx_input(g, node, 4) && !steps))
        return gnt_onnx_fail(node, err, "its limits are no constant integers");
    for (int32_t i = 0; i < in->rank; i++) {
        first[i] = 0;
        count[i] = in->dim[i];
        step[i] = 1;
    }
    for (int64_t i = 0; i < n; i++) {
        const int64_t given = axes ? axes->whole[i] : i, axis = given < 0 ? given + in->rank : given,
                      by = steps ? steps->whole[i] : 1;
        if (axis < 1 || axis >= in->rank || by < 1 || by > INT32_MAX)
            return gnt_onnx_fail(node, err,
                                 "it slices the batch, backwards, or an axis that its input has not");
        first[axis] = clamp(starts->whole[i], in->dim[axis]);
        const int64_t last = clamp(ends->whole[i], in->dim[axis]);
        if (last <= first[axis])
            return gnt_onnx_fail(node, err, "it leaves nothing of axis %" PRId64, axis);
        count[axis] = (last - first[axis] + by - 1) / by;
        step[axis] = by;
    }
    return 0;
}

int gnt_onnx_factors(const onnx_graph *g, const onnx_node *node, const onnx_shape *in, int64_t factor[2],
                     gnt_err *err) {
    const char *mode = "nearest", *place = "half_pixel", *round = "round_prefer_floor";
    if (gnt_onnx_word(node, "mode", &mode, err) ||
        gnt_onnx_word(node, "coordinate_transformation_mode", &place, err) ||
        gnt_onnx_word(node, "nearest_mode", &round, err))
        return -1;
    if (strcmp(mode, "nearest") != 0 || strcmp(place, "asymmetric") != 0 || strcmp(round, "floor") != 0 ||
        gnt_onnx_attribute(node, "axes") || in->rank != 4)
        return gnt_onnx_fail(
            node, err,
            "it resizes by %.30s, %.30s, %.30s; gauntlet repeats pixels of an image (nearest, "
            "asymmetric, floor)",
            mode, place, round);
    const onnx_constant *scales = gnt_onnx_constant_of(g, node, 2), *sizes = integers(g, node, 3, 4);
    if (sizes ? scales && scales->count != 0 : !scales || !scales->real || scales->count != 4)
        return gnt_onnx_fail(node, err, "its factors are no four constants");
    for (int i = 0; i < 4; i++) {
        const int64_t n = in->dim[i], size = sizes ? sizes->whole[i] : 0;
        /* a size of the batch is the batch, and its factor 1 */
        const double f = !sizes ? (double)scales->real[i] : i == 0 ? 1 : (double)size / (double)n;
        if (!(f >= 1 && f <= 64) || f != (double)(int64_t)f || (i < 2 && f != 1))
            return gnt_onnx_fail(node, err,
                                 "its factor along axis %d is %g; expected a whole number from 1 to 64 for "
                                 "height and width, else 1",
                                 i, f);
        if (i >= 2)
            factor[i - 2] = (int64_t)f;
    }
    return 0;
}
