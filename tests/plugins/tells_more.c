/* tells_more: a defense that checks what it is given of rounds, participation and attributes to be hidden,
 * and keeps a number private; attacks that are to be given that number or not, that answer regions and
 * attributes besides labels, and that want more than a host of this version lets them. */
#include <math.h>
#include <stdlib.h>

#include "gauntlet/plugin.h"

enum { WEIGHT, ROUNDS, PER_ROUND };
enum { PRIVATE, DECAY, IN_ROUND };
enum { MOST_SCORES = 128 };

typedef struct plugin {
    const gnt_host *host;
    double weight;
    int64_t rounds, per_round;
    int wants_private, in_round;
    double decay;
} plugin;

static gnt_status check_weight(const plugin *p, const gnt_samples *s) {
    if (!s || s->n_attributes < 1 || fabs((double)s->attribute[0].weight - p->weight) > 1e-6)
        return p->host->fail(p->host->context, "an attribute does not weigh what the task says");
    return GNT_OK;
}

static gnt_status prepare(void *self, const gnt_defense_prepare *in, const gnt_sink *out) {
    const plugin *p = self;
    const int64_t dim = 1;
    const float secret = 0.125f;
    if (in->rounds != p->rounds || in->per_round != p->per_round)
        return p->host->fail(p->host->context, "rounds or participation are not what the task says");
    return check_weight(p, in->shadow_data) == GNT_OK ? out->tensor(out->context, "secret", 1, &dim, &secret)
                                                      : GNT_FAILED;
}

static gnt_status look(void *self, const gnt_client *client, gnt_tensors *update) {
    const plugin *p = self;
    (void)update;
    if (!client->samples->a)
        return p->host->fail(p->host->context, "the samples have no attributes");
    return check_weight(p, client->samples);
}

/* One encoding for each sample, the last first. */
static gnt_status turn(void *self, const gnt_client *client, int64_t epoch, const gnt_samples_sink *out) {
    const gnt_samples *s = client->samples;
    gnt_status status = GNT_OK;
    (void)self, (void)epoch;
    for (int64_t i = s->n - 1; status == GNT_OK && i >= 0; i--)
        status = out->put(out->context, s->x + i * s->features, s->y + i * s->classes, s->id[i]);
    return status;
}

static gnt_status learn(void *self, const gnt_attack_prepare *in, const gnt_sink *out) {
    const plugin *p = self;
    const gnt_artefacts *known = in->setting->defense_artefacts;
    (void)out;
    if (check_weight(p, in->shadow_data) != GNT_OK)
        return GNT_FAILED;
    if (p->wants_private != (known && known->tensors.n == 1 && known->tensors.view->data[0] == 0.125f))
        return p->host->fail(p->host->context,
                             "private artefacts are there where they should not be, or not");
    return GNT_OK;
}

enum { PIXELS = 3 * 64 * 64 }; /* more than any sample that it is run on has */

static gnt_status answer_more(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                              const gnt_answer *answer) {
    const gnt_host *host = ((plugin *)self)->host;
    float *scores = host->scratch(host->context, (size_t)seen->n * PIXELS * sizeof *scores);
    (void)own;
    if (!scores || answer->membership(answer->context, 1, scores) != GNT_FAILED)
        return host->fail(host->context, "there are no candidates, yet a score of one was taken");
    return GNT_OK;
}

static gnt_status run(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer) {
    const gnt_host *host = ((plugin *)self)->host;
    float *scores = host->scratch(host->context, (size_t)seen->n * PIXELS * sizeof *scores);
    gnt_status status = GNT_OK;
    (void)own;
    if (!scores)
        return host->fail(host->context, "no memory");
    for (int32_t a = 0; status == GNT_OK && a < 2; a++)
        status = answer->attributes(answer->context, a, seen->n, 3, scores);
    if (status == GNT_OK)
        status = answer->region(answer->context, seen->n, scores);
    return status == GNT_OK ? answer->labels(answer->context, seen->n, seen->classes, scores) : status;
}

/* Answers labels if it is given how the client went through its samples: by batches of its own in a round, by
 * all of them in a probe. */
static gnt_status walk(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                       const gnt_answer *answer) {
    const plugin *p = self;
    float scores[MOST_SCORES] = {0};
    (void)own;
    if (seen->decay != p->decay)
        return p->host->fail(p->host->context, "the decay of local steps is not told");
    if (!seen->order || seen->batch != (p->in_round ? seen->n / seen->steps : seen->n))
        return p->host->fail(p->host->context, "the order of samples is not told");
    for (int64_t i = 0; i < seen->steps * seen->batch; i++)
        if (seen->order[i] != i % seen->n)
            return p->host->fail(p->host->context, "samples are not in the order of their use");
    if (seen->n * seen->classes > MOST_SCORES)
        return p->host->fail(p->host->context, "there are more scores than expected");
    return answer->labels(answer->context, seen->n, seen->classes, scores);
}

