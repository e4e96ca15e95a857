/* ignores_strength: adds noise of one deviation whatever strength it is given. A check that a defense gets
 * stronger with its strength must fail on it. */
#include <stdlib.h>

#include "gauntlet/plugin.h"

typedef struct plugin {
    const gnt_host *host;
} plugin;

static gnt_status transform_update(void *context, const gnt_client *client, gnt_tensors *update) {
    const gnt_host *host = ((plugin *)context)->host;
    (void)client;
    for (int64_t k = 0; k < update->n; k++) {
        gnt_tensor *t = &update->tensor[k];
        float *noise = host->scratch(host->context, (size_t)t->count * sizeof *noise);
        if (!noise)
            return host->fail(host->context, "no memory for the noise");
        host->normal(host->context, t->name, t->count, noise);
        for (int64_t i = 0; i < t->count; i++)
            t->data[i] += 0.02f * noise[i];
    }
    return GNT_OK;
}

static void *create(const gnt_host *host, const gnt_value *values) {
    plugin *p = malloc(sizeof *p);
    (void)values;
    if (p)
        p->host = host;
    else
        host->fail(host->context, "out of memory");
    return p;
}

static const gnt_defense hooks = {.size = sizeof hooks, .transform_update = transform_update};

static const gnt_parameter parameters[] = {
    {.id = "sigma",
     .type = GNT_TYPE_REAL,
     .scale = GNT_SCALE_LOG,
     .unit = "",
     .least = 1e-6,
     .most = 10,
     .preset = 0.01,
     .strength = 1,
     .help = "read by nobody"},
};

static const gnt_descriptor descriptor = {
    .size = sizeof descriptor,
    .kind = GNT_PLUGIN_DEFENSE,
    .id = "ignores-strength",
    .version = "1.0",
    .line = "a test's defense whose strength does nothing",
    .licence = "MIT",
    .citation = "",
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .surfaces = GNT_SURFACE_UPDATE,
    .data_kinds = GNT_KIND_ANY,
    .flags = GNT_FLAG_RANDOMISED,
    .create = create,
    .destroy = free,
    .defense = &hooks,
};

GNT_DEFINE_ENTRY(descriptor)
