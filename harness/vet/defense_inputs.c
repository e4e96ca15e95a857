/* Inputs of a defense's hooks: clients with their samples, queries, an aggregation. */
#include "base/mem.h"
#include "vet/samples.h"
#include "vet/setting_impl.h"

static gnt_client *put_query(gnt_vet_setting *s, const gnt_client *client) {
    gnt_samples samples = *client->samples;
    gnt_client query = *client;
    samples.y = NULL;
    samples.id = NULL;
    samples.a = NULL;
    samples.mask = NULL;
    query.index = -1;
    query.samples = gnt_guard_put(s->guard, "the query's samples", &samples, sizeof samples);
    return query.samples ? gnt_guard_put(s->guard, "client", &query, sizeof query) : NULL;
}

static int make_clients(gnt_vet_setting *s, const gnt_samples *own, gnt_err *err) {
    gnt_fl_config c = gnt_vet_config(s);
    size_t size = (size_t)gnt_model_size(s->model.model) * sizeof(float);
    for (int32_t k = 0; k < GNT_VET_CLIENTS; k++) {
        gnt_samples part = gnt_samples_part(own, k * s->spec.batch, s->spec.batch);
        gnt_samples *samples = gnt_vet_put_samples(s, "samples", &part);
        s->update[k] = gnt_guard_put(s->guard, "update", NULL, size);
        if (!samples || !s->update[k])
            return gnt_fail(err, "out of memory for a client");
        if (gnt_vet_share(s, samples, s->update[k], NULL, err) != 0)
            return -1;
        gnt_client client = {.size = sizeof client,
                             .index = k,
                             .n_clients = c.clients,
                             .n_samples = part.n,
                             .n_labels = s->spec.map             ? 0
                                         : part.n < part.classes ? part.n
                                                                 : part.classes,
                             .rate = c.rate,
                             .steps = c.steps,
                             .batch = c.batch,
                             .samples = samples,
                             .weights = s->weights,
                             .buffers = s->buffers,
                             .public_data = s->public_data,
                             .rounds = c.rounds,
                             .per_round = gnt_fl_per_round(&c)};
        s->client[k] = gnt_guard_put(s->guard, "client", &client, sizeof client);
        s->query[k] = put_query(s, &client);
        if (!s->client[k] || !s->query[k])
            return gnt_fail(err, "out of memory for a client");
    }
    return 0;
}

/* Adds the network's statistics before the round and those of each client; the hook writes new_buffers. */
static int add_buffers(gnt_vet_setting *s, gnt_aggregate *all, gnt_err *err) {
    const int64_t n = gnt_model_buffer_size(s->model.model);
    const float *of_client[GNT_VET_CLIENTS];
    if (n == 0)
        return 0;
    for (int k = 0; k < GNT_VET_CLIENTS; k++)
        of_client[k] = gnt_guard_put(s->guard, "statistics", s->buffers, (size_t)n * sizeof(float));
    all->client_buffers = gnt_guard_put(s->guard, "statistics", of_client, sizeof of_client);
    all->buffers = s->buffers;
    all->n_buffers = n;
    s->new_buffers = gnt_vet_output(s, "new_buffers", n, sizeof *s->new_buffers);
    all->new_buffers = s->new_buffers;
    return s->new_buffers ? 0 : gnt_fail(err, "out of memory for a defense's input");
}

int gnt_vet_make_defense_inputs(gnt_vet_setting *s, const gnt_samples *own, gnt_err *err) {
    static const int32_t clients[GNT_VET_CLIENTS] = {0, 1};
    const int64_t samples[GNT_VET_CLIENTS] = {s->spec.batch, 3 * s->spec.batch};
    static const double shares[GNT_VET_CLIENTS] = {0.25, 0.75};
    gnt_fl_config c = gnt_vet_config(s);
    if (make_clients(s, own, err) != 0)
        return -1;
    const gnt_defense_prepare prepare = gnt_vet_prepare_input(s);
    s->defense_prepare = gnt_guard_put(s->guard, "prepare's input", &prepare, sizeof prepare);
    gnt_aggregate all = {.size = sizeof all,
                         .n_clients = GNT_VET_CLIENTS,
                         .n_params = gnt_model_size(s->model.model),
                         .old_weights = s->weights,
                         .update = gnt_guard_put(s->guard, "update", s->update, sizeof s->update),
                         .share = gnt_guard_put(s->guard, "share", shares, sizeof shares),
                         .rate = c.rate,
                         .is_gradient = c.steps == 0,
                         .public_data = s->public_data,
                         .client = gnt_guard_put(s->guard, "client", clients, sizeof clients),
                         .samples = gnt_guard_put(s->guard, "numbers of samples", samples, sizeof samples)};
    if (add_buffers(s, &all, err) != 0)
        return -1;
    s->aggregate = gnt_guard_put(s->guard, "aggregate's input", &all, sizeof all);
    return gnt_guard_full(s->guard) ? gnt_fail(err, "out of memory for a defense's input") : 0;
}
