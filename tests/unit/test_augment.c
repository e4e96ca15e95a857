/* Augmented batches: what is done to one image, and that what clients' batches are changed by is of their
 * round, client and step alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "fl/augment.h"
#include "must_work.h"
#include "sides.h"

/* ---- one image ---- */

enum { CHANNELS = 2, HEIGHT = 4, WIDTH = 5, PLANE = HEIGHT * WIDTH, ENTRIES = CHANNELS * PLANE };
static const int64_t dim[3] = {CHANNELS, HEIGHT, WIDTH};

/* No two entries are the same, none is 0. The mask has no two columns or rows alike. */
static void make_image(float x[ENTRIES], uint8_t mask[PLANE]) {
    for (int i = 0; i < ENTRIES; i++)
        x[i] = (float)(i + 1);
    for (int i = 0; i < PLANE; i++)
        mask[i] = (uint8_t)(i + 1);
}

/* Entry (r, c) of channel k after a mirror and a move, by the formula. */
static float expected_at(int k, int r, int c, int mirrored, int down, int across) {
    const int from_r = r - down, from_c = c - across;
    if (from_r < 0 || from_r >= HEIGHT || from_c < 0 || from_c >= WIDTH)
        return 0;
    return (float)(k * PLANE + from_r * WIDTH + (mirrored ? WIDTH - 1 - from_c : from_c) + 1);
}

static int is_move(const float x[ENTRIES], const uint8_t mask[PLANE], int mirrored, int down, int across) {
    for (int k = 0; k < CHANNELS; k++)
        for (int r = 0; r < HEIGHT; r++)
            for (int c = 0; c < WIDTH; c++)
                if (x[k * PLANE + r * WIDTH + c] != expected_at(k, r, c, mirrored, down, across) ||
                    mask[r * WIDTH + c] != expected_at(0, r, c, mirrored, down, across))
                    return 0;
    return 1;
}

/* Every image is one of the 2 × 7 × 7 that can come, its map and its mask with it, and each of them comes as
 * often: 98 of 9,800 draws, with a deviation of 10. */
static void images_are_mirrored_and_moved(void **state) {
    (void)state;
    const gnt_augment how = {.flip = 1, .shift = 3};
    const gnt_key key = gnt_key_of_seed(1);
    gnt_stream random = gnt_stream_open(&key, "images");
    int seen[2][7][7] = {0};
    for (int i = 0; i < 9800; i++) {
        float x[ENTRIES], map[PLANE];
        uint8_t mask[PLANE];
        int found = 0;
        make_image(x, mask);
        memcpy(map, x, sizeof map);
        gnt_augment_image(&how, x, map, mask, dim, &random);
        assert_memory_equal(map, x, sizeof map); /* as the first channel, which it was */
        for (int m = 0; m < 2; m++)
            for (int down = -3; down <= 3; down++)
                for (int across = -3; across <= 3; across++)
                    if (is_move(x, mask, m, down, across)) {
                        seen[m][down + 3][across + 3]++;
                        found++;
                    }
        assert_int_equal(found, 1);
    }
    for (int m = 0; m < 2; m++)
        for (int down = 0; down < 7; down++)
            for (int across = 0; across < 7; across++)
                assert_in_range(seen[m][down][across], 50, 150);
}

