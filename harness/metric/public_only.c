#include "metric/public_only.h"

#include <math.h>

#include "metric/stats.h"

void gnt_seed_scatter_add(gnt_seed_scatter *s, const double *utility, size_t n) {
    double sum = 0, k = 0;
    for (size_t i = 0; i < n; i++)
        if (isfinite(utility[i])) {
            sum += utility[i];
            k++;
        }
    for (size_t i = 0; k > 1 && i < n; i++)
        if (isfinite(utility[i]))
            s->squares += (utility[i] - sum / k) * (utility[i] - sum / k);
    s->freedom += k > 1 ? k - 1 : 0;
}

gnt_public_verdict gnt_metric_public_only(const gnt_public_pair *pair, size_t n, int sign,
                                          const gnt_seed_scatter *scatter) {
    const double level = 0.05;
    double sum = 0, error2 = 0, k = 0;
    for (size_t i = 0; i < n; i++) {
        const gnt_public_pair *p = &pair[i];
        if (!isfinite(p->with) || !isfinite(p->without))
            continue;
        sum += sign * (p->with - p->without);
        error2 += p->with_error * p->with_error + p->without_error * p->without_error;
        k++;
    }
    if (k == 0)
        return GNT_PUBLIC_UNKNOWN;
    const double mean = sum / k, error = sqrt(error2) / k;
    const int varies = scatter->freedom > 0;
    if (!(mean > 0) || (isnan(error) && !varies))
        return GNT_PUBLIC_NO_BETTER;
    if (!isnan(error) && mean <= gnt_metric_normal_quantile(1 - level) * error)
        return GNT_PUBLIC_NO_BETTER;
    const double spread = varies ? sqrt(2 * scatter->squares / scatter->freedom / k) : 0;
    if (spread > 0 && gnt_metric_student_above(mean / spread, scatter->freedom) >= level)
        return GNT_PUBLIC_NO_BETTER;
    return GNT_PUBLIC_BEATEN;
}
