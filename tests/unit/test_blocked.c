/* blocked layouts: oneDNN's convolutions against plain loops and its copies against the formula of each
 * layout; whole programs in blocks, and with samples as lanes, against the plain program in double, with both
 * choices of GAUNTLET_CONV; a replay gives the same bytes and keeps no memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <malloc.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/random.h"
#include "gauntlet/nn.h"
#include "narrower.h"
#include "nn/conv/backends.h"
#include "nn/plan/nn_plan.h"

static gnt_dnnl *library(void) {
    gnt_dnnl *d = NULL;
    unsetenv("GAUNTLET_CONV");
    assert_int_equal(gnt_dnnl_open(&d, 1, NULL, 0), 0);
    return d;
}

static gnt_dnnl *library_or_skip(void) {
    gnt_dnnl *d = library();
    if (!d) {
        print_message("skip: built without oneDNN, or no AVX2\n");
        skip();
    }
    return d;
}

static float *noise(gnt_stream *r, int64_t n) {
    float *v = gnt_aligned((size_t)n, sizeof *v);
    for (int64_t i = 0; i < n; i++)
        v[i] = (float)(2 * gnt_random_uniform(r) - 1);
    return v;
}

/* Where graph.h says entry (i, j, y, x) of a tensor with axes d lies. */
static int64_t place(int layout, const int64_t *d, int64_t b, int64_t i, int64_t j, int64_t y, int64_t x) {
    int64_t plane = d[2] * d[3], at = y * d[3] + x, wide = d[0] / b, deep = d[1] / b;
    switch (layout) {
    case GNT_LAYOUT_BLOCKS:
        return ((i * deep + j / b) * plane + at) * b + j % b;
    case GNT_LAYOUT_WEIGHTS:
        return (((i / b * deep + j / b) * plane + at) * b + j % b) * b + i % b;
    case GNT_LAYOUT_TURNED:
        return (((plane == 1 && b == 16 ? j / b * wide + i / b : i / b * deep + j / b) * plane + at) * b +
                i % b) *
                   b +
               j % b;
    default:
        return (i * d[1] + j) * plane + at;
    }
}

static void copy_as(gnt_dnnl *d, int from, int to, const int64_t *dim, float *y, const float *x) {
    size_t bytes = 0;
    gnt_dnnl_op *o = gnt_dnnl_copy(d, from, to, dim, &bytes);
    assert_non_null(o);
    void *scratch = gnt_aligned(bytes, 1);
    gnt_dnnl_run(o, y, x, NULL, scratch);
    gnt_free_aligned(scratch);
    gnt_dnnl_free(o);
}

static void test_copies(void **state) {
    (void)state;
    gnt_dnnl *d = library_or_skip();
    gnt_key key = gnt_key_of_seed(30);
    gnt_stream r = gnt_stream_open(&key, "copies");
    const int64_t b = gnt_dnnl_block(d),
                  dims[3][4] = {{2 * b, 3 * b, 3, 2}, {b, 2 * b, 1, 1}, {2 * b, b, 5, 5}};
    for (int k = 0; k < 3; k++)
        for (int from = 0; from <= GNT_LAYOUT_TURNED; from++)
            for (int to = 0; to <= GNT_LAYOUT_TURNED; to++) {
                const int64_t *s = dims[k], n = s[0] * s[1] * s[2] * s[3];
                float *x = noise(&r, n), *y = noise(&r, n);
                copy_as(d, from, to, s, y, x);
                for (int64_t i = 0; i < n; i++) {
                    int64_t q = i / s[3], o = q / s[2] / s[1], c = q / s[2] % s[1];
                    assert_true(y[place(to, s, b, o, c, q % s[2], i % s[3])] ==
                                x[place(from, s, b, o, c, q % s[2], i % s[3])]);
                }
                gnt_free_aligned(x);
                gnt_free_aligned(y);
            }
    gnt_dnnl_close(d);
}

