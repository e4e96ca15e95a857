#include "cost/observed_statistics.h"

#include <math.h>
#include <string.h>

#include "hook.h"
#include "shared/by_name.h"

/* Share of a running statistic that a step leaves. */
static const double kept = 0.9;

static int is_variance(const gnt_view *v) {
    static const char end[] = "running_var";
    const size_t length = strlen(v->name), n = sizeof end - 1;
    return length >= n && strcmp(v->name + length - n, end) == 0;
}

/* Fills in one statistic; 0 if it cannot be one. */
static int mean_of_batches(const gnt_view *sent, double share, const float *before, float *out) {
    const int is_positive = is_variance(sent);
    for (int64_t i = 0; i < sent->count; i++) {
        out[i] = (float)((double)before[i] + (double)sent->data[i] / share);
        if (!isfinite(out[i]) || (is_positive && out[i] <= 0))
            return 0;
    }
    return 1;
}

gnt_status observed_statistics(const gnt_host *host, const gnt_observation *seen, const float **out) {
    const gnt_model_info *info = host->model->info;
    const gnt_views *sent = GNT_HAS(gnt_observation, seen, sent_buffers) ? seen->sent_buffers : NULL;
    const double share = 1 - pow(kept, seen->steps > 1 ? seen->steps : 1);
    int64_t at = 0;
    *out = NULL;
    if (!sent || sent->n != info->buffers.n)
        return GNT_OK;
    float *mean = gnt_host_scratch(host, info->n_buffers, sizeof *mean);
    TRY(hook_memory(host, mean != NULL));
    for (int64_t k = 0; k < sent->n; at += sent->view[k++].count)
        if (!mean_of_batches(&sent->view[k], share, seen->buffers + at, mean + at))
            return GNT_OK;
    *out = mean;
    return GNT_OK;
}

int observed_statistics_are_noisy(const gnt_observation *seen) {
    const gnt_value *noised = defense_value(seen, "statistics");
    return noised && noised->i;
}
