/* nn_step: time of one gradient-matching step of the numeric core: the loss's gradient by the weights, its
 * cosine distance to a target gradient plus total variation, and the gradient of that by the image.
 *
 *   make build/bench/nn_step
 *   OPENBLAS_NUM_THREADS=1 OPENBLAS_CORETYPE=SkylakeX build/bench/nn_step NETWORK [runs]
 *
 * NETWORK: lenet, lenet28, resnet18, resnet18x8 or convnet64.
 *
 * Prints the median of the runs, their spread, and the arena. LeNet is DLG's (sigmoid, three 5×5
 * convolutions of 12 channels, strides 2 2 1); ResNet-18 is the 32×32 form with batch norm on given
 * statistics. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/random.h"
#include "gauntlet/nn.h"

enum { MOST = 256 };

typedef struct network {
    gnt_graph *g;
    gnt_node w[MOST], fixed[MOST]; /* weights to differentiate by, statistics */
    int n, n_fixed;
} network;

static gnt_node weight(network *m, int32_t rank, const int64_t *dim) {
    return m->w[m->n++] = gnt_nn_input(m->g, "w", rank, dim, 0);
}

static gnt_node statistic(network *m, int64_t c) {
    return m->fixed[m->n_fixed++] = gnt_nn_input(m->g, "s", 1, &c, 0);
}

static gnt_node conv(network *m, gnt_node x, int64_t out, int64_t k, int32_t stride, int bias) {
    gnt_nn_shape s = gnt_nn_shape_of(m->g, x);
    gnt_node y =
        gnt_nn_conv(m->g, x, weight(m, 4, (int64_t[]){out, s.dim[1], k, k}), stride, (int32_t)(k / 2));
    return bias ? gnt_nn_bias(m->g, y, weight(m, 1, &out)) : y;
}

static gnt_node norm(network *m, gnt_node x) {
    int64_t c = gnt_nn_shape_of(m->g, x).dim[1];
    gnt_node gamma = weight(m, 1, &c), beta = weight(m, 1, &c), mean = statistic(m, c), var = statistic(m, c);
    return gnt_nn_batch_norm_eval(m->g, x, mean, var, gamma, beta, 1e-5);
}

static gnt_node dense(network *m, gnt_node x, int64_t out) {
    gnt_nn_shape s = gnt_nn_shape_of(m->g, x);
    int64_t wide = gnt_nn_count(&s) / s.dim[0];
    gnt_node flat = gnt_nn_reshape(m->g, x, 2, (int64_t[]){s.dim[0], wide});
    gnt_node w = weight(m, 2, (int64_t[]){out, wide});
    return gnt_nn_dense(m->g, flat, w, weight(m, 1, &out));
}

static gnt_node lenet(network *m, gnt_node x) {
    for (int i = 0; i < 3; i++)
        x = gnt_nn_sigmoid(m->g, conv(m, x, 12, 5, i < 2 ? 2 : 1, 1));
    return dense(m, x, 10);
}

static gnt_node block(network *m, gnt_node x, int64_t out, int32_t stride) {
    gnt_node h = gnt_nn_relu(m->g, norm(m, conv(m, x, out, 3, stride, 0)));
    h = norm(m, conv(m, h, out, 3, 1, 0));
    if (stride != 1)
        x = norm(m, conv(m, x, out, 1, stride, 0));
    return gnt_nn_relu(m->g, gnt_nn_add(m->g, h, x));
}

static gnt_node resnet18(network *m, gnt_node x) {
    x = gnt_nn_relu(m->g, norm(m, conv(m, x, 64, 3, 1, 0)));
    for (int i = 0; i < 4; i++) {
        x = block(m, x, 64 << i, i ? 2 : 1);
        x = block(m, x, 64 << i, 1);
    }
    x = gnt_nn_avg_pool(m->g, x, 4, 4, 4, 4, 0, 0, 0, 0);
    return dense(m, x, 10);
}

/* Builds the network of models/convnet.json. */
static gnt_node convnet(network *m, gnt_node x) {
    static const int64_t wide[8] = {64, 128, 128, 256, 256, 256, 256, 256};
    for (int i = 0; i < 8; i++) {
        x = gnt_nn_relu(m->g, norm(m, conv(m, x, wide[i], 3, 1, 0)));
        if (i == 5 || i == 7)
            x = gnt_nn_max_pool(m->g, x, 3, 3, 3, 3, 0, 0, 0);
    }
    return dense(m, x, 10);
}

