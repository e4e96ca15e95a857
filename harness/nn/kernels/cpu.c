#include "nn/kernels/cpu.h"

#include <stdlib.h>
#include <string.h>

static int widest(void) {
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        return 512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return 256;
#endif
    return 128;
}

/* Returns the width of GAUNTLET_VECTORS; 0: it is not set, −1: it is something else than a width. */
static int requested(void) {
    static const struct {
        const char *text;
        int bits;
    } known[] = {{"128", 128}, {"256", 256}, {"512", 512}};
    const char *value = getenv("GAUNTLET_VECTORS");
    if (!value)
        return 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(value, known[i].text) == 0)
            return known[i].bits;
    return -1;
}

const char *gnt_cpu_vectors_error(void) {
    return requested() < 0 ? "program: GAUNTLET_VECTORS must be 128, 256 or 512, or not be set" : NULL;
}

int gnt_cpu_vectors(void) {
    static int bits; /* 0: not known yet; every thread finds the same */
    if (!bits) {
        const int most = requested(), has = widest();
        bits = most > 0 && most < has ? most : has;
    }
    return bits;
}
