/* grad: every primitive and composite against central differences in double, first and second order, away
 * from kinks; values at kinks; JVP against VJP; zero gradients; missing paths.
 *
 * A case builds y from up to three inputs. With fixed random r and s,
 *   L = Σ r·y,  G = ∇L,  M = Σ s·G:  G is compared with differences of L, ∇M with differences of M. */
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

enum { INPUTS = 3 };

typedef struct grad_case {
    const char *name;
    gnt_node (*build)(gnt_graph *g, const gnt_node *in);
    gnt_nn_shape shape[INPUTS]; /* rank −1 ends the list; a zero-initialised shape is a scalar */
    double least, most;         /* inputs are drawn from [least, most) */
    int linear; /* the second derivative is zero everywhere: differences must agree that it is */
} grad_case;

#define NONE                                                                                                 \
    {                                                                                                        \
        -1, {                                                                                                \
            0                                                                                                \
        }                                                                                                    \
    }
#define IN gnt_graph *g, const gnt_node *in
#define CASE(name, body)                                                                                     \
    static gnt_node build_##name(IN) {                                                                       \
        return body;                                                                                         \
    }

CASE(affine, gnt_nn_affine(g, in[0], -2.5, 0.75))
CASE(exp, gnt_nn_exp(g, in[0]))
CASE(log, gnt_nn_log(g, in[0]))
CASE(sqrt, gnt_nn_sqrt(g, in[0], 0.25))
CASE(sigmoid, gnt_nn_sigmoid(g, in[0]))
CASE(tanh, gnt_nn_tanh(g, in[0]))
CASE(erf, gnt_nn_erf(g, in[0]))
CASE(softplus, gnt_nn_softplus(g, in[0]))
CASE(relu, gnt_nn_relu(g, gnt_nn_mul(g, in[0], in[0])))
CASE(relu_minus, gnt_nn_mul(g, gnt_nn_relu(g, gnt_nn_affine(g, in[0], -1, 0)), in[0]))
CASE(relu_both, gnt_nn_square(g, gnt_nn_relu(g, in[0])))
CASE(leaky, gnt_nn_square(g, gnt_nn_leaky_relu(g, in[0], 0.2)))
CASE(abs, gnt_nn_mul(g, gnt_nn_abs(g, in[0]), in[0]))
CASE(step_sign,
     gnt_nn_mul(g, gnt_nn_add(g, gnt_nn_step(g, in[0]), gnt_nn_sign(g, in[0])), gnt_nn_exp(g, in[0])))
CASE(add, gnt_nn_exp(g, gnt_nn_add(g, in[0], in[1])))
CASE(sub, gnt_nn_exp(g, gnt_nn_sub(g, in[0], in[1])))
CASE(mul, gnt_nn_mul(g, gnt_nn_mul(g, in[0], in[1]), in[0]))
CASE(div, gnt_nn_div(g, in[0], in[1]))
CASE(sum, gnt_nn_exp(g, gnt_nn_sum(g, in[0], 1u << 0 | 1u << 2)))
CASE(sum_mid, gnt_nn_exp(g, gnt_nn_sum(g, in[0], 1u << 1)))
CASE(expand, gnt_nn_exp(g, gnt_nn_expand(g, in[0], 3, (int64_t[]){4, 3, 2})))
CASE(reshape, gnt_nn_square(g, gnt_nn_reshape(g, in[0], 2, (int64_t[]){4, 6})))
CASE(permute, gnt_nn_mul(g, gnt_nn_permute(g, in[0], (int32_t[]){2, 0, 1}), in[1]))
CASE(slice, gnt_nn_square(g, gnt_nn_slice(g, in[0], 1, 1, 3)))
CASE(slice_first, gnt_nn_square(g, gnt_nn_slice(g, in[0], 0, 1, 2)))
CASE(pad, gnt_nn_exp(g, gnt_nn_pad(g, in[0], 2, 1, 2)))
CASE(concat, gnt_nn_square(g, gnt_nn_concat(g, (gnt_node[]){in[0], in[1], in[0]}, 3, 1)))
CASE(matmul, gnt_nn_matmul(g, in[0], 0, in[1], 0))
CASE(matmul_ta, gnt_nn_matmul(g, in[0], 1, in[1], 0))
CASE(matmul_tb, gnt_nn_matmul(g, in[0], 0, in[1], 1))
CASE(matmul_tt, gnt_nn_matmul(g, in[0], 1, in[1], 1))
CASE(matmul_self, gnt_nn_matmul(g, in[0], 0, in[0], 1))
CASE(conv, gnt_nn_conv(g, in[0], in[1], 1, 1))
CASE(conv_stride, gnt_nn_conv(g, in[0], in[1], 2, 1))
CASE(conv_point, gnt_nn_conv(g, in[0], in[1], 1, 0))
CASE(conv_dx, gnt_nn_conv_dx(g, in[0], in[1], 6, 5, 2, 1))
CASE(conv_dw, gnt_nn_conv_dw(g, in[0], in[1], 3, 2, 2, 1))
CASE(conv_chain,
     gnt_nn_tanh(g, gnt_nn_conv(g, gnt_nn_sigmoid(g, gnt_nn_conv(g, in[0], in[1], 2, 2)), in[2], 1, 1)))
