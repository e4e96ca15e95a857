/* What a defense hands over: encodings, rates, updates, aggregates, artefacts, state and contributions to a
 * secure sum of a plugin that says whatever the bytes say. Input: a byte that chooses the hook, then values.
 */
#include "fl/defense_chain.h"
#include "job/work/defense_state.h"
#include "work.h"

enum { CLIENTS = 2, SAMPLES = 3, PARAMS = 8 };

static fuzz_bytes script; /* what the plugin of this input says */

static gnt_status status(void) {
    return script.left ? (gnt_status)fuzz_whole(&script) : GNT_OK;
}

static gnt_status encode(void *self, const gnt_client *client, int64_t when, const gnt_samples_sink *out) {
    float x[FUZZ_FEATURES], y[FUZZ_CLASSES];
    int64_t id[4];
    double weight[4];
    (void)self, (void)client, (void)when;
    for (int calls = 0; script.left > 2 && calls < 300; calls++) {
        const uint8_t what = fuzz_byte(&script);
        if (!(what & 12))
            break;
        const float value = (float)fuzz_value(&script);
        for (size_t i = 0; i < FUZZ_FEATURES; i++)
            x[i] = value;
        for (size_t i = 0; i < FUZZ_CLASSES; i++)
            y[i] = value;
        for (size_t i = 0; i < 4; i++) {
            id[i] = what & 1 ? fuzz_whole(&script) : (int64_t)i % SAMPLES;
            weight[i] = what & 2 ? fuzz_value(&script) : 0.5;
        }
        if (what & 4)
            out->put(out->context, x, y, id[0]);
        if (out->mixed && what & 8)
            out->mixed(out->context, (what >> 4) % 5, id, weight);
    }
    return status();
}

static gnt_status local_rate(void *self, const gnt_client *client, int64_t step, double *rate) {
    (void)self, (void)client, (void)step;
    *rate = fuzz_value(&script);
    return status();
}

static gnt_status update(void *self, const gnt_client *client, gnt_tensors *t) {
    (void)self, (void)client;
    for (int64_t i = 0; i < t->n; i++)
        fuzz_fill(t->tensor[i].data, GNT_ST_F32, (size_t)t->tensor[i].count, &script);
    return status();
}

static gnt_status aggregate(void *self, const gnt_aggregate *in, float *weights) {
    (void)self, (void)in;
    fuzz_fill(weights, GNT_ST_F32, PARAMS, &script);
    return status();
}

static gnt_status save(void *self, int32_t client, const gnt_sink *out) {
    static const char *const names[] = {"w", "a b", "w", "", "__metadata__", "a\nb", "\xff", NULL};
    static const float zeros[256];
    (void)self, (void)client;
    for (int calls = 0; script.left > 4 && calls < 20; calls++) {
        const uint8_t what = fuzz_byte(&script);
        if (what & 32)
            break;
        const int32_t rank = fuzz_byte(&script) % 12 - 1;
        int64_t dim[12], n = 1;
        for (int i = 0; i < 12; i++) {
            dim[i] = i < rank ? fuzz_whole(&script) : 1;
            n = dim[i] < 0 || dim[i] > 256 || n > 256 ? 257 : n * dim[i];
        }
        if (what & 8)
            out->blob(out->context, names[what % 8], (const uint8_t *)zeros, dim[0] > 256 ? -dim[0] : dim[0]);
        else if (n <= 256 || what & 16)
            out->tensor(out->context, names[what % 8], rank, dim, n <= 256 ? zeros : NULL);
    }
    return status();
}

static int64_t contribute_size(void *self) {
    (void)self;
    return fuzz_whole(&script);
}

static gnt_status contribute(void *self, const gnt_client *client, double *value) {
    (void)self, (void)client;
    value[0] = fuzz_value(&script);
    return status();
}

static gnt_status receive_sum(void *self, const double *sum, int64_t n) {
    (void)self;
    for (int64_t i = 0; i < n; i++)
        MUST(isfinite(sum[i]));
    return status();
}

static void begin(void *owner, const char *hook) {
    (void)owner, (void)hook;
}

static int done(void *owner, gnt_status said, gnt_err *err) {
    (void)owner;
    return said == GNT_OK ? 0 : gnt_fail(err, "it failed");
}

static void run_encode(const gnt_chain *chain, int how, const gnt_samples *samples) {
    static const float weights[PARAMS];
    gnt_client client = {.size = sizeof client, .n_clients = CLIENTS, .weights = weights};
    gnt_mixture made_of = {0};
    gnt_batch b;
    gnt_err err = {0};
    gnt_batch_borrow(&b, samples);
    if (how < 2) { /* queries have no claims of what they are made of */
        b.made_of = &made_of;
        MUST(gnt_mixture_identity(&made_of, samples->n, &err) == 0);
    }
    if (fuzz_ok(how == 0   ? gnt_chain_encode_set(chain, &client, 0, &b, &err)
                : how == 1 ? gnt_chain_encode_batch(chain, &client, 0, &b, &err)
                           : gnt_chain_encode_query(chain, &client, 0, &b, &err),
                &err)) {
        MUST(b.view.n >= 1 && (how == 2 || made_of.rows == b.view.n));
        for (int64_t i = 0; i < b.view.n * b.view.features; i++)
            MUST(isfinite(b.view.x[i]));
        for (int64_t i = 0; i < made_of.rows * made_of.originals; i++)
            MUST(made_of.weight[i] >= 0);
    }
    gnt_batch_free(&b);
    gnt_mixture_free(&made_of);
}

