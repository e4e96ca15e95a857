/* skeleton: a defense with every hook. Copy it, rename it and delete what you do not need: no hook is
 * required, and without one the host does what it does without a defense. Of the defenses that a suite
 * combines, one may have `client_update`, and one `aggregate`.
 *
 *     gcc -std=c11 -O2 -shared -fPIC -I/usr/local/include skeleton_defense.c -o mine/skeleton.so
 *     gauntlet vet mine/skeleton.so
 *
 * Hooks return GNT_OK, the result of gnt_host_fail (GNT_FAILED), GNT_UNSUPPORTED after gnt_host_fail, or
 * GNT_STOPPED. gauntlet/plugin.h has the rules and every member. */
#include <string.h>

#include <gauntlet/plugin.h>

enum { CLIENTS = 1000 };

/* The instance. The host allocates it, zeroes it, and sets `host` and the members named by `parameters`. */
typedef struct skeleton {
    const gnt_host *host; /* required, first */
    double noise;
    int64_t where;
    int64_t all_samples;      /* of all clients, from the secure sum */
    float calls[1 + CLIENTS]; /* state of the server and of each client */
} skeleton;

enum { EACH, FIRST }; /* in the order of `places` */
static const char *const places[] = {"each", "first", NULL};

static const gnt_parameter parameters[] = {
    /* at most one strength; searches vary it, here on a logarithmic scale; 1: a larger one is stronger */
    GNT_STRENGTH_REAL(skeleton, noise, 1e-6, 1, 0.01, GNT_SCALE_LOG, 1, "",
                      "standard deviation of the noise on each entry"),
    GNT_CHOICE(skeleton, where, places, "each", "which tensors get noise: each, or only the first"),
};

/* Called once, when the instance has its parameters, in every process. Optional: checks parameters against
 * each other, allocates what all hooks need. GNT_UNSUPPORTED: this plugin cannot work with this model. */
static gnt_status start(void *self) {
    const skeleton *s = self;
    if (s->host->model->info->params.n > 0)
        return GNT_OK;
    gnt_host_fail(s->host, "the model has no parameters; this defense needs some to put noise on");
    return GNT_UNSUPPORTED;
}

/* Called once before the instance is freed. Optional: frees what malloc gave; scratch needs no freeing. */
static void stop(void *self) {
    (void)self;
}

/* Called in a process of its own, once per task (GNT_SCOPE_TASK) or for each observed stage
 * (GNT_SCOPE_STAGE). Optional: the place for long work, such as training. What goes into `out` is
 * client->artefacts later; the instance itself is discarded. */
static gnt_status prepare(void *self, const gnt_defense_prepare *in, const gnt_sink *out) {
    (void)self;
    const int64_t dim[1] = {1};
    const float rounds = (float)in->rounds;
    return out->tensor(out->context, "rounds", 1, dim, &rounds);
}

/* Called before round 0. A secure sum needs all three hooks or none. Returns the length of each client's
 * vector, at least 1. */
static int64_t contribute_size(void *self) {
    (void)self;
    return 1;
}

/* Called for each client before round 0. Fills `vector`, zeroed, from the client's own data. */
static gnt_status contribute(void *self, const gnt_client *client, double *vector) {
    (void)self;
    vector[0] = (double)client->n_samples;
    return GNT_OK;
}

/* Called after the last `contribute`, with the sum over all clients. */
static gnt_status receive_sum(void *self, const double *sum, int64_t n) {
    skeleton *s = self;
    s->all_samples = n > 0 ? (int64_t)sum[0] : 0;
    return GNT_OK;
}

/* Puts a sample as it is, and says that it consists of itself alone. */
static gnt_status put_plain(const gnt_samples *from, int64_t i, const gnt_samples_sink *out) {
    const double all = 1;
    gnt_status status =
        out->put(out->context, from->x + i * from->features, from->y + i * from->classes, from->id[i]);
    return status == GNT_OK && out->mixed ? out->mixed(out->context, 1, &from->id[i], &all) : status;
}

/* Called once per epoch, with all samples of a client. Optional: puts what the client trains on instead, at
 * least one sample. */
static gnt_status encode_set(void *self, const gnt_client *client, int64_t epoch,
                             const gnt_samples_sink *out) {
    const skeleton *s = self;
    gnt_status status = GNT_OK;
    (void)epoch;
    for (int64_t i = 0; i < client->samples->n && status == GNT_OK; i++)
        status = gnt_host_should_stop(s->host) ? GNT_STOPPED : put_plain(client->samples, i, out);
    return status;
}

/* Called for each local step, with its batch. Optional: puts what the step uses instead, at least one sample.
 * */
static gnt_status encode_batch(void *self, const gnt_client *client, int64_t step,
                               const gnt_samples_sink *out) {
    gnt_status status = GNT_OK;
    (void)self, (void)step;
    for (int64_t i = 0; i < client->samples->n && status == GNT_OK; i++)
        status = put_plain(client->samples, i, out);
    return status;
}

/* Called for each local step. Optional: sets the step's learning rate; *rate is the task's. */
static gnt_status local_rate(void *self, const gnt_client *client, int64_t step, double *rate) {
    (void)self, (void)step;
    *rate = client->rate;
    return GNT_OK;
}

/* Called in place of the host's own computation, once per client and round. Optional: fills `update`, zeroed,
 * one tensor for each federated parameter, with a gradient (client->steps = 0) or with W_end − W_start. */
