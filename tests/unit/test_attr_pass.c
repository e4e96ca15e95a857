/* pass: scores of one vector and derivatives by it, against the definitions in double, for widths that are no
 * multiple of anything, for one layer and for several, and for one room that serves them all. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/random.h"

#include "../../plugins/shared/attribute/pass.c"

enum { MOST = 256, NETS = 5 };

static const attr_net shapes[NETS] = {{.layers = 1, .width = {1, 2}},
                                      {.layers = 1, .width = {103, 5}},
                                      {.layers = 2, .width = {33, 1, 3}},
                                      {.layers = 4, .width = {131, 70, 128, 37, 2}},
                                      {.layers = 3, .width = {64, 200, 255, 7}}};

typedef struct bench {
    attr_net net;
    float *weights;
    float x[MOST], by_scores[MOST];
} bench;

static void fill(gnt_stream *s, float *to, int64_t n, double deviation) {
    for (int64_t i = 0; i < n; i++)
        to[i] = (float)(deviation * gnt_random_normal(s));
}

static void make(bench *b, const attr_net *shape, uint64_t seed) {
    const gnt_key key = gnt_key_of_seed(seed);
    gnt_stream s = gnt_stream_open(&key, "pass");
    int64_t size = 0;
    *b = (bench){.net = *shape};
    for (int32_t i = 0; i < shape->layers; i++)
        size += (shape->width[i] + 1) * shape->width[i + 1];
    float *at = b->weights = malloc((size_t)size * sizeof *at);
    assert_non_null(at);
    for (int32_t i = 0; i < shape->layers; i++) {
        const int64_t rows = shape->width[i + 1], columns = shape->width[i];
        fill(&s, at, rows * columns, sqrt(2 / (double)columns));
        fill(&s, at + rows * columns, rows, 0.1);
        b->net.weight[i] = at;
        b->net.bias[i] = at + rows * columns;
        at += rows * (columns + 1);
    }
    fill(&s, b->x, shape->width[0], 1);
    fill(&s, b->by_scores, shape->width[shape->layers], 1);
}

/* scores, and Jᵀ·by_scores */
static void by_definition(const bench *b, double *scores, double *by_x) {
    const attr_net *n = &b->net;
    double h[ATTR_HIDDEN + 2][MOST], pull[ATTR_HIDDEN + 2][MOST] = {{0}};
    for (int64_t k = 0; k < n->width[0]; k++)
        h[0][k] = (double)b->x[k];
    for (int32_t i = 0; i < n->layers; i++)
        for (int64_t o = 0; o < n->width[i + 1]; o++) {
            double sum = (double)n->bias[i][o];
            for (int64_t k = 0; k < n->width[i]; k++)
                sum += (double)n->weight[i][o * n->width[i] + k] * h[i][k];
            h[i + 1][o] = i + 1 < n->layers ? fmax(0, sum) : sum;
        }
    for (int64_t o = 0; o < n->width[n->layers]; o++)
        pull[n->layers][o] = (double)b->by_scores[o];
    for (int32_t i = n->layers - 1; i >= 0; i--)
        for (int64_t o = 0; o < n->width[i + 1]; o++)
            for (int64_t k = 0; k < n->width[i]; k++)
                pull[i][k] += (i + 1 < n->layers && h[i + 1][o] <= 0 ? 0 : pull[i + 1][o]) *
                              (double)n->weight[i][o * n->width[i] + k];
    memcpy(scores, h[n->layers], sizeof h[0]);
    memcpy(by_x, pull[0], sizeof pull[0]);
}

static double apart(const float *got, const double *expected, int64_t n) {
    double off = 0, size = 0;
    for (int64_t i = 0; i < n; i++) {
        off += ((double)got[i] - expected[i]) * ((double)got[i] - expected[i]);
        size += expected[i] * expected[i];
    }
    return size > 0 ? sqrt(off / size) : off;
}

static void agrees_with_the_definitions(void **state) {
    (void)state;
    attr_pass p;
    assert_int_equal(attr_pass_open(&p, shapes, NETS), 0);
    for (uint64_t seed = 1; seed <= 10; seed++)
        for (int k = 0; k < NETS; k++) {
            bench b;
            double scores[MOST], by_x[MOST];
            float got[MOST + 1];
            make(&b, &shapes[k], seed);
            by_definition(&b, scores, by_x);
            const int64_t columns = b.net.width[0], values = b.net.width[b.net.layers];
            got[columns] = 77; /* what follows stays as it is */
            assert_true(apart(attr_pass_forward(&p, &b.net, b.x), scores, values) < 1e-5);
            attr_pass_back(&p, &b.net, b.by_scores, got);
            assert_true(apart(got, by_x, columns) < 1e-5);
            assert_true(got[columns] == 77);
            free(b.weights);
        }
    attr_pass_close(&p);
}

/* A cotangent of 0 reads nothing and leaves nothing, whatever was there. */
static void no_pull_no_derivative(void **state) {
    (void)state;
    attr_pass p;
    bench b;
    float got[MOST];
    make(&b, &shapes[3], 1);
    assert_int_equal(attr_pass_open(&p, &b.net, 1), 0);
    memset(b.by_scores, 0, sizeof b.by_scores);
    memset(got, 1, sizeof got);
    attr_pass_forward(&p, &b.net, b.x);
    attr_pass_back(&p, &b.net, b.by_scores, got);
    for (int64_t i = 0; i < b.net.width[0]; i++)
        assert_true(got[i] == 0);
    free(b.weights);
    attr_pass_close(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_definitions),
        cmocka_unit_test(no_pull_no_derivative),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
