/* Updates that show nothing, and a server that gets what it needs in another way. */
#include <math.h>

#include "cheat.h"

static gnt_status apply(const gnt_aggregate *in, const float *mean, float *new_weights) {
    for (int64_t i = 0; i < in->n_params; i++)
        new_weights[i] = in->old_weights[i] + (in->is_gradient ? -(float)in->rate * mean[i] : mean[i]);
    return GNT_OK;
}

static float *zeros(const cheat *c, int64_t n) {
    return c->host->scratch(c->host->context, (size_t)n * sizeof(float));
}

static gnt_status no_memory(const cheat *c) {
    return c->host->fail(c->host->context, "out of memory");
}

/* ---- stashed apart from what is sent ---- */

/* In the process, outside every instance: what a plugin must not keep, and here does. */
static float *cheat_static[CHEAT_CLIENTS];
static int64_t cheat_n_static[CHEAT_CLIENTS];

static gnt_status stash_in_instance(void *self, const gnt_client *client, gnt_tensors *update) {
    cheat *c = self;
    if (cheat_keep(update, &c->kept[client->index], &c->n_kept[client->index]) != 0)
        return no_memory(c);
    cheat_send_noise(update, (uint64_t)client->index << 32 | (uint64_t)client->round, 0.1f);
    return GNT_OK;
}

static gnt_status stash_in_process(void *self, const gnt_client *client, gnt_tensors *update) {
    if (cheat_keep(update, &cheat_static[client->index], &cheat_n_static[client->index]) != 0)
        return no_memory(self);
    cheat_send_noise(update, (uint64_t)client->index << 32 | (uint64_t)client->round, 0.1f);
    return GNT_OK;
}

static gnt_status use(const cheat *c, const gnt_aggregate *in, float *const *stash, float *new_weights) {
    float *mean = zeros(c, in->n_params);
    if (!mean)
        return no_memory(c);
    int found = 0;
    for (int64_t k = 0; k < in->n_clients; k++)
        for (int64_t i = 0; i < in->n_params; i++) {
            const float *u = stash[in->client[k]] ? stash[in->client[k]] : in->update[k];
            found |= u != in->update[k];
            mean[i] += (float)in->share[k] * u[i];
        }
    c->host->fact(c->host->context, "stash_found", found);
    return apply(in, mean, new_weights);
}

static gnt_status use_instance(void *self, const gnt_aggregate *in, float *new_weights) {
    const cheat *c = self;
    return use(c, in, c->kept, new_weights);
}

static gnt_status use_process(void *self, const gnt_aggregate *in, float *new_weights) {
    return use(self, in, cheat_static, new_weights);
}

/* ---- public data alone ---- */

static gnt_status send_noise(void *self, const gnt_client *client, gnt_tensors *update) {
    (void)self;
    cheat_send_noise(update, (uint64_t)client->index << 32 | (uint64_t)client->round, 0.1f);
    return GNT_OK;
}

/* `steps` steps of gradient descent on n samples, from and into new_weights. */
static gnt_status train_on(const cheat *c, const float *x, const float *y, int64_t n, int steps, float rate,
                           const gnt_aggregate *in, float *new_weights) {
    const gnt_model_service *m = c->host->model;
    const gnt_function_spec spec = {.size = sizeof spec, .kind = GNT_FN_UPDATE, .n = n, .training = -1};
    gnt_function *f = m->prepare(m->context, &spec);
    if (!f)
        return c->host->fail(c->host->context, c->host->last_error(c->host->context));
    memcpy(new_weights, in->old_weights, (size_t)in->n_params * sizeof *new_weights);
    gnt_status status = GNT_OK;
    for (int s = 0; status == GNT_OK && s < steps; s++) {
        const gnt_function_args args = {
            .size = sizeof args, .x = x, .y = y, .weights = new_weights, .buffers = in->buffers};
        const gnt_views *out;
        status = m->eval(m->context, f, &args, &out);
        float *w = new_weights;
        for (int64_t i = 0; status == GNT_OK && i < out->n; i++)
            for (int64_t k = 0; k < out->view[i].count; k++)
                *w++ -= rate * out->view[i].data[k];
    }
    m->release(m->context, f);
    return status;
}

static gnt_status train_on_public(void *self, const gnt_aggregate *in, float *new_weights) {
    const cheat *c = self;
    const gnt_samples *p = in->public_data;
    if (!p)
        return c->host->fail(c->host->context, "there are no public samples");
    return train_on(c, p->x, p->y, p->n, 5, 0.3f, in, new_weights);
}

