/* kernels: products and convolutions against plain loops over odd shapes, in both precisions;
 * indexing against known values; accuracy of long sums in float. */
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
#include "narrower.h"
#include "nn/conv/backends.h"
#include "nn/kernels/blas.h"
#include "nn/kernels/kernels.h"
#include "nn/kernels/loops.h"

/* Returns the row of the table with this name that fits; there is one where vectors have 256 bits or more. */
static const gnt_conv_backend *backend_or_skip(const char *name, const gnt_conv_case *q) {
    const gnt_conv_table *t = gnt_conv_table_f32();
    for (int32_t i = 0; i < t->n; i++)
        if (strcmp(t->backend[i]->name, name) == 0 && gnt_conv_fits(t->backend[i], q))
            return t->backend[i];
    assert_true(gnt_cpu_vectors() < 256);
    print_message("skip: no AVX2, which convolutions by \"%s\" need\n", name);
    skip();
    return NULL;
}

static double get(const gnt_kernels *k, const void *x, int64_t i) {
    return k->size == 4 ? (double)((const float *)x)[i] : ((const double *)x)[i];
}

static void *noise(const gnt_kernels *k, gnt_stream *r, int64_t n) {
    double *v = malloc((size_t)n * sizeof *v);
    void *x = malloc((size_t)n * k->size);
    for (int64_t i = 0; i < n; i++)
        v[i] = 2 * gnt_random_uniform(r) - 1;
    k->load(x, v, n);
    free(v);
    return x;
}

/* Rounding grows with the length of a sum at most; entries are of order 1. */
static void near(const gnt_kernels *k, const char *what, const void *x, const void *y, int64_t n,
                 int64_t length) {
    double bound = (k->size == 4 ? 1.2e-7 : 2.3e-16) * (double)(length + 8);
    for (int64_t i = 0; i < n; i++)
        if (!(fabs(get(k, x, i) - get(k, y, i)) <= bound))
            fail_msg("%s: entry %ld is %g, expected %g", what, (long)i, get(k, x, i), get(k, y, i));
}

static void junk(void *x, int64_t bytes) {
    memset(x, 0xc5, (size_t)bytes);
}

static void compare_gemm(const gnt_kernels *k, gnt_stream *r, gnt_gemm s) {
    void *a = noise(k, r, s.m * s.k), *b = noise(k, r, s.k * s.n);
    void *fast = noise(k, r, s.m * s.n), *plain = noise(k, r, s.m * s.n);
    k->gemm(fast, a, b, &s);
    k->plain_gemm(plain, a, b, &s);
    near(k, "gemm", fast, plain, s.m * s.n, s.k);
    free(a);
    free(b);
    free(fast);
    free(plain);
}

static void test_gemm(void **state) {
    (void)state;
    assert_int_equal(gnt_blas_open(NULL), 0);
    const int64_t size[][3] = {{1, 1, 1},  {1, 10, 768}, {17, 3, 33}, {64, 1, 9},
                               {5, 70, 2}, {1, 768, 10}, {768, 10, 1}};
    gnt_key key = gnt_key_of_seed(3);
    gnt_stream r = gnt_stream_open(&key, "gemm");
    for (int p = 0; p < 2; p++)
        for (size_t i = 0; i < sizeof size / sizeof *size; i++)
            for (int t = 0; t < 4; t++)
                compare_gemm(p ? gnt_kernels_f64() : gnt_kernels_f32(), &r,
                             (gnt_gemm){t & 1, t >> 1, size[i][0], size[i][1], size[i][2]});
}

static gnt_conv geometry(const int64_t *q) {
    gnt_conv s = {q[0], q[1], q[2], q[3], q[4], q[5], q[6], 0, 0, q[7], q[8], NULL};
    s.oh = (s.h + 2 * s.pad - s.kh) / s.stride + 1;
    s.ow = (s.w + 2 * s.pad - s.kw) / s.stride + 1;
    return s;
}

static const gnt_conv_table *convs(const gnt_kernels *k) {
    return k->size == 4 ? gnt_conv_table_f32() : gnt_conv_table_f64();
}

/* Against the two convolutions by conv_dw(x, y), which these are. */
static void compare_gram(const gnt_kernels *k, const void *x, const void *y, const gnt_conv *s) {
    int64_t nx = s->n * s->c * s->h * s->w, ny = s->n * s->o * s->oh * s->ow, most = nx > ny ? nx : ny,
            window = s->kh * s->kw, places = s->n * s->oh * s->ow;
    const gnt_conv_table *t = convs(k);
    size_t bytes = t->gram_scratch(s), size = k->size;
    void *w = malloc((size_t)(s->o * s->c * window) * size), *fast = malloc((size_t)most * size),
         *plain = malloc((size_t)most * size), *scratch = malloc(bytes);
    t->plain->dw(w, x, y, NULL, s);
    for (int face = 0; face < 2; face++) {
        junk(scratch, (int64_t)bytes);
        junk(fast, most * (int64_t)size);
        (face ? t->gram_dx : t->gram)(fast, x, y, scratch, s);
        if (face)
            t->plain->dx(plain, y, w, NULL, s);
        else
            t->plain->forward(plain, x, w, NULL, s);
        /* sums of products of three factors, over one side's channels and window and over the places */
        near(k, face ? "gram_dx" : "gram", fast, plain, face ? nx : ny,
             window * (face ? s->o : s->c) * places);
    }
    free(w);
    free(fast);
    free(plain);
    free(scratch);
}