/* One face, through the layouts it wants. Winograd's sums have larger terms. */
static void face(gnt_dnnl *d, gnt_stream *r, int op, const gnt_conv *s, int exact) {
    const int64_t dim[3][4] = {
        {s->n, s->c, s->h, s->w}, {s->o, s->c, s->kh, s->kw}, {s->n, s->o, s->oh, s->ow}};
    size_t bytes = 0;
    gnt_dnnl_op *o = NULL;
    gnt_conv_fit fit = gnt_dnnl_conv(d, op, s, exact, &o, &bytes);
    assert_int_not_equal(fit, GNT_CONV_FAILED);
    if (fit ==
        GNT_CONV_UNFIT) { /* of blocks of 8 the library has no kernel for some sizes: those are for BLAS */
        assert_int_equal(gnt_dnnl_block(d), 8);
        return;
    }
    const int layout[3] = {GNT_LAYOUT_BLOCKS, gnt_dnnl_weights(o), GNT_LAYOUT_BLOCKS};
    const int order[3][3] = {{2, 0, 1}, {0, 2, 1}, {1, 0, 2}}; /* result, first, second */
    float *rows[3], *blocks[3];
    for (int k = 0; k < 3; k++) {
        int64_t n = dim[k][0] * dim[k][1] * dim[k][2] * dim[k][3];
        rows[k] = noise(r, n);
        blocks[k] = noise(r, n);
        copy_as(d, GNT_LAYOUT_ROWS, layout[k], dim[k], blocks[k], rows[k]);
    }
    const int *k = order[op - GNT_OP_CONV];
    const int64_t *y = dim[k[0]], n = y[0] * y[1] * y[2] * y[3];
    char *scratch = gnt_aligned(bytes, 1);
    memset(scratch, 0xc5, bytes);
    memset(blocks[k[0]], 0xc5, (size_t)n * sizeof(float));
    gnt_dnnl_run(o, blocks[k[0]], blocks[k[1]], blocks[k[2]], scratch);
    float *got = noise(r, n);
    copy_as(d, layout[k[0]], GNT_LAYOUT_ROWS, y, got, blocks[k[0]]);
    gnt_conv_face(&gnt_conv_plain_f32, op)(rows[k[0]], rows[k[1]], rows[k[2]], NULL, s);
    double length = op == GNT_OP_CONV_DW   ? (double)(s->n * s->oh * s->ow)
                    : op == GNT_OP_CONV_DX ? (double)(s->o * s->kh * s->kw)
                                           : (double)(s->c * s->kh * s->kw);
    for (int64_t i = 0; i < n; i++)
        if (!(fabs((double)got[i] - (double)rows[k[0]][i]) <= (exact ? 1.2e-7 : 4.8e-7) * (length + 8)))
            fail_msg("%s, %ld→%ld: entry %ld is %g, expected %g", gnt_op_name(op), (long)s->c, (long)s->o,
                     (long)i, (double)got[i], (double)rows[k[0]][i]);
    gnt_free_aligned(scratch);
    gnt_free_aligned(got);
    gnt_dnnl_free(o);
    for (int q = 0; q < 3; q++) {
        gnt_free_aligned(rows[q]);
        gnt_free_aligned(blocks[q]);
    }
}

static void test_faces(void **state) {
    (void)state;
    gnt_dnnl *d = library_or_skip();
    gnt_key key = gnt_key_of_seed(31);
    gnt_stream r = gnt_stream_open(&key, "faces");
    const int64_t shape[][8] = {/* n, c, h, w, o, k, stride, pad */
                                {1, 16, 7, 5, 32, 3, 1, 1},
                                {2, 32, 9, 9, 16, 3, 2, 1},
                                {1, 48, 4, 4, 64, 3, 1, 1},
                                {2, 16, 8, 6, 48, 1, 2, 0},
                                {3, 32, 5, 7, 32, 1, 1, 0},
                                {1, 16, 11, 13, 16, 5, 1, 2},
                                {1, 128, 2, 2, 64, 3, 1, 1},
                                {2, 64, 32, 32, 16, 3, 1, 1},
                                /* Winograd: places in the last squares and none, no padding, many channels */
                                {5, 32, 15, 14, 48, 3, 1, 1},
                                {1, 16, 34, 34, 16, 3, 1, 0},
                                {4, 128, 16, 16, 64, 3, 1, 1}};
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++)
        for (int op = GNT_OP_CONV; op <= GNT_OP_CONV_DW; op++) {
            const int64_t *q = shape[i];
            gnt_conv s = {q[0], q[1], q[2], q[3], q[4], q[5], q[5], 0, 0, q[6], q[7], NULL};
            s.oh = (s.h + 2 * s.pad - s.kh) / s.stride + 1;
            s.ow = (s.w + 2 * s.pad - s.kw) / s.stride + 1;
            for (int exact = 0; exact < 2; exact++)
                face(d, &r, op, &s, exact);
        }
    gnt_dnnl_close(d);
}

