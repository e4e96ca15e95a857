#include "log_rates.h"

#include <math.h>

void log_rates_set(const float *s, int64_t n, double announced, float *rates) {
    double most = -INFINITY, sum = 0;
    for (int64_t i = 0; i < n; i++)
        most = fmax(most, (double)s[i]);
    for (int64_t i = 0; i < n; i++)
        sum += exp((double)s[i] - most);
    for (int64_t i = 0; i < n; i++)
        rates[i] = (float)(announced * (double)n * exp((double)s[i] - most) / sum);
}

/* ∂rate_j/∂s_i = rate_j·([i = j] − rate_i/Σ rates). */
void log_rates_vjp(const float *rates, const float *d_rates, int64_t n, float *d_s) {
    double along = 0, sum = 0;
    for (int64_t i = 0; i < n; i++) {
        along += (double)rates[i] * (double)d_rates[i];
        sum += (double)rates[i];
    }
    for (int64_t i = 0; i < n; i++)
        d_s[i] = (float)((double)rates[i] * ((double)d_rates[i] - along / sum));
}
