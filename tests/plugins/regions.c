/* regions: a defense and an attack that check what they are shown of the sensitive region, rows 3 … 10 and
 * columns 10 … 14 of every image. The attack answers with what is known outside of it and black inside. */
#include <stdlib.h>
#include <string.h>

#include "gauntlet/plugin.h"

enum { TOP = 3, LEFT = 10, HEIGHT = 8, WIDTH = 5 };

typedef struct plugin {
    const gnt_host *host;
} plugin;

static int inside(int64_t y, int64_t x) {
    return y >= TOP && y < TOP + HEIGHT && x >= LEFT && x < LEFT + WIDTH;
}

static int marked(const gnt_samples *s) {
    for (int64_t i = 0; s->mask && i < s->n; i++)
        for (int64_t y = 0; y < s->dim[1]; y++)
            for (int64_t x = 0; x < s->dim[2]; x++)
                if (s->mask[(i * s->dim[1] + y) * s->dim[2] + x] != inside(y, x))
                    return 0;
    return s->mask != NULL;
}

static gnt_status look(void *self, const gnt_client *client, gnt_tensors *update) {
    const gnt_host *host = ((plugin *)self)->host;
    (void)update;
    if (!marked(client->samples))
        return host->fail(host->context, "the client's samples are not marked as the task says");
    return GNT_OK;
}

static gnt_status encode(void *self, const gnt_client *client, int64_t step, const gnt_samples_sink *out) {
    const gnt_samples *s = client->samples;
    (void)self, (void)step;
    for (int64_t i = s->n - 1; i >= 0; i--) {
        gnt_status status = out->put(out->context, s->x + i * s->features, s->y + i * s->classes, s->id[i]);
        if (status != GNT_OK)
            return status;
    }
    return GNT_OK;
}

static gnt_status run(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer) {
    const gnt_host *host = ((plugin *)self)->host;
    const gnt_samples *s = seen->outside;
    double light = 0;
    (void)own;
    if (!s || !marked(s) || s->n != seen->n || s->y)
        return host->fail(host->context, "what is outside is not marked as the task says");
    for (int64_t i = 0; i < s->n * s->features; i++) {
        int64_t at = i % (s->dim[1] * s->dim[2]);
        if (inside(at / s->dim[2], at % s->dim[2]) && s->x[i] != 0)
            return host->fail(host->context, "the region is not blank");
        light += (double)s->x[i];
    }
    if (!(light > 0))
        return host->fail(host->context, "nothing is outside of the region");
    return answer->reconstruction(answer->context, s->n, s->x);
}

static void *create(const gnt_host *host, const gnt_value *values) {
    plugin *p = malloc(sizeof *p);
    (void)values;
    if (p)
        p->host = host;
    return p;
}

static const gnt_defense looks = {.size = sizeof looks, .transform_update = look};
static const gnt_defense turns = {.size = sizeof turns, .encode_set = encode};
static const gnt_attack attack_hooks = {.size = sizeof attack_hooks, .run = run};

#define SHARED                                                                                               \
    .size = sizeof(gnt_descriptor), .version = "1.0", .line = "for tests of regions", .licence = "MIT",      \
    .citation = "", .surfaces = GNT_SURFACE_UPDATE, .data_kinds = GNT_KIND_IMAGE, .create = create,          \
    .destroy = free

static const gnt_descriptor descriptors[] = {
    {SHARED, .kind = GNT_PLUGIN_DEFENSE, .id = "looks-at-regions", .defense = &looks},
    {SHARED, .kind = GNT_PLUGIN_DEFENSE, .id = "turns-sets", .defense = &turns},
    {SHARED, .kind = GNT_PLUGIN_ATTACK, .id = "knows-outside", .goals = GNT_GOAL_RECONSTRUCTION,
     .needs = GNT_KNOWS_REGION, .attack = &attack_hooks},
};

static const gnt_descriptor *descriptor_at(int32_t index) {
    return index >= 0 && index < 3 ? &descriptors[index] : NULL;
}

GNT_EXPORT const gnt_entry *gauntlet_entry(void) {
    static const gnt_entry entry = {GNT_ABI_MAGIC,
                                    (uint32_t)sizeof(gnt_entry),
                                    GNT_ABI_MAJOR,
                                    GNT_ABI_MINOR,
                                    (uint32_t)sizeof(void *),
                                    "",
                                    3,
                                    0,
                                    descriptor_at};
    return &entry;
}
