/* replay: a run allocates nothing, gives the same bytes each time, and what the planner does to a graph
 * changes no value: random graphs are compared with themselves compiled so that every node is an output. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "gauntlet/nn.h"
#include "nn/plan/nn_plan.h"

/* Counting allocator over glibc's; the address sanitizer has its own. */
#ifndef __SANITIZE_ADDRESS__
extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *block, size_t n);
extern void *__libc_memalign(size_t align, size_t n);
static long allocations;
void *malloc(size_t n) {
    allocations++;
    return __libc_malloc(n);
}
void *calloc(size_t n, size_t size) {
    allocations++;
    return __libc_calloc(n, size);
}
void *realloc(void *block, size_t n) {
    allocations++;
    return __libc_realloc(block, n);
}
void *aligned_alloc(size_t align, size_t n) {
    allocations++;
    return __libc_memalign(align, n);
}
#else
static const long allocations = 0;
#endif

static void values(gnt_stream *r, double *v, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        v[i] = 2 * gnt_random_uniform(r) - 1;
}

/* A gradient-matching step of a small network: 9 outputs, by every kind of kernel. */
static void test_replay(void **state) {
    (void)state;
    gnt_key key = gnt_key_of_seed(21);
    gnt_stream r = gnt_stream_open(&key, "replay");
    gnt_graph *g = gnt_graph_new();
    int64_t dx[4] = {2, 1, 8, 8}, dw[4] = {4, 1, 3, 3}, dd[2] = {3, 64}, dy[2] = {2, 3};
    gnt_node x = gnt_nn_input(g, "x", 4, dx, 0), y = gnt_nn_input(g, "y", 2, dy, 0);
    gnt_node w[2] = {gnt_nn_input(g, "w", 4, dw, 0), gnt_nn_input(g, "d", 2, dd, 0)}, grad[2], target[2], d;
    gnt_node h = gnt_nn_max_pool(g, gnt_nn_sigmoid(g, gnt_nn_conv(g, x, w[0], 1, 1)), 2, 2, 2, 2, 0, 0, 0);
    gnt_node z = gnt_nn_dense(g, gnt_nn_reshape(g, h, 2, (int64_t[]){2, 64}), w[1], -1);
    gnt_node loss = gnt_nn_cross_entropy(g, z, gnt_nn_softmax(g, y));
    gnt_nn_vjp(g, &loss, NULL, 1, w, 2, grad);
    target[0] = gnt_nn_input(g, "t", 4, dw, 0);
    target[1] = gnt_nn_input(g, "t", 2, dd, 0);
    gnt_node cost = gnt_nn_add(g, gnt_nn_cosine_distance(g, grad, target, 2, 1e-12),
                               gnt_nn_affine(g, gnt_nn_total_variation(g, x), 1e-2, 0));
    assert_int_equal(gnt_nn_vjp(g, &cost, NULL, 1, &x, 1, &d), 0);
    gnt_node out[2] = {cost, d}, in[6] = {x, y, w[0], w[1], target[0], target[1]};
    const int64_t size[6] = {128, 6, 36, 192, 36, 192};
    double v[6][192], first[129];
    gnt_program *p = gnt_program_new(g, out, NULL, 2, 8, NULL, 0);
    assert_non_null(p);
    for (int i = 0; i < 6; i++) {
        values(&r, v[i], size[i]);
        assert_int_equal(gnt_program_bind(p, in[i], v[i]), 0);
    }
    gnt_program_run(p, 0); /* lets BLAS take its buffers */
    memcpy(first, gnt_program_output(p, 0), sizeof(double));
    memcpy(first + 1, gnt_program_output(p, 1), 128 * sizeof(double));
    assert_true(first[0] > 0 && isfinite(first[0]));
    long before = allocations;
    for (int turn = 0; turn < 20; turn++)
        assert_int_equal(gnt_program_run(p, 0), 0);
    assert_int_equal(allocations, before);
    assert_memory_equal(first, gnt_program_output(p, 0), sizeof(double));
    assert_memory_equal(first + 1, gnt_program_output(p, 1), 128 * sizeof(double));
    gnt_program_free(p);
    gnt_graph_free(g);
}

enum { NODES = 90, LEAVES = 6 };

