/* Hooks that run in a process of their own give what they give in this one, to the byte, under the same keys:
 * a chain compared with its own copy behind sockets (tests/plugins/sides.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "job/work/defense_state.h"
#include "job/side/remote.h"
#include "must_work.h"
#include "sides.h"

typedef struct both {
    sides_job job;
    gnt_work_model model;
    gnt_remote_spec spec;
    gnt_remote *remote;
    gnt_work_chain here, server, query; /* as each side has one */
    gnt_sampleset data, public_data;
    float *weights, *buffers;
    gnt_key role;
} both;

static const sides_defense every_hook = {"tests/so/sides.so", "every-hook", "{}", SIDES_EVERY};

static void open_both(both *b, sides_defenses defenses, const char *sides, int claims) {
    gnt_err err = {0};
    const gnt_request_train *q = sides_open(&b->job, defenses);
    b->role = q->defense_key;
    b->spec = (gnt_remote_spec){.defense = &q->defense, .key = &q->defense_key, .claims = claims};
    fuzz_samples(fuzz_input(&b->job.inputs, "public"), 4);
    fuzz_samples(fuzz_input(&b->job.inputs, "clients"), 12);
    sides_start(&b->job, sides);
    gnt_work *w = &b->job.inputs.work;
    if (gnt_work_model_open(&b->model, &q->model, 1, &err) != 0 ||
        gnt_remote_open(&b->remote, w, &b->model, &b->spec, &err) != 0 ||
        gnt_work_chain_open(&b->here, w, &b->model, &q->defense, &b->role, &err) != 0 ||
        gnt_work_chain_open(&b->server, w, &b->model, &q->defense, &b->role, &err) != 0 ||
        gnt_work_chain_open(&b->query, w, &b->model, &q->defense, &b->role, &err) != 0 ||
        gnt_work_samples(&b->data, w, "clients", NULL, &err) != 0 ||
        gnt_work_samples(&b->public_data, w, "public", NULL, &err) != 0)
        fail_msg("%s", err.text);
    b->weights = gnt_array((size_t)gnt_model_size(b->model.model), sizeof *b->weights);
    b->buffers = gnt_array((size_t)gnt_model_buffer_size(b->model.model), sizeof *b->buffers);
    gnt_stream random = gnt_stream_open(&b->role, "weights");
    gnt_model_init(b->model.model, &random, b->weights, b->buffers);
}

static void close_both(both *b) {
    gnt_remote_free(b->remote);
    sides_stop(&b->job);
    gnt_work_chain_free(&b->here);
    gnt_work_chain_free(&b->server);
    gnt_work_chain_free(&b->query);
    gnt_sampleset_free(&b->data);
    gnt_sampleset_free(&b->public_data);
    gnt_work_model_free(&b->model);
    gnt_free(b->weights);
    gnt_free(b->buffers);
    sides_close(&b->job);
}

/* Streams of the hooks of a client belong to the round and the client, and to the member of the chain. */
static void key_chain(const both *b, gnt_work_chain *c, int32_t round, int32_t client) {
    char name[64];
    snprintf(name, sizeof name, "round %d client %d", round, client);
    const gnt_key key = gnt_key_derive(&b->role, name);
    for (int32_t i = 0; i < c->chain.n; i++) {
        snprintf(name, sizeof name, "member %d", i);
        const gnt_key own = gnt_key_derive(&key, name);
        gnt_instance_rekey(c->plugin[i].instance, &own);
    }
}

static gnt_client client_of(const both *b, int32_t round, int32_t client, const gnt_samples *samples) {
    return (gnt_client){.size = sizeof(gnt_client),
                        .index = client,
                        .round = round,
                        .n_clients = 3,
                        .n_samples = samples ? samples->n : 0,
                        .n_labels = 3,
                        .rate = 0.1,
                        .steps = 2,
                        .batch = 4,
                        .samples = samples,
                        .weights = b->weights,
                        .buffers = b->buffers,
                        .public_data = client == 1 ? NULL : &b->public_data.view,
                        .rounds = 3,
                        .per_round = 3};
}

typedef int (*encode_call)(const gnt_chain *chain, gnt_client *client, int64_t when, gnt_batch *b,
                           gnt_err *err);

