/* reads_model: a defense that works with one of the suite's models, and an attack that may open it only where
 * the defense is granted. What they report lets a test compare the two and judge the training. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gauntlet/plugin.h"

typedef struct plugin {
    const gnt_host *host;
    const gnt_models *models;
    const char *extractor; /* as the suite says */
} plugin;

static double weight_sum(const gnt_named_model *m) {
    double sum = 0;
    for (int64_t i = 0; i < m->service->info->n_params; i++)
        sum += fabs((double)m->weights[i]);
    return sum;
}

/* Share of the samples whose class the model names. */
static gnt_status accuracy(const gnt_host *host, const gnt_named_model *m, const gnt_samples *s,
                           double *out) {
    const gnt_model_service *service = m->service;
    gnt_function_spec spec = {.size = sizeof spec, .kind = GNT_FN_LOGITS, .n = s->n};
    gnt_function_args args = {.size = sizeof args, .x = s->x, .weights = m->weights, .buffers = m->buffers};
    gnt_function *f = service->prepare(service->context, &spec);
    const gnt_views *z;
    int64_t right = 0;
    if (!f || service->eval(service->context, f, &args, &z) != GNT_OK)
        return host->fail(host->context, host->last_error(host->context));
    for (int64_t i = 0; i < s->n; i++) {
        const float *score = z->view[0].data + i * s->classes;
        int32_t best = 0;
        for (int32_t k = 1; k < s->classes; k++)
            best = score[k] > score[best] ? k : best;
        right += s->y[i * s->classes + best] > 0.5f;
    }
    service->release(service->context, f);
    *out = (double)right / (double)s->n;
    return GNT_OK;
}

static gnt_status transform_update(void *self, const gnt_client *client, gnt_tensors *update) {
    const plugin *p = self;
    const gnt_host *host = p->host;
    const gnt_named_model *m = p->models->open(p->models->context, "extractor");
    double right = 0;
    (void)update;
    if (!m || m != p->models->open(p->models->context, "extractor") || strcmp(m->id, p->extractor) != 0)
        return host->fail(host->context, "the model named by \"extractor\" does not open");
    if (p->models->open(p->models->context, "spare") || p->models->open(p->models->context, "nothing"))
        return host->fail(host->context, "a model opens that the suite does not name");
    if (!strstr(host->last_error(host->context), "\"nothing\""))
        return host->fail(host->context, "last_error does not say what is missing");
    gnt_function_spec wrong = {.size = sizeof wrong, .kind = GNT_FN_LOGITS, .n = -1};
    if (m->service->prepare(m->service->context, &wrong) ||
        !strstr(host->last_error(host->context), "n is -1"))
        return host->fail(host->context, "last_error does not hold what the model's service said");
    if (accuracy(host, m, client->public_data, &right) != GNT_OK)
        return GNT_FAILED;
    host->fact(host->context, "defense_sum", weight_sum(m));
    host->fact(host->context, "public_accuracy", right);
    return GNT_OK;
}

static gnt_status run(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer) {
    const plugin *p = self;
    const gnt_host *host = p->host;
    const gnt_named_model *m = p->models->open(p->models->context, "extractor");
    float scores[16] = {0};
    (void)own;
    if (!m != !(seen->granted & GNT_KNOWS_DEFENSE))
        return host->fail(host->context, m ? "the defense's model opens without the grant"
                                           : "the defense's model does not open");
    if (m)
        host->fact(host->context, "attack_sum", weight_sum(m));
    return answer->labels(answer->context, 1, seen->classes, scores);
}

static plugin *make(const gnt_host *host) {
    plugin *p = calloc(1, sizeof *p);
    if (!p) {
        host->fail(host->context, "out of memory");
        return NULL;
    }
    p->host = host;
    p->models = host->extension(host->context, GNT_EXTENSION_MODELS, 1);
    if (p->models && !host->extension(host->context, GNT_EXTENSION_MODELS, 2) &&
        !host->extension(host->context, "gauntlet.nothing", 0))
        return p;
    host->fail(host->context, "the extension is not what it should be");
    free(p);
    return NULL;
}

static void *create_defense(const gnt_host *host, const gnt_value *values) {
    plugin *p = make(host);
    if (p)
        p->extractor = values[0].text;
    return p;
}

static void *create_attack(const gnt_host *host, const gnt_value *values) {
    (void)values;
    return make(host);
}

static const char *const services[] = {GNT_EXTENSION_MODELS, NULL};
static const gnt_parameter parameters[] = {
    {.id = "extractor", .type = GNT_TYPE_MODEL, .help = "the model to work with"},
    {.id = "spare", .type = GNT_TYPE_MODEL, .preset_text = "", .help = "another, if there is one"}};
static const gnt_defense defense_hooks = {.size = sizeof defense_hooks, .transform_update = transform_update};
static const gnt_attack attack_hooks = {.size = sizeof attack_hooks, .run = run};

static const gnt_descriptor descriptors[] = {
    {
        .size = sizeof(gnt_descriptor),
        .kind = GNT_PLUGIN_DEFENSE,
        .id = "uses-model",
        .version = "1.0",
        .line = "a test's defense that evaluates a model of the suite",
        .licence = "MIT",
        .citation = "",
        .parameters = parameters,
        .n_parameters = 2,
        .surfaces = GNT_SURFACE_UPDATE,
        .data_kinds = GNT_KIND_ANY,
        .flags = GNT_FLAG_NEEDS_PUBLIC,
        .services = services,
        .create = create_defense,
        .destroy = free,
        .defense = &defense_hooks,
    },
    {
        .size = sizeof(gnt_descriptor),
        .kind = GNT_PLUGIN_ATTACK,
        .id = "reads-model",
        .version = "1.0",
        .line = "a test's attack that opens the defense's model",
        .licence = "MIT",
        .citation = "",
        .surfaces = GNT_SURFACE_UPDATE,
        .goals = GNT_GOAL_LABEL,
        .uses = GNT_KNOWS_DEFENSE,
        .data_kinds = GNT_KIND_ANY,
        .create = create_attack,
        .destroy = free,
        .attack = &attack_hooks,
    }};

static const gnt_descriptor *descriptor_at(int32_t index) {
    return index >= 0 && index < 2 ? &descriptors[index] : NULL;
}

GNT_EXPORT const gnt_entry *gauntlet_entry(void) {
    static const gnt_entry entry = {.magic = GNT_ABI_MAGIC,
                                    .size = sizeof entry,
                                    .abi_major = GNT_ABI_MAJOR,
                                    .abi_minor = GNT_ABI_MINOR,
                                    .pointer_size = sizeof(void *),
                                    .build = "",
                                    .n_plugins = 2,
                                    .descriptor = descriptor_at};
    return &entry;
}
