/* prepares_once: an attack that prepares once, and answers only if `prepare` was given public rows and
 * nothing that depends on a defense or a round. */
#include "gauntlet/plugin.h"

typedef struct plugin {
    const gnt_host *host;
} plugin;

static gnt_status prepare(void *self, const gnt_attack_prepare *in, const gnt_sink *out) {
    const gnt_host *host = ((plugin *)self)->host;
    const int64_t one = 1;
    float drawn;
    if (!in->public_data || in->public_data->n < 1 || in->shadow_data)
        return host->fail(host->context, "the public rows are missing, or shadow rows were not granted");
    if (in->weights || in->buffers || in->setting || in->shadow || in->attribute != -1)
        return host->fail(host->context, "prepare got what depends on a defense or a round");
    gnt_host_normal(host, "drawn", 1, &drawn);
    return out->tensor(out->context, "drawn", 1, &one, &drawn);
}

static gnt_status run(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer) {
    const gnt_host *host = ((plugin *)self)->host;
    if (!own || own->tensors.n != 1 || !seen->weights)
        return host->fail(host->context, "run got no artefacts, or no weights");
    float *scores = gnt_host_scratch(host, seen->n * seen->classes, sizeof *scores);
    if (!scores)
        return gnt_host_fail(host, "out of memory");
    for (int64_t i = 0; i < seen->n * seen->classes; i++)
        scores[i] = own->tensors.view[0].data[0] * (float)(i % seen->classes);
    return answer->labels(answer->context, seen->n, seen->classes, scores);
}

static const gnt_attack hooks = {.size = sizeof hooks, .prepare = prepare, .run = run};

static const gnt_descriptor descriptor = {
    GNT_ATTACK("prepares-once", "1.0", "a test's attack that prepares once for all defenses and rounds",
               "MIT", ""),
    .scope = GNT_SCOPE_TASK,
    .surfaces = GNT_SURFACE_UPDATE,
    .goals = GNT_GOAL_LABEL,
    .needs = GNT_KNOWS_PUBLIC,
    .uses = GNT_KNOWS_DEFENSE,
    .data_kinds = GNT_KIND_ANY,
    .flags = GNT_FLAG_RANDOMISED | GNT_FLAG_PREPARES_ONCE,
    .attack = &hooks,
    .instance_size = GNT_INSTANCE(plugin),
};

GNT_DEFINE_ENTRY(descriptor)