/* One face by one back-end, against the definition. `length`: terms of a sum. */
static void compare_face(const gnt_kernels *k, const gnt_conv_backend *b, int op, const gnt_conv *s,
                         const void *first, const void *second, int64_t n, int64_t length) {
    size_t bytes = b->scratch ? b->scratch(op, s) : 0;
    void *fast = malloc((size_t)n * k->size), *plain = malloc((size_t)n * k->size);
    void *scratch = malloc(bytes ? bytes : 1); /* exact, so that the address sanitizer sees a byte too many */
    junk(scratch, (int64_t)bytes);
    junk(fast, n * (int64_t)k->size);
    gnt_conv_face(b, op)(fast, first, second, scratch, s);
    gnt_conv_face(convs(k)->plain, op)(plain, first, second, NULL, s);
    near(k, b->name, fast, plain, n, length);
    free(scratch);
    free(fast);
    free(plain);
}

/* By every back-end in rows that fits. */
static void compare_conv(const gnt_kernels *k, gnt_stream *r, const gnt_conv *s) {
    int64_t nx = s->n * s->c * s->h * s->w, nw = s->o * s->c * s->kh * s->kw,
            ny = s->n * s->o * s->oh * s->ow, window = s->kh * s->kw;
    void *x = noise(k, r, nx), *w = noise(k, r, nw), *y = noise(k, r, ny);
    const gnt_conv_table *t = convs(k);
    for (int32_t i = 0; i < t->n; i++) {
        const gnt_conv_backend *b = t->backend[i];
        for (int op = GNT_OP_CONV; op <= GNT_OP_CONV_DW; op++) {
            gnt_conv_case q = {.op = op, .s = *s};
            if (b->activations != GNT_LAYOUT_ROWS || b->weights != GNT_LAYOUT_ROWS || !gnt_conv_fits(b, &q))
                continue;
            if (op == GNT_OP_CONV)
                compare_face(k, b, op, s, x, w, ny, s->c * window);
            else if (op == GNT_OP_CONV_DX)
                compare_face(k, b, op, s, y, w, nx, s->o * window);
            else
                compare_face(k, b, op, s, x, y, nw, s->n * s->oh * s->ow);
        }
    }
    compare_gram(k, x, y, s);
    free(x);
    free(w);
    free(y);
}

/* One face of a general convolution straight from conv.h's sum, in double. */
static void plain_general(const gnt_kernels *k, int face, double *result, const void *a, const void *b,
                          const gnt_general_conv *s) {
    int64_t inside = s->c / s->groups, outside = s->o / s->groups;
    for (int64_t n = 0; n < s->n; n++)
        for (int64_t o = 0; o < s->o; o++)
            for (int64_t c = 0; c < inside; c++)
                for (int64_t i = 0; i < s->kh; i++)
                    for (int64_t j = 0; j < s->kw; j++)
                        for (int64_t p = 0; p < s->oh; p++)
                            for (int64_t q = 0; q < s->ow; q++) {
                                int64_t h = p * s->sh + i * s->dh - s->ph, w = q * s->sw + j * s->dw - s->pw;
                                if (h < 0 || h >= s->h || w < 0 || w >= s->w)
                                    continue;
                                int64_t at[3] = {((n * s->o + o) * s->oh + p) * s->ow + q,
                                                 ((n * s->c + o / outside * inside + c) * s->h + h) * s->w +
                                                     w,
                                                 ((o * inside + c) * s->kh + i) * s->kw + j};
                                static const int order[3][3] = {{0, 1, 2}, {1, 0, 2}, {2, 1, 0}};
                                const int *f = order[face];
                                result[at[f[0]]] += get(k, a, at[f[1]]) * get(k, b, at[f[2]]);
                            }
}

