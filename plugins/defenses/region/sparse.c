#include "sparse.h"

#include <math.h>
#include <string.h>

#include "shared/try.h"

/* Maps floats to integers in the order of their magnitudes; NaN is the largest. */
static uint32_t magnitude(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits & 0x7fffffffu;
}

static int64_t count_from(const gnt_tensors *update, uint32_t least) {
    int64_t n = 0;
    for (int64_t k = 0; k < update->n; k++)
        for (int64_t i = 0; i < update->tensor[k].count; i++)
            n += magnitude(update->tensor[k].data[i]) >= least;
    return n;
}

gnt_status sparse_keep(const gnt_host *host, gnt_tensors *update, double keep) {
    int64_t entries = 0;
    uint32_t least = 0; /* the greatest that so many entries reach: bit by bit */
    for (int64_t k = 0; k < update->n; k++)
        entries += update->tensor[k].count;
    /* as people mean it: 0.29 of 100 is 29, though the double nearest to 0.29 lies below it */
    const int64_t kept = entries - (int64_t)floor((1 - keep) * (double)entries + 1e-9 * (keep < 1));
    for (uint32_t bit = (uint32_t)1 << 30; bit > 0; bit >>= 1) {
        TRY(may_go_on(host));
        if (count_from(update, least | bit) >= kept)
            least |= bit;
    }
    int64_t ties = kept - count_from(update, least + 1);
    for (int64_t k = 0; k < update->n; k++)
        for (int64_t i = 0; i < update->tensor[k].count; i++) {
            const uint32_t m = magnitude(update->tensor[k].data[i]);
            if (m < least || (m == least && ties-- <= 0))
                update->tensor[k].data[i] = 0;
        }
    return GNT_OK;
}
