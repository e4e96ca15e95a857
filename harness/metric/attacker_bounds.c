#include "metric/attacker_bounds.h"

#include <math.h>

double gnt_bound_of_two(double bits) {
    if (bits <= 0)
        return 1;
    return 1 - fmin(bits, 1) / (2 * log2(6 / fmin(bits, 1)));
}

/* Returns the most bits that can be unknown of an attribute that is inferred wrongly in a share `wrong` of
 * cases. */
static double most_unknown(double wrong, int32_t values) {
    const double right = 1 - wrong;
    const double of_two = (wrong > 0 ? -wrong * log2(wrong) : 0) + (right > 0 ? -right * log2(right) : 0);
    return of_two + wrong * log2((double)values - 1);
}

double gnt_bound_of_values(double bits, int32_t values) {
    double low = 0, high = 1 - 1 / (double)values; /* share inferred wrongly: the entropy rises with it */
    if (isnan(bits))
        return NAN;
    for (int step = 0; step < 60; step++) {
        const double at = (low + high) / 2;
        if (most_unknown(at, values) < bits)
            low = at;
        else
            high = at;
    }
    return 1 - low;
}
