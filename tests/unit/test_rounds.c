/* What a training records of its rounds is what it aggregated, and what its clients compute again: the jobs
 * `train` and `replay` with hooks in processes of their own. Updates are recomputed here from the rows that
 * are recorded for them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "job/job.h"
#include "job/observations.h"
#include "job/observe/observe.h"
#include "job/record/record.h"
#include "nn/model/train.h"
#include "must_work.h"
#include "recorded_rounds.h"

/* ---- what was aggregated ---- */

/* W′ = W + Σ share·Δ, or, with one gradient, v′ = μv + Σ share·g and W′ = W − η v′: as the server sums, in
 * the order of the clients and to the byte. All clients hold equally much. */
static void assert_recorded_were_aggregated(trained *t) {
    float *velocity = gnt_array((size_t)t->n_params, sizeof *velocity);
    for (int round = 0; round < ROUNDS; round++) {
        const gnt_recorded r = recorded(t, round);
        const float *old = tensor(t, "trained", "weights", round)->data;
        const float *next = tensor(t, "trained", "weights", round + 1)->data;
        const float *of[CLIENTS] = {0};
        for (int64_t j = 0; j < r.targets; j++)
            of[r.client[j]] = r.update + j * t->n_params;
        const gnt_fl_config config = gnt_work_config(&request_of(t)->federated);
        for (int64_t i = 0; i < t->n_params; i++) {
            double sum = 0;
            for (int k = 0; k < CLIENTS; k++)
                sum += 1.0 / CLIENTS * (double)of[k][i];
            if (!t->set.steps && t->set.momentum != 0)
                sum = velocity[i] = (float)(t->set.momentum * (double)velocity[i] + sum);
            const float expected =
                (float)((double)old[i] + (t->set.steps ? sum : -gnt_fl_rate(&config, round) * sum));
            if (expected != next[i])
                fail_msg("round %d, weight %d: %.9g, recomputed %.9g", round, (int)i, (double)next[i],
                         (double)expected);
        }
    }
    gnt_free(velocity);
}

static const sides_defense every_hook = {"tests/so/sides.so", "every-hook", "{}", SIDES_EVERY};
static const sides_defense mixup = {"plugins/defenses/mixing.so", "mixup", "{}", GNT_HOOK_ENCODE_SET};
static void what_is_recorded_was_aggregated(void **state) {
    static const setting settings[] = {{.steps = 0, .batch = 4, .targets = CLIENTS},
                                       {.steps = 0, .batch = 4, .targets = CLIENTS, .momentum = 0.5},
                                       {.steps = 3, .batch = 2, .targets = CLIENTS, .momentum = 0.5}};
    (void)state;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        for (int defended = 0; defended < 3; defended++) {
            trained t;
            train(&t, settings[i],
                  defended == 0   ? sides_undefended
                  : defended == 1 ? SIDES_DEFENSES(remembers)
                                  : SIDES_DEFENSES(noise),
                  "client");
            assert_recorded_were_aggregated(&t);
            forget(&t);
        }
}

/* ---- running statistics ---- */

static const sides_defense withholds = {"tests/so/sides.so", "withholds", "{}", GNT_HOOK_TRANSFORM_UPDATE};

/* The server's running statistics are the average of those that were sent, as the server sums, to the byte.
 * All clients hold equally much. Returns how many were sent in all rounds. */
static int assert_sent_statistics_were_averaged(trained *t) {
    int all = 0;
    for (int round = 0; round < ROUNDS; round++) {
        const gnt_recorded r = recorded(t, round);
        const float *old = tensor(t, "trained", "buffers", round)->data;
        const float *next = tensor(t, "trained", "buffers", round + 1)->data;
        int senders = 0;
        assert_true(r.sent_buffers && r.sends_buffers);
        for (int64_t i = 0; i < t->n_buffers; i++) {
            float sum = 0;
            senders = 0;
            for (int k = 0; k < CLIENTS; k++)
                for (int64_t j = 0; j < r.targets; j++)
                    if (r.client[j] == k && r.sends_buffers[j]) {
                        sum += 1.0f / CLIENTS * (r.sent_buffers[j * t->n_buffers + i] + old[i]);
                        senders++;
                    }
            if (senders < CLIENTS)
                sum = (float)(sum / ((double)senders / CLIENTS));
            assert_true(sum == next[i]);
        }
        all += senders;
    }
    return all;
}

