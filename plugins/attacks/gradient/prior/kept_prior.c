#include "prior/kept_prior.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "prior/prior_choice.h"
#include "hook.h"

/* Computes FNV-1a over the samples' 32-bit words, their number and their size. */
static uint64_t digest_of(const float *x, int64_t n, int64_t features) {
    const uint64_t prime = 0x100000001b3;
    uint64_t digest = (0xcbf29ce484222325 ^ (uint64_t)n) * prime;
    digest = (digest ^ (uint64_t)features) * prime;
    for (int64_t i = 0; i < n * features; i++) {
        uint32_t word;
        memcpy(&word, x + i, sizeof word);
        digest = (digest ^ word) * prime;
    }
    return digest;
}

void kept_prior_clear(kept_prior *k) {
    for (int i = 0; i < KEPT_PRIORS; i++) {
        free(k->of[i].mean);
        free(k->of[i].factor);
        free(k->of[i].rest);
    }
    *k = (kept_prior){0};
}

void kept_prior_begin(kept_prior *k, const float *x, int64_t n, int64_t features) {
    const uint64_t digest = digest_of(x, n, features);
    if (k->samples != digest)
        kept_prior_clear(k);
    k->samples = digest;
}

/* Returns a copy of so many bytes, freed by the caller; NULL when memory ran out, never for 0 bytes. */
static void *copy_of(const void *from, size_t bytes) {
    void *to = malloc(bytes + !bytes);
    return to && bytes ? memcpy(to, from, bytes) : to;
}

gnt_status kept_prior_get(kept_prior *k, sample_prior *p, const gnt_host *host, const sample_shape *shape,
                          const float *x, int64_t n, int index) {
    sample_prior *kept = &k->of[index], made;
    if (!kept->mean) {
        TRY(sample_prior_make(&made, host, shape, x, n, prior_candidate(index)));
        const size_t d = (size_t)made.features;
        sample_prior copy = {made.features, made.rank, copy_of(made.mean, d * sizeof(double)),
                             copy_of(made.factor, d * (size_t)made.rank * sizeof(float)),
                             copy_of(made.rest, d * sizeof(double))};
        if (!copy.mean || !copy.factor || !copy.rest) {
            free(copy.mean);
            free(copy.factor);
            free(copy.rest);
            return hook_no_memory(host);
        }
        *kept = copy;
    }
    *p = *kept;
    return GNT_OK;
}

gnt_status kept_prior_choose(kept_prior *k, int *index, const gnt_host *host, const sample_shape *shape,
                             const float *x, int64_t n, double variance) {
    const int level = prior_level(variance, PRIOR_LEVELS);
    if (k->chosen[level] == 0) {
        int best;
        TRY(prior_choose(&best, host, shape, x, n, pow(4, level - PRIOR_LEVELS / 2.0)));
        k->chosen[level] = (uint8_t)(1 + best);
    }
    *index = k->chosen[level] - 1;
    return GNT_OK;
}
