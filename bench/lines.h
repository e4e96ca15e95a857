/* lines: what came out, a line for each row, and the machine that it came out of; as JSON, which
 * tools/docs_tables reads, and as text. */
#ifndef GNT_BENCH_LINES_H
#define GNT_BENCH_LINES_H

#include <stdio.h>

#include "nn/kernels/blas_core.h"
#include "run/identity.h"

/* The result of a row, for one unit: a step, an epoch, a cell. Missing numbers are NaN. */
typedef struct bench_line {
    char name[64], what[96];
    char why[160]; /* no PyTorch here, or no ONNX Runtime for a row that has one */
    /* seconds of a unit */
    double gauntlet, torch, onnx, floor;
    /* torch / gauntlet of neighbouring blocks, their median */
    double ratio;
    /* onnx / gauntlet, likewise */
    double ratio_onnx;
    /* (q75 − q25) / median */
    double spread, ratio_spread;
    double flops, bytes;
    /* The best seen while the row ran; product_rate: of OpenBLAS, which the arithmetic limit must not lie
     * below. */
    double flop_rate, byte_rate, product_rate;
    /* relative L2 distance from the right results: of gauntlet, of PyTorch, of PyTorch in double, of ONNX
     * Runtime */
    double apart, apart_torch, apart_exact, apart_onnx;
    double peak, peak_torch, peak_onnx, arena; /* bytes */
    double operations;                         /* of a unit, on PyTorch's side */
    double busy;                               /* wall / processor time of gauntlet's side */
    double cells;                              /* of the quick suite's rows: units in all */
    int rounds;
} bench_line;

typedef struct bench_machine {
    char cpu[GNT_CPU_NAME], onednn[64];
    char torch[64], onnx[64];        /* their versions; "" where there is none */
    char forced[GNT_BLAS_CORE_TEXT]; /* why times are not this machine's, or "" */
    const char *core;                /* OpenBLAS's kernels */
    double before, after;            /* load, of a minute */
    double seconds;                  /* requested for a row */
} bench_machine;

void bench_line_empty(bench_line *l, const char *name, const char *what);

/* Collects the facts known before the first row. */
void bench_machine_before(bench_machine *m, double seconds);
/* Reads the load after the last row. */
void bench_machine_after(bench_machine *m);

void bench_print_head(FILE *to);
void bench_print_line(FILE *to, const bench_line *l);
/* Prints the load and whether the floors are lower bounds. */
void bench_print_foot(FILE *to, const bench_line *l, int n, const bench_machine *m);

/* Returns 0, or −1. */
int bench_write_json(const bench_line *l, int n, const bench_machine *m, const char *path);
/* Writes what bench_write_json does as text, next to the JSON file. */
int bench_write_text(const bench_line *l, int n, const bench_machine *m, const char *json);

#endif