static void sent_statistics_are_averaged(void **state) {
    (void)state;
    for (int which = 0; which < 3; which++) {
        trained t;
        train(&t, (setting){.steps = 3, .batch = 2, .targets = CLIENTS},
              which == 0   ? sides_undefended
              : which == 1 ? SIDES_DEFENSES(remembers)
                           : SIDES_DEFENSES(withholds, remembers),
              "client");
        assert_int_equal(assert_sent_statistics_were_averaged(&t), ROUNDS * CLIENTS / (which == 2 ? 2 : 1));
        const gnt_recorded r = recorded(&t, 1);
        for (int64_t j = 0; j < r.targets; j++)
            assert_int_equal(r.sends_buffers[j], which < 2 || r.client[j] % 2 == 0);
        forget(&t);
    }
}

/* The mark "statistics-in-the-clear" of the record; NULL: it has none. To be freed. */
static char *mark_of_statistics(trained *t) {
    json_t *all = json_loads(sides_output(&t->job, "record")->metadata, 0, NULL), *one;
    char *says = NULL;
    size_t i;
    json_array_foreach(json_object_get(all, "marks"), i, one) {
        if (strcmp(json_string_value(json_object_get(one, "what")), "statistics-in-the-clear") == 0)
            says = strdup(json_string_value(json_object_get(one, "says")));
    }
    json_decref(all);
    return says;
}

/* Every other client's statistics are in the clear, all of them, or none. */
static void statistics_in_the_clear_are_marked(void **state) {
    static const char *const says[] = {NULL, NULL, "those of 6 of 12 updates", "those of 12 of 12 updates"};
    static const sides_defense prune = {"plugins/defenses/prune.so", "prune", "{}",
                                        GNT_HOOK_TRANSFORM_UPDATE};
    (void)state;
    for (int which = 0; which < 4; which++) {
        trained t;
        train(&t, (setting){.steps = 0, .batch = 4, .targets = 2},
              which == 0   ? sides_undefended
              : which == 1 ? SIDES_DEFENSES(noise)
              : which == 2 ? SIDES_DEFENSES(withholds)
                           : SIDES_DEFENSES(prune),
              "client");
        char *mark = mark_of_statistics(&t);
        assert_true((mark != NULL) == (says[which] != NULL));
        assert_true(!mark || strstr(mark, says[which]));
        free(mark);
        forget(&t);
    }
}

/* What the host computes itself, (1 − 0.9)·(batch's − old) after one gradient, is what is sent where no hook
 * changes it, and no more than the noise of a hook apart from it where one does. */
static void statistics_are_sent_as_hooks_leave_them(void **state) {
    (void)state;
    trained plain, noisy;
    const setting s = {.steps = 0, .batch = 4, .targets = CLIENTS};
    train(&plain, s, SIDES_DEFENSES(withholds), "client");
    train(&noisy, s, SIDES_DEFENSES(remembers), "client");
    const gnt_recorded a = recorded(&plain, 0), b = recorded(&noisy, 0);
    const size_t n = (size_t)plain.n_buffers;
    float *g = gnt_array((size_t)plain.n_params, sizeof *g), *stats = gnt_array(n, sizeof *stats);
    const float *old = tensor(&plain, "trained", "buffers", 0)->data;
    gnt_trainer *trainer;
    MUST_WORK(gnt_trainer_new(&trainer, plain.model.model, s.batch, 1, err));
    for (int64_t j = 0; j < CLIENTS; j++) {
        uint32_t row[ROWS];
        gnt_batch batch;
        double apart = 0;
        for (int i = 0; i < s.batch; i++)
            row[i] = (uint32_t)a.rows[j * a.members + i];
        assert_int_equal(gnt_batch_gather(&batch, &plain.data.view, row, s.batch), 0);
        MUST_WORK(gnt_trainer_gradient(trainer, tensor(&plain, "trained", "weights", 0)->data, old,
                                       batch.view.x, batch.view.y, g, NULL, stats, err));
        for (size_t i = 0; i < n; i++) {
            const float computed = 0.9f * old[i] + 0.1f * stats[i] - old[i];
            const float *sent = a.sent_buffers + (size_t)j * n, *changed = b.sent_buffers + (size_t)j * n;
            assert_true(sent[i] == (a.client[j] % 2 ? 0 : computed));
            apart += fabs((double)(changed[i] - computed));
        }
        apart /= (double)n;
        assert_true(apart > 1e-4 && apart < 5e-3);
        gnt_batch_free(&batch);
    }
    gnt_trainer_free(trainer);
    gnt_free(g);
    gnt_free(stats);
    forget(&plain);
    forget(&noisy);
}

