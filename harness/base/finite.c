#include "base/finite.h"

#include <math.h>
#include <string.h>

enum { LANES = 64 }; /* looked at together, without a branch, so that the compiler may vectorise */

/* Returns whether a value in a block is not finite. All bits of the exponent of such a float are set: with
 * the sign cleared, adding one to the exponent carries into the sign bit. */
static int holds_not_finite(const float *x) {
    uint32_t word[LANES], carry = 0;
    memcpy(word, x, sizeof word);
    for (int i = 0; i < LANES; i++)
        carry |= (word[i] & 0x7fffffffu) + 0x00800000u;
    return carry >> 31 != 0;
}

int64_t gnt_first_not_finite(const float *x, int64_t n) {
    int64_t i = 0;
    while (i + LANES <= n && !holds_not_finite(x + i))
        i += LANES;
    while (i < n && isfinite(x[i]))
        i++;
    return i;
}
