#include "metric/contribution.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

double gnt_metric_relative_error(double estimate, double truth, double usual) {
    double size = truth != 0 ? fabs(truth) : usual;
    if (!isfinite(estimate))
        return 1;
    if (estimate == truth)
        return 0;
    return size > 0 ? fmin(fabs(estimate - truth) / size, 1) : 1;
}

typedef struct placed {
    double value;
    size_t at;
} placed;

static int by_value(const void *a, const void *b) {
    double x = ((const placed *)a)->value, y = ((const placed *)b)->value;
    return (x > y) - (x < y);
}

/* Ranks less their mean, so that an entry without a rank is 0. Returns Σ rank². */
static double centred_ranks(double *rank, const double *x, size_t n, placed *order) {
    size_t known = 0;
    double squares = 0;
    for (size_t i = 0; i < n; i++) {
        rank[i] = 0;
        if (isfinite(x[i]))
            order[known++] = (placed){x[i], i};
    }
    qsort(order, known, sizeof *order, by_value);
    for (size_t from = 0, to; from < known; from = to) {
        for (to = from + 1; to < known && order[to].value == order[from].value;)
            to++;
        for (size_t i = from; i < to; i++)
            rank[order[i].at] = 0.5 * ((double)from + (double)to - (double)known);
    }
    for (size_t i = 0; i < n; i++)
        squares += rank[i] * rank[i];
    return squares;
}

int gnt_metric_rank_correlation(double *out, const double *estimate, const double *truth, size_t n,
                                gnt_err *err) {
    double *rank = gnt_array(2 * n, sizeof *rank);
    placed *order = gnt_array(n, sizeof *order);
    int rc = rank && order ? 0 : gnt_fail(err, "out of memory for the ranks of %zu values", n);
    if (rc == 0) {
        double of_truth = centred_ranks(rank, truth, n, order),
               of_estimate = centred_ranks(rank + n, estimate, n, order), both = 0;
        for (size_t i = 0; i < n; i++)
            both += rank[i] * rank[n + i];
        *out = of_truth > 0 ? of_estimate > 0 ? both / sqrt(of_truth * of_estimate) : 0 : (double)NAN;
    }
    gnt_free(rank);
    gnt_free(order);
    return rc;
}
