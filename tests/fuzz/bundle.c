/* Bundles that jobs hand to each other: samples, artefacts, trained weights, what clients hold, carried
 * state. Input: metadata, a line "%%", tensors as work.h describes them. */
#include "job/work/defense_state.h"
#include "job/work/sampleset.h"
#include "work.h"

static void read_samples(const gnt_st *st, gnt_region region) {
    gnt_sampleset s;
    gnt_err err = {0};
    if (!fuzz_ok(gnt_samples_unpack(&s, st, "input", &err), &err))
        return;
    const gnt_samples *v = &s.view;
    for (int64_t i = 0; i < v->n * v->features; i++)
        MUST(isfinite(v->x[i]));
    for (int64_t i = 0; i < v->n; i++)
        MUST(s.label[i] >= 0 && s.label[i] < v->classes);
    for (int64_t i = 0; i < v->n * v->classes; i++)
        MUST((s.y[i] == 0 || s.y[i] == 1) && (!v->mask || v->mask[i] <= 1));
    MUST(!s.has_maps == !v->mask);
    int64_t groups = 0;
    for (int64_t i = 0; s.group && i < v->n; i++)
        groups += s.group[i];
    MUST(groups >= (int64_t)INT32_MIN * v->n);
    fuzz_ok(gnt_samples_mark(&s, &region, &err), &err);
    gnt_sampleset_free(&s);
}

static void read_weights(const gnt_st *st) {
    gnt_err err = {0};
    float *weights, *buffers, given[FUZZ_WEIGHTS];
    fuzz_ok(gnt_model_import(fuzz_model()->model, st, given, NULL, &err), &err);
    if (fuzz_ok(gnt_work_weights(st, fuzz_model()->model, 2, &weights, &buffers, &err), &err)) {
        gnt_free(weights);
        gnt_free(buffers);
    }
}

static void read_holdings(const gnt_st *st) {
    for (int32_t client = GNT_STATE_AVERAGE; client < 4; client++) {
        gnt_fl_holding holding = {0, 0};
        if (gnt_state_holding(&holding, st, client))
            MUST(holding.samples >= 0 && holding.labels >= 0);
    }
    gnt_state_first(st, "sum", GNT_ST_F64, 1);
}

static gnt_status load(void *self, int32_t client, const gnt_artefacts *state) {
    double sum = 0;
    (void)self, (void)client;
    for (int64_t i = 0; i < state->tensors.n; i++)
        for (int64_t k = 0; k < state->tensors.view[i].count; k++)
            sum += (double)state->tensors.view[i].data[k];
    for (int64_t i = 0; i < state->n_blobs; i++)
        for (int64_t k = 0; k < state->blob[i].count; k++)
            sum += state->blob[i].data[k];
    return isnan(sum) ? GNT_FAILED : GNT_OK;
}

static gnt_status receive_sum(void *self, const double *sum, int64_t n) {
    double all = 0;
    (void)self;
    for (int64_t i = 0; i < n; i++)
        all += sum[i];
    return isnan(all) ? GNT_FAILED : GNT_OK;
}

static void begin(void *owner, const char *hook) {
    (void)owner, (void)hook;
}

static int done(void *owner, gnt_status status, gnt_err *err) {
    (void)owner;
    return status == GNT_OK ? 0 : gnt_fail(err, "it failed");
}

static void read_carried(const gnt_st *st) {
    static const gnt_defense hooks = {.size = sizeof hooks, .load = load, .receive_sum = receive_sum};
    gnt_member member = {.hooks = &hooks, .begin = begin, .done = done};
    const gnt_chain chain = {.member = &member, .n = 1, .n_params = FUZZ_WEIGHTS};
    gnt_err err = {0};
    fuzz_ok(gnt_state_load_sums(&chain, st, &err), &err);
    for (int32_t k = -1; k < 2; k++)
        fuzz_ok(gnt_state_load(&chain, st, 2, k, &err), &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const names[] = {"x",         "label",         "a",
                                        "weights.#", "buffers.#",     "sum.#",
                                        "holdings",  "state.2.0.0.w", "state.2.0.-1.b",
                                        "a.weight",  "a.bias",        "b.weight",
                                        "b.bias",    "group",         "map",
                                        "mask"};
    static const gnt_region region = {1, 0, 1, 2};
    fuzz_bytes all = {data, size};
    gnt_st st;
    gnt_artefact_set artefacts;
    gnt_err err = {0};
    gnt_st_init(&st);
    fuzz_metadata(&st, &all);
    fuzz_tensors(&st, &all, names, sizeof names / sizeof *names);
    read_samples(&st, region);
    read_weights(&st);
    read_holdings(&st);
    read_carried(&st);
    if (fuzz_ok(gnt_artefact_set_from(&artefacts, &st, &err), &err)) {
        load(NULL, 0, &artefacts.view);
        gnt_artefact_set_free(&artefacts);
    }
    gnt_st_free(&st);
    return 0;
}
