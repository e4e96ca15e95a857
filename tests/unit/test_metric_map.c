/* The utility of maps: hand-made maps, whose numbers follow from the definitions; the identity of F and IoU;
 * predictors that look at nothing; broken scores; and errors by bootstrap next to those of formulas. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "metric/map.h"

enum { PIXELS = 8, IMAGES = 3, MANY = 200 };

/* b, t and w of each image: 2, 4, 3; of 1, 1, 4; of 0, 2, 0. */
static const float y[IMAGES][PIXELS] = {{1, 1, 1, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 1, 1, 1, 1}, {0}};
static const float score[IMAGES][PIXELS] = {
    {0.1f, 3, -1, 2, 1, -2, 0, -3}, {-1, -1, -1, 0, 5, -1, -0.1f, 0}, {1, -1, -1, -1, -1, -1, -1, 1e-6f}};

static gnt_stream a_stream(void) {
    const gnt_key key = gnt_key_of_seed(3);
    return gnt_stream_open(&key, "errors");
}

static gnt_map_result measured(const gnt_map_counts *image, size_t n) {
    gnt_map_result out;
    gnt_err err = {0};
    if (gnt_map_measure(&out, image, n, a_stream(), &err) != 0)
        fail_msg("%s", err.text);
    return out;
}

static void assert_near(double a, double b, double within) {
    if (!(fabs(a - b) <= within))
        fail_msg("%.17g is not %.17g", a, b);
}

static void count_all(gnt_map_counts image[IMAGES]) {
    for (int i = 0; i < IMAGES; i++)
        image[i] = gnt_map_count(y[i], score[i], PIXELS, 0);
}

static void hand_made_maps_have_known_numbers(void **state) {
    (void)state;
    gnt_map_counts image[IMAGES];
    count_all(image);
    assert_int_equal(image[0].both, 2);
    assert_int_equal(image[0].found, 4);
    assert_int_equal(image[0].wanted, 3);
    assert_int_equal(image[1].both, 1);
    assert_int_equal(image[1].found, 1);
    assert_int_equal(image[1].wanted, 4);
    assert_int_equal(image[2].found, 2);
    const gnt_map_result r = measured(image, IMAGES);
    /* pooled: b = 3, t = 7, w = 7 */
    assert_near(r.value[GNT_MAP_IOU], 3.0 / 11, 1e-15);
    assert_near(r.value[GNT_MAP_PRECISION], 3.0 / 7, 1e-15);
    assert_near(r.value[GNT_MAP_RECALL], 3.0 / 7, 1e-15);
    assert_near(r.value[GNT_MAP_F], 6.0 / 14, 1e-15);
    /* by image: 2/5, 1/4, 0/2; 2/4, 1/1, 0/2; 2/3, 1/4, and 0 for nothing to find, something found; 4/7, 2/5,
     * 0 */
    assert_near(r.value[GNT_MAP_IMAGE_IOU], (0.4 + 0.25) / 3, 1e-15);
    assert_near(r.value[GNT_MAP_IMAGE_PRECISION], (0.5 + 1) / 3, 1e-15);
    assert_near(r.value[GNT_MAP_IMAGE_RECALL], (2.0 / 3 + 0.25) / 3, 1e-15);
    assert_near(r.value[GNT_MAP_IMAGE_F], (4.0 / 7 + 0.4) / 3, 1e-15);
}

static void f_and_iou_go_together_where_they_are_pooled(void **state) {
    (void)state;
    gnt_map_counts image[IMAGES];
    count_all(image);
    const gnt_map_result r = measured(image, IMAGES);
    const double iou = r.value[GNT_MAP_IOU], by_image = r.value[GNT_MAP_IMAGE_IOU];
    assert_near(r.value[GNT_MAP_F], 2 * iou / (1 + iou), 1e-12);
    assert_true(fabs(r.value[GNT_MAP_IMAGE_F] - 2 * by_image / (1 + by_image)) > 1e-3);
}

/* 3 of 16 pixels are marked in one image, none in the other. */
static void who_looks_at_nothing_is_scored_by_the_definitions(void **state) {
    (void)state;
    const float wanted[2][8] = {{1, 0, 1, 0, 1, 0, 0, 0}, {0}};
    const float all[8] = {9, 9, 9, 9, 9, 9, 9, 9}, none[8] = {-9, -9, -9, -9, -9, -9, -9, -9};
    gnt_map_counts image[2] = {gnt_map_count(wanted[0], all, 8, 0), gnt_map_count(wanted[1], all, 8, 0)};
    gnt_map_result r = measured(image, 2);
    assert_near(r.value[GNT_MAP_IOU], 3.0 / 16, 1e-15);
    assert_near(r.value[GNT_MAP_PRECISION], 3.0 / 16, 1e-15);
    assert_near(r.value[GNT_MAP_RECALL], 1, 0);
    assert_near(r.value[GNT_MAP_IMAGE_IOU], 3.0 / 8 / 2, 1e-15);
    assert_near(r.value[GNT_MAP_IMAGE_RECALL], 0.5, 0); /* something found where nothing is to be found: 0 */
    image[0] = gnt_map_count(wanted[0], none, 8, 0);
    image[1] = gnt_map_count(wanted[1], none, 8, 0);
    r = measured(image, 2);
    assert_near(r.value[GNT_MAP_IOU], 0, 0);
    assert_near(r.value[GNT_MAP_PRECISION], 0, 0);
    assert_near(r.value[GNT_MAP_F], 0, 0);
    assert_near(r.value[GNT_MAP_IMAGE_IOU], 0.5, 0); /* nothing to find, nothing found: 1 */
    assert_near(r.value[GNT_MAP_IMAGE_F], 0.5, 0);
    r = measured(image + 1, 1);
    for (int k = 0; k < GNT_MAP_NUMBERS; k++) {
        assert_near(r.value[k], 1, 0);
        assert_near(r.error[k], 0, 0);
    }
}

