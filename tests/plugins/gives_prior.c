/* gives-prior: answers with the mean of the samples of prior_data, and fails where `prepare` sees others. */
#include "gauntlet/plugin.h"

typedef struct gives_prior {
    const gnt_host *host;
} gives_prior;

static gnt_status prepare(void *self, const gnt_attack_prepare *in, const gnt_sink *out) {
    const gives_prior *s = self;
    const gnt_samples *prior = in->setting->prior_data;
    static const int64_t one = 1;
    if (!prior || !prior->x)
        return gnt_host_fail(s->host, "prepare sees no prior_data");
    return out->tensor(out->context, "first", 1, &one, prior->x);
}

static gnt_status run(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer) {
    const gives_prior *s = self;
    const gnt_samples *prior = seen->prior_data;
    if (!prior || seen->public_data || own->tensors.n != 1 || own->tensors.view[0].data[0] != prior->x[0])
        return gnt_host_fail(s->host, "run sees other samples than were granted");
    float *x = gnt_host_scratch(s->host, seen->n * prior->features, sizeof *x);
    if (!x)
        return gnt_host_fail(s->host, "out of memory");
    for (int64_t k = 0; k < seen->n * prior->features; k++)
        for (int64_t i = 0; i < prior->n; i++)
            x[k] += prior->x[i * prior->features + k % prior->features] / (float)prior->n;
    return answer->reconstruction(answer->context, seen->n, x);
}

static const gnt_attack hooks = {.size = sizeof hooks, .prepare = prepare, .run = run};

static const gnt_descriptor descriptor = {
    GNT_ATTACK("gives-prior", "1.0", "answers with the mean of another public set", "MIT", ""),
    .scope = GNT_SCOPE_TASK,
    .surfaces = GNT_SURFACE_UPDATE,
    .goals = GNT_GOAL_RECONSTRUCTION,
    .needs = GNT_KNOWS_PRIOR_DATA,
    .data_kinds = GNT_KIND_ANY,
    .attack = &hooks,
    .instance_size = GNT_INSTANCE(gives_prior)};

GNT_DEFINE_ENTRY(descriptor)