/* Clients that compute with the broadcast statistics have none to send, and the server keeps its own. */
static void frozen_statistics_are_not_sent(void **state) {
    (void)state;
    trained t = {.set = {.steps = 2, .batch = 3, .targets = 2}};
    const setting s = t.set;
    start(&t, &s, SIDES_DEFENSES(remembers));
    t.job.inputs.request.train.federated.training_stats = 0;
    run_training(&t, "client");
    const gnt_recorded r = recorded(&t, 1);
    assert_true(!r.sent_buffers && !r.sends_buffers);
    assert_memory_equal(tensor(&t, "trained", "buffers", 0)->data,
                        tensor(&t, "trained", "buffers", ROUNDS)->data, (size_t)t.n_buffers * sizeof(float));
    forget(&t);
}

static void more_statistics_than_there_are_are_refused(void **state) {
    (void)state;
    trained t = {.set = {.steps = 2, .batch = 3, .targets = 2}};
    const setting s = t.set;
    gnt_err err = {0};
    start(&t, &s, SIDES_DEFENSES({"tests/so/sides.so", "grows-buffers", "{}", GNT_HOOK_TRANSFORM_UPDATE}));
    sides_start(&t.job, "client");
    assert_int_equal(gnt_job_train(&t.job.inputs.work, &err), -1);
    assert_non_null(strstr(err.text, "it left 3 tensors in sent_buffers; expected 2, or 0 to send none"));
    sides_stop(&t.job);
    forget(&t);
}

/* ---- the private data of the record ---- */

/* Labels listed by row are those of the rows. */
static void assert_rows_and_labels(trained *t, const gnt_recorded *r, int64_t n) {
    assert_false(r->whole);
    assert_int_equal(r->members, n);
    assert_int_equal(r->n, n);
    for (int64_t j = 0; j < r->targets; j++)
        for (int64_t i = 0; i < n; i++) {
            const int64_t row = r->rows[j * n + i];
            assert_true(belongs(t, r->client[j], row));
            for (int64_t k = 0; k < i; k++)
                assert_true(r->rows[j * n + k] != row);
            assert_memory_equal(r->labels + (j * n + i) * FUZZ_CLASSES, t->data.y + row * FUZZ_CLASSES,
                                FUZZ_CLASSES * sizeof *r->labels);
        }
}

/* The client's SGD once more, batch after batch of the rows in their order. */
static void assert_rows_give_the_update(trained *t, const gnt_recorded *r, int round) {
    const int steps = t->set.steps ? t->set.steps : 1, n = t->set.batch;
    const size_t p = (size_t)t->n_params, b = (size_t)t->n_buffers;
    const float *weights = tensor(t, "trained", "weights", round)->data;
    float *local = gnt_array(p, sizeof *local), *g = gnt_array(p, sizeof *g), *v = gnt_array(p, sizeof *v);
    float *buffers = gnt_array(b, sizeof *buffers), *stats = gnt_array(b, sizeof *stats);
    gnt_trainer *trainer;
    MUST_WORK(gnt_trainer_new(&trainer, t->model.model, n, 1, err));
    for (int64_t j = 0; j < r->targets; j++) {
        memcpy(local, weights, p * sizeof *local);
        memset(v, 0, p * sizeof *v);
        memcpy(buffers, tensor(t, "trained", "buffers", round)->data, b * sizeof *buffers);
        for (int step = 0; step < steps; step++) {
            uint32_t row[ROWS];
            gnt_batch batch;
            for (int i = 0; i < n; i++)
                row[i] = (uint32_t)r->rows[j * r->members + (step * n + i) % r->members];
            assert_int_equal(gnt_batch_gather(&batch, &t->data.view, row, n), 0);
            MUST_WORK(gnt_trainer_gradient(trainer, local, buffers, batch.view.x, batch.view.y, g, NULL,
                                           stats, err));
            for (size_t i = 0; i < b; i++)
                buffers[i] = 0.9f * buffers[i] + 0.1f * stats[i];
            if (t->set.steps)
                gnt_sgd_step(local, t->set.momentum != 0 ? v : NULL, g, t->n_params,
                             (double)r->rates[j * steps + step], t->set.momentum, t->set.decay);
            gnt_batch_free(&batch);
        }
        for (size_t i = 0; i < p; i++) {
            const float mine = t->set.steps ? local[i] - weights[i] : g[i];
            const float its = r->update[j * t->n_params + (int64_t)i];
            /* rates are kept as floats, so steps are those of a rate that differs in its eighth digit */
            if (t->set.steps ? fabsf(mine - its) > 1e-6f : mine != its)
                fail_msg("round %d, target %d, entry %d: %.9g, recomputed %.9g", round, (int)j, (int)i,
                         (double)its, (double)mine);
        }
    }
    gnt_trainer_free(trainer);
    gnt_free(local);
    gnt_free(g);
    gnt_free(v);
    gnt_free(buffers);
    gnt_free(stats);
}

