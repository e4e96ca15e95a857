/* The hooks of a defense in the order of a run: their inputs, and the outputs that later hooks need. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "fl/secure_sum.h"
#include "plugin/info.h"
#include "vet/hook_sequence_impl.h"

enum { MOST_GROWTH = 64 }; /* most encodings of one sample, as in a run */

static const gnt_defense *defense(const gnt_vet_sequence *t) {
    return gnt_instance_defense(t->instance);
}

static void *self(const gnt_vet_sequence *t) {
    return gnt_instance_self(t->instance);
}

static gnt_client *client(const gnt_vet_sequence *t) {
    return t->setting.client[t->index];
}

static void prepare_defense(gnt_vet_sequence *t) {
    gnt_sink sink = gnt_sink_into(&t->prepared);
    t->status = defense(t)->prepare(self(t), t->setting.defense_prepare, &sink);
}

static void contribute_size(gnt_vet_sequence *t) {
    t->sum_size = defense(t)->contribute_size(self(t));
    t->status = GNT_OK;
}

static int after_contribute_size(gnt_vet_sequence *t) {
    const int64_t n = t->sum_size;
    gnt_hasher_u64(&t->digest, (uint64_t)n);
    t->sum_size = 0;
    if (n < 1 || n > GNT_SUM_MOST_ENTRIES) {
        gnt_fail(&t->result->wrong, "it requests %lld entries, expected 1 to %d", (long long)n,
                 GNT_SUM_MOST_ENTRIES);
        return 0;
    }
    int bad = 0;
    for (int k = 0; k < GNT_VET_CLIENTS; k++) {
        t->contribution[k] = gnt_vet_output(&t->setting, "vector", n, sizeof *t->contribution[k]);
        bad |= !t->contribution[k];
    }
    t->sum = gnt_guard_put(t->setting.guard, "sum", NULL, (size_t)n * sizeof *t->sum);
    gnt_guard_save(t->setting.guard);
    t->sum_size = n;
    return !bad && t->sum ? 0 : gnt_fail(t->err, "out of memory for a secure sum");
}

static void contribute(gnt_vet_sequence *t) {
    t->status = GNT_OK;
    if (!t->sum_size)
        return;
    gnt_client c = *client(t);
    c.public_data = NULL; /* as in a run */
    t->status = defense(t)->contribute(self(t), &c, t->contribution[t->index]);
}

static int after_contribute(gnt_vet_sequence *t) {
    gnt_vet_digest_doubles(t, "the contribution", t->contribution[t->index], t->sum_size);
    return 0;
}

static int before_receive_sum(gnt_vet_sequence *t) {
    for (int64_t i = 0; i < t->sum_size; i++)
        for (int k = 0; k < GNT_VET_CLIENTS; k++)
            t->sum[i] = (k ? t->sum[i] : 0) + t->contribution[k][i];
    return 0;
}

static void receive_sum(gnt_vet_sequence *t) {
    t->status = t->sum_size ? defense(t)->receive_sum(self(t), t->sum, t->sum_size) : GNT_OK;
}

static gnt_status put_sample(void *context, const float *x, const float *y, int64_t source_id) {
    gnt_vet_sequence *t = context;
    const gnt_samples *from = client(t)->samples;
    if (++t->n_outputs > from->n * MOST_GROWTH) {
        gnt_fail(&t->result->wrong, "it gave more than %lld samples", (long long)(from->n * MOST_GROWTH));
        return GNT_FAILED;
    }
    gnt_vet_digest_floats(t, "x of an encoded sample", x, from->features);
    gnt_vet_digest_floats(t, "y of an encoded sample", y, from->classes);
    gnt_hasher_u64(&t->digest, (uint64_t)source_id);
    return GNT_OK;
}