static void compare_encodings(const both *b, const gnt_chain *here, encode_call encode, int32_t round,
                              int32_t client, const gnt_samples *samples, int claims) {
    gnt_batch mine, theirs;
    gnt_mixture of_mine = {0}, of_theirs = {0};
    gnt_client a = client_of(b, round, client, NULL), z = a;
    gnt_batch_borrow(&mine, samples);
    gnt_batch_borrow(&theirs, samples);
    if (claims) {
        MUST_WORK(gnt_mixture_identity(&of_mine, samples->n, err));
        MUST_WORK(gnt_mixture_identity(&of_theirs, samples->n, err));
        mine.made_of = &of_mine;
        theirs.made_of = &of_theirs;
    }
    MUST_WORK(encode(here, &a, 1, &mine, err));
    MUST_WORK(encode(gnt_remote_chain(b->remote), &z, 1, &theirs, err));
    assert_true(mine.view.n == theirs.view.n && mine.view.n == samples->n);
    assert_memory_equal(mine.view.x, theirs.view.x,
                        (size_t)(mine.view.n * mine.view.features) * sizeof *mine.view.x);
    assert_int_equal(mine.view.y != NULL, theirs.view.y != NULL);
    assert_int_equal(mine.view.a != NULL, theirs.view.a != NULL);
    if (mine.view.y) {
        assert_memory_equal(mine.view.y, theirs.view.y,
                            (size_t)(mine.view.n * mine.view.classes) * sizeof *mine.view.y);
        assert_memory_equal(mine.view.id, theirs.view.id, (size_t)mine.view.n * sizeof *mine.view.id);
    }
    for (int64_t r = 0; r < of_mine.rows; r++) {
        assert_int_equal(of_mine.source[r], of_theirs.source[r]);
        for (int64_t o = 0; o < of_mine.originals; o++) {
            const double d = (double)of_mine.weight[r * of_mine.originals + o] -
                             (double)of_theirs.weight[r * of_mine.originals + o];
            assert_true(d < 1e-6 && d > -1e-6);
        }
    }
    gnt_batch_free(&mine);
    gnt_batch_free(&theirs);
    gnt_mixture_free(&of_mine);
    gnt_mixture_free(&of_theirs);
}

static void compare_updates(both *b, int32_t round, int32_t client, const gnt_samples *samples) {
    const int64_t n = gnt_model_shared_size(b->model.model);
    float *mine = gnt_array((size_t)n, sizeof *mine), *theirs = gnt_array((size_t)n, sizeof *theirs);
    for (int64_t i = 0; i < n; i++)
        mine[i] = theirs[i] = (float)(i % 11 - 5 + client) / 10;
    for (int way = 0; way < 2; way++) {
        gnt_tensors t;
        gnt_client c = client_of(b, round, client, samples);
        float *at = way ? theirs : mine;
        MUST_WORK(gnt_fl_tensors(&t, b->model.model, err));
        for (int64_t i = 0; i < t.n; at += t.tensor[i++].count)
            t.tensor[i].data = at;
        MUST_WORK(gnt_chain_transform(way ? gnt_remote_chain(b->remote) : &b->here.chain, &c, &t, err));
        gnt_free(t.tensor);
    }
    assert_memory_equal(mine, theirs, (size_t)n * sizeof *mine);
    gnt_free(mine);
    gnt_free(theirs);
}

static void compare_rates(both *b, int32_t round, int32_t client, const gnt_samples *samples) {
    for (int64_t step = 0; step < 2; step++) {
        double mine = 0.1, theirs = 0.1;
        gnt_client c = client_of(b, round, client, samples);
        MUST_WORK(gnt_chain_local_rate(&b->here.chain, &c, step, &mine, err));
        c = client_of(b, round, client, samples);
        MUST_WORK(gnt_chain_local_rate(gnt_remote_chain(b->remote), &c, step, &theirs, err));
        assert_memory_equal(&mine, &theirs, sizeof mine);
        assert_true(mine != 0.1);
    }
}

/* The server's instance is another than the clients': its streams are its own, and go on from round to round.
 */
