/* Products with a batch of a few samples: against the definition in double, and when they are chosen. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/random.h"
#include "nn/kernels/cpu.h"
#include "nn/kernels/thin.h"

static float *noise(gnt_stream *r, int64_t n) {
    float *x = malloc((size_t)n * sizeof *x);
    for (int64_t i = 0; i < n; i++)
        x[i] = 2 * (float)gnt_random_uniform(r) - 1;
    return x;
}

/* Returns the relative L2 error; the scratch is exact, so that the address sanitizer sees a byte too many,
 * and NaN at first. */
static double error_of(gnt_stream *r, const gnt_gemm *s) {
    const size_t bytes = gnt_thin_scratch(s);
    float *a = noise(r, s->m * s->k), *b = noise(r, s->k * s->n), *c = noise(r, s->m * s->n);
    void *scratch = aligned_alloc(64, (bytes + 63) / 64 * 64);
    double off = 0, all = 0;
    memset(scratch, 0xff, bytes);
    memset(c, 0xff, (size_t)(s->m * s->n) * sizeof *c);
    gnt_thin_product(c, a, b, scratch, s);
    for (int64_t i = 0; i < s->m; i++)
        for (int64_t j = 0; j < s->n; j++) {
            double sum = 0;
            for (int64_t q = 0; q < s->k; q++)
                sum += (double)a[s->ta ? q * s->m + i : i * s->k + q] *
                       (double)b[s->tb ? j * s->k + q : q * s->n + j];
            off += ((double)c[i * s->n + j] - sum) * ((double)c[i * s->n + j] - sum);
            all += sum * sum;
        }
    free(a);
    free(b);
    free(c);
    free(scratch);
    return sqrt(off / all);
}

/* The three products of a dense layer, for batches that fill vectors and do not, one vector and several,
 * weights a page apart, outputs and inputs that are no multiple of a tile, sums of several pieces. A piece of
 * 64 random terms is off by about 8·2⁻²⁵. */
static void products_are_as_defined(void **state) {
    static const int64_t layer[][3] = {
        /* batch, inputs, outputs */
        {8, 784, 192},   {9, 3136, 80},  {32, 1024, 97}, {21, 1024, 101}, {17, 656, 333},
        {16, 1008, 510}, {30, 720, 256}, {32, 1024, 50}, {12, 2064, 65},
    };
    (void)state;
    const gnt_key key = gnt_key_of_seed(8);
    gnt_stream r = gnt_stream_open(&key, "thin");
    int done = 0;
    for (size_t i = 0; i < sizeof layer / sizeof *layer; i++) {
        const int64_t batch = layer[i][0], ins = layer[i][1], outs = layer[i][2];
        const gnt_gemm all[3] = {
            {0, 1, batch, outs, ins}, {0, 0, batch, ins, outs}, {1, 0, outs, ins, batch}};
        for (int k = 0; k < 3; k++) {
            if (gnt_thin_scratch(&all[k]) == 0)
                continue;
            const double error = error_of(&r, &all[k]);
            if (!(error < 4e-7))
                fail_msg("layer %zu, product %d: the error is %g", i, k, error);
            done++;
        }
    }
    if (gnt_cpu_vectors() < 256)
        assert_int_equal(done, 0);
    else /* none of too few outputs; of half vectors of samples, dx is left to a library */
        assert_int_equal(done, gnt_cpu_vectors() == 512 ? 3 * 9 - 4 : 3 * 9 - 1);
}

static int fits(int32_t ta, int32_t tb, int64_t m, int64_t n, int64_t k) {
    return gnt_thin_scratch(&(gnt_gemm){ta, tb, m, n, k}) > 0;
}

/* A batch of 8 to 32; of small ones, where OpenBLAS copies nothing, not with AVX-512. */
static void batches_are_taken(void **state) {
    (void)state;
    const int wide = gnt_cpu_vectors() == 512, any = gnt_cpu_vectors() >= 256;
    assert_int_equal(fits(0, 1, 32, 512, 1024), any);
    assert_int_equal(fits(0, 0, 32, 1024, 512), any);
    assert_int_equal(fits(1, 0, 512, 1024, 32), any);
    assert_int_equal(fits(0, 1, 8, 128, 784), any && !wide);
    assert_int_equal(fits(0, 1, 7, 512, 1024), 0);
    assert_int_equal(fits(0, 1, 33, 512, 1024), 0);
    assert_int_equal(fits(1, 1, 512, 1024, 32), 0);
    assert_int_equal(fits(1, 0, 512, 1027, 32), 0); /* columns that are no whole vectors */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_as_defined),
        cmocka_unit_test(batches_are_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
