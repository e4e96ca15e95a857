/* vec: vectors of V floats for files named simd_*.c, which are compiled once for each instruction set: 16
 * with AVX-512, 8 with AVX2, 4 with any other processor. Arithmetic is that of the compiler's vector types
 * (+, −, ×); what has no operator is below, and only this file uses intrinsics. A product is fused with a
 * sum only where vec_fma says so. */
#ifndef GNT_NN_VEC_H
#define GNT_NN_VEC_H

#include <stdint.h>
#include <string.h>

#include "nn/kernels/cpu.h"

#define VEC_INLINE static inline __attribute__((always_inline, unused))

#if defined(__AVX512F__)
#include <immintrin.h>

/* V: floats of a vector; WIDE: whether there are 32 vector registers, not 16. */
enum { V = 16, WIDE = 1 };
#define SIMD(name) name##_avx512
typedef float vec __attribute__((vector_size(64)));
typedef __m512i vec_index; /* V lanes of an int32_t */
typedef __mmask16 vec_mask;

VEC_INLINE vec vec_zero(void) {
    return _mm512_setzero_ps();
}
VEC_INLINE vec vec_all(float x) {
    return _mm512_set1_ps(x);
}
VEC_INLINE vec vec_load(const float *p) {
    return _mm512_loadu_ps(p);
}
VEC_INLINE void vec_store(float *p, vec v) {
    _mm512_storeu_ps(p, v);
}
VEC_INLINE vec vec_fma(vec a, vec b, vec c) {
    return _mm512_fmadd_ps(a, b, c);
}
/* Returns the mask of lanes [from, to), whatever numbers these are. */
VEC_INLINE vec_mask vec_lanes(int64_t from, int64_t to) {
    from = from < 0 ? 0 : from > V ? V : from;
    to = to < from ? from : to > V ? V : to;
    return (vec_mask)(((1u << to) - 1) & ~((1u << from) - 1));
}
/* Loads the lanes of the mask; the others are 0, and nothing is read there. */
VEC_INLINE vec vec_load_lanes(vec_mask m, const float *p) {
    return _mm512_maskz_loadu_ps(m, p);
}
/* Stores the first n lanes, all of them where n is larger. */
VEC_INLINE void vec_store_first(float *p, vec v, int64_t n) {
    _mm512_mask_storeu_ps(p, vec_lanes(0, n), v);
}
VEC_INLINE vec_index vec_index_load(const int32_t at[16]) {
    return _mm512_loadu_si512(at);
}
/* Returns p[at[l]] in lane l. */
VEC_INLINE vec vec_gather(const float *p, vec_index at) {
    return _mm512_i32gather_ps(at, p, 4);
}
/* Loads V/2 lanes from each, those of the mask. */
VEC_INLINE vec vec_load_halves(vec_mask m, const float *low, const float *high) {
    return _mm512_insertf32x8(_mm512_castps256_ps512(_mm256_maskz_loadu_ps((__mmask8)m, low)),
                              _mm256_maskz_loadu_ps((__mmask8)m, high), 1);
}
/* Stores V/2 lanes to each. */
VEC_INLINE void vec_store_halves(float *low, float *high, vec v) {
    _mm256_storeu_ps(low, _mm512_castps512_ps256(v));
    _mm256_storeu_ps(high, _mm512_extractf32x8_ps(v, 1));
}
/* Returns the even lanes of a, then those of b. */
VEC_INLINE vec vec_even(vec a, vec b) {
    const __m512i at = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    return _mm512_permutex2var_ps(a, at, b);
}
/* Returns the odd ones. */
VEC_INLINE vec vec_odd(vec a, vec b) {
    const __m512i at = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
    return _mm512_permutex2var_ps(a, at, b);
}
/* Returns the lanes where v > u or v alone is NaN. */
VEC_INLINE vec_mask vec_exceeds(vec v, vec u) {
    return _mm512_mask_cmp_ps_mask(_mm512_cmp_ps_mask(u, u, _CMP_ORD_Q), v, u, _CMP_NLE_UQ);
}
/* Returns a in the lanes of the mask, b in the others. */
VEC_INLINE vec vec_select(vec_mask m, vec a, vec b) {
    return _mm512_mask_blend_ps(m, b, a);
}
/* Returns a[0], b[0], a[1], b[1] …, up to the middle of both, or from there on. */
VEC_INLINE vec vec_merge_low(vec a, vec b) {
    const __m512i at = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    return _mm512_permutex2var_ps(a, at, b);
}
VEC_INLINE vec vec_merge_high(vec a, vec b) {
    const __m512i at = _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    return _mm512_permutex2var_ps(a, at, b);
}
/* Returns lane at[l] of a, or lane at[l] − V of b. */
VEC_INLINE vec vec_pick(vec a, vec b, vec_index at) {
    return _mm512_permutex2var_ps(a, at, b);
}
/* Returns p[at[l]] in lane l, 0 where at[l] is negative: nothing is read there. */
VEC_INLINE vec vec_gather_some(const float *p, vec_index at) {
    return _mm512_mask_i32gather_ps(_mm512_setzero_ps(), _mm512_cmpge_epi32_mask(at, _mm512_setzero_si512()),
                                    at, p, 4);
}
/* Returns the same from 16 entries, all of which may be read. */
VEC_INLINE vec vec_pick_some(const float p[16], vec_index at) {
    return _mm512_maskz_permutexvar_ps(_mm512_cmpge_epi32_mask(at, _mm512_setzero_si512()), at,
                                       _mm512_loadu_ps(p));
}
/* Transposes: v[i][j] becomes v[j][i]. */
VEC_INLINE void vec_turn_square(vec v[16]) {
    vec t[16];
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
        vec a = v[k], b = v[k + 4], c = v[k + 8], d = v[k + 12];
        vec ab = _mm512_shuffle_f32x4(a, b, 0x88), cd = _mm512_shuffle_f32x4(c, d, 0x88);
        vec AB = _mm512_shuffle_f32x4(a, b, 0xdd), CD = _mm512_shuffle_f32x4(c, d, 0xdd);
        t[k] = _mm512_shuffle_f32x4(ab, cd, 0x88);
        t[k + 8] = _mm512_shuffle_f32x4(ab, cd, 0xdd);
        t[k + 4] = _mm512_shuffle_f32x4(AB, CD, 0x88);
        t[k + 12] = _mm512_shuffle_f32x4(AB, CD, 0xdd);
    }
    for (int i = 0; i < 16; i++)
        v[i] = t[i];
}

