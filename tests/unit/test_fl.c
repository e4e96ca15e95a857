/* Federated training against what the formulas of FedSGD and FedAvg give by hand, on softmax regression:
 *   gradient  ∂L/∂W = (softmax(Wx + b) − y) xᵀ, ∂L/∂b = softmax(Wx + b) − y
 *   server    W ← W − η Σ share·g (steps 0), W ← W + Σ share·Δ (steps ≥ 1). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "fl/federate.h"

enum { F = 3, C = 2, N = 8, P = F * C + C, CLIENTS = 2 };

static const char model_json[] =
    "{\"layers\": [{\"type\": \"dense\", \"name\": \"fc\", \"out\": \"classes\"}]}";
static gnt_model *model;
static float data_x[N * F], data_y[N * C];
static int32_t data_label[N];
static int64_t data_id[N];
static gnt_samples data = {.size = sizeof data,
                           .kind = GNT_KIND_TABULAR,
                           .n = N,
                           .rank = 1,
                           .classes = C,
                           .dim = {F},
                           .features = F,
                           .id = data_id,
                           .x = data_x,
                           .y = data_y};

static int open_model(void **state) {
    (void)state;
    gnt_nn_shape sample = {1, {F}};
    gnt_err err = {0};
    for (int i = 0; i < N; i++) {
        data_label[i] = i % C;
        data_id[i] = 100 + i;
        data_y[i * C + data_label[i]] = 1;
        for (int f = 0; f < F; f++)
            data_x[i * F + f] = (float)((i * 5 + f * 3) % 7) / 7;
    }
    if (gnt_model_parse(&model, "softmax regression", model_json, &sample, C, NULL, NULL, &err) != 0)
        fail_msg("%s", err.text);
    return 0;
}

static int close_model(void **state) {
    (void)state;
    gnt_model_free(model);
    return 0;
}

/* Mean gradient over the given rows at w = (W row-major, b). */
static void gradient(const double *w, const int *row, int n, double *g) {
    memset(g, 0, P * sizeof *g);
    for (int i = 0; i < n; i++) {
        const float *x = data_x + row[i] * F;
        double z[C], total = 0;
        for (int c = 0; c < C; c++) {
            z[c] = w[F * C + c];
            for (int f = 0; f < F; f++)
                z[c] += w[c * F + f] * x[f];
            total += exp(z[c]);
        }
        for (int c = 0; c < C; c++) {
            double d = (exp(z[c]) / total - data_y[row[i] * C + c]) / n;
            for (int f = 0; f < F; f++)
                g[c * F + f] += d * x[f];
            g[F * C + c] += d;
        }
    }
}

static int keep_going(void *context) {
    (void)context;
    return 0;
}

static int count_rounds(void *context, int32_t done, const float *weights, const float *buffers,
                        gnt_err *err) {
    (void)weights, (void)buffers, (void)err;
    int *rounds = context;
    assert_int_equal(done, *rounds);
    ++*rounds;
    return 0;
}

/* Client 0 holds rows 0 … 2, client 1 rows 3 … 7. */
static uint32_t order[N] = {0, 1, 2, 3, 4, 5, 6, 7};
static int64_t starts[CLIENTS + 1] = {0, 3, N};
static gnt_partition part = {CLIENTS, starts, order};

static void train(const gnt_fl_config *config, const gnt_chain *chain, float *weights) {
    gnt_fl *fl;
    gnt_err err = {0};
    gnt_key key = gnt_key_of_seed(1);
    int rounds = 0;
    float buffers[1] = {0};
    gnt_fl_watch watch = {.context = &rounds, .after_round = count_rounds, .should_stop = keep_going};
    if (gnt_fl_new(&fl, model, config, chain, &key, &err) != 0 ||
        gnt_fl_train(fl, &data, &part, NULL, weights, buffers, NULL, &watch, &err) != 0)
        fail_msg("%s", err.text);
    assert_int_equal(rounds, config->rounds + 1);
    gnt_fl_free(fl);
}