static gnt_status client_update(void *self, const gnt_client *client, gnt_tensors *update) {
    const skeleton *s = self;
    const gnt_model_service *model = s->host->model;
    float *rates = gnt_host_scratch(s->host, client->steps, sizeof *rates);
    const gnt_function_spec spec = {.size = sizeof spec,
                                    .kind = GNT_FN_UPDATE,
                                    .n = client->samples->n,
                                    .steps = client->steps,
                                    .batch = client->batch,
                                    .training = -1};
    const gnt_function_args args = {.size = sizeof args,
                                    .x = client->samples->x,
                                    .y = client->samples->y,
                                    .weights = client->weights,
                                    .buffers = client->buffers,
                                    .rates = rates};
    const gnt_views *out;
    if (!rates)
        return gnt_host_fail(s->host, "no memory for the learning rates");
    for (int32_t k = 0; k < client->steps; k++)
        rates[k] = (float)client->rate;
    gnt_function *f = model->prepare(model->context, &spec);
    if (!f || model->eval(model->context, f, &args, &out) != GNT_OK)
        return gnt_host_fail(s->host, gnt_host_last_error(s->host));
    for (int64_t t = 0; t < update->n; t++)
        memcpy(update->tensor[t].data, out->view[t].data, (size_t)update->tensor[t].count * sizeof(float));
    model->release(model->context, f);
    return GNT_OK;
}

/* Called with the client's update, once per client and round. Optional: changes it in place. */
static gnt_status transform_update(void *self, const gnt_client *client, gnt_tensors *update) {
    skeleton *s = self;
    double squares = 0;
    if (client->index >= CLIENTS)
        return gnt_host_fail(s->host, "there are more than 1000 clients; raise CLIENTS");
    for (int64_t t = 0; t < (s->where == FIRST ? 1 : update->n); t++) {
        gnt_tensor *one = &update->tensor[t];
        float *noise = gnt_host_scratch(s->host, one->count, sizeof *noise);
        if (!noise)
            return gnt_host_fail(s->host, "no memory for the noise of a tensor");
        if (gnt_host_should_stop(s->host))
            return GNT_STOPPED;
        gnt_host_normal(s->host, "noise", one->count, noise);
        for (int64_t i = 0; i < one->count; i++) {
            one->data[i] += (float)s->noise * noise[i];
            squares += s->noise * s->noise * (double)noise[i] * (double)noise[i];
        }
    }
    s->calls[1 + client->index]++;
    gnt_host_fact(s->host, "noise_squares", squares); /* in the results; no attack sees it */
    return GNT_OK;
}

/* Called on the server, once per round. Optional: fills `new_weights` from the updates. */
static gnt_status aggregate(void *self, const gnt_aggregate *in, float *new_weights) {
    skeleton *s = self;
    for (int64_t i = 0; i < in->n_params; i++) {
        double mean = 0;
        for (int64_t k = 0; k < in->n_clients; k++)
            mean += in->share[k] * (double)in->update[k][i];
        new_weights[i] = (float)((double)in->old_weights[i] + (in->is_gradient ? -in->rate : 1) * mean);
    }
    s->calls[0]++;
    return GNT_OK;
}

/* Called after the last hook of a client in a round; client −1 is the server. `save` and `load` need each
 * other. Writes the state that the client needs in the next round. */
static gnt_status save(void *self, int32_t client, const gnt_sink *out) {
    const skeleton *s = self;
    const int64_t dim[1] = {1};
    return client < CLIENTS ? out->tensor(out->context, "calls", 1, dim, &s->calls[1 + client]) : GNT_OK;
}

/* Called before the first hook of a client in a round, if a state was saved. Reads what `save` wrote. */
static gnt_status load(void *self, int32_t client, const gnt_artefacts *state) {
    skeleton *s = self;
    if (state->tensors.n != 1 || client >= CLIENTS)
        return gnt_host_fail(s->host, "the saved state does not have one tensor");
    s->calls[1 + client] = state->tensors.view[0].data[0];
    return GNT_OK;
}

/* Called with the samples on which utility is measured. Optional: puts one sample for each, in their order,
 * if the trained network expects encodings. There are no labels and no ids. */
static gnt_status encode_query(void *self, const gnt_client *client, int64_t draw,
                               const gnt_samples_sink *out) {
    gnt_status status = GNT_OK;
    (void)self, (void)draw;
    for (int64_t i = 0; i < client->samples->n && status == GNT_OK; i++)
        status = out->put(out->context, client->samples->x + i * client->samples->features, NULL, 0);
    return status;
}

static const gnt_defense hooks = {.size = sizeof hooks,
                                  .prepare = prepare,
                                  .contribute_size = contribute_size,
                                  .contribute = contribute,
                                  .receive_sum = receive_sum,
                                  .encode_set = encode_set,
                                  .encode_batch = encode_batch,
                                  .local_rate = local_rate,
                                  .client_update = client_update,
                                  .transform_update = transform_update,
                                  .aggregate = aggregate,
                                  .save = save,
                                  .load = load,
                                  .encode_query = encode_query};

static const char *const families[] = {GNT_FAMILY_NOISE, NULL};

static const gnt_descriptor descriptor = {
    /* id, version, what it does, licence (SPDX), citation ("" for none) */
    GNT_DEFENSE("skeleton", "1.0", "adds normal noise to updates, to show every hook", "MIT", ""),
    GNT_PARAMETERS(parameters),
    .scope = GNT_SCOPE_TASK,                 /* required with `prepare` */
    .surfaces = GNT_SURFACE_UPDATE,          /* required: where it changes what attackers see */
    .data_kinds = GNT_KIND_ANY,              /* required */
    .flags = GNT_FLAG_RANDOMISED,            /* required if it draws random numbers */
    .families = families,                    /* mechanisms, by which attacks know it */
    .defense = &hooks,                       /* required */
    .instance_size = GNT_INSTANCE(skeleton), /* required */
    .start = start,
    .stop = stop,
};

GNT_DEFINE_ENTRY(descriptor)