static gnt_status put_mixed(void *context, int64_t n, const int64_t *source_id, const double *weight) {
    gnt_vet_sequence *t = context;
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(weight[i]) || weight[i] < 0 || source_id[i] < 0 ||
            source_id[i] >= client(t)->samples->n)
            gnt_fail(&t->result->wrong, "it reports weight %g of sample %lld in an encoding", weight[i],
                     (long long)source_id[i]);
    gnt_hasher_bytes(&t->digest, weight, (size_t)n * sizeof *weight);
    gnt_hasher_bytes(&t->digest, source_id, (size_t)n * sizeof *source_id);
    return GNT_OK;
}

static void encode_set(gnt_vet_sequence *t) {
    gnt_samples_sink sink = {.size = sizeof sink, .context = t, .put = put_sample, .mixed = put_mixed};
    t->status = defense(t)->encode_set(self(t), client(t), 0, &sink);
}

static void encode_batch(gnt_vet_sequence *t) {
    gnt_samples_sink sink = {.size = sizeof sink, .context = t, .put = put_sample, .mixed = put_mixed};
    t->status = defense(t)->encode_batch(self(t), client(t), 0, &sink);
}

/* Takes one encoded query; its label and id are ignored, since queries have none. */
static gnt_status put_query_sample(void *context, const float *x, const float *y, int64_t source_id) {
    gnt_vet_sequence *t = context;
    (void)y, (void)source_id;
    t->n_outputs++;
    gnt_vet_digest_floats(t, "x of an encoded sample", x, client(t)->samples->features);
    return GNT_OK;
}

static void encode_query(gnt_vet_sequence *t) {
    gnt_samples_sink sink = {.size = sizeof sink, .context = t, .put = put_query_sample};
    t->status = defense(t)->encode_query(self(t), t->setting.query[t->index], 0, &sink);
}

static int after_query(gnt_vet_sequence *t) {
    if (t->n_outputs != client(t)->samples->n)
        gnt_fail(&t->result->wrong, "it made %lld samples from a query of %lld", (long long)t->n_outputs,
                 (long long)client(t)->samples->n);
    return 0;
}

static int after_encode(gnt_vet_sequence *t) {
    if (t->n_outputs == 0)
        gnt_fail(&t->result->wrong, "it encoded %lld samples to none", (long long)client(t)->samples->n);
    return 0;
}

static int before_rate(gnt_vet_sequence *t) {
    *t->rate = client(t)->rate;
    return 0;
}

static void local_rate(gnt_vet_sequence *t) {
    t->status = defense(t)->local_rate(self(t), client(t), 0, t->rate);
}

static int after_rate(gnt_vet_sequence *t) {
    gnt_vet_digest_doubles(t, "the learning rate", t->rate, 1);
    return 0;
}

/* Returns the client as a hook finds it that may change what is sent of running statistics, which are
 * zeros or differences of either sign. */
static gnt_client sender(gnt_vet_sequence *t, float scale) {
    gnt_client c = *client(t);
    int64_t at = 0;
    t->statistics.n = t->n_statistics;
    for (int64_t k = 0; k < t->statistics.n; k++)
        for (int64_t i = 0; i < t->statistics.tensor[k].count; i++, at++)
            t->statistics.tensor[k].data[i] = scale * (float)(at % 5 - 2 + t->index);
    c.sent_buffers = gnt_vet_config(&t->setting).training_stats && t->n_statistics ? &t->statistics : NULL;
    return c;
}

/* Sets the update to the values of a flat one, or to zeros (NULL). */
static int fill_update(gnt_vet_sequence *t, const float *flat) {
    for (int64_t k = 0; k < t->update.n; k++) {
        const gnt_tensor *one = &t->update.tensor[k];
        const size_t bytes = (size_t)one->count * sizeof *one->data;
        if (flat)
            memcpy(one->data, flat, bytes);
        else
            memset(one->data, 0, bytes);
        flat += flat ? one->count : 0;
    }
    return 0;
}