static void compare_general(const gnt_kernels *k, gnt_stream *r, const gnt_general_conv *s) {
    int64_t count[3] = {s->n * s->o * s->oh * s->ow, s->n * s->c * s->h * s->w,
                        s->o * (s->c / s->groups) * s->kh * s->kw};
    int64_t length[3] = {s->c / s->groups * s->kh * s->kw, s->o / s->groups * s->kh * s->kw,
                         s->n * s->oh * s->ow};
    void *y = noise(k, r, count[0]), *x = noise(k, r, count[1]), *w = noise(k, r, count[2]);
    const void *const first[3] = {x, y, x}, *const second[3] = {w, w, y};
    size_t bytes = convs(k)->general_scratch(s);
    for (int face = 0; face < 3; face++) {
        void *fast = malloc((size_t)count[face] * k->size), *scratch = malloc(bytes ? bytes : 1);
        double *exact = calloc((size_t)count[face], sizeof *exact);
        junk(scratch, (int64_t)bytes);
        junk(fast, count[face] * (int64_t)k->size);
        convs(k)->general[face](fast, first[face], second[face], scratch, s);
        plain_general(k, face, exact, first[face], second[face], s);
        for (int64_t i = 0; i < count[face]; i++) {
            double unit = k->size == 4 ? 1e-7 : 1e-15;
            if (!(fabs(get(k, fast, i) - exact[i]) <= unit * 4 * (double)(length[face] + 8)))
                fail_msg("face %d, %ld groups, entry %ld: %.9g, not %.9g", face, (long)s->groups, (long)i,
                         get(k, fast, i), exact[i]);
        }
        free(fast);
        free(scratch);
        free(exact);
    }
    free(x);
    free(y);
    free(w);
}

static int64_t places_of(int64_t n, int64_t kernel, int64_t stride, int64_t pad, int64_t dilation) {
    return (n + 2 * pad - dilation * (kernel - 1) - 1) / stride + 1;
}

/* Strides, paddings and dilations of either axis, and groups, one at a time and together. */
static void test_general_conv(void **state) {
    (void)state;
    /* n, c, h, w, o, kh, kw, then of h and w: stride, padding, dilation; groups */
    static const int64_t shapes[][14] = {
        {2, 4, 6, 5, 6, 3, 3, 1, 1, 1, 1, 1, 1, 2},
        {1, 6, 7, 9, 6, 3, 3, 2, 2, 1, 1, 1, 1, 6},
        {2, 3, 7, 8, 9, 3, 2, 1, 2, 0, 1, 1, 1, 3},
        {2, 2, 9, 6, 3, 3, 3, 1, 1, 2, 2, 2, 2, 1},
        {1, 4, 8, 9, 8, 2, 3, 2, 1, 3, 0, 3, 2, 4},
        {3, 6, 4, 5, 4, 1, 1, 1, 1, 0, 0, 1, 1, 2},
        {1, 2, 3, 20, 2, 1, 7, 1, 1, 0, 3, 1, 1, 1},
        {1, 40, 14, 14, 40, 5, 5, 1, 1, 2, 2, 1, 1, 40},
        {2, 1, 4, 4, 2, 3, 3, 4, 1, 5, 4, 2, 3, 1},
        /* one channel a group, moved by one: padding from none to all that a window reaches, dilated,
           several results a group, runs of several blocks; then padding beyond, and one channel in all */
        {2, 3, 7, 6, 3, 3, 3, 1, 1, 1, 1, 1, 1, 3},
        {2, 2, 9, 40, 6, 3, 2, 1, 1, 0, 1, 2, 3, 2},
        {1, 3, 5, 5, 3, 5, 5, 1, 1, 4, 4, 1, 1, 3},
        {3, 2, 4, 3, 4, 2, 3, 1, 1, 1, 0, 1, 1, 2},
        {1, 2, 5, 4, 2, 2, 2, 1, 1, 3, 2, 1, 1, 2},
        {2, 1, 6, 6, 4, 3, 3, 1, 1, 1, 0, 1, 1, 1},
        /* rows that keep their length: taps wholly outside the image, fewer rows of the result, dilated, and
         * more of them */
        {2, 3, 1, 2, 4, 5, 7, 1, 1, 2, 3, 1, 1, 1},
        {1, 4, 6, 5, 3, 3, 3, 1, 1, 0, 2, 1, 2, 1},
        {2, 2, 4, 3, 3, 2, 3, 1, 1, 5, 1, 3, 1, 1},
    };
    gnt_key key = gnt_key_of_seed(12);
    gnt_stream r = gnt_stream_open(&key, "general");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const int64_t *v = shapes[i];
        gnt_general_conv s = {v[0],
                              v[1],
                              v[2],
                              v[3],
                              v[4],
                              v[5],
                              v[6],
                              places_of(v[2], v[5], v[7], v[9], v[11]),
                              places_of(v[3], v[6], v[8], v[10], v[12]),
                              v[7],
                              v[8],
                              v[9],
                              v[10],
                              v[11],
                              v[12],
                              v[13]};
        compare_general(gnt_kernels_f32(), &r, &s);
        compare_general(gnt_kernels_f64(), &r, &s);
    }
}