/* stride, padding and dilation of height and width, groups: no two alike where it can be */
static const gnt_nn_window uneven = {{2, 1}, {1, 2}, {1, 2}, 1}, grouped = {{1, 1}, {1, 1}, {1, 1}, 2},
                           depthwise = {{2, 2}, {1, 1}, {1, 1}, 4}, dilated = {{1, 1}, {2, 2}, {2, 2}, 1},
                           both = {{1, 2}, {2, 0}, {2, 1}, 2}, plain = {{2, 2}, {1, 1}, {1, 1}, 1};
CASE(conv_uneven, gnt_nn_general_conv(g, in[0], in[1], &uneven))
CASE(conv_grouped, gnt_nn_general_conv(g, in[0], in[1], &grouped))
CASE(conv_depthwise, gnt_nn_general_conv(g, in[0], in[1], &depthwise))
CASE(conv_dilated, gnt_nn_general_conv(g, in[0], in[1], &dilated))
CASE(conv_both, gnt_nn_general_conv(g, in[0], in[1], &both))
CASE(conv_both_dx, gnt_nn_general_conv_dx(g, in[0], in[1], 5, 7, &both))
CASE(conv_both_dw, gnt_nn_general_conv_dw(g, in[0], in[1], 3, 2, &both))
CASE(conv_transpose, gnt_nn_conv_transpose(g, in[0], in[1], (int32_t[]){1, 0}, &plain))
CASE(conv_transpose_both, gnt_nn_conv_transpose(g, in[0], in[1], (int32_t[]){0, 1}, &both))
CASE(max_pool, gnt_nn_square(g, gnt_nn_max_pool(g, in[0], 2, 3, 2, 1, 1, 1, 1)))
CASE(avg_pool, gnt_nn_exp(g, gnt_nn_avg_pool(g, in[0], 3, 2, 2, 1, 1, 1, 0, 1)))
CASE(avg_pool_inner, gnt_nn_exp(g, gnt_nn_avg_pool(g, in[0], 3, 2, 2, 2, 1, 1, 1, 0)))
CASE(adaptive_pool, gnt_nn_exp(g, gnt_nn_adaptive_avg_pool(g, in[0], 2, 3)))
CASE(adaptive_pool_even, gnt_nn_exp(g, gnt_nn_adaptive_avg_pool(g, in[0], 2, 1)))
CASE(upsample, gnt_nn_exp(g, gnt_nn_upsample(g, in[0], 3)))
CASE(log_sum_exp, gnt_nn_log_sum_exp(g, in[0]))
CASE(gather, gnt_nn_exp(g, gnt_nn_gather(g, in[0], gnt_nn_argmax(g, in[1]))))
CASE(scatter, gnt_nn_exp(g, gnt_nn_scatter(g, in[0], gnt_nn_argmax(g, in[1]), 5)))
CASE(square, gnt_nn_square(g, in[0]))
CASE(sum_all, gnt_nn_sum_all(g, gnt_nn_exp(g, in[0])))
CASE(mean_all, gnt_nn_mean_all(g, gnt_nn_exp(g, in[0])))
CASE(dot, gnt_nn_dot(g, in[0], gnt_nn_exp(g, in[1])))
CASE(norm, gnt_nn_norm(g, in[0], 1e-3))
CASE(dense, gnt_nn_tanh(g, gnt_nn_dense(g, in[0], in[1], in[2])))
CASE(bias, gnt_nn_exp(g, gnt_nn_bias(g, in[0], in[1])))
static gnt_node build_batch_norm_eval(IN) {
    gnt_node var = gnt_nn_exp(g, in[2]);
    return gnt_nn_batch_norm_eval(g, in[0], in[1], var, in[2], in[1], 1e-5);
}
static gnt_node build_batch_norm_train(IN) {
    return gnt_nn_batch_norm_train(g, in[0], in[1], in[2], 1e-5, NULL, NULL);
}
static gnt_node build_batch_norm_stats(IN) {
    gnt_node mean, var;
    gnt_nn_batch_norm_train(g, in[0], -1, -1, 1e-5, &mean, &var);
    return gnt_nn_concat(g, (gnt_node[]){gnt_nn_square(g, mean), var}, 2, 0);
}
CASE(standardise, gnt_nn_standardise(g, in[0], 1u << 1 | 1u << 2, 1e-5))
CASE(group_norm, gnt_nn_group_norm(g, in[0], 2, 1e-5))
CASE(gelu, gnt_nn_gelu(g, in[0]))
CASE(gelu_tanh, gnt_nn_gelu_tanh(g, in[0]))
CASE(silu, gnt_nn_silu(g, in[0]))
CASE(softmax_channels, gnt_nn_softmax_channels(g, in[0]))
CASE(softmax, gnt_nn_softmax(g, in[0]))
CASE(cross_entropy, gnt_nn_cross_entropy(g, in[0], gnt_nn_softmax(g, in[1])))
CASE(binary_cross_entropy, gnt_nn_binary_cross_entropy(g, in[0], gnt_nn_sigmoid(g, in[1])))
CASE(mse, gnt_nn_mse(g, in[0], gnt_nn_exp(g, in[1])))
CASE(total_variation, gnt_nn_total_variation(g, gnt_nn_mul(g, in[0], in[0])))
CASE(cosine, gnt_nn_cosine_distance(g, (gnt_node[]){in[0], in[1]}, (gnt_node[]){in[1], in[2]}, 2, 1e-9))
CASE(scalar, gnt_nn_mul(g, gnt_nn_exp(g, in[0]), gnt_nn_sqrt(g, in[0], 3)))

