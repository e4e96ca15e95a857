/* Identification, floors and utility: against values worked out by hand and against their expectations. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "metric/floors.h"
#include "metric/identify.h"
#include "metric/model_utility.h"

static int near(double a, double b, double within) {
    return fabs(a - b) <= within;
}

static void read_pairs(const void *context, size_t row, float *x) {
    memcpy(x, (const float *)context + 2 * row, 2 * sizeof *x);
}

static void ranks_and_ties(void **state) {
    (void)state;
    /* the last row lies outside [0, 1] and is judged as (1, 0): a tie with the third */
    const float candidate[] = {0, 0, /**/ 0.5f, 0.5f, /**/ 1, 0, /**/ 0, 0.25f, /**/ 3, -1};
    const gnt_metric_rows rows = {read_pairs, candidate, 5, 2};
    const float at_first[] = {0.1f, 0}, far[] = {0.9f, 0.1f};
    gnt_metric_identity id;
    assert_int_equal(gnt_metric_identify(&id, at_first, &rows, 0, NULL), 0);
    assert_true(id.hit == 1 && id.rank == 1 && id.nearest == 0 && near(id.mse, 0.005, 1e-8));
    assert_int_equal(gnt_metric_identify(&id, at_first, &rows, 1, NULL), 0);
    assert_true(id.hit == 0 && id.rank == 3 && id.nearest == 0);
    assert_int_equal(gnt_metric_identify(&id, far, &rows, 4, NULL), 0);
    assert_true(id.hit == 0.5 && id.rank == 1.5 && id.nearest == 2);
    assert_int_equal(gnt_metric_identify(&id, at_first, &rows, 4, NULL), 0);
    assert_true(id.hit == 0 && id.rank == 4.5);
}

static void an_empty_answer_scores_chance(void **state) {
    (void)state;
    const float candidate[] = {0, 0, /**/ 0, 1, /**/ 1, 0, /**/ 1, 1}, middle[] = {0.5f, 0.5f},
                bad[] = {0, NAN};
    const gnt_metric_rows rows = {read_pairs, candidate, 4, 2};
    gnt_metric_identity id;
    gnt_err err = {{0}};
    for (size_t right = 0; right < 4; right++) {
        assert_int_equal(gnt_metric_identify(&id, middle, &rows, right, &err), 0);
        assert_true(id.hit == 0.25 && id.rank == 2.5 && !id.broken);
        assert_int_equal(gnt_metric_identify(&id, bad, &rows, right, &err), 0);
        assert_true(id.hit == 0 && id.rank == 4 && id.mse == 1 && id.broken);
    }
    assert_int_equal(gnt_metric_identify(&id, middle, &rows, 4, &err), -1);
}

enum { ROWS = 50, SIZE = 3 * 8 * 8 };

static void read_image(const void *context, size_t row, float *x) {
    memcpy(x, (const float *)context + row * SIZE, SIZE * sizeof *x);
}

static void read_four(const void *context, size_t row, float *x) {
    memcpy(x, (const float *)context + 4 * row, 4 * sizeof *x);
}

