/* square: transposes sixteen vectors of AVX-512 as a square. For files compiled for such a processor: include
 * it after their target pragma. */
#ifndef GNT_NN_SQUARE_H
#define GNT_NN_SQUARE_H

#include <immintrin.h>

/* Transposes: v[i][j] becomes v[j][i]. */
static inline __attribute__((always_inline)) void gnt_turn_square(__m512 v[16]) {
    __m512 t[16];
    for (int i = 0; i < 16; i += 2) {
        t[i] = _mm512_unpacklo_ps(v[i], v[i + 1]);
        t[i + 1] = _mm512_unpackhi_ps(v[i], v[i + 1]);
    }
    for (int i = 0; i < 16; i += 4)
        for (int k = 0; k < 2; k++) {
            __m512d a = _mm512_castps_pd(t[i + k]), b = _mm512_castps_pd(t[i + k + 2]);
            v[i + 2 * k] = _mm512_castpd_ps(_mm512_unpacklo_pd(a, b));
            v[i + 2 * k + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(a, b));
        }
    for (int k = 0; k < 4; k++) {
        __m512 a = v[k], b = v[k + 4], c = v[k + 8], d = v[k + 12];
        __m512 ab = _mm512_shuffle_f32x4(a, b, 0x88), cd = _mm512_shuffle_f32x4(c, d, 0x88);
        __m512 AB = _mm512_shuffle_f32x4(a, b, 0xdd), CD = _mm512_shuffle_f32x4(c, d, 0xdd);
        t[k] = _mm512_shuffle_f32x4(ab, cd, 0x88);
        t[k + 8] = _mm512_shuffle_f32x4(ab, cd, 0xdd);
        t[k + 4] = _mm512_shuffle_f32x4(AB, CD, 0x88);
        t[k + 12] = _mm512_shuffle_f32x4(AB, CD, 0xdd);
    }
    for (int i = 0; i < 16; i++)
        v[i] = t[i];
}

#endif
