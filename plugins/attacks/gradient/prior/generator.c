#include "prior/generator.h"

#include <string.h>

enum { KERNEL = 4, SEEN = 3 }; /* sides of W₁, W₂ and of W₃ */

int64_t generator_pixels(const generator_shape *s) {
    return s->channels * s->height * s->width;
}

static int64_t quarter(int64_t side) {
    return side / 2 / 2;
}

int32_t generator_tensor(const generator_shape *s, int i, int64_t dim[4]) {
    const int64_t f = s->features, code = s->latents + s->classes;
    const int64_t low = 4 * f * quarter(s->height) * quarter(s->width);
    const int64_t all[GENERATOR_TENSORS][4] = {
        {low, code, 0, 0},
        {low, 0, 0, 0},
        {4 * f, 2 * f, KERNEL, KERNEL},
        {2 * f, 0, 0, 0},
        {2 * f, f, KERNEL, KERNEL},
        {f, 0, 0, 0},
        {s->channels, f, SEEN, SEEN},
        {generator_pixels(s), code, 0, 0},
        {generator_pixels(s), 0, 0, 0},
    };
    int32_t rank = 0;
    memcpy(dim, all[i], sizeof all[i]);
    while (rank < 4 && dim[rank])
        rank++;
    return rank;
}

int64_t generator_size(const generator_shape *s) {
    int64_t sum = 0;
    for (int i = 0; i < GENERATOR_TENSORS; i++) {
        int64_t dim[4], n = 1;
        const int32_t rank = generator_tensor(s, i, dim);
        for (int32_t k = 0; k < rank; k++)
            n *= dim[k];
        sum += n;
    }
    return sum;
}

static gnt_node up(gnt_graph *g, gnt_node h, gnt_node weight, gnt_node bias, int64_t height, int64_t width) {
    return gnt_nn_leaky_relu(g, gnt_nn_bias(g, gnt_nn_conv_dx(g, h, weight, height, width, 2, 1), bias), 0.2);
}

gnt_node generator_image_node(gnt_graph *g, const generator_shape *s, int64_t n, gnt_node code,
                              gnt_node label, const gnt_node *tensor) {
    const int64_t low[4] = {n, 4 * s->features, quarter(s->height), quarter(s->width)},
                  image[4] = {n, s->channels, s->height, s->width};
    const gnt_node both[2] = {code, label}, joined = gnt_nn_concat(g, both, 2, 1);
    gnt_node h = gnt_nn_leaky_relu(g, gnt_nn_dense(g, joined, tensor[0], tensor[1]), 0.2);
    h = up(g, gnt_nn_reshape(g, h, 4, low), tensor[2], tensor[3], s->height / 2, s->width / 2);
    h = up(g, h, tensor[4], tensor[5], s->height, s->width);
    const gnt_node plain = gnt_nn_reshape(g, gnt_nn_dense(g, joined, tensor[7], tensor[8]), 4, image);
    return gnt_nn_sigmoid(g, gnt_nn_add(g, gnt_nn_conv(g, h, tensor[6], 1, SEEN / 2), plain));
}

/* ---- drawing ---- */

/* Inputs of the program, in the order of their nodes. */
enum { IN_W, IN_PULLED, IN_MEAN, IN_FACTOR, IN_LABEL, INPUTS };

static int compile(generator *g, const generator_shape *s, gnt_node in[INPUTS],
                   gnt_node tensor[GENERATOR_TENSORS], char error[GENERATOR_ERROR]) {
    const int64_t w[2] = {g->n, s->latents}, image[4] = {g->n, s->channels, s->height, s->width},
                  mean[2] = {1, s->latents}, factor[2] = {s->latents, s->latents}, label[2] = {1, s->classes},
                  labels[2] = {g->n, s->classes};
    const int32_t stage[2] = {0, 1};
    gnt_node out[2];
    gnt_graph *graph = gnt_graph_new();
    if (!graph)
        return -1;
    in[IN_W] = gnt_nn_input(graph, "w", 2, w, 0);
    in[IN_PULLED] = gnt_nn_input(graph, "pulled", 4, image, 1);
    in[IN_MEAN] = gnt_nn_hold(graph, gnt_nn_input(graph, "mean", 2, mean, 0));
    in[IN_FACTOR] = gnt_nn_hold(graph, gnt_nn_input(graph, "factor", 2, factor, 0));
    in[IN_LABEL] = gnt_nn_hold(graph, gnt_nn_input(graph, "label", 2, label, 0));
    for (int i = 0; i < GENERATOR_TENSORS; i++) {
        int64_t dim[4];
        const int32_t rank = generator_tensor(s, i, dim);
        tensor[i] = gnt_nn_hold(graph, gnt_nn_input(graph, "tensor", rank, dim, 0));
    }
    const gnt_node code = gnt_nn_add(graph, gnt_nn_matmul(graph, in[IN_W], 0, in[IN_FACTOR], 1),
                                     gnt_nn_expand(graph, in[IN_MEAN], 2, w));
    out[0] =
        generator_image_node(graph, s, g->n, code, gnt_nn_expand(graph, in[IN_LABEL], 2, labels), tensor);
    gnt_nn_vjp(graph, out, &in[IN_PULLED], 1, &in[IN_W], 1, out + 1);
    g->program = gnt_program_new(graph, out, stage, 2, 4, error, GENERATOR_ERROR);
    gnt_graph_free(graph);
    return g->program ? 0 : -1;
}

gnt_status generator_open(generator *g, const gnt_host *host, const generator_shape *s,
                          const generator_learnt *learnt, int64_t label, int64_t n) {
    char error[GENERATOR_ERROR] = "no memory for the generator: take fewer latents or features";
    gnt_node in[INPUTS], tensor[GENERATOR_TENSORS];
    *g = (generator){.n = n};
    const size_t pixels = (size_t)(n * generator_pixels(s));
    g->w = gnt_host_scratch(host, n * s->latents, sizeof *g->w);
    g->pulled = gnt_host_scratch(host, pixels, sizeof *g->pulled);
    float *one_hot = gnt_host_scratch(host, s->classes, sizeof *one_hot);
    if (!g->w || !g->pulled || !one_hot || compile(g, s, in, tensor, error) != 0)
        return gnt_host_fail(host, error);
    one_hot[label] = 1;
    gnt_program_bind(g->program, in[IN_W], g->w);
    gnt_program_bind(g->program, in[IN_PULLED], g->pulled);
    gnt_program_bind(g->program, in[IN_MEAN], learnt->mean + label * s->latents);
    gnt_program_bind(g->program, in[IN_FACTOR], learnt->factor);
    gnt_program_bind(g->program, in[IN_LABEL], one_hot);
    const float *at = learnt->weights;
    for (int i = 0; i < GENERATOR_TENSORS; i++) {
        int64_t dim[4], count = 1;
        const int32_t rank = generator_tensor(s, i, dim);
        for (int32_t k = 0; k < rank; k++)
            count *= dim[k];
        gnt_program_bind(g->program, tensor[i], at);
        at += count;
    }
    return GNT_OK;
}

void generator_close(generator *g) {
    gnt_program_free(g->program);
    g->program = NULL;
}

const float *generator_draw(generator *g) {
    return gnt_program_run(g->program, 0) == 0 ? gnt_program_output(g->program, 0) : NULL;
}

const float *generator_pull(generator *g) {
    return gnt_program_run(g->program, 1) == 0 ? gnt_program_output(g->program, 1) : NULL;
}
