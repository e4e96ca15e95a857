/* least: the k-th least magnitude of an update's entries.
 *
 * The order of magnitudes is that of the bits of |x| read as an integer, which holds for all floats; NaN
 * counts as largest. */
#ifndef SHARED_LEAST_H
#define SHARED_LEAST_H

#include <string.h>

#include "gauntlet/plugin.h"

enum { GNT_LEAST_BINS = 1 << 16 };

static inline uint32_t magnitude(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits & 0x7fffffffu;
}

/* Returns the k-th least of n tensors, 1 ≤ k ≤ the number of their entries: counts the values of its upper 16
 * bits, then those of its lower. *ties: how many entries of exactly that magnitude are among the k least. For
 * k = 0 these are 0 and 0. `count` has GNT_LEAST_BINS entries. */
static inline uint32_t kth_least(const gnt_tensor *tensor, int64_t n, int64_t k, int64_t *count,
                                 int64_t *ties) {
    int64_t rank = k - 1; /* among the entries whose bits so far are `found` */
    uint32_t found = 0;
    for (int pass = 0; pass < 2; pass++) {
        uint32_t bin = 0;
        memset(count, 0, GNT_LEAST_BINS * sizeof *count);
        for (int64_t t = 0; t < n; t++)
            for (int64_t i = 0; i < tensor[t].count; i++) {
                uint32_t m = magnitude(tensor[t].data[i]);
                if (pass == 0 || m >> 16 == found)
                    count[pass == 0 ? m >> 16 : m & 0xffff]++;
            }
        while (rank >= count[bin])
            rank -= count[bin++];
        found = found << 16 | bin;
    }
    *ties = rank + 1;
    return found;
}

#endif