static void rows_of_one_gradient_are_its_batch(void **state) {
    (void)state;
    trained t;
    train(&t, (setting){.steps = 0, .batch = 4, .targets = 2}, sides_undefended, "");
    for (int round = 0; round < ROUNDS; round++) {
        const gnt_recorded r = recorded(&t, round);
        assert_rows_and_labels(&t, &r, 4);
        assert_rows_give_the_update(&t, &r, round);
    }
    forget(&t);
}

/* 2 steps of 2: four rows. 4 steps of 3, of 6: all rows, each used twice, in the same order. */
static void rows_of_local_steps_come_in_order(void **state) {
    static const setting settings[] = {{.steps = 2, .batch = 2, .targets = 3},
                                       {.steps = 4, .batch = 3, .targets = 2, .momentum = 0.5, .decay = 0.1}};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        trained t;
        train(&t, settings[i], sides_undefended, "");
        const gnt_fl_config config = gnt_work_config(&request_of(&t)->federated);
        for (int round = 0; round < ROUNDS; round++) {
            const gnt_recorded r = recorded(&t, round);
            assert_rows_and_labels(&t, &r, i ? EACH : 4);
            for (int64_t k = 0; k < r.targets * settings[i].steps; k++)
                assert_true(r.rates[k] == (float)gnt_fl_rate(&config, round));
            assert_rows_give_the_update(&t, &r, round);
        }
        forget(&t);
    }
}

/* A batch that a client cannot fill is all that it holds. */
static void a_batch_larger_than_the_client_is_all_of_it(void **state) {
    (void)state;
    trained t;
    train(&t, (setting){.steps = 0, .batch = 100, .targets = CLIENTS}, sides_undefended, "");
    t.set.batch = EACH;
    for (int round = 0; round < ROUNDS; round++) {
        const gnt_recorded r = recorded(&t, round);
        assert_rows_and_labels(&t, &r, EACH);
        assert_rows_give_the_update(&t, &r, round);
    }
    forget(&t);
}

/* The gradient of all encodings that the last pass released is the update: what is shown is what was trained
 * on. */
static void released_encodings_were_trained_on(void **state) {
    (void)state;
    trained t;
    train(&t, (setting){.steps = 0, .batch = EACH, .targets = 2, .encodings = 1, .epochs = 1},
          SIDES_DEFENSES(mixup), "client");
    for (int round = 0; round < ROUNDS; round++) {
        const gnt_recorded r = recorded(&t, round);
        gnt_st claims;
        assert_true(r.whole && r.count && r.set_size == EACH && r.members == EACH);
        assert_int_equal(r.encodings, 2 * EACH);
        float *g = gnt_array((size_t)t.n_params, sizeof *g), *s = gnt_array((size_t)t.n_buffers, sizeof *s);
        gnt_trainer *trainer;
        MUST_WORK(gnt_trainer_new(&trainer, t.model.model, EACH, 1, err));
        for (int64_t j = 0; j < 2; j++) {
            assert_int_equal(r.count[j], EACH);
            for (int64_t i = 0; i < EACH; i++) {
                assert_true(r.set[j * EACH + i] == r.rows[j * EACH + i]);
                assert_true(belongs(&t, r.client[j], r.set[j * EACH + i]));
            }
            MUST_WORK(gnt_trainer_gradient(trainer, tensor(&t, "trained", "weights", round)->data,
                                           tensor(&t, "trained", "buffers", round)->data,
                                           r.encoded_x + j * EACH * FUZZ_FEATURES,
                                           r.encoded_y + j * EACH * FUZZ_CLASSES, g, NULL, s, err));
            for (int64_t i = 0; i < t.n_params; i++)
                assert_true(fabsf(g[i] - r.update[j * t.n_params + i]) < 1e-5f);
            gnt_st_init(&claims);
            MUST_WORK(gnt_recorded_claims(sides_output(&t.job, "held"), round, j, &claims, err));
            assert_int_equal(claims.n, 2);
            gnt_st_free(&claims);
        }
        gnt_trainer_free(trainer);
        gnt_free(g);
        gnt_free(s);
    }
    forget(&t);
}