static void compare_aggregates(both *b, int32_t round) {
    enum { CLIENTS = 3 };
    const int64_t n = gnt_model_shared_size(b->model.model), stats = gnt_model_buffer_size(b->model.model);
    float *update[CLIENTS], *buffers[CLIENTS], *next[2], *average[2];
    const int32_t index[CLIENTS] = {0, 2, 5};
    const int64_t samples[CLIENTS] = {4, 4, 8};
    const double share[CLIENTS] = {0.25, 0.25, 0.5};
    for (int k = 0; k < CLIENTS; k++) {
        update[k] = gnt_array((size_t)n, sizeof **update);
        buffers[k] = gnt_array((size_t)stats, sizeof **buffers);
        for (int64_t i = 0; i < n; i++)
            update[k][i] = (float)((i + round) % 5 + k) / 9;
        for (int64_t i = 0; i < stats; i++)
            buffers[k][i] = (float)(i + k);
    }
    for (int way = 0; way < 2; way++) {
        next[way] = gnt_array((size_t)n, sizeof **next);
        average[way] = gnt_array((size_t)stats, sizeof **average);
        for (int64_t i = 0; i < stats; i++)
            average[way][i] = (float)i + 0.5f;
        gnt_aggregate in = {.size = sizeof in,
                            .round = round,
                            .n_clients = CLIENTS,
                            .n_params = n,
                            .old_weights = b->weights,
                            .update = (const float *const *)update,
                            .share = share,
                            .rate = 0.1,
                            .is_gradient = round % 2,
                            .public_data = &b->public_data.view,
                            .buffers = b->buffers,
                            .client_buffers = (const float *const *)buffers,
                            .new_buffers = average[way],
                            .n_buffers = stats,
                            .client = index,
                            .samples = samples};
        int took = 0;
        MUST_WORK(gnt_chain_aggregate(way ? gnt_remote_chain(b->remote) : &b->server.chain, &in, next[way],
                                      &took, err));
        assert_true(took);
    }
    assert_memory_equal(next[0], next[1], (size_t)n * sizeof *next[0]);
    assert_memory_equal(average[0], average[1], (size_t)stats * sizeof *average[0]);
    assert_true(stats > 0 && average[1][1] != 1.5f);
    for (int k = 0; k < 2; k++) {
        gnt_free(next[k]);
        gnt_free(average[k]);
    }
    for (int k = 0; k < CLIENTS; k++) {
        gnt_free(update[k]);
        gnt_free(buffers[k]);
    }
}

static void compare_states(both *b, int32_t client) {
    gnt_st mine, theirs;
    gnt_st_init(&mine);
    gnt_st_init(&theirs);
    MUST_WORK(gnt_state_save(client < 0 ? &b->server.chain : &b->here.chain, 1, client, &mine, err));
    MUST_WORK(gnt_state_save(gnt_remote_chain(b->remote), 1, client, &theirs, err));
    assert_true(mine.n > 0 && mine.n == theirs.n);
    for (size_t i = 0; i < mine.n; i++) {
        assert_string_equal(mine.tensor[i].name, theirs.tensor[i].name);
        assert_int_equal(mine.tensor[i].type, theirs.tensor[i].type);
        assert_int_equal(mine.tensor[i].bytes, theirs.tensor[i].bytes);
        assert_memory_equal(mine.tensor[i].data, theirs.tensor[i].data, mine.tensor[i].bytes);
    }
    /* and back: another client's */
    MUST_WORK(gnt_state_load(client < 0 ? &b->server.chain : &b->here.chain, &mine, 1, client, err));
    MUST_WORK(gnt_state_load(gnt_remote_chain(b->remote), &theirs, 1, client, err));
    gnt_st_free(&mine);
    gnt_st_free(&theirs);
}

static void compare_sums(both *b) {
    gnt_partition part;
    const gnt_partition_spec spec = {.clients = 3, .kind = GNT_PARTITION_IID};
    const gnt_fl_config config = {
        .clients = 3, .rounds = 3, .steps = 2, .batch = 4, .rate = 0.1, .participation = 1};
    MUST_WORK(gnt_partition_make(&part, &spec, b->data.label, b->data.view.n, 3, &b->role, err));
    gnt_st out[2], truth[2];
    for (int way = 0; way < 2; way++) {
        gnt_st_init(&out[way]);
        gnt_st_init(&truth[way]);
    }
    MUST_WORK(gnt_state_holdings(&b->data, &part, &out[1], err));
    const gnt_chain *remote = gnt_remote_chain(b->remote);
    gnt_state_sum_spec sum = {.chain = remote,
                              .trained = &out[1],
                              .samples = &b->data,
                              .part = &part,
                              .config = &config,
                              .weights = b->weights,
                              .buffers = b->buffers};
    MUST_WORK(gnt_state_sums(&sum, &b->role, &out[1], &truth[1], err));
    for (int32_t k = 0; k < 3; k++) {
        gnt_batch own = {0};
        gnt_fl_holding holding;
        const int64_t n = part.start[k + 1] - part.start[k];
        assert_int_equal(gnt_batch_gather(&own, &b->data.view, part.index + part.start[k], n), 0);
        for (int64_t i = 0; i < n; i++)
            own.id[i] = i;
        assert_true(gnt_state_holding(&holding, &out[1], k));
        gnt_client c = client_of(b, 0, k, &own.view);
        c.n_labels = holding.labels;
        c.n_samples = holding.samples;
        c.public_data = NULL;
        key_chain(b, &b->here, -1, k);
        for (int32_t i = 0; i < b->here.chain.n; i++) {
            char name[32];
            double given[3];
            snprintf(name, sizeof name, "contribution.%d", i);
            MUST_WORK(gnt_chain_contribute(&b->here.chain.member[i], &b->here.chain, &c, given, err));
            const gnt_st_tensor *t = gnt_st_find(&truth[1], name);
            assert_non_null(t);
            assert_memory_equal((const double *)t->data + 3 * k, given, sizeof given);
        }
        gnt_batch_free(&own);
    }
    MUST_WORK(gnt_state_load_sums(&b->here.chain, &out[1], err));
    MUST_WORK(gnt_state_load_sums(&b->server.chain, &out[1], err));
    for (int way = 0; way < 2; way++) {
        gnt_st_free(&out[way]);
        gnt_st_free(&truth[way]);
    }
    gnt_partition_free(&part);
}