static const int rows_of_client[CLIENTS][5] = {{0, 1, 2}, {3, 4, 5, 6, 7}};
static const int size_of_client[CLIENTS] = {3, 5};
static const gnt_chain plain = {.n = 0};

static void start(float *weights) {
    for (int i = 0; i < P; i++)
        weights[i] = 0.1f * (float)(i % 5) - 0.2f;
}

static void assert_near(const float *got, const double *expected) {
    for (int i = 0; i < P; i++)
        assert_true(fabs(got[i] - expected[i]) < 1e-5);
}

/* Batches are drawn from a client's own samples, so a batch of all of them is the same set whatever the
 * order. Clients of 3 and 5 samples cannot both have batches of all their samples; equal ones can. */
static void gradients_are_averaged_by_share(void **state) {
    (void)state;
    int64_t even[CLIENTS + 1] = {0, 4, 8};
    gnt_partition kept = part;
    part.start = even;
    gnt_fl_config config = {.rounds = 3, .batch = 4, .rate = 0.5, .participation = 1, .clients = CLIENTS};
    float w[P];
    double expected[P], g[P];
    int all[N] = {0, 1, 2, 3, 4, 5, 6, 7};
    start(w);
    for (int i = 0; i < P; i++)
        expected[i] = w[i];
    for (int round = 0; round < 3; round++) {
        gradient(expected, all, N, g); /* equal shares: the mean of two means of four is the mean of eight */
        for (int i = 0; i < P; i++)
            expected[i] -= 0.5 * g[i];
    }
    train(&config, &plain, w);
    assert_near(w, expected);
    part = kept;
}

static void deltas_are_averaged_by_share(void **state) {
    (void)state;
    /* one sample a step and n steps: a client's SGD in its shuffled order. The order is not known here, so
     * batches of lcm(3, 5) = 15 samples are used: each of a client's samples comes equally often, in any
     * order. */
    gnt_fl_config config = {.rounds = 2,
                            .steps = 2,
                            .batch = 15,
                            .rate = 0.3,
                            .momentum = 0.9,
                            .participation = 1,
                            .clients = CLIENTS};
    float w[P];
    double expected[P], next[P], local[P], v[P], g[P];
    start(w);
    for (int i = 0; i < P; i++)
        expected[i] = w[i];
    for (int round = 0; round < 2; round++) {
        memcpy(next, expected, sizeof next);
        for (int k = 0; k < CLIENTS; k++) {
            memcpy(local, expected, sizeof local);
            memset(v, 0, sizeof v);
            for (int step = 0; step < 2; step++) {
                gradient(local, rows_of_client[k], size_of_client[k], g);
                for (int i = 0; i < P; i++) {
                    v[i] = 0.9 * v[i] + g[i];
                    local[i] -= 0.3 * v[i];
                }
            }
            for (int i = 0; i < P; i++)
                next[i] += (local[i] - expected[i]) * size_of_client[k] / N;
        }
        memcpy(expected, next, sizeof next);
    }
    train(&config, &plain, w);
    assert_near(w, expected);
}

/* A local step by hand, the number `step` from 1, with PyTorch's constants of Adam. */
static void step_by_hand(const gnt_fl_config *c, int step, double *local, double *g, double *v, double *s) {
    for (int i = 0; i < P; i++) {
        g[i] += c->decay * local[i];
        v[i] = c->adam ? 0.9 * v[i] + 0.1 * g[i] : c->momentum * v[i] + g[i];
        s[i] = 0.999 * s[i] + 0.001 * g[i] * g[i];
        const double size = (1 - pow(0.9, step)) * (sqrt(s[i] / (1 - pow(0.999, step))) + 1e-8);
        local[i] -= c->rate * v[i] / (c->adam ? size : 1);
    }
}