#define S1(a)                                                                                                \
    {                                                                                                        \
        1, {                                                                                                 \
            a                                                                                                \
        }                                                                                                    \
    }
#define S2(a, b)                                                                                             \
    {                                                                                                        \
        2, {                                                                                                 \
            a, b                                                                                             \
        }                                                                                                    \
    }
#define S3(a, b, c)                                                                                          \
    {                                                                                                        \
        3, {                                                                                                 \
            a, b, c                                                                                          \
        }                                                                                                    \
    }
#define S4(a, b, c, d)                                                                                       \
    {                                                                                                        \
        4, {                                                                                                 \
            a, b, c, d                                                                                       \
        }                                                                                                    \
    }
#define ROW(name) #name, build_##name

static const grad_case cases[] = {
    {ROW(affine), {S2(3, 4), NONE}, -1, 1, 1},
    {ROW(exp), {S2(3, 4), NONE}, -1, 1, 0},
    {ROW(log), {S2(3, 4), NONE}, 0.3, 2, 0},
    {ROW(sqrt), {S2(3, 4), NONE}, 0.1, 2, 0},
    {ROW(sigmoid), {S2(3, 4), NONE}, -4, 4, 0},
    {ROW(tanh), {S2(3, 4), NONE}, -3, 3, 0},
    {ROW(erf), {S2(3, 4), NONE}, -3, 3, 0},
    {ROW(softplus), {S2(3, 4), NONE}, -4, 4, 0},
    {ROW(relu), {S2(3, 4), NONE}, 0.2, 1, 0},
    {ROW(relu_minus), {S2(3, 4), NONE}, -1, -0.1, 0},
    {ROW(relu_both), {S2(5, 8), NONE}, -1, 1, 0},
    {ROW(leaky), {S2(5, 8), NONE}, -1, 1, 0},
    {ROW(abs), {S2(5, 8), NONE}, -1, 1, 0},
    {ROW(step_sign), {S2(5, 8), NONE}, -1, 1, 0},
    {ROW(add), {S2(3, 4), S2(3, 4), NONE}, -1, 1, 0},
    {ROW(sub), {S2(3, 4), S2(3, 4), NONE}, -1, 1, 0},
    {ROW(mul), {S2(3, 4), S2(3, 4), NONE}, -1, 1, 0},
    {ROW(div), {S2(3, 4), S2(3, 4), NONE}, 0.5, 2, 0},
    {ROW(sum), {S3(4, 3, 2), NONE}, -0.5, 0.5, 0},
    {ROW(sum_mid), {S3(4, 3, 2), NONE}, -0.5, 0.5, 0},
    {ROW(expand), {S3(1, 3, 1), NONE}, -1, 1, 0},
    {ROW(reshape), {S3(4, 3, 2), NONE}, -1, 1, 0},
    {ROW(permute), {S3(4, 3, 2), S3(2, 4, 3), NONE}, -1, 1, 0},
    {ROW(slice), {S3(2, 4, 3), NONE}, -1, 1, 0},
    {ROW(slice_first), {S3(3, 4, 2), NONE}, -1, 1, 0},
    {ROW(pad), {S3(2, 4, 3), NONE}, -1, 1, 0},
    {ROW(concat), {S3(2, 2, 3), S3(2, 1, 3), NONE}, -1, 1, 0},
    {ROW(matmul), {S2(3, 4), S2(4, 5), NONE}, -1, 1, 0},
    {ROW(matmul_ta), {S2(4, 3), S2(4, 5), NONE}, -1, 1, 0},
    {ROW(matmul_tb), {S2(3, 4), S2(5, 4), NONE}, -1, 1, 0},
    {ROW(matmul_tt), {S2(4, 3), S2(5, 4), NONE}, -1, 1, 0},
    {ROW(matmul_self), {S2(3, 4), NONE}, -1, 1, 0},
    {ROW(conv), {S4(2, 3, 5, 4), S4(2, 3, 3, 3), NONE}, -1, 1, 0},
    {ROW(conv_stride), {S4(2, 2, 6, 5), S4(3, 2, 3, 2), NONE}, -1, 1, 0},
    {ROW(conv_point), {S4(2, 3, 3, 4), S4(4, 3, 1, 1), NONE}, -1, 1, 0},
    {ROW(conv_dx), {S4(2, 3, 3, 3), S4(3, 2, 3, 2), NONE}, -1, 1, 0},
    {ROW(conv_dw), {S4(2, 2, 6, 5), S4(2, 3, 3, 3), NONE}, -1, 1, 0},
    {ROW(conv_chain), {S4(1, 2, 8, 8), S4(3, 2, 5, 5), S4(2, 3, 3, 3)}, -0.5, 0.5, 0},
    {ROW(conv_uneven), {S4(2, 3, 5, 4), S4(2, 3, 3, 2), NONE}, -1, 1, 0},
    {ROW(conv_grouped), {S4(2, 4, 5, 4), S4(6, 2, 3, 3), NONE}, -1, 1, 0},
    {ROW(conv_depthwise), {S4(2, 4, 5, 4), S4(8, 1, 3, 3), NONE}, -1, 1, 0},
    {ROW(conv_dilated), {S4(2, 2, 6, 5), S4(3, 2, 3, 3), NONE}, -1, 1, 0},
    {ROW(conv_both), {S4(2, 4, 5, 7), S4(6, 2, 3, 2), NONE}, -1, 1, 0},
    {ROW(conv_both_dx), {S4(2, 6, 5, 3), S4(6, 2, 3, 2), NONE}, -1, 1, 0},
    {ROW(conv_both_dw), {S4(2, 4, 5, 7), S4(2, 6, 5, 3), NONE}, -1, 1, 0},
    {ROW(conv_transpose), {S4(2, 3, 3, 4), S4(3, 2, 3, 3), NONE}, -1, 1, 0},
    {ROW(conv_transpose_both), {S4(2, 4, 5, 3), S4(4, 3, 3, 2), NONE}, -1, 1, 0},
    {ROW(max_pool), {S4(2, 2, 5, 6), NONE}, -1, 1, 0},
    {ROW(avg_pool), {S4(2, 2, 5, 4), NONE}, -1, 1, 0},
    {ROW(avg_pool_inner), {S4(2, 2, 6, 5), NONE}, -1, 1, 0},
    {ROW(adaptive_pool), {S4(2, 2, 5, 7), NONE}, -1, 1, 0},
    {ROW(adaptive_pool_even), {S4(2, 2, 4, 3), NONE}, -1, 1, 0},
    {ROW(upsample), {S4(2, 2, 2, 3), NONE}, -1, 1, 0},
    {ROW(log_sum_exp), {S3(2, 3, 4), NONE}, -2, 2, 0},
    {ROW(gather), {S2(4, 5), S2(4, 5), NONE}, -1, 1, 0},
    {ROW(scatter), {S2(4, 1), S2(4, 5), NONE}, -1, 1, 0},
    {ROW(square), {S2(3, 4), NONE}, -1, 1, 0},
    {ROW(sum_all), {S2(3, 4), NONE}, -1, 1, 0},
    {ROW(mean_all), {S2(3, 4), NONE}, -1, 1, 0},
    {ROW(dot), {S2(3, 4), S2(3, 4), NONE}, -1, 1, 0},
    {ROW(norm), {S2(3, 4), NONE}, -1, 1, 0},
    {ROW(dense), {S2(3, 4), S2(5, 4), S1(5)}, -1, 1, 0},
    {ROW(bias), {S4(2, 3, 2, 2), S1(3), NONE}, -1, 1, 0},
    {ROW(batch_norm_eval), {S4(2, 3, 2, 2), S1(3), S1(3)}, -1, 1, 0},
    {ROW(batch_norm_train), {S4(3, 2, 2, 2), S1(2), S1(2)}, -1, 1, 0},
    {ROW(batch_norm_stats), {S4(3, 2, 2, 2), NONE}, -1, 1, 0},
    {ROW(standardise), {S3(2, 3, 4), NONE}, -1, 1, 0},
    {ROW(group_norm), {S4(2, 4, 2, 3), NONE}, -1, 1, 0},
    {ROW(gelu), {S2(3, 4), NONE}, -3, 3, 0},
    {ROW(gelu_tanh), {S2(3, 4), NONE}, -3, 3, 0},
    {ROW(silu), {S2(3, 4), NONE}, -3, 3, 0},
    {ROW(softmax_channels), {S4(2, 3, 2, 2), NONE}, -2, 2, 0},
    {ROW(softmax), {S2(3, 4), NONE}, -2, 2, 0},
    {ROW(cross_entropy), {S2(3, 4), S2(3, 4), NONE}, -2, 2, 0},
    {ROW(binary_cross_entropy), {S2(3, 4), S2(3, 4), NONE}, -2, 2, 0},
    {ROW(mse), {S2(3, 4), S2(3, 4), NONE}, -1, 1, 0},
    {ROW(total_variation), {S4(2, 2, 4, 5), NONE}, -1, 1, 0},
    {ROW(cosine), {S2(3, 4), S2(3, 4), S2(3, 4)}, -1, 1, 0},
    {ROW(scalar), {{0, {0}}, NONE}, -1, 1, 0},
};

