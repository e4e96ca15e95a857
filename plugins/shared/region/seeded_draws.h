/* seeded_draws: normal numbers that depend on a seed only, for results that must be reproducible within a
 * round: the host's streams continue from call to call and have a new key for each round and client. Seeds
 * are drawn from them. */
#ifndef REGION_SEEDED_DRAWS_H
#define REGION_SEEDED_DRAWS_H

#include "gauntlet/plugin.h"

typedef struct draws {
    uint64_t state;
    double spare; /* second of a pair, if has_spare */
    int has_spare;
} draws;

/* Draws a seed from the stream `name`. */
uint64_t draw_seed(const gnt_host *host, const char *name);

draws draws_from(uint64_t seed);
/* Draws a normal number, mean 0, deviation 1: SplitMix64, Box and Muller. */
double draws_normal(draws *d);

/* Derives a seed from another one and the bits of n numbers. */
uint64_t draw_seed_of(uint64_t seed, const float *x, int64_t n);

#endif
