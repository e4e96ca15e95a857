/* side: the process of gauntlet's side of a row. torch_side.py and onnx.c speak the same words. Lines from
 * the driver, answers:
 *
 *   check             WORST                      greatest relative L2 distance of a first step's results;
 *                                                of PyTorch's side two: in double, and in float
 *   run N             UNITS CPU WALL             seconds
 *   peak              BYTES                      resident at most since the check
 *   arena             BYTES                      of the program (gauntlet's side only)
 *   limits SECONDS    FLOPS BYTES PRODUCT        rates that this core reaches now: multiply-adds in
 *                                                registers, a copy, OpenBLAS's product (gauntlet's side
 *                                                only)
 *   cost FLOPS BYTES  FLOPS BYTES SECONDS        of a unit, and what it takes at least at these rates
 *                                                (as above)
 *   operations        COUNT                      of a unit, below autograd (PyTorch's side only)
 *   onnx FILE         1                          writes the network there (PyTorch's side of forward-* only)
 *
 * The first line, before any request, is "ready", of PyTorch's side with its version behind. It ends when
 * its input ends. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "nn/kernels/limits.h"
#include "side.h"

void bench_forget_peak(void) {
    malloc_trim(0);
    FILE *f = fopen("/proc/self/clear_refs", "w");
    if (!f)
        return;
    fputs("5", f);
    fclose(f);
}

double bench_peak(void) {
    char line[256];
    double kib = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, "VmHWM:", 6) == 0)
            kib = strtod(line + 6, NULL);
    if (f)
        fclose(f);
    return 1024 * kib;
}

/* Measures the machine's limits, and keeps the memory that this takes out of the peak. */
static void measure_limits(const bench_work *w, double seconds, double *most) {
    double now = bench_peak();
    *most = now > *most ? now : *most;
    double flops = gnt_limit_flops(seconds), bytes = gnt_limit_bytes(bench_work_cost(w, 1, 1).set, seconds);
    printf("%.9g %.9g %.9g\n", flops, bytes, gnt_limit_product(seconds));
    bench_forget_peak();
}

/* Answers one request. `most`: the peak before it was last reset. */
static int answer(bench_work *w, const char *path, const char *line, double *most, gnt_err *err) {
    char *end;
    if (strncmp(line, "check", 5) == 0) {
        double worst;
        if (bench_work_check(w, path, &worst, err))
            return -1;
        bench_forget_peak();
        printf("%.9g\n", worst);
    } else if (strncmp(line, "run ", 4) == 0) {
        int64_t units;
        double cpu, wall;
        if (bench_work_run(w, strtoll(line + 4, NULL, 10), &units, &cpu, &wall, err))
            return -1;
        printf("%lld %.9g %.9g\n", (long long)units, cpu, wall);
    } else if (strncmp(line, "peak", 4) == 0) {
        double now = bench_peak();
        printf("%.0f\n", now > *most ? now : *most);
    } else if (strncmp(line, "arena", 5) == 0) {
        printf("%zu\n", bench_work_cost(w, 1, 1).arena);
    } else if (strncmp(line, "limits ", 7) == 0) {
        measure_limits(w, strtod(line + 7, NULL), most);
    } else if (strncmp(line, "cost ", 5) == 0) {
        double flops = strtod(line + 5, &end), bytes = strtod(end, NULL);
        const bench_cost c = bench_work_cost(w, flops, bytes);
        printf("%.9g %.9g %.9g\n", c.flops, c.bytes, c.floor);
    } else {
        return gnt_fail(err, "\"%.40s\" is no request", line);
    }
    return fflush(stdout) ? -1 : 0;
}

int bench_side(const char *name, const char *path) {
    const bench_row *row = bench_find(name);
    bench_work *w = NULL;
    gnt_err err = {0};
    char line[256];
    double most = 0;
    int rc = row ? bench_work_open(&w, row, path, &err) : gnt_fail(&err, "there is no row %s", name);
    if (rc == 0)
        puts("ready");
    fflush(stdout);
    while (rc == 0 && fgets(line, sizeof line, stdin))
        rc = answer(w, path, line, &most, &err);
    if (rc != 0)
        fprintf(stderr, "gauntlet's side of %s: %s\n", name, err.text);
    bench_work_free(w);
    return rc == 0 ? 0 : 2;
}