/* What the back-ends know goes to them, whichever builder was called; what they do not, never does. */
static void test_window_chooses_the_node(void **state) {
    (void)state;
    gnt_graph *g = gnt_graph_new();
    gnt_node x = gnt_nn_input(g, "x", 4, (int64_t[]){1, 4, 8, 8}, 0),
             w = gnt_nn_input(g, "w", 4, (int64_t[]){4, 4, 3, 3}, 0),
             half = gnt_nn_input(g, "half", 4, (int64_t[]){4, 2, 3, 3}, 0), y[7];
    y[0] = gnt_nn_conv(g, x, w, 2, 1);
    y[1] = gnt_nn_general_conv(g, x, w, &(gnt_nn_window){{2, 2}, {1, 1}, {1, 1}, 1});
    y[2] = gnt_nn_conv_transpose(g, x, w, (int32_t[]){1, 1}, &(gnt_nn_window){{2, 2}, {1, 1}, {1, 1}, 1});
    y[3] = gnt_nn_general_conv(g, x, half, &(gnt_nn_window){{2, 2}, {1, 1}, {1, 1}, 2});
    y[4] = gnt_nn_general_conv(g, x, w, &(gnt_nn_window){{2, 1}, {1, 1}, {1, 1}, 1});
    y[5] = gnt_nn_general_conv(g, x, w, &(gnt_nn_window){{2, 2}, {1, 0}, {1, 1}, 1});
    y[6] = gnt_nn_general_conv(g, x, w, &(gnt_nn_window){{2, 2}, {1, 1}, {1, 2}, 1});
    assert_null(gnt_graph_error(g));
    assert_memory_equal(g->v[y[0]].p, g->v[y[1]].p, sizeof g->v[y[0]].p);
    assert_true(g->v[y[0]].op == GNT_OP_CONV && g->v[y[1]].op == GNT_OP_CONV &&
                g->v[y[2]].op == GNT_OP_CONV_DX);
    for (int i = 3; i < 7; i++)
        assert_int_equal(g->v[y[i]].op, GNT_OP_GENERAL_CONV);
    gnt_graph_free(g);
}

/* The table in order: the first that fits; the last fits anything, and is the only one in double. */
static void test_choice(void **state) {
    (void)state;
    const gnt_conv_table *t = gnt_conv_table_f32(), *d = gnt_conv_table_f64();
    const int64_t odd[9] = {1, 3, 200, 7, 5, 3, 3, 4, 1};
    gnt_conv_case q = {.op = GNT_OP_CONV, .s = geometry(odd)};
    gnt_conv_choice c;
    assert_int_equal(gnt_conv_choose(t, &q, &c), 0);
    assert_string_equal(c.backend->name, "im2col");
    assert_ptr_equal(c.backend, t->backend[t->n - 1]);
    assert_int_equal(gnt_conv_choose(d, &q, &c), 0);
    assert_string_equal(c.backend->name, "im2col");
    assert_int_equal(d->n, 1);
    /* 4×4 wants constant weights, and the right to another layout of them */
    const int64_t four[9] = {1, 176, 4, 4, 176, 3, 3, 1, 1};
    q = (gnt_conv_case){.op = GNT_OP_CONV_DX, .s = geometry(four)};
    if (gnt_cpu_vectors() < 256)
        return;
    assert_int_equal(gnt_conv_choose(t, &q, &c), 0);
    assert_string_equal(c.backend->name, "narrow");
    q.any_layout = q.given = 1;
    assert_int_equal(gnt_conv_choose(t, &q, &c), 0);
    assert_string_equal(c.backend->name, "narrow");
    q.constant = 1;
    assert_int_equal(gnt_conv_choose(t, &q, &c), 0);
    assert_string_equal(c.backend->name, "4x4");
    int op;
    assert_ptr_equal(gnt_conv_owner(c.second, &op), c.backend);
    assert_int_equal(op, GNT_OP_CONV_DX);
    assert_int_equal(c.first, GNT_LAYOUT_ROWS);
    /* samples as lanes: where blocks do not suit, in any of the three faces */
    const int64_t many[9] = {32, 4, 32, 32, 12, 5, 5, 2, 2};
    for (q.op = GNT_OP_CONV; q.op <= GNT_OP_CONV_DW; q.op++) {
        q.s = geometry(many);
        assert_int_equal(gnt_conv_choose(t, &q, &c), 0);
        assert_string_equal(c.backend->name, "samples as lanes");
        assert_int_equal(c.result, q.op == GNT_OP_CONV_DW ? GNT_LAYOUT_ROWS : GNT_LAYOUT_SAMPLES);
    }
}