/* A node of the kind drawn from nodes before it, or −1 where the draw does not fit. */
static gnt_node grow(gnt_graph *g, gnt_stream *r, gnt_node a, gnt_node b) {
    gnt_nn_shape s = gnt_nn_shape_of(g, a), t = gnt_nn_shape_of(g, b);
    int same = s.rank == t.rank && !memcmp(s.dim, t.dim, sizeof s.dim);
    switch (gnt_random_below(r, 22)) {
    case 0:
        return gnt_nn_affine(g, a, 0.5, 0.25);
    case 1:
        return gnt_nn_exp(g, gnt_nn_affine(g, gnt_nn_tanh(g, a), 0.3, 0));
    case 2:
        return gnt_nn_sigmoid(g, a);
    case 3:
        return gnt_nn_softplus(g, a);
    case 4:
        return gnt_nn_relu(g, a);
    case 5:
        return gnt_nn_leaky_relu(g, a, 0.1);
    case 6:
        return gnt_nn_mul(g, a, gnt_nn_step(g, a));
    case 7:
        return gnt_nn_abs(g, a);
    case 8:
        return gnt_nn_sqrt(g, gnt_nn_mul(g, a, a), 0.5);
    case 9:
        return gnt_nn_log(g, gnt_nn_sqrt(g, gnt_nn_mul(g, a, a), 0.5));
    case 10:
        return same ? gnt_nn_add(g, a, b) : -1;
    case 11:
        return same ? gnt_nn_sub(g, a, b) : -1;
    case 12:
        return same ? gnt_nn_affine(g, gnt_nn_mul(g, a, b), 0.7, 0) : -1;
    case 13:
        return same ? gnt_nn_div(g, a, gnt_nn_affine(g, gnt_nn_abs(g, b), 1, 1)) : -1;
    case 14:
        return gnt_nn_sum(g, a, (uint32_t)gnt_random_below(r, 1u << s.rank));
    case 15: /* back to the common shape */
        return s.rank == 3 ? gnt_nn_expand(g, a, 3,
                                           (int64_t[]){s.dim[0], s.dim[1] > 1 ? s.dim[1] : 5,
                                                       s.dim[2] > 1 ? s.dim[2] : 7})
                           : -1;
    case 16:
        return s.rank == 3
                   ? gnt_nn_permute(g, gnt_nn_permute(g, a, (int32_t[]){1, 2, 0}), (int32_t[]){2, 0, 1})
                   : -1;
    case 17:
        return s.rank == 3 && s.dim[1] > 2 ? gnt_nn_pad(g, gnt_nn_slice(g, a, 1, 1, 3), 1, 1, s.dim[1] - 3)
                                           : -1;
    case 18:
        return gnt_nn_reshape(g, gnt_nn_tanh(g, gnt_nn_reshape(g, a, 1, (int64_t[]){gnt_nn_count(&s)})),
                              s.rank, s.dim);
    case 19:
        return s.rank == 3 && s.dim[0] > 1
                   ? gnt_nn_concat(
                         g, (gnt_node[]){gnt_nn_slice(g, a, 0, 1, s.dim[0]), gnt_nn_slice(g, a, 0, 0, 1)}, 2,
                         0)
                   : -1;
    case 20:
        return gnt_nn_affine(g, gnt_nn_mul(g, a, gnt_nn_fill(g, s.rank, s.dim, -0.5)), -1, 0);
    default:
        return gnt_nn_sign(g, a);
    }
}

