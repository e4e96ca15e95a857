/* gauntlet/nn.h — the numeric toolkit: graphs that are closed under differentiation, programs that replay
 * them without allocation, and optimisers. Link with -lgauntlet-nn. Versioned by soname, without promises
 * before 1.0. (The plugin ABI, plugin.h, does not depend on this header and is the only header that a plugin
 * must include.)
 *
 * Laws
 *  - A graph is a list of nodes; a node's inputs come before it. Nodes are named by their index, a gnt_node.
 *  - Every builder returns the new node, or a negative number after an error. Errors stick: the first
 *    sentence is kept in the graph (gnt_graph_error), every later builder on a negative input returns
 *    negative too, so that one check at gnt_program_new is enough.
 *  - Shapes are row-major and static. Images are N×C×H×W. Rank is at most GNT_NN_RANK; rank 0 is a scalar.
 *  - Broadcasting is explicit (gnt_nn_expand); its adjoint is a sum, and vice versa.
 *  - The adjoint of every primitive is written in the same primitives, so gradients of gradients need no
 *    rules of their own.
 *    Steps, signs, masks and arg-max indices are constants under differentiation.
 *  - One thread at a time for a graph or a program. Different ones are independent. */
#ifndef GAUNTLET_NN_H
#define GAUNTLET_NN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GNT_NN_API __attribute__((visibility("default")))
#define GNT_NN_RANK 6

typedef int32_t gnt_node;
typedef struct gnt_graph gnt_graph;
typedef struct gnt_program gnt_program;

/* REAL: float, or double in a reference run. */
typedef enum gnt_nn_type { GNT_NN_REAL = 0, GNT_NN_I32 = 1 } gnt_nn_type;

typedef struct gnt_nn_shape {
    int32_t rank;
    int64_t dim[GNT_NN_RANK];
} gnt_nn_shape;

/* ---- graph ---- */

GNT_NN_API gnt_graph *gnt_graph_new(void); /* NULL when out of memory; the caller frees */
GNT_NN_API void gnt_graph_free(gnt_graph *g);
GNT_NN_API const char *gnt_graph_error(const gnt_graph *g); /* NULL if there is none; owned by the graph */
GNT_NN_API int32_t gnt_graph_size(const gnt_graph *g);
GNT_NN_API gnt_nn_shape gnt_nn_shape_of(const gnt_graph *g, gnt_node x); /* rank −1 for a bad node */
GNT_NN_API int64_t gnt_nn_count(const gnt_nn_shape *s);                  /* number of entries */

/* Leaves. An input is bound when a program runs; `stage` is the stage of the program that it is given at (see
 * gnt_program_new): 0 for ordinary inputs. */
GNT_NN_API gnt_node gnt_nn_input(gnt_graph *g, const char *name, int32_t rank, const int64_t *dim,
                                 int32_t stage);
/* Declares an input of stage 0 as constant: its entries do not change between runs. A program computes the
 * nodes that depend on constant inputs only once, at its first run, and again after one of them was bound to
 * another address or gnt_program_changed was called. Returns the input. */
GNT_NN_API gnt_node gnt_nn_hold(gnt_graph *g, gnt_node input);
GNT_NN_API gnt_node gnt_nn_fill(gnt_graph *g, int32_t rank, const int64_t *dim, double value);
/* Adds constant data; copies `values`. */
GNT_NN_API gnt_node gnt_nn_data(gnt_graph *g, int32_t rank, const int64_t *dim, const double *values);

/* Elementwise, one input. */
GNT_NN_API gnt_node gnt_nn_affine(gnt_graph *g, gnt_node x, double a, double b); /* a·x + b */
GNT_NN_API gnt_node gnt_nn_exp(gnt_graph *g, gnt_node x);
GNT_NN_API gnt_node gnt_nn_log(gnt_graph *g, gnt_node x);
GNT_NN_API gnt_node gnt_nn_sqrt(gnt_graph *g, gnt_node x, double eps); /* √(x + eps) */
GNT_NN_API gnt_node gnt_nn_sigmoid(gnt_graph *g, gnt_node x);
GNT_NN_API gnt_node gnt_nn_tanh(gnt_graph *g, gnt_node x);
GNT_NN_API gnt_node gnt_nn_erf(gnt_graph *g, gnt_node x);      /* 2/√π ∫₀ˣ exp(−t²) dt */
GNT_NN_API gnt_node gnt_nn_softplus(gnt_graph *g, gnt_node x); /* log(1 + eˣ), without overflow */
GNT_NN_API gnt_node gnt_nn_relu(gnt_graph *g, gnt_node x);     /* derivative at 0 is 0 */
GNT_NN_API gnt_node gnt_nn_leaky_relu(gnt_graph *g, gnt_node x, double slope);
GNT_NN_API gnt_node gnt_nn_step(gnt_graph *g, gnt_node x); /* 1 where x > 0, else 0; derivative 0 */
GNT_NN_API gnt_node gnt_nn_sign(gnt_graph *g, gnt_node x); /* −1, 0, 1; derivative 0 */
GNT_NN_API gnt_node gnt_nn_abs(gnt_graph *g, gnt_node x);  /* derivative sign(x) */

