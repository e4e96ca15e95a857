/* tappfl: the row of TAPPFL: local steps on a device's only batch, of model bench/tappfl_cifar.json with g
 * and h a tenth as wide as the paper's. The code is the plugin's, plugins/defenses/representation.
 *
 * The samples are pairs of one value of the attribute each, so that the other sample of the same value is
 * always a sample's partner, and no result depends on a draw. */
#ifndef BENCH_TAPPFL_H
#define BENCH_TAPPFL_H

#include "defenses/representation/objective.h"
#include "own.h"

#define BENCH_TAPPFL_LAMBDA 0.5
#define BENCH_TAPPFL_WIDTH 0.1 /* of g and h */

/* The derivatives of a step as one graph, from samples to all weights. */
typedef struct bench_joint {
    objective nodes;
    gnt_node x;           /* the extractor's; nodes.x is h's */
    gnt_node *params;     /* of the model, which has no buffers */
    int32_t n_shared;     /* parameters that clients share */
    gnt_program *program; /* hidden, kept, ∂(a·hidden + b·kept) by what is shared, ∂own by g and h */
    gnt_nn_shape *shape;  /* of its outputs */
} bench_joint;

enum { BENCH_JOINT_HIDDEN, BENCH_JOINT_KEPT, BENCH_JOINT_DERIVATIVES };

/* Makes the joint program; the caller calls bench_joint_close also after a failure. precision: 4 or 8. */
int bench_joint_open(bench_joint *j, const bench_row *row, const gnt_model *m, int32_t precision,
                     gnt_err *err);
void bench_joint_close(bench_joint *j);

/* Writes the problem: samples `x` and one-hot values `u`, param.NAME of the model, param.side.I of g and h in
 * their order; in double r.losses (hidden, kept), r.grad of what is shared and r.own of g and h. */
int bench_tappfl_write(const bench_row *row, const char *metadata, const char *path, gnt_err *err);

/* Its unit is a step. */
extern const bench_own bench_tappfl_own;

#endif
