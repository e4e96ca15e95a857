#include "metric/public_only.h"

#include <math.h>

#include "metric/stats.h"

static int is_known(const gnt_public_pair *p) {
    return isfinite(p->with) && isfinite(p->without);
}

gnt_public_verdict gnt_metric_public_only(const gnt_public_pair *pair, size_t n, int sign) {
    const double level = 0.05;
    double sum = 0, error2 = 0, scatter2 = 0, k = 0;
    for (size_t i = 0; i < n; i++) {
        const gnt_public_pair *p = &pair[i];
        if (!is_known(p))
            continue;
        sum += sign * (p->with - p->without);
        error2 += p->with_error * p->with_error + p->without_error * p->without_error;
        k++;
    }
    if (k == 0)
        return GNT_PUBLIC_UNKNOWN;
    const double mean = sum / k, error = sqrt(error2) / k;
    for (size_t i = 0; i < n; i++)
        if (is_known(&pair[i]))
            scatter2 += pow(sign * (pair[i].with - pair[i].without) - mean, 2);
    if (!(mean > 0) || (k < 2 && isnan(error)))
        return GNT_PUBLIC_NO_BETTER;
    if (!isnan(error) && mean <= gnt_metric_normal_quantile(1 - level) * error)
        return GNT_PUBLIC_NO_BETTER;
    const double spread = k < 2 ? 0 : sqrt(scatter2 / (k - 1) / k);
    if (spread > 0 && gnt_metric_student_above(mean / spread, k - 1) >= level)
        return GNT_PUBLIC_NO_BETTER;
    return GNT_PUBLIC_BEATEN;
}