/* One case compiled: outputs L, M, G of each input, ∇M of each input. */
typedef struct made {
    gnt_program *p;
    int32_t n;
    gnt_node in[INPUTS];
    int64_t count[INPUTS];
    double *value[INPUTS];
} made;

static gnt_node random_data(gnt_graph *g, gnt_nn_shape s, gnt_stream *r) {
    int64_t n = gnt_nn_count(&s);
    double *v = malloc((size_t)n * sizeof *v);
    for (int64_t i = 0; i < n; i++)
        v[i] = 2 * gnt_random_uniform(r) - 1;
    gnt_node node = gnt_nn_data(g, s.rank, s.dim, v);
    free(v);
    return node;
}

static void make(made *m, const grad_case *c) {
    gnt_key key = gnt_key_of_seed(7);
    gnt_stream r = gnt_stream_open(&key, c->name);
    gnt_graph *g = gnt_graph_new();
    *m = (made){0};
    while (m->n < INPUTS && c->shape[m->n].rank >= 0) {
        const gnt_nn_shape *s = &c->shape[m->n];
        m->in[m->n] = gnt_nn_input(g, "x", s->rank, s->dim, 0);
        m->count[m->n] = gnt_nn_count(s);
        m->value[m->n] = malloc((size_t)m->count[m->n] * sizeof(double));
        for (int64_t i = 0; i < m->count[m->n]; i++)
            m->value[m->n][i] = c->least + (c->most - c->least) * gnt_random_uniform(&r);
        m->n++;
    }
    gnt_node y = c->build(g, m->in);
    if (y < 0)
        fail_msg("%s: %s", c->name, gnt_graph_error(g));
    gnt_node out[2 + 2 * INPUTS];
    out[0] = gnt_nn_dot(g, y, random_data(g, gnt_nn_shape_of(g, y), &r));
    gnt_node *first = out + 2, *second = out + 2 + m->n;
    gnt_nn_vjp(g, out, NULL, 1, m->in, m->n, first);
    out[1] = gnt_nn_fill(g, 0, NULL, 0);
    for (int32_t i = 0; i < m->n; i++) {
        gnt_nn_shape s = gnt_nn_shape_of(g, m->in[i]);
        out[1] = gnt_nn_add(g, out[1], gnt_nn_dot(g, first[i], random_data(g, s, &r)));
    }
    if (gnt_nn_vjp(g, out + 1, NULL, 1, m->in, m->n, second))
        fail_msg("%s: %s", c->name, gnt_graph_error(g));
    char error[512] = "";
    m->p = gnt_program_new(g, out, NULL, 2 + 2 * m->n, 8, error, sizeof error);
    if (!m->p)
        fail_msg("%s: %s", c->name, error);
    for (int32_t i = 0; i < m->n; i++)
        gnt_program_bind(m->p, m->in[i], m->value[i]);
    gnt_graph_free(g);
}

