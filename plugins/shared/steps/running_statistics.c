#include "shared/steps/running_statistics.h"

#include <string.h>

#include "shared/try.h"

gnt_status running_statistics_open(running_statistics *r, const gnt_host *host, const gnt_client *client,
                                   int64_t n) {
    const gnt_model_service *m = host->model;
    const int64_t entries = m->info->n_buffers;
    *r = (running_statistics){.host = host, .client = client};
    if (!GNT_HAS(gnt_client, client, sent_buffers) || !client->sent_buffers || entries == 0)
        return GNT_OK;
    const gnt_function_spec spec = {.size = sizeof spec, .kind = GNT_FN_STATISTICS, .n = n};
    r->kept = gnt_host_scratch(host, entries, sizeof *r->kept);
    TRY(have_memory(host, r->kept != NULL, "no memory for running statistics"));
    memcpy(r->kept, client->buffers, (size_t)entries * sizeof *r->kept);
    r->batch = m->prepare(m->context, &spec);
    return r->batch ? GNT_OK : gnt_host_fail(host, gnt_host_last_error(host));
}

gnt_status running_statistics_take(running_statistics *r, const float *x, const float *weights) {
    const gnt_host *host = r->host;
    const gnt_function_args args = {
        .size = sizeof args, .x = x, .weights = weights, .buffers = r->client->buffers};
    const gnt_views *of;
    if (!r->batch)
        return GNT_OK;
    if (host->model->eval(host->model->context, r->batch, &args, &of) != GNT_OK)
        return gnt_host_fail(host, gnt_host_last_error(host));
    int64_t at = 0;
    for (int64_t k = 0; k < of->n; k++)
        for (int64_t i = 0; i < of->view[k].count; i++, at++)
            r->kept[at] = 0.9f * r->kept[at] + 0.1f * of->view[k].data[i];
    return GNT_OK;
}

void running_statistics_send(const running_statistics *r) {
    int64_t at = 0;
    if (!r->batch)
        return;
    const gnt_tensors *sent = r->client->sent_buffers;
    for (int64_t k = 0; k < sent->n; k++)
        for (int64_t i = 0; i < sent->tensor[k].count; i++, at++)
            sent->tensor[k].data[i] = r->kept[at] - r->client->buffers[at];
}

void running_statistics_close(running_statistics *r) {
    if (r->batch)
        r->host->model->release(r->host->model->context, r->batch);
    r->batch = NULL;
}
