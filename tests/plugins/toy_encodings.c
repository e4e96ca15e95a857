/* Attacks whose answers a test knows beforehand.
 *
 *   known-answers  to the update it sees as its t-th (from 1): grey of t/100, and label t mod
 *                  classes; fails at `fail_at`
 *   reads-answers  demands that each set's encodings are just those, `sizes` of them, and
 *                  answers with the first ones
 *   echoes         answers encodings by themselves: as images, as their own clusters, with
 *                  distances for similarities
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "gauntlet/plugin.h"

typedef struct toy {
    const gnt_host *host;
    int64_t limit; /* the parameter */
    int64_t seen;
} toy;

static gnt_status known_answers(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                                const gnt_answer *answer) {
    toy *t = self;
    const gnt_host *host = t->host;
    (void)own;
    if (seen->surface != GNT_SURFACE_UPDATE || seen->n != 1 || !seen->update)
        return host->fail(host->context, "an update of one encoding was expected");
    if (++t->seen == t->limit)
        return host->fail(host->context, "as it was asked to");
    int64_t features = host->model->info->dim[0] * host->model->info->dim[1] * host->model->info->dim[2];
    float *x = host->scratch(host->context, (size_t)features * sizeof *x);
    float *scores = host->scratch(host->context, (size_t)seen->classes * sizeof *scores);
    for (int64_t i = 0; i < features; i++)
        x[i] = (float)t->seen / 100;
    scores[t->seen % seen->classes] = 7; /* no share: only the highest counts */
    gnt_status status = answer->reconstruction(answer->context, 1, x);
    return status == GNT_OK ? answer->labels(answer->context, 1, seen->classes, scores) : status;
}

/* In a chain the setting is that of sets of encodings, though the task shows updates. */
static gnt_status prepare_reads(void *self, const gnt_attack_prepare *in, const gnt_sink *out) {
    const gnt_host *host = ((toy *)self)->host;
    const float n = in->setting ? (float)in->setting->n : 0;
    const int64_t one = 1;
    if (!in->setting || in->setting->surface != GNT_SURFACE_ENCODING || in->n_shadow)
        return host->fail(host->context, "the setting of a set of encodings was expected");
    return out->tensor(out->context, "n", 1, &one, &n);
}

static gnt_status reads_answers(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                                const gnt_answer *answer) {
    toy *t = self;
    const gnt_host *host = t->host;
    const gnt_samples *e = seen->encoded;
    char text[200];
    if (own->tensors.n != 1 || (int64_t)own->tensors.view[0].data[0] != seen->n)
        return host->fail(host->context, "prepare was told of sets of another size");
    if (seen->surface != GNT_SURFACE_ENCODING || !e || seen->update || !seen->weights || e->n != t->limit)
        return host->fail(host->context,
                          "encodings were expected, as many as the parameter says, and nothing else");
    for (int64_t j = 0; j < e->n; j++) {
        float grey = (float)++t->seen / 100;
        const float *x = e->x + j * e->features, *y = e->y + j * e->classes;
        if (fabsf(x[0] - grey) > 1e-6f || fabsf(x[e->features - 1] - grey) > 1e-6f ||
            y[t->seen % e->classes] != 1) {
            snprintf(text, sizeof text, "encoding %d is %.3f where %.3f was recovered", (int)t->seen,
                     (double)x[0], (double)grey);
            return host->fail(host->context, text);
        }
    }
    return answer->reconstruction(answer->context, seen->n < e->n ? seen->n : e->n, e->x);
}

static gnt_status echoes(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                         const gnt_answer *answer) {
    toy *t = self;
    const gnt_host *host = t->host;
    const gnt_samples *e = seen->encoded;
    int64_t m = e->n, count = seen->n < m ? seen->n : m;
    float *mixture = host->scratch(host->context, (size_t)(m * count) * sizeof *mixture);
    float *similarity = host->scratch(host->context, (size_t)(m * m) * sizeof *similarity);
    (void)own;
    for (int64_t i = 0; i < m; i++) {
        if (i < count)
            mixture[i * count + i] = 1;
        for (int64_t j = 0; j < m; j++)
            for (int64_t f = 0; f < e->features; f++)
                similarity[i * m + j] -= (e->x[i * e->features + f] - e->x[j * e->features + f]) *
                                         (e->x[i * e->features + f] - e->x[j * e->features + f]);
    }
    gnt_status status = answer->reconstruction(answer->context, count, e->x);
    if (status == GNT_OK)
        status = answer->mixture(answer->context, m, count, mixture);
    return status == GNT_OK ? answer->similarity(answer->context, m, similarity) : status;
}

static void *create(const gnt_host *host, const gnt_value *values) {
    toy *t = calloc(1, sizeof *t);
    if (!t) {
        host->fail(host->context, "out of memory");
        return NULL;
    }
    t->host = host;
    t->limit = values[0].i;
    return t;
}

static const gnt_attack knows = {.size = sizeof knows, .run = known_answers};
static const gnt_attack reads = {.size = sizeof reads, .prepare = prepare_reads, .run = reads_answers};
static const gnt_attack echo = {.size = sizeof echo, .run = echoes};

#define INTEGER(name)                                                                                        \
    {                                                                                                        \
        .id = name, .type = GNT_TYPE_INT, .unit = "", .least = 0, .most = 1000, .preset = 0,                 \
        .help = "see above"                                                                                  \
    }
static const gnt_parameter fail_at[] = {INTEGER("fail_at")}, sizes[] = {INTEGER("sizes")};

#define COMMON                                                                                               \
    .size = sizeof(gnt_descriptor), .kind = GNT_PLUGIN_ATTACK, .version = "1.0", .licence = "MIT",           \
    .citation = "", .n_parameters = 1, .data_kinds = GNT_KIND_IMAGE, .create = create, .destroy = free,      \
    .line = "a test's attack"

static const gnt_descriptor descriptors[] = {
    {COMMON, .id = "known-answers", .parameters = fail_at, .surfaces = GNT_SURFACE_UPDATE,
     .goals = GNT_GOAL_RECONSTRUCTION | GNT_GOAL_LABEL, .uses = GNT_KNOWS_LABELS, .attack = &knows},
    {COMMON, .id = "reads-answers", .scope = GNT_SCOPE_TASK, .parameters = sizes,
     .surfaces = GNT_SURFACE_ENCODING, .goals = GNT_GOAL_RECONSTRUCTION, .uses = GNT_KNOWS_PUBLIC,
     .attack = &reads},
    {COMMON, .id = "echoes", .parameters = sizes, .surfaces = GNT_SURFACE_ENCODING,
     .goals = GNT_GOAL_RECONSTRUCTION, .attack = &echo},
};

static const gnt_descriptor *descriptor_at(int32_t index) {
    return index >= 0 && index < 3 ? &descriptors[index] : NULL;
}

GNT_EXPORT const gnt_entry *gauntlet_entry(void) {
    static const gnt_entry entry = {.magic = GNT_ABI_MAGIC,
                                    .size = sizeof(gnt_entry),
                                    .abi_major = GNT_ABI_MAJOR,
                                    .abi_minor = GNT_ABI_MINOR,
                                    .pointer_size = sizeof(void *),
                                    .build = "",
                                    .n_plugins = 3,
                                    .descriptor = descriptor_at};
    return &entry;
}
