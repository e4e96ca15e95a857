#include "search/log_rates.h"

#include <math.h>

void log_rates_set(const float *s, int64_t n, double announced, float *rates) {
    for (int64_t i = 0; i < n; i++)
        rates[i] = (float)(announced * exp((double)s[i]));
}

/* Turns derivatives by the rates into those by s: ∂rate_i/∂s_i = rate_i. */
void log_rates_vjp(const float *rates, const float *d_rates, int64_t n, float *d_s) {
    for (int64_t i = 0; i < n; i++)
        d_s[i] = rates[i] * d_rates[i];
}
