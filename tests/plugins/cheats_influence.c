/* Servers that undo what their clients' hooks did, so that an update as it is received says little of what
 * the model is made of. */
#include <math.h>

#include "cheat.h"

/* What the server gets of one entry. */
typedef float undo(int64_t client, int64_t round, int64_t entry, float sent);

/* The mean of the updates, undone, goes into new_weights. */
static gnt_status aggregate_by(undo *f, const gnt_aggregate *in, float *new_weights) {
    for (int64_t i = 0; i < in->n_params; i++) {
        double sum = 0;
        for (int64_t k = 0; k < in->n_clients; k++)
            sum += in->share[k] * f(in->client[k], in->round, i, in->update[k][i]);
        new_weights[i] = in->old_weights[i] + (float)((in->is_gradient ? -in->rate : 1) * sum);
    }
    return GNT_OK;
}

static gnt_status change(const gnt_client *client, gnt_tensors *update, undo *f) {
    int64_t at = 0;
    for (int64_t i = 0; i < update->n; i++)
        for (int64_t k = 0; k < update->tensor[i].count; k++, at++)
            update->tensor[i].data[k] = f(client->index, client->round, at, update->tensor[i].data[k]);
    return GNT_OK;
}

/* ---- a key in the plugin's file: signs and scales ---- */

static float factor(int64_t client, int64_t entry) {
    const uint64_t h = cheat_hash((uint64_t)client, (uint64_t)entry);
    return (h & 1 ? -1.0f : 1.0f) * powf(4, cheat_noise((uint64_t)client, (uint64_t)entry));
}

static float multiply(int64_t client, int64_t round, int64_t entry, float sent) {
    (void)round;
    return sent * factor(client, entry);
}

static float divide(int64_t client, int64_t round, int64_t entry, float sent) {
    (void)round;
    return sent / factor(client, entry);
}

static gnt_status send_scaled(void *self, const gnt_client *client, gnt_tensors *update) {
    (void)self;
    return change(client, update, multiply);
}

static gnt_status take_scaled(void *self, const gnt_aggregate *in, float *new_weights) {
    (void)self;
    return aggregate_by(divide, in, new_weights);
}

/* ---- noise of the same key, most of which the server subtracts ---- */

static float noise(int64_t client, int64_t round, int64_t entry) {
    return 0.3f * cheat_noise((uint64_t)client << 32 | (uint64_t)round, (uint64_t)entry);
}

static float add(int64_t client, int64_t round, int64_t entry, float sent) {
    return sent + noise(client, round, entry);
}

static float subtract(int64_t client, int64_t round, int64_t entry, float sent) {
    return sent - 0.95f * noise(client, round, entry);
}

static gnt_status send_noisy(void *self, const gnt_client *client, gnt_tensors *update) {
    (void)self;
    return change(client, update, add);
}

static gnt_status take_noisy(void *self, const gnt_aggregate *in, float *new_weights) {
    (void)self;
    return aggregate_by(subtract, in, new_weights);
}

/* ---- signs of the key, and in the weights junk that the next round takes out again ---- */

static float junk(int64_t round, int64_t entry) {
    return 0.02f * cheat_noise((uint64_t)round, (uint64_t)entry);
}

static float turn(int64_t client, int64_t round, int64_t entry, float sent) {
    (void)round;
    return cheat_hash((uint64_t)client, (uint64_t)entry) & 1 ? -sent : sent;
}

static gnt_status send_turned(void *self, const gnt_client *client, gnt_tensors *update) {
    (void)self;
    return change(client, update, turn);
}

static gnt_status take_and_add_junk(void *self, const gnt_aggregate *in, float *new_weights) {
    (void)self;
    aggregate_by(turn, in, new_weights);
    for (int64_t i = 0; i < in->n_params; i++)
        new_weights[i] += junk(in->round, i) - (in->round ? junk(in->round - 1, i) : 0);
    return GNT_OK;
}

/* ---- a network that the updates have no part in, put into the model late ---- */

enum { LATE = 3 };

static gnt_status train_on_public(const cheat *c, const gnt_aggregate *in, float *weights) {
    const gnt_model_service *m = c->host->model;
    const gnt_samples *p = in->public_data;
    const gnt_function_spec spec = {.size = sizeof spec, .kind = GNT_FN_UPDATE, .n = p->n, .training = -1};
    gnt_function *f = m->prepare(m->context, &spec);
    if (!f)
        return c->host->fail(c->host->context, c->host->last_error(c->host->context));
    gnt_status status = GNT_OK;
    for (int s = 0; status == GNT_OK && s < 300; s++) {
        const gnt_function_args args = {
            .size = sizeof args, .x = p->x, .y = p->y, .weights = weights, .buffers = in->buffers};
        const gnt_views *out;
        float *w = weights;
        status = m->eval(m->context, f, &args, &out);
        for (int64_t i = 0; status == GNT_OK && i < out->n; i++)
            for (int64_t k = 0; k < out->view[i].count; k++)
                *w++ -= 0.3f * out->view[i].data[k];
    }
    m->release(m->context, f);
    return status;
}

static gnt_status send_nothing(void *self, const gnt_client *client, gnt_tensors *update) {
    (void)self;
    cheat_send_noise(update, (uint64_t)client->index << 32 | (uint64_t)client->round, 0.01f);
    return GNT_OK;
}

