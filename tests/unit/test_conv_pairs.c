/* Convolutions by pairs of columns: against the definition in double, and when they are chosen. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/random.h"
#include "nn/conv/backends.h"
#include "nn/kernels/cpu.h"

static gnt_conv geometry(const int64_t v[9]) {
    return (gnt_conv){v[0],
                      v[1],
                      v[2],
                      v[3],
                      v[4],
                      v[5],
                      v[6],
                      (v[2] + 2 * v[8] - v[5]) / v[7] + 1,
                      (v[3] + 2 * v[8] - v[6]) / v[7] + 1,
                      v[7],
                      v[8],
                      NULL};
}

static const gnt_conv_backend *pairs(void) {
    const gnt_conv_table *t = gnt_conv_table_f32();
    for (int32_t i = 0; i < t->n; i++)
        if (strcmp(t->backend[i]->name, "pairs of columns") == 0 &&
            t->backend[i]->vectors == gnt_cpu_vectors())
            return t->backend[i];
    assert_true(gnt_cpu_vectors() < 256);
    print_message("skip: no AVX2, which convolutions by pairs of columns need\n");
    skip();
    return NULL;
}

/* n entries from −1 to 1, the same in float and in double. */
static float *noise(gnt_stream *r, int64_t n, double **same) {
    float *x = malloc((size_t)n * sizeof *x);
    *same = malloc((size_t)n * sizeof **same);
    for (int64_t i = 0; i < n; i++) {
        x[i] = 2 * (float)gnt_random_uniform(r) - 1;
        (*same)[i] = (double)x[i];
    }
    return x;
}

/* Returns the relative L2 error of one face; the scratch is exact, so that the address sanitizer sees a byte
 * too many, and NaN at first. */
static double error_of(gnt_stream *r, const gnt_conv_backend *b, int op, const gnt_conv *s) {
    const int64_t size[3] = {s->n * s->c * s->h * s->w, s->n * s->o * s->oh * s->ow,
                             s->o * s->c * s->kh * s->kw};
    static const int role[3][3] = {{0, 2, 1}, {1, 2, 0}, {0, 1, 2}}; /* first, second, result */
    const int *of = role[op - GNT_OP_CONV];
    double *first64, *second64, *right = malloc((size_t)size[of[2]] * sizeof *right), off = 0, all = 0;
    float *first = noise(r, size[of[0]], &first64), *second = noise(r, size[of[1]], &second64),
          *got = malloc((size_t)size[of[2]] * sizeof *got);
    const size_t bytes = b->scratch(op, s);
    void *scratch = malloc(bytes);
    memset(scratch, 0xff, bytes);
    memset(got, 0xff, (size_t)size[of[2]] * sizeof *got);
    gnt_conv_face(b, op)(got, first, second, scratch, s);
    gnt_conv_face(&gnt_conv_plain_f64, op)(right, first64, second64, NULL, s);
    for (int64_t i = 0; i < size[of[2]]; i++) {
        off += ((double)got[i] - right[i]) * ((double)got[i] - right[i]);
        all += right[i] * right[i];
    }
    void *made[] = {first64, second64, right, first, second, got, scratch};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        free(made[i]);
    return sqrt(off / all);
}

/* Two samples a vector, an odd number of them, and one a vector; more samples than are computed at once; odd
 * and wide images, all paddings, a window larger than the image; sums of several pieces. Pieces have 64
 * terms, whose error grows with the root of their number: 64 random terms are off by about 8·2⁻²⁵. */
static void results_are_as_defined(void **state) {
    static const int64_t shape[][9] = {
        /* n, c, h, w, o, kh, kw, stride, pad */
        {8, 5, 14, 14, 16, 5, 5, 1, 2}, {7, 4, 9, 13, 7, 5, 5, 1, 1},  {5, 6, 12, 27, 5, 5, 5, 1, 0},
        {3, 4, 6, 61, 13, 5, 5, 1, 3},  {45, 7, 5, 8, 9, 5, 5, 1, 2},  {18, 4, 2, 3, 4, 5, 5, 1, 4},
        {8, 30, 7, 8, 20, 5, 5, 1, 2},  {4, 1, 28, 28, 8, 5, 5, 1, 2}, {1, 4, 40, 64, 5, 5, 5, 1, 2},
    };
    (void)state;
    const gnt_conv_backend *b = pairs();
    const gnt_key key = gnt_key_of_seed(8);
    gnt_stream r = gnt_stream_open(&key, "pairs");
    int done = 0;
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++)
        for (int op = GNT_OP_CONV; op <= GNT_OP_CONV_DW; op++) {
            const gnt_conv s = geometry(shape[i]);
            const gnt_conv_case q = {.op = op, .s = s};
            if (!b->fits(&q))
                continue;
            const double error = error_of(&r, b, op, &s);
            if (!(error < 4e-7))
                fail_msg("shape %zu, face %d: the error is %g", i, op - GNT_OP_CONV, error);
            done++;
        }
    assert_int_equal(done, 3 * 9 - 2); /* two faces of the single channel do not fit */
}

static const char *chosen(int op, const int64_t shape[9]) {
    const gnt_conv_case q = {.op = op, .s = geometry(shape), .any_layout = 1};
    gnt_conv_choice c;
    assert_int_equal(gnt_conv_choose(gnt_conv_table_f32(), &q, &c), 0);
    return c.backend->name;
}

/* A few samples at once; but not the first layer's forward pass, nor one sample of a small image, nor a
 * multiple of sixteen. */
static void small_batches_take_pairs(void **state) {
    static const int64_t few[9] = {8, 6, 14, 14, 12, 5, 5, 1, 2}, first[9] = {8, 1, 28, 28, 6, 5, 5, 1, 2},
                         one[9] = {1, 12, 8, 8, 12, 5, 5, 1, 2}, many[9] = {32, 6, 14, 14, 12, 5, 5, 1, 2};
    (void)state;
    pairs();
    for (int op = GNT_OP_CONV; op <= GNT_OP_CONV_DW; op++) {
        assert_string_equal(chosen(op, few), "pairs of columns");
        assert_string_equal(chosen(op, one), "direct");
        assert_string_equal(chosen(op, many), "samples as lanes");
    }
    assert_string_equal(chosen(GNT_OP_CONV, first), "direct");
    assert_string_equal(chosen(GNT_OP_CONV_DW, first), "pairs of columns");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_as_defined),
        cmocka_unit_test(small_batches_take_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
