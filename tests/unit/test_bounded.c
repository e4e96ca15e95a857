/* What linear-layer estimates pruned inputs with: the covariance by distance against sums over the mirrored
 * images, and estimates between bounds against integrals, dense normal laws and samples of the
 * prior itself. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../../plugins/attacks/gradient/prior/bounded.c"
#include "../../plugins/attacks/gradient/prior/entry_bounds.c"
#include "../../plugins/attacks/gradient/prior/matrix_rows.c"
#include "../../plugins/attacks/gradient/prior/principal.c"
#include "../../plugins/attacks/gradient/prior/projections.c"
#include "../../plugins/attacks/gradient/prior/sample_prior.c"
#include "../../plugins/attacks/gradient/prior/stationary.c"
#include "../../plugins/attacks/gradient/prior/whole_covariance.c"
#include <cmocka.h>

#include "plain_host.h"

enum { CHANNELS = 2, HEIGHT = 3, WIDTH = 4, AREA = HEIGHT * WIDTH, IMAGES = 5 };

static const sample_shape small = {CHANNELS * AREA, CHANNELS, HEIGHT, WIDTH};

static double mirrored(const float *image, int64_t i, int64_t j) {
    i = i % (2 * HEIGHT);
    j = j % (2 * WIDTH);
    return (double)image[(i < HEIGHT ? i : 2 * HEIGHT - 1 - i) * WIDTH + (j < WIDTH ? j : 2 * WIDTH - 1 - j)];
}

static double mean_of(const float *x, int64_t channel) {
    double sum = 0;
    for (int64_t n = 0; n < IMAGES; n++)
        for (int64_t k = 0; k < AREA; k++)
            sum += (double)x[(n * CHANNELS + channel) * AREA + k] / (IMAGES * AREA);
    return sum;
}

/* Returns the mean product of mirrored images so many rows and columns apart. */
static double product(const float *x, int64_t a, int64_t b, int64_t down, int64_t right) {
    const double of_a = mean_of(x, a), of_b = mean_of(x, b);
    double sum = 0;
    for (int64_t n = 0; n < IMAGES; n++)
        for (int64_t i = 0; i < 2 * HEIGHT; i++)
            for (int64_t j = 0; j < 2 * WIDTH; j++)
                sum += (mirrored(x + (n * CHANNELS + a) * AREA, i, j) - of_a) *
                       (mirrored(x + (n * CHANNELS + b) * AREA, i + down, j + right) - of_b);
    return sum / (IMAGES * 4 * AREA);
}

static void a_covariance_by_distance_is_that_of_mirrored_images(void **state) {
    (void)state;
    plain_host p;
    double u[IMAGES * CHANNELS * AREA], column[CHANNELS * AREA] = {0};
    float x[IMAGES * CHANNELS * AREA];
    stationary s;
    plain_open(&p, 1);
    plain_uniform(&p, "images", IMAGES * CHANNELS * AREA, u);
    for (size_t i = 0; i < sizeof x / sizeof *x; i++)
        x[i] = (float)u[i];
    assert_int_equal(stationary_make(&s, &p.host, &small, x, IMAGES), GNT_OK);
    const int64_t row = 1, at = 3;
    stationary_add_column(&s, AREA + row * WIDTH + at, 2, column);
    for (int64_t c = 0; c < CHANNELS; c++) {
        assert_float_equal(s.mean[c], mean_of(x, c), 1e-9);
        assert_float_equal(stationary_variance(&s, c), product(x, c, c, 0, 0), 1e-9);
        for (int64_t i = 0; i < HEIGHT; i++)
            for (int64_t j = 0; j < WIDTH; j++)
                assert_float_equal(column[c * AREA + i * WIDTH + j],
                                   2 * product(x, 1, c, llabs(i - row), llabs(j - at)), 1e-9);
    }
    plain_close(&p);
}

/* Returns the mean of N(m, v) within [lower, upper], by the rule of midpoints. */
static double mean_within(double m, double v, double lower, double upper) {
    double sum = 0, weight = 0;
    for (int i = 0; i < 100000; i++) {
        const double x = lower + (upper - lower) * (i + 0.5) / 100000, w = exp(-(x - m) * (x - m) / (2 * v));
        sum += w * x;
        weight += w;
    }
    return sum / weight;
}