/* Elementwise, two inputs of the same shape. */
GNT_NN_API gnt_node gnt_nn_add(gnt_graph *g, gnt_node a, gnt_node b);
GNT_NN_API gnt_node gnt_nn_sub(gnt_graph *g, gnt_node a, gnt_node b);
GNT_NN_API gnt_node gnt_nn_mul(gnt_graph *g, gnt_node a, gnt_node b);
GNT_NN_API gnt_node gnt_nn_div(gnt_graph *g, gnt_node a, gnt_node b);

/* Shape. `axes` is a bit mask: bit i is axis i. */
GNT_NN_API gnt_node gnt_nn_sum(gnt_graph *g, gnt_node x, uint32_t axes); /* summed axes stay, with size 1 */
/* Repeats axes of size 1 to the sizes in `dim`. */
GNT_NN_API gnt_node gnt_nn_expand(gnt_graph *g, gnt_node x, int32_t rank, const int64_t *dim);
GNT_NN_API gnt_node gnt_nn_reshape(gnt_graph *g, gnt_node x, int32_t rank, const int64_t *dim);
/* Permutes the axes: out.dim[i] = x.dim[order[i]]. */
GNT_NN_API gnt_node gnt_nn_permute(gnt_graph *g, gnt_node x, const int32_t *order);
/* Takes entries from … to − 1 of the axis. */
GNT_NN_API gnt_node gnt_nn_slice(gnt_graph *g, gnt_node x, int32_t axis, int64_t from, int64_t to);
/* Pads with zeros. */
GNT_NN_API gnt_node gnt_nn_pad(gnt_graph *g, gnt_node x, int32_t axis, int64_t before, int64_t after);
GNT_NN_API gnt_node gnt_nn_concat(gnt_graph *g, const gnt_node *x, int32_t n, int32_t axis);

/* Linear algebra. matmul: rank 2, op(a)·op(b), op = transpose where the flag is set. */
GNT_NN_API gnt_node gnt_nn_matmul(gnt_graph *g, gnt_node a, int ta, gnt_node b, int tb);

/* Convolution (cross-correlation, as the field calls it): x N×C×H×W, w O×C×KH×KW → N×O×H'×W',
 * H' = (H + 2·pad − KH)/stride + 1. The other two faces of the same trilinear form are primitives as well. */
GNT_NN_API gnt_node gnt_nn_conv(gnt_graph *g, gnt_node x, gnt_node w, int32_t stride, int32_t pad);
/* Computes a convolution's derivative by x: N×C×h×width. */
GNT_NN_API gnt_node gnt_nn_conv_dx(gnt_graph *g, gnt_node dy, gnt_node w, int64_t h, int64_t width,
                                   int32_t stride, int32_t pad);
/* Computes a convolution's derivative by w: O×C×kh×kw. */
GNT_NN_API gnt_node gnt_nn_conv_dw(gnt_graph *g, gnt_node x, gnt_node dy, int64_t kh, int64_t kw,
                                   int32_t stride, int32_t pad);

/* Convolutions with a stride, padding and dilation for each axis (height, width) and with groups:
 * x N×C×H×W, w O×C/groups×KH×KW, H' = (H + 2·pad − dilation·(KH − 1) − 1)/stride + 1. Group i of O/groups
 * results sees only group i of C/groups channels; with groups = C it is a depthwise convolution. With
 * one stride and padding for both axes, dilation 1 and one group the node is the same as above. */
typedef struct gnt_nn_window {
    int32_t stride[2], pad[2], dilation[2], groups;
} gnt_nn_window;
GNT_NN_API gnt_node gnt_nn_general_conv(gnt_graph *g, gnt_node x, gnt_node w, const gnt_nn_window *window);
GNT_NN_API gnt_node gnt_nn_general_conv_dx(gnt_graph *g, gnt_node dy, gnt_node w, int64_t h, int64_t width,
                                           const gnt_nn_window *window);