static void unmake(made *m) {
    for (int32_t i = 0; i < m->n; i++)
        free(m->value[i]);
    gnt_program_free(m->p);
}

static double scalar(made *m, int32_t output) {
    gnt_program_run(m->p, 0);
    return *(const double *)gnt_program_output(m->p, output);
}

/* ‖a − b‖ / ‖b‖ over all inputs, a the rule's, b by central differences of `output`. */
static double mismatch(made *m, int32_t output, int32_t gradient, double *size) {
    const double h = 1e-5;
    double wrong = 0, right = 0;
    for (int32_t i = 0; i < m->n; i++)
        for (int64_t j = 0; j < m->count[i]; j++) {
            double kept = m->value[i][j];
            m->value[i][j] = kept + h;
            double up = scalar(m, output);
            m->value[i][j] = kept - h;
            double down = scalar(m, output);
            m->value[i][j] = kept;
            gnt_program_run(m->p, 0);
            double rule = ((const double *)gnt_program_output(m->p, gradient + i))[j],
                   d = (up - down) / (2 * h);
            wrong += (rule - d) * (rule - d);
            right += d * d;
        }
    *size = sqrt(right);
    return sqrt(wrong);
}

static void test_differences(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        made m;
        make(&m, &cases[k]);
        double size, wrong = mismatch(&m, 0, 2, &size);
        if (!(size > 1e-3) || !(wrong <= 1e-6 * size))
            fail_msg("%s: first order: off by %g of %g", cases[k].name, wrong, size);
        wrong = mismatch(&m, 1, 2 + m.n, &size);
        int good = cases[k].linear ? size < 1e-9 && wrong < 1e-9 : size > 1e-3 && wrong <= 1e-5 * size;
        if (!good)
            fail_msg("%s: second order: off by %g of %g", cases[k].name, wrong, size);
        unmake(&m);
    }
}

