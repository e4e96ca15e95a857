/* A defense that takes over the client's computation where only a part of the model is shared:
 * each client has a linear classifier G of the representation r as its own state, and learns it
 * together with the shared part Θ,
 *   z = G r   δ = (softmax z − y)/n   G ← G − rate·δ rᵀ   ∂r = Gᵀδ, which the model service carries on to Θ.
 * And an attack that sees what is observed of it. Both fail with a sentence where the host
 * gives them something else. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <gauntlet/plugin.h>

enum { MOST_CLIENTS = 8, MOST_ENTRIES = 8192 };

typedef struct taker {
    const gnt_host *host;
    float g[MOST_CLIENTS][MOST_ENTRIES]; /* classes × width of r */
} taker;

static void *create(const gnt_host *host, const gnt_value *values) {
    (void)values;
    taker *t = calloc(1, sizeof *t);
    if (t)
        t->host = host;
    return t;
}

static void destroy(void *self) {
    free(self);
}

static int64_t count_shared(const gnt_model_info *info) {
    int64_t n = 0;
    for (int64_t i = 0; i < info->params.n; i++)
        n += !info->federated || info->federated[i];
    return n;
}

/* δ (n × classes) of z = G r. */
static void errors(const gnt_samples *s, const float *g, const float *r, int64_t width, float *delta) {
    for (int64_t i = 0; i < s->n; i++) {
        double z[64], top = -INFINITY, sum = 0;
        for (int32_t c = 0; c < s->classes; c++) {
            z[c] = 0;
            for (int64_t k = 0; k < width; k++)
                z[c] += (double)g[c * width + k] * (double)r[i * width + k];
            top = fmax(top, z[c]);
        }
        for (int32_t c = 0; c < s->classes; c++)
            sum += z[c] = exp(z[c] - top);
        for (int32_t c = 0; c < s->classes; c++)
            delta[i * s->classes + c] =
                (float)((z[c] / sum - (double)s->y[i * s->classes + c]) / (double)s->n);
    }
}

static gnt_status client_update(void *self, const gnt_client *client, gnt_tensors *update) {
    taker *t = self;
    const gnt_host *host = t->host;
    const gnt_model_service *m = host->model;
    const gnt_samples *s = client->samples;
    gnt_function_spec spec = {.size = sizeof spec,
                              .kind = GNT_FN_FEATURES,
                              .n = s->n,
                              .layer = &m->info->representation,
                              .n_layers = 1,
                              .training = -1,
                              .vjp = GNT_WRT_WEIGHTS};
    gnt_function_args args = {
        .size = sizeof args, .x = s->x, .weights = client->weights, .buffers = client->buffers};
    const gnt_views *out;
    const gnt_gradient *by;
    if (!m->info->federated || update->n != count_shared(m->info) || update->n == m->info->params.n)
        return host->fail(host->context, "the update should hold a part of the parameters");
    gnt_function *f = m->prepare(m->context, &spec);
    if (!f || m->eval(m->context, f, &args, &out) != GNT_OK)
        return host->fail(host->context, host->last_error(host->context));
    const float *r = out->view[0].data;
    int64_t width = out->view[0].count / s->n;
    float *delta = host->scratch(host->context, (size_t)(s->n * s->classes) * sizeof *delta);
    float *dr = host->scratch(host->context, (size_t)(s->n * width) * sizeof *dr);
    if (!delta || !dr || client->index >= MOST_CLIENTS || width * s->classes > MOST_ENTRIES ||
        s->classes > 64)
        return host->fail(host->context, "the task is too large for this test");
    float *g = t->g[client->index];
    if (client->round == 0) {
        host->normal(host->context, "classifier", width * s->classes, g);
        for (int64_t k = 0; k < width * s->classes; k++)
            g[k] *= 0.05f;
    }
    errors(s, g, r, width, delta);
    for (int64_t i = 0; i < s->n; i++)
        for (int32_t c = 0; c < s->classes; c++)
            for (int64_t k = 0; k < width; k++)
                dr[i * width + k] += delta[i * s->classes + c] * g[c * width + k];
    for (int64_t i = 0; i < s->n; i++)
        for (int32_t c = 0; c < s->classes; c++)
            for (int64_t k = 0; k < width; k++)
                g[c * width + k] -= (float)client->rate * delta[i * s->classes + c] * r[i * width + k];
    const float *cotangent[1] = {dr};
    if (m->vjp(m->context, f, cotangent, &by) != GNT_OK)
        return host->fail(host->context, host->last_error(host->context));
    for (int64_t i = 0, at = 0; i < m->info->params.n; i++) {
        if (!m->info->federated[i])
            continue;
        gnt_tensor *u = &update->tensor[at++];
        if (strcmp(u->name, m->info->params.view[i].name) != 0)
            return host->fail(host->context,
                              "the update's tensors should stand in the order of the parameters");
        memcpy(u->data, by->weights[i], (size_t)u->count * sizeof *u->data);
    }
    m->release(m->context, f);
    return GNT_OK;
}