GNT_NN_API gnt_node gnt_nn_general_conv_dw(gnt_graph *g, gnt_node x, gnt_node dy, int64_t kh, int64_t kw,
                                           const gnt_nn_window *window);
/* Transposed convolution as a layer: x N×I×H×W, w I×O/groups×KH×KW → N×O×H'×W', where
 * H' = (H − 1)·stride − 2·pad + dilation·(KH − 1) + out_pad + 1 and out_pad is below the stride. It is the
 * conv_dx whose convolution takes H' to H. */
GNT_NN_API gnt_node gnt_nn_conv_transpose(gnt_graph *g, gnt_node x, gnt_node w, const int32_t out_pad[2],
                                          const gnt_nn_window *window);

/* Pooling over the last two axes of N×C×H×W, window kh×kw, padding less than the window. Padding never wins a
 * maximum; a NaN does. Averages divide by the window's entries within the padded image when count_pad, else
 * by those within the image. `ceil_mode` rounds the output size up, but drops a last window that would start
 * beyond the image and its leading padding (PyTorch's rules). */
GNT_NN_API gnt_node gnt_nn_max_pool(gnt_graph *g, gnt_node x, int32_t kh, int32_t kw, int32_t sh, int32_t sw,
                                    int32_t ph, int32_t pw, int ceil_mode);
GNT_NN_API gnt_node gnt_nn_avg_pool(gnt_graph *g, gnt_node x, int32_t kh, int32_t kw, int32_t sh, int32_t sw,
                                    int32_t ph, int32_t pw, int ceil_mode, int count_pad);
/* Averages over windows that give oh × ow values: of an axis of n, window i is [⌊i·n/o⌋, ⌈(i + 1)·n/o⌉), as
 * in PyTorch. */
GNT_NN_API gnt_node gnt_nn_adaptive_avg_pool(gnt_graph *g, gnt_node x, int64_t oh, int64_t ow);
GNT_NN_API gnt_node gnt_nn_upsample(gnt_graph *g, gnt_node x, int32_t factor); /* nearest neighbour */

/* Reductions over the last axis, kept with size 1. */
GNT_NN_API gnt_node gnt_nn_log_sum_exp(gnt_graph *g, gnt_node x);
GNT_NN_API gnt_node gnt_nn_argmax(gnt_graph *g, gnt_node x); /* I32; ties to the lowest */
/* Selects entries of x's last axis by index: out[…, j] = x[…, index[…, j]]; adjoint of scatter. */
GNT_NN_API gnt_node gnt_nn_gather(gnt_graph *g, gnt_node x, gnt_node index);
GNT_NN_API gnt_node gnt_nn_scatter(gnt_graph *g, gnt_node x, gnt_node index, int64_t size); /* adds */

/* ---- composites: built from the above ---- */

GNT_NN_API gnt_node gnt_nn_square(gnt_graph *g, gnt_node x);
GNT_NN_API gnt_node gnt_nn_sum_all(gnt_graph *g, gnt_node x);          /* scalar */
GNT_NN_API gnt_node gnt_nn_mean_all(gnt_graph *g, gnt_node x);         /* scalar */
GNT_NN_API gnt_node gnt_nn_dot(gnt_graph *g, gnt_node a, gnt_node b);  /* scalar Σ a·b */
GNT_NN_API gnt_node gnt_nn_norm(gnt_graph *g, gnt_node x, double eps); /* √(Σx² + eps) */
GNT_NN_API gnt_node gnt_nn_dense(gnt_graph *g, gnt_node x, gnt_node w,
                                 gnt_node b);                          /* x N×I, w O×I, b O (or −1) */
GNT_NN_API gnt_node gnt_nn_bias(gnt_graph *g, gnt_node x, gnt_node b); /* adds b[C] along axis 1 */
/* Batch norm over axis 1 of N×C×… : with given statistics (evaluation), or with those of the batch (training;
 * biased variance), which are returned in *mean and *var as vectors of C entries unless these are NULL.
 * gamma, beta may be −1. */
GNT_NN_API gnt_node gnt_nn_batch_norm_eval(gnt_graph *g, gnt_node x, gnt_node mean, gnt_node var,
                                           gnt_node gamma, gnt_node beta, double eps);
GNT_NN_API gnt_node gnt_nn_batch_norm_train(gnt_graph *g, gnt_node x, gnt_node gamma, gnt_node beta,
                                            double eps, gnt_node *mean, gnt_node *var);
