#include "side_layers.h"

#include <math.h>

/* Adds a parameter as an input. Returns −1 if there are too many, which every later builder passes on. */
static gnt_node add(gnt_graph *g, side_params *p, int32_t rank, const int64_t *dim, int64_t inputs) {
    int64_t count = 1;
    if (p->n >= SIDE_TENSORS)
        return -1;
    for (int32_t i = 0; i < rank; i++)
        count *= dim[i];
    p->inputs[p->n] = inputs;
    p->count[p->n] = count;
    p->size += count;
    return p->node[p->n++] = gnt_nn_input(g, inputs > 0 ? "weight" : "bias", rank, dim, 0);
}

gnt_node side_dense(gnt_graph *g, side_params *p, gnt_node x, int64_t width) {
    const gnt_nn_shape s = gnt_nn_shape_of(g, x);
    const int64_t dim[2] = {width, s.dim[1]};
    const gnt_node w = add(g, p, 2, dim, s.dim[1]);
    return gnt_nn_dense(g, x, w, add(g, p, 1, dim, 0));
}

gnt_node side_conv(gnt_graph *g, side_params *p, gnt_node x, int64_t channels) {
    const gnt_nn_shape s = gnt_nn_shape_of(g, x);
    const int64_t dim[4] = {channels, s.dim[1], 3, 3};
    const gnt_node w = add(g, p, 4, dim, 9 * s.dim[1]);
    return gnt_nn_bias(g, gnt_nn_conv(g, x, w, 1, 1), add(g, p, 1, dim, 0));
}

gnt_node side_norm(gnt_graph *g, side_params *p, gnt_node x, int64_t groups) {
    enum { MOST = 4 };
    const gnt_nn_shape s = gnt_nn_shape_of(g, x);
    const int64_t rows = s.dim[0] / groups, dim[1] = {s.dim[1]};
    const double eps = 1e-5; /* PyTorch's */
    gnt_node part[MOST];
    if (p->n < SIDE_TENSORS)
        p->is_scale[p->n] = 1;
    const gnt_node scale = add(g, p, 1, dim, 0), shift = add(g, p, 1, dim, 0);
    for (int64_t k = 0; k < groups; k++) {
        const gnt_node of = groups > 1 ? gnt_nn_slice(g, x, 0, k * rows, (k + 1) * rows) : x;
        part[k] = gnt_nn_batch_norm_train(g, of, scale, shift, eps, NULL, NULL);
    }
    return groups > 1 ? gnt_nn_concat(g, part, (int)groups, 0) : part[0];
}

void side_start(const side_params *p, const gnt_host *host, float *flat) {
    for (int32_t k = 0; k < p->n; k++) {
        const double bound = p->inputs[k] > 0 ? sqrt(6.0 / (double)p->inputs[k]) : 0;
        for (int64_t i = 0; i < p->count[k]; i++) {
            double u = 0.5;
            if (bound > 0)
                gnt_host_uniform(host, "side", 1, &u);
            *flat++ = (float)(p->is_scale[k] + bound * (2 * u - 1));
        }
    }
}
