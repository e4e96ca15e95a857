#include "unet.h"

#include <math.h>
#include <string.h>

/* Convolutions in the order of the vector: channels in and out, in multiples of `features`; 0 for the
 * channels of the sample. Each has a weight o×c×3×3 and a bias o; the label's matrix comes last. */
typedef struct stage {
    int64_t in, out;
} stage;
static const stage stages[] = {{0, 1}, {1, 1}, {1, 2}, {2, 2}, {2, 4}, {4, 4}, {6, 2}, {3, 1}, {1, 0}};
enum { STAGES = sizeof stages / sizeof *stages, TENSORS = 2 * STAGES + 1 };

static int64_t width_of(const net_shape *s, int64_t multiple) {
    return multiple ? multiple * s->features : s->channels;
}

/* Computes the shape of tensor i. Returns its rank. */
static int32_t shape_of(const net_shape *s, int i, int64_t dim[4]) {
    if (i == 2 * STAGES) {
        dim[0] = s->classes;
        dim[1] = 4 * s->features;
        return 2;
    }
    dim[0] = width_of(s, stages[i / 2].out);
    if (i % 2)
        return 1;
    dim[1] = width_of(s, stages[i / 2].in);
    dim[2] = dim[3] = 3;
    return 4;
}

static int64_t count_of(const net_shape *s, int i) {
    int64_t dim[4], n = 1;
    const int32_t rank = shape_of(s, i, dim);
    for (int32_t k = 0; k < rank; k++)
        n *= dim[k];
    return n;
}

int64_t net_size(const net_shape *s) {
    int64_t n = 0;
    for (int i = 0; i < TENSORS; i++)
        n += count_of(s, i);
    return n;
}

void net_start(const net_shape *s, const gnt_host *host, double mean, float *flat) {
    const double first = log(mean / (1 - mean));
    float draw;
    for (int i = 0; i < TENSORS; i++) {
        const int64_t n = count_of(s, i);
        int64_t dim[4];
        const int32_t rank = shape_of(s, i, dim);
        const int is_last = i / 2 == STAGES - 1;
        const double deviation = rank == 4   ? sqrt(2.0 / (double)(dim[1] * 9)) * (is_last ? 0.1 : 1)
                                 : rank == 2 ? 0.1
                                             : 0;
        for (int64_t k = 0; k < n; k++) {
            gnt_host_normal(host, "weights", 1, &draw);
            flat[k] = (float)(deviation * (double)draw + (is_last && rank == 1 ? first : 0));
        }
        flat += n;
    }
}

static gnt_node convolve(gnt_graph *g, gnt_node h, const gnt_node *tensor, int i) {
    return gnt_nn_bias(g, gnt_nn_conv(g, h, tensor[2 * i], 1, 1), tensor[2 * i + 1]);
}

static gnt_node relu(gnt_graph *g, gnt_node h, const gnt_node *tensor, int i) {
    return gnt_nn_relu(g, convolve(g, h, tensor, i));
}

static gnt_node halve(gnt_graph *g, gnt_node h) {
    return gnt_nn_avg_pool(g, h, 2, 2, 2, 2, 0, 0, 0, 1);
}

static gnt_node join(gnt_graph *g, gnt_node below, gnt_node across) {
    const gnt_node both[2] = {gnt_nn_upsample(g, below, 2), across};
    return gnt_nn_concat(g, both, 2, 1);
}

/* Adds a constant that depends on the label to each channel of the lowest level. */
static gnt_node add_label(gnt_graph *g, const net_shape *s, int64_t n, gnt_node h, gnt_node label,
                          gnt_node matrix) {
    const int64_t one[4] = {n, 4 * s->features, 1, 1};
    const int64_t all[4] = {n, 4 * s->features, s->height / 4, s->width / 4};
    const gnt_node row = gnt_nn_reshape(g, gnt_nn_matmul(g, label, 0, matrix, 0), 4, one);
    return gnt_nn_add(g, h, gnt_nn_expand(g, row, 4, all));
}

static gnt_node image_of(gnt_graph *g, const net_shape *s, int64_t n, gnt_node encoded, gnt_node label,
                         const gnt_node *tensor) {
    const gnt_node top = relu(g, relu(g, encoded, tensor, 0), tensor, 1);
    const gnt_node middle = relu(g, relu(g, halve(g, top), tensor, 2), tensor, 3);
    gnt_node h = add_label(g, s, n, convolve(g, halve(g, middle), tensor, 4), label, tensor[2 * STAGES]);
    h = relu(g, gnt_nn_relu(g, h), tensor, 5);
    h = relu(g, join(g, h, middle), tensor, 6);
    h = relu(g, join(g, h, top), tensor, 7);
    return gnt_nn_sigmoid(g, convolve(g, h, tensor, 8));
}

int net_compile(net_program *p, const net_shape *s, int64_t n, char error[NET_ERROR]) {
    const int64_t sample[4] = {n, s->channels, s->height, s->width}, labels[2] = {n, s->classes};
    gnt_node tensor[TENSORS], out[TENSORS + 1];
    gnt_graph *g = gnt_graph_new();
    if (!g)
        return -1;
    const gnt_node encoded = gnt_nn_input(g, "encoded", 4, sample, 0),
                   label = gnt_nn_input(g, "label", 2, labels, 0);
    const gnt_node x = p->x ? gnt_nn_input(g, "x", 4, sample, 0) : -1;
    for (int i = 0; i < TENSORS; i++) {
        int64_t dim[4];
        const int32_t rank = shape_of(s, i, dim);
        tensor[i] = gnt_nn_input(g, "tensor", rank, dim, 0);
    }
    int32_t n_out = 1;
    out[0] = image_of(g, s, n, encoded, label, tensor);
    if (p->x) {
        out[0] = gnt_nn_mse(g, out[0], x);
        gnt_nn_vjp(g, out, NULL, 1, tensor, TENSORS, out + 1);
        n_out += TENSORS;
    }
    p->program = gnt_program_new(g, out, NULL, n_out, 4, error, NET_ERROR);
    gnt_graph_free(g);
    if (!p->program)
        return -1;
    gnt_program_bind(p->program, encoded, p->encoded);
    gnt_program_bind(p->program, label, p->label);
    if (p->x)
        gnt_program_bind(p->program, x, p->x);
    const float *at = p->flat;
    for (int i = 0; i < TENSORS; i++) {
        gnt_program_bind(p->program, tensor[i], at);
        at += count_of(s, i);
    }
    return 0;
}

void net_gradient(const net_program *p, const net_shape *s, float *grad) {
    for (int i = 0; i < TENSORS; i++) {
        const int64_t n = count_of(s, i);
        memcpy(grad, gnt_program_output(p->program, i + 1), (size_t)n * sizeof *grad);
        grad += n;
    }
}
