/* recup: gauntlet's side of the row of RecUP-FL: Algorithm 1 on one update of model recup_adult, against a
 * zoo of random networks as wide as the paper's. The code is the plugin's, plugins/shared/attribute. */
#ifndef BENCH_RECUP_H
#define BENCH_RECUP_H

#include "base/random.h"
#include "own.h"

enum {
    BENCH_RECUP_NETS = 20,
    BENCH_RECUP_WIDTHS = 5, /* 128, 256 … 2,048 neurons */
    BENCH_RECUP_LAYERS = 4,
    BENCH_RECUP_VALUES = 2,
    BENCH_RECUP_LABEL = 1,
    BENCH_RECUP_ITERATIONS = 10, /* P */
    BENCH_RECUP_DRAWN = 5,       /* Q */
    BENCH_RECUP_WINDOW = 4
};
/* ε/Q is a power of two: steps there and back leave what was 0 at 0, and no window's greatest entry is a
 * matter of rounding. */
#define BENCH_RECUP_EPSILON (BENCH_RECUP_DRAWN / 4096.0)

/* Returns the random stream from which networks are drawn, at its beginning. */
gnt_stream bench_recup_draws(void);

/* Writes the problem (recup_problem.c): the zoo, an update, and in double what moves it. */
int bench_recup_write(const bench_row *row, const char *metadata, const char *path, gnt_err *err);

/* Its unit is an update. */
extern const bench_own bench_recup_own;

#endif