/* ---- computed again ---- */

static void honest_updates_come_out_again(void **state) {
    static const sides_defense takes_all = {"tests/so/sides.so", "takes-all", "{}", GNT_HOOK_CLIENT_UPDATE};
    static const setting settings[] = {
        {.steps = 0, .batch = 4, .targets = 3},
        {.steps = 4, .batch = 3, .targets = 2, .momentum = 0.9, .encodings = 1},
        {.steps = 4, .batch = 3, .targets = 2, .decay = 0.1, .augment = {1, 2, 2}},
        {.steps = 4, .batch = 3, .targets = 2, .decay = 0.1, .adam = 1}};
    (void)state;
    for (size_t i = 0; i < 4; i++)
        for (int which = 0; which < 3; which++) {
            trained t;
            train(&t, settings[i],
                  which == 0   ? SIDES_DEFENSES(every_hook)
                  : which == 1 ? SIDES_DEFENSES(mixup, noise)
                               : SIDES_DEFENSES(takes_all),
                  "client server query");
            assert_replayed(&t, 0);
            forget(&t);
        }
}

/* Withheld or changed, statistics come out again too; one that is recorded otherwise does not. */
static void other_statistics_of_a_record_are_seen(void **state) {
    (void)state;
    trained t;
    train(&t, (setting){.steps = 2, .batch = 3, .targets = CLIENTS}, SIDES_DEFENSES(withholds, remembers),
          "client");
    assert_replayed(&t, 0);
    const gnt_recorded r = recorded(&t, 1);
    uint8_t *byte = (uint8_t *)(uintptr_t)(r.sent_buffers + 2 * t.n_buffers + 1);
    *byte ^= 1;
    assert_replayed(&t, 1);
    *byte ^= 1;
    *(int64_t *)(uintptr_t)&r.sends_buffers[3] ^= 1;
    assert_replayed(&t, 1);
    forget(&t);
}

/* ---- observed ---- */

/* An observation has the update and the statistics that the server received, byte for byte, and no statistics
 * where it received none. */
static void an_observation_is_what_was_received(void **state) {
    (void)state;
    trained t;
    gnt_observations seen;
    train(&t, (setting){.steps = 2, .batch = 3, .targets = CLIENTS}, SIDES_DEFENSES(withholds, remembers),
          "client");
    const gnt_recorded r = recorded(&t, 1);
    const gnt_request_train *q = request_of(&t);
    sides_job *j = &t.job;
    const size_t before = pass_on(j), outputs = j->n_outputs;
    const gnt_request observe = {
        .kind = GNT_JOB_OBSERVE,
        .observe = {.model = q->model,
                    .federated = q->federated,
                    .stage = 1,
                    .observe = {.surface = GNT_SURFACE_UPDATE, .targets = CLIENTS, .batch = 3}}};
    j->inputs.work.request = &observe;
    MUST_WORK(gnt_job_observe(&j->inputs.work, err));
    fuzz_copy(fuzz_input(&j->inputs, "seen"), sides_output(j, "seen"), NULL);
    MUST_WORK(gnt_observations_open(&seen, &j->inputs.work, "seen", &t.model, err));
    assert_int_equal(seen.n, CLIENTS);
    for (int64_t k = 0; k < CLIENTS; k++) {
        const gnt_observation o = gnt_observations_at(&seen, k);
        const float *update = r.update + k * t.n_params, *sent = r.sent_buffers + k * t.n_buffers;
        for (int64_t i = 0; i < o.update->n; update += o.update->view[i++].count)
            assert_memory_equal(o.update->view[i].data, update,
                                (size_t)o.update->view[i].count * sizeof *update);
        assert_true((o.sent_buffers != NULL) == (r.client[k] % 2 == 0));
        for (int64_t i = 0; o.sent_buffers && i < o.sent_buffers->n; sent += o.sent_buffers->view[i++].count)
            assert_memory_equal(o.sent_buffers->view[i].data, sent,
                                (size_t)o.sent_buffers->view[i].count * sizeof *sent);
        assert_true(!o.sent_buffers || sent == r.sent_buffers + (k + 1) * t.n_buffers);
    }
    gnt_observations_free(&seen);
    take_back(j, before);
    while (j->n_outputs > outputs)
        gnt_st_free(&j->output[--j->n_outputs]);
    j->inputs.work.request = &j->inputs.request;
    forget(&t);
}

