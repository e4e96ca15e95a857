/* log_rates: the hidden rates of a client's local steps as unknowns of a search, and the derivative by them:
 * rate_i = announced·exp(s_i).
 *
 * A search for 1 − cos takes update and observation for the same where they differ by a factor. Of steps that
 * are short a common factor of all rates is one of the update: the derivative along it vanishes, and the
 * factor stays near the announced rate, where it does no harm. Of steps long enough to bend their path
 * it is told like the rates' proportions, and has to be searched: rates drawn uniformly from 0 to twice the
 * announced one have a mean that varies by 1/√(3n) of it. */
#ifndef GRADIENT_LOG_RATES_H
#define GRADIENT_LOG_RATES_H

#include <stdint.h>

/* rates[n] of s[n]. */
void log_rates_set(const float *s, int64_t n, double announced, float *rates);

/* d_s[n] of d_rates[n], a cost's derivative by the rates. */
void log_rates_vjp(const float *rates, const float *d_rates, int64_t n, float *d_s);

#endif
