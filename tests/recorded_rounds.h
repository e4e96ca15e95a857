/* A small federated training whose rounds are recorded, with hooks in processes of their own, and the replay
 * of what was recorded. */
#ifndef GNT_TESTS_RECORDED_ROUNDS_H
#define GNT_TESTS_RECORDED_ROUNDS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "job/job.h"
#include "job/record/record.h"
#include "must_work.h"
#include "sides.h"

enum { CLIENTS = 4, ROWS = 24, EACH = ROWS / CLIENTS, ROUNDS = 3 };

typedef struct setting {
    int steps, batch, targets, encodings, epochs;
    double momentum, decay;
    int adam;
    gnt_augment augment;
} setting;

typedef struct trained {
    sides_job job;
    setting set;
    gnt_request_record record;
    gnt_work_model model;
    gnt_sampleset data;
    int64_t n_params, n_buffers;
} trained;

static inline void describe(gnt_request_train *q, trained *t, const setting *s) {
    static const int64_t rounds[] = {0, 1, 2, 3};
    t->record = (gnt_request_record){.stages = {rounds, ROUNDS},
                                     .targets = s->targets,
                                     .encodings = s->encodings,
                                     .epochs = s->epochs,
                                     .key = gnt_key_of_seed(15)};
    q->federated = (gnt_request_federated){.clients = CLIENTS,
                                           .partition = GNT_PARTITION_IID,
                                           .rounds = ROUNDS,
                                           .participation = 1,
                                           .local_steps = s->steps,
                                           .batch = s->batch,
                                           .rate = 0.1,
                                           .momentum = s->momentum,
                                           .decay = s->decay,
                                           .adam = s->adam,
                                           .flip = s->augment.flip,
                                           .shift = s->augment.shift,
                                           .cutout = s->augment.cutout,
                                           .cosine = 1,
                                           .training_stats = 1};
    q->stages = (gnt_ints){rounds, ROUNDS + 1};
    q->record = &t->record;
}

/* Returns the request of the training. */
static inline const gnt_request_train *request_of(const trained *t) {
    return &t->job.inputs.request.train;
}

static inline void start(trained *t, const setting *s, sides_defenses defenses) {
    *t = (trained){.set = *s};
    describe(sides_open(&t->job, defenses), t, s);
    fuzz_samples(fuzz_input(&t->job.inputs, "clients"), ROWS);
    fuzz_samples(fuzz_input(&t->job.inputs, "test"), 6);
    fuzz_samples(fuzz_input(&t->job.inputs, "public"), 4);
    gnt_work *w = &t->job.inputs.work;
    MUST_WORK(gnt_work_model_open(&t->model, &request_of(t)->model, 1, err));
    MUST_WORK(gnt_work_samples(&t->data, w, "clients", NULL, err));
    t->n_params = gnt_model_size(t->model.model);
    t->n_buffers = gnt_model_buffer_size(t->model.model);
}

static inline void run_training(trained *t, const char *sides) {
    sides_start(&t->job, sides);
    MUST_WORK(gnt_job_train(&t->job.inputs.work, err));
    sides_stop(&t->job);
}

static inline void train(trained *t, setting s, sides_defenses defenses, const char *sides) {
    start(t, &s, defenses);
    run_training(t, sides);
}

static inline void forget(trained *t) {
    gnt_work_model_free(&t->model);
    gnt_sampleset_free(&t->data);
    sides_close(&t->job);
}

static inline const gnt_st_tensor *tensor(trained *t, const char *output, const char *kind, int round) {
    char name[32];
    snprintf(name, sizeof name, "%s.%d", kind, round);
    const gnt_st_tensor *found = gnt_st_find(sides_output(&t->job, output), name);
    if (!found)
        fail_msg("%s has no %s", output, name);
    return found;
}

static inline gnt_recorded recorded(trained *t, int round) {
    gnt_recorded r;
    MUST_WORK(gnt_recorded_read(&r, sides_output(&t->job, "record"), sides_output(&t->job, "held"),
                                t->model.model, round, t->set.steps, ROWS, err));
    assert_int_equal(r.targets, t->set.targets);
    return r;
}

/* Carries a mean of its updates from round to round; carries nothing. */
static const sides_defense remembers = {"tests/so/sides.so", "remembers", "{}",
                                        GNT_HOOK_TRANSFORM_UPDATE | GNT_HOOK_STATE};
static const sides_defense noise = {"plugins/defenses/dp.so", "dp-gaussian", "{}", GNT_HOOK_TRANSFORM_UPDATE};

/* Client k's rows, by the partition of the request. */
static inline int belongs(trained *t, int64_t client, int64_t row) {
    gnt_partition part;
    int found = 0;
    MUST_WORK(
        gnt_work_partition(&part, &request_of(t)->federated, &request_of(t)->partition_key, &t->data, err));
    for (int64_t i = part.start[client]; i < part.start[client + 1]; i++)
        found |= part.index[i] == row;
    gnt_partition_free(&part);
    return found;
}

/* Adds the outputs of the training to the inputs of the next job; returns how many inputs there were. */
static inline size_t pass_on(sides_job *j) {
    const size_t before = j->inputs.n;
    for (size_t i = 0; i < j->n_outputs; i++)
        fuzz_copy(fuzz_input(&j->inputs, j->output_name[i]), &j->output[i], NULL);
    return before;
}

static inline void take_back(sides_job *j, size_t before) {
    while (j->inputs.n > before)
        gnt_st_free(&j->inputs.input[--j->inputs.n].st);
}

/* The output `replay` of the training's outputs; to be freed. */
static inline gnt_st replay_again(trained *t, int forgets) {
    sides_job *j = &t->job;
    const size_t before = pass_on(j);
    const gnt_request_train *q = request_of(t);
    const gnt_request again = {.kind = GNT_JOB_REPLAY,
                               .replay = {.model = q->model,
                                          .federated = q->federated,
                                          .defense = q->defense,
                                          .copies = 1,
                                          .forgets = forgets,
                                          .partition_key = q->partition_key,
                                          .train_key = q->train_key,
                                          .defense_key = q->defense_key,
                                          .record = t->record}};
    j->copies = 1;
    sides_start(j, "client");
    j->inputs.work.request = &again;
    MUST_WORK(gnt_job_replay(&j->inputs.work, err));
    j->inputs.work.request = &j->inputs.request;
    sides_stop(j);
    const gnt_st out = *sides_output(j, "replay");
    j->n_outputs--;
    take_back(j, before);
    return out;
}

/* Returns its metadata, to be freed. */
static inline json_t *replay(trained *t) {
    gnt_st out = replay_again(t, 0);
    json_t *said = json_loads(out.metadata, 0, NULL);
    assert_non_null(said);
    gnt_st_free(&out);
    return said;
}

static inline void assert_replayed(trained *t, int64_t differs) {
    json_t *said = replay(t);
    assert_int_equal(json_integer_value(json_object_get(said, "checked")), ROUNDS * t->set.targets);
    if (differs < 0)
        assert_true(json_array_size(json_object_get(said, "differs")) > 0);
    else if ((int64_t)json_array_size(json_object_get(said, "differs")) != differs)
        fail_msg("%s", json_dumps(said, 0));
    json_decref(said);
}

#endif