/* All hooks, of two members, over rounds and clients, in the order of a training. */
static void hooks_give_elsewhere_what_they_give_here(void **state) {
    (void)state;
    both b;
    open_both(&b, SIDES_DEFENSES(every_hook, every_hook), "client server query", 1);
    const gnt_samples all = b.data.view;
    compare_sums(&b);
    for (int32_t round = 0; round < 3; round++) {
        for (int32_t client = 0; client < 3; client++) {
            const gnt_samples own = gnt_samples_part(&all, 4 * client, 4);
            key_chain(&b, &b.here, round, client);
            compare_encodings(&b, &b.here.chain, gnt_chain_encode_set, round, client, &own, 1);
            compare_rates(&b, round, client, &own);
            compare_encodings(&b, &b.here.chain, gnt_chain_encode_batch, round, client, &own, 0);
            compare_updates(&b, round, client, &own);
            compare_states(&b, client);
        }
        compare_aggregates(&b, round);
        compare_states(&b, -1);
    }
    key_chain(&b, &b.query, 3, -1);
    compare_encodings(&b, &b.query.chain, gnt_chain_encode_query, 3, -1, &all, 0);
    close_both(&b);
}

static void a_computation_elsewhere_is_the_same(void **state) {
    (void)state;
    both b;
    open_both(&b, SIDES_DEFENSES({"tests/so/sides.so", "takes-all", "{}", GNT_HOOK_CLIENT_UPDATE}), "client",
              0);
    const gnt_samples own = gnt_samples_part(&b.data.view, 0, 4);
    const int64_t n = gnt_model_shared_size(b.model.model);
    float *flat[2];
    key_chain(&b, &b.here, 1, 2);
    for (int way = 0; way < 2; way++) {
        gnt_tensors t;
        int took = 0;
        gnt_client c = client_of(&b, 1, 2, &own);
        float *at = flat[way] = gnt_array((size_t)n, sizeof **flat);
        MUST_WORK(gnt_fl_tensors(&t, b.model.model, err));
        for (int64_t i = 0; i < t.n; at += t.tensor[i++].count)
            t.tensor[i].data = at;
        MUST_WORK(
            gnt_chain_client_update(way ? gnt_remote_chain(b.remote) : &b.here.chain, &c, &t, &took, err));
        assert_true(took);
        gnt_free(t.tensor);
    }
    assert_memory_equal(flat[0], flat[1], (size_t)n * sizeof **flat);
    gnt_free(flat[0]);
    gnt_free(flat[1]);
    close_both(&b);
}

/* Defenses that the house brings along. */
static void built_defenses_are_the_same_elsewhere(void **state) {
    (void)state;
    both b;
    open_both(&b,
              SIDES_DEFENSES({"plugins/defenses/mixing.so", "mixup", "{}", GNT_HOOK_ENCODE_SET},
                             {"plugins/defenses/dp.so", "dp-gaussian", "{}", GNT_HOOK_TRANSFORM_UPDATE},
                             {"plugins/defenses/prune.so", "prune", "{}", GNT_HOOK_TRANSFORM_UPDATE}),
              "client", 1);
    for (int32_t round = 0; round < 2; round++)
        for (int32_t client = 0; client < 3; client++) {
            const gnt_samples own = gnt_samples_part(&b.data.view, 4 * client, 4);
            key_chain(&b, &b.here, round, client);
            compare_encodings(&b, &b.here.chain, gnt_chain_encode_set, round, client, &own, 1);
            compare_updates(&b, round, client, &own);
        }
    close_both(&b);
}

