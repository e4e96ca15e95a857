/* weakened-prune: keeps the largest share 1 − p of an update's entries, and parameters that weaken it without
 * a word, for runs that a check against a baseline must not let pass. */
#include <math.h>
#include <stdlib.h>

#include "gauntlet/plugin.h"

enum { PARAM_P, PARAM_MORE, PARAM_SKIP_CLIENTS, PARAM_LAST_WHOLE };

typedef struct prune {
    const gnt_host *host;
    double p, more, skip_clients;
    int64_t last_whole;
} prune;

static int is_skipped(int64_t j, double share) {
    return floor((double)(j + 1) * share) > floor((double)j * share);
}

static void swap(float *a, float *b) {
    const float x = *a;
    *a = *b;
    *b = x;
}

/* The value of rank k, from 0, among the n of x, whose order changes: Hoare's selection. */
static float of_rank(float *x, int64_t n, int64_t k) {
    for (int64_t low = 0, high = n - 1; low < high;) {
        const float pivot = x[low + (high - low) / 2];
        int64_t i = low, j = high;
        while (i <= j) {
            while (x[i] < pivot)
                i++;
            while (x[j] > pivot)
                j--;
            if (i <= j)
                swap(&x[i++], &x[j--]);
        }
        if (k <= j)
            high = j;
        else if (k >= i)
            low = i;
        else
            break;
    }
    return x[k];
}

static gnt_status prune_tensor(const prune *s, gnt_tensor *tensor) {
    const double kept = fmin(1, (1 - s->p) * s->more);
    const int64_t zeroes = (int64_t)floor((1 - kept) * (double)tensor->count + 1e-9);
    float *size = s->host->scratch(s->host->context, (size_t)tensor->count * sizeof *size);
    if (!size)
        return s->host->fail(s->host->context, "no memory for the magnitudes");
    for (int64_t i = 0; i < tensor->count; i++)
        size[i] = fabsf(tensor->data[i]);
    const float largest = zeroes > 0 ? of_rank(size, tensor->count, zeroes - 1) : -1;
    for (int64_t i = 0; i < tensor->count; i++)
        if (fabsf(tensor->data[i]) <= largest)
            tensor->data[i] = 0;
    return GNT_OK;
}

static gnt_status transform_update(void *self, const gnt_client *client, gnt_tensors *update) {
    const prune *s = self;
    if (is_skipped(client->index, s->skip_clients))
        return GNT_OK;
    for (int64_t t = 0; t < update->n - s->last_whole; t++)
        if (prune_tensor(s, &update->tensor[t]) != GNT_OK)
            return GNT_FAILED;
    return GNT_OK;
}

static void *create(const gnt_host *host, const gnt_value *values) {
    prune *s = malloc(sizeof *s);
    if (!s) {
        host->fail(host->context, "out of memory");
        return NULL;
    }
    *s = (prune){.host = host,
                 .p = values[PARAM_P].r,
                 .more = values[PARAM_MORE].r,
                 .skip_clients = values[PARAM_SKIP_CLIENTS].r,
                 .last_whole = values[PARAM_LAST_WHOLE].i};
    return s;
}

static const gnt_defense hooks = {.size = sizeof hooks, .transform_update = transform_update};

static const gnt_parameter parameters[] = {
    {.id = "p",
     .type = GNT_TYPE_REAL,
     .scale = GNT_SCALE_COMPLEMENT,
     .unit = "",
     .least = 0,
     .most = 0.9999,
     .preset = 0.9,
     .strength = 1,
     .help = "share of entries that it promises to zero"},
    {.id = "more",
     .type = GNT_TYPE_REAL,
     .unit = "",
     .least = 0,
     .most = 1e9,
     .preset = 1,
     .help = "what the share of entries that are kept is multiplied by"},
    {.id = "skip_clients",
     .type = GNT_TYPE_REAL,
     .unit = "",
     .least = 0,
     .most = 1,
     .preset = 0,
     .help = "share of clients that are not pruned"},
    {.id = "last_whole",
     .type = GNT_TYPE_INT,
     .unit = "",
     .least = 0,
     .most = 64,
     .preset = 0,
     .help = "how many of the last tensors are not pruned"},
};

static const gnt_descriptor descriptor = {
    .size = sizeof descriptor,
    .kind = GNT_PLUGIN_DEFENSE,
    .id = "weakened-prune",
    .version = "1.0",
    .line = "a test's pruning that can be weakened",
    .licence = "MIT",
    .citation = "",
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .surfaces = GNT_SURFACE_UPDATE,
    .data_kinds = GNT_KIND_ANY,
    .create = create,
    .destroy = free,
    .defense = &hooks,
};

GNT_DEFINE_ENTRY(descriptor)
