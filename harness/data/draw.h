/* draw: random shapes of numbers for the generators, from +, −, ×, ÷ and √ alone, which IEEE 754 rounds the
 * same way everywhere: no libm, whose last bits differ from machine to machine. */
#ifndef GNT_DATA_DRAW_H
#define GNT_DATA_DRAW_H

#include <stdint.h>

#include "base/random.h"

/* A fused multiply-add rounds once where two operations round twice; gcc -std=c11 makes none. */
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

double draw_between(gnt_stream *s, double least, double most);
double draw_bell(gnt_stream *s); /* mean 0, deviation 1, |x| ≤ 3.5: four uniforms summed */
int draw_chance(gnt_stream *s, double probability);
/* Draws index i with probability weight[i] / Σ weight. */
int draw_weighted(gnt_stream *s, const int *weight, int n);

double draw_sin(double turns); /* sin(2π·turns), error below 1e-6 */
double draw_cos(double turns);

static inline double draw_clamp(double x, double least, double most) {
    double y = x < least ? least : x; /* two steps become two instructions, without branches to mispredict */
    return y > most ? most : y;
}

static inline double draw_mix(double a, double b, double t) { /* a at t = 0, b at t = 1 */
    return a + (b - a) * t;
}

static inline uint8_t draw_byte(double x) { /* [0, 1] to 0 … 255, rounded, clamped */
    return (uint8_t)(draw_clamp(x, 0, 1) * 255 + 0.5);
}

#endif
