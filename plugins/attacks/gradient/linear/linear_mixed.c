/* linear-layer for an update that should be of one sample but holds several: public ones too, or a part of
 * another round's.
 *
 * The rows of one sample's update are multiples of it. Where they are not, and span a few dimensions, the
 * samples are solved for as those of a batch are (exact_batch.h). The answer is the one that adds most to the
 * update of those that are not public. */
#include <math.h>

#include "hook.h"
#include "linear/exact_batch.h"
#include "linear/linear_layer.h"
#include "update.h"

enum { MOST_SAMPLES = 32 };
static const double most_effort = 1; /* 1e9 operations: what no sample explains is left to others */

/* Returns the squares of what a sample adds to the layer's update. */
static double squares_added(const float *x, const input_range *range, int64_t features, const double *delta,
                            int64_t units) {
    double of_x = 1, of_delta = 0;
    for (int64_t k = 0; k < features; k++) {
        const double v = ((double)x[k] - input_range_mean(range, k)) / input_range_deviation(range, k);
        of_x += v * v;
    }
    for (int64_t i = 0; i < units; i++)
        of_delta += delta[i] * delta[i];
    return of_x * of_delta;
}

gnt_status linear_mixed_run(const linear_layer *s, const gnt_observation *seen, const dense_layer *l,
                            const gnt_answer *answer, int *answered) {
    const gnt_host *host = s->host;
    const int64_t units = l->b->count, features = hook_features(host->model->info);
    const int64_t least = units - 1 < features ? units - 1 : features;
    exact_batch batch = {.host = host,
                         .seen = seen,
                         .layer = l,
                         .range = input_range_of_images(host->model->info, features),
                         .features = features,
                         .effort = fmin(s->exact, most_effort),
                         .most = least < MOST_SAMPLES ? least : MOST_SAMPLES,
                         .known = seen->public_data};
    *answered = 0;
    if (s->exact <= 0)
        return GNT_OK;
    float *x = gnt_host_scratch(host, batch.most * features, sizeof *x);
    batch.delta = gnt_host_scratch(host, batch.most * units, sizeof *batch.delta);
    TRY(hook_memory(host, x && batch.delta));
    TRY(exact_batch_find(&batch, x));
    const float *best = NULL;
    double most = -1;
    for (int64_t i = 0; i < batch.found; i++) {
        const float *one = x + i * features;
        const double added = squares_added(one, &batch.range, features, batch.delta + i * units, units);
        if (added <= most || exact_batch_is_known(batch.known, one, features))
            continue;
        most = added;
        best = one;
    }
    if (!best)
        return GNT_OK;
    gnt_host_fact(host, "samples_exact", (double)batch.exact);
    *answered = 1;
    return answer->reconstruction(answer->context, 1, best);
}