/* Fails where x is not within rounding of `right`, by the norm of the difference. */
static void near_as_a_whole(int op, const gnt_conv *s, const float *x, const float *right, int64_t n) {
    double off = 0, size = 0;
    for (int64_t i = 0; i < n; i++) {
        off += ((double)x[i] - (double)right[i]) * ((double)x[i] - (double)right[i]);
        size += (double)right[i] * (double)right[i];
    }
    if (!(off <= 1e-12 * size))
        fail_msg("%s, %ld→%ld: off by %g of the result", gnt_op_name(op), (long)s->c, (long)s->o,
                 sqrt(off / size));
}

/* Gradients by the weights: of operands in blocks, in rows. */
static void winograd_dw(gnt_dnnl *d, const gnt_conv_backend *b, gnt_stream *r, const gnt_conv *s) {
    const int64_t xd[4] = {s->n, s->c, s->h, s->w}, yd[4] = {s->n, s->o, s->oh, s->ow}, n_w = s->o * s->c * 9,
                  nx = s->n * s->c * s->h * s->w, ny = s->n * s->o * s->oh * s->ow;
    float *x = noise(r, nx), *xb = noise(r, nx), *y = noise(r, ny), *yb = noise(r, ny), *w = noise(r, n_w),
          *right = noise(r, n_w);
    size_t bytes = b->scratch(GNT_OP_CONV_DW, s);
    char *scratch = gnt_aligned(bytes, 1);
    memset(scratch, 0xc5, bytes);
    memset(w, 0xc5, (size_t)n_w * sizeof *w);
    gnt_conv_plain_f32.dw(right, x, y, NULL, s);
    copy_as(d, GNT_LAYOUT_ROWS, GNT_LAYOUT_BLOCKS, xd, xb, x);
    copy_as(d, GNT_LAYOUT_ROWS, GNT_LAYOUT_BLOCKS, yd, yb, y);
    b->dw(w, xb, yb, scratch, s);
    near_as_a_whole(GNT_OP_CONV_DW, s, w, right, n_w);
    float *all[] = {x, xb, y, yb, w, right, (float *)(void *)scratch};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        gnt_free_aligned(all[i]);
}

/* Winograd's own: through blocks and rewritten weights. Its rounding errors are of the direct sums' size. */
static void winograd_face(gnt_dnnl *d, const gnt_conv_backend *b, gnt_stream *r, int op, gnt_conv s) {
    const int64_t xd[4] = {s.n, s.c, s.h, s.w}, yd[4] = {s.n, s.o, s.oh, s.ow};
    int dx = op == GNT_OP_CONV_DX;
    const int64_t *from = dx ? yd : xd, *to = dx ? xd : yd;
    int64_t n_from = s.n * from[1] * from[2] * from[3], n_to = s.n * to[1] * to[2] * to[3];
    float *a = noise(r, n_from), *ab = noise(r, n_from), *y = noise(r, n_to), *yb = noise(r, n_to),
          *right = noise(r, n_to), *w = noise(r, s.o * s.c * 9), *u = noise(r, s.o * s.c * 16);
    gnt_conv_face(&gnt_conv_plain_f32, op)(right, a, w, NULL, &s);
    size_t bytes = b->scratch(op, &s);
    char *scratch = gnt_aligned(bytes, 1);
    memset(scratch, 0xc5, bytes);
    memset(yb, 0xc5, (size_t)n_to * sizeof *yb);
    b->rewrite(op, u, w, s.o, s.c);
    copy_as(d, GNT_LAYOUT_ROWS, GNT_LAYOUT_BLOCKS, from, ab, a);
    gnt_conv_face(b, op)(yb, ab, u, scratch, &s);
    copy_as(d, GNT_LAYOUT_BLOCKS, GNT_LAYOUT_ROWS, to, y, yb);
    near_as_a_whole(op, &s, y, right, n_to);
    float *all[] = {a, ab, y, yb, right, w, u, (float *)(void *)scratch};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        gnt_free_aligned(all[i]);
}