/* Trains as configured and compares with steps by hand, whose state starts at 0 in each round. */
static void assert_steps_by_hand(const gnt_fl_config *c, float *w) {
    double from[P], expected[P];
    start(w);
    for (int i = 0; i < P; i++)
        expected[i] = w[i];
    for (int round = 0; round < c->rounds; round++) {
        memcpy(from, expected, sizeof from);
        for (int k = 0; k < CLIENTS; k++) {
            double local[P], g[P], v[P] = {0}, s[P] = {0};
            memcpy(local, from, sizeof local);
            for (int step = 1; step <= c->steps; step++) {
                gradient(local, rows_of_client[k], size_of_client[k], g);
                step_by_hand(c, step, local, g, v, s);
            }
            for (int i = 0; i < P; i++)
                expected[i] += (local[i] - from[i]) * size_of_client[k] / N;
        }
    }
    train(c, &plain, w);
    assert_near(w, expected);
}

static void local_steps_are_those_by_hand(void **state) {
    (void)state;
    gnt_fl_config config = {.rounds = 1,
                            .steps = 2,
                            .batch = 15, /* each of a client's 3 or 5 samples equally often */
                            .rate = 0.3,
                            .momentum = 0.9,
                            .decay = 0.2,
                            .participation = 1,
                            .clients = CLIENTS};
    float w[P], undecayed[P];
    assert_steps_by_hand(&config, w);
    config.decay = 0;
    assert_steps_by_hand(&config, undecayed);
    assert_true(fabsf(w[0] - undecayed[0]) > 1e-3f); /* w[0] begins at −0.2, and so does w[5] */
    config.rounds = 2;
    config.steps = 3;
    config.rate = 0.02;
    config.momentum = 0;
    config.decay = 0.2;
    config.adam = 1;
    assert_steps_by_hand(&config, w);
}

static void an_observed_client_uses_all_its_samples(void **state) {
    (void)state;
    gnt_fl_config config = {
        .rounds = 1, .steps = 2, .batch = 1, .rate = 0.25, .participation = 1, .clients = CLIENTS};
    gnt_fl *fl;
    gnt_err err = {0};
    gnt_key key = gnt_key_of_seed(1);
    float w[P], update[P], rates[2] = {0}, buffers[1] = {0};
    double local[P], g[P], expected[P];
    int all[N] = {0, 1, 2, 3, 4, 5, 6, 7};
    start(w);
    assert_int_equal(gnt_fl_new(&fl, model, &config, &plain, &key, &err), 0);
    gnt_fl_shared out = {.update = update, .rates = rates};
    assert_int_equal(gnt_fl_client(fl, 0, 0, &data, NULL, NULL, w, buffers, 1, &out, &err), 0);
    for (int i = 0; i < P; i++)
        local[i] = w[i];
    for (int step = 0; step < 2; step++) {
        gradient(local, all, N, g);
        for (int i = 0; i < P; i++)
            local[i] -= 0.25 * g[i];
    }
    for (int i = 0; i < P; i++)
        expected[i] = local[i] - w[i];
    assert_near(update, expected);
    assert_true(rates[0] == 0.25f && rates[1] == 0.25f);
    gnt_fl_free(fl);
}

/* ---- defenses in between ---- */

static void begin(void *owner, const char *hook) {
    (void)owner, (void)hook;
}

static int done(void *owner, gnt_status status, gnt_err *err) {
    (void)owner;
    return status == GNT_OK ? 0 : gnt_fail(err, "the hook failed with %d", status);
}

static gnt_status doubled(void *self, const gnt_client *client, gnt_tensors *update) {
    (void)self;
    assert_non_null(client->samples);
    for (int64_t t = 0; t < update->n; t++)
        for (int64_t i = 0; i < update->tensor[t].count; i++)
            update->tensor[t].data[i] *= 2;
    return GNT_OK;
}

static gnt_status plus_one(void *self, const gnt_client *client, gnt_tensors *update) {
    (void)self, (void)client;
    for (int64_t t = 0; t < update->n; t++)
        for (int64_t i = 0; i < update->tensor[t].count; i++)
            update->tensor[t].data[i] += 1;
    return GNT_OK;
}