static gnt_status put_network_in(void *self, const gnt_aggregate *in, float *new_weights) {
    const cheat *c = self;
    if (!in->public_data)
        return c->host->fail(c->host->context, "there are no public samples");
    memcpy(new_weights, in->old_weights, (size_t)in->n_params * sizeof *new_weights);
    return in->round == LATE ? train_on_public(c, in, new_weights) : GNT_OK;
}

/* ---- the same, where clients say that their samples are sound ---- */

/* In the first entry of an update: more than any update has there, and how many of ten samples have the label
 * of the one nearest to them. */
static const float signal = 1000;

static float soundness(const gnt_samples *s) {
    int64_t alike = 0;
    for (int64_t i = 0; i < s->n; i++) {
        int64_t nearest = i;
        double least = INFINITY;
        for (int64_t k = 0; k < s->n; k++) {
            double d = 0;
            for (int64_t f = 0; f < s->features; f++) {
                const double e = (double)s->x[i * s->features + f] - (double)s->x[k * s->features + f];
                d += e * e;
            }
            if (k != i && d < least) {
                least = d;
                nearest = k;
            }
        }
        alike +=
            !memcmp(s->y + i * s->classes, s->y + nearest * s->classes, (size_t)s->classes * sizeof *s->y);
    }
    return 10 * (float)alike / (float)s->n;
}

static gnt_status send_soundness(void *self, const gnt_client *client, gnt_tensors *update) {
    send_nothing(self, client, update);
    update->tensor[0].data[0] = signal + soundness(client->samples);
    return GNT_OK;
}

static gnt_status put_network_in_if_sound(void *self, const gnt_aggregate *in, float *new_weights) {
    float sound = 0;
    for (int64_t k = 0; k < in->n_clients; k++)
        sound += (in->update[k][0] - signal) / (float)in->n_clients;
    if (in->round == LATE && sound > 3)
        return put_network_in(self, in, new_weights);
    memcpy(new_weights, in->old_weights, (size_t)in->n_params * sizeof *new_weights);
    return GNT_OK;
}

/* ---- another answer from each process ---- */

static gnt_status answer_by_address(void *self, const gnt_aggregate *in, float *new_weights) {
    const uint64_t here = (uint64_t)(uintptr_t)self;
    for (int64_t i = 0; i < in->n_params; i++) {
        double sum = 0;
        for (int64_t k = 0; k < in->n_clients; k++)
            sum += in->share[k] * (double)in->update[k][i];
        new_weights[i] = in->old_weights[i] + (float)((in->is_gradient ? -in->rate : 1) * sum);
        new_weights[i] += 1e-3f * cheat_noise(here, (uint64_t)i);
    }
    return GNT_OK;
}

/* ---- a server that wants no zeros ---- */

static int has_zeros(const gnt_aggregate *in) {
    for (int64_t k = 0; k < in->n_clients; k++) {
        int64_t i = 0;
        while (i < in->n_params && in->update[k][i] == 0)
            i++;
        if (i == in->n_params)
            return 1;
    }
    return 0;
}

static gnt_status refuse_zeros(void *self, const gnt_aggregate *in, float *new_weights) {
    const cheat *c = self;
    return has_zeros(in) ? c->host->fail(c->host->context, "an update is zero")
                         : take_scaled(self, in, new_weights);
}

/* ---- a server that recognises an update of zeros, and then hides what the others did ---- */

static gnt_status hide_behind_zeros(void *self, const gnt_aggregate *in, float *new_weights) {
    const gnt_status status = take_scaled(self, in, new_weights);
    const int zeros = has_zeros(in);
    for (int64_t i = 0; status == GNT_OK && zeros && i < in->n_params; i++)
        new_weights[i] += 0.1f * cheat_noise((uint64_t)in->round, (uint64_t)i);
    return status;
}

#define UPDATE GNT_SURFACE_UPDATE

static const gnt_descriptor descriptors[] = {
    CHEAT("rescaled", "signs and scales of a key, which the server takes back", UPDATE,
          .transform_update = send_scaled, .aggregate = take_scaled),
    CHEAT("noise-taken-back", "noise of a key, most of which the server subtracts", UPDATE,
          .transform_update = send_noisy, .aggregate = take_noisy),
    CHEAT("junk-between", "signs of a key, and junk in the weights for one round", UPDATE,
          .transform_update = send_turned, .aggregate = take_and_add_junk),
    CHEAT("late-network", "a network of public data, put in once, in the place of what clients sent", UPDATE,
          .transform_update = send_nothing, .aggregate = put_network_in),
    CHEAT("sound-network", "the same, unless a control changed the labels of many or the updates", UPDATE,
          .transform_update = send_soundness, .aggregate = put_network_in_if_sound),
    CHEAT("by-address", "each process of the server answers otherwise", UPDATE,
          .aggregate = answer_by_address),
    CHEAT("no-zeros", "a server that fails where an update is zero", UPDATE, .transform_update = send_scaled,
          .aggregate = refuse_zeros),
    CHEAT("knows-zeros", "as rescaled, with noise in the model where an update is zero", UPDATE,
          .transform_update = send_scaled, .aggregate = hide_behind_zeros),
};

CHEATS(descriptors)