/* Returns the row that takes a forward pass on constant weights, which vectors of either width have. */
static const gnt_conv_backend *winograd(gnt_dnnl *d) {
    const gnt_conv_case q = {.op = GNT_OP_CONV,
                             .s = {1, 16, 8, 8, 32, 3, 3, 8, 8, 1, 1, NULL},
                             .any_layout = 1,
                             .dnnl = d,
                             .block = gnt_dnnl_block(d),
                             .given = 1,
                             .constant = 1,
                             .exact = 1};
    gnt_conv_choice c;
    assert_int_equal(gnt_conv_choose(gnt_conv_table_f32(), &q, &c), 0);
    assert_string_equal(c.backend->name, "Winograd");
    return c.backend;
}

static void test_winograd(void **state) {
    (void)state;
    gnt_dnnl *d = library_or_skip();
    gnt_key key = gnt_key_of_seed(32);
    gnt_stream r = gnt_stream_open(&key, "winograd");
    const gnt_conv_backend *b = winograd(d);
    const int64_t shape[][6] = {/* n, c, h, w, o, pad: squares half outside, several tiles and one, one
                                 * square, none in the padding, several portions of squares */
                                {1, 16, 8, 8, 32, 1},  {2, 32, 9, 7, 48, 1},    {1, 16, 4, 4, 16, 0},
                                {3, 48, 13, 6, 16, 0}, {1, 160, 12, 15, 16, 1}, {5, 16, 14, 15, 64, 1}};
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++) {
        const int64_t *q = shape[i];
        gnt_conv s = {q[0], q[1], q[2], q[3], q[4], 3, 3, q[2] + 2 * q[5] - 2, q[3] + 2 * q[5] - 2,
                      1,    q[5], NULL};
        winograd_face(d, b, &r, GNT_OP_CONV, s);
        winograd_face(d, b, &r, GNT_OP_CONV_DX, s);
        winograd_dw(d, b, &r, &s);
    }
    gnt_dnnl_close(d);
}

/* ---- programs ---- */

enum { INPUTS = 8, OUTPUTS = 7 };

typedef struct net {
    gnt_graph *g;
    gnt_node in[INPUTS], out[OUTPUTS];
    float *v[INPUTS];
    double *exact[INPUTS];
} net;

/* Activations: batch norm, bias, sums over every set of axes, broadcasts of every kind, pooling, a strided
 * and a 1×1 convolution. Weights: gradients into sums over all, over one axis, and as outputs; the gradient
 * of all that. With many samples these are lanes, in addition to blocks where the channels allow them. */
