/* own: a row that times the code of a plugin itself, with a problem, a state and costs of its own. The other
 * rows are programs of a model (work.c). */
#ifndef BENCH_OWN_H
#define BENCH_OWN_H

#include "bench.h"

/* The first n entries of what a step gave, to be compared with tensor `name` of the file. */
typedef struct bench_result {
    const char *name; /* NULL: there is none */
    const float *got;
    int64_t n;
} bench_result;

enum { BENCH_OWN_RESULTS = 4 };

/* Functions that can fail return −1 with a sentence. */
typedef struct bench_own {
    /* Writes the problem: tensors of float, and results r.NAME of double. */
    int (*write)(const bench_row *row, const char *metadata, const char *path, gnt_err *err);
    /* *self is freed by the caller, after a failure too. */
    int (*open)(void **self, const bench_row *row, const char *path, gnt_err *err);
    void (*free)(void *self); /* NULL is fine */
    /* Back to the problem as it is in the file. */
    int (*start)(void *self, gnt_err *err);
    /* Goes on by n units or fewer; returns how many. */
    int64_t (*run)(void *self, int64_t n, gnt_err *err);
    /* A first step from the start, and what it gave: valid until the next call. */
    int (*first)(void *self, bench_result out[BENCH_OWN_RESULTS], gnt_err *err);
    bench_cost (*cost)(const void *self, double flop_rate, double byte_rate);
} bench_own;

/* Returns the functions of a kind of row; NULL if its rows are programs. */
const bench_own *bench_own_of(bench_kind kind);

#endif
