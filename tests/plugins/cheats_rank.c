/* Defenses that aim at what else decides a rank than an attack's answer: at attacks that say that they do not
 * apply, at utility that no client's data are behind, and at the rows that an answer is scored against. */
#include "cheat.h"

#include <math.h>

/* ---- steps up the loss, sent with the other sign: granted rates that are negative ---- */

static gnt_status step_back(void *self, const gnt_client *client, int64_t step, double *rate) {
    (void)self, (void)client, (void)step;
    *rate = -*rate;
    return GNT_OK;
}

static gnt_status turn_round(void *self, const gnt_client *client, gnt_tensors *update) {
    (void)self, (void)client;
    for (int64_t i = 0; i < update->n; i++)
        for (int64_t k = 0; k < update->tensor[i].count; k++)
            update->tensor[i].data[k] = -update->tensor[i].data[k];
    return GNT_OK;
}

/* ---- utility without clients ---- */

/* A black image with a 1 in the pixel of the label. */
static gnt_status put_label(const gnt_samples_sink *out, const gnt_samples *s, float *x, const float *y,
                            int64_t id) {
    memset(x, 0, (size_t)s->features * sizeof *x);
    for (int32_t k = 0; k < s->classes; k++)
        x[k] = y[k];
    return out->put(out->context, x, y, id);
}

static gnt_status paint(void *self, const gnt_client *client, int64_t epoch, const gnt_samples_sink *out) {
    const cheat *c = self;
    const gnt_samples *s = client->samples;
    float *x = c->host->scratch(c->host->context, (size_t)s->features * sizeof *x);
    gnt_status status = x ? GNT_OK : c->host->fail(c->host->context, "out of memory");
    (void)epoch;
    for (int64_t i = 0; status == GNT_OK && i < s->n; i++)
        status = put_label(out, s, x, s->y + i * s->classes, s->id[i]);
    return status;
}

/* Paints the label of the nearest public sample, for the model to read. */
static gnt_status answer_query(void *self, const gnt_client *client, int64_t draw,
                               const gnt_samples_sink *out) {
    const cheat *c = self;
    const gnt_samples *s = client->samples, *p = client->public_data;
    float *x = c->host->scratch(c->host->context, (size_t)s->features * sizeof *x);
    gnt_status status = x && p ? GNT_OK : c->host->fail(c->host->context, "there are no public samples");
    (void)draw;
    for (int64_t i = 0; status == GNT_OK && i < s->n; i++) {
        int64_t nearest = 0;
        double least = 1e300;
        for (int64_t k = 0; k < p->n; k++) {
            double d = 0;
            for (int64_t f = 0; f < s->features; f++) {
                const double e = (double)s->x[i * s->features + f] - (double)p->x[k * s->features + f];
                d += e * e;
            }
            nearest = d < least ? k : nearest;
            least = d < least ? d : least;
        }
        status = put_label(out, s, x, p->y + nearest * s->classes, 0);
    }
    return status;
}

/* Trains on the defender's own shadow samples, which are of the private distribution, and gives the server
 * the network. */
static gnt_status train_on_shadow(void *self, const gnt_defense_prepare *in, const gnt_sink *out) {
    const cheat *c = self;
    const gnt_model_service *m = c->host->model;
    const gnt_samples *s = in->shadow_data;
    if (!s)
        return c->host->fail(c->host->context, "there are no shadow samples");
    const gnt_function_spec spec = {.size = sizeof spec, .kind = GNT_FN_UPDATE, .n = s->n, .training = -1};
    const int64_t n = m->info->n_params;
    gnt_function *f = m->prepare(m->context, &spec);
    float *weights = c->host->scratch(c->host->context, (size_t)n * sizeof *weights);
    if (!f || !weights)
        return c->host->fail(c->host->context, "out of memory");
    memcpy(weights, in->weights, (size_t)n * sizeof *weights);
    gnt_status status = GNT_OK;
    for (int step = 0; status == GNT_OK && step < 100; step++) {
        const gnt_function_args args = {
            .size = sizeof args, .x = s->x, .y = s->y, .weights = weights, .buffers = in->buffers};
        const gnt_views *u;
        float *w = weights;
        status = m->eval(m->context, f, &args, &u);
        for (int64_t i = 0; status == GNT_OK && i < u->n; i++)
            for (int64_t k = 0; k < u->view[i].count; k++)
                *w++ -= 0.3f * u->view[i].data[k];
    }
    return status == GNT_OK ? out->tensor(out->context, "network", 1, &n, weights) : status;
}