static float *noise(gnt_stream *r, int64_t n, float least, float most) {
    float *v = malloc((size_t)n * sizeof *v);
    for (int64_t i = 0; v && i < n; i++)
        v[i] = least + (most - least) * (float)gnt_random_uniform(r);
    return v;
}

static void bind_noise(gnt_program *p, const gnt_graph *g, gnt_node input, gnt_stream *r, float least,
                       float most) {
    gnt_nn_shape s = gnt_nn_shape_of(g, input);
    gnt_program_bind(p, input, noise(r, gnt_nn_count(&s), least, most)); /* freed by exit */
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "lenet";
    int runs = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 200;
    int conv64 = !strcmp(name, "convnet64"), big = conv64 || !strncmp(name, "resnet18", 8),
        small = !strcmp(name, "lenet28");
    int64_t batch = !strcmp(name, "resnet18x8") ? 8 : 1, side = small ? 28 : 32;
    network m = {.g = gnt_graph_new()};
    gnt_node x = gnt_nn_input(m.g, "x", 4, (int64_t[]){batch, small ? 1 : 3, side, side}, 0);
    gnt_node y = gnt_nn_input(m.g, "y", 2, (int64_t[]){batch, 10}, 0);
    gnt_node loss = gnt_nn_cross_entropy(m.g,
                                         conv64 ? convnet(&m, x)
                                         : big  ? resnet18(&m, x)
                                                : lenet(&m, x),
                                         y);
    gnt_node grad[MOST], target[MOST], d;
    gnt_nn_vjp(m.g, &loss, NULL, 1, m.w, m.n, grad);
    for (int i = 0; i < m.n; i++) {
        gnt_nn_shape s = gnt_nn_shape_of(m.g, grad[i]);
        target[i] = gnt_nn_input(m.g, "t", s.rank, s.dim, 0);
    }
    gnt_node tv = gnt_nn_affine(m.g, gnt_nn_total_variation(m.g, x), 1e-4, 0);
    gnt_node cost = gnt_nn_add(m.g, gnt_nn_cosine_distance(m.g, grad, target, m.n, 1e-12), tv);
    gnt_nn_vjp(m.g, &cost, NULL, 1, &x, 1, &d);
    gnt_node out[2] = {cost, d};
    char error[512] = "";
    double began = seconds();
    gnt_program *p = gnt_program_new(m.g, out, NULL, 2, 4, error, sizeof error);
    if (!p || runs < 1) {
        fprintf(stderr, "%s\n", error);
        return 2;
    }
    double planned = seconds() - began;
    gnt_key key = gnt_key_of_seed(1);
    gnt_stream r = gnt_stream_open(&key, "bench");
    bind_noise(p, m.g, x, &r, 0, 1);
    bind_noise(p, m.g, y, &r, 0, 0.2f);
    for (int i = 0; i < m.n; i++) {
        gnt_nn_shape s = gnt_nn_shape_of(m.g, m.w[i]);
        float wide = s.rank == 1 ? 0.5f : big ? 1.5f / (float)s.dim[1] : 0.5f;
        bind_noise(p, m.g, m.w[i], &r, -wide, wide);
        bind_noise(p, m.g, target[i], &r, -1, 1);
    }
    for (int i = 0; i < m.n_fixed; i++)
        bind_noise(p, m.g, m.fixed[i], &r, i % 2 ? 0.5f : -0.1f, i % 2 ? 1.5f : 0.1f);
    double *took = calloc((size_t)runs, sizeof *took);
    gnt_program_run(p, 0);
    for (int i = 0; took && i < runs; i++) {
        began = seconds();
        gnt_program_run(p, 0);
        took[i] = seconds() - began;
    }
    if (!took)
        return 2;
    qsort(took, (size_t)runs, sizeof *took, by_size);
    double sum = 0;
    gnt_nn_shape s = gnt_nn_shape_of(m.g, d);
    for (int64_t i = 0; i < gnt_nn_count(&s); i++)
        sum += (double)((const float *)gnt_program_output(p, 1))[i] * (double)(i % 7 - 3);
    printf("%s: median %.4f ms, tenth %.4f, nine tenths %.4f; %d nodes; arena %.2f MB; made in %.1f ms; cost "
           "%.9g, "
           "digest %.9g\n",
           name, 1e3 * took[runs / 2], 1e3 * took[runs / 10], 1e3 * took[runs * 9 / 10], gnt_graph_size(m.g),
           (double)gnt_program_arena_bytes(p) / 1e6, 1e3 * planned,
           (double)*(const float *)gnt_program_output(p, 0), sum);
    free(took);
    gnt_program_free(p);
    gnt_graph_free(m.g);
    return 0;
}