static void test_conv(void **state) {
    (void)state;
    const int64_t shape[][9] = {
        /* n, c, h, w, o, kh, kw, stride, pad */
        {1, 3, 32, 32, 12, 5, 5, 2, 2},
        {1, 12, 8, 8, 12, 5, 5, 1, 2},
        {2, 3, 7, 5, 4, 3, 3, 1, 1},
        {3, 2, 6, 9, 5, 3, 2, 2, 1},
        {2, 4, 5, 6, 3, 1, 1, 1, 0},
        {2, 4, 5, 6, 3, 1, 1, 2, 0},
        {1, 1, 1, 1, 1, 1, 1, 1, 0},
        {1, 2, 4, 4, 3, 4, 4, 1, 0},
        {2, 2, 4, 3, 2, 5, 5, 1, 2},
        {1, 2, 9, 9, 2, 2, 3, 3, 0},
        {1, 1, 3, 3, 2, 2, 2, 4, 3},
        {4, 8, 4, 4, 16, 3, 3, 1, 1},
        /* images that share a product, and the last of them fewer */
        {5, 3, 10, 10, 4, 3, 3, 1, 1},
        {70, 2, 2, 2, 3, 3, 3, 1, 1},
        {300, 5, 1, 1, 3, 3, 3, 1, 1},
        {7, 3, 6, 7, 4, 1, 1, 1, 0},
        {7, 3, 13, 12, 4, 3, 2, 2, 1},
        /* enough places for the direct kernels: odd sizes, both parities, a parity without window entries */
        {1, 3, 31, 33, 7, 5, 5, 2, 2},
        {2, 5, 20, 40, 13, 3, 3, 2, 1},
        {1, 4, 17, 18, 6, 1, 1, 2, 0},
        {1, 4, 40, 10, 6, 1, 1, 1, 0},
        {1, 2, 19, 36, 20, 2, 2, 2, 0},
        {2, 17, 16, 16, 33, 3, 3, 1, 1},
        {1, 3, 30, 20, 4, 4, 6, 2, 3},
        {1, 2, 70, 9, 3, 7, 5, 1, 4},
        {3, 64, 8, 8, 19, 3, 3, 1, 1},
        {1, 140, 9, 9, 3, 1, 1, 1, 0},
        {1, 2, 5, 5, 2, 1, 1, 1, 2},
        {8, 16, 2, 2, 24, 3, 3, 2, 1},
        {1, 16, 33, 17, 8, 3, 3, 1, 1},
        /* few places and many weights: outputs and window entries that are no multiple of a tile, several
         * images, a stride that passes pixels over, more pixels than a vector holds, sums of several pieces
         */
        {1, 160, 4, 4, 53, 3, 3, 1, 1},
        {2, 128, 3, 4, 67, 3, 3, 2, 1},
        {1, 48, 9, 8, 30, 7, 7, 3, 2},
        {4, 515, 2, 2, 131, 1, 1, 1, 0},
        {1, 34, 8, 7, 301, 3, 3, 2, 1},
    };
    gnt_key key = gnt_key_of_seed(4);
    gnt_stream r = gnt_stream_open(&key, "conv");
    for (int p = 0; p < 2; p++)
        for (size_t i = 0; i < sizeof shape / sizeof *shape; i++) {
            gnt_conv s = geometry(shape[i]);
            compare_conv(p ? gnt_kernels_f64() : gnt_kernels_f32(), &r, &s);
        }
}

/* ---- samples as lanes ---- */

/* From rows to n/16 × size × 16, by the definition, or back. */
static void turn_plainly(float *y, const float *x, int64_t n, int64_t size, int back) {
    for (int64_t i = 0; i < n; i++)
        for (int64_t q = 0; q < size; q++) {
            int64_t lane = (i / 16 * size + q) * 16 + i % 16;
            y[back ? i * size + q : lane] = x[back ? lane : i * size + q];
        }
}

static void compare_samples(gnt_stream *r, const gnt_conv_backend *lanes, gnt_conv s, int op) {
    const gnt_kernels *k = gnt_kernels_f32();
    const int64_t size[3] = {s.c * s.h * s.w, s.o * s.oh * s.ow, s.o * s.c * s.kh * s.kw};
    float *x = noise(k, r, s.n * size[0]), *y = noise(k, r, s.n * size[1]), *w = noise(k, r, size[2]);
    float *xl = noise(k, r, s.n * size[0]), *yl = noise(k, r, s.n * size[1]), *right = noise(k, r, size[2]);
    const gnt_conv_backend *plain = &gnt_conv_plain_f32;
    size_t bytes = lanes->scratch(op, &s);
    void *scratch = malloc(bytes); /* exact, as above */
    junk(scratch, (int64_t)bytes);
    turn_plainly(xl, x, s.n, size[0], 0);
    turn_plainly(yl, y, s.n, size[1], 0);
    if (op == GNT_OP_CONV) {
        junk(yl, s.n * size[1] * 4);
        lanes->forward(yl, xl, w, scratch, &s);
        plain->forward(y, x, w, NULL, &s);
        float *got = noise(k, r, s.n * size[1]);
        turn_plainly(got, yl, s.n, size[1], 1);
        near(k, "conv", got, y, s.n * size[1], s.c * s.kh * s.kw);
        free(got);
    } else if (op == GNT_OP_CONV_DX) {
        junk(xl, s.n * size[0] * 4);
        lanes->dx(xl, yl, w, scratch, &s);
        plain->dx(x, y, w, NULL, &s);
        float *got = noise(k, r, s.n * size[0]);
        turn_plainly(got, xl, s.n, size[0], 1);
        near(k, "conv_dx", got, x, s.n * size[0], s.o * s.kh * s.kw);
        free(got);
    } else {
        lanes->dw(w, xl, yl, scratch, &s);
        plain->dw(right, x, y, NULL, &s);
        near(k, "conv_dw", w, right, size[2], s.n * s.oh * s.ow);
    }
    void *all[] = {x, y, w, xl, yl, right, scratch};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

/* One group and several, outputs in several tiles, a stride that passes pixels over, a window wider than a
 * tile and wider than the image, places in the padding alone, several pieces of a sum. */
static void test_samples(void **state) {
    (void)state;
    const int64_t shape[][9] = {
        /* n, c, h, w, o, kh, kw, stride, pad */
        {32, 4, 32, 32, 12, 5, 5, 2, 2}, {48, 12, 8, 8, 12, 5, 5, 1, 2}, {16, 5, 7, 9, 29, 3, 3, 2, 1},
        {16, 4, 6, 5, 6, 7, 6, 3, 3},    {32, 4, 5, 6, 14, 1, 1, 2, 0},  {16, 6, 3, 4, 5, 5, 4, 1, 2},
        {16, 4, 2, 2, 4, 3, 3, 1, 3},    {80, 60, 3, 3, 7, 3, 3, 1, 1},  {16, 150, 4, 2, 4, 1, 1, 1, 0},
    };
    gnt_key key = gnt_key_of_seed(5);
    gnt_stream r = gnt_stream_open(&key, "samples");
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++)
        for (int op = GNT_OP_CONV; op <= GNT_OP_CONV_DW; op++) {
            gnt_conv s = geometry(shape[i]);
            gnt_conv_case q = {.op = op, .s = s};
            compare_samples(&r, backend_or_skip("samples as lanes", &q), s, op);
        }
}

