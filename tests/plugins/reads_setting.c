/* reads_setting: an attack that answers only if `prepare` was given what it is entitled to: the setting of
 * the targets, and with the grant the defense, its parameters, and shadow observations made by it. */
#include <stdlib.h>
#include <string.h>

#include "gauntlet/plugin.h"

typedef struct plugin {
    const gnt_host *host;
} plugin;

static gnt_status prepare(void *self, const gnt_attack_prepare *in, const gnt_sink *out) {
    const gnt_host *host = ((plugin *)self)->host;
    const gnt_observation *s = in->setting;
    const int64_t one = 1;
    const float done = 1;
    if (!s || s->steps != 2 || s->n != 3 || s->update_kind != GNT_UPDATE_DELTA || s->rate != 0.05)
        return host->fail(host->context, "the setting is missing or wrong");
    if (s->update || s->labels || s->attribute != -1 || s->classes != 10 || !s->weights)
        return host->fail(host->context, "the setting says what it should not, or not what it should");
    if (!(s->granted & GNT_KNOWS_DEFENSE) || !s->defense || strcmp(s->defense, "dp-gaussian") != 0)
        return host->fail(host->context, "the defense is not told");
    if (s->n_defense_values < 2 || strcmp(s->defense_values[0].id, "sigma") != 0 ||
        s->defense_values[0].r != 0.02)
        return host->fail(host->context, "the defense's parameters are not told");
    if (in->n_shadow != 4 || in->shadow[0]->steps != s->steps || in->shadow[0]->n != s->n ||
        in->shadow_truth[3]->n != 3)
        return host->fail(host->context, "the shadow observations are not made as the targets' are");
    return out->tensor(out->context, "done", 1, &one, &done);
}

static gnt_status run(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer) {
    const gnt_host *host = ((plugin *)self)->host;
    float scores[30] = {0};
    if (own->tensors.n != 1 || seen->n * seen->classes != 30)
        return host->fail(host->context, "there is nothing that prepare left");
    return answer->labels(answer->context, seen->n, seen->classes, scores);
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

static const gnt_attack hooks = {.size = sizeof hooks, .prepare = prepare, .run = run};

static const gnt_descriptor descriptor = {
    .size = sizeof descriptor,
    .kind = GNT_PLUGIN_ATTACK,
    .id = "reads-setting",
    .version = "1.0",
    .line = "a test's attack that checks what prepare is told",
    .licence = "MIT",
    .citation = "",
    .scope = GNT_SCOPE_STAGE,
    .surfaces = GNT_SURFACE_UPDATE,
    .goals = GNT_GOAL_LABEL,
    .needs = GNT_KNOWS_SHADOW | GNT_KNOWS_SHADOW_OBS | GNT_KNOWS_DEFENSE,
    .data_kinds = GNT_KIND_ANY,
    .create = create,
    .destroy = free,
    .attack = &hooks,
};

GNT_DEFINE_ENTRY(descriptor)
