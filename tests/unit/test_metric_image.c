/* Image measures: values of tests/golden/metric_image.py, then what each measure must do at its edges. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/random.h"
#include "metric/image.h"

enum { MOST = 1024 };

static const struct {
    gnt_metric_shape shape;
    double mse, psnr, ssim;
} golden[] = {
    {{1, 28, 28}, 0.13101431669558952, 8.8268124386972264, 0.29073509063661401},
    {{3, 16, 13}, 0.13615755202666066, 8.6595826535929756, 0.20466238715808019},
    {{2, 8, 12}, 0.13511159157429678, 8.6930739012822258, 0.12753244202413669},
    {{1, 1, 1}, 0, 60, 1},
};

static size_t make_pair(gnt_metric_shape s, float *a, float *b) {
    size_t n = (size_t)(s.channels * s.height * s.width);
    for (size_t i = 0; i < n; i++) {
        a[i] = (float)((double)(i * 7919 % 251) / 250.0);
        b[i] = (float)((double)a[i] * 0.4 +
                       (double)(i * 104729 % 199) / 199.0); /* up to 1.39: must be clamped */
    }
    return n;
}

static void golden_values(void **state) {
    (void)state;
    float a[MOST], b[MOST];
    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
        make_pair(golden[i].shape, a, b);
        gnt_metric_image got = gnt_metric_judge(a, b, golden[i].shape);
        assert_true(fabs(got.mse - golden[i].mse) < 1e-14);
        assert_true(fabs(got.psnr - golden[i].psnr) < 1e-11);
        assert_true(fabs(got.ssim - golden[i].ssim) < 1e-12);
        assert_true(fabs(got.mse255 - 65025 * golden[i].mse) < 1e-9);
        gnt_metric_image swapped = gnt_metric_judge(b, a, golden[i].shape);
        assert_true(fabs(swapped.mse - got.mse) < 1e-15 && fabs(swapped.ssim - got.ssim) < 1e-12);
    }
}

static void psnr_is_capped_and_flagged(void **state) {
    (void)state;
    int exact = -1;
    assert_true(fabs(gnt_metric_psnr(0.01, &exact) - 20) < 1e-12);
    assert_int_equal(exact, 0);
    assert_true(gnt_metric_psnr(0, &exact) == 60);
    assert_int_equal(exact, 1);
    assert_true(gnt_metric_psnr(0.9e-6, &exact) == 60);
    assert_int_equal(exact, 1);
    assert_true(fabs(gnt_metric_psnr(1.1e-6, &exact) - 59.586) < 1e-3);
    assert_int_equal(exact, 0);
    assert_true(gnt_metric_psnr(1, NULL) == 0);
}

static void both_sides_are_clamped(void **state) {
    (void)state;
    const float target[4] = {0, 1, 0.5f, 1}, answer[4] = {-3, 7, 0.5f, 1e30f};
    gnt_metric_image got = gnt_metric_judge(target, answer, (gnt_metric_shape){1, 2, 2});
    assert_true(got.mse == 0 && got.psnr == 60 && got.exact && !got.broken && fabs(got.ssim - 1) < 1e-12);
}

/* With constant images both variances are 0 and SSIM is its luminance term alone. */
static void ssim_of_constants_is_the_luminance_term(void **state) {
    (void)state;
    float a[144], b[144];
    for (int i = 0; i < 144; i++) {
        a[i] = 0.25f;
        b[i] = 0.75f;
    }
    double expected = (2 * 0.25 * 0.75 + 1e-4) / (0.0625 + 0.5625 + 1e-4);
    assert_true(fabs(gnt_metric_judge(a, b, (gnt_metric_shape){1, 12, 12}).ssim - expected) < 1e-9);
    assert_true(fabs(gnt_metric_judge(a, b, (gnt_metric_shape){1, 2, 72}).ssim - expected) < 1e-9);
}

static void broken_answers_score_worst(void **state) {
    (void)state;
    float target[12], answer[12];
    const float bad[3] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 12; i++)
        target[i] = answer[i] = 0.5f;
    for (int i = 0; i < 3; i++) {
        answer[11] = bad[i];
        gnt_metric_image got = gnt_metric_judge(target, answer, (gnt_metric_shape){3, 2, 2});
        assert_true(got.mse == 1 && got.mse255 == 65025 && got.psnr == 0 && got.ssim == -1);
        assert_true(got.broken && !got.exact && !got.missing);
    }
}