/* Images of 4×4 with many channels, on rewritten weights. */
static void test_four(void **state) {
    (void)state;
    gnt_key key = gnt_key_of_seed(6);
    gnt_stream r = gnt_stream_open(&key, "four");
    const gnt_kernels *k = gnt_kernels_f32();
    const int64_t shape[3][9] = {
        {1, 176, 4, 4, 176, 3, 3, 1, 1}, {1, 80, 4, 4, 368, 3, 3, 1, 1}, {1, 400, 4, 4, 80, 3, 3, 1, 1}};
    for (int i = 0; i < 3; i++)
        for (int op = GNT_OP_CONV; op <= GNT_OP_CONV_DX; op++) {
            gnt_conv s = geometry(shape[i]);
            int64_t most = 16 * (s.c > s.o ? s.c : s.o), nw = s.o * s.c * 9;
            float *a = noise(k, &r, most), *y = noise(k, &r, most), *right = noise(k, &r, most),
                  *w = noise(k, &r, nw), *u = noise(k, &r, nw);
            gnt_conv_case q = {.op = op, .s = s, .given = 1, .constant = 1};
            const gnt_conv_backend *four = backend_or_skip("4x4", &q);
            gnt_conv_face(&gnt_conv_plain_f32, op)(right, a, w, NULL, &s);
            four->rewrite(op, u, w, s.o, s.c);
            gnt_conv_face(four, op)(y, a, u, NULL, &s);
            const int64_t outs = op == GNT_OP_CONV_DX ? s.c : s.o, ins = op == GNT_OP_CONV_DX ? s.o : s.c;
            near(k, "four", y, right, 16 * outs, 9 * ins);
            free(a);
            free(y);
            free(right);
            free(w);
            free(u);
        }
}

static void test_indices(void **state) {
    (void)state;
    gnt_graph *g = gnt_graph_new();
    const double v[8] = {3, 7, 7, 1, -2, -9, -2, -2};
    gnt_node x = gnt_nn_data(g, 2, (int64_t[]){2, 4}, v);
    gnt_node index = gnt_nn_argmax(g, x);
    gnt_node out[3] = {index, gnt_nn_gather(g, x, index),
                       gnt_nn_scatter(g, gnt_nn_fill(g, 2, (int64_t[]){2, 1}, 1), index, 5)};
    for (int32_t precision = 4; precision <= 8; precision += 4) {
        gnt_program *p = gnt_program_new(g, out, NULL, 3, precision, NULL, 0);
        assert_non_null(p);
        gnt_program_run(p, 0);
        const int32_t *i = gnt_program_output(p, 0);
        assert_true(i[0] == 1 && i[1] == 0);
        const gnt_kernels *k = precision == 4 ? gnt_kernels_f32() : gnt_kernels_f64();
        assert_true(get(k, gnt_program_output(p, 1), 0) == 7 && get(k, gnt_program_output(p, 1), 1) == -2);
        for (int j = 0; j < 10; j++)
            assert_true(get(k, gnt_program_output(p, 2), j) == (j == 1 || j == 5));
        gnt_program_free(p);
    }
    gnt_graph_free(g);
}

