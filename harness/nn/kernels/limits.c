#include "nn/kernels/limits.h"

#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cblas.h>

#include "base/mem.h"

/* The thread's own time: what others take of a shared core is not the core's limit. */
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double gnt_limit_flops(double seconds) {
    enum { N = 512 };
    float *a = gnt_aligned((size_t)3 * N * N, sizeof *a), *b = a + N * N, *c = b + N * N;
    double best = 0, end = now() + seconds;
    if (!a)
        return 0;
    for (int i = 0; i < 2 * N * N; i++)
        a[i] = (float)(i % 17) / 16;
    do {
        double began = now();
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, N, N, N, 1, a, N, b, N, 0, c, N);
        double rate = 2.0 * N * N * N / (now() - began);
        best = rate > best ? rate : best;
    } while (now() < end);
    gnt_free_aligned(a);
    return best;
}

double gnt_limit_bytes(size_t bytes, double seconds) {
    enum { LEAST = 4096, LONG = 1 << 22 };
    size_t half = bytes / 2 > LEAST ? bytes / 2 : LEAST;
    int times = half < LONG ? (int)(LONG / half) : 1; /* so that the clock's own time is nothing */
    char *from = gnt_aligned(2 * half, 1), *to = from + half;
    double best = 0, end = now() + seconds;
    if (!from)
        return 0;
    memset(from, 1, 2 * half); /* pages that were never written are all one page */
    do {
        double began = now();
        for (int i = 0; i < times; i++) {
            memcpy(i % 2 ? from : to, i % 2 ? to : from, half);
            __asm__ volatile("" : : "r"(from) : "memory");
        }
        double rate = 2.0 * (double)half * times / (now() - began);
        best = rate > best ? rate : best;
    } while (now() < end);
    gnt_free_aligned(from);
    return best;
}
