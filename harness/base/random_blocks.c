#include "base/random_blocks.h"

#include "base/clones.h"

enum { N = GNT_RANDOM_BLOCKS, ROUNDS = 10 };

GNT_CLONES
void gnt_random_blocks(const uint32_t key[2], const uint32_t counter[4], uint64_t out[2 * N]) {
    const uint64_t first = (uint64_t)counter[1] << 32 | counter[0];
    uint32_t a[N], b[N], c[N], d[N];
    GNT_INDEPENDENT
    for (int k = 0; k < N; k++) {
        a[k] = (uint32_t)(first + (uint64_t)k);
        b[k] = (uint32_t)((first + (uint64_t)k) >> 32);
        c[k] = counter[2];
        d[k] = counter[3];
    }
    uint32_t low = key[0], high = key[1];
    for (int round = 0; round < ROUNDS; round++) {
        GNT_INDEPENDENT
        for (int k = 0; k < N; k++) {
            const uint64_t p = (uint64_t)a[k] * 0xD2511F53u, q = (uint64_t)c[k] * 0xCD9E8D57u;
            a[k] = (uint32_t)(q >> 32) ^ b[k] ^ low;
            b[k] = (uint32_t)q;
            c[k] = (uint32_t)(p >> 32) ^ d[k] ^ high;
            d[k] = (uint32_t)p;
        }
        low += 0x9E3779B9u;
        high += 0xBB67AE85u;
    }
    GNT_INDEPENDENT
    for (int k = 0; k < N; k++) {
        out[2 * k] = a[k] | (uint64_t)b[k] << 32;
        out[2 * k + 1] = c[k] | (uint64_t)d[k] << 32;
    }
}
