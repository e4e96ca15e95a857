/* knows-rounds: a defense that sends noise alone in two rounds that its author names, and everything in all
 * others. It ranks first where its author knew which rounds are observed, as under a public seed, and
 * leaks as no defense where not. */
#include <stdlib.h>

#include "gauntlet/plugin.h"

enum { PARAM_FIRST, PARAM_SECOND, PARAM_STRENGTH };

typedef struct knowing {
    int64_t first, second;
} knowing;

static gnt_status transform_update(void *self, const gnt_client *client, gnt_tensors *update) {
    const knowing *s = self;
    uint32_t noise = 2654435769u * (uint32_t)(client->index + 1);
    if (client->round == s->first || client->round == s->second)
        for (int64_t t = 0; t < update->n; t++)
            for (int64_t i = 0; i < update->tensor[t].count; i++) {
                noise = 1664525 * noise + 1013904223;
                update->tensor[t].data[i] = ((float)(noise >> 8) / (1 << 24) - 0.5f) * 1e-3f;
            }
    return GNT_OK;
}

static void *create(const gnt_host *host, const gnt_value *values) {
    knowing *s = malloc(sizeof *s);
    if (!s) {
        host->fail(host->context, "out of memory");
        return NULL;
    }
    *s = (knowing){values[PARAM_FIRST].i, values[PARAM_SECOND].i};
    return s;
}

static const gnt_defense hooks = {.size = sizeof hooks, .transform_update = transform_update};

#define ROUND(name, words)                                                                                   \
    {                                                                                                        \
        .id = name, .type = GNT_TYPE_INT, .unit = "", .least = -1, .most = 1000000, .preset = -1,            \
        .help = words                                                                                        \
    }
static const gnt_parameter parameters[] = {ROUND("first", "a round in which noise is sent"),
                                           ROUND("second", "another one"),
                                           {.id = "strength",
                                            .type = GNT_TYPE_REAL,
                                            .unit = "",
                                            .least = 0,
                                            .most = 1,
                                            .preset = 0,
                                            .strength = 1,
                                            .help = "changes nothing, so that every search ends saturated"}};

/* What an attack knows that meets it. */
static const char *const families[] = {"prune", NULL};

static const gnt_descriptor descriptor = {
    .size = sizeof descriptor,
    .kind = GNT_PLUGIN_DEFENSE,
    .id = "knows-rounds",
    .version = "1.0",
    .line = "a test's defense that sends noise in two rounds",
    .licence = "MIT",
    .citation = "",
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .families = families,
    .surfaces = GNT_SURFACE_UPDATE,
    .data_kinds = GNT_KIND_ANY,
    .create = create,
    .destroy = free,
    .defense = &hooks,
};

GNT_DEFINE_ENTRY(descriptor)