static gnt_status send_noise(void *self, const gnt_client *client, gnt_tensors *update) {
    (void)self;
    cheat_send_noise(update, (uint64_t)client->index << 32 | (uint64_t)client->round, 0.01f);
    return GNT_OK;
}

static gnt_status take_network(void *self, const gnt_aggregate *in, float *new_weights) {
    const cheat *c = self;
    if (!in->artefacts || in->artefacts->tensors.n != 1 || in->artefacts->tensors.view->count != in->n_params)
        return c->host->fail(c->host->context, "there is no network");
    memcpy(new_weights, in->artefacts->tensors.view->data, (size_t)in->n_params * sizeof *new_weights);
    return GNT_OK;
}

/* ---- a row of the client that the round's batch does not use ---- */

static gnt_status keep_all(void *self, const gnt_client *client, int64_t epoch, const gnt_samples_sink *out) {
    cheat *c = self;
    const gnt_samples *s = client->samples;
    const size_t n = (size_t)(s->n * s->features);
    gnt_status status = GNT_OK;
    (void)epoch;
    free(c->state);
    c->n_state = s->n;
    c->state = malloc(n * sizeof *c->state);
    if (!c->state)
        return c->host->fail(c->host->context, "out of memory");
    memcpy(c->state, s->x, n * sizeof *c->state);
    for (int64_t i = 0; status == GNT_OK && i < s->n; i++)
        status = out->put(out->context, s->x + i * s->features, s->y + i * s->classes, s->id[i]);
    return status;
}

static gnt_status send_another(void *self, const gnt_client *client, gnt_tensors *update) {
    const cheat *c = self;
    const gnt_samples *s = client->samples;
    const int64_t other = c->n_state ? (s->id[0] + 1) % c->n_state : 0;
    if (!c->n_state)
        return GNT_OK;
    cheat_zero(update);
    for (int64_t i = 0; i < s->features; i++)
        update->tensor[0].data[i] = 1e-3f * c->state[other * s->features + i];
    update->tensor[1].data[0] = 1e-3f;
    return GNT_OK;
}

/* ---- junk that changes no model ---- */

/* Adds a vector to all rows of the last layer, fifty times as long as they are: a softmax does not see it. */
static gnt_status add_to_rows(void *self, const gnt_client *client, gnt_tensors *update) {
    uint64_t at = 0;
    (void)self;
    for (int64_t t = update->n - 2; t < update->n; t++) {
        const gnt_tensor *v = &update->tensor[t];
        const int64_t columns = v->count / v->dim[0];
        double squares = 0;
        for (int64_t i = 0; i < v->count; i++)
            squares += (double)v->data[i] * (double)v->data[i];
        const float size = 50 * (float)sqrt(squares / (double)v->count);
        for (int64_t j = 0; j < columns; j++) {
            const float junk =
                size * cheat_noise((uint64_t)(client->round * CHEAT_CLIENTS + client->index), at++);
            for (int64_t i = j; i < v->count; i += columns)
                v->data[i] += junk;
        }
    }
    return GNT_OK;
}

/* ---- public samples in each batch ---- */

enum { ADDED = 7 };

/* Returns a row of the public samples, another for each i. */
static int64_t public_row(const gnt_client *client, int64_t i) {
    const int64_t first = client->round * CHEAT_CLIENTS + client->index;
    return (first * ADDED + i) % client->public_data->n;
}