/* Normalises to mean 0 and variance 1 over the axes of the mask (biased variance, eps under the root). */
GNT_NN_API gnt_node gnt_nn_standardise(gnt_graph *g, gnt_node x, uint32_t axes, double eps);
/* Standardises N×C×… over each of the groups that C is divided into. */
GNT_NN_API gnt_node gnt_nn_group_norm(gnt_graph *g, gnt_node x, int64_t groups, double eps);
GNT_NN_API gnt_node gnt_nn_gelu(gnt_graph *g, gnt_node x);      /* x·Φ(x), by erf */
GNT_NN_API gnt_node gnt_nn_gelu_tanh(gnt_graph *g, gnt_node x); /* ½x·(1 + tanh(√(2/π)·(x + 0.044715x³))) */
GNT_NN_API gnt_node gnt_nn_silu(gnt_graph *g, gnt_node x);      /* x·sigmoid(x) */
GNT_NN_API gnt_node gnt_nn_softmax(gnt_graph *g, gnt_node x);          /* last axis */
GNT_NN_API gnt_node gnt_nn_softmax_channels(gnt_graph *g, gnt_node x); /* axis 1 of N×C×H×W */
/* Returns the mean over the batch of −Σ_c y_c log softmax(z)_c; z and y are N×C; y may be soft. Scalar. */
GNT_NN_API gnt_node gnt_nn_cross_entropy(gnt_graph *g, gnt_node z, gnt_node y);
/* Returns the mean over all entries of softplus(z) − y·z: scores z of independent binary labels y in [0,
 * 1]. */
GNT_NN_API gnt_node gnt_nn_binary_cross_entropy(gnt_graph *g, gnt_node z, gnt_node y);
GNT_NN_API gnt_node gnt_nn_mse(gnt_graph *g, gnt_node a, gnt_node b); /* scalar mean of squares */
/* Returns the anisotropic total variation of N×C×H×W: mean|∂x| + mean|∂y| (Geiping et al.). Scalar. */
GNT_NN_API gnt_node gnt_nn_total_variation(gnt_graph *g, gnt_node x);
/* Computes 1 − ⟨a, b⟩ / (‖a‖·‖b‖) over all n pairs together; norms with eps. Scalar. */
GNT_NN_API gnt_node gnt_nn_cosine_distance(gnt_graph *g, const gnt_node *a, const gnt_node *b, int32_t n,
                                           double eps);

/* ---- differentiation: rewrites of the graph, of any order ---- */

/* Adds nodes for dx[j] = Σ_i (∂y[i]/∂x[j])ᵀ u[i]. u[i] has y[i]'s shape; u NULL means ones for a single
 * scalar y. Where y does not depend on x[j], dx[j] is a fill of zeros. x may be inner nodes; derivatives
 * are total: where x[k] feeds x[j], dx[k] includes the path through x[j]. Returns 0, or −1 with the
 * graph's error set. */
GNT_NN_API int gnt_nn_vjp(gnt_graph *g, const gnt_node *y, const gnt_node *u, int32_t ny, const gnt_node *x,
                          int32_t nx, gnt_node *dx);
/* Adds nodes for dy[i] = Σ_j (∂y[i]/∂x[j]) v[j]; v[j] has x[j]'s shape. */
GNT_NN_API int gnt_nn_jvp(gnt_graph *g, const gnt_node *y, int32_t ny, const gnt_node *x, const gnt_node *v,
                          int32_t nx, gnt_node *dy);

/* ---- programs ---- */

/* Makes a program that computes `outputs` of a graph, which may then be freed.
 *
 * Stages. An input given at stage s > 0 (and whatever depends on it) belongs to that stage; every other node
 * belongs to the stage that needs it (an output's stage is output_stage[i], NULL = all 0), or where several
 * do, to the one before the first of them (0 if that is the first). Running stage s computes only the nodes
 * of stage s, from values of the lower stages: after one run of stage 0, stage 1 may be run any number
 * of times. So with outputs at stages 0, 2 and 3, stage 1 is what 2 and 3 have in common. Values that a later
 * stage reads are never overwritten by an earlier one.
 *
 * `precision` is 4 (float) or 8 (double reference). Returns NULL on error, with a message in `error` (size
 * `error_size`). */
GNT_NN_API gnt_program *gnt_program_new(const gnt_graph *g, const gnt_node *outputs,
                                        const int32_t *output_stage, int32_t n_outputs, int32_t precision,
                                        char *error, size_t error_size);
GNT_NN_API void gnt_program_free(gnt_program *p);

/* Binds an input, by its node in the graph, to `values` (float or double by `precision`, row-major, aligned
 * or not), which must stay valid and unchanged while any stage that reads it runs. An input that no output
 * needs may be bound or not; NULL unbinds. Returns 0, or −1 if the node is not an input (or, for values that
 * are not aligned to their own size, when out of memory for the copy that each run makes of them). */
