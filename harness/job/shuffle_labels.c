#include "job/shuffle_labels.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"

int gnt_shuffle_labels(gnt_sampleset *clients, const gnt_key *key, gnt_err *err) {
    const int64_t n = clients->view.n, c = clients->view.classes;
    uint32_t *from = gnt_array((size_t)n, sizeof *from);
    int32_t *label = gnt_array((size_t)n, sizeof *label);
    float *y = gnt_array((size_t)n, (size_t)c * sizeof *y);
    const int good = from && label && y;
    gnt_stream random = gnt_stream_open(key, "labels of others");
    for (int64_t i = 0; good && i < n; i++)
        from[i] = (uint32_t)i;
    if (good)
        gnt_random_shuffle(&random, from, (size_t)n);
    for (int64_t i = 0; good && i < n; i++) {
        label[i] = clients->label[from[i]];
        memcpy(y + i * c, clients->y + from[i] * c, (size_t)c * sizeof *y);
    }
    if (good) {
        memcpy(clients->label, label, (size_t)n * sizeof *label);
        memcpy(clients->y, y, (size_t)(n * c) * sizeof *y);
    }
    gnt_free(from);
    gnt_free(label);
    gnt_free(y);
    return good ? 0 : gnt_fail(err, "out of memory for the labels of %" PRId64 " samples", n);
}