/* The square around a pixel, cut off at the edges, in all channels; each pixel is its middle as often. */
static void a_square_is_blanked(void **state) {
    (void)state;
    const gnt_augment how = {.cutout = 3};
    const gnt_key key = gnt_key_of_seed(2);
    gnt_stream random = gnt_stream_open(&key, "images");
    int seen[HEIGHT][WIDTH] = {0};
    for (int i = 0; i < 2000; i++) {
        float x[ENTRIES], map[PLANE];
        uint8_t mask[PLANE], before[PLANE];
        int found = 0;
        make_image(x, mask);
        memcpy(before, mask, sizeof before);
        memcpy(map, x, sizeof map);
        gnt_augment_image(&how, x, map, mask, dim, &random);
        assert_memory_equal(mask, before, sizeof before);
        for (int e = 0; e < PLANE; e++)
            assert_true(map[e] == (float)(e + 1));
        for (int middle_r = 0; middle_r < HEIGHT; middle_r++)
            for (int middle_c = 0; middle_c < WIDTH; middle_c++) {
                int wrong = 0;
                for (int e = 0; e < ENTRIES; e++) {
                    const int r = e % PLANE / WIDTH - middle_r, c = e % WIDTH - middle_c;
                    const int blank = r >= -1 && r <= 1 && c >= -1 && c <= 1;
                    wrong += x[e] != (blank ? 0 : (float)(e + 1));
                }
                if (!wrong) {
                    seen[middle_r][middle_c]++;
                    found++;
                }
            }
        assert_int_equal(found, 1);
    }
    for (int r = 0; r < HEIGHT; r++)
        for (int c = 0; c < WIDTH; c++)
            assert_in_range(seen[r][c], 50, 150);
}

/* A setting that is off leaves the image and the stream alone: adding it changes nothing that was drawn
 * before. */
static void what_is_off_draws_nothing(void **state) {
    (void)state;
    const gnt_augment off = {0};
    const gnt_key key = gnt_key_of_seed(3);
    gnt_stream random = gnt_stream_open(&key, "images"), fresh = random;
    float x[ENTRIES], before[ENTRIES];
    uint8_t mask[PLANE];
    make_image(x, mask);
    memcpy(before, x, sizeof x);
    gnt_augment_image(&off, x, NULL, mask, dim, &random);
    assert_false(gnt_augment_any(&off));
    assert_memory_equal(x, before, sizeof x);
    assert_int_equal(gnt_random_u32(&random), gnt_random_u32(&fresh));
}

/* ---- clients' batches ---- */

enum { CLIENTS = 2, ROUNDS = 2, STEPS = 3, BATCH = 4, ROWS = 16, FEATURES = 16 };

static gnt_model *model;
static gnt_sampleset data;
static int64_t starts[CLIENTS + 1] = {0, 8, ROWS};
static uint32_t order[ROWS];

/* What each step computed with, before any encoding of it. */
typedef struct hook_log {
    float x[ROUNDS][CLIENTS][STEPS][BATCH][FEATURES];
    int64_t id[ROUNDS][CLIENTS][STEPS][BATCH];
    int steps;
} hook_log;

