/* program: the cost of a program, counted from its steps, and the time of each step. For `gauntlet program`
 * and the benchmarks; no computation depends on it.
 *
 * Counts are those of the work itself, not of a kernel's way of doing it. A flop is one multiplication or one
 * addition; taps of a convolution that fall into the padding are none; an elementwise function counts 1 for
 * each entry. Bytes are those of a step's operands and results, each once, as if nothing stayed in a cache
 * between two steps; scratch within a step is not counted. */
#ifndef GNT_NN_PROGRAM_H
#define GNT_NN_PROGRAM_H

#include "gauntlet/nn.h"

typedef struct gnt_program_size {
    int32_t graph_nodes;     /* of the graph it was made from */
    int32_t nodes;           /* left by simplification, with inputs and views */
    int32_t steps, constant; /* replayed; computed when it was made, or when constant inputs change */
    /* Fused groups among the steps, and the elementwise functions and sums in them. */
    int32_t chains, chained;
    int32_t conversions;   /* steps that only convert a buffer to another layout, or copy it */
    size_t arena, scratch; /* bytes; scratch is a part of the arena */
    size_t inputs;         /* bytes that the caller binds */
} gnt_program_size;

typedef struct gnt_step_cost {
    const char *name; /* "conv", "matmul", "chain" … */
    int32_t stage;    /* below 0: depends on constant inputs only, or computed when the program is made */
    int conversion;   /* it only converts a buffer to another layout, or copies it */
    double flops, bytes;
} gnt_step_cost;

gnt_program_size gnt_program_measure(const gnt_program *p);
/* Returns the cost of step i, 0 to steps + constant − 1, in the order of execution. */
gnt_step_cost gnt_program_step(const gnt_program *p, int32_t i);
/* Runs a program as gnt_program_run does, and adds the wall time of step i to seconds[i]. */
int gnt_program_run_timed(gnt_program *p, int32_t stage, double *seconds);

/* Returns Σ of max(flops / flop_rate, bytes / byte_rate) over the steps of stages from 0, except conversions:
 * the least seconds that these steps can take one after the other at these rates (per second). */
double gnt_program_floor(const gnt_program *p, double flop_rate, double byte_rate);

#endif