static void build(net *t, uint64_t seed, int many) {
    gnt_key key = gnt_key_of_seed(seed);
    gnt_stream r = gnt_stream_open(&key, "net");
    gnt_graph *g = t->g = gnt_graph_new();
    const int64_t c[2] = {gnt_random_below(&r, 2) ? 16
                          : many                  ? 12
                                                  : 32,
                          gnt_random_below(&r, 2) ? 16
                          : many                  ? 7
                                                  : 48},
                  n = many ? 16 : 2, side = 5 + (int64_t)gnt_random_below(&r, 3);
    const int64_t dim[INPUTS][4] = {{n, 3, side, side},    {c[0], 3, 3, 3},       {c[1], c[0], 3, 3},
                                    {c[1], c[0], 1, 1},    {n, c[1], side, side}, {c[1], c[0], 3, 3},
                                    {1, c[0], side, side}, {c[0], 1, 1, 1}};
    for (int i = 0; i < INPUTS; i++) {
        t->in[i] = gnt_nn_input(g, "in", i == 7 ? 1 : 4, dim[i], i == 0);
        if (i == 2 && seed % 2)
            gnt_nn_hold(g, t->in[i]);
        int64_t size = dim[i][0] * dim[i][1] * dim[i][2] * dim[i][3];
        t->v[i] = noise(&r, size);
        t->exact[i] = gnt_aligned((size_t)size, sizeof(double));
        for (int64_t j = 0; j < size; j++)
            t->exact[i][j] = (double)t->v[i][j];
    }
    gnt_node x = gnt_nn_conv(g, t->in[0], t->in[1], 1, 1);
    x = gnt_nn_bias(g, gnt_nn_batch_norm_train(g, x, t->in[7], -1, 1e-2, NULL, NULL), t->in[7]);
    gnt_node wide = gnt_nn_expand(g, t->in[6], 4, (int64_t[]){n, c[0], side, side});
    gnt_node h = gnt_nn_add(g, gnt_nn_softplus(g, x), wide);
    gnt_node y = gnt_nn_conv(g, h, t->in[2], 1, 1), z = gnt_nn_conv(g, h, t->in[3], 2, 0);
    gnt_node a = gnt_nn_mul(g, gnt_nn_sigmoid(g, y), t->in[4]), s = gnt_nn_fill(g, 0, NULL, 0);
    for (uint32_t axes = 1; axes < 16; axes++) {
        gnt_node part = gnt_nn_sum(g, a, axes);
        gnt_node back = gnt_nn_expand(g, part, 4, (int64_t[]){n, c[1], side, side});
        s = gnt_nn_add(g, s, gnt_nn_mean_all(g, gnt_nn_mul(g, gnt_nn_tanh(g, back), a)));
    }
    gnt_node pool = gnt_nn_max_pool(g, gnt_nn_leaky_relu(g, y, 0.1), 2, 2, 2, 2, 0, 0, 0);
    s = gnt_nn_add(g, s, gnt_nn_mean_all(g, gnt_nn_square(g, pool)));
    s = gnt_nn_add(g, s, gnt_nn_mean_all(g, gnt_nn_square(g, z)));
    gnt_node grad[3], d[3];
    gnt_nn_vjp(g, &s, NULL, 1, t->in + 1, 3, grad);
    gnt_node cost = gnt_nn_cosine_distance(g, &grad[1], &t->in[5], 1, 1e-6);
    cost = gnt_nn_add(g, cost, gnt_nn_norm(g, gnt_nn_sum(g, grad[1], 12), 1e-3));
    cost = gnt_nn_add(g, cost, gnt_nn_norm(g, grad[2], 1e-3));
    gnt_node over[3] = {t->in[0], t->in[2], t->in[7]};
    gnt_nn_vjp(g, &cost, NULL, 1, over, 3, d);
    const gnt_node out[OUTPUTS] = {s, grad[1], grad[2], cost, d[0], d[1], gnt_nn_sum(g, a, 1)};
    memcpy(t->out, out, sizeof out);
    assert_null(gnt_graph_error(g));
}

static void drop(net *t) {
    for (int i = 0; i < INPUTS; i++) {
        gnt_free_aligned(t->v[i]);
        gnt_free_aligned(t->exact[i]);
    }
    gnt_graph_free(t->g);
}

static gnt_program *compile(const net *t, int32_t precision, int plain) {
    const int32_t stage[OUTPUTS] = {1, 1, 1, 1, 1, 1, 1};
    gnt_program *p = plain ? gnt_program_new_plain(t->g, t->out, stage, OUTPUTS, precision, NULL, 0)
                           : gnt_program_new(t->g, t->out, stage, OUTPUTS, precision, NULL, 0);
    assert_non_null(p);
    for (int i = 0; i < INPUTS; i++)
        gnt_program_bind(p, t->in[i], precision == 8 ? (void *)t->exact[i] : (void *)t->v[i]);
    assert_int_equal(gnt_program_run(p, 0), 0);
    assert_int_equal(gnt_program_run(p, 1), 0);
    return p;
}