static void random_graph(uint64_t seed, int32_t precision) {
    gnt_key key = gnt_key_of_seed(seed);
    gnt_stream r = gnt_stream_open(&key, "graph");
    gnt_graph *g = gnt_graph_new();
    gnt_node node[NODES];
    int64_t dim[3] = {3, 5, 7};
    static double v[LEAVES][105];
    static float f[LEAVES][105];
    for (int i = 0; i < LEAVES; i++) {
        int64_t leaf[3] = {3, i == 3 || i == 5 ? 1 : 5, i == 4 || i == 5 ? 1 : 7};
        node[i] = i == 2 ? gnt_nn_fill(g, 3, dim, 0.5) : gnt_nn_input(g, "x", 3, leaf, i == 1);
        values(&r, v[i], 105);
        for (int j = 0; j < 105; j++)
            f[i][j] = (float)v[i][j];
    }
    for (int i = LEAVES; i < NODES; i++)
        do
            node[i] =
                grow(g, &r, node[gnt_random_below(&r, (uint64_t)i)], node[gnt_random_below(&r, (uint64_t)i)]);
        while (node[i] < 0);
    assert_null(gnt_graph_error(g));
    /* the last few are what is wanted; their gradient mixes everything once more */
    gnt_node want[4], loss = gnt_nn_fill(g, 0, NULL, 0);
    for (int i = 0; i < 3; i++) {
        want[i] = node[NODES - 1 - i];
        loss = gnt_nn_add(g, loss, gnt_nn_mean_all(g, want[i]));
    }
    gnt_nn_vjp(g, &loss, NULL, 1, node, 1, &want[3]);
    int32_t wanted[4] = {1, 1, 1, 1};
    gnt_program *few = gnt_program_new(g, want, wanted, 4, precision, NULL, 0);
    gnt_program *full = gnt_program_new_plain(g, want, wanted, 4, precision, NULL, 0);
    assert_non_null(few);
    assert_non_null(full);
    for (int i = 0; i < LEAVES; i++) {
        gnt_program_bind(few, node[i], precision == 8 ? (void *)v[i] : (void *)f[i]);
        gnt_program_bind(full, node[i], precision == 8 ? (void *)v[i] : (void *)f[i]);
    }
    gnt_program_run(few, 0);
    gnt_program_run(full, 0);
    for (int turn = 0; turn < 2; turn++) { /* the second run finds what the first left behind */
        assert_int_equal(gnt_program_run(few, 1), 0);
        assert_int_equal(gnt_program_run(full, 1), 0);
    }
    for (int i = 0; i < 4; i++) {
        gnt_nn_shape s = gnt_nn_shape_of(g, want[i]);
        double wrong = 0, size = 0;
        for (int64_t j = 0; j < gnt_nn_count(&s); j++) {
            const void *a = gnt_program_output(few, i), *b = gnt_program_output(full, i);
            double p = precision == 8 ? ((const double *)a)[j] : (double)((const float *)a)[j];
            double q = precision == 8 ? ((const double *)b)[j] : (double)((const float *)b)[j];
            wrong += (p - q) * (p - q);
            size += q * q;
        }
        double bound = precision == 8 ? 1e-12 : 1e-4,
               least = precision == 8 ? 1e-14 : 1e-6; /* entries may cancel */
        if (!(sqrt(wrong) <= bound * sqrt(size) + least))
            fail_msg("seed %lu, output %d: off by %g of %g", (unsigned long)seed, i, sqrt(wrong), sqrt(size));
    }
    gnt_program_free(few);
    gnt_program_free(full);
    gnt_graph_free(g);
}

static void test_random_graphs(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 150; seed++)
        random_graph(seed, 8);
    for (uint64_t seed = 1000; seed < 1040; seed++)
        random_graph(seed, 4);
}

/* Planning stays near linear: a chain of 60,000 nodes with uses far apart compiles at once. */
static void test_large_graph(void **state) {
    (void)state;
    gnt_graph *g = gnt_graph_new();
    gnt_node x = gnt_nn_input(g, "x", 1, (int64_t[]){4}, 0), y = x, d;
    for (int i = 0; i < 10000; i++)
        y = gnt_nn_add(g, gnt_nn_tanh(g, y), gnt_nn_affine(g, x, 1e-4 * i, 0));
    gnt_node loss = gnt_nn_sum_all(g, y);
    assert_int_equal(gnt_nn_vjp(g, &loss, NULL, 1, &x, 1, &d), 0);
    assert_true(gnt_graph_size(g) > 60000);
    gnt_program *p = gnt_program_new(g, &d, NULL, 1, 8, NULL, 0);
    assert_non_null(p);
    double v[4] = {0, 0.1, 0.2, 0.3};
    gnt_program_bind(p, x, v);
    assert_int_equal(gnt_program_run(p, 0), 0);
    assert_true(isfinite(*(const double *)gnt_program_output(p, 0)));
    gnt_program_free(p);
    gnt_graph_free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_replay),
        cmocka_unit_test(test_random_graphs),
        cmocka_unit_test(test_large_graph),
    };
    return cmocka_run_group_tests_name("replay", tests, NULL, NULL);
}