/* Estimates two entries, of which the first is known to be `known`. */
static double second_of_two(double known, double lower, double upper) {
    plain_host p;
    double mean[] = {0.4, 0.5}, rest[] = {1e-4, 0.01}, x[2], low[] = {known, lower}, high[] = {known, upper};
    float factor[] = {0.2f, 0.15f};
    const sample_prior prior = {2, 1, mean, factor, rest};
    double none[2] = {0};
    const entry_bounds bounds = {low, high, none, none};
    bounded_room room;
    plain_open(&p, 1);
    assert_true(bounded_room_make(&room, &p.host, 2));
    assert_int_equal(
        bounded_estimate(&prior, NULL, &p.host, &bounds, NULL, &room, prior_room_make(&p.host, &prior), x),
        GNT_OK);
    assert_true(x[0] == known);
    plain_close(&p);
    return x[1];
}

static void one_entry_between_bounds_has_its_mean_there(void **state) {
    (void)state;
    const double of_first = 0.2 * 0.2 + 1e-4, shared = 0.2 * 0.15, of_second = 0.15 * 0.15 + 0.01;
    const double known[] = {0.4, 0.9, 0.1}, lower[] = {0.45, 0.2, 0.6}, upper[] = {0.7, 0.5, 0.9};
    for (int i = 0; i < 3; i++) {
        const double m = 0.5 + shared / of_first * (known[i] - 0.4),
                     v = of_second - shared * shared / of_first;
        assert_float_equal(second_of_two(known[i], lower[i], upper[i]), mean_within(m, v, lower[i], upper[i]),
                           2e-3);
    }
}

/* A bound far from all that the prior expects: the estimate is at the near end, and finite. */
static void bounds_far_outside_are_met(void **state) {
    (void)state;
    const double x = second_of_two(0.4, 30, 31);
    assert_true(x >= 30 && x < 30.1);
}

/* Two entries have nothing in common, and the second lies in [0, 0.5] and is 0 in half of all samples: by
 * Bayes 0 has the weight 0.5 against half of the normal law's mass there. */
static void an_entry_may_be_black(void **state) {
    (void)state;
    plain_host p;
    double mean[] = {0.4, 0.5}, rest[] = {0.01, 0.04}, x[2], low[] = {0.4, 0}, high[] = {0.4, 0.5};
    float factor[] = {0.1f, 0}, rows[] = {1, 0, 0.3f, 0.2f, 0.5f, 0};
    const sample_prior prior = {2, 1, mean, factor, rest};
    bounded_room room;
    entry_bounds bounds;
    plain_open(&p, 1);
    assert_true(entry_bounds_make(&bounds, &p.host, 2) && bounded_room_make(&room, &p.host, 2));
    entry_bounds_count(&bounds, rows, 3, 2);
    assert_true(bounds.zeros[0] == 0 && bounds.ones[0] == 0.25 && bounds.zeros[1] == 0.5 &&
                bounds.ones[1] == 0);
    memcpy(bounds.lower, low, sizeof low);
    memcpy(bounds.upper, high, sizeof high);
    assert_int_equal(
        bounded_estimate(&prior, NULL, &p.host, &bounds, NULL, &room, prior_room_make(&p.host, &prior), x),
        GNT_OK);
    const double mass = erf(2.5 / sqrt(2)) / 2, inside = mean_within(0.5, 0.04, 0, 0.5);
    assert_float_equal(x[1], 0.5 * mass * inside / (0.5 + 0.5 * mass), 5e-3);
    plain_close(&p);
}

/* The whole covariance of a prior that was cut to three columns leaves nothing away: the estimate is that of
 * the prior before, which has all of them. */