static int before_client_update(gnt_vet_sequence *t) {
    return fill_update(t, NULL);
}

static void client_update(gnt_vet_sequence *t) {
    const gnt_client c = sender(t, 0);
    t->status = defense(t)->client_update(self(t), &c, &t->update);
}

static int before_transform(gnt_vet_sequence *t) {
    return fill_update(t, t->setting.update[t->index]);
}

static void transform_update(gnt_vet_sequence *t) {
    const gnt_client c = sender(t, 0.01f);
    t->status = defense(t)->transform_update(self(t), &c, &t->update);
}

static int after_update(gnt_vet_sequence *t) {
    for (int64_t i = 0; i < t->update.n; i++)
        gnt_vet_digest_floats(t, t->update.tensor[i].name, t->update.tensor[i].data,
                              t->update.tensor[i].count);
    if (t->statistics.n != 0 && t->statistics.n != t->n_statistics) {
        gnt_fail(&t->result->wrong, "it left %lld tensors in sent_buffers, expected %lld, or 0 to send none",
                 (long long)t->statistics.n, (long long)t->n_statistics);
        return 0;
    }
    for (int64_t i = 0; i < t->statistics.n; i++)
        gnt_vet_digest_floats(t, t->statistics.tensor[i].name, t->statistics.tensor[i].data,
                              t->statistics.tensor[i].count);
    return 0;
}

static void aggregate(gnt_vet_sequence *t) {
    t->status = defense(t)->aggregate(self(t), t->setting.aggregate, t->new_weights);
}

static int before_aggregate(gnt_vet_sequence *t) {
    memcpy(t->new_weights, t->setting.weights,
           (size_t)gnt_model_size(t->setting.model.model) * sizeof *t->new_weights);
    if (t->setting.new_buffers)
        memcpy(t->setting.new_buffers, t->setting.buffers,
               (size_t)gnt_model_buffer_size(t->setting.model.model) * sizeof *t->setting.new_buffers);
    return 0;
}

static int after_aggregate(gnt_vet_sequence *t) {
    gnt_vet_digest_floats(t, "the new weights", t->new_weights, gnt_model_size(t->setting.model.model));
    if (t->setting.new_buffers)
        gnt_vet_digest_floats(t, "the new statistics", t->setting.new_buffers,
                              gnt_model_buffer_size(t->setting.model.model));
    return 0;
}

/* Returns the state of a client; t->index is −1 for the server. */
static gnt_st *state(gnt_vet_sequence *t) {
    return &t->state[t->index + 1];
}

static int before_save(gnt_vet_sequence *t) {
    gnt_st_free(state(t));
    gnt_st_init(state(t));
    return 0;
}

static void save(gnt_vet_sequence *t) {
    gnt_sink sink = gnt_sink_into(state(t));
    t->status = defense(t)->save(self(t), t->index, &sink);
}

static int after_save(gnt_vet_sequence *t) {
    gnt_vet_digest_bundle(t, state(t));
    return 0;
}

static int before_load(gnt_vet_sequence *t) {
    t->artefacts = gnt_vet_guard_bundle(t, "state", state(t), t->err);
    return t->artefacts ? 0 : -1;
}

static void load(gnt_vet_sequence *t) {
    t->status = defense(t)->load(self(t), t->index, t->artefacts);
}

static int same_bundle(const gnt_st *a, const gnt_st *b) {
    int same = a->n == b->n;
    for (size_t i = 0; same && i < a->n; i++) {
        const gnt_st_tensor *x = &a->tensor[i], *y = gnt_st_find(b, x->name);
        same = y && x->type == y->type && x->bytes == y->bytes && memcmp(x->data, y->data, x->bytes) == 0;
    }
    return same;
}

