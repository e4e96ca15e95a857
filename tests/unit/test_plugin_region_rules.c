/* pda-pam against its rules by hand, blur-lus against two local steps by hand, which pixels pixel-noise
 * changes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* before cmocka, which has a macro `fail` */
#include "../../plugins/shared/region/seeded_draws.c"
#include "../../plugins/shared/region/layers.c"
#include "../../plugins/shared/region/psi.c"
#include "../../plugins/defenses/region/sparse.c"
#include <cmocka.h>

#include "nn/model/train.h"
#include "region_net.h"
#include "try_plugin.h"

typedef struct bench {
    tried t;
    net n;
    gnt_err err;
} bench;

static const gnt_defense *open_bench(bench *b, const char *id, const char *model, int channels,
                                     const char *json, uint64_t seed) {
    char where[4096];
    memset(b, 0, sizeof *b);
    net_open(&b->n, model, channels, 7);
    if (try_load(&b->t, built("plugins/defenses/region.so", where), GNT_PLUGIN_DEFENSE, id, json, &b->err) ||
        try_start(&b->t, seed, (gnt_instance_spec){.model = b->n.service}, &b->err))
        fail_msg("%s", b->err.text);
    return gnt_instance_defense(b->t.instance);
}

static void close_bench(bench *b) {
    try_close(&b->t);
    net_close(&b->n);
}

static gnt_status left(bench *b, gnt_status status) {
    return gnt_instance_leave(b->t.instance, status, &b->err);
}

static void is_near(double got, double expected, double share) {
    if (!(fabs(got - expected) <= share * fabs(expected)))
        fail_msg("%.12g, expected %.12g", got, expected);
}

/* ---- pda-pam ---- */

enum { CLIENTS = 2 };

static const char bn_json[] =
    "{\"layers\": [{\"type\": \"conv\", \"name\": \"c\", \"out\": 1, \"kernel\": 3, \"pad\": 1},"
    " {\"type\": \"batch_norm\", \"name\": \"n\"}, {\"type\": \"sigmoid\"}, {\"type\": \"flatten\"},"
    " {\"type\": \"dense\", \"name\": \"d\", \"out\": \"classes\"}]}";

typedef struct round_of_two {
    float update[CLIENTS][NET_MOST], next[NET_MOST], buffers[CLIENTS][2], new_buffers[2];
    const float *updates[CLIENTS], *client_buffers[CLIENTS];
    double share[CLIENTS];
    gnt_aggregate in;
} round_of_two;

static void begin(round_of_two *r, bench *b, int is_gradient) {
    *r = (round_of_two){.share = {0.3, 0.7}};
    for (int k = 0; k < CLIENTS; k++) {
        net_fill(&b->n, 20 + (uint64_t)k, k ? 0.5 : 0.1); /* the second one goes far: its scores differ */
        memcpy(r->update[k], b->n.update, sizeof b->n.update);
        r->updates[k] = r->update[k];
        r->client_buffers[k] = r->buffers[k];
        r->buffers[k][0] = k ? 0.4f : -0.2f; /* mean and variance of one channel */
        r->buffers[k][1] = k ? 2 : 0.5f;
    }
    r->in = (gnt_aggregate){.size = sizeof r->in,
                            .n_clients = CLIENTS,
                            .n_params = b->n.params,
                            .old_weights = b->n.weights,
                            .update = r->updates,
                            .share = r->share,
                            .rate = 0.5,
                            .is_gradient = is_gradient,
                            .public_data = &b->n.samples};
    if (gnt_service_table(b->n.service)->info->n_buffers) {
        r->in.buffers = r->buffers[0];
        r->in.client_buffers = r->client_buffers;
        r->in.new_buffers = r->new_buffers;
        r->in.n_buffers = 2;
    }
}

static gnt_status aggregate(bench *b, round_of_two *r) {
    const gnt_defense *d = gnt_instance_defense(b->t.instance);
    gnt_instance_enter(b->t.instance, "aggregate");
    return left(b, d->aggregate(gnt_instance_self(b->t.instance), &r->in, r->next));
}