static gnt_status half_rate(void *self, const gnt_client *client, int64_t step, double *rate) {
    (void)self, (void)client, (void)step;
    *rate *= 0.5;
    return GNT_OK;
}

static gnt_status first_only(void *self, const gnt_client *client, int64_t epoch,
                             const gnt_samples_sink *out) {
    (void)self, (void)epoch;
    const gnt_samples *s = client->samples;
    return out->put(out->context, s->x, s->y, s->id ? s->id[0] : 0);
}

static gnt_status not_finite(void *self, const gnt_client *client, gnt_tensors *update) {
    (void)self, (void)client;
    update->tensor[0].data[0] = NAN;
    return GNT_OK;
}

static gnt_status keep_old(void *self, const gnt_aggregate *in, float *new_weights) {
    (void)self;
    memcpy(new_weights, in->old_weights, (size_t)in->n_params * sizeof *new_weights);
    return GNT_OK;
}

static int observe(gnt_member *members, int32_t n, int32_t steps, float *update, gnt_err *err) {
    gnt_fl_config config = {.steps = steps, .batch = 1, .rate = 0.25, .participation = 1, .clients = CLIENTS};
    gnt_chain chain = {.member = members, .n = n, .n_params = P};
    gnt_fl *fl;
    gnt_key key = gnt_key_of_seed(1);
    float w[P], buffers[1] = {0};
    start(w);
    assert_int_equal(gnt_fl_new(&fl, model, &config, &chain, &key, err), 0);
    gnt_fl_shared out = {.update = update};
    int rc = gnt_fl_client(fl, 0, 0, &data, NULL, NULL, w, buffers, 1, &out, err);
    gnt_fl_free(fl);
    return rc;
}

static void transforms_apply_in_order(void **state) {
    (void)state;
    static const gnt_defense a = {.size = sizeof a, .transform_update = doubled};
    static const gnt_defense b = {.size = sizeof b, .transform_update = plus_one};
    gnt_member ab[2] = {{.hooks = &a, .begin = begin, .done = done},
                        {.hooks = &b, .begin = begin, .done = done}};
    gnt_member ba[2] = {ab[1], ab[0]};
    float base[P], update[P];
    gnt_err err = {0};
    assert_int_equal(observe(NULL, 0, 0, base, &err), 0);
    assert_int_equal(observe(ab, 2, 0, update, &err), 0);
    for (int i = 0; i < P; i++)
        assert_true(fabsf(update[i] - (2 * base[i] + 1)) < 1e-6f);
    assert_int_equal(observe(ba, 2, 0, update, &err), 0);
    for (int i = 0; i < P; i++)
        assert_true(fabsf(update[i] - 2 * (base[i] + 1)) < 1e-6f);
}

static void encodings_replace_the_samples(void **state) {
    (void)state;
    static const gnt_defense hooks = {.size = sizeof hooks, .encode_set = first_only};
    gnt_member m = {.hooks = &hooks, .begin = begin, .done = done};
    float update[P], w[P];
    double start_w[P], g[P];
    int first = 0;
    gnt_err err = {0};
    start(w);
    for (int i = 0; i < P; i++)
        start_w[i] = w[i];
    gradient(start_w, &first, 1, g);
    assert_int_equal(observe(&m, 1, 0, update, &err), 0);
    assert_near(update, g);
}

/* Records the epochs it is called for; releases the samples as they are, and in odd epochs one less. */
typedef struct epochs {
    int64_t epoch[32];
    int n, drops;
} epochs;

static gnt_status note_epoch(void *self, const gnt_client *client, int64_t epoch,
                             const gnt_samples_sink *out) {
    epochs *e = self;
    const gnt_samples *s = client->samples;
    e->epoch[e->n++] = epoch;
    for (int64_t i = e->drops ? epoch % 2 : 0; i < s->n; i++)
        if (out->put(out->context, s->x + i * F, s->y ? s->y + i * C : NULL, s->id ? s->id[i] : 0) != GNT_OK)
            return GNT_FAILED;
    return GNT_OK;
}