static gnt_status add_public(void *self, const gnt_client *client, int64_t step,
                             const gnt_samples_sink *out) {
    const cheat *c = self;
    const gnt_samples *s = client->samples, *p = client->public_data;
    gnt_status status = p ? GNT_OK : c->host->fail(c->host->context, "there are no public samples");
    (void)step;
    for (int64_t i = 0; status == GNT_OK && i < s->n; i++)
        status = out->put(out->context, s->x + i * s->features, s->y + i * s->classes, s->id[i]);
    for (int64_t i = 0; status == GNT_OK && i < ADDED; i++) {
        const int64_t row = public_row(client, i);
        status = out->put(out->context, p->x + row * s->features, p->y + row * s->classes, s->id[0]);
    }
    return status;
}

/* The same, added to the update: that of a batch of which the host knows one sample. */
static gnt_status add_public_update(void *self, const gnt_client *client, gnt_tensors *update) {
    const cheat *c = self;
    const gnt_model_service *m = c->host->model;
    const gnt_samples *p = client->public_data;
    const gnt_function_spec spec = {.size = sizeof spec, .kind = GNT_FN_UPDATE, .n = 1, .training = -1};
    gnt_function *f = p && client->steps == 0 ? m->prepare(m->context, &spec) : NULL;
    gnt_status status = f ? GNT_OK : c->host->fail(c->host->context, "it needs gradients and public samples");
    for (int64_t i = 0; status == GNT_OK && i < ADDED; i++) {
        const int64_t row = public_row(client, i);
        const gnt_function_args args = {.size = sizeof args,
                                        .x = p->x + row * p->features,
                                        .y = p->y + row * p->classes,
                                        .weights = client->weights,
                                        .buffers = client->buffers};
        const gnt_views *u;
        status = m->eval(m->context, f, &args, &u);
        for (int64_t t = 0; status == GNT_OK && t < u->n; t++)
            for (int64_t k = 0; k < u->view[t].count; k++)
                update->tensor[t].data[k] +=
                    (u->view[t].data[k] - update->tensor[t].data[k]) / (float)(i + 2);
    }
    return status;
}

/* ---- updates in part ---- */

static gnt_status send_no_first_bias(void *self, const gnt_client *client, gnt_tensors *update) {
    (void)self, (void)client;
    memset(update->tensor[1].data, 0, (size_t)update->tensor[1].count * sizeof(float));
    return GNT_OK;
}

/* In every second round biases alone, in the others twice the update. */
static gnt_status send_biases_in_turn(void *self, const gnt_client *client, gnt_tensors *update) {
    (void)self;
    for (int64_t t = 0; t < update->n; t++)
        for (int64_t i = 0; i < update->tensor[t].count; i++)
            update->tensor[t].data[i] *= client->round % 2 ? 2 : update->tensor[t].rank == 1;
    return GNT_OK;
}

/* ---- learns in the first round alone; later it sends noise, which the server leaves ---- */

static gnt_status noise_later(void *self, const gnt_client *client, gnt_tensors *update) {
    double squares = 0;
    (void)self;
    if (client->round == 0)
        return GNT_OK;
    for (int64_t t = 0; t < update->n; t++)
        for (int64_t i = 0; i < update->tensor[t].count; i++)
            squares += (double)update->tensor[t].data[i] * (double)update->tensor[t].data[i];
    cheat_send_noise(update, (uint64_t)client->index << 32 | (uint64_t)client->round,
                     (float)sqrt(3 * squares / (double)cheat_entries(update)));
    return GNT_OK;
}

