/* sign-noise: a control for recup. It moves the entries that recup may move, the greatest of each
 * pooling window, as far and as often, but by signs drawn at random: what an attacker loses to that is
 * lost to noise, and no perturbation against classifiers was needed for it. */

#include "attribute_defenses.h"
#include "shared/attribute/pool.h"
#include "shared/try.h"

typedef struct noise {
    const gnt_host *host;
    double epsilon;
    int64_t iterations, window, inputs;
} noise;

static gnt_status transform_update(void *self, const gnt_client *client, gnt_tensors *update) {
    const noise *s = self;
    const gnt_host *host = s->host;
    const float step = (float)(s->epsilon * (client->steps > 0 ? client->rate : 1));
    const int64_t size = attr_tensors_size(update);
    const int64_t window = attr_window(s->window, s->inputs, size), columns = attr_pooled_size(size, window);
    float *flat = gnt_host_scratch(host, size, sizeof *flat);
    float *pooled = gnt_host_scratch(host, columns, sizeof *pooled);
    int64_t *where = gnt_host_scratch(host, columns, sizeof *where);
    double *sign = gnt_host_scratch(host, columns, sizeof *sign);
    TRY(have_memory(host, flat && pooled && where && sign, "no memory for a copy of the update"));
    attr_flatten_tensors(update, flat);
    for (int64_t p = 0; p < s->iterations; p++) {
        TRY(may_go_on(host));
        attr_pool(flat, size, window, pooled, where);
        gnt_host_uniform(host, "signs", columns, sign);
        for (int64_t j = 0; j < columns; j++)
            flat[where[j]] += sign[j] < 0.5 ? -step : step;
    }
    for (int64_t k = 0, at = 0; k < update->n; k++)
        for (int64_t i = 0; i < update->tensor[k].count; i++)
            update->tensor[k].data[i] = flat[at++];
    return GNT_OK;
}

static const gnt_defense hooks = {.size = sizeof hooks, .transform_update = transform_update};

static const char *const families[] = {GNT_FAMILY_NOISE, NULL};

static const gnt_parameter parameters[] = {
    GNT_STRENGTH_REAL(
        noise, epsilon, 1e-7, 10, 1e-3, GNT_SCALE_LOG, 1, "",
        "how far one iteration moves an entry of the update; of a weight delta, times the rate"),
    GNT_INT(noise, iterations, 1, 1000, 10, "iterations",
            "how often the greatest entry of each window is found and moved"),
    GNT_INT(noise, window, 0, 1000000000, 0, "entries",
            "width of the windows over the flat update; 1: every entry; 0: the least that leaves at most "
            "`inputs`"),
    GNT_INT(noise, inputs, 1, 1000000, 1024, "entries",
            "greatest number of windows where their width is chosen automatically"),
};

const gnt_descriptor sign_noise = {
    GNT_DEFENSE(
        "sign-noise", "1.0",
        "moves the greatest entry of each window of an update by signs drawn at random: a control for "
        "recup",
        "MIT", ""),
    GNT_PARAMETERS(parameters),
    .surfaces = GNT_SURFACE_UPDATE,
    .data_kinds = GNT_KIND_ANY,
    .families = families,
    .flags = GNT_FLAG_RANDOMISED | GNT_FLAG_RESUMES,
    .defense = &hooks,
    .instance_size = GNT_INSTANCE(noise),
};
