/* Which clients take part in a round, what hooks of clients and of the server know of it, and that the
 * server's statistics are those that an aggregation leaves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "must_work.h"
#include "sides.h"

enum { MOST = 64 };

static gnt_model *model;
static gnt_sampleset data;

static int open_all(void **state) {
    const gnt_nn_shape sample = {3, {1, 4, 4}};
    gnt_st st;
    (void)state;
    gnt_st_init(&st);
    fuzz_samples(&st, 24);
    MUST_WORK(gnt_samples_unpack(&data, &st, "samples", err));
    gnt_st_free(&st);
    MUST_WORK(gnt_model_parse(&model, "small", sides_model_json, &sample, FUZZ_CLASSES, NULL, NULL, err));
    return 0;
}

static int close_all(void **state) {
    (void)state;
    gnt_sampleset_free(&data);
    gnt_model_free(model);
    return 0;
}

static void begin(void *owner, const char *hook) {
    (void)owner, (void)hook;
}

static int done(void *owner, gnt_status status, gnt_err *err) {
    (void)owner;
    return status == GNT_OK ? 0 : gnt_fail(err, "the hook failed with %d", status);
}

static int keep_going(void *context) {
    (void)context;
    return 0;
}

/* ---- who takes part ---- */

/* 0, 1, 2, 0, 1 … rows: every third client holds nothing. */
static void deal(int64_t *start, int32_t clients) {
    start[0] = 0;
    for (int32_t k = 0; k < clients; k++)
        start[k + 1] = start[k] + k % 3;
}

/* 20 of 30 have rows, and a half of 30 takes part: 15. Each does equally often: χ² with 19 degrees of
 * freedom, of (o − e)²/(e·(1 − 15/20)), beyond 43.8 in one of a thousand. */
static void those_take_part_who_hold_something(void **state) {
    enum { CLIENTS = 30, HOLDERS = 20, PART = 15, ROUNDS = 500 };
    (void)state;
    int64_t start[CLIENTS + 1];
    uint32_t chosen[CLIENTS], before[CLIENTS] = {0};
    double times[CLIENTS] = {0}, chi = 0;
    int changes = 0;
    gnt_fl *fl;
    const gnt_key key = gnt_key_of_seed(4);
    const gnt_chain none = {.n = 0};
    gnt_fl_config config = {
        .rounds = ROUNDS, .batch = 1, .rate = 0.1, .participation = 0.5, .clients = CLIENTS};
    deal(start, CLIENTS);
    MUST_WORK(gnt_fl_new(&fl, model, &config, &none, &key, err));
    for (int32_t round = 0; round < ROUNDS; round++) {
        assert_int_equal(gnt_fl_choose(fl, start, round, chosen), PART);
        for (int i = 0; i < PART; i++) {
            assert_true(chosen[i] % 3 != 0 && (i == 0 || chosen[i] > chosen[i - 1]));
            times[chosen[i]]++;
        }
        changes += memcmp(before, chosen, PART * sizeof *chosen) != 0;
        memcpy(before, chosen, PART * sizeof *chosen);
        assert_int_equal(gnt_fl_choose(fl, start, round, chosen), PART); /* the same once more */
        assert_memory_equal(before, chosen, PART * sizeof *chosen);
    }
    for (int k = 0; k < CLIENTS; k++)
        if (k % 3) {
            const double e = (double)ROUNDS * PART / HOLDERS;
            chi += (times[k] - e) * (times[k] - e) / (e * (1 - (double)PART / HOLDERS));
        }
    print_message("# chi-square %.1f\n", chi);
    assert_true(chi < 43.8 && changes > ROUNDS - 5);
    gnt_fl_free(fl);
    /* more are wanted than hold anything: all of these */
    config.participation = 0.9;
    MUST_WORK(gnt_fl_new(&fl, model, &config, &none, &key, err));
    assert_int_equal(gnt_fl_choose(fl, start, 0, chosen), HOLDERS);
    for (int i = 0; i < HOLDERS; i++)
        assert_int_equal(chosen[i], i + i / 2 + 1);
    gnt_fl_free(fl);
}