static void floors_are_what_they_say(void **state) {
    (void)state;
    static float set[ROWS * SIZE], target[2 * SIZE], mean[SIZE];
    const gnt_metric_shape shape = {3, 8, 8};
    const gnt_metric_rows rows = {read_image, set, ROWS, SIZE};
    gnt_key key = gnt_key_of_seed(1), other = gnt_key_of_seed(2);
    gnt_stream s = gnt_stream_open(&key, "set");
    gnt_metric_floor floor[2], alone, again;
    for (int i = 0; i < ROWS * SIZE; i++)
        set[i] = (float)gnt_random_uniform(&s);
    for (int i = 0; i < SIZE; i++) {
        target[i] = 1;
        target[SIZE + i] = fminf(set[17 * SIZE + i] + 0.01f, 1);
    }
    assert_int_equal(gnt_metric_mean_image(mean, &rows, NULL), 0);
    double sum = 0;
    for (int r = 0; r < ROWS; r++)
        sum += set[r * SIZE + 5];
    assert_true(near(mean[5], sum / ROWS, 1e-6));
    assert_int_equal(gnt_metric_floors(floor, target, NULL, 2, shape, &rows, mean, &key, NULL), 0);
    /* against white, a uniform pixel has expected squared error 1/3 (deviation .298, over 192 pixels) */
    assert_true(near(floor[0].random.mse, 1.0 / 3, 5 * 0.298 / sqrt(SIZE)));
    assert_int_equal(floor[1].nearest_row, 17);
    assert_true(floor[1].nearest.mse <= 1.01e-4 && floor[1].nearest.psnr > 39);
    assert_true(floor[1].mean.mse > 0.05 && floor[1].mean.mse < floor[1].random.mse);
    assert_true(floor[0].other_row < ROWS && floor[0].other.mse >= floor[0].nearest.mse);
    assert_int_equal(gnt_metric_floors(&alone, target, NULL, 1, shape, &rows, mean, &key, NULL), 0);
    assert_true(alone.random.mse == floor[0].random.mse && alone.other_row == floor[0].other_row);
    assert_true(alone.mean.ssim == floor[0].mean.ssim && alone.nearest_row == floor[0].nearest_row);
    assert_int_equal(gnt_metric_floors(&again, target, NULL, 1, shape, &rows, mean, &other, NULL), 0);
    assert_true(again.random.mse != alone.random.mse);
    gnt_err err = {{0}};
    assert_int_equal(
        gnt_metric_floors(floor, target, NULL, 1, (gnt_metric_shape){1, 8, 8}, &rows, mean, &key, &err), -1);
}

/* Two targets of four pixels; each has one marked: the first pixel of the first, the last of the second. */
static void floors_of_regions_are_of_what_is_marked(void **state) {
    (void)state;
    const gnt_metric_shape shape = {1, 2, 2};
    static const float set[] = {0.2f, 0, 0, 0.8f, 0.6f, 1, 1, 0.2f};
    const float target[] = {0.6f, 0, 0, 0, 1, 1, 1, 0.9f};
    const uint8_t masks[] = {1, 0, 0, 0, 0, 0, 0, 1};
    const gnt_metric_rows rows = {read_four, set, 2, 4};
    const gnt_key key = gnt_key_of_seed(1);
    gnt_metric_floor floor[2];
    float mean[4];
    assert_int_equal(gnt_metric_mean_image(mean, &rows, NULL), 0);
    assert_int_equal(gnt_metric_floors(floor, target, masks, 2, shape, &rows, mean, &key, NULL), 0);
    assert_true(floor[0].nearest_row == 1 && floor[0].nearest.exact);
    assert_true(floor[1].nearest_row == 0 && near(floor[1].nearest.mse, 0.01, 1e-7));
    assert_true(near(floor[0].mean.mse, 0.04, 1e-7) && near(floor[1].mean.mse, 0.16, 1e-7));
    for (int t = 0; t < 2; t++) {
        const float other = set[4 * floor[t].other_row + (t ? 3 : 0)];
        const double off = (double)other - (double)target[t ? 7 : 0];
        assert_true(near(floor[t].other.mse, off * off, 1e-7));
    }
}

/* The best of a set is nearer than any member chosen beforehand, and several guesses take different members.
 */
