/* round: a round of federated averaging by the code that trains in a suite: 32 clients that hold 40 samples
 * each take five local steps on 8 of them, and the server averages. A unit is one round. */
#ifndef GNT_BENCH_ROUND_H
#define GNT_BENCH_ROUND_H

#include "fl/federate.h"
#include "own.h"

enum {
    BENCH_ROUND_CLIENTS = 32,
    BENCH_ROUND_STEPS = 5,
    BENCH_ROUND_EACH = 40, /* samples of a client: its row's n times the steps */
    BENCH_ROUND_SAMPLES = BENCH_ROUND_CLIENTS * BENCH_ROUND_EACH
};

extern const bench_own bench_round_own;

int bench_round_write(const bench_row *row, const char *metadata, const char *path, gnt_err *err);

/* Trains for so many rounds; changes params. order, unless NULL, gets the samples of the first round in the
 * order of their use: those of client 0, then those of client 1 … */
int bench_round_train(const bench_row *row, const gnt_model *m, const float *x, const float *y,
                      int32_t rounds, float *params, uint32_t *order, gnt_err *err);

#endif
