/* Convolutions by columns: an image has the same result, to the bit, wherever it is in a batch. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "nn/conv/backends.h"
#include "nn/kernels/blas.h"

enum { IMAGES = 7, WINDOW = 9 };

static float *noise(gnt_stream *r, int64_t n) {
    float *x = malloc((size_t)n * sizeof *x);
    assert_non_null(x);
    for (int64_t i = 0; i < n; i++)
        x[i] = (float)gnt_random_normal(r);
    return x;
}

static void all_are_alike(const float *x, int64_t size) {
    for (int64_t n = 1; n < IMAGES; n++)
        assert_memory_equal(x + n * size, x, (size_t)size * sizeof *x);
}

static void images_round_alike(void **state) {
    (void)state;
    static const gnt_conv sizes[] = {
        {IMAGES, 5, 1, 1, 7, 3, 3, 1, 1, 1, 1, NULL},
        {IMAGES, 5, 3, 3, 7, 3, 3, 3, 3, 1, 1, NULL},
        {IMAGES, 5, 9, 8, 7, 3, 3, 5, 4, 2, 1, NULL},
    };
    const gnt_key key = gnt_key_of_seed(31);
    gnt_stream r = gnt_stream_open(&key, "columns");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const gnt_conv *s = &sizes[i];
        const int64_t nx = s->c * s->h * s->w, ny = s->o * s->oh * s->ow;
        float *x = noise(&r, IMAGES * nx), *y = noise(&r, IMAGES * ny), *w = noise(&r, s->o * s->c * WINDOW);
        void *scratch = malloc(gnt_conv_im2col_f32.scratch(GNT_OP_CONV, s));
        assert_non_null(scratch);
        for (int64_t n = 1; n < IMAGES; n++)
            memcpy(x + n * nx, x, (size_t)nx * sizeof *x);
        gnt_conv_im2col_f32.forward(y, x, w, scratch, s);
        all_are_alike(y, ny);
        gnt_conv_im2col_f32.dx(x, y, w, scratch, s);
        all_are_alike(x, nx);
        free(x);
        free(y);
        free(w);
        free(scratch);
    }
}

int main(void) {
    assert_int_equal(gnt_blas_open(NULL), 0); /* else the first plan does */
    const struct CMUnitTest tests[] = {cmocka_unit_test(images_round_alike)};
    return cmocka_run_group_tests_name("columns", tests, NULL, NULL);
}
