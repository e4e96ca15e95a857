#include "fl/hide.h"

#include <math.h>

#include "base/mem.h"

/* Returns the first client after groups 0 … k, in the drawn order. */
static int32_t end_of(int32_t clients, const double *share, size_t k) {
    double sum = 0;
    for (size_t i = 0; i <= k; i++)
        sum += share[i];
    /* a sum such as 0.3 + 0.2 is not to fall below its half */
    const double end = floor(sum * clients + 0.5 + 1e-9);
    return end < clients ? (int32_t)end : clients;
}

int32_t gnt_hide_count(int32_t clients, const double *share, size_t k) {
    return end_of(clients, share, k) - (k ? end_of(clients, share, k - 1) : 0);
}

int gnt_hide_deal(int32_t *of_client, int32_t clients, const double *share, size_t n, const gnt_key *key) {
    uint32_t *order = gnt_array((size_t)clients, sizeof *order);
    gnt_stream random = gnt_stream_open(key, "hide");
    if (!order)
        return -1;
    for (int32_t i = 0; i < clients; i++) {
        order[i] = (uint32_t)i;
        of_client[i] = -1;
    }
    gnt_random_shuffle(&random, order, (size_t)clients);
    int32_t at = 0;
    for (size_t k = 0; k < n; k++)
        for (const int32_t end = end_of(clients, share, k); at < end; at++)
            of_client[order[at]] = (int32_t)k;
    gnt_free(order);
    return 0;
}

void gnt_hide_for(const gnt_fl_hidden *h, int32_t client, gnt_samples *samples) {
    if (h->attribute && client >= 0 && client < h->clients && samples->n_attributes == h->n)
        samples->attribute = h->attribute + (int64_t)client * h->n;
}
