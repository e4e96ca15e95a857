#include "nn/kernels/limits.h"

#include <stdint.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "nn/kernels/blas.h"
#include "nn/kernels/cpu.h"

/* Returns the thread's own CPU time: the share of others on a core does not count. */
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- arithmetic ---- */

/* Independent sums: the CPU has at most two units with four or five cycles' latency, and at least 16 vector
 * registers, two of which have the factor and the addend of all sums. */
#define SUMS(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11)
enum { N_SUMS = 12, TURNS = 1 << 14 };

/* Defines a function of TURNS·N_SUMS multiply-adds of VECTOR, whose result depends on all of them. s ← s·½ +
 * ½ tends to 1, so no number becomes denormal. The empty asm prevents computing it at compile time. */
#define LOOP(NAME, TARGET, VECTOR, SET, MULTIPLY_ADD, ADD)                                                   \
    TARGET static void NAME(float *out) {                                                                    \
        VECTOR half = SET(0.5f), SUMS(DECLARE_SUM) all = SET(0.0f);                                          \
        for (int i = 0; i < TURNS; i++) {                                                                    \
            SUMS(MULTIPLY_ADD)                                                                               \
        }                                                                                                    \
        SUMS(ADD)                                                                                            \
        memcpy(out, &all, sizeof all);                                                                       \
    }
#define DECLARE_SUM(k) s##k = half,

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#define HOLD(k) __asm__ volatile("" : "+x"(s##k));
#define ADD_512(k) all = _mm512_add_ps(all, s##k);
#define STEP_512(k)                                                                                          \
    s##k = _mm512_fmadd_ps(s##k, half, half);                                                                \
    __asm__ volatile("" : "+v"(s##k));
LOOP(loop_avx512, __attribute__((target("avx512f"))), __m512, _mm512_set1_ps, STEP_512, ADD_512)

#define ADD_256(k) all = _mm256_add_ps(all, s##k);
#define STEP_256(k)                                                                                          \
    s##k = _mm256_fmadd_ps(s##k, half, half);                                                                \
    HOLD(k)
LOOP(loop_avx2, __attribute__((target("avx2,fma"))), __m256, _mm256_set1_ps, STEP_256, ADD_256)

#define ADD_128(k) all = _mm_add_ps(all, s##k);
#define STEP_128(k)                                                                                          \
    s##k = _mm_add_ps(_mm_mul_ps(s##k, half), half);                                                         \
    HOLD(k)
LOOP(loop_base, , __m128, _mm_set1_ps, STEP_128, ADD_128)
#define BASE_LANES 4
#else
#define SCALAR(x) (x)
#define ADD_ONE(k) all += s##k;
#define STEP_ONE(k)                                                                                          \
    s##k = s##k * half + half;                                                                               \
    __asm__ volatile("" : "+m"(s##k));
LOOP(loop_base, , float, SCALAR, STEP_ONE, ADD_ONE)
#define BASE_LANES 1
#endif

double gnt_limit_flops(double seconds) {
    void (*loop)(float *) = loop_base;
    double lanes = BASE_LANES, best = 0, end = now() + seconds;
    float out[16];
#if defined(__x86_64__) && defined(__GNUC__)
    if (gnt_cpu_has_avx512()) {
        loop = loop_avx512;
        lanes = 16;
    } else if (gnt_cpu_has_avx2()) {
        loop = loop_avx2;
        lanes = 8;
    }
#endif
    do {
        double began = now();
        loop(out);
        __asm__ volatile("" : : "r"(out) : "memory");
        double rate = 2 * lanes * TURNS * N_SUMS / (now() - began);
        best = rate > best ? rate : best;
    } while (now() < end);
    return best;
}

double gnt_limit_product(double seconds) {
    enum { N = 512 };
    float *a = gnt_aligned((size_t)3 * N * N, sizeof *a), *b = a + N * N, *c = b + N * N;
    double best = 0, end = now() + seconds;
    if (!a || gnt_blas_open(NULL) != 0) {
        gnt_free_aligned(a);
        return 0;
    }
    for (int i = 0; i < 2 * N * N; i++)
        a[i] = (float)(i % 17) / 16;
    do {
        double began = now();
        gnt_blas.sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, N, N, N, 1, a, N, b, N, 0, c, N);
        double rate = 2.0 * N * N * N / (now() - began);
        best = rate > best ? rate : best;
    } while (now() < end);
    gnt_free_aligned(a);
    return best;
}

/* ---- memory ---- */

double gnt_limit_bytes(size_t bytes, double seconds) {
    enum { LEAST = 4096, LONG = 1 << 22 };
    size_t half = bytes / 2 > LEAST ? bytes / 2 : LEAST;
    int times = half < LONG ? (int)(LONG / half) : 1; /* so that the clock's own time is negligible */
    char *from = gnt_aligned(2 * half, 1), *to = from + half;
    double best = 0, end = now() + seconds;
    if (!from)
        return 0;
    memset(from, 1, 2 * half); /* unwritten pages would all be one page */
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
