/* program: what a program costs, counted from its steps, and how long each step takes. For `gauntlet
 * program` and the benchmarks; nothing that computes reads it.
 *
 * Counts are those of the work itself, not of a kernel's way of doing it. A flop is one multiplication or
 * one addition; taps of a convolution that fall into the padding are none; an elementwise function counts
 * 1 for each entry. Bytes are those of a step's operands and results, each once, as if nothing stayed in a
 * cache between two steps; scratch within a step is not counted. */
#ifndef GNT_NN_PROGRAM_H
#define GNT_NN_PROGRAM_H

#include "gauntlet/nn.h"

typedef struct gnt_program_size {
    int32_t graph_nodes;     /* of the graph it was made from */
    int32_t nodes;           /* left by simplification, with inputs and views */
    int32_t steps, constant; /* replayed; computed when it was made, or when held inputs change */
    /* Fused groups among the steps, and the elementwise functions and sums in them. */
    int32_t chains, chained;
    int32_t conversions;   /* steps that only bring a buffer into another layout, or copy it */
    size_t arena, scratch; /* bytes; scratch is a part of the arena */
    size_t inputs;         /* bytes that the caller binds */
} gnt_program_size;

typedef struct gnt_step_cost {
    const char *name; /* "conv", "matmul", "chain" … */
    int32_t stage;    /* below 0: of held inputs alone, or computed when the program is made */
    int conversion;   /* it only brings a buffer into another layout, or copies it */
    double flops, bytes;
} gnt_step_cost;

gnt_program_size gnt_program_measure(const gnt_program *p);
/* i from 0 to steps + constant − 1, in the order of execution. */
gnt_step_cost gnt_program_step(const gnt_program *p, int32_t i);
/* As gnt_program_run; adds each step's wall time to seconds[i], i as above. */
int gnt_program_run_timed(gnt_program *p, int32_t stage, double *seconds);

/* Σ over the steps of all stages from 0, but for conversions, of max(flops / flop_rate, bytes /
 * byte_rate), in seconds: no way of running these steps one after the other takes less at these rates (per
 * second). */
double gnt_program_floor(const gnt_program *p, double flop_rate, double byte_rate);

#endif