/* In a copy of the process nothing is left of what came before, and nothing of it is left afterwards. */
static void a_copy_knows_nothing_of_others(void **state) {
    (void)state;
    both b;
    open_both(&b, SIDES_DEFENSES({"tests/so/sides.so", "peeks", "{}", GNT_HOOK_TRANSFORM_UPDATE}), "client",
              0);
    const gnt_samples own = gnt_samples_part(&b.data.view, 0, 4);
    const int64_t n = gnt_model_shared_size(b.model.model);
    float *flat = gnt_array((size_t)n, sizeof *flat);
    gnt_tensors t;
    MUST_WORK(gnt_fl_tensors(&t, b.model.model, err));
    float *at = flat;
    for (int64_t i = 0; i < t.n; at += t.tensor[i++].count)
        t.tensor[i].data = at;
    float *const first = t.tensor[t.n - 1].data;  /* what "peeks" changes */
    static const float expected[] = {1, 2, 1, 1}; /* its own one, and what the call before left */
    for (int call = 0; call < 4; call++) {
        const int alone = call >= 2;
        if (call == 2) {
            gnt_remote_free(b.remote);
            b.remote = NULL;
            sides_stop(&b.job);
            b.job.copies = b.spec.copies = 1;
            sides_start(&b.job, "client");
            MUST_WORK(gnt_remote_open(&b.remote, &b.job.inputs.work, &b.model, &b.spec, err));
        }
        gnt_client c = client_of(&b, 0, call, &own);
        *first = 1;
        if (alone)
            MUST_WORK(gnt_remote_copy_begin(b.remote, err));
        MUST_WORK(gnt_chain_transform(gnt_remote_chain(b.remote), &c, &t, err));
        if (alone)
            MUST_WORK(gnt_remote_copy_end(b.remote, err));
        assert_true(*first == expected[call]);
    }
    gnt_free(t.tensor);
    gnt_free(flat);
    close_both(&b);
}

/* A process that says another length than before is no reason to write beyond a vector. */
static void a_sum_that_grows_is_refused_or_cut(void **state) {
    (void)state;
    both b;
    open_both(&b, SIDES_DEFENSES({"tests/so/sides.so", "grows-sum", "{}", GNT_HOOK_CONTRIBUTE}), "client", 0);
    const gnt_chain *chain = gnt_remote_chain(b.remote);
    const gnt_samples own = gnt_samples_part(&b.data.view, 0, 4);
    const gnt_client c = client_of(&b, 0, 0, &own);
    const int64_t n = chain->member[0].hooks->contribute_size(chain->member[0].self);
    assert_int_equal(n, 1);
    double vector[2] = {0, 42};
    gnt_err err = {0};
    if (gnt_chain_contribute(&chain->member[0], chain, &c, vector, &err) != 0)
        assert_true(err.text[0] != 0);
    assert_true(vector[1] == 42);
    close_both(&b);
}

/* A hook that has no process, or one that has ended, is a failure with a sentence. */
static void a_side_that_is_gone_is_reported(void **state) {
    (void)state;
    both b;
    open_both(&b, SIDES_DEFENSES(every_hook, every_hook), "client", 0);
    gnt_st st;
    gnt_batch batch;
    gnt_err err = {0};
    gnt_client c = client_of(&b, 0, 0, NULL);
    gnt_st_init(&st);
    gnt_batch_borrow(&batch, &b.data.view);
    assert_int_equal(gnt_chain_encode_query(gnt_remote_chain(b.remote), &c, 0, &batch, &err), -1);
    assert_non_null(strstr(err.text, "no process"));
    gnt_batch_free(&batch);
    kill(b.job.pid[0], SIGKILL);
    err = (gnt_err){0};
    assert_int_equal(gnt_state_save(gnt_remote_chain(b.remote), 0, 1, &st, &err), -1);
    assert_non_null(strstr(err.text, "has ended"));
    int status = 0;
    close(b.job.fd[0]);
    b.job.fd[0] = -1;
    assert_true(waitpid(b.job.pid[0], &status, 0) == b.job.pid[0]);
    gnt_st_free(&st);
    close_both(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hooks_give_elsewhere_what_they_give_here),
        cmocka_unit_test(a_computation_elsewhere_is_the_same),
        cmocka_unit_test(built_defenses_are_the_same_elsewhere),
        cmocka_unit_test(a_copy_knows_nothing_of_others),
        cmocka_unit_test(a_sum_that_grows_is_refused_or_cut),
        cmocka_unit_test(a_side_that_is_gone_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
