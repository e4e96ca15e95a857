#include "metric/identify.h"

#include <math.h>

#include "base/mem.h"
#include "metric/image.h"

static void settle(gnt_metric_identity *out, const double *distance, size_t n, size_t right) {
    size_t nearer = 0, equal = 0, at_least = 0;
    for (size_t i = 0; i < n; i++) {
        nearer += distance[i] < distance[right];
        equal += distance[i] == distance[right];
        if (distance[i] < distance[out->nearest])
            out->nearest = i;
    }
    for (size_t i = 0; i < n; i++)
        at_least += distance[i] == distance[out->nearest];
    out->mse = distance[right];
    out->rank = 1 + (double)nearer + (double)(equal - 1) / 2;
    out->hit = nearer == 0 ? 1.0 / (double)at_least : 0;
}

int gnt_metric_identify(gnt_metric_identity *out, const float *answer, const gnt_metric_rows *candidates,
                        size_t right, gnt_err *err) {
    size_t n = candidates->n;
    if (right >= n)
        return gnt_fail(err, "the right candidate is number %zu of only %zu", right, n);
    *out = (gnt_metric_identity){0};
    double *distance = gnt_array(n, sizeof *distance);
    float *x = gnt_array(candidates->features, sizeof *x);
    int result = -1;
    if (!distance || !x) {
        gnt_fail(err, "out of memory while comparing with %zu candidates", n);
        goto cleanup;
    }
    for (size_t i = 0; i < candidates->features; i++)
        out->broken |= !isfinite(answer[i]);
    result = 0;
    if (out->broken) {
        out->mse = 1;
        out->rank = (double)n;
        goto cleanup;
    }
    for (size_t i = 0; i < n; i++) {
        candidates->read(candidates->context, i, x);
        distance[i] = gnt_metric_mse(x, answer, candidates->features, NULL);
    }
    settle(out, distance, n, right);
cleanup:
    gnt_free(distance);
    gnt_free(x);
    return result;
}

int gnt_metric_identify_any(double *hit, const float *answer, const gnt_metric_rows *candidates, size_t first,
                            size_t n, gnt_err *err) {
    if (n > candidates->n || first > candidates->n - n)
        return gnt_fail(err, "rows %zu to %zu are not among %zu candidates", first, first + n, candidates->n);
    float *x = gnt_array(candidates->features, sizeof *x);
    if (!x)
        return gnt_fail(err, "out of memory while comparing with %zu candidates", candidates->n);
    double least = INFINITY;
    size_t equal = 0, inside = 0;
    int broken = 0;
    for (size_t i = 0; i < candidates->features; i++)
        broken |= !isfinite(answer[i]);
    for (size_t i = 0; !broken && i < candidates->n; i++) {
        candidates->read(candidates->context, i, x);
        double d = gnt_metric_mse(x, answer, candidates->features, NULL);
        if (d > least)
            continue;
        if (d < least)
            equal = inside = 0;
        least = d;
        equal++;
        inside += i >= first && i - first < n;
    }
    *hit = equal ? (double)inside / (double)equal : 0;
    gnt_free(x);
    return 0;
}
