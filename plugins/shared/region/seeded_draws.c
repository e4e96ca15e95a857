#include "seeded_draws.h"

#include <math.h>
#include <string.h>

static const double two_pi = 6.283185307179586;

uint64_t draw_seed(const gnt_host *host, const char *name) {
    const uint64_t high = gnt_host_below(host, name, (uint64_t)1 << 32);
    return high << 32 | gnt_host_below(host, name, (uint64_t)1 << 32);
}

/* Applies the finaliser of SplitMix64. */
static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

draws draws_from(uint64_t seed) {
    return (draws){.state = mix(seed)};
}

/* Draws a number in (0, 1], whose logarithm is finite. */
static double uniform(draws *d) {
    d->state += 0x9e3779b97f4a7c15u;
    return ((double)(mix(d->state) >> 11) + 1) * 0x1p-53;
}

double draws_normal(draws *d) {
    if (d->has_spare) {
        d->has_spare = 0;
        return d->spare;
    }
    const double r = sqrt(-2 * log(uniform(d))), angle = two_pi * uniform(d);
    d->spare = r * sin(angle);
    d->has_spare = 1;
    return r * cos(angle);
}

uint64_t draw_seed_of(uint64_t seed, const float *x, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        uint32_t word;
        memcpy(&word, &x[i], sizeof word);
        seed = mix(seed + 0x9e3779b97f4a7c15u + word);
    }
    return seed;
}
