/* stats: from many scores to a few honest numbers. Inputs must be finite; a NaN or infinity is an error with
 * its index, never a silent omission (failures are scored before they come here). */
#ifndef GNT_METRIC_STATS_H
#define GNT_METRIC_STATS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

typedef struct gnt_metric_summary {
    size_t n;
    double mean;
    double deviation; /* of the sample, with n − 1; 0 for n = 1 */
    double least, quartile1, median, quartile3,
        most; /* linear between order statistics (Hyndman and Fan's type 7) */
} gnt_metric_summary;

/* Summarizes n ≥ 1 numbers. The worst case of a leakage is `most` if higher leaks more (PSNR), `least` if
 * lower does (MSE). */
int gnt_metric_summarize(gnt_metric_summary *out, const double *x, size_t n, gnt_err *err);

/* Computes mean and sample variance (n − 1; 0 for n = 1) of n ≥ 1 numbers, in two passes: exact for
 * constants. */
void gnt_metric_moments(const double *x, size_t n, double *mean, double *variance);

/* Returns the quantile p (0 … 1) of n ≥ 1 sorted numbers, linear between order statistics (type 7). */
double gnt_metric_quantile(const double *sorted, size_t n, double p);

/* Computes an isotonic regression by pooling adjacent violators: replaces the n numbers by the nearest
 * (weighted least squares) that never rise (sign −1) or never fall (+1). The weights are overwritten; size:
 * room for n. */
void gnt_metric_isotonic(double *x, double *weight, size_t *size, size_t n, int sign);

typedef struct gnt_metric_interval {
    double low, high;
} gnt_metric_interval;

/* Returns Wilson's score interval for a rate: successes (fractions allowed, 0 … n) of n ≥ 1 at `level`, such
 * as 0.95. */
gnt_metric_interval gnt_metric_wilson(double successes, double n, double level);

double gnt_metric_normal_quantile(double p);               /* of N(0, 1); ±infinity at 0 and 1 */
double gnt_metric_student_above(double t, double freedom); /* P(T > t) of Student's t; NaN for freedom ≤ 0 */
/* Returns t with P(T ≤ t) = p; NaN for p outside 0 … 1 or freedom ≤ 0, ±infinity at 0 and 1. */
double gnt_metric_student_quantile(double p, double freedom);

typedef struct gnt_metric_difference {
    double mean;    /* of a − b */
    double error;   /* its standard error */
    double freedom; /* degrees of freedom */
    double p; /* two-sided, Student's t; 1 when both are constant and equal, 0 when constant and different */
} gnt_metric_difference;

/* Computes Welch's test of two independent samples, na, nb ≥ 2; and the same for pairs (a[i], b[i]), n ≥
 * 2. */
int gnt_metric_welch(gnt_metric_difference *out, const double *a, size_t na, const double *b, size_t nb,
                     gnt_err *err);
int gnt_metric_paired(gnt_metric_difference *out, const double *a, const double *b, size_t n, gnt_err *err);

/* Applies Holm's step-down correction to n p-values, in place: each becomes the smallest family-wise level at
 * which it would be rejected. */
int gnt_metric_holm(double *p, size_t n, gnt_err *err);

#endif
