/* formula: numbers that a test and tests/golden/golden.py make alike, so that files hold results only. Every
 * number is a multiple of 2⁻²³ times a power of two and so the same in float and in double. */
#ifndef GNT_TESTS_FORMULA_H
#define GNT_TESTS_FORMULA_H

#include <math.h>
#include <stdint.h>

enum { FORMULA_X = 1, FORMULA_X_SEEN, FORMULA_Y, FORMULA_Y_SEEN, FORMULA_PLACES, FORMULA_WEIGHTS = 16 };

static inline uint64_t formula_bits(uint64_t stream, uint64_t i) { /* splitmix64's output function */
    uint64_t z = (stream << 40) + i + 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static inline double formula_unit(uint64_t stream, uint64_t i) { /* [−1, 1) */
    return (double)(formula_bits(stream, i) >> 40) * 0x1p-23 - 1;
}

/* The places of a tensor of n entries that golden files keep when n is above `most`; all of them otherwise.
 */
static inline int64_t formula_place(int64_t n, int64_t most, int64_t i) {
    return n <= most ? i : (int64_t)(formula_bits(FORMULA_PLACES, (uint64_t)i) % (uint64_t)n);
}

static inline double formula_bound(double fan_in) { /* a power of two near √(6/fan_in) */
    return exp2(floor(0.5 * log2(6 / fan_in) + 0.5));
}

#endif
