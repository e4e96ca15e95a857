/* A third party's plugins, built once against ABI 0.10 and kept as they were built:
 * tests/abi/fixture-0.10.so. They use plugin.h alone, and of it every struct that may grow. tests/abi/grow
 * runs them on a host whose structs have grown.
 *
 * How the binary was built (gcc 12, x86-64), and is to be built no more:
 *   gcc -std=c11 -shared -fPIC -Os -s -fvisibility=hidden -Iharness/include -o tests/abi/fixture-0.10.so \
 *       tests/abi/fixture-0.10.c
 */
#include <gauntlet/plugin.h>

#include <stdlib.h>
#include <string.h>

typedef struct plugin {
    const gnt_host *host;
    double strength;
    int64_t rounds_seen; /* of the client whose state is loaded */
} plugin;

static void *create(const gnt_host *host, const gnt_value *values) {
    plugin *p = calloc(1, sizeof *p);
    if (!p) {
        host->fail(host->context, "out of memory");
        return NULL;
    }
    p->host = host;
    p->strength = values[0].r;
    return p;
}

/* ---- kept-defense: scales updates, adds noise, and counts the rounds of each client ---- */

static gnt_status make_scale(void *self, const gnt_defense_prepare *in, const gnt_sink *out) {
    const plugin *p = self;
    const int64_t dim = 2;
    const float scale[2] = {(float)(1 - p->strength / 2),
                            (float)(in->n_clients + in->rounds + in->per_round)};
    const uint8_t byte = (uint8_t)in->batch;
    gnt_status status = out->tensor(out->context, "scale", 1, &dim, scale);
    return status == GNT_OK ? out->blob(out->context, "batch", &byte, 1) : status;
}

/* Each sample a little darker. */
static gnt_status darken(void *self, const gnt_client *client, int64_t step, const gnt_samples_sink *out) {
    const gnt_host *host = ((plugin *)self)->host;
    const gnt_samples *s = client->samples;
    float *x = host->scratch(host->context, (size_t)s->features * sizeof *x);
    (void)step;
    if (!x)
        return host->fail(host->context, "no memory for one sample");
    for (int64_t i = 0; i < s->n; i++) {
        const double whole = 1;
        for (int64_t k = 0; k < s->features; k++)
            x[k] = 0.9f * s->x[i * s->features + k];
        gnt_status status = out->put(out->context, x, s->y + i * s->classes, s->id[i]);
        if (status == GNT_OK && out->mixed)
            status = out->mixed(out->context, 1, &s->id[i], &whole);
        if (status != GNT_OK)
            return status;
    }
    return GNT_OK;
}

static gnt_status halve_late(void *self, const gnt_client *client, int64_t step, double *rate) {
    (void)self, (void)client;
    *rate /= step > 0 ? 2 : 1;
    return GNT_OK;
}

static gnt_status scale_update(void *self, const gnt_client *client, gnt_tensors *update) {
    plugin *p = self;
    const gnt_host *host = p->host;
    const gnt_artefacts *made = client->artefacts;
    if (!made || made->tensors.n != 1 || made->n_blobs != 1)
        return host->fail(host->context, "the artefacts are not those of prepare");
    const float scale = made->tensors.view[0].data[0];
    for (int64_t t = 0; t < update->n; t++) {
        gnt_tensor *u = &update->tensor[t];
        float *noise = host->scratch(host->context, (size_t)u->count * sizeof *noise);
        if (!noise)
            return host->fail(host->context, "no memory for noise");
        if (host->should_stop(host->context))
            return GNT_STOPPED;
        host->normal(host->context, u->name, u->count, noise);
        for (int64_t i = 0; i < u->count; i++)
            u->data[i] = scale * u->data[i] + 1e-4f * (float)p->strength * noise[i];
    }
    p->rounds_seen++;
    host->fact(host->context, "scale", (double)scale);
    return GNT_OK;
}

static gnt_status mean_of_clients(void *self, const gnt_aggregate *in, float *new_weights) {
    (void)self;
    for (int64_t i = 0; i < in->n_params; i++) {
        double sum = 0;
        for (int64_t k = 0; k < in->n_clients; k++)
            sum += in->share[k] * (double)in->update[k][i];
        new_weights[i] = (float)((double)in->old_weights[i] + (in->is_gradient ? -in->rate * sum : sum));
    }
    return GNT_OK;
}

static gnt_status save(void *self, int32_t client, const gnt_sink *out) {
    const plugin *p = self;
    (void)client;
    return out->blob(out->context, "rounds", (const uint8_t *)&p->rounds_seen, sizeof p->rounds_seen);
}