GNT_NN_API int gnt_program_bind(gnt_program *p, gnt_node input, const void *values);
/* Must be called after entries of constant inputs changed at the same address. */
GNT_NN_API void gnt_program_changed(gnt_program *p);
/* Runs stage s. Allocates nothing, except that oneDNN allocates and frees the arguments of a call. Returns 0,
 * or −1 if an input that it needs is unbound. */
GNT_NN_API int gnt_program_run(gnt_program *p, int32_t stage);
/* Returns output i: owned by the program, row-major, valid until its stage (or a lower one) runs again. I32
 * for argmax. */
GNT_NN_API const void *gnt_program_output(const gnt_program *p, int32_t i);
GNT_NN_API size_t gnt_program_arena_bytes(const gnt_program *p);
/* Returns the arena bytes that a program would take, without making it; 0 on error. */
GNT_NN_API size_t gnt_program_plan_bytes(const gnt_graph *g, const gnt_node *outputs,
                                         const int32_t *output_stage, int32_t n_outputs, int32_t precision);

/* ---- optimisers: plain vectors of floats, no allocation after _new ---- */

typedef struct gnt_adam gnt_adam; /* Kingma & Ba, with bias correction */
GNT_NN_API gnt_adam *gnt_adam_new(int64_t n, double beta1, double beta2, double eps);
GNT_NN_API void gnt_adam_free(gnt_adam *a);
GNT_NN_API void gnt_adam_reset(gnt_adam *a);
GNT_NN_API void gnt_adam_step(gnt_adam *a, float *x, const float *grad, double rate);
/* Takes a step as gnt_adam_step does, on the sign of the gradient (Geiping et al.). */
GNT_NN_API void gnt_adam_step_signed(gnt_adam *a, float *x, const float *grad, double rate);

/* Steps x ← x − rate·v, v ← momentum·v + grad + decay·x (PyTorch's form); v NULL when momentum is 0. */
GNT_NN_API void gnt_sgd_step(float *x, float *v, const float *grad, int64_t n, double rate, double momentum,
                             double decay);

/* L-BFGS as torch.optim.LBFGS in the DLG reference: no line search, first step scaled by min(1, 1/‖g‖₁)·rate,
 * pairs kept when yᵀs > 1e-10, `history` pairs, `inner` iterations a step. With `guard` the step is halved
 * (at most 10 times) while the cost is not finite or above guard × the cost before; where no halving helps, x
 * is unchanged and the pairs are dropped. guard 0 is the reference. Tolerances are PyTorch's: 1e-7 on the
 * gradient, 1e-9 on changes. */
/* Returns the cost; NaN aborts the step. */
typedef double (*gnt_cost_fn)(void *context, const float *x, float *grad);
typedef struct gnt_lbfgs gnt_lbfgs;
GNT_NN_API gnt_lbfgs *gnt_lbfgs_new(int64_t n, int32_t history);
GNT_NN_API void gnt_lbfgs_free(gnt_lbfgs *o);
GNT_NN_API void gnt_lbfgs_reset(gnt_lbfgs *o);
/* Takes one outer step of at most `inner` iterations. Returns the cost at the first evaluation of this step;
 * *evaluations (may be NULL) grows by the number of calls of `cost`. */
GNT_NN_API double gnt_lbfgs_step(gnt_lbfgs *o, float *x, double rate, int32_t inner, double guard,
                                 gnt_cost_fn cost, void *context, int64_t *evaluations);

/* Returns rate·factor^(number of milestones reached); milestones are fractions of `steps`. */
GNT_NN_API double gnt_rate_milestones(double rate, int64_t step, int64_t steps, const double *milestones,
                                      int32_t n, double factor);
GNT_NN_API double gnt_rate_cosine(double rate, int64_t step, int64_t steps);
GNT_NN_API void gnt_project_box(float *x, int64_t n, float least, float most);

/* ---- small dense systems in double ---- */

/* Factors a: n × n, symmetric positive definite, row-major; its lower triangle becomes L with L·Lᵀ = a (the
 * upper one is neither read nor written). Returns −1 if a is not positive definite or not finite. */
GNT_NN_API int gnt_cholesky(double *a, int64_t n);
/* Replaces b (n × columns, row-major) by (L·Lᵀ)⁻¹ b. */
GNT_NN_API void gnt_cholesky_solve(const double *l, int64_t n, double *b, int64_t columns);

#ifdef __cplusplus
}
#endif
#endif