#elif defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>

enum { V = 8, WIDE = 0 };
#define SIMD(name) name##_avx2
typedef float vec __attribute__((vector_size(32)));
typedef __m256i vec_index;
typedef __m256i vec_mask;

VEC_INLINE vec vec_zero(void) {
    return _mm256_setzero_ps();
}
VEC_INLINE vec vec_all(float x) {
    return _mm256_set1_ps(x);
}
VEC_INLINE vec vec_load(const float *p) {
    return _mm256_loadu_ps(p);
}
VEC_INLINE void vec_store(float *p, vec v) {
    _mm256_storeu_ps(p, v);
}
VEC_INLINE vec vec_fma(vec a, vec b, vec c) {
    return _mm256_fmadd_ps(a, b, c);
}
VEC_INLINE vec_mask vec_lanes(int64_t from, int64_t to) {
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const int32_t first = (int32_t)(from < 0 ? 0 : from > V ? V : from), last = (int32_t)(to > V ? V : to);
    return _mm256_andnot_si256(_mm256_cmpgt_epi32(_mm256_set1_epi32(first), lane),
                               _mm256_cmpgt_epi32(_mm256_set1_epi32(last), lane));
}
VEC_INLINE vec vec_load_lanes(vec_mask m, const float *p) {
    return _mm256_maskload_ps(p, m);
}
/* A store with a mask takes a score of instructions on some processors. */
VEC_INLINE void vec_store_first(float *p, vec v, int64_t n) {
    if (n >= V) {
        vec_store(p, v);
        return;
    }
    __m128 part = _mm256_castps256_ps128(v);
    if (n >= 4) {
        _mm_storeu_ps(p, part);
        part = _mm256_extractf128_ps(v, 1);
        p += 4;
        n -= 4;
    }
    if (n >= 2) {
        _mm_storel_pi((__m64 *)(void *)p, part);
        part = _mm_movehl_ps(part, part);
        p += 2;
        n -= 2;
    }
    if (n >= 1)
        _mm_store_ss(p, part);
}
VEC_INLINE vec_index vec_index_load(const int32_t at[8]) {
    return _mm256_loadu_si256((const __m256i *)(const void *)at);
}
VEC_INLINE vec vec_gather(const float *p, vec_index at) {
    return _mm256_i32gather_ps(p, at, 4);
}
VEC_INLINE vec vec_load_halves(vec_mask m, const float *low, const float *high) {
    const __m128i half = _mm256_castsi256_si128(m);
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_maskload_ps(low, half)),
                                _mm_maskload_ps(high, half), 1);
}
VEC_INLINE void vec_store_halves(float *low, float *high, vec v) {
    _mm_storeu_ps(low, _mm256_castps256_ps128(v));
    _mm_storeu_ps(high, _mm256_extractf128_ps(v, 1));
}
VEC_INLINE vec vec_even(vec a, vec b) {
    const __m256d pairs = _mm256_castps_pd(_mm256_shuffle_ps(a, b, 0x88));
    return _mm256_castpd_ps(_mm256_permute4x64_pd(pairs, 0xd8));
}
VEC_INLINE vec vec_odd(vec a, vec b) {
    const __m256d pairs = _mm256_castps_pd(_mm256_shuffle_ps(a, b, 0xdd));
    return _mm256_castpd_ps(_mm256_permute4x64_pd(pairs, 0xd8));
}
VEC_INLINE vec_mask vec_exceeds(vec v, vec u) {
    return _mm256_castps_si256(
        _mm256_and_ps(_mm256_cmp_ps(v, u, _CMP_NLE_UQ), _mm256_cmp_ps(u, u, _CMP_ORD_Q)));
}
VEC_INLINE vec vec_select(vec_mask m, vec a, vec b) {
    return _mm256_blendv_ps(b, a, _mm256_castsi256_ps(m));
}
VEC_INLINE vec vec_merge_low(vec a, vec b) {
    return _mm256_permute2f128_ps(_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b), 0x20);
}
VEC_INLINE vec vec_merge_high(vec a, vec b) {
    return _mm256_permute2f128_ps(_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b), 0x31);
}
VEC_INLINE vec vec_pick(vec a, vec b, vec_index at) {
    const __m256 of_b = _mm256_castsi256_ps(_mm256_slli_epi32(at, 28)); /* the sign says whether it is */
    return _mm256_blendv_ps(_mm256_permutevar8x32_ps(a, at), _mm256_permutevar8x32_ps(b, at), of_b);
}
VEC_INLINE vec vec_gather_some(const float *p, vec_index at) {
    const __m256 inside = _mm256_castsi256_ps(_mm256_cmpgt_epi32(at, _mm256_set1_epi32(-1)));
    return _mm256_mask_i32gather_ps(_mm256_setzero_ps(), p, at, inside, 4);
}
VEC_INLINE vec vec_pick_some(const float p[16], vec_index at) {
    return _mm256_andnot_ps(_mm256_castsi256_ps(_mm256_srai_epi32(at, 31)),
                            vec_pick(vec_load(p), vec_load(p + 8), at));
}
VEC_INLINE void vec_turn_square(vec v[8]) {
    vec t[8];
    for (int i = 0; i < 8; i += 2) {
        t[i] = _mm256_unpacklo_ps(v[i], v[i + 1]);
        t[i + 1] = _mm256_unpackhi_ps(v[i], v[i + 1]);
    }
    for (int i = 0; i < 8; i += 4)
        for (int k = 0; k < 2; k++) {
            __m256d a = _mm256_castps_pd(t[i + k]), b = _mm256_castps_pd(t[i + k + 2]);
            v[i + 2 * k] = _mm256_castpd_ps(_mm256_unpacklo_pd(a, b));
            v[i + 2 * k + 1] = _mm256_castpd_ps(_mm256_unpackhi_pd(a, b));
        }
    for (int k = 0; k < 4; k++) {
        vec a = v[k], b = v[k + 4];
        v[k] = _mm256_permute2f128_ps(a, b, 0x20);
        v[k + 4] = _mm256_permute2f128_ps(a, b, 0x31);
    }
}