static void batch_is_assigned_one_to_one(void **state) {
    (void)state;
    enum { N = 5, SIZE = 27 };
    const gnt_metric_shape shape = {3, 3, 3};
    const uint32_t order[N] = {3, 0, 4, 1, 2};
    float target[N * SIZE], answer[N * SIZE];
    gnt_metric_image out[N];
    gnt_key key = gnt_key_of_seed(1);
    gnt_stream s = gnt_stream_open(&key, "images");
    for (int i = 0; i < N * SIZE; i++)
        target[i] = (float)gnt_random_uniform(&s);
    for (int i = 0; i < N; i++)
        memcpy(answer + i * SIZE, target + order[i] * SIZE, SIZE * sizeof *target);
    assert_int_equal(gnt_metric_judge_batch(out, target, N, answer, N, shape, NULL), 0);
    for (int i = 0; i < N; i++) {
        assert_int_equal(out[order[i]].answer, i);
        assert_true(out[i].exact);
    }
    /* the same good answer five times over pays for one target only */
    for (int i = 1; i < N; i++)
        memcpy(answer + i * SIZE, answer, SIZE * sizeof *target);
    assert_int_equal(gnt_metric_judge_batch(out, target, N, answer, N, shape, NULL), 0);
    int exact = 0;
    for (int i = 0; i < N; i++)
        exact += out[i].exact;
    assert_int_equal(exact, 1);
}

/* A batch holds one image twice: one exact answer recovers both; a worse second one changes nothing. */
static void copies_of_a_sample_share_their_answer(void **state) {
    (void)state;
    const gnt_metric_shape shape = {1, 1, 2};
    const float target[6] = {0.25f, 0.75f, 1, 0, 0.25f, 0.75f}, answer[4] = {0.25f, 0.75f, 0.25f, 0.5f};
    gnt_metric_image out[3];
    assert_int_equal(gnt_metric_judge_batch(out, target, 3, answer, 1, shape, NULL), 0);
    assert_true(out[0].exact && out[2].exact && out[1].missing);
    assert_int_equal(out[0].answer, 0);
    assert_int_equal(out[2].answer, 0);
    assert_int_equal(gnt_metric_judge_batch(out, target, 3, answer, 2, shape, NULL), 0);
    assert_true(out[0].exact && out[2].exact);
}

static void missing_and_surplus_answers(void **state) {
    (void)state;
    const gnt_metric_shape shape = {1, 1, 2};
    const float target[6] = {0, 0, 1, 1, 0.5f, 0.5f}, answer[8] = {0.9f, 1, NAN, 0, 0, 0, 0, 0};
    gnt_metric_image out[3];
    gnt_err err = {{0}};
    assert_int_equal(gnt_metric_judge_batch(out, target, 3, answer, 2, shape, &err), 0);
    assert_int_equal(out[1].answer, 0);
    assert_true(out[1].psnr > 20);
    assert_int_equal(out[0].missing + out[2].missing, 1);
    assert_int_equal(out[0].broken + out[2].broken, 1);
    assert_true(out[0].mse == 1 && out[2].mse == 1 && out[0].psnr == 0 && out[2].psnr == 0);
    assert_int_equal(gnt_metric_judge_batch(out, target, 3, answer, 0, shape, &err), 0);
    assert_true(out[0].missing && out[1].missing && out[2].missing && out[1].answer == -1);
    assert_int_equal(gnt_metric_judge_batch(out, target, 3, answer, 4, shape, &err), -1);
    assert_non_null(strstr(err.text, "4 images were answered for 3 targets"));
}

/* Two answers and four members: by itself each is nearest to member 2, but only one may take it; 0.01 + 0.04
 * is then the least sum, member 1 being 0.2 off the first answer. */
static void answers_take_different_members(void **state) {
    (void)state;
    const float member[] = {0, 0.3f, 0.6f, 1}, answer[] = {0.5f, 0.7f}, twice[] = {0.6f, 0.6f};
    const gnt_metric_shape one = {1, 1, 1};
    gnt_metric_image got[3];
    int64_t at[3];
    assert_int_equal(gnt_metric_judge_members(got, at, member, NULL, 4, answer, 2, one, NULL), 0);
    assert_true(at[0] == 1 && at[1] == 2 && got[0].answer == 0 && got[1].answer == 1);
    assert_true(fabs(got[0].mse - 0.04) < 1e-7 && fabs(got[1].mse - 0.01) < 1e-7);
    assert_int_equal(gnt_metric_judge_members(got, at, member, NULL, 4, answer, 1, one, NULL), 0);
    assert_true(at[0] == 2 && fabs(got[0].mse - 0.01) < 1e-7);
    assert_int_equal(gnt_metric_judge_members(got, at, member, NULL, 4, twice, 2, one, NULL), 0);
    assert_true(at[0] != at[1] && fabs(got[0].mse + got[1].mse - 0.09) < 1e-7);
    const float bad[] = {NAN, 0.6f};
    assert_int_equal(gnt_metric_judge_members(got, at, member, NULL, 4, bad, 2, one, NULL), 0);
    assert_true(got[0].broken && got[0].mse == 1 && at[1] == 2 && got[1].exact);
    gnt_err err = {{0}};
    assert_int_equal(gnt_metric_judge_members(got, at, member, NULL, 2, member, 3, one, &err), -1);
}

/* ---- regions ---- */

/* A golden pair inside a larger image: a mask that fills the box has the numbers of the golden pair, whatever
 * lies around it. */