/* ---- what hooks are given ---- */

enum { CLIENTS = 4, ROUNDS = 3 };
static int64_t starts[CLIENTS + 1] = {0, 5, 8, 8, 24}; /* 5, 3, none and 16 rows */
static uint32_t order[24];

typedef struct hook_log {
    uint32_t part[ROUNDS][CLIENTS];
    int32_t n_part[ROUNDS];
    int64_t batches[CLIENTS];
    uint32_t used; /* a bit for each row that a batch of the client at hand had */
    int sets, aggregates, updates;
    float left[MOST]; /* by the last aggregation */
    int changes_statistics;
} hook_log;

static gnt_status hear_set(void *self, const gnt_client *c, int64_t epoch, const gnt_samples_sink *out) {
    hook_log *t = self;
    const gnt_samples *s = c->samples;
    gnt_status status = GNT_OK;
    (void)epoch;
    assert_true(c->rounds == ROUNDS && c->per_round == 3 && c->n_clients == CLIENTS);
    assert_int_equal(s->n, starts[c->index + 1] - starts[c->index]);
    assert_int_equal(c->n_samples, s->n);
    for (int64_t i = 0; status == GNT_OK && i < s->n; i++) {
        assert_int_equal(s->id[i], i); /* names of its own: not those of the file's rows */
        assert_memory_equal(s->x + i * s->features,
                            data.x + (int64_t)order[starts[c->index] + i] * s->features,
                            (size_t)s->features * sizeof *s->x);
        status = out->put(out->context, s->x + i * s->features, s->y + i * s->classes, s->id[i]);
    }
    t->sets++;
    return status;
}

static gnt_status hear_batch(void *self, const gnt_client *c, int64_t step, const gnt_samples_sink *out) {
    hook_log *t = self;
    const gnt_samples *s = c->samples;
    gnt_status status = GNT_OK;
    (void)step;
    t->batches[c->index] = s->n;
    for (int64_t i = 0; status == GNT_OK && i < s->n; i++) {
        for (int64_t k = 0; k < i; k++)
            assert_true(c->steps > 0 || s->id[k] != s->id[i]); /* one gradient takes no sample twice */
        t->used |= 1u << s->id[i];
        status = out->put(out->context, s->x + i * s->features, s->y + i * s->classes, s->id[i]);
    }
    return status;
}

/* How many rows of the client the batches of a round use. */
static int64_t n_used(const gnt_client *c) {
    const int64_t drawn = (c->steps ? c->steps : 1) * c->batch;
    return drawn < c->n_samples ? drawn : c->n_samples;
}

static gnt_status hear_rate(void *self, const gnt_client *c, int64_t step, double *rate) {
    (void)self, (void)step, (void)rate;
    assert_int_equal(c->samples->n, n_used(c));
    return GNT_OK;
}

static gnt_status hear_update(void *self, const gnt_client *c, gnt_tensors *update) {
    hook_log *t = self;
    uint32_t seen = 0;
    (void)update;
    assert_int_equal(c->samples->n, n_used(c));
    for (int64_t i = 0; i < c->samples->n; i++)
        seen |= 1u << c->samples->id[i];
    assert_int_equal(seen, t->used);
    t->used = 0;
    t->updates++;
    return GNT_OK;
}