static void save_again(gnt_vet_sequence *t) {
    gnt_st again;
    gnt_st_init(&again);
    gnt_sink sink = gnt_sink_into(&again);
    t->status = defense(t)->save(self(t), t->index, &sink);
    if (t->status == GNT_OK && !same_bundle(state(t), &again))
        gnt_fail(&t->result->wrong, "it saves a different state than it just loaded");
    gnt_st_free(&again);
}

#define OF_CLIENT(h, who, bit, before, call, after)                                                          \
    { #h " of client " #who, #h, bit, who, 0, before, call, after }
#define IN_ROUND(h, who, bit, before, call, after)                                                           \
    { #h " of client " #who, #h, bit, who, 1, before, call, after }
#define CLIENT(who)                                                                                          \
    IN_ROUND(encode_set, who, GNT_HOOK_ENCODE_SET, NULL, encode_set, after_encode),                          \
        IN_ROUND(local_rate, who, GNT_HOOK_LOCAL_RATE, before_rate, local_rate, after_rate),                 \
        IN_ROUND(encode_batch, who, GNT_HOOK_ENCODE_BATCH, NULL, encode_batch, after_encode),                \
        IN_ROUND(encode_query, who, GNT_HOOK_ENCODE_QUERY, NULL, encode_query, after_query),                 \
        IN_ROUND(client_update, who, GNT_HOOK_CLIENT_UPDATE, before_client_update, client_update,            \
                 after_update),                                                                              \
        IN_ROUND(transform_update, who, GNT_HOOK_TRANSFORM_UPDATE, before_transform, transform_update,       \
                 after_update),                                                                              \
        IN_ROUND(save, who, GNT_HOOK_STATE, before_save, save, after_save)

const gnt_vet_step gnt_vet_defense_steps[] = {
    {"create", "create", 0, 0, 0, gnt_vet_before_create, gnt_vet_create, NULL},
    {"prepare", "prepare", GNT_HOOK_PREPARE, 0, 0, gnt_vet_before_prepare, prepare_defense,
     gnt_vet_after_prepare},
    {"create after prepare", "create", GNT_HOOK_PREPARE, 0, 0, gnt_vet_before_create, gnt_vet_create, NULL},
    {"contribute_size", "contribute_size", GNT_HOOK_CONTRIBUTE, 0, 0, NULL, contribute_size,
     after_contribute_size},
    OF_CLIENT(contribute, 0, GNT_HOOK_CONTRIBUTE, NULL, contribute, after_contribute),
    OF_CLIENT(contribute, 1, GNT_HOOK_CONTRIBUTE, NULL, contribute, after_contribute),
    {"receive_sum", "receive_sum", GNT_HOOK_CONTRIBUTE, 0, 0, before_receive_sum, receive_sum, NULL},
    CLIENT(0),
    CLIENT(1),
    {"aggregate", "aggregate", GNT_HOOK_AGGREGATE, 0, 0, before_aggregate, aggregate, after_aggregate},
    {"save of the server", "save", GNT_HOOK_STATE, -1, 0, before_save, save, after_save},
    {"create before load", "create", GNT_HOOK_STATE, 0, 0, gnt_vet_before_create, gnt_vet_create, NULL},
    {"load of the server", "load", GNT_HOOK_STATE, -1, 0, before_load, load, NULL},
    OF_CLIENT(load, 0, GNT_HOOK_STATE, before_load, load, NULL),
    OF_CLIENT(load, 1, GNT_HOOK_STATE, before_load, load, NULL),
    {"save of the server after load", "save", GNT_HOOK_STATE, -1, 0, NULL, save_again, NULL},
    {"save of client 1 after load", "save", GNT_HOOK_STATE, 1, 0, NULL, save_again, NULL},
    {"transform_update of client 1 after load", "transform_update",
     GNT_HOOK_STATE | GNT_HOOK_TRANSFORM_UPDATE, 1, 0, before_transform, transform_update, after_update},
};
const int gnt_vet_defense_count = sizeof gnt_vet_defense_steps / sizeof *gnt_vet_defense_steps;