static void a_value_counts_above_its_threshold(void **state) {
    (void)state;
    const float wanted[] = {1, 1, 0.4f, 0.6f}, value[] = {0.5f, 0.51f, 0.9f, 0.2f};
    const gnt_map_counts c = gnt_map_count(wanted, value, 4, 0.5);
    assert_int_equal(c.both, 1);
    assert_int_equal(c.found, 2);
    assert_int_equal(c.wanted, 3);
}

static void a_broken_score_makes_an_image_wrong(void **state) {
    (void)state;
    const float wanted[] = {1, 1, 0, 0};
    const float broken[][4] = {{9, 9, -9, NAN}, {9, 9, -9, -INFINITY}, {INFINITY, 9, -9, -9}};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        const gnt_map_counts c = gnt_map_count(wanted, broken[i], 4, 0);
        const gnt_map_result r = measured(&c, 1);
        for (int k = 0; k < GNT_MAP_NUMBERS; k++)
            assert_near(r.value[k], 0, 0);
    }
    /* with nothing, or all, to be found too */
    const float none[4] = {0}, all[] = {1, 1, 1, 1};
    const gnt_map_counts c[] = {gnt_map_count(none, broken[0], 4, 0), gnt_map_count(all, broken[0], 4, 0)};
    const gnt_map_result r = measured(c, 2);
    assert_near(r.value[GNT_MAP_IOU], 0, 0);
    assert_near(r.value[GNT_MAP_IMAGE_IOU], 0, 0);
}

static void make_many(gnt_map_counts image[MANY]) {
    const gnt_key key = gnt_key_of_seed(5);
    gnt_stream random = gnt_stream_open(&key, "images");
    for (int i = 0; i < MANY; i++) {
        const int64_t both = (int64_t)gnt_random_below(&random, 30);
        image[i] = (gnt_map_counts){both, both + (int64_t)gnt_random_below(&random, 20),
                                    both + (int64_t)gnt_random_below(&random, 40)};
    }
}

/* 400 draws know a deviation to 3.5 per cent. */
static void errors_are_those_of_formulas(void **state) {
    (void)state;
    gnt_map_counts image[MANY];
    float by_image[MANY];
    double sum = 0, squares = 0, linear = 0, linear_squares = 0;
    make_many(image);
    const gnt_map_result r = measured(image, MANY), again = measured(image, MANY);
    assert_memory_equal(&r, &again, sizeof r);
    gnt_map_iou_by_image(by_image, image, MANY);
    for (int i = 0; i < MANY; i++) {
        const int64_t joined = image[i].found + image[i].wanted - image[i].both;
        const double own = joined ? (double)image[i].both / (double)joined : 1;
        sum += own;
        squares += own * own;
        linear += (double)by_image[i];
        linear_squares += (double)by_image[i] * (double)by_image[i];
    }
    const double mean = sum / MANY, of_mean = sqrt((squares / MANY - mean * mean) / MANY);
    assert_near(r.value[GNT_MAP_IMAGE_IOU], mean, 1e-12);
    assert_near(r.error[GNT_MAP_IMAGE_IOU] / of_mean, 1, 0.12);
    const double pooled = linear / MANY, of_pooled = sqrt((linear_squares / MANY - pooled * pooled) / MANY);
    assert_near(r.value[GNT_MAP_IOU], pooled, 1e-6);
    assert_near(r.error[GNT_MAP_IOU] / of_pooled, 1, 0.12);
}

static void no_images_have_no_numbers(void **state) {
    (void)state;
    const gnt_map_result r = measured(NULL, 0);
    assert_true(isnan(r.value[GNT_MAP_IOU]) && isnan(r.error[GNT_MAP_IMAGE_F]));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hand_made_maps_have_known_numbers),
        cmocka_unit_test(f_and_iou_go_together_where_they_are_pooled),
        cmocka_unit_test(who_looks_at_nothing_is_scored_by_the_definitions),
        cmocka_unit_test(a_value_counts_above_its_threshold),
        cmocka_unit_test(a_broken_score_makes_an_image_wrong),
        cmocka_unit_test(errors_are_those_of_formulas),
        cmocka_unit_test(no_images_have_no_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
