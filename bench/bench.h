/* bench: gauntlet and PyTorch side by side at the same mathematical step.
 *
 * The driver (main.c) starts, for each row, one process of either side. Both read the same problem from a
 * file: weights, inputs, and the right results, computed in double (problem.c). Either says how far its
 * own first results are from those; then they take blocks of steps in turns, on request, so that a change
 * of the machine's speed hits both. The words between them are in side.c. */
#ifndef GNT_BENCH_H
#define GNT_BENCH_H

#include <stddef.h>
#include <stdint.h>

#include "nn/model/model.h"

typedef enum bench_kind {
    /* gradient, cosine distance and total variation, their gradient, signed Adam, the image's box */
    BENCH_MATCH,
    /* `steps` of these, with everything that comes before the first */
    BENCH_ATTACK,
    /* an evaluation of squared gradient distance and its gradient within L-BFGS, and its share of that */
    BENCH_DLG,
    /* loss, gradient, batch norm's running statistics, SGD */
    BENCH_TRAIN,
    /* outputs of all convolutions, distance to those of a target, VJP, normalised step, the image's box */
    BENCH_LODA,
    /* an epoch of attr-nn's network on 480 rows of 1,024: SGD with momentum on batches of 32 */
    BENCH_ATTR,
    /* Algorithm 1 of RecUP-FL on one update, against a zoo of 20 networks (recup.h) */
    BENCH_RECUP,
    /* a local step of TAPPFL: three networks, the derivatives of each by its own objective, SGD (tappfl.h) */
    BENCH_TAPPFL,
    /* a model's output, batch norm on given statistics, weights that do not change */
    BENCH_FORWARD,
    /* a round of 32 clients with five local steps, by the code that trains in a suite (round.h) */
    BENCH_ROUND
} bench_kind;

typedef struct bench_row {
    const char *name, *what;
    bench_kind kind;
    const char *model; /* file, from the root of the sources */
    gnt_nn_shape sample;
    int32_t classes;
    int64_t n;     /* samples in a step */
    int32_t steps; /* BENCH_ATTACK */
} bench_row;

enum {
    BENCH_ATTR_ROWS = 480,
    BENCH_INNER = 20,   /* iterations of one call of L-BFGS, as in DLG */
    BENCH_HISTORY = 100 /* its pairs, as in PyTorch */
};
#define BENCH_RATE 0.1         /* of signed Adam, and length of LODA's step */
#define BENCH_SGD_RATE 0.01    /* of training and of attr-nn */
#define BENCH_SGD_MOMENTUM 0.9 /* of attr-nn */
#define BENCH_LODA_C 20.0
#define BENCH_AGREE 1e-4 /* greatest relative L2 distance of the two sides' results, both in double */
#define BENCH_TIED 1e-2 /* greatest distance of a side's results in float from those; see problem.c on ties */

extern const bench_row bench_rows[];
extern const size_t bench_n_rows;
const bench_row *bench_find(const char *name);

/* Writes the problem of a row: tensors of float, and results r.NAME of double. */
int bench_problem_write(const bench_row *row, const char *path, gnt_err *err);

/* gauntlet's side of a row, read from such a file. */
typedef struct bench_work bench_work;
int bench_work_open(bench_work **out, const bench_row *row, const char *path, gnt_err *err);
void bench_work_free(bench_work *w);
/* Takes a first step from the start, and gives the greatest relative L2 distance of its results from those
 * in the file. */
int bench_work_check(bench_work *w, const char *path, double *worst, gnt_err *err);
/* Runs at least n units of the row (steps, evaluations, epochs, attacks) from the start. *units: how many
 * were done; *cpu and *wall: how long they took, in seconds. */
int bench_work_run(bench_work *w, int64_t n, int64_t *units, double *cpu, double *wall, gnt_err *err);
typedef struct bench_cost {
    size_t set;          /* bytes of all that a unit works on */
    size_t arena;        /* of these, what the program keeps for itself */
    double flops, bytes; /* of a unit: that it computes, and that it moves */
    double floor;        /* seconds that it takes at least, at these rates (per second) */
} bench_cost;
bench_cost bench_work_cost(const bench_work *w, double flop_rate, double byte_rate);

/* Runs the process of a row. Returns 0, or 2 with a sentence on the standard error. */
int bench_side(const char *row, const char *path);

#endif