static void a_region_has_the_numbers_of_its_box(void **state) {
    (void)state;
    enum { TOP = 3, LEFT = 5, HEIGHT = 24, WIDTH = 20 };
    const gnt_metric_shape inner = golden[1].shape, shape = {3, HEIGHT, WIDTH};
    float a[MOST], b[MOST], x[3 * HEIGHT * WIDTH], y[3 * HEIGHT * WIDTH];
    uint8_t mask[HEIGHT * WIDTH] = {0};
    make_pair(inner, a, b);
    for (int i = 0; i < 3 * HEIGHT * WIDTH; i++) {
        x[i] = 0.3f;
        y[i] = i % 2 ? NAN : 0.9f;
    }
    for (int64_t c = 0; c < 3; c++)
        for (int64_t r = 0; r < inner.height; r++)
            for (int64_t k = 0; k < inner.width; k++) {
                const int64_t from = (c * inner.height + r) * inner.width + k,
                              to = (TOP + r) * WIDTH + LEFT + k;
                x[c * HEIGHT * WIDTH + to] = a[from];
                y[c * HEIGHT * WIDTH + to] = b[from];
                mask[to] = 1;
            }
    const gnt_metric_box box = gnt_metric_box_of(mask, HEIGHT, WIDTH);
    assert_true(box.top == TOP && box.left == LEFT && box.height == 16 && box.width == 13);
    const gnt_metric_image got = gnt_metric_judge_region(x, y, mask, shape);
    assert_true(fabs(got.mse - golden[1].mse) < 1e-7);
    assert_true(fabs(got.psnr - golden[1].psnr) < 1e-5);
    assert_true(fabs(got.ssim - golden[1].ssim) < 1e-6);
    assert_false(got.broken);
    const gnt_metric_image whole = gnt_metric_judge_region(a, b, NULL, inner);
    assert_true(whole.mse == gnt_metric_judge(a, b, inner).mse);
}

/* Two corners are marked, off by 0.1 and 0.3; the box around them is the whole image. */
static void pixels_outside_of_a_mask_count_for_the_box_alone(void **state) {
    (void)state;
    const gnt_metric_shape shape = {1, 4, 4};
    float x[16] = {0}, y[16];
    uint8_t mask[16] = {[0] = 1, [15] = 1};
    for (int i = 0; i < 16; i++)
        y[i] = i == 0 ? 0.1f : i == 15 ? 0.3f : 0.8f;
    gnt_metric_image got = gnt_metric_judge_region(x, y, mask, shape);
    assert_true(fabs(got.mse - (0.01 + 0.09) / 2) < 1e-7);
    assert_true(fabs(got.psnr + 10 * log10(0.05)) < 1e-5);
    assert_true(got.ssim == gnt_metric_judge(x, y, shape).ssim);
    assert_true(fabs(gnt_metric_mse_in(x, y, mask, shape) - got.mse) < 1e-12);
    y[5] = NAN; /* not marked: the error stays, the box has no SSIM */
    got = gnt_metric_judge_region(x, y, mask, shape);
    assert_true(fabs(got.mse - 0.05) < 1e-7 && got.ssim == -1 && !got.broken);
    y[15] = INFINITY;
    got = gnt_metric_judge_region(x, y, mask, shape);
    assert_true(got.mse == 1 && got.psnr == 0 && got.broken);
    memset(mask, 0, sizeof mask);
    assert_int_equal(gnt_metric_box_of(mask, 4, 4).height, 0);
    got = gnt_metric_judge_region(x, x, mask, shape);
    assert_true(got.mse == 1 && got.ssim == -1);
}

/* By whole images the answer shows the first member; on their regions the second. */
static void members_are_identified_by_their_regions(void **state) {
    (void)state;
    const gnt_metric_shape shape = {1, 2, 2};
    const float member[] = {0.5f, 0.5f, 0.5f, 0.5f, 0, 0, 0, 1}, answer[] = {0.4f, 0.5f, 0.5f, 1};
    const uint8_t masks[] = {1, 0, 0, 0, 0, 0, 0, 1};
    gnt_metric_image got;
    int64_t at;
    assert_int_equal(gnt_metric_judge_members(&got, &at, member, NULL, 2, answer, 1, shape, NULL), 0);
    assert_int_equal(at, 0);
    assert_int_equal(gnt_metric_judge_members(&got, &at, member, masks, 2, answer, 1, shape, NULL), 0);
    assert_true(at == 1 && got.exact);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_values),
        cmocka_unit_test(psnr_is_capped_and_flagged),
        cmocka_unit_test(both_sides_are_clamped),
        cmocka_unit_test(ssim_of_constants_is_the_luminance_term),
        cmocka_unit_test(broken_answers_score_worst),
        cmocka_unit_test(batch_is_assigned_one_to_one),
        cmocka_unit_test(copies_of_a_sample_share_their_answer),
        cmocka_unit_test(missing_and_surplus_answers),
        cmocka_unit_test(answers_take_different_members),
        cmocka_unit_test(a_region_has_the_numbers_of_its_box),
        cmocka_unit_test(pixels_outside_of_a_mask_count_for_the_box_alone),
        cmocka_unit_test(members_are_identified_by_their_regions),
    };
    return cmocka_run_group_tests_name("metric image", tests, NULL, NULL);
}