/* The score of each layer at the local model of client k; `layer` of each tensor. */
static void scores_of(bench *b, const round_of_two *r, int k, double *out, int32_t *layer) {
    plain_host p;
    layers l;
    float weights[NET_MOST];
    const double step = r->in.is_gradient ? -r->in.rate : 1;
    const gnt_host *host = plain_open(&p, 1);
    p.host.model = gnt_service_table(b->n.service);
    for (int64_t i = 0; i < b->n.params; i++)
        weights[i] = (float)((double)b->n.weights[i] + step * (double)r->update[k][i]);
    const psi_request in = {.samples = &b->n.samples,
                            .row = b->n.row,
                            .n = NET_ROWS,
                            .weights = weights,
                            .buffers = r->in.client_buffers ? r->in.client_buffers[k] : NULL};
    assert_int_equal(layers_of_model(host, &l), GNT_OK);
    assert_int_equal(psi_scores(host, &l, &in, out), GNT_OK);
    memcpy(layer, l.of, (size_t)l.tensors * sizeof *layer);
    plain_close(&p);
}

/* Both rules, from the scores of two clients by hand. */
static void follows_its_rules(const char *model, int is_gradient, int printed) {
    static bench b;
    round_of_two r;
    double score[CLIENTS][NET_MOST_TENSORS] = {{0}};
    int32_t layer[NET_MOST_TENSORS];
    open_bench(&b, "pda-pam", model, 1,
               printed ? "{\"rule\": \"printed\", \"probes\": 0, \"samples\": 1000}"
                       : "{\"probes\": 0, \"samples\": 1000}",
               1);
    begin(&r, &b, is_gradient);
    scores_of(&b, &r, 0, score[0], layer);
    scores_of(&b, &r, 1, score[1], layer);
    assert_true(fabs(score[0][0] - score[1][0]) + fabs(score[0][1] - score[1][1]) > 0.02);
    if (aggregate(&b, &r) != GNT_OK)
        fail_msg("%s", b.err.text);
    const double step = is_gradient ? -0.5 : 1;
    int64_t at = 0;
    for (int64_t t = 0; t < b.n.tensors.n; t++) {
        const double s0 = score[0][layer[t]], s1 = score[1][layer[t]];
        const double plus = exp(s0) + exp(s1), minus = 0.3 * exp(-s0) + 0.7 * exp(-s1);
        const double f0 = printed ? plus / exp(s0) / 2 : 0.3 * exp(-s0) / minus;
        const double f1 = printed ? plus / exp(s1) / 2 : 0.7 * exp(-s1) / minus;
        for (int64_t end = at + b.n.tensors.tensor[t].count; at < end; at++) {
            const double u = f0 * (double)r.update[0][at] + f1 * (double)r.update[1][at];
            const double expected = (double)b.n.weights[at] + step * u;
            if (fabs((double)r.next[at] - expected) > 1e-5)
                fail_msg("weight %d is %.8g, expected %.8g", (int)at, (double)r.next[at], expected);
        }
    }
    assert_true(r.new_buffers[0] == 0 && r.new_buffers[1] == 0); /* the host's, unchanged */
    close_bench(&b);
}

static void pda_pam_follows_its_rules(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++)
        follows_its_rules(net_json, k & 1, k >> 1);
    follows_its_rules(bn_json, 0, 0); /* each client's own running statistics */
}

/* Hidden neurons 0 and 1 are alike before the round, and what one client does with the one, the other does
 * with the other: different updates, equal scores. */