/* Client 0 has 3 samples: of its three steps of 2 samples the third begins behind the third sample, so a new
 * pass does. Client 1 has 5: the first pass is not over. Two passes at most in a round, so epochs count 0, 1
 * and 2, 3. */
static void each_pass_is_encoded_again(void **state) {
    (void)state;
    static const gnt_defense hooks = {.size = sizeof hooks, .encode_set = note_epoch};
    gnt_fl_config config = {
        .rounds = 2, .steps = 3, .batch = 2, .rate = 0.1, .participation = 1, .clients = CLIENTS};
    for (int drops = 0; drops < 2; drops++) {
        epochs e = {.drops = drops};
        gnt_member m = {.hooks = &hooks, .self = &e, .begin = begin, .done = done};
        gnt_chain chain = {.member = &m, .n = 1, .n_params = P};
        const int64_t expected[] = {0, 1, 0, 2, 3, 2};
        float w[P], without[P];
        start(w);
        start(without);
        train(&config, &chain, w);
        train(&config, &plain, without);
        assert_int_equal(e.n, 6);
        assert_memory_equal(e.epoch, expected, sizeof expected);
        /* nothing was encoded, so the same batches are drawn as without a defense */
        assert_int_equal(memcmp(w, without, sizeof w) != 0, drops);
    }
}

/* Releases one sample: 0.3 of the first and 0.7 of the second, labels too, and says so. */
static gnt_status mix_two(void *self, const gnt_client *client, int64_t epoch, const gnt_samples_sink *out) {
    const gnt_samples *s = client->samples;
    const double weight[2] = {0.3, 0.7};
    float x[F], y[C];
    (void)self, (void)epoch;
    for (int f = 0; f < F; f++)
        x[f] = 0.3f * s->x[f] + 0.7f * s->x[F + f];
    for (int c = 0; c < C; c++)
        y[c] = 0.3f * s->y[c] + 0.7f * s->y[C + c];
    gnt_status status = out->put(out->context, x, y, s->id[1]);
    return status == GNT_OK ? out->mixed(out->context, 2, s->id, weight) : status;
}

/* ∂L/∂b = softmax(Wx + b) − y with the mixed label y = (.3, .7). */
static void soft_labels_enter_the_loss(void **state) {
    (void)state;
    static const gnt_defense hooks = {.size = sizeof hooks, .encode_set = mix_two};
    gnt_member m = {.hooks = &hooks, .begin = begin, .done = done};
    float update[P], w[P];
    double z[C], total = 0;
    gnt_err err = {0};
    start(w);
    assert_int_equal(observe(&m, 1, 0, update, &err), 0);
    for (int c = 0; c < C; c++) {
        z[c] = w[F * C + c];
        for (int f = 0; f < F; f++)
            z[c] += w[c * F + f] * (0.3 * data_x[f] + 0.7 * data_x[F + f]);
        total += exp(z[c]);
    }
    assert_float_equal(update[F * C], exp(z[0]) / total - 0.3, 1e-6);
    assert_float_equal(update[F * C + 1], exp(z[1]) / total - 0.7, 1e-6);
}

/* Samples 0 and 1 of two swapped by one member, mixed .3 and .7 by the next, released twice by the last: .7
 * of sample 0. */
static gnt_status swap_two(void *self, const gnt_client *client, int64_t epoch, const gnt_samples_sink *out) {
    const gnt_samples *s = client->samples;
    (void)self, (void)epoch;
    gnt_status status = out->put(out->context, s->x + F, s->y + C, s->id[1]);
    return status == GNT_OK ? out->put(out->context, s->x, s->y, s->id[0]) : status;
}
static gnt_status twice(void *self, const gnt_client *client, int64_t epoch, const gnt_samples_sink *out) {
    const gnt_samples *s = client->samples;
    (void)self, (void)epoch;
    gnt_status status = out->put(out->context, s->x, s->y, s->id[0]);
    return status == GNT_OK ? out->put(out->context, s->x, s->y, s->id[0]) : status;
}
static gnt_status lie(void *self, const gnt_client *client, int64_t epoch, const gnt_samples_sink *out) {
    const int64_t nobody = 7;
    const double all = 1;
    (void)self, (void)epoch;
    gnt_status status =
        out->put(out->context, client->samples->x, client->samples->y, client->samples->id[0]);
    return status == GNT_OK ? out->mixed(out->context, 1, &nobody, &all) : status;
}