static void judge(const net *t, const gnt_program *p, const gnt_program *exact, uint64_t seed) {
    for (int i = 0; i < OUTPUTS; i++) {
        gnt_nn_shape s = gnt_nn_shape_of(t->g, t->out[i]);
        const float *a = gnt_program_output(p, i);
        const double *b = gnt_program_output(exact, i);
        double off = 0, size = 0;
        for (int64_t j = 0; j < gnt_nn_count(&s); j++) {
            off += ((double)a[j] - b[j]) * ((double)a[j] - b[j]);
            size += b[j] * b[j];
        }
        if (!(sqrt(off) <= (i < 4 ? 1e-5 : 1e-4) * sqrt(size)))
            fail_msg("seed %lu, output %d: off by %g of %g", (unsigned long)seed, i, sqrt(off), sqrt(size));
    }
}

static void test_programs(void **state) {
    (void)state;
    for (uint64_t seed = 40; seed < 52; seed++) {
        net t;
        build(&t, seed, seed >= 46);
        gnt_program *exact = compile(&t, 8, 1);
        for (int blas = 0; blas < 2; blas++) {
            blas ? setenv("GAUNTLET_CONV", "blas", 1) : unsetenv("GAUNTLET_CONV");
            gnt_program *p = compile(&t, 4, 0);
            judge(&t, p, exact, seed);
            gnt_program_free(p);
        }
        unsetenv("GAUNTLET_CONV");
        gnt_program_free(exact);
        drop(&t);
    }
}

/* Two layers of 4×4 on constant weights, of which one reader wants blocks; their outputs, and the gradient by
 * x. */
static void test_constant_weights(void **state) {
    (void)state;
    gnt_key key = gnt_key_of_seed(33);
    gnt_stream r = gnt_stream_open(&key, "held");
    gnt_graph *g = gnt_graph_new();
    const int64_t dim[3][4] = {{1, 96, 8, 8}, {176, 96, 3, 3}, {176, 176, 3, 3}};
    gnt_node in[3], out[3];
    float *v[3];
    double *exact[3];
    for (int i = 0; i < 3; i++) {
        int64_t size = dim[i][0] * dim[i][1] * dim[i][2] * dim[i][3];
        in[i] = gnt_nn_input(g, "in", 4, dim[i], 0);
        if (i > 0)
            gnt_nn_hold(g, in[i]);
        v[i] = noise(&r, size);
        exact[i] = gnt_aligned((size_t)size, sizeof(double));
        for (int64_t j = 0; j < size; j++) {
            v[i][j] *= i > 0 ? 0.03125f : 1; /* so that no tanh is near 1, where its slope has few digits */
            exact[i][j] = (double)v[i][j];
        }
    }
    gnt_node h = gnt_nn_conv(g, in[0], in[1], 2, 1);
    out[0] = gnt_nn_conv(g, gnt_nn_softplus(g, h), in[2], 1, 1);
    out[1] = gnt_nn_conv(g, gnt_nn_tanh(g, gnt_nn_add(g, out[0], h)), in[2], 1, 1);
    gnt_node s = gnt_nn_mean_all(g, gnt_nn_square(g, out[1]));
    gnt_nn_vjp(g, &s, NULL, 1, in, 1, &out[2]);
    gnt_program *p = gnt_program_new(g, out, NULL, 3, 4, NULL, 0),
                *q = gnt_program_new_plain(g, out, NULL, 3, 8, NULL, 0);
    assert_true(p && q);
    for (int i = 0; i < 3; i++) {
        gnt_program_bind(p, in[i], v[i]);
        gnt_program_bind(q, in[i], exact[i]);
    }
    assert_int_equal(gnt_program_run(p, 0) | gnt_program_run(q, 0), 0);
    for (int i = 0; i < 3; i++) {
        gnt_nn_shape shape = gnt_nn_shape_of(g, out[i]);
        const float *a = gnt_program_output(p, i);
        const double *b = gnt_program_output(q, i);
        double off = 0, size = 0;
        for (int64_t j = 0; j < gnt_nn_count(&shape); j++) {
            off += ((double)a[j] - b[j]) * ((double)a[j] - b[j]);
            size += b[j] * b[j];
        }
        if (!(sqrt(off) <= 1e-5 * sqrt(size)))
            fail_msg("output %d: off by %g of %g", i, sqrt(off), sqrt(size));
    }
    gnt_program_free(p);
    gnt_program_free(q);
    gnt_graph_free(g);
    for (int i = 0; i < 3; i++) {
        gnt_free_aligned(v[i]);
        gnt_free_aligned(exact[i]);
    }
}

