/* weakened-noise: Gaussian noise of deviation sigma on clipped updates, and parameters that weaken it without
 * a word, for runs that a check against a baseline must not let pass. `stream` draws other noise of the same
 * kind, which it must. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "gauntlet/plugin.h"

enum { PARAM_SIGMA, PARAM_CLIP, PARAM_FACTOR, PARAM_SKIP_CLIENTS, PARAM_SKIP_ENTRIES, PARAM_STREAM };

typedef struct noise {
    const gnt_host *host;
    double sigma, clip, skip_clients, skip_entries;
    int64_t stream;
} noise;

static void clip_update(gnt_tensors *update, double clip) {
    double squares = 0;
    for (int64_t t = 0; t < update->n; t++)
        for (int64_t i = 0; i < update->tensor[t].count; i++)
            squares += (double)update->tensor[t].data[i] * update->tensor[t].data[i];
    if (!(squares > clip * clip))
        return;
    const float scale = (float)(clip / sqrt(squares));
    for (int64_t t = 0; t < update->n; t++)
        for (int64_t i = 0; i < update->tensor[t].count; i++)
            update->tensor[t].data[i] *= scale;
}

/* Client j is skipped where j·share passes a whole number: as many as the share says, evenly. */
static int is_skipped(int64_t j, double share) {
    return floor((double)(j + 1) * share) > floor((double)j * share);
}

static gnt_status transform_update(void *self, const gnt_client *client, gnt_tensors *update) {
    const noise *s = self;
    const gnt_host *host = s->host;
    clip_update(update, s->clip);
    for (int64_t t = 0; t < update->n; t++) {
        gnt_tensor *tensor = &update->tensor[t];
        char name[128];
        float *drawn = host->scratch(host->context, (size_t)tensor->count * sizeof *drawn);
        if (!drawn)
            return host->fail(host->context, "no memory for the noise");
        snprintf(name, sizeof name, "%d %.100s", (int)s->stream, tensor->name);
        host->normal(host->context, name, tensor->count, drawn);
        if (is_skipped(client->index, s->skip_clients))
            continue;
        for (int64_t i = 0; i < tensor->count; i++)
            if (!is_skipped(i, s->skip_entries))
                tensor->data[i] += (float)s->sigma * drawn[i];
    }
    return GNT_OK;
}

static void *create(const gnt_host *host, const gnt_value *values) {
    noise *s = malloc(sizeof *s);
    if (!s) {
        host->fail(host->context, "out of memory");
        return NULL;
    }
    *s = (noise){.host = host,
                 .sigma = values[PARAM_SIGMA].r * values[PARAM_FACTOR].r,
                 .clip = values[PARAM_CLIP].r,
                 .skip_clients = values[PARAM_SKIP_CLIENTS].r,
                 .skip_entries = values[PARAM_SKIP_ENTRIES].r,
                 .stream = values[PARAM_STREAM].i};
    return s;
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
     .help = "deviation of the noise that it promises"},
    {.id = "clip",
     .type = GNT_TYPE_REAL,
     .unit = "",
     .least = 0,
     .most = 1e9,
     .preset = 1e9,
     .help = "norm that an update is scaled down to"},
    {.id = "factor",
     .type = GNT_TYPE_REAL,
     .unit = "",
     .least = 0,
     .most = 10,
     .preset = 1,
     .help = "what the noise is multiplied by"},
    {.id = "skip_clients",
     .type = GNT_TYPE_REAL,
     .unit = "",
     .least = 0,
     .most = 1,
     .preset = 0,
     .help = "share of clients that get no noise"},
    {.id = "skip_entries",
     .type = GNT_TYPE_REAL,
     .unit = "",
     .least = 0,
     .most = 1,
     .preset = 0,
     .help = "share of entries that get no noise"},
    {.id = "stream",
     .type = GNT_TYPE_INT,
     .unit = "",
     .least = 0,
     .most = 1000,
     .preset = 0,
     .help = "which noise is drawn"},
};

static const gnt_descriptor descriptor = {
    .size = sizeof descriptor,
    .kind = GNT_PLUGIN_DEFENSE,
    .id = "weakened-noise",
    .version = "1.0",
    .line = "a test's Gaussian noise that can be weakened",
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