static void floors_of_a_set_take_its_best_members(void **state) {
    (void)state;
    enum { SET = 12, GUESSES = 3 };
    static float set[ROWS * SIZE], member[SET * SIZE], mean[SIZE];
    const gnt_metric_shape shape = {3, 8, 8};
    const gnt_metric_rows rows = {read_image, set, ROWS, SIZE};
    gnt_key key = gnt_key_of_seed(3);
    gnt_stream s = gnt_stream_open(&key, "set");
    for (int i = 0; i < ROWS * SIZE; i++)
        set[i] = (float)gnt_random_uniform(&s);
    for (int m = 0; m < SET; m++) /* brighter and brighter: the mean image fits those in the middle */
        for (int i = 0; i < SIZE; i++)
            member[m * SIZE + i] = (float)((double)m / SET * gnt_random_uniform(&s) + 0.05 * m);
    memcpy(member + 4 * SIZE, set + 9 * SIZE, SIZE * sizeof *set); /* one is public */
    size_t nearest[SET];
    double least[SET];
    gnt_metric_floor fixed[SET], floor[SET];
    assert_int_equal(gnt_metric_mean_image(mean, &rows, NULL), 0);
    assert_int_equal(gnt_metric_nearest(nearest, least, member, NULL, SET, shape, &rows, NULL), 0);
    assert_true(nearest[4] == 9 && least[4] == 0);
    assert_int_equal(gnt_metric_floors(fixed, member, NULL, SET, shape, &rows, mean, &key, NULL), 0);
    const gnt_metric_members of = {member, NULL, SET, nearest, least};
    assert_int_equal(gnt_metric_floors_of_members(floor, 1, &of, 0, shape, &rows, mean, &key, NULL), 0);
    double best_mean = 1, best_nearest = 1;
    for (int m = 0; m < SET; m++) {
        best_mean = fmin(best_mean, fixed[m].mean.mse);
        best_nearest = fmin(best_nearest, fixed[m].nearest.mse);
    }
    assert_true(floor[0].mean.mse == best_mean && floor[0].nearest.mse == best_nearest);
    assert_true(floor[0].nearest_row == 9 && floor[0].nearest.exact);
    assert_true(floor[0].other_row == fixed[0].other_row && floor[0].random.mse < fixed[0].random.mse);
    assert_true(floor[0].other.mse <= fixed[0].other.mse);
    assert_int_equal(gnt_metric_floors_of_members(floor, GUESSES, &of, 0, shape, &rows, mean, &key, NULL), 0);
    double sum = 0, sorted[SET];
    for (int m = 0; m < SET; m++) { /* the three least, by insertion */
        int k = m;
        for (; k > 0 && sorted[k - 1] > fixed[m].mean.mse; k--)
            sorted[k] = sorted[k - 1];
        sorted[k] = fixed[m].mean.mse;
    }
    for (int i = 0; i < GUESSES; i++)
        sum += floor[i].mean.mse - sorted[i];
    assert_true(near(sum, 0, 1e-12));
    assert_true(floor[0].nearest.exact && !floor[1].nearest.exact && !floor[2].nearest.exact);
}

/* A client with many samples: which one is nearest does not matter, as long as it is one of them. */
static void any_of_a_range_can_be_meant(void **state) {
    (void)state;
    const float candidate[] = {0, 0, /**/ 0.5f, 0.5f, /**/ 1, 0, /**/ 0, 0.25f, /**/ 1, 0};
    const gnt_metric_rows rows = {read_pairs, candidate, 5, 2};
    const float at_third[] = {0.9f, 0.1f}, bad[] = {NAN, 0};
    double hit;
    assert_int_equal(gnt_metric_identify_any(&hit, at_third, &rows, 1, 2, NULL), 0);
    assert_true(hit == 0.5); /* the last is as near */
    assert_int_equal(gnt_metric_identify_any(&hit, at_third, &rows, 2, 3, NULL), 0);
    assert_true(hit == 1);
    assert_int_equal(gnt_metric_identify_any(&hit, at_third, &rows, 0, 2, NULL), 0);
    assert_true(hit == 0);
    assert_int_equal(gnt_metric_identify_any(&hit, bad, &rows, 0, 5, NULL), 0);
    assert_true(hit == 0);
    gnt_err err = {{0}};
    assert_int_equal(gnt_metric_identify_any(&hit, bad, &rows, 3, 3, &err), -1);
}

static void utility_of_logits(void **state) {
    (void)state;
    const float z[] = {1, 2, 3, /**/ 1000, 0, -1000, /**/ 0, 0, 0, /**/ -1000, 0, 1000};
    const int32_t label[] = {2, 0, 0, 0};
    gnt_metric_utility u = {0}, parts = {0};
    gnt_metric_utility_logits(&u, z, label, 4, 3);
    gnt_metric_utility_result w = gnt_metric_utility_end(&u, 1);
    double first = log(exp(-2.0) + exp(-1.0) + 1), third = log(3.0); /* second 0, fourth 2000 */
    assert_true(w.accuracy == 0.75 && near(w.accuracy_error, sqrt(0.75 * 0.25 / 4), 1e-15));
    assert_true(near(w.loss, (first + third + 2000) / 4, 1e-10));
    gnt_metric_utility_logits(&parts, z, label, 1, 3);
    gnt_metric_utility_logits(&parts, z + 3, label + 1, 3, 3);
    assert_true(parts.samples == u.samples && parts.right == u.right && parts.loss_sum == u.loss_sum);
}

