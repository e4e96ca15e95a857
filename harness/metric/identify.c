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
