#include "prior/whole_covariance.h"

#include <math.h>
#include <string.h>

#include "prior/matrix_rows.h"
#include "hook.h"

/* Vector code for the loops, with the same bits: no sum changes its order. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

enum { MOST_STEPS = 100 };
static const double settled = 1e-3; /* of the residual, in the preconditioner's norm */

gnt_status whole_covariance_make(whole_covariance *c, const gnt_host *host, const sample_shape *shape,
                                 const float *x, int64_t n, double by_distance) {
    const int64_t used = n < SAMPLE_PRIOR_MOST ? n : SAMPLE_PRIOR_MOST, d = shape->features;
    double *mean = gnt_host_scratch(host, d, sizeof *mean);
    *c = (whole_covariance){
        .n = used, .features = d, .x = x, .weight = by_distance / (by_distance + (double)used), .mean = mean};
    for (int i = 0; i < 5; i++) {
        c->work[i] = gnt_host_scratch(host, i < 4 ? d : used, sizeof(double));
        TRY(hook_memory(host, mean && c->work[i]));
    }
    for (int64_t i = 0; i < used; i++)
        for (int64_t k = 0; k < d; k++)
            mean[k] += (double)x[i * d + k] / (double)used;
    return stationary_make(&c->even, host, shape, x, n < SAMPLE_PRIOR_MOST_EVEN ? n : SAMPLE_PRIOR_MOST_EVEN);
}

/* Computes out = K v: of the samples (1 − w)/n Σ (x − mean)(x − mean)ᵀ v, and w times that by distance. */
static void multiply(const whole_covariance *c, const double *v, double *out) {
    const int64_t d = c->features;
    double of_mean = 0, all = 0, *by = c->work[4];
    for (int64_t k = 0; k < d; k++) {
        of_mean += c->mean[k] * v[k];
        out[k] = 0;
    }
    for (int64_t i = 0; i < c->n; i++) {
        const float *x = c->x + i * d;
        double sum[4] = {0};
        int64_t k = 0;
        for (; k + 4 <= d; k += 4)
            for (int64_t j = 0; j < 4; j++)
                sum[j] += (double)x[k + j] * v[k + j];
        for (; k < d; k++)
            sum[0] += (double)x[k] * v[k];
        by[i] = (1 - c->weight) / (double)c->n * (sum[0] + sum[1] + sum[2] + sum[3] - of_mean);
        all += by[i];
    }
    rows_combine_floats(c->x, c->n, d, by, out);
    for (int64_t k = 0; k < d; k++)
        out[k] -= all * c->mean[k];
    for (int64_t k = 0; k < d; k++)
        if (v[k] != 0)
            stationary_add_column(&c->even, k, c->weight * v[k], out);
}

gnt_status whole_covariance_apply(const whole_covariance *c, const gnt_host *host, const sample_prior *p,
                                  const evidence *e, prior_room *room, double *mean) {
    const int64_t d = c->features;
    double *r = c->work[0], *z = c->work[1], *direction = c->work[2], *product = c->work[3];
    double *y = mean; /* the solution, until it is multiplied */
    for (int64_t k = 0; k < d; k++) {
        r[k] = e->precision[k] > 0 ? e->pull[k] / e->precision[k] - p->mean[k] : 0;
        y[k] = 0;
    }
    sample_prior_precondition(p, room, r, z);
    memcpy(direction, z, (size_t)d * sizeof *z);
    double size = rows_dot(r, z, d);
    const double enough = settled * settled * size;
    for (int step = 0; step < MOST_STEPS && size > enough; step++) {
        TRY(may_go_on(host));
        multiply(c, direction, product);
        for (int64_t k = 0; k < d; k++)
            product[k] = e->precision[k] > 0 ? product[k] + direction[k] / e->precision[k] : 0;
        const double by = size / rows_dot(direction, product, d);
        for (int64_t k = 0; k < d; k++) {
            y[k] += by * direction[k];
            r[k] -= by * product[k];
        }
        sample_prior_precondition(p, room, r, z);
        const double next = rows_dot(r, z, d);
        for (int64_t k = 0; k < d; k++)
            direction[k] = z[k] + next / size * direction[k];
        size = next;
    }
    multiply(c, y, product);
    for (int64_t k = 0; k < d; k++) {
        mean[k] = p->mean[k] + product[k];
        if (!isfinite(mean[k]))
            return gnt_host_fail(host, "the estimate is not finite: the update's entries are too large");
    }
    return GNT_OK;
}
