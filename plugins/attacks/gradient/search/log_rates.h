/* log_rates: the hidden rates of a client's local steps as unknowns of a search, rate_i =
 * announced·exp(s_i), and the derivative by s.
 *
 * The cost 1 − cos does not distinguish updates that differ by a factor. For short steps a common factor of
 * all rates is a factor of the update: the derivative along it vanishes, and the factor stays near the
 * announced rate, where it does no harm. If steps are long enough for the gradient to change along the
 * path, the update determines the factor as it does the rates' proportions, and it has to be searched: the
 * mean of rates drawn uniformly from 0 to twice the announced one varies by 1/√(3n) of it. */
#ifndef GRADIENT_LOG_RATES_H
#define GRADIENT_LOG_RATES_H

#include <stdint.h>

/* Sets rates[n] from s[n]. */
void log_rates_set(const float *s, int64_t n, double announced, float *rates);

/* Sets d_s[n] from d_rates[n], a cost's derivative by the rates. */
void log_rates_vjp(const float *rates, const float *d_rates, int64_t n, float *d_s);

#endif
