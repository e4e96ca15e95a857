#include "nn/kernels/turn.h"

#include "nn/kernels/cpu.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)

#include <immintrin.h>

#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma")
#pragma GCC optimize("O3")

#include "nn/kernels/square.h"

enum { V = 16 };

static __mmask16 first_lanes(int64_t n) {
    return (__mmask16)(n >= V ? 0xffff : (1u << n) - 1);
}

static void turn(float *to, int64_t to_step, const float *from, int64_t from_step, int64_t rows,
                 int64_t columns) {
    for (int64_t i = 0; i < rows; i += V)
        for (int64_t j = 0; j < columns; j += V) {
            __mmask16 read = first_lanes(columns - j), write = first_lanes(rows - i);
            __m512 v[V];
            for (int64_t l = 0; l < V; l++)
                v[l] = i + l < rows ? _mm512_maskz_loadu_ps(read, from + (i + l) * from_step + j)
                                    : _mm512_setzero_ps();
            gnt_turn_square(v);
            for (int64_t l = 0; l < V && j + l < columns; l++)
                _mm512_mask_storeu_ps(to + (j + l) * to_step + i, write, v[l]);
        }
}

#pragma GCC pop_options

int gnt_turn(float *to, int64_t to_step, const float *from, int64_t from_step, int64_t rows,
             int64_t columns) {
    if (!gnt_cpu_has_avx512())
        return 0;
    turn(to, to_step, from, from_step, rows, columns);
    return 1;
}

#else

int gnt_turn(float *to, int64_t to_step, const float *from, int64_t from_step, int64_t rows,
             int64_t columns) {
    (void)to, (void)to_step, (void)from, (void)from_step, (void)rows, (void)columns;
    return 0;
}

#endif
