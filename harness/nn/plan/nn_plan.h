/* nn_plan: from a graph to the steps that a program replays. The passes, each near linear in the nodes:
 *   simplify  drops what no output needs, merges equal nodes, folds what is known        (simplify.c)
 *   gram      removes weight gradients that need not be computed                         (gram.c)
 *   convs     gives every convolution its back-end                                       (convs.c, nn/conv)
 *   blocks    gives every node the layout of the back-ends around it                     (blocked.c)
 *   schedule  gives every node its stage, joins elementwise nodes into chains, and turns
 *             nodes into steps on values               (nn_plan.c, group.c, chain.c, geometry.c, steps.c)
 *   layout    gives every value its place in one arena by its first and last use         (layout.c)
 *
 * A value is the result of a node of the simplified graph. Reshapes and contiguous slices are views: they
 * share the buffer of their root. */
#ifndef GNT_NN_PLAN_H
#define GNT_NN_PLAN_H

#include "nn/conv/conv.h"
#include "nn/conv/dnnl.h"
#include "nn/graph/graph.h"
#include "nn/kernels/kernels.h"

/* Nodes that depend on no input are computed once, when the program is made; those that depend on constant
 * inputs only, when one of these has changed. */
#define GNT_STAGE_ONCE (-2)
#define GNT_STAGE_DEAD (-3)

/* Rewrites the part of `g` that `outputs` need into a new graph; mapped[i] is output i there. Returns NULL
 * when out of memory. */
gnt_graph *gnt_simplify(const gnt_graph *g, const gnt_node *outputs, int32_t n_outputs, int plain,
                        gnt_node *mapped);

typedef struct gnt_nn_plan_value {
    int32_t root;   /* the value whose buffer it is in; itself unless a view */
    int64_t offset; /* entries from the root's start */
    int32_t stage;
    /* roots: the steps of its definition and last use */
    int32_t first, last;
    int8_t is_input;
    /* Never freed: outputs, constants, values that later stages read. */
    int8_t is_kept;
    /* While the layout is made: it has a place; its place was freed. */
    int8_t is_placed, is_free;
    /* roots except inputs: size and place in the arena */
    size_t bytes, at;
} gnt_nn_plan_value;

/* REWRITE: weights in rows as a back-end of nn/conv reads them. */
enum { GNT_STEP_CHAIN = GNT_OP_COUNT, GNT_STEP_REWRITE };

typedef struct gnt_nn_plan_step {
    int32_t op, stage; /* a gnt_op or one of the above */
    /* Values; −1 where absent, and in a chain, whose slots name them. */
    int32_t out, in[3];
    int64_t n; /* entries of the result */
    double a, b;
    const double *data;
    size_t scratch; /* bytes */
    /* Copies from one layout to another; owned by the step; NULL for other steps. */
    gnt_dnnl_op *copy;
    union {
        gnt_fused_chain *chain;
        gnt_move move;
        gnt_reduce reduce;
        gnt_gemm gemm;
        gnt_pool pool;
        gnt_rows rows;
        /* The three faces, and the two products that replace a weight gradient. */
        struct {
            gnt_conv_kernel *run;
            gnt_conv s;
        } conv;
        struct {
            gnt_general_conv_kernel *run;
            gnt_general_conv s;
        } general;
        struct {
            const gnt_conv_backend *backend;
            int op; /* the face that reads the weights */
            int64_t o, c;
        } rewrite;
    } u;
} gnt_nn_plan_step;

typedef struct gnt_nn_plan {
    gnt_graph *ir;
    const gnt_kernels *kernels;
    const gnt_conv_table *convs;
    gnt_dnnl *dnnl; /* NULL: no oneDNN */
    /* The convolutions with their back-ends; gnt_nn_plan_choice returns that of a node. */
    gnt_conv_choice *conv;
    int32_t n_convs;
    int32_t n_outputs, n_values, n_steps;
    gnt_node *output; /* values */
    gnt_nn_plan_value *value;
    gnt_nn_plan_step *step;
    int32_t *mark;      /* by node, for chain.c */
    int32_t most_slots; /* of a chain */
    size_t scratch;     /* bytes at the start of the arena that every step may use */
    size_t arena;       /* bytes */
} gnt_nn_plan;

/* Plans a graph. Returns 0, or −1 with an error. On success the caller calls gnt_nn_plan_close. `plain`
 * leaves out all optimisation, i.e. folding, merging and chains; for tests to compare with. */
int gnt_nn_plan_open(gnt_nn_plan *plan, const gnt_graph *g, const gnt_node *outputs,
                     const int32_t *output_stage, int32_t n_outputs, int32_t precision, int plain,
                     char *error, size_t error_size);
void gnt_nn_plan_close(gnt_nn_plan *plan);

/* Appends a copy of the step. Returns it, or NULL when out of memory. */
gnt_nn_plan_step *gnt_nn_plan_add(gnt_nn_plan *plan, const gnt_nn_plan_step *s);
void gnt_fused_free(gnt_fused_chain *c);

/* True if v is a view of its input: a reshape, or a contiguous slice (every axis before its own has size
 * 1). */
int gnt_nn_plan_is_view(const gnt_graph *ir, const gnt_vertex *v, int64_t *offset);

/* Removes weight gradients that are only compared and differentiated again. Returns −1 when out of memory. */
int gnt_nn_plan_gram(gnt_nn_plan *plan);
double gnt_gram_flops(const gnt_conv *s); /* of one of the two products that replace them */

/* Gives every convolution its back-end. With `any_layout` 0 all operands are in rows. Returns −1 if a
 * back-end cannot be made. */
int gnt_nn_plan_convs(gnt_nn_plan *plan, int any_layout);

/* Returns the back-end that gnt_nn_plan_convs gave to a convolution. */
static inline const gnt_conv_choice *gnt_nn_plan_choice(const gnt_nn_plan *plan, const gnt_vertex *v) {
    return &plan->conv[v->conv - 1];
}

/* Gives every node the layout of the back-ends around it. Returns −1 when out of memory. */
int gnt_nn_plan_blocks(gnt_nn_plan *plan);

/* Returns the sizes of a convolution of any face, or of a product that replaces a weight gradient; operands
 * in rows. */
gnt_conv gnt_nn_plan_conv(const gnt_graph *ir, const gnt_vertex *v);

/* Appends the kernel steps of node i. */
int gnt_nn_plan_node(gnt_nn_plan *plan, gnt_node i);

/* Makes a program as gnt_program_new does, with plain planning. */
gnt_program *gnt_program_new_plain(const gnt_graph *g, const gnt_node *outputs, const int32_t *output_stage,
                                   int32_t n_outputs, int32_t precision, char *error, size_t error_size);

/* Places every value and scratch. Returns −1 when out of memory or if the arena would not fit the address
 * space. */
int gnt_nn_plan_layout(gnt_nn_plan *plan);

#endif