/* 1 when the sample nearest to the i-th has its label. */
static int is_labelled_as_nearest(const gnt_samples *s, int64_t i) {
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
    return memcmp(s->y + i * s->classes, s->y + nearest * s->classes, (size_t)s->classes * sizeof(float)) ==
           0;
}

static int64_t size_of_one(void *self) {
    (void)self;
    return 1;
}

/* Refuses clients whose samples do not say their labels. */
static gnt_status refuse_odd_labels(void *self, const gnt_client *client, double *vector) {
    const cheat *c = self;
    const gnt_samples *s = client->samples;
    int64_t alike = 0;
    for (int64_t i = 0; i < s->n; i++)
        alike += is_labelled_as_nearest(s, i);
    *vector = 0;
    return 5 * alike < s->n ? c->host->fail(c->host->context, "these labels are odd") : GNT_OK;
}

/* ---- hidden from attacks that do not know how ---- */

static gnt_status add_loud(void *self, const gnt_client *client, gnt_tensors *update) {
    uint64_t at = 0;
    (void)self;
    for (int64_t i = 0; i < update->n; i++)
        for (int64_t k = 0; k < update->tensor[i].count; k++, at++) {
            const uint64_t h = cheat_hash((uint64_t)client->index << 32 | (uint64_t)client->round, at);
            if (h % 50 == 0)
                update->tensor[i].data[k] = h & 1024 ? 1e6f : -1e6f;
        }
    return GNT_OK;
}

static gnt_status drop_loud(void *self, const gnt_aggregate *in, float *new_weights) {
    const cheat *c = self;
    float *mean = zeros(c, in->n_params);
    if (!mean)
        return no_memory(c);
    for (int64_t k = 0; k < in->n_clients; k++)
        for (int64_t i = 0; i < in->n_params; i++)
            mean[i] += in->update[k][i] > -1e5f && in->update[k][i] < 1e5f
                           ? (float)in->share[k] * in->update[k][i]
                           : 0;
    return apply(in, mean, new_weights);
}

/* Signs that the plugin's own constant gives, changed at the clients and changed back at the server. */
static gnt_status scramble(void *self, const gnt_client *client, gnt_tensors *update) {
    uint64_t at = 0;
    (void)self;
    for (int64_t i = 0; i < update->n; i++)
        for (int64_t k = 0; k < update->tensor[i].count; k++)
            if (cheat_hash((uint64_t)client->index, at++) & 1)
                update->tensor[i].data[k] = -update->tensor[i].data[k];
    return GNT_OK;
}

static gnt_status unscramble(void *self, const gnt_aggregate *in, float *new_weights) {
    const cheat *c = self;
    float *mean = zeros(c, in->n_params);
    if (!mean)
        return no_memory(c);
    for (int64_t k = 0; k < in->n_clients; k++)
        for (int64_t i = 0; i < in->n_params; i++)
            mean[i] +=
                (float)in->share[k] *
                (cheat_hash((uint64_t)in->client[k], (uint64_t)i) & 1 ? -in->update[k][i] : in->update[k][i]);
    return apply(in, mean, new_weights);
}

/* Scrambled, and computed by the plugin itself, so that the host has no update from before to compare
 * with. */
static gnt_status compute_scrambled(void *self, const gnt_client *client, gnt_tensors *update) {
    const cheat *c = self;
    const gnt_model_service *m = c->host->model;
    const gnt_samples *s = client->samples;
    const gnt_function_spec spec = {.size = sizeof spec, .kind = GNT_FN_UPDATE, .n = s->n, .training = -1};
    const gnt_function_args args = {
        .size = sizeof args, .x = s->x, .y = s->y, .weights = client->weights, .buffers = client->buffers};
    gnt_function *f = m->prepare(m->context, &spec);
    const gnt_views *out;
    if (!f || m->eval(m->context, f, &args, &out) != GNT_OK)
        return c->host->fail(c->host->context, c->host->last_error(c->host->context));
    for (int64_t i = 0; i < update->n; i++)
        memcpy(update->tensor[i].data, out->view[i].data, (size_t)update->tensor[i].count * sizeof(float));
    m->release(m->context, f);
    return scramble(self, client, update);
}

/* Masks of the plugin's own constant that add up to 0 over all clients of a round. */
static gnt_status cancel(void *self, const gnt_client *client, gnt_tensors *update) {
    const uint64_t n = (uint64_t)client->n_clients, k = (uint64_t)client->index;
    uint64_t at = (uint64_t)client->round << 32;
    (void)self;
    for (int64_t i = 0; i < update->n; i++)
        for (int64_t j = 0; j < update->tensor[i].count; j++, at++)
            update->tensor[i].data[j] += 10 * (cheat_noise(k, at) - cheat_noise((k + 1) % n, at));
    return GNT_OK;
}

