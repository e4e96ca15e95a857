/* prune: sets the smallest entries of an update to zero, by magnitude; or of the parameters that a client
 * sends, W + update, whose update is then −W there ("model compression").
 *
 * With strength p, exactly ⌊p·n⌋ of n entries become zero: those of least magnitude, and among equal ones
 * those that come first. n counts the whole update, or each tensor on its own (both are found in the
 * literature, so it is a parameter). NaN counts as largest. */
#include <math.h>

#include "gauntlet/plugin.h"
#include "shared/least.h"
#include "shared/try.h"

enum { SCOPE_UPDATE, SCOPE_TENSOR };
enum { OF_UPDATE, OF_PARAMETERS };

typedef struct prune {
    const gnt_host *host;
    double p;
    int64_t scope, of;
} prune;

/* Zeroes the share p of the n tensors taken together, adds their entries to *total and returns how many
 * became zero. `count` has GNT_LEAST_BINS entries. */
static int64_t prune_together(gnt_tensor *tensor, int64_t n, double p, int64_t *count, int64_t *total) {
    int64_t entries = 0, ties;
    for (int64_t t = 0; t < n; t++)
        entries += tensor[t].count;
    *total += entries;
    /* ⌊p·n⌋ as people mean it: 0.29 of 100 is 29, though the double nearest to 0.29 lies below it */
    const int64_t k = (int64_t)floor(p * (double)entries + 1e-9 * (p > 0));
    const uint32_t limit = kth_least(tensor, n, k, count, &ties);
    for (int64_t t = 0; t < n; t++)
        for (int64_t i = 0; i < tensor[t].count; i++) {
            uint32_t m = magnitude(tensor[t].data[i]);
            if (m < limit || (m == limit && ties-- > 0))
                tensor[t].data[i] = 0;
        }
    return k;
}

/* Adds sign·W to the update, of the parameters that clients share. */
static void add_weights(const prune *s, const gnt_client *client, gnt_tensors *update, float sign) {
    const gnt_model_info *info = s->host->model->info;
    const float *w = client->weights;
    int64_t t = 0;
    for (int64_t k = 0; k < info->params.n; w += info->params.view[k++].count) {
        if (info->federated && !info->federated[k])
            continue;
        for (int64_t i = 0; i < update->tensor[t].count; i++)
            update->tensor[t].data[i] += sign * w[i];
        t++;
    }
}

static gnt_status transform_update(void *self, const gnt_client *client, gnt_tensors *update) {
    prune *s = self;
    const int64_t group = s->scope == SCOPE_UPDATE ? update->n : 1;
    int64_t total = 0, pruned = 0, *count = gnt_host_scratch(s->host, GNT_LEAST_BINS, sizeof *count);
    if (!count)
        return gnt_host_fail(s->host, "no memory for the counts of magnitudes");
    if (s->of == OF_PARAMETERS && client->steps < 1)
        return unsupported(s->host, "clients that share one gradient send no parameters to prune; set "
                                    "federated.local_steps to 1 or more");
    if (s->of == OF_PARAMETERS)
        add_weights(s, client, update, 1);
    for (int64_t t = 0; t < update->n; t += group) {
        if (gnt_host_should_stop(s->host))
            return GNT_STOPPED;
        pruned += prune_together(&update->tensor[t], group, s->p, count, &total);
    }
    if (s->of == OF_PARAMETERS)
        add_weights(s, client, update, -1);
    gnt_host_fact(s->host, "pruned_fraction", total ? (double)pruned / (double)total : 0);
    return GNT_OK;
}

static const char *const scopes[] = {"update", "tensor", NULL};
static const char *const pruned_things[] = {"update", "parameters", NULL};
static const gnt_parameter parameters[] = {
    GNT_STRENGTH_REAL(prune, p, 0, 0.99999, 0.9, GNT_SCALE_COMPLEMENT, 1, "",
                      "fraction of entries that become zero"),
    GNT_CHOICE(prune, scope, scopes, "update",
               "what the fraction is taken of: the whole update, or each tensor on its own"),
    GNT_CHOICE(
        prune, of, pruned_things, "update",
        "whose entries become zero: the update's, or those of the parameters that a client sends after "
        "its local steps"),
};

static const gnt_defense hooks = {.size = sizeof hooks, .transform_update = transform_update};
static const char *const families[] = {GNT_FAMILY_PRUNING, NULL};
static const gnt_descriptor descriptor = {
    GNT_DEFENSE("prune", "1.1", "sets the smallest entries of each update to zero", "MIT",
                "Zhu, Liu and Han, Deep Leakage from Gradients, NeurIPS 2019, section 5 (gradient pruning)"),
    GNT_PARAMETERS(parameters),
    .families = families,
    .surfaces = GNT_SURFACE_UPDATE,
    .data_kinds = GNT_KIND_ANY,
    .flags = GNT_FLAG_RESUMES,
    .defense = &hooks,
    .instance_size = GNT_INSTANCE(prune)};

GNT_DEFINE_ENTRY(descriptor)
