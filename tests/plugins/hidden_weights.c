/* hidden_weights: a defense that reports what each client is to hide of attribute 0, in both of its hooks,
 * and adds it to the last bias; and what `prepare` is given. */
#include <stdio.h>
#include <stdlib.h>

#include "gauntlet/plugin.h"

typedef struct plugin {
    const gnt_host *host;
} plugin;

static void report(const plugin *p, const char *what, int32_t client, const gnt_samples *s) {
    char name[32];
    snprintf(name, sizeof name, "%s_%d", what, client);
    p->host->fact(p->host->context, name, (double)s->attribute[0].weight);
}

static gnt_status prepare(void *self, const gnt_defense_prepare *in, const gnt_sink *out) {
    const plugin *p = self;
    const int64_t dim = 1;
    if (!in->shadow_data || in->shadow_data->n_attributes < 1)
        return p->host->fail(p->host->context, "shadow samples with an attribute were expected");
    return out->tensor(out->context, "most", 1, &dim, &in->shadow_data->attribute[0].weight);
}

/* One encoding for each sample, as it is. */
static gnt_status encode(void *self, const gnt_client *client, int64_t epoch, const gnt_samples_sink *out) {
    const gnt_samples *s = client->samples;
    gnt_status status = GNT_OK;
    (void)epoch;
    report(self, "set", client->index, s);
    for (int64_t i = 0; status == GNT_OK && i < s->n; i++)
        status = out->put(out->context, s->x + i * s->features, s->y + i * s->classes, s->id[i]);
    return status;
}

static gnt_status transform(void *self, const gnt_client *client, gnt_tensors *update) {
    const plugin *p = self;
    const gnt_samples *s = client->samples;
    report(p, "update", client->index, s);
    p->host->fact(p->host->context, "most", (double)client->artefacts->tensors.view[0].data[0]);
    update->tensor[update->n - 1].data[0] += s->attribute[0].weight; /* outputs depend on it */
    return GNT_OK;
}

static void *create(const gnt_host *host, const gnt_value *values) {
    plugin *p = malloc(sizeof *p);
    (void)values;
    if (p)
        p->host = host;
    return p;
}

static const gnt_defense hooks = {
    .size = sizeof hooks, .prepare = prepare, .encode_set = encode, .transform_update = transform};
static const gnt_descriptor descriptor = {.size = sizeof descriptor,
                                          .kind = GNT_PLUGIN_DEFENSE,
                                          .id = "hidden-weights",
                                          .version = "1.0",
                                          .line = "for tests of clients that hide different attributes",
                                          .licence = "MIT",
                                          .citation = "",
                                          .scope = GNT_SCOPE_TASK,
                                          .surfaces = GNT_SURFACE_UPDATE,
                                          .data_kinds = GNT_KIND_ANY,
                                          .flags = GNT_FLAG_NEEDS_SHADOW,
                                          .create = create,
                                          .destroy = free,
                                          .defense = &hooks};

GNT_DEFINE_ENTRY(descriptor)
