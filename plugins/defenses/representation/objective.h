/* objective: what an extractor is trained for, in addition to hiding an attribute, as nodes of a graph.
 *
 * The extractor minimises a·hidden + b·kept over its weights Θ; the side networks minimise `own` over
 * theirs. Each of them enters one term of `own` alone, so that one derivative serves all. */
#ifndef REPRESENTATION_OBJECTIVE_H
#define REPRESENTATION_OBJECTIVE_H

#include "side_layers.h"

typedef struct objective_shape {
    int64_t rows;   /* samples of a step */
    int32_t x_rank; /* of one sample, 1 or 3 */
    int64_t x_dim[3];
    int32_t r_rank; /* of its representation, 1 or 3 */
    int64_t r_dim[3];
    int32_t values;  /* of the attribute */
    int32_t classes; /* of the task */
    double width;    /* of the side networks, 1: as published */
    double g_width;  /* of g and of a task's head c instead; 0: `width` */
    /* 1: as the authors' program has them, with batch norm in g and h, a layer of 4 in g of vectors, and h of
     * two towers; 0: as Table 3 prints them */
    int of_program;
} objective_shape;

typedef struct objective {
    /* inputs: rows × shape of r, of x; one-hot rows × values, rows × classes; a and b scalars. −1 where it is
     * not used. A caller that sets `r` beforehand has the rest built upon that node. */
    gnt_node r, x, other, u, y, a, b;
    side_params side;
    int32_t g_tensors;          /* of `side`, the first: those of g */
    gnt_node hidden, kept, own; /* scalars */
    gnt_node scores;            /* rows × values: what a side network says of u; −1: there is none */
} objective;

/* All are built with `o` zeroed and o->r set, or −1. Errors stick to the graph. */
typedef void objective_build(gnt_graph *g, const objective_shape *s, objective *o);

/* TAPPFL (2024), Eq. 7 and Algorithm 1: hidden = CE(u, g(r)), kept = −I^JSD(x; r, u) with `other` the
 * independent x̄. It does not see y. */
objective_build tappfl_objective;
/* Adversarial training (after Li et al., DeepObfuscator, 2019): hidden = CE(u, g(r)), kept = CE(y, c(r)), of
 * a task's head c that is built as g is. */
objective_build adversarial_objective;
/* After DPFE (Osia et al. 2018): hidden = I(r; u) as if r had independent normal entries, of one mean and
 * variance for each value of u: the mean over entries of ½·(log s² − Σ_u p(u)·log s_u²), with the batch's
 * variances and shares. It is to be lowered, so a is positive. kept = CE(y, c(r)). */
objective_build dpfe_objective;

/* ---- parts ---- */

/* Returns ∂(a·hidden + b·kept)/∂r. Each loss is differentiated by itself and weighted then, so that what
 * `own` needs of the side networks are the same steps, which a program computes once. */
gnt_node objective_by_r(gnt_graph *g, const objective *o);

#endif