/* Runs a graph without inputs and copies out the values of `n` outputs of one entry each. */
static void evaluate(gnt_graph *g, const gnt_node *out, int32_t n, double *value) {
    char error[512] = "";
    gnt_program *p = gnt_program_new(g, out, NULL, n, 8, error, sizeof error);
    if (!p)
        fail_msg("%s", error);
    assert_int_equal(gnt_program_run(p, 0), 0);
    for (int32_t i = 0; i < n; i++)
        value[i] = *(const double *)gnt_program_output(p, i);
    gnt_program_free(p);
}

static gnt_node number(gnt_graph *g, double value) {
    return gnt_nn_data(g, 0, NULL, &value);
}

/* At 0: relu′ = 0, leaky′ = slope, abs′ = 0, step = sign = 0 with derivative 0. */
static void test_kinks(void **state) {
    (void)state;
    gnt_graph *g = gnt_graph_new();
    gnt_node x = number(g, 0), out[8];
    gnt_node y[5] = {gnt_nn_relu(g, x), gnt_nn_leaky_relu(g, x, 0.3), gnt_nn_abs(g, x), gnt_nn_step(g, x),
                     gnt_nn_sign(g, x)};
    for (int i = 0; i < 5; i++)
        assert_int_equal(gnt_nn_vjp(g, &y[i], NULL, 1, &x, 1, &out[i]), 0);
    memcpy(out + 5, y + 2, 3 * sizeof *y);
    double v[8];
    evaluate(g, out, 8, v);
    const double expected[8] = {0, 0.3, 0, 0, 0, 0, 0, 0};
    for (int i = 0; i < 8; i++)
        assert_true(v[i] == expected[i]);
    gnt_graph_free(g);
}

