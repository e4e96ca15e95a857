/* draw: normal numbers that follow from a seed alone, for what has to come out the same each time: the
 * host's streams go on where they stopped, and are keyed anew for each round and client. Seeds are drawn from
 * them. */
#ifndef REGION_DRAW_H
#define REGION_DRAW_H

#include "gauntlet/plugin.h"

typedef struct draws {
    uint64_t state;
    double spare; /* of a pair, where has_spare */
    int has_spare;
} draws;

/* A seed from the stream `name`. */
uint64_t draw_seed(const gnt_host *host, const char *name);

draws draws_from(uint64_t seed);
/* Mean 0, deviation 1: SplitMix64, Box and Muller. */
double draws_normal(draws *d);

/* A seed from another one and the bits of n numbers. */
uint64_t draw_seed_of(uint64_t seed, const float *x, int64_t n);

#endif