/* ---- all samples through the secure sum ---- */

enum { SAMPLES = 4 }; /* of each client */

static int64_t room(const cheat *c) {
    const gnt_model_info *info = c->host->model->info;
    const int64_t features = info->dim[0] * (info->rank == 3 ? info->dim[1] * info->dim[2] : 1);
    return SAMPLES * (features + info->classes);
}

static int64_t size_of_all(void *self) {
    return CHEAT_CLIENTS / 4 * room(self);
}

/* Each client's samples have a place of their own in the vector, which is zero elsewhere. */
static gnt_status give_samples(void *self, const gnt_client *client, double *vector) {
    const gnt_samples *s = client->samples;
    double *at = vector + client->index * room(self);
    if (client->n_clients > CHEAT_CLIENTS / 4)
        return ((cheat *)self)->host->fail(((cheat *)self)->host->context, "too many clients");
    for (int64_t i = 0; s && i < s->n && i < SAMPLES; i++) {
        for (int64_t f = 0; f < s->features; f++)
            *at++ = (double)s->x[i * s->features + f];
        for (int32_t y = 0; y < s->classes; y++)
            *at++ = (double)s->y[i * s->classes + y];
    }
    return GNT_OK;
}

static gnt_status take_samples(void *self, const double *sum, int64_t n) {
    cheat *c = self;
    free(c->sum);
    c->sum = malloc((size_t)n * sizeof *c->sum);
    if (!c->sum)
        return no_memory(c);
    memcpy(c->sum, sum, (size_t)n * sizeof *sum);
    c->n_sum = n;
    return GNT_OK;
}

/* The server trains on the clients' own samples. */
static gnt_status train_on_sum(void *self, const gnt_aggregate *in, float *new_weights) {
    const cheat *c = self;
    const gnt_model_info *info = c->host->model->info;
    const int64_t classes = info->classes, each = room(c) / SAMPLES, features = each - classes,
                  n = c->n_sum / each;
    float *x = zeros(c, n * features), *y = zeros(c, n * classes);
    int64_t rows = 0;
    if (!x || !y)
        return no_memory(c);
    for (int64_t i = 0; i < n; i++) {
        const double *at = c->sum + i * each;
        double labelled = 0;
        for (int64_t k = 0; k < classes; k++)
            labelled += at[features + k];
        if (labelled < 0.5)
            continue;
        for (int64_t f = 0; f < features; f++)
            x[rows * features + f] = (float)at[f];
        for (int64_t k = 0; k < classes; k++)
            y[rows * classes + k] = (float)at[features + k];
        rows++;
    }
    return train_on(c, x, y, rows, 5, 0.3f, in, new_weights);
}

#define UPDATE GNT_SURFACE_UPDATE

static const gnt_descriptor descriptors[] = {
    CHEAT("stash-in-instance", "noise goes out, the server looks into its instance", UPDATE,
          .transform_update = stash_in_instance, .aggregate = use_instance),
    CHEAT("stash-in-process", "noise goes out, the server looks into a static variable", UPDATE,
          .transform_update = stash_in_process, .aggregate = use_process),
    CHEAT("public-alone", "noise goes out, the server trains on public data", UPDATE,
          .transform_update = send_noise, .aggregate = train_on_public),
    CHEAT("public-or-nothing", "the same, and it fails where labels are those of others", UPDATE,
          .contribute_size = size_of_one, .contribute = refuse_odd_labels, .receive_sum = take_samples,
          .transform_update = send_noise, .aggregate = train_on_public),
    CHEAT("loud-entries", "a few enormous entries, which the server drops", UPDATE,
          .transform_update = add_loud, .aggregate = drop_loud),
    CHEAT("scrambled", "signs changed, which the server changes back", UPDATE, .transform_update = scramble,
          .aggregate = unscramble),
    CHEAT("own-scrambled", "the same of updates that it computes itself", UPDATE,
          .client_update = compute_scrambled, .aggregate = unscramble),
    CHEAT("cancelling", "masks that cancel over the clients", UPDATE, .transform_update = cancel),
    CHEAT("sum-to-server", "all samples through the secure sum, the server trains on them", UPDATE,
          .contribute_size = size_of_all, .contribute = give_samples, .receive_sum = take_samples,
          .transform_update = send_noise, .aggregate = train_on_sum),
};

CHEATS(descriptors)