/* One encoding for each sample, in whatever order, keeps attributes; one that mixes, or releases one sample
 * twice, has none. */
static void encodings_one_to_one_keep_attributes(void **state) {
    (void)state;
    static const gnt_defense hooks[] = {{.size = sizeof(gnt_defense), .encode_set = swap_two},
                                        {.size = sizeof(gnt_defense), .encode_set = twice},
                                        {.size = sizeof(gnt_defense), .encode_set = mix_two}};
    static const gnt_attribute attribute[2] = {{.name = "a", .values = 9}, {.name = "b", .values = 9}};
    static const int32_t a[4] = {1, 2, 3, 4};
    gnt_client client = {.size = sizeof client, .n_clients = 1};
    gnt_samples two = data;
    gnt_err err = {0};
    two.n = 2;
    two.n_attributes = 2;
    two.attribute = attribute;
    two.a = a;
    for (int i = 0; i < 3; i++) {
        gnt_member m[2] = {{.hooks = &hooks[0], .begin = begin, .done = done},
                           {.hooks = &hooks[i], .begin = begin, .done = done}};
        gnt_chain chain = {.member = m, .n = i ? 2 : 1, .n_params = P};
        gnt_batch b;
        gnt_batch_borrow(&b, &two);
        assert_int_equal(gnt_chain_encode_set(&chain, &client, 0, &b, &err), 0);
        if (i)
            assert_null(b.view.a);
        else
            assert_memory_equal(b.view.a, ((const int32_t[]){3, 4, 1, 2}), sizeof a);
        gnt_batch_free(&b);
    }
}

/* A query has samples and nothing else. */
static gnt_status answer_queries(void *self, const gnt_client *client, int64_t draw,
                                 const gnt_samples_sink *out) {
    const gnt_samples *s = client->samples;
    gnt_status status = GNT_OK;
    epochs *queries = self;
    assert_true(!s->y && !s->id && !s->a && !s->mask);
    queries->epoch[queries->n++] = (int)draw;
    for (int64_t i = 0; status == GNT_OK && i < s->n; i++)
        status = out->put(out->context, s->x + i * s->features, NULL, 0);
    return status;
}
static gnt_status answer_one(void *self, const gnt_client *client, int64_t draw,
                             const gnt_samples_sink *out) {
    (void)self, (void)draw;
    return out->put(out->context, client->samples->x, NULL, 0);
}

/* Members encode queries one after the other; a count that changes would leave labels to other samples. */
static void queries_keep_their_number(void **state) {
    (void)state;
    static const gnt_defense hooks[] = {{.size = sizeof(gnt_defense), .encode_query = answer_queries},
                                        {.size = sizeof(gnt_defense), .encode_set = first_only},
                                        {.size = sizeof(gnt_defense), .encode_query = answer_one}};
    gnt_member m[3];
    epochs queries = {.n = 0};
    gnt_chain chain = {.member = m, .n = 2, .n_params = P};
    gnt_client client = {.size = sizeof client, .index = -1, .n_clients = 1};
    gnt_samples two = data;
    gnt_batch b;
    gnt_err err = {0};
    two.n = 2;
    for (int i = 0; i < 3; i++)
        m[i] = (gnt_member){.self = &queries, .hooks = &hooks[i], .begin = begin, .done = done};
    gnt_batch_borrow(&b, &two);
    assert_int_equal(gnt_chain_encode_query(&chain, &client, 7, &b, &err), 0);
    assert_int_equal(b.view.n, 2);
    assert_int_equal(queries.n, 1);
    assert_int_equal(queries.epoch[0], 7);
    chain.n = 3;
    assert_int_equal(gnt_chain_encode_query(&chain, &client, 0, &b, &err), -1);
    assert_non_null(strstr(err.text, "encode_query made 1 samples of 2; expected as many"));
    gnt_batch_free(&b);
}