static gnt_status save(void *self, int32_t client, const gnt_sink *out) {
    const taker *t = self;
    const int64_t n = MOST_ENTRIES;
    return client < 0 || client >= MOST_CLIENTS ? GNT_OK
                                                : out->tensor(out->context, "g", 1, &n, t->g[client]);
}

static gnt_status load(void *self, int32_t client, const gnt_artefacts *state) {
    taker *t = self;
    if (client >= 0 && client < MOST_CLIENTS && state->tensors.n == 1)
        memcpy(t->g[client], state->tensors.view->data, sizeof t->g[client]);
    return GNT_OK;
}

static gnt_status run(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer) {
    const taker *t = self;
    const gnt_model_info *info = t->host->model->info;
    (void)own;
    if (seen->update->n != count_shared(info))
        return t->host->fail(t->host->context, "one tensor should be seen for each shared parameter");
    for (int64_t i = 0; i < seen->update->n; i++)
        for (int64_t k = 0; k < info->params.n; k++)
            if (!info->federated[k] && strcmp(info->params.view[k].name, seen->update->view[i].name) == 0)
                return t->host->fail(t->host->context, "a parameter is seen that its client keeps");
    float *scores = t->host->scratch(t->host->context, (size_t)(seen->n * seen->classes) * sizeof *scores);
    return answer->labels(answer->context, seen->n, seen->classes, scores);
}

static const gnt_defense defense_hooks = {
    .size = sizeof defense_hooks, .client_update = client_update, .save = save, .load = load};
static const gnt_attack attack_hooks = {.size = sizeof attack_hooks, .run = run};

static const gnt_descriptor descriptors[] = {
    {.size = sizeof(gnt_descriptor),
     .kind = GNT_PLUGIN_DEFENSE,
     .id = "takes-over",
     .version = "1.0",
     .line = "trains the shared part with a classifier of each client's own",
     .licence = "MIT",
     .citation = "",
     .surfaces = GNT_SURFACE_UPDATE | GNT_SURFACE_REPRESENTATION,
     .data_kinds = GNT_KIND_ANY,
     .flags = GNT_FLAG_RANDOMISED,
     .create = create,
     .destroy = destroy,
     .defense = &defense_hooks},
    {.size = sizeof(gnt_descriptor),
     .kind = GNT_PLUGIN_ATTACK,
     .id = "sees-a-part",
     .version = "1.0",
     .line = "checks that updates hold what is shared",
     .licence = "MIT",
     .citation = "",
     .surfaces = GNT_SURFACE_UPDATE,
     .goals = GNT_GOAL_LABEL,
     .data_kinds = GNT_KIND_ANY,
     .create = create,
     .destroy = destroy,
     .attack = &attack_hooks},
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