/* Σ of 3 million entries near 1 in float: naive addition would be off by 1e-2 and more. */
static void test_long_sums(void **state) {
    (void)state;
    enum { N = 3000000 };
    gnt_key key = gnt_key_of_seed(5);
    gnt_stream r = gnt_stream_open(&key, "sums");
    float *v = malloc(N * sizeof *v);
    double sum = 0, squares = 0;
    for (int i = 0; i < N; i++) {
        v[i] = (float)gnt_random_uniform(&r);
        sum += (double)v[i];
        squares += (double)v[i] * (double)v[i];
    }
    gnt_graph *g = gnt_graph_new();
    gnt_node x = gnt_nn_input(g, "x", 2, (int64_t[]){1000, 3000}, 0);
    gnt_node out[3] = {gnt_nn_sum_all(g, x), gnt_nn_dot(g, x, x), gnt_nn_sum_all(g, gnt_nn_sum(g, x, 1))};
    gnt_program *p = gnt_program_new(g, out, NULL, 3, 4, NULL, 0);
    assert_non_null(p);
    gnt_program_bind(p, x, v);
    gnt_program_run(p, 0);
    double got[3];
    for (int i = 0; i < 3; i++)
        got[i] = (double)*(const float *)gnt_program_output(p, i);
    assert_true(fabs(got[0] - sum) < 1e-6 * sum);
    assert_true(fabs(got[1] - squares) < 1e-6 * squares);
    assert_true(fabs(got[2] - sum) < 1e-6 * sum);
    gnt_program_free(p);
    gnt_graph_free(g);
    free(v);
}

/* As an image is enlarged by n and its gradient taken: (5, 1, 150, 1) repeated to (5, n, 150, n), and summed
 * back row by row. n: below and above what goes together with its neighbour. */
static void test_repeats_and_their_sums(void **state) {
    (void)state;
    enum { ROWS = 5, WIDTH = 150, MOST = 9 };
    gnt_key key = gnt_key_of_seed(6);
    gnt_stream r = gnt_stream_open(&key, "repeats");
    static double v[ROWS * MOST * WIDTH * MOST];
    for (size_t i = 0; i < sizeof v / sizeof *v; i++)
        v[i] = (double)(float)(gnt_random_uniform(&r) - 0.5);
    for (int64_t n = 1; n <= MOST; n++) {
        gnt_graph *g = gnt_graph_new();
        gnt_node small = gnt_nn_data(g, 4, (int64_t[]){ROWS, 1, WIDTH, 1}, v);
        gnt_node large = gnt_nn_data(g, 4, (int64_t[]){ROWS, n, WIDTH, n}, v);
        gnt_node out[2] = {gnt_nn_expand(g, small, 4, (int64_t[]){ROWS, n, WIDTH, n}),
                           gnt_nn_sum(g, large, 1u << 1 | 1u << 3)};
        for (int32_t precision = 4; precision <= 8; precision += 4) {
            gnt_program *p = gnt_program_new(g, out, NULL, 2, precision, NULL, 0);
            assert_non_null(p);
            gnt_program_run(p, 0);
            const gnt_kernels *k = precision == 4 ? gnt_kernels_f32() : gnt_kernels_f64();
            for (int64_t row = 0; row < ROWS; row++)
                for (int64_t x = 0; x < WIDTH; x++) {
                    double sum = 0;
                    for (int64_t a = 0; a < n; a++)
                        for (int64_t b = 0; b < n; b++) {
                            const int64_t at = ((row * n + a) * WIDTH + x) * n + b;
                            assert_true(get(k, gnt_program_output(p, 0), at) == v[row * WIDTH + x]);
                            sum += v[at];
                        }
                    assert_true(fabs(get(k, gnt_program_output(p, 1), row * WIDTH + x) - sum) <
                                (precision == 4 ? 1e-5 : 1e-13));
                }
            gnt_program_free(p);
        }
        gnt_graph_free(g);
    }
}

/* log Σ exp where exp alone would overflow, vanish, or meet an infinity. */
static void test_log_sum_exp(void **state) {
    (void)state;
    gnt_graph *g = gnt_graph_new();
    const double v[12] = {1000, 1000, 999, -1000, -1001, -1000, -INFINITY, 0, -INFINITY, INFINITY, 0, 1};
    gnt_node y = gnt_nn_log_sum_exp(g, gnt_nn_data(g, 2, (int64_t[]){4, 3}, v));
    for (int32_t precision = 4; precision <= 8; precision += 4) {
        gnt_program *p = gnt_program_new(g, &y, NULL, 1, precision, NULL, 0);
        assert_non_null(p);
        gnt_program_run(p, 0);
        const gnt_kernels *k = precision == 4 ? gnt_kernels_f32() : gnt_kernels_f64();
        const void *out = gnt_program_output(p, 0);
        double tail = log(2 + exp(-1)), eps = precision == 4 ? 1e-6 : 1e-15;
        assert_true(fabs(get(k, out, 0) - 1000 - tail) < 1000 * eps);
        assert_true(fabs(get(k, out, 1) + 1000 - tail) < 1000 * eps);
        assert_true(get(k, out, 2) == 0 && isinf(get(k, out, 3)));
        gnt_program_free(p);
    }
    gnt_graph_free(g);
}

/* The float functions against the C library in double, in units of the last place of the result. */
typedef struct accuracy {
    int op;
    double (*exact)(double);
    double least, most;
} accuracy;

