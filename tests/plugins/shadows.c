/* shadows: a defense that lays its shadow data open as an artefact, and an attack that fails when any row of
 * it is one of the attacker's own shadow rows. */
#include <stdlib.h>
#include <string.h>

#include "gauntlet/plugin.h"

typedef struct plugin {
    const gnt_host *host;
} plugin;

static gnt_status keep(void *self, const gnt_defense_prepare *in, const gnt_sink *out) {
    const gnt_host *host = ((plugin *)self)->host;
    const gnt_samples *s = in->shadow_data;
    if (!s || s->n != 100 || !s->y)
        return host->fail(host->context, "100 labelled shadow samples were expected");
    const int64_t dim[2] = {s->n, s->features};
    return out->tensor(out->context, "rows", 2, dim, s->x);
}

static gnt_status compare(void *self, const gnt_attack_prepare *in, const gnt_sink *out) {
    const gnt_host *host = ((plugin *)self)->host;
    const gnt_samples *mine = in->shadow_data;
    const gnt_artefacts *open = in->setting->defense_artefacts;
    (void)out;
    if (!mine || mine->n != 100 || !open || open->tensors.n != 1 ||
        open->tensors.view->dim[1] != mine->features)
        return host->fail(host->context, "both shadow parts were expected");
    for (int64_t i = 0; i < mine->n; i++)
        for (int64_t k = 0; k < open->tensors.view->dim[0]; k++)
            if (memcmp(mine->x + i * mine->features, open->tensors.view->data + k * mine->features,
                       (size_t)mine->features * sizeof *mine->x) == 0)
                return host->fail(host->context, "a row is in both shadow parts");
    return GNT_OK;
}

static gnt_status run(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer) {
    const gnt_host *host = ((plugin *)self)->host;
    float *scores = host->scratch(host->context, (size_t)(seen->n * seen->classes) * sizeof *scores);
    (void)own;
    return answer->labels(answer->context, seen->n, seen->classes, scores);
}

static void *create(const gnt_host *host, const gnt_value *values) {
    plugin *p = malloc(sizeof *p);
    (void)values;
    if (p)
        p->host = host;
    return p;
}

static const gnt_defense defense_hooks = {.size = sizeof defense_hooks, .prepare = keep};
static const gnt_attack attack_hooks = {.size = sizeof attack_hooks, .prepare = compare, .run = run};

#define SHARED                                                                                               \
    .size = sizeof(gnt_descriptor), .version = "1.0", .line = "for tests of shadow data", .licence = "MIT",  \
    .citation = "", .scope = GNT_SCOPE_TASK, .surfaces = GNT_SURFACE_UPDATE, .data_kinds = GNT_KIND_ANY,     \
    .create = create, .destroy = free

static const gnt_descriptor descriptors[] = {
    {SHARED, .kind = GNT_PLUGIN_DEFENSE, .id = "keeps-shadow", .flags = GNT_FLAG_NEEDS_SHADOW,
     .defense = &defense_hooks},
    {SHARED, .kind = GNT_PLUGIN_ATTACK, .id = "compares-shadows", .goals = GNT_GOAL_LABEL,
     .needs = GNT_KNOWS_SHADOW | GNT_KNOWS_DEFENSE, .attack = &attack_hooks},
};

static const gnt_descriptor *descriptor_at(int32_t index) {
    return index >= 0 && index < 2 ? &descriptors[index] : NULL;
}

GNT_EXPORT const gnt_entry *gauntlet_entry(void) {
    static const gnt_entry entry = {GNT_ABI_MAGIC,
                                    (uint32_t)sizeof(gnt_entry),
                                    GNT_ABI_MAJOR,
                                    GNT_ABI_MINOR,
                                    (uint32_t)sizeof(void *),
                                    "",
                                    2,
                                    0,
                                    descriptor_at};
    return &entry;
}