static gnt_status act(void *self, const gnt_broadcast *in, float *weights, float *buffers) {
    (void)self, (void)in, (void)weights, (void)buffers;
    return GNT_OK;
}

static void *create_defense(const gnt_host *host, const gnt_value *v) {
    plugin *p = malloc(sizeof *p);
    if (p)
        *p =
            (plugin){.host = host, .weight = v[WEIGHT].r, .rounds = v[ROUNDS].i, .per_round = v[PER_ROUND].i};
    return p;
}

static void *create_attack(const gnt_host *host, const gnt_value *v) {
    plugin *p = malloc(sizeof *p);
    if (p)
        *p = (plugin){.host = host,
                      .wants_private = v[PRIVATE].i != 0,
                      .decay = v[DECAY].r,
                      .in_round = v[IN_ROUND].i != 0};
    return p;
}

static const gnt_parameter of_defense[] = {
    [WEIGHT] = {.id = "weight", .type = GNT_TYPE_REAL, .unit = "", .most = 1, .help = "of attribute 0"},
    [ROUNDS] = {.id = "rounds", .type = GNT_TYPE_INT, .unit = "", .most = 100, .help = "of the task"},
    [PER_ROUND] = {
        .id = "per_round", .type = GNT_TYPE_INT, .unit = "", .most = 100, .help = "clients in each"}};
static const gnt_parameter of_attack[] = {
    [PRIVATE] = {.id = "private",
                 .type = GNT_TYPE_BOOL,
                 .unit = "",
                 .help = "private artefacts are expected"},
    [DECAY] = {.id = "decay", .type = GNT_TYPE_REAL, .unit = "", .most = 1, .help = "of local steps"},
    [IN_ROUND] = {.id = "in_round", .type = GNT_TYPE_BOOL, .unit = "", .help = "it is observed in a round"}};

static const gnt_defense looks = {.size = sizeof looks, .prepare = prepare, .transform_update = look};
static const gnt_defense turns = {.size = sizeof turns, .encode_set = turn};
static const gnt_attack answers_labels = {.size = sizeof answers_labels, .prepare = learn, .run = run};
static const gnt_attack wants = {.size = sizeof wants, .run = run};
static const gnt_attack walks = {.size = sizeof walks, .run = walk};
static const gnt_attack accuses = {.size = sizeof accuses, .run = answer_more};
static const gnt_attack acts = {.size = sizeof acts, .run = run, .broadcast = act};

#define SHARED                                                                                               \
    .size = sizeof(gnt_descriptor), .version = "1.0", .line = "for tests of what is told", .licence = "MIT", \
    .citation = "", .surfaces = GNT_SURFACE_UPDATE, .data_kinds = GNT_KIND_IMAGE, .destroy = free
#define DEFENSE(name, n, hooks)                                                                              \
    SHARED, .kind = GNT_PLUGIN_DEFENSE, .id = name, .parameters = of_defense, .n_parameters = n,             \
            .create = create_defense, .defense = hooks
#define ATTACK(name, hooks)                                                                                  \
    SHARED, .kind = GNT_PLUGIN_ATTACK, .id = name, .parameters = of_attack, .n_parameters = 3,               \
            .create = create_attack, .attack = hooks

static const gnt_descriptor descriptors[] = {
    {DEFENSE("looks-at-weights", 3, &looks), .scope = GNT_SCOPE_TASK,
     .flags = GNT_FLAG_ARTEFACTS_PRIVATE | GNT_FLAG_NEEDS_SHADOW},
    {DEFENSE("turns-samples", 3, &turns)},
    {ATTACK("tells-more", &answers_labels), .scope = GNT_SCOPE_TASK,
     .goals = GNT_GOAL_LABEL | GNT_GOAL_REGION, .needs = GNT_KNOWS_SHADOW, .uses = GNT_KNOWS_DEFENSE},
    {ATTACK("wants-regions", &wants), .goals = GNT_GOAL_REGION | GNT_GOAL_MEMBERSHIP},
    {ATTACK("wants-order", &walks), .goals = GNT_GOAL_LABEL, .needs = GNT_KNOWS_ORDER},
    {ATTACK("accuses", &accuses), .goals = GNT_GOAL_LABEL},
    {ATTACK("acts", &acts), .goals = GNT_GOAL_LABEL, .flags = GNT_FLAG_ACTIVE},
};

static const gnt_descriptor *descriptor_at(int32_t index) {
    return index >= 0 && index < 7 ? &descriptors[index] : NULL;
}

GNT_EXPORT const gnt_entry *gauntlet_entry(void) {
    static const gnt_entry entry = {.magic = GNT_ABI_MAGIC,
                                    .size = sizeof entry,
                                    .abi_major = GNT_ABI_MAJOR,
                                    .abi_minor = GNT_ABI_MINOR,
                                    .pointer_size = sizeof(void *),
                                    .build = "",
                                    .n_plugins = 7,
                                    .descriptor = descriptor_at};
    return &entry;
}