static void run_update(const gnt_chain *chain, int how) {
    static const float weights[PARAMS];
    float values[PARAMS] = {0};
    double rate = 0.1;
    int took = 0;
    gnt_tensor tensor = {.name = "w", .rank = 1, .dim = {PARAMS}, .count = PARAMS, .data = values};
    gnt_tensors list = {1, &tensor};
    gnt_client client = {.size = sizeof client, .n_clients = CLIENTS, .weights = weights};
    gnt_aggregate in = {.size = sizeof in, .n_params = PARAMS, .old_weights = weights};
    gnt_err err = {0};
    const int rc = how == 0   ? gnt_chain_client_update(chain, &client, &list, &took, &err)
                   : how == 1 ? gnt_chain_transform(chain, &client, &list, &err)
                   : how == 2 ? gnt_chain_local_rate(chain, &client, 0, &rate, &err)
                              : gnt_chain_aggregate(chain, &in, values, &took, &err);
    if (fuzz_ok(rc, &err))
        for (int i = 0; i < PARAMS; i++)
            MUST(isfinite(values[i]) && isfinite(rate));
}

static void run_carry(const gnt_chain *chain, int saves) {
    static const float weights[PARAMS];
    static int64_t start[CLIENTS + 1] = {0, 1, 3}, dim[2] = {CLIENTS, 2};
    static uint32_t row[] = {0, 1, 2};
    static const int64_t holdings[2 * CLIENTS] = {1, 1, 2, 2};
    const gnt_partition part = {CLIENTS, start, row};
    const gnt_fl_config config = {.clients = CLIENTS, .rate = 0.1, .participation = 1};
    const gnt_key key = gnt_key_of_seed(1);
    gnt_st out, truth, samples;
    gnt_sampleset set;
    gnt_err err = {0};
    gnt_st_init(&out);
    gnt_st_init(&truth);
    gnt_st_init(&samples);
    fuzz_samples(&samples, SAMPLES);
    MUST(gnt_samples_unpack(&set, &samples, "samples", &err) == 0);
    MUST(gnt_st_add(&out, "holdings", GNT_ST_I64, 2, dim, holdings, NULL, &err) == 0);
    const gnt_state_sum_spec sum = {.chain = chain,
                                    .trained = &out,
                                    .samples = &set,
                                    .part = &part,
                                    .config = &config,
                                    .weights = weights};
    for (int32_t k = -1; saves && k < CLIENTS; k++)
        fuzz_ok(gnt_state_save(chain, 1, k, &out, &err), &err);
    if (!saves)
        fuzz_ok(gnt_state_sums(&sum, &key, &out, &truth, &err), &err);
    fuzz_write(NULL, "carried", &out, &err);
    gnt_sampleset_free(&set);
    gnt_st_free(&samples);
    gnt_st_free(&out);
    gnt_st_free(&truth);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const gnt_defense hooks[] = {{.size = sizeof *hooks, .encode_set = encode},
                                        {.size = sizeof *hooks, .encode_batch = encode},
                                        {.size = sizeof *hooks, .encode_query = encode},
                                        {.size = sizeof *hooks, .client_update = update},
                                        {.size = sizeof *hooks, .transform_update = update},
                                        {.size = sizeof *hooks, .local_rate = local_rate},
                                        {.size = sizeof *hooks, .aggregate = aggregate},
                                        {.size = sizeof *hooks, .save = save},
                                        {.size = sizeof *hooks,
                                         .contribute_size = contribute_size,
                                         .contribute = contribute,
                                         .receive_sum = receive_sum}};
    script = (fuzz_bytes){data, size};
    static const gnt_region region = {1, 0, 2, 3};
    const uint8_t choice = fuzz_byte(&script);
    const size_t which = (choice & 127) % (sizeof hooks / sizeof *hooks);
    gnt_member member[2] = {{.hooks = &hooks[which], .begin = begin, .done = done, .id = "says"},
                            {.hooks = &hooks[which], .begin = begin, .done = done, .id = "says again"}};
    gnt_chain chain = {.member = member, .n = which < 3 ? 2 : 1, .n_params = PARAMS};
    if (which < 3) {
        gnt_st st;
        gnt_sampleset s;
        gnt_err err = {0};
        gnt_st_init(&st);
        fuzz_samples(&st, SAMPLES);
        MUST(gnt_samples_unpack(&s, &st, "samples", &err) == 0);
        if (choice & 128)
            MUST(gnt_samples_mark(&s, &region, &err) == 0);
        run_encode(&chain, (int)which, &s.view);
        gnt_sampleset_free(&s);
        gnt_st_free(&st);
    } else if (which < 7)
        run_update(&chain, (int)which - 3);
    else
        run_carry(&chain, which == 7);
    return 0;
}