static void equal_scores_are_fedavg(void **state) {
    (void)state;
    for (int is_gradient = 0; is_gradient < 2; is_gradient++) {
        static bench b;
        round_of_two r;
        open_bench(&b, "pda-pam", net_json, 1, "{\"probes\": 0, \"samples\": 1000}", 1);
        begin(&r, &b, is_gradient);
        float *w = b.n.weights, *u = r.update[0], *v = r.update[1];
        const int bias = NET_HIDDEN * b.n.in, second = bias + NET_HIDDEN;
        memcpy(v, u, sizeof r.update[0]);
        for (int i = 0; i < b.n.in; i++) {
            w[b.n.in + i] = w[i];
            v[i] = u[b.n.in + i];
            v[b.n.in + i] = u[i];
        }
        w[bias + 1] = w[bias];
        v[bias] = u[bias + 1];
        v[bias + 1] = u[bias];
        for (int c = 0; c < NET_CLASSES; c++) {
            const int at = second + c * NET_HIDDEN;
            w[at + 1] = w[at];
            v[at] = u[at + 1];
            v[at + 1] = u[at];
        }
        assert_int_equal(aggregate(&b, &r), GNT_OK);
        double apart = 0;
        for (int64_t i = 0; i < b.n.params; i++) {
            const double mean = 0.3 * (double)u[i] + 0.7 * (double)v[i];
            assert_true(fabs((double)r.next[i] - ((double)w[i] + (is_gradient ? -0.5 : 1) * mean)) < 1e-6);
            apart = fmax(apart, fabs((double)u[i] - (double)v[i]));
        }
        assert_true(apart > 0.1);
        close_bench(&b);
    }
}

/* Scores by probes are compared by the same directions: equal models are equal. */
static void equal_models_have_equal_weight(void **state) {
    (void)state;
    static bench b;
    round_of_two r;
    open_bench(&b, "pda-pam", net_json, 1, "{\"probes\": 2, \"samples\": 3}", 1);
    begin(&r, &b, 0);
    memcpy(r.update[1], r.update[0], sizeof r.update[0]);
    r.share[0] = r.share[1] = 0.5;
    assert_int_equal(aggregate(&b, &r), GNT_OK);
    is_near(try_fact(&b.t, "effective_clients"), 2, 1e-12);
    close_bench(&b);
}

static void a_model_that_diverged_has_no_weight(void **state) {
    (void)state;
    for (int printed = 0; printed < 2; printed++) {
        static bench b;
        round_of_two r;
        open_bench(&b, "pda-pam", net_json, 1,
                   printed ? "{\"rule\": \"printed\"}" : "{\"rule\": \"softmax\"}", 1);
        begin(&r, &b, 0);
        for (int64_t i = 0; i < b.n.params; i++)
            r.update[1][i] = 1e38f;
        const gnt_status status = aggregate(&b, &r);
        assert_int_equal(status, printed ? GNT_FAILED : GNT_OK);
        if (printed)
            assert_non_null(strstr(b.err.text, "take rule \"softmax\""));
        for (int64_t i = 0; !printed && i < b.n.params; i++)
            assert_true(fabs((double)r.next[i] - (double)b.n.weights[i] - (double)r.update[0][i]) < 1e-6);
        close_bench(&b);
    }
}

static void pda_pam_refuses_in_words(void **state) {
    (void)state;
    static bench b;
    round_of_two r;
    open_bench(&b, "pda-pam", net_json, 1, NULL, 1);
    begin(&r, &b, 0);
    r.in.n_params--;
    assert_int_equal(aggregate(&b, &r), GNT_UNSUPPORTED);
    assert_non_null(strstr(b.err.text, "keep for themselves"));
    r.in.n_params++;
    r.in.public_data = NULL;
    assert_int_equal(aggregate(&b, &r), GNT_UNSUPPORTED);
    assert_non_null(strstr(b.err.text, "public samples"));
    close_bench(&b);
}

/* ---- blur-lus ---- */

