#include "prior/prior.h"

#include <math.h>

/* L-BFGS wants a derivative at 0: |d| is √(d² + alike²) − alike. */
static const double alike = 0.02, outside_weight = 10;

prior prior_of(const gnt_model_info *info, int64_t n) {
    prior p = {n * info->dim[0], 1, 1};
    if (info->rank == 3) {
        p.height = info->dim[1];
        p.width = info->dim[2];
    }
    return p;
}

static double outside(const prior *p, const float *x, double weight, float *grad) {
    double sum = 0;
    for (int64_t i = 0; i < p->planes * p->height * p->width; i++) {
        double v = (double)x[i], d = v < 0 ? v : v > 1 ? v - 1 : 0;
        sum += d * d;
        grad[i] += (float)(2 * weight * d);
    }
    return weight * sum;
}

/* Sums over neighbours `step` entries apart, of the first `rows` and `columns` of each plane. */
static double variation(const prior *p, const float *x, int64_t rows, int64_t columns, int64_t step,
                        double weight, float *grad) {
    double sum = 0;
    for (int64_t k = 0; k < p->planes; k++)
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < columns; j++) {
                int64_t at = (k * p->height + i) * p->width + j;
                double d = (double)x[at + step] - (double)x[at], size = sqrt(d * d + alike * alike);
                float slope = (float)(weight * d / size);
                sum += size - alike;
                grad[at + step] += slope;
                grad[at] -= slope;
            }
    return weight * sum;
}

double prior_add(const prior *p, const float *x, double weight, float *grad) {
    if (!(weight > 0))
        return 0;
    return outside(p, x, weight * outside_weight, grad) +
           variation(p, x, p->height - 1, p->width, p->width, weight, grad) +
           variation(p, x, p->height, p->width - 1, 1, weight, grad);
}
