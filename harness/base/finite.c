#include "base/finite.h"

#include <math.h>
#include <string.h>

enum { LANES = 64 }; /* looked at together, without a branch, so that the compiler may vectorise */

/* A float is not finite where all bits of its exponent are set: adding one to the exponent then carries into
 * the sign's place, from which the sign itself was removed. */
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