/* One bit of one entry of one update, and it is that client's in that round. */
static void one_byte_of_a_record_is_seen(void **state) {
    (void)state;
    trained t;
    train(&t, (setting){.steps = 2, .batch = 3, .targets = 3}, SIDES_DEFENSES(remembers), "client");
    assert_replayed(&t, 0);
    const gnt_recorded r = recorded(&t, 1);
    uint8_t *byte = (uint8_t *)(uintptr_t)(r.update + 2 * t.n_params + t.n_params / 2);
    *byte ^= 1;
    json_t *said = replay(&t), *differs = json_object_get(said, "differs");
    assert_int_equal(json_array_size(differs), 1);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(differs, 0), "round")), 1);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(differs, 0), "client")), r.client[2]);
    json_decref(said);
    *byte ^= 1;
    assert_replayed(&t, 0);
    forget(&t);
}

/* With another state before the round the update is another: states are recorded as they were before the
 * client's work. */
static void another_state_is_seen(void **state) {
    (void)state;
    trained t;
    train(&t, (setting){.steps = 0, .batch = 4, .targets = CLIENTS}, SIDES_DEFENSES(remembers), "client");
    gnt_st *behind = sides_output(&t.job, "held");
    int changed = 0;
    for (size_t i = 0; i < behind->n; i++)
        if (strncmp(behind->tensor[i].name, "state.2.0.", 10) == 0 &&
            strstr(behind->tensor[i].name, ".kept")) {
            ((float *)behind->tensor[i].data)[1] += 1;
            changed++;
        }
    assert_int_equal(changed, CLIENTS);
    assert_replayed(&t, CLIENTS);
    forget(&t);
}

static void what_other_clients_left_is_seen(void **state) {
    (void)state;
    trained t;
    train(&t, (setting){.steps = 0, .batch = 4, .targets = 2},
          SIDES_DEFENSES({"tests/so/sides.so", "peeks", "{}", GNT_HOOK_TRANSFORM_UPDATE}), "client");
    assert_replayed(&t, -1);
    forget(&t);
}

/* Which clients are drawn depends on neither the defense nor what it draws. */
static void draws_do_not_depend_on_the_defense(void **state) {
    (void)state;
    trained plain, noisy;
    const setting s = {.steps = 0, .batch = 4, .targets = 2};
    train(&plain, s, sides_undefended, "");
    train(&noisy, s, SIDES_DEFENSES(every_hook), "client server query");
    for (int round = 0; round < ROUNDS; round++) {
        const gnt_recorded a = recorded(&plain, round), b = recorded(&noisy, round);
        assert_memory_equal(a.client, b.client, 2 * sizeof *a.client);
    }
    forget(&plain);
    forget(&noisy);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_recorded_was_aggregated),
        cmocka_unit_test(sent_statistics_are_averaged),
        cmocka_unit_test(statistics_in_the_clear_are_marked),
        cmocka_unit_test(statistics_are_sent_as_hooks_leave_them),
        cmocka_unit_test(frozen_statistics_are_not_sent),
        cmocka_unit_test(more_statistics_than_there_are_are_refused),
        cmocka_unit_test(rows_of_one_gradient_are_its_batch),
        cmocka_unit_test(rows_of_local_steps_come_in_order),
        cmocka_unit_test(a_batch_larger_than_the_client_is_all_of_it),
        cmocka_unit_test(released_encodings_were_trained_on),
        cmocka_unit_test(honest_updates_come_out_again),
        cmocka_unit_test(other_statistics_of_a_record_are_seen),
        cmocka_unit_test(an_observation_is_what_was_received),
        cmocka_unit_test(one_byte_of_a_record_is_seen),
        cmocka_unit_test(another_state_is_seen),
        cmocka_unit_test(what_other_clients_left_is_seen),
        cmocka_unit_test(draws_do_not_depend_on_the_defense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