static gnt_status load(void *self, int32_t client, const gnt_artefacts *state) {
    plugin *p = self;
    (void)client;
    if (state->n_blobs != 1 || state->blob[0].count != (int64_t)sizeof p->rounds_seen)
        return p->host->fail(p->host->context, "this is no state of ours");
    memcpy(&p->rounds_seen, state->blob[0].data, sizeof p->rounds_seen);
    return GNT_OK;
}

/* ---- kept-shadows: the value whose shadow updates the observed one is most like ---- */

enum { MOST_VALUES = 64 };

static gnt_status mean_updates(void *self, const gnt_attack_prepare *in, const gnt_sink *out) {
    const gnt_host *host = ((plugin *)self)->host;
    if (in->n_shadow < 1 || !in->shadow || in->attribute < 0 || in->attribute_values > MOST_VALUES)
        return host->fail(host->context, "shadow observations of an attribute are needed");
    const gnt_view *first = &in->shadow[0]->update->view[0];
    const int64_t dim[2] = {in->attribute_values, first->count};
    double seen[MOST_VALUES] = {0};
    float *mean = host->scratch(host->context, (size_t)(dim[0] * dim[1]) * sizeof *mean);
    if (!mean)
        return host->fail(host->context, "no memory for means");
    for (int64_t j = 0; j < in->n_shadow; j++) { /* an array of pointers: the host's structs may be larger */
        const gnt_view *u = &in->shadow[j]->update->view[0];
        const gnt_samples *truth = in->shadow_truth[j];
        const int32_t value = truth->a[in->attribute];
        if (u->count != first->count || in->setting->n != in->shadow[j]->n || truth->n != in->shadow[j]->n)
            return host->fail(host->context, "a shadow observation is not like the others");
        seen[value] += 1;
        for (int64_t i = 0; i < u->count; i++)
            mean[value * dim[1] + i] += (float)((u->data[i] - mean[value * dim[1] + i]) / seen[value]);
    }
    return out->tensor(out->context, "mean", 2, dim, mean);
}

static gnt_status nearest_mean(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                               const gnt_answer *answer) {
    const gnt_host *host = ((plugin *)self)->host;
    const gnt_view *mean = &own->tensors.view[0], *u = &seen->update->view[0];
    float scores[MOST_VALUES];
    if (own->tensors.n != 1 || mean->rank != 2 || mean->dim[1] != u->count)
        return host->fail(host->context, "the artefacts are not those of prepare");
    for (int64_t v = 0; v < mean->dim[0]; v++) {
        double distance = 0;
        for (int64_t i = 0; i < u->count; i++) {
            const double d = (double)u->data[i] - (double)mean->data[v * u->count + i];
            distance += d * d;
        }
        scores[v] = (float)-distance;
    }
    return answer->attribute(answer->context, seen->attribute_values, scores);
}

/* ---- kept-match: a few steps down the model service's matching cost, labels unknown ---- */

enum { STEPS = 20, MOST_TENSORS = 64 };