static int open_all(void **state) {
    const gnt_nn_shape sample = {3, {1, 4, 4}};
    gnt_st st;
    (void)state;
    gnt_st_init(&st);
    fuzz_samples(&st, ROWS);
    MUST_WORK(gnt_samples_unpack(&data, &st, "samples", err));
    gnt_st_free(&st);
    MUST_WORK(gnt_model_parse(&model, "small", sides_model_json, &sample, FUZZ_CLASSES, NULL, NULL, err));
    for (uint32_t i = 0; i < ROWS; i++)
        order[i] = i;
    for (int i = 0; i < ROWS * FEATURES; i++)
        data.x[i] = (float)(i % 97 + 1) / 97; /* no row is its own mirror, and none is blank */
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

static gnt_status hear_batch(void *self, const gnt_client *c, int64_t step, const gnt_samples_sink *out) {
    hook_log *t = self;
    const gnt_samples *s = c->samples;
    gnt_status status = GNT_OK;
    assert_int_equal(s->n, BATCH);
    memcpy(t->x[c->round][c->index][step], s->x, sizeof t->x[0][0][0]);
    memcpy(t->id[c->round][c->index][step], s->id, sizeof t->id[0][0][0]);
    t->steps++;
    for (int64_t i = 0; status == GNT_OK && i < s->n; i++)
        status = out->put(out->context, s->x + i * s->features, s->y + i * s->classes, s->id[i]);
    return status;
}

static gnt_status double_update(void *self, const gnt_client *client, gnt_tensors *update) {
    (void)self, (void)client;
    for (int64_t t = 0; t < update->n; t++)
        for (int64_t i = 0; i < update->tensor[t].count; i++)
            update->tensor[t].data[i] *= 2;
    return GNT_OK;
}

static gnt_status another_rate(void *self, const gnt_client *client, int64_t step, double *rate) {
    (void)self, (void)client, (void)step;
    *rate = 0.3;
    return GNT_OK;
}

static int after_round(void *context, int32_t round, const float *weights, const float *buffers,
                       gnt_err *err) {
    (void)context, (void)round, (void)weights, (void)buffers, (void)err;
    return 0;
}

static int keep_going(void *context) {
    (void)context;
    return 0;
}

static hook_log *train(const gnt_defense *hooks, int steps, gnt_augment how) {
    hook_log *t = gnt_alloc(sizeof *t);
    assert_non_null(t);
    gnt_member m = {.hooks = hooks, .self = t, .begin = begin, .done = done};
    const gnt_chain chain = {
        .member = &m, .n = 1, .n_params = gnt_model_size(model), .n_buffers = gnt_model_buffer_size(model)};
    const gnt_fl_config config = {.rounds = ROUNDS,
                                  .steps = steps,
                                  .batch = BATCH,
                                  .rate = 0.1,
                                  .participation = 1,
                                  .training_stats = 1,
                                  .clients = CLIENTS,
                                  .augment = how};
    const gnt_key key = gnt_key_of_seed(4);
    gnt_stream random = gnt_stream_open(&key, "weights");
    float weights[1024], buffers[64];
    gnt_fl *fl;
    assert_true(gnt_model_size(model) <= 1024 && gnt_model_buffer_size(model) <= 64);
    const gnt_partition part = {CLIENTS, starts, order};
    const gnt_fl_watch watch = {.after_round = after_round, .should_stop = keep_going};
    gnt_model_init(model, &random, weights, buffers);
    MUST_WORK(gnt_fl_new(&fl, model, &config, &chain, &key, err));
    MUST_WORK(gnt_fl_train(fl, &data.view, &part, NULL, weights, buffers, NULL, &watch, err));
    gnt_fl_free(fl);
    assert_int_equal(t->steps, ROUNDS * CLIENTS * (steps ? steps : 1));
    return t;
}

static const gnt_defense listens = {.size = sizeof listens, .encode_batch = hear_batch};

static const float *row_of(int client, int64_t id) {
    return data.x + (starts[client] + id) * FEATURES;
}

/* 1 where x is the row, 2 where it is its mirror, 0 where it is neither. */
static int mirrored(const float *x, const float *row) {
    int same = 1, mirror = 1;
    for (int i = 0; i < FEATURES; i++) {
        same &= x[i] == row[i];
        mirror &= x[i] == row[i / 4 * 4 + 3 - i % 4];
    }
    return same ? 1 : mirror ? 2 : 0;
}

/* Each sample of a batch is the client's row or its mirror, the same one in no step by rule. */
static void batches_hold_what_was_drawn_changed(void **state) {
    (void)state;
    for (int steps = 0; steps <= STEPS; steps += STEPS) {
        hook_log *t = train(&listens, steps, (gnt_augment){.flip = 1});
        int found[3] = {0};
        for (int round = 0; round < ROUNDS; round++)
            for (int k = 0; k < CLIENTS; k++)
                for (int step = 0; step < (steps ? steps : 1); step++)
                    for (int i = 0; i < BATCH; i++)
                        found[mirrored(t->x[round][k][step][i], row_of(k, t->id[round][k][step][i]))]++;
        assert_int_equal(found[0], 0);
        assert_true(found[1] > 0 && found[2] > 0);
        gnt_free(t);
    }
}

/* Which of the batch are mirrored, as bits. */
static int pattern_of(const hook_log *t, int round, int client, int step) {
    int pattern = 0;
    for (int i = 0; i < BATCH; i++) {
        const float *row = row_of(client, t->id[round][client][step][i]);
        pattern = 2 * pattern + (mirrored(t->x[round][client][step][i], row) == 2);
    }
    return pattern;
}

/* The draws of a step are its own. Of four samples 1 step in 16 agrees with another by chance, so of places
 * that differ in the step, in the client or in the round alone, more than half must have other patterns. */
static void every_step_draws_again(void **state) {
    (void)state;
    hook_log *t = train(&listens, STEPS, (gnt_augment){.flip = 1});
    int steps = 0, clients = 0, rounds = 0;
    for (int i = 0; i < ROUNDS * CLIENTS; i++) {
        const int round = i / CLIENTS, client = i % CLIENTS;
        steps += pattern_of(t, round, client, 0) != pattern_of(t, round, client, 1);
        steps += pattern_of(t, round, client, 1) != pattern_of(t, round, client, 2);
    }
    for (int step = 0; step < STEPS; step++)
        for (int i = 0; i < 2; i++) {
            clients += pattern_of(t, i, 0, step) != pattern_of(t, i, 1, step);
            rounds += pattern_of(t, 0, i, step) != pattern_of(t, 1, i, step);
        }
    assert_true(steps > 4 && clients > 3 && rounds > 3); /* of 8, 6 and 6 */
    gnt_free(t);
}

/* Whatever the defense does to rates and updates, its clients computed with the same bytes. */
static void what_is_drawn_is_the_same_under_every_defense(void **state) {
    (void)state;
    static const gnt_defense changes = {.size = sizeof changes,
                                        .encode_batch = hear_batch,
                                        .transform_update = double_update,
                                        .local_rate = another_rate};
    const gnt_augment how = {.flip = 1, .shift = 2, .cutout = 2};
    hook_log *a = train(&listens, STEPS, how), *b = train(&changes, STEPS, how);
    hook_log *plain = train(&listens, STEPS, (gnt_augment){0});
    assert_memory_equal(a->x, b->x, sizeof a->x);
    assert_memory_equal(a->id, b->id, sizeof a->id);
    /* the same samples as without; and those are the rows themselves */
    assert_memory_equal(a->id, plain->id, sizeof a->id);
    assert_memory_equal(plain->x[1][1][2][3], row_of(1, plain->id[1][1][2][3]), sizeof a->x[0][0][0][0]);
    assert_true(memcmp(a->x, plain->x, sizeof a->x) != 0);
    gnt_free(a);
    gnt_free(b);
    gnt_free(plain);
}

/* Where all samples are used at once, as by the target of a probe, they are used as they are. */
static void a_probe_is_not_augmented(void **state) {
    (void)state;
    const gnt_key key = gnt_key_of_seed(4);
    gnt_stream random = gnt_stream_open(&key, "weights");
    const gnt_chain chain = {.n_params = gnt_model_size(model), .n_buffers = gnt_model_buffer_size(model)};
    float weights[1024], buffers[64], update[2][1024] = {0};
    gnt_model_init(model, &random, weights, buffers);
    for (int i = 0; i < 2; i++) {
        gnt_fl *fl;
        const gnt_fl_config config = {.rounds = 1,
                                      .steps = 2,
                                      .batch = BATCH,
                                      .rate = 0.1,
                                      .participation = 1,
                                      .clients = 1,
                                      .augment = {.flip = i, .cutout = 2 * i}};
        const gnt_fl_shared out = {.update = update[i]};
        MUST_WORK(gnt_fl_new(&fl, model, &config, &chain, &key, err));
        MUST_WORK(gnt_fl_client(fl, 0, 0, &data.view, NULL, NULL, weights, buffers, GNT_FL_WHOLE, &out, err));
        gnt_fl_free(fl);
    }
    assert_memory_equal(update[0], update[1], sizeof update[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(images_are_mirrored_and_moved),
        cmocka_unit_test(a_square_is_blanked),
        cmocka_unit_test(what_is_off_draws_nothing),
        cmocka_unit_test(batches_hold_what_was_drawn_changed),
        cmocka_unit_test(every_step_draws_again),
        cmocka_unit_test(what_is_drawn_is_the_same_under_every_defense),
        cmocka_unit_test(a_probe_is_not_augmented),
    };
    return cmocka_run_group_tests_name("augmented batches", tests, open_all, close_all);
}