static gnt_status hear_aggregate(void *self, const gnt_aggregate *in, float *next) {
    hook_log *t = self;
    assert_int_equal(in->n_clients, t->n_part[in->round]);
    assert_int_equal(in->n_buffers, gnt_model_buffer_size(model));
    assert_memory_equal(in->buffers, t->left, (size_t)in->n_buffers * sizeof *in->buffers);
    int64_t all = 0;
    for (int64_t k = 0; k < in->n_clients; k++)
        all += in->samples[k];
    for (int64_t k = 0; k < in->n_clients; k++) {
        assert_int_equal(in->client[k], t->part[in->round][k]);
        assert_int_equal(in->samples[k], starts[in->client[k] + 1] - starts[in->client[k]]);
        assert_true(in->share[k] == (double)in->samples[k] / (double)all);
    }
    for (int64_t i = 0; i < in->n_buffers; i++) {
        float average = 0;
        for (int64_t k = 0; k < in->n_clients; k++)
            average += (float)in->share[k] * in->client_buffers[k][i];
        assert_true(in->new_buffers[i] == average);
        if (t->changes_statistics)
            in->new_buffers[i] = (float)(in->round + 1) + (float)i / 8;
        t->left[i] = in->new_buffers[i];
    }
    memcpy(next, in->old_weights, (size_t)in->n_params * sizeof *next);
    t->aggregates++;
    return GNT_OK;
}

static int hear_round(void *context, int32_t round, const uint32_t *client, int32_t n, gnt_err *err) {
    hook_log *t = context;
    (void)err;
    t->n_part[round] = n;
    memcpy(t->part[round], client, (size_t)n * sizeof *client);
    return 0;
}

static int see_statistics(void *context, int32_t round, const float *weights, const float *buffers,
                          gnt_err *err) {
    hook_log *t = context;
    (void)weights, (void)err;
    if (round == 0)
        memcpy(t->left, buffers, (size_t)gnt_model_buffer_size(model) * sizeof *buffers);
    else if (t->aggregates)
        assert_memory_equal(buffers, t->left, (size_t)gnt_model_buffer_size(model) * sizeof *buffers);
    return 0;
}

static hook_log train(const gnt_defense *hooks, int steps, int batch, int changes_statistics) {
    hook_log t = {.changes_statistics = changes_statistics};
    gnt_member m = {.hooks = hooks, .self = &t, .begin = begin, .done = done};
    const gnt_chain chain = {
        .member = &m, .n = 1, .n_params = gnt_model_size(model), .n_buffers = gnt_model_buffer_size(model)};
    const gnt_fl_config config = {.rounds = ROUNDS,
                                  .steps = steps,
                                  .batch = batch,
                                  .rate = 0.1,
                                  .participation = 0.75,
                                  .training_stats = 1,
                                  .clients = CLIENTS};
    const gnt_key key = gnt_key_of_seed(4);
    gnt_stream random = gnt_stream_open(&key, "weights");
    float weights[1024], buffers[MOST];
    gnt_fl *fl;
    assert_true(gnt_model_size(model) <= 1024 && gnt_model_buffer_size(model) <= MOST);
    for (uint32_t i = 0; i < 24; i++)
        order[i] = (i * 7 + 3) % 24;
    const gnt_partition part = {CLIENTS, starts, order};
    const gnt_fl_watch watch = {
        .context = &t, .before_round = hear_round, .after_round = see_statistics, .should_stop = keep_going};
    gnt_model_init(model, &random, weights, buffers);
    MUST_WORK(gnt_fl_new(&fl, model, &config, &chain, &key, err));
    MUST_WORK(gnt_fl_train(fl, &data.view, &part, NULL, weights, buffers, NULL, &watch, err));
    gnt_fl_free(fl);
    return t;
}

static void clients_know_the_round_and_name_their_own(void **state) {
    static const gnt_defense hooks = {.size = sizeof hooks, .encode_set = hear_set};
    (void)state;
    const hook_log t = train(&hooks, 0, 2, 0);
    assert_int_equal(t.sets, 3 * ROUNDS);
}

/* Four wanted of clients that hold 5, 3, none and 16; with local steps a batch is as large as it is. */
static void one_gradient_takes_what_a_client_holds(void **state) {
    static const gnt_defense hooks = {.size = sizeof hooks, .encode_batch = hear_batch};
    static const int64_t clamped[CLIENTS] = {4, 3, 0, 4}, full[CLIENTS] = {4, 4, 0, 4};
    (void)state;
    hook_log t = train(&hooks, 0, 4, 0);
    assert_memory_equal(t.batches, clamped, sizeof clamped);
    t = train(&hooks, 2, 4, 0);
    assert_memory_equal(t.batches, full, sizeof full);
}