static void diverged_models_do_not_look_mediocre(void **state) {
    (void)state;
    const float z[] = {NAN, 1, /**/ INFINITY, 0, /**/ 1, 0, /**/ 1, 0};
    const int32_t label[] = {0, 0, 0, 7};
    gnt_metric_utility u = {0};
    gnt_metric_utility_result w = gnt_metric_utility_end(&u, 1);
    assert_true(isnan(w.accuracy) && isnan(w.loss));
    gnt_metric_utility_logits(&u, z, label, 4, 2);
    w = gnt_metric_utility_end(&u, 1);
    assert_true(w.accuracy == 0.25 && isinf(w.loss) && isnan(w.loss_error));
    assert_int_equal(u.broken, 3);
}

static void utility_of_values(void **state) {
    (void)state;
    const float y[] = {1, 2, 3, 4}, x[] = {1, 0, 3, 5}; /* sample losses 2 and .5 */
    gnt_metric_utility u = {0};
    gnt_metric_utility_values(&u, y, x, NULL, 2, 2);
    gnt_metric_utility_result w = gnt_metric_utility_end(&u, 0);
    assert_true(w.loss == 1.25 && isnan(w.accuracy));
    assert_true(near(w.loss_error, 0.75, 1e-14)); /* sample deviation 1.5/√2, over √2 */
}

/* Squared error of outputs that stand for classes: the highest output is the answer. */
static void utility_of_values_of_classes(void **state) {
    (void)state;
    const float y[] = {1, 0, 0, 1, 0, 1}, x[] = {.75f, .25f, .5f, .5f, 0, 1}; /* a tie goes to the lowest */
    const int32_t label[] = {0, 1, 1};
    gnt_metric_utility u = {0};
    gnt_metric_utility_values(&u, y, x, label, 3, 2);
    gnt_metric_utility_result w = gnt_metric_utility_end(&u, 1);
    assert_true(near(w.accuracy, 2.0 / 3, 1e-14) && near(w.loss, (.0625 + .25) / 3, 1e-14));
}

/* Binary cross entropy of scores: −log σ(z) where y = 1, −log(1 − σ(z)) where y = 0; without overflow. */
static void utility_of_a_map(void **state) {
    (void)state;
    const float y[] = {1, 0, .5f, 1}, z[] = {2, -1, 1, 1000};
    double expected[] = {log(1 + exp(-2)), log(1 + exp(-1)), .5 * log(1 + exp(-1)) + .5 * log(1 + exp(1)), 0};
    gnt_metric_utility u = {0};
    gnt_metric_utility_map(&u, y, z, 2, 2);
    gnt_metric_utility_result w = gnt_metric_utility_end(&u, 0);
    assert_true(near(w.loss, (expected[0] + expected[1] + expected[2] + expected[3]) / 4, 1e-12));
    assert_true(isnan(w.accuracy));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_and_ties),
        cmocka_unit_test(an_empty_answer_scores_chance),
        cmocka_unit_test(floors_are_what_they_say),
        cmocka_unit_test(floors_of_regions_are_of_what_is_marked),
        cmocka_unit_test(floors_of_a_set_take_its_best_members),
        cmocka_unit_test(any_of_a_range_can_be_meant),
        cmocka_unit_test(utility_of_logits),
        cmocka_unit_test(utility_of_values_of_classes),
        cmocka_unit_test(utility_of_a_map),
        cmocka_unit_test(diverged_models_do_not_look_mediocre),
        cmocka_unit_test(utility_of_values),
    };
    return cmocka_run_group_tests_name("metric floors", tests, NULL, NULL);
}