static double exact_sigmoid(double x) {
    return 1 / (1 + exp(-x));
}
static double exact_softplus(double x) {
    return x > 30 ? x + exp(-x) : log1p(exp(x));
}

static void check_accuracy(const gnt_loops_f32 *loops, const accuracy *c) {
    enum { N = 4096 };
    static float x[N], y[N];
    gnt_key key = gnt_key_of_seed(9);
    gnt_stream r = gnt_stream_open(&key, "accuracy");
    for (int i = 0; i < N; i++) {
        double u = gnt_random_uniform(&r);
        x[i] = (float)(i % 2 ? c->least + (c->most - c->least) * u
                             : (c->least < 0 && i % 4 ? -u : u) * 0.01 * c->most);
        if (x[i] == 0)
            x[i] = (float)c->most;
    }
    loops->op[c->op](y, x, NULL, N, 0, 0);
    for (int i = 0; i < N; i++) {
        double exact = c->exact((double)x[i]);
        int exponent;
        frexp(exact, &exponent);
        double unit = ldexp(1, exponent < -125 ? -149 : exponent - 24);
        if (!(fabs((double)y[i] - exact) <= 3 * unit))
            fail_msg("%s(%.9g) = %.9g, expected %.9g", gnt_op_name(c->op), (double)x[i], (double)y[i], exact);
    }
}

static void test_float_functions(void **state) {
    (void)state;
    const accuracy cases[] = {{GNT_OP_EXP, exp, -104, 88.7},
                              {GNT_OP_LOG, log, 1e-3, 1e4},
                              {GNT_OP_TANH, tanh, -12, 12},
                              {GNT_OP_ERF, erf, -5, 5},
                              {GNT_OP_ERF, erf, -1e-3, 1e-3},
                              {GNT_OP_SIGMOID, exact_sigmoid, -90, 90},
                              {GNT_OP_SOFTPLUS, exact_softplus, -90, 90},
                              {GNT_OP_LOG, log, 0, 1e-37}};
    const gnt_loops_f32 *best = gnt_loops_best_f32();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_accuracy(&gnt_loops_base_f32, &cases[i]);
        check_accuracy(best, &cases[i]);
    }
    const float x[6] = {NAN, INFINITY, -INFINITY, 0, -1, 1e-42f};
    float y[6];
    best->op[GNT_OP_EXP](y, x, NULL, 5, 0, 0);
    assert_true(isnan(y[0]) && isinf(y[1]) && y[2] == 0 && y[3] == 1);
    best->op[GNT_OP_LOG](y, x, NULL, 6, 0, 0);
    assert_true(isnan(y[0]) && y[1] > 0 && isinf(y[1]) && isnan(y[2]) && isinf(y[3]) && y[3] < 0 &&
                isnan(y[4]));
    assert_true(fabs((double)y[5] - log((double)x[5])) < 1e-5);
    best->op[GNT_OP_TANH](y, x, NULL, 4, 0, 0);
    assert_true(isnan(y[0]) && y[1] == 1 && y[2] == -1 && y[3] == 0);
    best->op[GNT_OP_ERF](y, x, NULL, 4, 0, 0);
    assert_true(isnan(y[0]) && y[1] == 1 && y[2] == -1 && y[3] == 0);
    best->op[GNT_OP_SIGMOID](y, x, NULL, 4, 0, 0);
    assert_true(isnan(y[0]) && y[1] == 1 && y[2] == 0 && y[3] == 0.5f);
    best->op[GNT_OP_SOFTPLUS](y, x, NULL, 4, 0, 0);
    assert_true(isnan(y[0]) && isinf(y[1]) && y[2] == 0);
}

/* Each instruction set adds up in the same order: the same bits where products are not fused. */
static void test_same_sums(void **state) {
    (void)state;
    enum { N = 3001 };
    gnt_key key = gnt_key_of_seed(10);
    gnt_stream r = gnt_stream_open(&key, "same");
    static float x[N];
    for (int i = 0; i < N; i++)
        x[i] = (float)gnt_random_normal(&r);
    const gnt_loops_f32 *best = gnt_loops_best_f32();
    for (int64_t n = 0; n < N; n += 97)
        assert_true(best->sum(x, n) == gnt_loops_base_f32.sum(x, n));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gemm),         cmocka_unit_test(test_conv),
        cmocka_unit_test(test_general_conv), cmocka_unit_test(test_window_chooses_the_node),
        cmocka_unit_test(test_choice),       cmocka_unit_test(test_samples),
        cmocka_unit_test(test_four),         cmocka_unit_test(test_indices),
        cmocka_unit_test(test_long_sums),    cmocka_unit_test(test_repeats_and_their_sums),
        cmocka_unit_test(test_log_sum_exp),  cmocka_unit_test(test_float_functions),
        cmocka_unit_test(test_same_sums),
    };
    return narrower_too(cmocka_run_group_tests_name("kernels", tests, NULL, NULL));
}