#else

/* Any other processor: plain vectors of the compiler, with loops where it has no operator. */
enum { V = 4, WIDE = 1 };
#define SIMD(name) name##_any
typedef float vec __attribute__((vector_size(16)));
typedef int32_t vec_index __attribute__((vector_size(16)));
typedef int32_t vec_mask __attribute__((vector_size(16)));

VEC_INLINE vec vec_zero(void) {
    return (vec){0, 0, 0, 0};
}
VEC_INLINE vec vec_all(float x) {
    return (vec){x, x, x, x};
}
VEC_INLINE vec vec_load(const float *p) {
    vec v;
    memcpy(&v, p, sizeof v);
    return v;
}
VEC_INLINE void vec_store(float *p, vec v) {
    memcpy(p, &v, sizeof v);
}
VEC_INLINE vec vec_fma(vec a, vec b, vec c) {
    return a * b + c;
}
VEC_INLINE vec_mask vec_lanes(int64_t from, int64_t to) {
    vec_mask m;
    for (int l = 0; l < V; l++)
        m[l] = l >= from && l < to ? -1 : 0;
    return m;
}
VEC_INLINE vec vec_load_lanes(vec_mask m, const float *p) {
    vec v = vec_zero();
    for (int l = 0; l < V; l++)
        if (m[l])
            v[l] = p[l];
    return v;
}
VEC_INLINE void vec_store_first(float *p, vec v, int64_t n) {
    for (int l = 0; l < V && l < n; l++)
        p[l] = v[l];
}
VEC_INLINE vec_index vec_index_load(const int32_t at[4]) {
    vec_index v;
    memcpy(&v, at, sizeof v);
    return v;
}
VEC_INLINE vec vec_gather(const float *p, vec_index at) {
    return (vec){p[at[0]], p[at[1]], p[at[2]], p[at[3]]};
}
VEC_INLINE vec vec_load_halves(vec_mask m, const float *low, const float *high) {
    vec v = vec_zero();
    for (int l = 0; l < V; l++)
        if (m[l % (V / 2)])
            v[l] = l < V / 2 ? low[l] : high[l - V / 2];
    return v;
}
VEC_INLINE void vec_store_halves(float *low, float *high, vec v) {
    for (int l = 0; l < V; l++)
        (l < V / 2 ? low : high - V / 2)[l] = v[l];
}
VEC_INLINE vec vec_even(vec a, vec b) {
    return (vec){a[0], a[2], b[0], b[2]};
}
VEC_INLINE vec vec_odd(vec a, vec b) {
    return (vec){a[1], a[3], b[1], b[3]};
}
VEC_INLINE vec_mask vec_exceeds(vec v, vec u) {
    vec_mask m;
    for (int l = 0; l < V; l++)
        m[l] = u[l] == u[l] && !(v[l] <= u[l]) ? -1 : 0;
    return m;
}
VEC_INLINE vec vec_select(vec_mask m, vec a, vec b) {
    for (int l = 0; l < V; l++)
        b[l] = m[l] ? a[l] : b[l];
    return b;
}
VEC_INLINE vec vec_merge_low(vec a, vec b) {
    return (vec){a[0], b[0], a[1], b[1]};
}
VEC_INLINE vec vec_merge_high(vec a, vec b) {
    return (vec){a[2], b[2], a[3], b[3]};
}
VEC_INLINE vec vec_pick(vec a, vec b, vec_index at) {
    vec v;
    for (int l = 0; l < V; l++)
        v[l] = at[l] < V ? a[at[l]] : b[at[l] - V];
    return v;
}
VEC_INLINE vec vec_gather_some(const float *p, vec_index at) {
    vec v;
    for (int l = 0; l < V; l++)
        v[l] = at[l] < 0 ? 0 : p[at[l]];
    return v;
}
VEC_INLINE vec vec_pick_some(const float p[16], vec_index at) {
    return vec_gather_some(p, at);
}
VEC_INLINE void vec_turn_square(vec v[4]) {
    for (int i = 0; i < V; i++)
        for (int j = 0; j < i; j++) {
            const float x = v[i][j];
            v[i][j] = v[j][i];
            v[j][i] = x;
        }
}

#endif

#endif
