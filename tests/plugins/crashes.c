/* crashes: defenses that are sound but for one hook, in which they crash: crash-HOOK for every hook that
 * there is, and for create and destroy. */
#include <stdlib.h>

#include "gauntlet/plugin.h"

static gnt_status crash(void) {
    abort();
}

static gnt_status prepare(void *self, const gnt_defense_prepare *in, const gnt_sink *out) {
    (void)self, (void)in, (void)out;
    return crash();
}

static int64_t contribute_size(void *self) {
    (void)self;
    return crash();
}

static int64_t one_entry(void *self) {
    (void)self;
    return 1;
}

static gnt_status contribute(void *self, const gnt_client *client, double *vector) {
    (void)self, (void)client, (void)vector;
    return crash();
}

static gnt_status give_one(void *self, const gnt_client *client, double *vector) {
    (void)self, (void)client;
    vector[0] = 1;
    return GNT_OK;
}

static gnt_status receive_sum(void *self, const double *sum, int64_t n) {
    (void)self, (void)sum, (void)n;
    return crash();
}

static gnt_status take_sum(void *self, const double *sum, int64_t n) {
    (void)self, (void)sum, (void)n;
    return GNT_OK;
}

static gnt_status encode(void *self, const gnt_client *client, int64_t when, const gnt_samples_sink *out) {
    (void)self, (void)client, (void)when, (void)out;
    return crash();
}

static gnt_status local_rate(void *self, const gnt_client *client, int64_t step, double *rate) {
    (void)self, (void)client, (void)step, (void)rate;
    return crash();
}

static gnt_status change_update(void *self, const gnt_client *client, gnt_tensors *update) {
    (void)self, (void)client, (void)update;
    return crash();
}

static gnt_status aggregate(void *self, const gnt_aggregate *in, float *new_weights) {
    (void)self, (void)in, (void)new_weights;
    return crash();
}

static gnt_status save(void *self, int32_t client, const gnt_sink *out) {
    (void)self, (void)client, (void)out;
    return crash();
}

static gnt_status save_one(void *self, int32_t client, const gnt_sink *out) {
    const int64_t one = 1;
    const float value = (float)client;
    (void)self;
    return out->tensor(out->context, "client", 1, &one, &value);
}

static gnt_status load(void *self, int32_t client, const gnt_artefacts *state) {
    (void)self, (void)client, (void)state;
    return crash();
}

static gnt_status load_nothing(void *self, int32_t client, const gnt_artefacts *state) {
    (void)self, (void)client, (void)state;
    return GNT_OK;
}

static void *create(const gnt_host *host, const gnt_value *values) {
    (void)host, (void)values;
    return malloc(1);
}

static void *crash_in_create(const gnt_host *host, const gnt_value *values) {
    (void)host, (void)values;
    abort();
}

static void crash_in_destroy(void *self) {
    (void)self;
    abort();
}

#define HOOKS .size = sizeof(gnt_defense)
static const gnt_defense none = {HOOKS}, prepares = {HOOKS, .prepare = prepare},
                         sizes = {HOOKS, .contribute_size = contribute_size, .contribute = give_one,
                                  .receive_sum = take_sum},
                         contributes = {HOOKS, .contribute_size = one_entry, .contribute = contribute,
                                        .receive_sum = take_sum},
                         receives = {HOOKS, .contribute_size = one_entry, .contribute = give_one,
                                     .receive_sum = receive_sum},
                         encodes_sets = {HOOKS, .encode_set = encode},
                         encodes_batches = {HOOKS, .encode_batch = encode},
                         encodes_queries = {HOOKS, .encode_query = encode},
                         rates = {HOOKS, .local_rate = local_rate},
                         takes_over = {HOOKS, .client_update = change_update},
                         transforms = {HOOKS, .transform_update = change_update},
                         aggregates = {HOOKS, .aggregate = aggregate},
                         saves = {HOOKS, .save = save, .load = load_nothing},
                         loads = {HOOKS, .save = save_one, .load = load};

#define DEFENSE(name, hooks, how, birth, death)                                                              \
    {                                                                                                        \
        .size = sizeof(gnt_descriptor), .kind = GNT_PLUGIN_DEFENSE, .id = "crash-" name, .version = "1.0",   \
        .line = "a test's defense that crashes in one hook", .licence = "MIT", .citation = "", .scope = how, \
        .surfaces = GNT_SURFACE_UPDATE, .data_kinds = GNT_KIND_ANY, .create = birth, .destroy = death,       \
        .defense = &hooks                                                                                    \
    }
#define CRASHES(name, hooks) DEFENSE(name, hooks, GNT_SCOPE_NONE, create, free)

static const gnt_descriptor descriptors[] = {
    DEFENSE("create", none, GNT_SCOPE_NONE, crash_in_create, free),
    DEFENSE("destroy", none, GNT_SCOPE_NONE, create, crash_in_destroy),
    DEFENSE("prepare", prepares, GNT_SCOPE_TASK, create, free),
    CRASHES("contribute-size", sizes),
    CRASHES("contribute", contributes),
    CRASHES("receive-sum", receives),
    CRASHES("encode-set", encodes_sets),
    CRASHES("encode-batch", encodes_batches),
    CRASHES("encode-query", encodes_queries),
    CRASHES("local-rate", rates),
    CRASHES("client-update", takes_over),
    CRASHES("transform-update", transforms),
    CRASHES("aggregate", aggregates),
    CRASHES("save", saves),
    CRASHES("load", loads),
};

static const gnt_descriptor *descriptor_at(int32_t index) {
    return index >= 0 && index < (int32_t)(sizeof descriptors / sizeof *descriptors) ? &descriptors[index]
                                                                                     : NULL;
}

GNT_EXPORT const gnt_entry *gauntlet_entry(void) {
    static const gnt_entry entry = {.magic = GNT_ABI_MAGIC,
                                    .size = sizeof entry,
                                    .abi_major = GNT_ABI_MAJOR,
                                    .abi_minor = GNT_ABI_MINOR,
                                    .pointer_size = sizeof(void *),
                                    .build = "",
                                    .n_plugins = sizeof descriptors / sizeof *descriptors,
                                    .descriptor = descriptor_at};
    return &entry;
}