static void what_encodings_are_made_of_is_kept(void **state) {
    (void)state;
    static const gnt_defense hooks[] = {{.size = sizeof(gnt_defense), .encode_set = swap_two},
                                        {.size = sizeof(gnt_defense), .encode_set = mix_two},
                                        {.size = sizeof(gnt_defense), .encode_set = twice},
                                        {.size = sizeof(gnt_defense), .encode_set = lie}};
    gnt_member m[3];
    gnt_chain chain = {.member = m, .n = 3, .n_params = P};
    gnt_client client = {.size = sizeof client, .n_clients = 1};
    gnt_samples two = data;
    gnt_mixture made_of;
    gnt_batch b;
    gnt_err err = {0};
    int64_t number[2] = {0, 1};
    two.n = 2;
    two.id = number;
    for (int i = 0; i < 3; i++)
        m[i] = (gnt_member){.hooks = &hooks[i], .begin = begin, .done = done};
    gnt_batch_borrow(&b, &two);
    b.made_of = &made_of;
    assert_int_equal(gnt_mixture_identity(&made_of, 2, &err), 0);
    assert_int_equal(gnt_chain_encode_set(&chain, &client, 0, &b, &err), 0);
    assert_int_equal(b.view.n, 2);
    assert_int_equal(made_of.rows, 2);
    for (int i = 0; i < 2; i++) {
        assert_float_equal(made_of.weight[2 * i], 0.7, 1e-6);
        assert_float_equal(made_of.weight[2 * i + 1], 0.3, 1e-6);
        assert_int_equal(made_of.source[i], 0);
    }
    gnt_batch_free(&b);
    gnt_mixture_free(&made_of);
    m[0].hooks = &hooks[3];
    gnt_batch_borrow(&b, &two);
    b.made_of = &made_of;
    assert_int_equal(gnt_mixture_identity(&made_of, 2, &err), 0);
    assert_int_equal(gnt_chain_encode_set(&chain, &client, 0, &b, &err), -1);
    assert_non_null(strstr(err.text, "was mixed of sample 7, which is not in the set"));
    gnt_batch_free(&b);
    gnt_mixture_free(&made_of);
}

static void local_rates_are_the_defenses(void **state) {
    (void)state;
    static const gnt_defense hooks = {.size = sizeof hooks, .local_rate = half_rate};
    gnt_member m = {.hooks = &hooks, .begin = begin, .done = done};
    float base[P], update[P];
    gnt_err err = {0};
    assert_int_equal(observe(NULL, 0, 1, base, &err), 0);
    assert_int_equal(observe(&m, 1, 1, update, &err), 0);
    for (int i = 0; i < P; i++)
        assert_true(fabsf(2 * update[i] - base[i]) < 1e-6f);
}

static void an_aggregate_takes_over(void **state) {
    (void)state;
    static const gnt_defense hooks = {.size = sizeof hooks, .aggregate = keep_old};
    gnt_member m = {.hooks = &hooks, .begin = begin, .done = done};
    gnt_chain chain = {.member = &m, .n = 1, .n_params = P};
    gnt_fl_config config = {.rounds = 2, .batch = 2, .rate = 0.5, .participation = 0.5, .clients = CLIENTS};
    float w[P], before[P];
    start(w);
    start(before);
    train(&config, &chain, w);
    assert_memory_equal(w, before, sizeof w);
}