static void the_whole_covariance_misses_nothing(void **state) {
    (void)state;
    enum { N = CHANNELS * AREA, COLUMNS = 3 };
    plain_host p;
    double u[IMAGES * N], precision[N], pull[N], expected[N], cut[N], whole[N], by_cut = 0;
    float x[IMAGES * N];
    sample_prior prior = {0};
    whole_covariance of_images;
    const evidence e = {precision, pull};
    plain_open(&p, 3);
    plain_uniform(&p, "images", IMAGES * N, u);
    for (int64_t i = 0; i < IMAGES * N; i++)
        x[i] = (float)u[i];
    for (int64_t k = 0; k < N; k++) {
        precision[k] = k % 3 == 0 ? 1e8 : k % 3 == 1 ? 30 : 0;
        pull[k] = precision[k] * (0.2 + 0.6 * u[k]);
    }
    const prior_setting setting = {0, 0, 1, 4};
    assert_int_equal(sample_prior_make(&prior, &p.host, &small, x, IMAGES, setting), GNT_OK);
    assert_int_equal(sample_prior_apply(&prior, &e, prior_room_make(&p.host, &prior), expected, NULL), 0);
    for (; prior.rank > COLUMNS; prior.rank--)
        for (int64_t k = 0; k < N; k++) {
            const double of = (double)prior.factor[(prior.rank - 1) * N + k];
            prior.rest[k] += of * of;
        }
    prior_room *room = prior_room_make(&p.host, &prior);
    assert_int_equal(sample_prior_apply(&prior, &e, room, cut, NULL), 0);
    assert_int_equal(whole_covariance_make(&of_images, &p.host, &small, x, IMAGES, 4), GNT_OK);
    assert_int_equal(whole_covariance_apply(&of_images, &p.host, &prior, &e, room, whole), GNT_OK);
    for (int64_t k = 0; k < N; k++) {
        assert_float_equal(whole[k], expected[k], 5e-3);
        by_cut = fmax(by_cut, fabs(cut[k] - expected[k]));
    }
    assert_true(by_cut > 0.05);
    plain_close(&p);
}

enum { SIDE = 8, D = SIDE * SIDE, RANK = 12, DRAWN = 20 };

static void draw(plain_host *p, const sample_prior *prior, double *x) {
    float z[RANK], e[D];
    p->host.normal(p->host.context, "z", RANK, z);
    p->host.normal(p->host.context, "e", D, e);
    for (int64_t k = 0; k < D; k++) {
        x[k] = prior->mean[k] + sqrt(prior->rest[k]) * (double)e[k];
        for (int64_t i = 0; i < RANK; i++)
            x[k] += (double)z[i] * (double)prior->factor[i * D + k];
    }
}

static double distance_of(const double *a, const double *b) {
    double sum = 0;
    for (int64_t k = 0; k < D; k++)
        sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sum;
}

/* Images of the prior, of which a pruned update shows the entries far from grey: what is shown is exact, all
 * else within its bounds, and nearer than the mean that ignores the bounds and is cut to them. */
static void images_of_the_prior_come_back(void **state) {
    (void)state;
    plain_host p;
    double mean[D], rest[D], lower[D], upper[D], x[D], found[D], cut[D], again[D], estimated = 0, ignored = 0;
    float factor[RANK * D];
    const sample_prior prior = {D, RANK, mean, factor, rest};
    static double none[D];
    const entry_bounds bounds = {lower, upper, none, none};
    bounded_room room;
    plain_open(&p, 2);
    for (int64_t k = 0; k < D; k++) {
        mean[k] = 0.5;
        rest[k] = 1e-3;
        for (int64_t i = 0; i < RANK; i++)
            factor[i * D + k] =
                (float)(0.1 * cos(M_PI * (double)(i % 4) * ((double)(k % SIDE) + 0.5) / SIDE) *
                        cos(M_PI * (double)(i / 4) * ((double)(k / SIDE) + 0.5) / SIDE));
    }
    assert_true(bounded_room_make(&room, &p.host, D));
    prior_room *of = prior_room_make(&p.host, &prior);
    for (int n = 0; n < DRAWN; n++) {
        draw(&p, &prior, x);
        for (int64_t k = 0; k < D; k++) {
            const int shown = fabs(x[k] - 0.5) > 0.25;
            lower[k] = shown ? x[k] : 0.25;
            upper[k] = shown ? x[k] : 0.75;
        }
        assert_int_equal(bounded_estimate(&prior, NULL, &p.host, &bounds, NULL, &room, of, found), GNT_OK);
        assert_int_equal(bounded_estimate(&prior, NULL, &p.host, &bounds, NULL, &room, of, again), GNT_OK);
        assert_memory_equal(found, again, sizeof found);
        begin(&bounds, D, &room.evidence);
        assert_int_equal(sample_prior_apply(&prior, &room.evidence, of, cut, NULL), 0);
        keep_within(&bounds, D, cut);
        for (int64_t k = 0; k < D; k++) {
            assert_true(found[k] >= lower[k] && found[k] <= upper[k]);
            assert_true(lower[k] < upper[k] || found[k] == x[k]);
        }
        estimated += distance_of(found, x);
        ignored += distance_of(cut, x);
    }
    assert_true(estimated < 0.9 * ignored);
    plain_close(&p);
}