/* Two batches of four of clients that hold 5, 3, none and 16: of the last, half of the rows. */
static void hooks_see_the_rows_of_the_batches_alone(void **state) {
    static const gnt_defense hooks = {.size = sizeof hooks,
                                      .encode_batch = hear_batch,
                                      .local_rate = hear_rate,
                                      .transform_update = hear_update};
    (void)state;
    for (int steps = 0; steps < 3; steps++) {
        const hook_log t = train(&hooks, steps, 4, 0);
        assert_int_equal(t.updates, 3 * ROUNDS);
    }
}

static void the_server_knows_who_gave_what(void **state) {
    static const gnt_defense hooks = {.size = sizeof hooks, .aggregate = hear_aggregate};
    (void)state;
    for (int changes = 0; changes < 2; changes++) {
        const hook_log t = train(&hooks, 2, 4, changes);
        assert_int_equal(t.aggregates, ROUNDS);
        assert_true(!changes || t.left[1] == ROUNDS + 1.0f / 8);
    }
}

/* ---- clients that a round does not choose ---- */

typedef struct worked {
    int times[CLIENTS], carried, collected;
} worked;

static gnt_status count_work(void *self, const gnt_client *c, gnt_tensors *update) {
    worked *t = self;
    (void)update;
    t->times[c->index]++;
    return GNT_OK;
}

static gnt_status save_nothing(void *self, int32_t client, const gnt_sink *out) {
    (void)self, (void)client, (void)out;
    return GNT_OK;
}

static int carry(void *context, int32_t round, int32_t client, gnt_err *err) {
    worked *t = context;
    (void)round, (void)client, (void)err;
    t->carried++;
    return 0;
}

static int collect(void *context, const gnt_fl_receipt *receipt, gnt_err *err) {
    worked *t = context;
    (void)receipt, (void)err;
    t->collected++;
    return 0;
}

static int look_away(void *context, int32_t round, const float *weights, const float *buffers, gnt_err *err) {
    (void)context, (void)round, (void)weights, (void)buffers, (void)err;
    return 0;
}

/* Two of the three clients that hold anything are chosen. */
static worked work(int saves, int all_train, float *weights, float *buffers) {
    worked t = {0};
    const gnt_defense hooks = {
        .size = sizeof hooks, .transform_update = count_work, .save = saves ? save_nothing : NULL};
    gnt_member m = {.hooks = &hooks, .self = &t, .begin = begin, .done = done};
    const gnt_chain chain = {
        .member = &m, .n = 1, .n_params = gnt_model_size(model), .n_buffers = gnt_model_buffer_size(model)};
    const gnt_fl_config config = {.rounds = ROUNDS,
                                  .steps = 2,
                                  .batch = 4,
                                  .rate = 0.1,
                                  .participation = 0.5,
                                  .all_train = all_train,
                                  .training_stats = 1,
                                  .clients = CLIENTS};
    const gnt_key key = gnt_key_of_seed(4);
    gnt_stream random = gnt_stream_open(&key, "weights");
    gnt_fl *fl;
    for (uint32_t i = 0; i < 24; i++)
        order[i] = (i * 7 + 3) % 24;
    const gnt_partition part = {CLIENTS, starts, order};
    const gnt_fl_watch watch = {.context = &t,
                                .before_client = carry,
                                .after_client = carry,
                                .received = collect,
                                .after_round = look_away,
                                .should_stop = keep_going};
    gnt_model_init(model, &random, weights, buffers);
    MUST_WORK(gnt_fl_new(&fl, model, &config, &chain, &key, err));
    MUST_WORK(gnt_fl_train(fl, &data.view, &part, NULL, weights, buffers, NULL, &watch, err));
    gnt_fl_free(fl);
    return t;
}