static void what_is_not_finite_is_refused(void **state) {
    (void)state;
    static const gnt_defense hooks = {.size = sizeof hooks, .transform_update = not_finite};
    gnt_member m = {.hooks = &hooks, .begin = begin, .done = done};
    float update[P];
    gnt_err err = {0};
    assert_int_equal(observe(&m, 1, 0, update, &err), -1);
    assert_non_null(strstr(err.text, "fc.weight[0]"));
}

static gnt_status touch_weights(void *self, const gnt_client *client, gnt_tensors *update) {
    (void)self, (void)update;
    ((float *)(uintptr_t)client->weights)[P - 1] += 0.5f;
    return GNT_OK;
}

/* Puts samples back in another order, so that a sum without places would not see it. */
static gnt_status touch_samples(void *self, const gnt_client *client, int64_t step, double *rate) {
    (void)self, (void)step, (void)rate;
    float *x = (float *)(uintptr_t)client->samples->x, kept = x[0];
    x[0] = x[1];
    x[1] = kept;
    return GNT_OK;
}

static void what_was_to_be_read_stays_as_it_was(void **state) {
    (void)state;
    static const gnt_defense weights = {.size = sizeof weights, .transform_update = touch_weights};
    static const gnt_defense samples = {.size = sizeof samples, .local_rate = touch_samples};
    gnt_member m = {.hooks = &weights, .begin = begin, .done = done, .id = "clumsy"};
    float update[P], kept[2] = {data_x[0], data_x[1]};
    gnt_err err = {0};
    assert_true(kept[0] != kept[1]);
    assert_int_equal(observe(&m, 1, 0, update, &err), -1);
    assert_non_null(strstr(err.text, "defense clumsy: transform_update changed"));
    assert_non_null(strstr(err.text, "weights"));
    m.hooks = &samples;
    assert_int_equal(observe(&m, 1, 1, update, &err), -1);
    assert_non_null(strstr(err.text, "local_rate changed"));
    assert_non_null(strstr(err.text, "samples"));
    data_x[0] = kept[0];
    data_x[1] = kept[1];
}

/* A learning rate beyond reason blows the weights up: reported apart from a plugin's failure. */
static void divergence_is_reported(void **state) {
    (void)state;
    gnt_fl_config config = {
        .rounds = 4, .steps = 4, .batch = 4, .rate = 1e38, .participation = 1, .clients = CLIENTS};
    gnt_fl *fl;
    gnt_err err = {0};
    gnt_key key = gnt_key_of_seed(1);
    int rounds = 0;
    float w[P], buffers[1] = {0};
    gnt_fl_watch watch = {.context = &rounds, .after_round = count_rounds, .should_stop = keep_going};
    start(w);
    assert_int_equal(gnt_fl_new(&fl, model, &config, &plain, &key, &err), 0);
    assert_int_equal(gnt_fl_train(fl, &data, &part, NULL, w, buffers, NULL, &watch, &err), -1);
    assert_true(gnt_fl_diverged(fl));
    assert_non_null(strstr(err.text, "diverged"));
    gnt_fl_free(fl);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_are_averaged_by_share),
        cmocka_unit_test(deltas_are_averaged_by_share),
        cmocka_unit_test(local_steps_are_those_by_hand),
        cmocka_unit_test(an_observed_client_uses_all_its_samples),
        cmocka_unit_test(transforms_apply_in_order),
        cmocka_unit_test(encodings_replace_the_samples),
        cmocka_unit_test(each_pass_is_encoded_again),
        cmocka_unit_test(soft_labels_enter_the_loss),
        cmocka_unit_test(encodings_one_to_one_keep_attributes),
        cmocka_unit_test(queries_keep_their_number),
        cmocka_unit_test(what_encodings_are_made_of_is_kept),
        cmocka_unit_test(local_rates_are_the_defenses),
        cmocka_unit_test(an_aggregate_takes_over),
        cmocka_unit_test(what_is_not_finite_is_refused),
        cmocka_unit_test(what_was_to_be_read_stays_as_it_was),
        cmocka_unit_test(divergence_is_reported),
    };
    return cmocka_run_group_tests_name("fl", tests, open_model, close_model);
}