enum { SIX = 6, OF_SIX = 2 };

/* Computes mean and variances of the normal law with the covariance of `prior`, the evidence e and the
 * factors of `also` from its dense precision, 1/variance of everything added up. */
static void by_precision(const sample_prior *prior, const evidence *e, const projections *also, double *mean,
                         double *variance) {
    double spread[SIX * SIX], precision[SIX * SIX] = {0}, unit[SIX * SIX] = {0}, pull[SIX] = {0};
    for (int i = 0; i < SIX; i++)
        for (int j = 0; j < SIX; j++) {
            spread[i * SIX + j] = i == j ? prior->rest[i] : 0;
            for (int k = 0; k < prior->rank; k++)
                spread[i * SIX + j] +=
                    (double)prior->factor[k * SIX + i] * (double)prior->factor[k * SIX + j];
            precision[i * SIX + j] = unit[i * SIX + j] = i == j;
        }
    assert_int_equal(gnt_cholesky(spread, SIX), 0);
    gnt_cholesky_solve(spread, SIX, precision, SIX);
    for (int i = 0; i < SIX; i++) {
        for (int j = 0; j < SIX; j++)
            pull[i] += precision[i * SIX + j] * prior->mean[j];
        pull[i] += e->pull[i];
        precision[i * SIX + i] += e->precision[i];
    }
    for (int r = 0; r < also->n; r++)
        for (int i = 0; i < SIX; i++) {
            const double *row = also->row + r * SIX;
            for (int j = 0; j < SIX; j++)
                precision[i * SIX + j] += also->evidence.precision[r] * row[i] * row[j];
            pull[i] += also->evidence.pull[r] * row[i];
        }
    assert_int_equal(gnt_cholesky(precision, SIX), 0);
    gnt_cholesky_solve(precision, SIX, unit, SIX);
    for (int i = 0; i < SIX; i++) {
        mean[i] = 0;
        variance[i] = unit[i * SIX + i];
        for (int j = 0; j < SIX; j++)
            mean[i] += unit[i * SIX + j] * pull[j];
    }
}

static void projections_are_those_of_the_dense_law(void **state) {
    (void)state;
    plain_host p;
    double u[5 * SIX], mean[SIX], rest[SIX], x[SIX], variance[SIX], expected[SIX], of_expected[SIX];
    float factor[2 * SIX];
    const sample_prior prior = {SIX, 2, mean, factor, rest};
    evidence e = {u + 3 * SIX, u + 4 * SIX};
    projections also;
    plain_open(&p, 7);
    plain_uniform(&p, "law", 5 * SIX, u);
    for (int k = 0; k < SIX; k++) {
        mean[k] = u[k];
        rest[k] = 0.01 + 0.1 * u[SIX + k];
        factor[k] = (float)(u[2 * SIX + k] - 0.3);
        factor[SIX + k] = (float)(0.5 * u[2 * SIX + (k + 2) % SIX]);
        e.precision[k] *= k == 1 ? 0 : 30;
        e.pull[k] *= k == 1 ? 0 : 20;
    }
    assert_true(projections_make(&also, &p.host, OF_SIX, SIX));
    for (int i = 0; i < OF_SIX; i++)
        for (int k = 0; k < SIX; k++)
            also.row[i * SIX + k] = u[(7 * i + 3 * k) % (5 * SIX)] - 0.4;
    also.evidence.precision[0] = 40;
    also.evidence.pull[0] = 11;
    for (int changed = 0; changed < 2; changed++) { /* the second factor says nothing at first */
        also.evidence.precision[1] = changed ? 5 : 0;
        also.evidence.pull[1] = changed ? 1 : 0;
        prior_room *room = prior_room_make(&p.host, &prior);
        assert_int_equal(sample_prior_apply(&prior, &e, room, x, variance), 0);
        assert_int_equal(projections_apply(&also, &prior, &e, room, x, variance), 0);
        by_precision(&prior, &e, &also, expected, of_expected);
        for (int k = 0; k < SIX; k++) {
            assert_float_equal(x[k], expected[k], 1e-6);
            assert_float_equal(variance[k], of_expected[k], 1e-6);
        }
        for (int i = 0; i < OF_SIX; i++)
            assert_float_equal(also.mean[i], rows_dot(also.row + i * SIX, expected, SIX), 1e-6);
    }
    plain_close(&p);
}