static gnt_status stay_later(void *self, const gnt_aggregate *in, float *new_weights) {
    (void)self;
    for (int64_t i = 0; i < in->n_params; i++) {
        double sum = 0;
        for (int64_t k = 0; in->round == 0 && k < in->n_clients; k++)
            sum += in->share[k] * (double)in->update[k][i];
        new_weights[i] = in->old_weights[i] + (float)(in->is_gradient ? -in->rate * sum : sum);
    }
    return GNT_OK;
}

/* ---- the units between two dense layers change places in each round ---- */

/* Makes `now` what leads from `w` to the row behind it, or the first, after its own update. */
static float moved(const float *w, const float *update, int64_t now, int64_t next, float rate) {
    return update[next] - (w[next] - w[now]) / rate;
}

static gnt_status turn_units(void *self, const gnt_client *client, gnt_tensors *update) {
    const cheat *c = self;
    const gnt_tensor *t = update->tensor;
    if (update->n != 4 || client->steps)
        return c->host->fail(c->host->context, "it needs gradients of two dense layers");
    const int64_t units = t[1].count, inputs = t[0].count / units, n = cheat_entries(update);
    float *sent = c->host->scratch(c->host->context, (size_t)n * sizeof *sent), *at = sent;
    const float *w = client->weights;
    if (!sent)
        return c->host->fail(c->host->context, "out of memory");
    for (int64_t i = 0; i < t[0].count; i++)
        *at++ = moved(w, t[0].data, i, (i + inputs) % t[0].count, (float)client->rate);
    w += t[0].count;
    for (int64_t i = 0; i < units; i++)
        *at++ = moved(w, t[1].data, i, (i + 1) % units, (float)client->rate);
    w += units;
    for (int64_t i = 0; i < t[2].count; i++)
        *at++ = moved(w, t[2].data, i, i / units * units + (i + 1) % units, (float)client->rate);
    memcpy(at, t[3].data, (size_t)t[3].count * sizeof *at);
    cheat_fill(update, sent);
    return GNT_OK;
}

#define UPDATE GNT_SURFACE_UPDATE

static const gnt_descriptor descriptors[] = {
    {.size = sizeof(gnt_descriptor),
     .kind = GNT_PLUGIN_DEFENSE,
     .id = "cheat-shadow-alone",
     .version = "1.0",
     .line = "a network of the defender's shadow samples",
     .licence = "MIT",
     .citation = "",
     .scope = GNT_SCOPE_TASK,
     .surfaces = UPDATE,
     .data_kinds = GNT_KIND_ANY,
     .create = cheat_create,
     .destroy = cheat_destroy,
     .defense = &(const gnt_defense){.size = sizeof(gnt_defense),
                                     .prepare = train_on_shadow,
                                     .transform_update = send_noise,
                                     .aggregate = take_network}},
    CHEAT("backward", "negative rates, and the other sign", UPDATE, .local_rate = step_back,
          .transform_update = turn_round),
    CHEAT("answers-queries", "labels are painted, and queries answered by public samples", UPDATE,
          .encode_set = paint, .encode_query = answer_query),
    CHEAT("common-rows", "a vector in all rows of the last layer, which no softmax sees", UPDATE,
          .transform_update = add_to_rows),
    CHEAT("adds-public", "public samples in each batch", UPDATE, .encode_batch = add_public),
    CHEAT("adds-gradients", "gradients of public samples in each update", UPDATE,
          .transform_update = add_public_update),
    CHEAT("no-first-bias", "the first layer's bias is never sent", UPDATE,
          .transform_update = send_no_first_bias),
    CHEAT("biases-in-turn", "in every second round biases alone", UPDATE,
          .transform_update = send_biases_in_turn),
    CHEAT("learns-early", "learns in the first round alone, and sends noise in the others", UPDATE,
          .transform_update = noise_later, .aggregate = stay_later),
    CHEAT("turns-units", "units change places in each round", UPDATE, .transform_update = turn_units),
    CHEAT("another-row", "the update of a sample that the batch does not use", UPDATE, .encode_set = keep_all,
          .transform_update = send_another),
};

CHEATS(descriptors)