static gnt_status descend(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                          const gnt_answer *answer) {
    const plugin *p = self;
    const gnt_host *host = p->host;
    const gnt_model_service *m = host->model;
    int64_t features = 1;
    const float *observed[MOST_TENSORS];
    (void)own;
    for (int32_t i = 0; i < m->info->rank; i++)
        features *= m->info->dim[i];
    if (seen->update->n > MOST_TENSORS)
        return host->fail(host->context, "the model has more tensors than expected");
    for (int64_t i = 0; i < seen->update->n; i++)
        observed[i] = seen->update->view[i].data;
    const int64_t n = seen->n;
    float *x = host->scratch(host->context, (size_t)(n * features) * sizeof *x);
    float *y = host->scratch(host->context, (size_t)(n * seen->classes) * sizeof *y);
    double *start = host->scratch(host->context, (size_t)(n * features) * sizeof *start);
    float rates[8];
    if (!x || !y || !start || seen->steps > 8)
        return host->fail(host->context, "no memory for a batch, or too many steps");
    for (int32_t i = 0; i < seen->steps; i++)
        rates[i] = (float)seen->rate;
    host->uniform(host->context, "start", n * features, start);
    for (int64_t i = 0; i < n * features; i++)
        x[i] = (float)start[i];
    for (int64_t i = 0; i < n * seen->classes; i++)
        y[i] = 1.0f / (float)seen->classes;
    const gnt_function_spec spec = {.size = sizeof spec,
                                    .kind = GNT_FN_MATCH,
                                    .n = n,
                                    .steps = seen->steps,
                                    .batch = seen->batch,
                                    .training = -1,
                                    .cost = GNT_COST_COSINE,
                                    .vjp = GNT_WRT_X | GNT_WRT_Y,
                                    .held = GNT_HELD_WEIGHTS | GNT_HELD_OBSERVED,
                                    .momentum = seen->momentum};
    gnt_function *f = m->prepare(m->context, &spec);
    if (!f)
        return host->fail(host->context, host->last_error(host->context));
    const gnt_function_args args = {.size = sizeof args,
                                    .x = x,
                                    .y = y,
                                    .weights = seen->weights,
                                    .buffers = seen->buffers,
                                    .rates = rates,
                                    .observed = observed};
    double cost = 0;
    for (int64_t step = 0; step < STEPS; step++) {
        const gnt_views *out;
        const gnt_gradient *g;
        if (host->should_stop(host->context))
            return GNT_STOPPED;
        if (m->eval(m->context, f, &args, &out) != GNT_OK || m->vjp(m->context, f, NULL, &g) != GNT_OK)
            return host->fail(host->context, host->last_error(host->context));
        cost = (double)out->view[0].data[0];
        answer->cost(answer->context, 0, step, cost);
        for (int64_t i = 0; i < n * features; i++) {
            x[i] -= g->x[i] > 0 ? 0.02f : g->x[i] < 0 ? -0.02f : 0;
            x[i] = x[i] < 0 ? 0 : x[i] > 1 ? 1 : x[i];
        }
        for (int64_t i = 0; i < n * seen->classes; i++)
            y[i] -= g->y[i] > 0 ? 0.01f : -0.01f;
        m->changed(m->context, f);
    }
    m->release(m->context, f);
    answer->chosen(answer->context, 0, cost);
    gnt_status status = answer->reconstruction(answer->context, n, x);
    return status == GNT_OK ? answer->labels(answer->context, n, seen->classes, y) : status;
}

/* ---- what it holds ---- */

static const gnt_parameter parameters[] = {{.id = "strength",
                                            .type = GNT_TYPE_REAL,
                                            .unit = "",
                                            .least = 0,
                                            .most = 1,
                                            .preset = 0.5,
                                            .strength = 1,
                                            .help = "how much is taken off"},
                                           {.id = "unused", .type = GNT_TYPE_INT, .unit = "", .most = 3}};

static const gnt_defense defense_hooks = {.size = sizeof defense_hooks,
                                          .prepare = make_scale,
                                          .encode_batch = darken,
                                          .local_rate = halve_late,
                                          .transform_update = scale_update,
                                          .aggregate = mean_of_clients,
                                          .save = save,
                                          .load = load};
static const gnt_attack shadow_hooks = {
    .size = sizeof shadow_hooks, .prepare = mean_updates, .run = nearest_mean};
static const gnt_attack match_hooks = {.size = sizeof match_hooks, .run = descend};

#define SHARED                                                                                               \
    .size = sizeof(gnt_descriptor), .version = "0.10", .line = "kept to be run by later hosts",              \
    .licence = "MIT", .citation = "", .surfaces = GNT_SURFACE_UPDATE, .data_kinds = GNT_KIND_ANY,            \
    .create = create, .destroy = free

static const gnt_descriptor descriptors[] = {
    {SHARED, .kind = GNT_PLUGIN_DEFENSE, .id = "kept-defense", .parameters = parameters, .n_parameters = 2,
     .scope = GNT_SCOPE_TASK, .flags = GNT_FLAG_RANDOMISED, .defense = &defense_hooks},
    {SHARED, .kind = GNT_PLUGIN_ATTACK, .id = "kept-shadows", .parameters = parameters + 1, .n_parameters = 1,
     .scope = GNT_SCOPE_TASK, .goals = GNT_GOAL_ATTRIBUTE,
     .needs = GNT_KNOWS_SHADOW | GNT_KNOWS_SHADOW_OBS | GNT_KNOWS_ATTRIBUTE, .attack = &shadow_hooks},
    {SHARED, .kind = GNT_PLUGIN_ATTACK, .id = "kept-match", .parameters = parameters + 1, .n_parameters = 1,
     .goals = GNT_GOAL_RECONSTRUCTION | GNT_GOAL_LABEL, .flags = GNT_FLAG_RANDOMISED,
     .attack = &match_hooks}};
static const gnt_descriptor *const list[] = {&descriptors[0], &descriptors[1], &descriptors[2]};

GNT_DEFINE_ENTRY_LIST(list, 3)