/* A sum that is known, and another that has a bound: both hold in the estimate. */
static void known_and_bounded_projections_hold(void **state) {
    (void)state;
    plain_host p;
    double mean[SIX], rest[SIX], lower[SIX], upper[SIX], x[SIX], none[SIX] = {0};
    float factor[SIX];
    const sample_prior prior = {SIX, 1, mean, factor, rest};
    const entry_bounds bounds = {lower, upper, none, none};
    bounded_room room;
    projections also;
    plain_open(&p, 8);
    for (int k = 0; k < SIX; k++) {
        mean[k] = 0.5;
        rest[k] = 0.02;
        factor[k] = 0.1f;
        lower[k] = k == 0 ? 0.9 : 0;
        upper[k] = k == 0 ? 0.9 : 1;
    }
    assert_true(projections_make(&also, &p.host, OF_SIX, SIX));
    for (int k = 0; k < SIX; k++) {
        also.row[k] = 1;
        also.row[SIX + k] = k < 3;
    }
    also.bounds.lower[0] = also.bounds.upper[0] = 2.6;
    also.bounds.lower[1] = -5;
    also.bounds.upper[1] = 1.3;
    assert_true(bounded_room_make(&room, &p.host, SIX));
    assert_int_equal(
        bounded_estimate(&prior, NULL, &p.host, &bounds, &also, &room, prior_room_make(&p.host, &prior), x),
        GNT_OK);
    assert_float_equal(x[0], 0.9, 1e-9);
    assert_float_equal(x[0] + x[1] + x[2] + x[3] + x[4] + x[5], 2.6, 1e-3);
    assert_true(x[0] + x[1] + x[2] < 1.3);
    assert_true(x[1] < 0.25 && x[3] > 0.4);
    plain_close(&p);
}

/* Ends that few samples are at say nothing: what is bright there depends on the entries around. */
static void rare_ends_are_left_out(void **state) {
    (void)state;
    plain_host p;
    float x[30 * 2] = {0};
    entry_bounds e;
    plain_open(&p, 9);
    for (int i = 0; i < 30; i++)
        x[2 * i + 1] = i == 4 ? 1 : 0.5f;
    assert_true(entry_bounds_make(&e, &p.host, 2));
    entry_bounds_count(&e, x, 30, 2);
    assert_float_equal(e.zeros[0], 30.0 / 31, 1e-12);
    assert_true(e.ones[0] == 0 && e.zeros[1] == 0 && e.ones[1] == 0);
    plain_close(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_covariance_by_distance_is_that_of_mirrored_images),
        cmocka_unit_test(one_entry_between_bounds_has_its_mean_there),
        cmocka_unit_test(bounds_far_outside_are_met),
        cmocka_unit_test(an_entry_may_be_black),
        cmocka_unit_test(the_whole_covariance_misses_nothing),
        cmocka_unit_test(images_of_the_prior_come_back),
        cmocka_unit_test(projections_are_those_of_the_dense_law),
        cmocka_unit_test(known_and_bounded_projections_hold),
        cmocka_unit_test(rare_ends_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