/* ∂³/∂x³ and mixed partials of a three-variable function known in closed form: f = exp(a·b) + c³/b. */
static void test_third_order(void **state) {
    (void)state;
    double va = 0.3, vb = 0.7, vc = 1.1;
    gnt_graph *g = gnt_graph_new();
    gnt_node x[3] = {number(g, va), number(g, vb), number(g, vc)};
    gnt_node c3 = gnt_nn_mul(g, gnt_nn_square(g, x[2]), x[2]);
    gnt_node f = gnt_nn_add(g, gnt_nn_exp(g, gnt_nn_mul(g, x[0], x[1])), gnt_nn_div(g, c3, x[1]));
    gnt_node d1[3], d2[3], d3[3];
    gnt_nn_vjp(g, &f, NULL, 1, x, 3, d1);
    gnt_nn_vjp(g, &d1[1], NULL, 1, x, 3, d2); /* ∂b then a, b, c */
    gnt_nn_vjp(g, &d2[1], NULL, 1, x, 3, d3); /* ∂b² then a, b, c */
    gnt_node out[6] = {d2[0], d2[1], d2[2], d3[0], d3[1], d3[2]};
    double v[6], e = exp(va * vb);
    evaluate(g, out, 6, v);
    const double expected[6] = {e * (1 + va * vb),
                                va * va * e + 2 * vc * vc * vc / (vb * vb * vb),
                                -3 * vc * vc / (vb * vb),
                                2 * va * e + va * va * vb * e,
                                va * va * va * e - 6 * vc * vc * vc / pow(vb, 4),
                                6 * vc * vc / (vb * vb * vb)};
    for (int i = 0; i < 6; i++)
        assert_true(fabs(v[i] - expected[i]) < 1e-12 * fabs(expected[i]) + 1e-13);
    gnt_graph_free(g);
}

/* ⟨u, J v⟩ = ⟨Jᵀ u, v⟩ for a network of every kind of layer. */
static void test_adjoint_identity(void **state) {
    (void)state;
    gnt_key key = gnt_key_of_seed(11);
    gnt_stream r = gnt_stream_open(&key, "adjoint");
    gnt_graph *g = gnt_graph_new();
    gnt_nn_shape sx = S4(2, 2, 6, 6), sw = S4(3, 2, 3, 3), sd = S2(4, 12);
    gnt_node x[3] = {random_data(g, sx, &r), random_data(g, sw, &r), random_data(g, sd, &r)};
    gnt_node v[3] = {random_data(g, sx, &r), random_data(g, sw, &r), random_data(g, sd, &r)};
    gnt_node h = gnt_nn_conv(g, x[0], x[1], 1, 1);
    h = gnt_nn_batch_norm_train(g, h, -1, -1, 1e-5, NULL, NULL);
    h = gnt_nn_max_pool(g, gnt_nn_leaky_relu(g, h, 0.1), 3, 3, 2, 2, 1, 1, 0);
    h = gnt_nn_avg_pool(g, gnt_nn_upsample(g, h, 2), 3, 3, 3, 3, 0, 0, 0, 0);
    h = gnt_nn_reshape(g, h, 2, (int64_t[]){2, 12});
    gnt_node y[2] = {gnt_nn_softmax(g, gnt_nn_dense(g, h, x[2], -1)), gnt_nn_norm(g, h, 1e-6)};
    gnt_node u[2] = {random_data(g, gnt_nn_shape_of(g, y[0]), &r),
                     random_data(g, gnt_nn_shape_of(g, y[1]), &r)};
    gnt_node dy[2], dx[3];
    assert_int_equal(gnt_nn_jvp(g, y, 2, x, v, 3, dy), 0);
    assert_int_equal(gnt_nn_vjp(g, y, u, 2, x, 3, dx), 0);
    gnt_node out[2];
    out[0] = gnt_nn_add(g, gnt_nn_dot(g, u[0], dy[0]), gnt_nn_dot(g, u[1], dy[1]));
    out[1] = gnt_nn_add(g, gnt_nn_add(g, gnt_nn_dot(g, dx[0], v[0]), gnt_nn_dot(g, dx[1], v[1])),
                        gnt_nn_dot(g, dx[2], v[2]));
    double value[2];
    evaluate(g, out, 2, value);
    assert_true(fabs(value[0]) > 1e-3 && fabs(value[0] - value[1]) < 1e-12 * fabs(value[0]));
    gnt_graph_free(g);
}

