/* skeleton-attack: an attack with every hook. Copy it, rename it and delete what you do not need: only `run`
 * is required.
 *
 *     gcc -std=c11 -O2 -shared -fPIC -I/usr/local/include skeleton_attack.c -o mine/skeleton-attack.so
 *     gauntlet vet mine/skeleton-attack.so
 *
 * Hooks return GNT_OK, the result of gnt_host_fail (GNT_FAILED), GNT_UNSUPPORTED after gnt_host_fail, or
 * GNT_STOPPED. gauntlet/plugin.h has the rules and every member. */
#include <string.h>

#include <gauntlet/plugin.h>

/* The instance. The host allocates it, zeroes it, and sets `host` and the members named by `parameters`. */
typedef struct skeleton {
    const gnt_host *host; /* required, first */
    double grey;
    int64_t use_public;
    int64_t features; /* of a sample */
} skeleton;

static const gnt_parameter parameters[] = {
    GNT_REAL(skeleton, grey, 0, 1, 0.5, GNT_SCALE_LINEAR, "", "the guess without public data"),
    GNT_BOOL(skeleton, use_public, 1, "guess the mean of the public samples where they are granted"),
};

/* Called once, when the instance has its parameters, in every process. Optional: checks parameters against
 * each other, allocates what all hooks need. GNT_UNSUPPORTED: this plugin cannot work with this model. */
static gnt_status start(void *self) {
    skeleton *s = self;
    const gnt_model_info *info = s->host->model->info;
    s->features = 1;
    for (int32_t i = 0; i < info->rank; i++)
        s->features *= info->dim[i];
    return GNT_OK;
}

/* Called once before the instance is freed. Optional: frees what malloc gave; scratch needs no freeing. */
static void stop(void *self) {
    (void)self;
}

/* Called in a process of its own, once per task (GNT_SCOPE_TASK) or for each stage (GNT_SCOPE_STAGE), before
 * any target is seen. Optional: the place for training on public or shadow data. in->setting is what `run`
 * will see of all targets alike. What goes into `out` are the artefacts `own` of `run`; the instance is
 * discarded. */
static gnt_status prepare(void *self, const gnt_attack_prepare *in, const gnt_sink *out) {
    const skeleton *s = self;
    const gnt_samples *known = in->public_data; /* NULL unless granted */
    float *mean = gnt_host_scratch(s->host, s->features, sizeof *mean);
    if (!mean)
        return gnt_host_fail(s->host, "no memory for the mean of the public samples");
    if (!known || known->n == 0 || !s->use_public)
        return GNT_OK;
    for (int64_t i = 0; i < known->n; i++) {
        if (gnt_host_should_stop(s->host))
            return GNT_STOPPED;
        for (int64_t k = 0; k < s->features; k++)
            mean[k] += known->x[i * s->features + k] / (float)known->n;
    }
    return out->tensor(out->context, "mean", 1, &s->features, mean);
}

/* Called once per target, in a process that serves all targets of a cell, one after another. Required: reads
 * the members of `seen` that its surface and grants fill (others are NULL) and gives at least one answer for
 * seen->goals. seen->budget, if not 0, replaces the attack's own number of steps. */
static gnt_status run(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer) {
    const skeleton *s = self;
    float *guess = gnt_host_scratch(s->host, seen->n * s->features, sizeof *guess);
    float *scores = gnt_host_scratch(s->host, seen->n * seen->classes, sizeof *scores);
    if (!guess || !scores)
        return gnt_host_fail(s->host, "no memory for the guesses");
    for (int64_t i = 0; i < seen->n * s->features; i++)
        guess[i] = own->tensors.n ? own->tensors.view[0].data[i % s->features] : (float)s->grey;
    if (seen->labels) /* granted */
        memcpy(scores, seen->labels, (size_t)(seen->n * seen->classes) * sizeof *scores);
    gnt_status status = answer->reconstruction(answer->context, seen->n, guess);
    if (status == GNT_OK && seen->goals & GNT_GOAL_LABEL)
        status = answer->labels(answer->context, seen->n, seen->classes, scores);
    answer->cost(answer->context, 0, 0, 0); /* optional: for convergence plots */
    answer->chosen(answer->context, 0, 0);
    gnt_answer_ended(answer, GNT_ENDED_UNKNOWN,
                     0); /* optional: why a search ended, and after how many steps */
    return status;
}

/* The hook `broadcast` is reserved for attacks that change what the server sends; no host calls it yet. */
static const gnt_attack hooks = {.size = sizeof hooks, .prepare = prepare, .run = run};

static const gnt_descriptor descriptor = {
    /* id, version, what it does, licence (SPDX), citation ("" for none) */
    GNT_ATTACK("skeleton-attack", "1.0", "guesses the mean public sample, to show every hook", "MIT", ""),
    GNT_PARAMETERS(parameters),
    .scope = GNT_SCOPE_TASK,                           /* required with `prepare` */
    .surfaces = GNT_SURFACE_UPDATE,                    /* required: what it reads */
    .goals = GNT_GOAL_RECONSTRUCTION | GNT_GOAL_LABEL, /* required: what it answers */
    .needs = 0,                                        /* grants without which it cannot run */
    .uses = GNT_KNOWS_PUBLIC | GNT_KNOWS_LABELS,       /* grants that it uses if given */
    .data_kinds = GNT_KIND_ANY,                        /* required */
    .flags = 0,                                        /* GNT_FLAG_RANDOMISED if it draws random numbers */
    .families = NULL,                                  /* mechanisms or defenses that it adapts to */
    .attack = &hooks,                                  /* required */
    .instance_size = GNT_INSTANCE(skeleton),           /* required */
    .start = start,
    .stop = stop,
};

GNT_DEFINE_ENTRY(descriptor)
