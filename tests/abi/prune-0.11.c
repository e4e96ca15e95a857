/* prune: sets the smallest entries of an update to zero, by magnitude.
 *
 * With strength p, exactly ⌊p·n⌋ of n entries become zero: those of least magnitude, and among equal ones
 * those that come first. n counts the whole update, or each tensor on its own (both are found in the
 * literature, so it is a parameter). The order of magnitudes is that of the bits of |u| read as an integer,
 * which holds for all floats; NaN counts as largest. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gauntlet/plugin.h"

enum { PARAM_P, PARAM_SCOPE };
enum { SCOPE_UPDATE, SCOPE_TENSOR };
enum { BINS = 1 << 16 };

typedef struct prune {
    const gnt_host *host;
    double p;
    int64_t scope;
} prune;

static uint32_t magnitude(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits & 0x7fffffffu;
}

/* The bin that holds the entry of rank `rank` (from 0), which becomes its rank within the bin. */
static uint32_t find_bin(const int64_t *count, int64_t *rank) {
    uint32_t bin = 0;
    while (*rank >= count[bin])
        *rank -= count[bin++];
    return bin;
}

/* The k-th least magnitude (k ≥ 1) by two counting passes over halves of its bits. *ties: how many entries of
 * exactly that magnitude are among the k least. */
static uint32_t kth_least(const gnt_tensor *tensor, int64_t n, int64_t k, int64_t *count, int64_t *ties) {
    int64_t rank = k - 1;
    memset(count, 0, BINS * sizeof *count);
    for (int64_t t = 0; t < n; t++)
        for (int64_t i = 0; i < tensor[t].count; i++)
            count[magnitude(tensor[t].data[i]) >> 16]++;
    uint32_t high = find_bin(count, &rank);
    memset(count, 0, BINS * sizeof *count);
    for (int64_t t = 0; t < n; t++)
        for (int64_t i = 0; i < tensor[t].count; i++) {
            uint32_t m = magnitude(tensor[t].data[i]);
            if (m >> 16 == high)
                count[m & 0xffff]++;
        }
    uint32_t low = find_bin(count, &rank);
    *ties = rank + 1;
    return high << 16 | low;
}

/* Zeroes the k least of the n tensors taken together. */
static void prune_together(gnt_tensor *tensor, int64_t n, int64_t k, int64_t *count) {
    int64_t ties;
    if (k == 0)
        return;
    uint32_t limit = kth_least(tensor, n, k, count, &ties);
    for (int64_t t = 0; t < n; t++)
        for (int64_t i = 0; i < tensor[t].count; i++) {
            uint32_t m = magnitude(tensor[t].data[i]);
            if (m < limit || (m == limit && ties-- > 0))
                tensor[t].data[i] = 0;
        }
}

/* ⌊p·n⌋ as people mean it: 0.29 of 100 is 29, though the double nearest to 0.29 lies below it. */
static int64_t share(double p, int64_t n) {
    return (int64_t)floor(p * (double)n + 1e-9 * (p > 0));
}

static gnt_status transform_update(void *self, const gnt_client *client, gnt_tensors *update) {
    prune *s = self;
    const gnt_host *host = s->host;
    int64_t total = 0, pruned = 0;
    (void)client;
    int64_t *count = host->scratch(host->context, BINS * sizeof *count);
    if (!count)
        return host->fail(host->context, "no memory for the counts of magnitudes");
    for (int64_t t = 0; t < update->n; t++)
        total += update->tensor[t].count;
    if (s->scope == SCOPE_UPDATE) {
        pruned = share(s->p, total);
        prune_together(update->tensor, update->n, pruned, count);
    }
    for (int64_t t = 0; s->scope == SCOPE_TENSOR && t < update->n; t++) {
        int64_t k = share(s->p, update->tensor[t].count);
        if (host->should_stop(host->context))
            return GNT_STOPPED;
        prune_together(&update->tensor[t], 1, k, count);
        pruned += k;
    }
    host->fact(host->context, "pruned_fraction", total ? (double)pruned / (double)total : 0);
    return GNT_OK;
}

static void *create(const gnt_host *host, const gnt_value *values) {
    prune *s = malloc(sizeof *s);
    if (!s) {
        host->fail(host->context, "out of memory");
        return NULL;
    }
    *s = (prune){host, values[PARAM_P].r, values[PARAM_SCOPE].i};
    return s;
}

static const gnt_defense hooks = {.size = sizeof hooks, .transform_update = transform_update};

static const char *const scopes[] = {"update", "tensor", NULL};

static const gnt_parameter parameters[] = {
    {.id = "p",
     .type = GNT_TYPE_REAL,
     .scale = GNT_SCALE_COMPLEMENT,
     .unit = "",
     .least = 0,
     .most = 0.99999,
     .preset = 0.9,
     .strength = 1,
     .help = "fraction of entries that become zero"},
    {.id = "scope",
     .type = GNT_TYPE_CHOICE,
     .unit = "",
     .preset_text = "update",
     .choices = scopes,
     .help = "what the fraction is taken of: the whole update, or each tensor on its own"},
};

static const char *const families[] = {GNT_FAMILY_PRUNING, NULL};

static const gnt_descriptor descriptor = {
    .size = sizeof descriptor,
    .kind = GNT_PLUGIN_DEFENSE,
    .id = "prune",
    .version = "1.0",
    .line = "sets the smallest entries of each update to zero",
    .licence = "MIT",
    .citation = "Zhu, Liu and Han, Deep Leakage from Gradients, NeurIPS 2019, section 5 (gradient pruning)",
    .families = families,
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .surfaces = GNT_SURFACE_UPDATE,
    .data_kinds = GNT_KIND_ANY,
    .create = create,
    .destroy = free,
    .defense = &hooks,
};

GNT_DEFINE_ENTRY(descriptor)