static void exactly_a_share_stays(void **state) {
    (void)state;
    plain_host p;
    const gnt_host *host = plain_open(&p, 1);
    float a[] = {0.1f, -5, 0, 3, 3}, c[] = {-3, 3, 1, -0.0f, 2};
    const struct {
        double keep;
        int stay;
        float a[5], c[5];
    } cases[] = {
        {1, 8, {0.1f, -5, 0, 3, 3}, {-3, 3, 1, -0.0f, 2}},
        {0.3, 3, {0, -5, 0, 3, 3}, {0}}, /* of equal ones those that come first */
        {0.4, 4, {0, -5, 0, 3, 3}, {-3}},
        {0.71, 8, {0.1f, -5, 0, 3, 3}, {-3, 3, 1, 0, 2}}, /* ⌊2.9⌋ go, the two that are 0 */
        {0, 0, {0}, {0}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        float x[5], y[5];
        memcpy(x, a, sizeof a);
        memcpy(y, c, sizeof c);
        gnt_tensor t[] = {try_tensor("a", x, 5), try_tensor("c", y, 5)};
        gnt_tensors update = {2, t};
        int stayed = 0;
        assert_int_equal(sparse_keep(host, &update, cases[k].keep), GNT_OK);
        for (int i = 0; i < 5; i++) {
            assert_true(x[i] == cases[k].a[i] && y[i] == cases[k].c[i]);
            stayed += (x[i] != 0) + (y[i] != 0);
        }
        assert_int_equal(stayed, cases[k].stay);
    }
}

static gnt_client client_of(const net *n, const gnt_samples *samples, int32_t steps) {
    return (gnt_client){.size = sizeof(gnt_client),
                        .n_clients = 1,
                        .n_samples = samples->n,
                        .rate = 0.2,
                        .rounds = 1,
                        .steps = steps,
                        .batch = samples->n,
                        .samples = samples,
                        .weights = n->weights};
}

static gnt_status compute(bench *b, const gnt_client *c) {
    gnt_instance_enter(b->t.instance, "client_update");
    return left(b, gnt_instance_defense(b->t.instance)
                       ->client_update(gnt_instance_self(b->t.instance), c, &b->n.tensors));
}

/* Two steps on one sample: the regulariser pulls in the second one, where the first went beyond the clip. */
static void local_steps_are_regularised(void **state) {
    (void)state;
    for (int bound = 0; bound < 2; bound++) {
        static bench b;
        double w[NET_MOST], g[NET_MOST], start[NET_MOST], length = 0;
        open_bench(&b, "blur-lus", net_json, 1,
                   bound ? "{\"lambda\": 1.5, \"clip\": 0.01}" : "{\"lambda\": 1.5, \"clip\": 100}", 1);
        gnt_samples one = b.n.samples;
        one.n = 1;
        const gnt_client c = client_of(&b.n, &one, 2);
        assert_int_equal(compute(&b, &c), GNT_OK);
        for (int64_t i = 0; i < b.n.params; i++)
            w[i] = start[i] = (double)b.n.weights[i];
        net_gradient(&b.n, w, 0, g);
        for (int64_t i = 0; i < b.n.params; i++) {
            w[i] -= 0.2 * g[i];
            length += (w[i] - start[i]) * (w[i] - start[i]);
        }
        assert_true(sqrt(length) > 0.02 && sqrt(length) < 10);
        net_gradient(&b.n, w, 0, g);
        for (int64_t i = 0; i < b.n.params; i++) {
            const double pull = bound ? 1.5 * (w[i] - start[i]) : 0;
            const double expected = w[i] - 0.2 * (g[i] + pull) - start[i];
            if (fabs((double)b.n.update[i] - expected) > 1e-6)
                fail_msg("entry %d is %.8g, expected %.8g", (int)i, (double)b.n.update[i], expected);
        }
        assert_true(try_fact(&b.t, "regularised") == (bound ? 0.5 : 0));
        close_bench(&b);
    }
}

enum { NORM_STEPS = 3 };
static const float norm_start[2] = {0.3f, 1.7f};

/* What the host's clients compute in `steps` steps on all rows, with momentum .5 and decay .1, or one
 * gradient; sent: what they send of their running statistics. */
static void host_steps(const net *n, int steps, float *update, float sent[2]) {
    float w[NET_MOST], v[NET_MOST] = {0}, stats[2], running[2];
    gnt_trainer *t;
    gnt_err err = {0};
    assert_int_equal(gnt_trainer_new(&t, n->model, NET_ROWS, 1, &err), 0);
    memcpy(w, n->weights, sizeof w);
    memcpy(running, norm_start, sizeof running);
    for (int k = 0; k < (steps > 0 ? steps : 1); k++) {
        assert_int_equal(gnt_trainer_gradient(t, w, running, n->x, n->y, update, NULL, stats, &err), 0);
        for (int i = 0; i < 2; i++)
            running[i] = 0.9f * running[i] + 0.1f * stats[i];
        if (steps > 0)
            gnt_sgd_step(w, v, update, n->params, 0.2, 0.5, 0.1);
    }
    for (int64_t i = 0; steps > 0 && i < n->params; i++)
        update[i] = w[i] - n->weights[i];
    for (int i = 0; i < 2; i++)
        sent[i] = running[i] - norm_start[i];
    gnt_trainer_free(t);
}

/* Without its regulariser it computes what the host does, batch norm's statistics included. */
static void batch_norm_is_the_hosts(void **state) {
    (void)state;
    for (int steps = 0; steps <= NORM_STEPS; steps += NORM_STEPS) {
        static bench b;
        float update[NET_MOST], sent[2], its[2] = {0};
        char where[4096];
        net_open(&b.n, bn_json, 1, 7);
        gnt_service_free(b.n.service);
        const gnt_service_spec of = {.model = b.n.model, .name = "test", .training = 1};
        assert_int_equal(gnt_service_new(&b.n.service, &of, &b.err), 0);
        if (try_load(&b.t, built("plugins/defenses/region.so", where), GNT_PLUGIN_DEFENSE, "blur-lus",
                     "{\"lambda\": 0, \"clip\": 100}", &b.err) ||
            try_start(&b.t, 1, (gnt_instance_spec){.model = b.n.service}, &b.err))
            fail_msg("%s", b.err.text);
        gnt_tensor tensor[] = {try_tensor("mean", its, 1), try_tensor("var", its + 1, 1)};
        gnt_tensors statistics = {2, tensor};
        gnt_client c = client_of(&b.n, &b.n.samples, steps);
        c.buffers = norm_start;
        c.sent_buffers = &statistics;
        c.momentum = 0.5;
        c.decay = 0.1;
        assert_int_equal(compute(&b, &c), GNT_OK);
        host_steps(&b.n, steps, update, sent);
        for (int64_t i = 0; i < b.n.params; i++)
            if (fabsf(b.n.update[i] - update[i]) > 1e-5f)
                fail_msg("%d steps: entry %d is %.8g, expected %.8g", steps, (int)i, (double)b.n.update[i],
                         (double)update[i]);
        for (int i = 0; i < 2; i++)
            assert_true(fabsf(its[i] - sent[i]) < 1e-6f && fabsf(sent[i]) > 1e-3f);
        /* and with the broadcast ones, where clients send none */
        c.sent_buffers = NULL;
        its[0] = 5;
        assert_int_equal(compute(&b, &c), GNT_OK);
        assert_true(its[0] == 5);
        close_bench(&b);
    }
}

static void one_gradient_is_the_plain_one(void **state) {
    (void)state;
    static bench b;
    double w[NET_MOST], g[NET_MOST], mean[NET_MOST] = {0};
    open_bench(&b, "blur-lus", net_json, 1, "{\"lambda\": 1000, \"clip\": 1e-10}", 1);
    const gnt_client c = client_of(&b.n, &b.n.samples, 0);
    assert_int_equal(compute(&b, &c), GNT_OK);
    for (int64_t i = 0; i < b.n.params; i++)
        w[i] = (double)b.n.weights[i];
    for (int r = 0; r < NET_ROWS; r++) {
        net_gradient(&b.n, w, r, g);
        for (int64_t i = 0; i < b.n.params; i++)
            mean[i] += g[i] / NET_ROWS;
    }
    for (int64_t i = 0; i < b.n.params; i++)
        assert_true(fabs((double)b.n.update[i] - mean[i]) < 1e-5);
    b.n.weights[0] = NAN;
    assert_int_equal(compute(&b, &c), GNT_FAILED);
    assert_non_null(strstr(b.err.text, "diverged"));
    close_bench(&b);
}

/* Sparse first, then the clip of the whole, then noise in every entry. */
static void what_leaves_is_sparse_clipped_and_noisy(void **state) {
    (void)state;
    static bench b;
    static float large[200000];
    float few[] = {3, 1, -4, 2};
    gnt_tensor t[] = {try_tensor("few", few, 4), try_tensor("large", large, 200000)};
    gnt_tensors update = {2, t};
    gnt_client c = {.size = sizeof c, .n_clients = 1, .rounds = 4};
    memset(large, 0, sizeof large);
    const gnt_defense *d =
        open_bench(&b, "blur-lus", net_json, 1,
                   "{\"epsilon\": 1e6, \"delta\": 1e-4, \"clip\": 2, \"keep\": 0.00001}", 1);
    gnt_instance_enter(b.t.instance, "transform_update");
    assert_int_equal(left(&b, d->transform_update(gnt_instance_self(b.t.instance), &c, &update)), GNT_OK);
    const double sigma = 2 * sqrt(2 * 4 * log(1e4)) / 1e6;
    /* ⌊(1 − 0.00001)·200004⌋ go: 3 stay, whose norm is √29 */
    static const double kept_of_them[] = {3, 0, -4, 2};
    double sum = 0;
    for (int i = 0; i < 4; i++)
        assert_true(fabs((double)few[i] - kept_of_them[i] * 2 / sqrt(29)) < 1e-3);
    for (int i = 0; i < 200000; i++)
        sum += (double)large[i] * (double)large[i];
    is_near(sum / 200000, sigma * sigma, 0.02);
    assert_true(try_fact(&b.t, "epsilon_claimed") == 1e6 && try_fact(&b.t, "clipped") == 1);
    close_bench(&b);
}

/* ---- pixel-noise ---- */

typedef struct encoded {
    float x[NET_ROWS][NET_MOST_IN], y[NET_ROWS][NET_CLASSES];
    int64_t id[NET_ROWS], n;
    int in;
} encoded;

static gnt_status put(void *context, const float *x, const float *y, int64_t id) {
    encoded *e = context;
    assert_true(e->n < NET_ROWS);
    memcpy(e->x[e->n], x, (size_t)e->in * sizeof *x);
    memcpy(e->y[e->n], y, NET_CLASSES * sizeof *y);
    e->id[e->n++] = id;
    return GNT_OK;
}

typedef struct secret {
    uint8_t data[8];
    gnt_blob blob;
    gnt_artefacts artefacts;
} secret;

static gnt_status keep_blob(void *context, const char *name, const uint8_t *data, int64_t count) {
    secret *s = context;
    assert_int_equal(count, 8);
    memcpy(s->data, data, 8);
    s->blob = (gnt_blob){.name = "secret", .data = s->data, .count = 8};
    s->artefacts = (gnt_artefacts){.size = sizeof s->artefacts, .n_blobs = 1, .blob = &s->blob};
    assert_string_equal(name, "secret");
    return GNT_OK;
}

static void draw_secret(bench *b, secret *out) {
    const gnt_defense_prepare in = {.size = sizeof in, .stage = -1};
    const gnt_sink sink = {.size = sizeof sink, .context = out, .blob = keep_blob};
    gnt_instance_enter(b->t.instance, "prepare");
    assert_int_equal(
        left(b, gnt_instance_defense(b->t.instance)->prepare(gnt_instance_self(b->t.instance), &in, &sink)),
        GNT_OK);
}

static gnt_status encode(bench *b, const secret *s, const gnt_samples *samples, int64_t epoch, encoded *out) {
    gnt_client c = client_of(&b->n, samples, 1);
    const gnt_samples_sink sink = {.size = sizeof sink, .context = out, .put = put};
    c.artefacts = s ? &s->artefacts : NULL;
    *out = (encoded){.in = b->n.in};
    gnt_instance_enter(b->t.instance, "encode_set");
    return left(
        b,
        gnt_instance_defense(b->t.instance)->encode_set(gnt_instance_self(b->t.instance), &c, epoch, &sink));
}

static void noise_is_inside_the_mask(void **state) {
    (void)state;
    static bench b;
    static encoded e;
    secret s;
    int inside = 0, changed = 0;
    double sum = 0, squares = 0;
    open_bench(&b, "pixel-noise", net_json, 2, "{\"sigma\": 0.05}", 1);
    for (int i = 0; i < NET_ROWS * b.n.in; i++)
        b.n.x[i] = 0.3f + 0.4f * b.n.x[i]; /* far from both ends */
    draw_secret(&b, &s);
    assert_int_equal(encode(&b, &s, &b.n.samples, 0, &e), GNT_OK);
    assert_int_equal(e.n, NET_ROWS);
    for (int r = 0; r < NET_ROWS; r++) {
        assert_int_equal(e.id[r], r);
        assert_memory_equal(e.y[r], b.n.y + r * NET_CLASSES, sizeof e.y[r]);
        for (int i = 0; i < b.n.in; i++) {
            const double d = (double)e.x[r][i] - (double)b.n.x[r * b.n.in + i];
            if (!b.n.mask[r * NET_PIXELS + i % NET_PIXELS]) {
                assert_true(d == 0);
                continue;
            }
            inside++;
            changed += d != 0;
            sum += d;
            squares += d * d;
        }
    }
    assert_true(inside > 200 && changed == inside);
    /* within four standard errors: of a mean σ/√n, of a deviation σ/√(2n) */
    assert_true(fabs(sum / inside) < 4 * 0.05 / sqrt(inside));
    is_near(sqrt(squares / inside), 0.05, 4 / sqrt(2.0 * inside));
    is_near(try_fact(&b.t, "region_share"), (double)inside / (NET_ROWS * b.n.in), 1e-12);
    b.n.samples.mask = NULL;
    assert_int_equal(encode(&b, &s, &b.n.samples, 0, &e), GNT_OK);
    for (int i = 0; i < b.n.in; i++)
        assert_true(e.x[0][i] != b.n.x[i]);
    close_bench(&b);
    open_bench(&b, "pixel-noise", net_json, 2, "{\"sigma\": 10}", 1);
    draw_secret(&b, &s);
    assert_int_equal(encode(&b, &s, &b.n.samples, 0, &e), GNT_OK);
    for (int i = 0; i < b.n.in; i++)
        assert_true(e.x[0][i] >= 0 && e.x[0][i] <= 1);
    close_bench(&b);
}

/* Whatever the round, the pass, the samples next to it, and the key of the client's streams. */
static void a_sample_has_the_same_noise_each_time(void **state) {
    (void)state;
    static bench b, c;
    static encoded e, f;
    secret s, other;
    open_bench(&b, "pixel-noise", net_json, 1, NULL, 1);
    open_bench(&c, "pixel-noise", net_json, 1, NULL, 2);
    draw_secret(&b, &s);
    draw_secret(&c, &other);
    assert_memory_not_equal(s.data, other.data, 8);
    assert_int_equal(encode(&b, &s, &b.n.samples, 0, &e), GNT_OK);
    gnt_samples few = c.n.samples;
    few.n = 2;
    few.x += 3 * few.features;
    few.y += 3 * few.classes;
    few.mask += 3 * NET_PIXELS;
    assert_int_equal(encode(&c, &s, &few, 5, &f), GNT_OK);
    assert_memory_equal(e.x[3], f.x[0], NET_PIXELS * sizeof(float));
    assert_memory_equal(e.x[4], f.x[1], NET_PIXELS * sizeof(float));
    close_bench(&c);
    open_bench(&c, "pixel-noise", net_json, 1, NULL, 2);
    assert_int_equal(encode(&c, &other, &c.n.samples, 0, &f), GNT_OK); /* another secret */
    assert_memory_not_equal(e.x[3], f.x[3], NET_PIXELS * sizeof(float));
    close_bench(&c);
    open_bench(&c, "pixel-noise", net_json, 1, NULL, 2);
    assert_int_equal(encode(&c, NULL, &c.n.samples, 0, &f), GNT_FAILED);
    assert_non_null(strstr(c.err.text, "secret"));
    close_bench(&b);
    close_bench(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pda_pam_follows_its_rules),
        cmocka_unit_test(equal_scores_are_fedavg),
        cmocka_unit_test(equal_models_have_equal_weight),
        cmocka_unit_test(a_model_that_diverged_has_no_weight),
        cmocka_unit_test(pda_pam_refuses_in_words),
        cmocka_unit_test(exactly_a_share_stays),
        cmocka_unit_test(local_steps_are_regularised),
        cmocka_unit_test(batch_norm_is_the_hosts),
        cmocka_unit_test(one_gradient_is_the_plain_one),
        cmocka_unit_test(what_leaves_is_sparse_clipped_and_noisy),
        cmocka_unit_test(noise_is_inside_the_mask),
        cmocka_unit_test(a_sample_has_the_same_noise_each_time),
    };
    return cmocka_run_group_tests_name("region_rules", tests, NULL, NULL);
}