/* The library makes a list of arguments for each call, and frees it. */
static void test_replay(void **state) {
    (void)state;
    gnt_dnnl_close(library_or_skip());
    net t;
    build(&t, 50, 0);
    gnt_program *p = compile(&t, 4, 0);
    gnt_nn_shape s = gnt_nn_shape_of(t.g, t.out[5]);
    size_t bytes = (size_t)gnt_nn_count(&s) * sizeof(float);
    float *first = malloc(bytes);
    memcpy(first, gnt_program_output(p, 5), bytes);
    size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
    for (int turn = 0; turn < 10; turn++)
        gnt_program_run(p, 1);
    assert_int_equal(mallinfo2().uordblks + mallinfo2().hblkhd, before);
    assert_memory_equal(first, gnt_program_output(p, 5), bytes);
    gnt_program *again = compile(&t, 4, 0);
    assert_memory_equal(first, gnt_program_output(again, 5), bytes);
    gnt_program_free(p);
    gnt_program_free(again);
    free(first);
    drop(&t);
}

static void test_choice(void **state) {
    (void)state;
    gnt_dnnl *d = library();
    char error[200] = "";
    int there = d != NULL;
    gnt_dnnl_close(d);
    setenv("GAUNTLET_CONV", "dnnl", 1);
    assert_int_equal(gnt_dnnl_open(&d, 1, error, sizeof error), there ? 0 : -1);
    assert_true(there == (d != NULL) && there == !strstr(error, "GAUNTLET_CONV"));
    gnt_dnnl_close(d);
    setenv("GAUNTLET_CONV", "blas", 1);
    assert_int_equal(gnt_dnnl_open(&d, 1, error, sizeof error), 0);
    assert_null(d);
    setenv("GAUNTLET_CONV", "winograd", 1);
    assert_int_equal(gnt_dnnl_open(&d, 1, error, sizeof error), -1);
    assert_non_null(strstr(error, "blas or dnnl"));
    unsetenv("GAUNTLET_CONV");
}

/* A width that is none stops a program, rather than choosing other kernels. */
static void test_width(void **state) {
    (void)state;
    const char *given = getenv("GAUNTLET_VECTORS");
    char *before = given ? strdup(given) : NULL, error[200] = "";
    gnt_graph *g = gnt_graph_new();
    gnt_node x = gnt_nn_input(g, "x", 1, (int64_t[]){1}, 0);
    setenv("GAUNTLET_VECTORS", "300", 1);
    assert_null(gnt_program_new(g, &x, NULL, 1, 4, error, sizeof error));
    assert_non_null(strstr(error, "128, 256 or 512"));
    before ? setenv("GAUNTLET_VECTORS", before, 1) : unsetenv("GAUNTLET_VECTORS");
    gnt_program *p = gnt_program_new(g, &x, NULL, 1, 4, error, sizeof error);
    assert_non_null(p);
    gnt_program_free(p);
    gnt_graph_free(g);
    free(before);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copies),           cmocka_unit_test(test_faces),
        cmocka_unit_test(test_winograd),         cmocka_unit_test(test_programs),
        cmocka_unit_test(test_constant_weights), cmocka_unit_test(test_replay),
        cmocka_unit_test(test_choice),           cmocka_unit_test(test_width),
    };
    return narrower_too(cmocka_run_group_tests_name("blocked", tests, NULL, NULL));
}