/* Norms of zero and total variation of a flat image are finite to third order. */
static void test_zero_gradients(void **state) {
    (void)state;
    gnt_graph *g = gnt_graph_new();
    double flat[12] = {0};
    gnt_node x = gnt_nn_data(g, 4, (int64_t[]){1, 1, 3, 4}, flat);
    gnt_node f[3] = {gnt_nn_norm(g, x, 1e-8), gnt_nn_total_variation(g, x),
                     gnt_nn_cosine_distance(g, &x, (gnt_node[]){gnt_nn_affine(g, x, 2, 0)}, 1, 1e-8)};
    gnt_node out[9];
    for (int i = 0; i < 3; i++) {
        gnt_node y = f[i];
        for (int order = 0; order < 3; order++) {
            gnt_node d;
            assert_int_equal(gnt_nn_vjp(g, &y, NULL, 1, &x, 1, &d), 0);
            y = gnt_nn_dot(g, d, gnt_nn_affine(g, x, 1, 0.5));
            out[3 * i + order] = y;
        }
    }
    double v[9];
    evaluate(g, out, 9, v);
    for (int i = 0; i < 9; i++)
        assert_true(isfinite(v[i]));
    assert_true(v[0] == 0 && v[3] == 0); /* x/‖x‖ and sign(0) are 0 here */
    gnt_graph_free(g);
}

/* What y does not depend on has a gradient of zeros; x may be an inner node; a node may be x and y at once.
 */
static void test_paths(void **state) {
    (void)state;
    gnt_graph *g = gnt_graph_new();
    gnt_node a = number(g, 2), b = number(g, 5), h = gnt_nn_exp(g, a), late = -1;
    gnt_node y = gnt_nn_mul(g, h, gnt_nn_add(g, a, h));
    gnt_node x[4] = {a, b, h, y}, d[4];
    assert_int_equal(gnt_nn_vjp(g, &y, NULL, 1, x, 4, d), 0);
    late = number(g, 1);
    gnt_node dlate;
    assert_int_equal(gnt_nn_vjp(g, &y, NULL, 1, &late, 1, &dlate), 0);
    gnt_node out[5] = {d[0], d[1], d[2], d[3], dlate};
    double v[5], e = exp(2);
    evaluate(g, out, 5, v);
    assert_true(fabs(v[0] - ((2 + 2 * e) * e + e)) < 1e-12 * v[0]);
    assert_true(v[1] == 0 && v[4] == 0 && v[3] == 1);
    assert_true(fabs(v[2] - (2 + 2 * e)) < 1e-13);
    gnt_graph_free(g);
}

static void test_misuse(void **state) {
    (void)state;
    gnt_graph *g = gnt_graph_new();
    gnt_node x = gnt_nn_input(g, "x", 2, (int64_t[]){2, 3}, 0), d;
    gnt_node y = gnt_nn_exp(g, x);
    assert_int_equal(gnt_nn_vjp(g, &y, NULL, 1, &x, 1, &d), -1); /* not a scalar, no u */
    assert_true(d < 0);
    assert_non_null(strstr(gnt_graph_error(g), "scalar"));
    gnt_graph_free(g);
    g = gnt_graph_new();
    x = gnt_nn_input(g, "x", 2, (int64_t[]){2, 3}, 0);
    gnt_node index = gnt_nn_argmax(g, x), u = gnt_nn_fill(g, 2, (int64_t[]){2, 1}, 1);
    assert_int_equal(gnt_nn_vjp(g, &index, &u, 1, &x, 1, &d), -1);
    assert_non_null(strstr(gnt_graph_error(g), "indices"));
    gnt_graph_free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_differences),    cmocka_unit_test(test_kinks),
        cmocka_unit_test(test_third_order),    cmocka_unit_test(test_adjoint_identity),
        cmocka_unit_test(test_zero_gradients), cmocka_unit_test(test_paths),
        cmocka_unit_test(test_misuse),
    };
    return cmocka_run_group_tests_name("grad", tests, NULL, NULL);
}
