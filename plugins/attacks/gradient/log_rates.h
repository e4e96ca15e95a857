/* log_rates: the hidden rates of a client's local steps as unknowns of a search, and the derivative by them.
 *
 * A search for 1 − cos takes update and observation for the same where they differ by a factor, and of short
 * steps a common factor of all rates is one of the update: it cannot be told. So only the rates' proportions
 * are unknown here, rate_i = n·announced·exp(s_i)/Σ_j exp(s_j), whose mean is the announced rate.
 *
 * Rationale: the announced rate is what rates drawn uniformly from 0 to twice it have as their mean. Their
 * mean logarithm lies lower and varies more, and where one of them is next to 0 it would drive the others far
 * beyond anything that a client takes. */
#ifndef GRADIENT_LOG_RATES_H
#define GRADIENT_LOG_RATES_H

#include <stdint.h>

/* rates[n] of s[n]. */
void log_rates_set(const float *s, int64_t n, double announced, float *rates);

/* d_s[n] of d_rates[n], a cost's derivative by the rates. */
void log_rates_vjp(const float *rates, const float *d_rates, int64_t n, float *d_s);

#endif