static void the_others_train_where_they_keep_something(void **state) {
    float rested[1024], trained[1024], buffers[MOST], more[MOST];
    (void)state;
    worked t = work(1, 0, rested, buffers);
    assert_int_equal(t.times[0] + t.times[1] + t.times[3], 2 * ROUNDS);
    t = work(1, 1, trained, more);
    for (int k = 0; k < CLIENTS; k++)
        assert_int_equal(t.times[k], k == 2 ? 0 : ROUNDS); /* the third holds nothing */
    assert_int_equal(t.carried, 2 * 3 * ROUNDS);
    assert_int_equal(t.collected, 2 * ROUNDS);
    assert_memory_equal(rested, trained, (size_t)gnt_model_size(model) * sizeof *rested);
    assert_memory_equal(buffers, more, (size_t)gnt_model_buffer_size(model) * sizeof *buffers);
    t = work(0, 1, trained, more);
    assert_int_equal(t.times[0] + t.times[1] + t.times[3], 2 * ROUNDS);
}

/* ---- the mean ---- */

/* The mean as the server takes it: summed in double, in the order of the clients. */
static gnt_status mean_of_all(void *self, const gnt_aggregate *in, float *new_weights) {
    int32_t *most = self;
    *most = in->n_clients;
    for (int64_t i = 0; i < in->n_params; i++) {
        double sum = 0;
        for (int32_t k = 0; k < in->n_clients; k++)
            sum += in->share[k] * (double)in->update[k][i];
        new_weights[i] = (float)((double)in->old_weights[i] + sum);
    }
    return GNT_OK;
}

/* Clients hold one or two samples each. */
static void train_many(int32_t clients, const gnt_chain *chain, float *weights) {
    const gnt_fl_config config = {
        .rounds = 3, .steps = 2, .batch = 2, .rate = 0.1, .participation = 1, .clients = clients};
    const gnt_key key = gnt_key_of_seed(9);
    gnt_stream random = gnt_stream_open(&key, "weights");
    const gnt_fl_watch watch = {.after_round = look_away, .should_stop = keep_going};
    int64_t start[24];
    float buffers[MOST];
    gnt_fl *fl;
    for (int32_t k = 0; k <= clients; k++)
        start[k] = k + (k < 4 ? k : 4);
    for (uint32_t i = 0; i < 24; i++)
        order[i] = i;
    const gnt_partition part = {clients, start, order};
    gnt_model_init(model, &random, weights, buffers);
    MUST_WORK(gnt_fl_new(&fl, model, &config, chain, &key, err));
    MUST_WORK(gnt_fl_train(fl, &data.view, &part, NULL, weights, buffers, NULL, &watch, err));
    gnt_fl_free(fl);
}

/* The server adds up updates a few at a time, with the bytes of a sum of all: of fewer than it adds at once,
 * as many, and several times as many and some. */
static void updates_are_added_as_they_come(void **state) {
    static const int32_t clients[] = {5, 8, 16, 19};
    (void)state;
    for (size_t i = 0; i < sizeof clients / sizeof *clients; i++) {
        const gnt_defense hooks = {.size = sizeof hooks, .aggregate = mean_of_all};
        int32_t most = 0;
        gnt_member m = {.hooks = &hooks, .self = &most, .begin = begin, .done = done, .id = "mean"};
        const int64_t n = gnt_model_size(model), n_buffers = gnt_model_buffer_size(model);
        const gnt_chain none = {.n_params = n, .n_buffers = n_buffers},
                        all = {.member = &m, .n = 1, .n_params = n, .n_buffers = n_buffers};
        float weights[1024], other[1024];
        train_many(clients[i], &none, weights);
        train_many(clients[i], &all, other);
        assert_int_equal(most, clients[i]);
        assert_memory_equal(weights, other, (size_t)n * sizeof *weights);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(those_take_part_who_hold_something),
        cmocka_unit_test(clients_know_the_round_and_name_their_own),
        cmocka_unit_test(one_gradient_takes_what_a_client_holds),
        cmocka_unit_test(hooks_see_the_rows_of_the_batches_alone),
        cmocka_unit_test(the_others_train_where_they_keep_something),
        cmocka_unit_test(the_server_knows_who_gave_what),
        cmocka_unit_test(updates_are_added_as_they_come),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
