/* What linear-layer reads noisy layers with, against dense solves of a few entries: the prior's covariance,
 * posterior, density and narrowing; what several rounds say together; Laplace noise taken for what it is. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../plugins/attacks/gradient/linear/both_signs.c"
#include "../../plugins/attacks/gradient/linear/first_delta.c"
#include "../../plugins/attacks/gradient/prior/kept_prior.c"
#include "../../plugins/attacks/gradient/prior/narrowing.c"
#include "../../plugins/attacks/gradient/defense/noise_law.c"
#include "../../plugins/attacks/gradient/prior/principal.c"
#include "../../plugins/attacks/gradient/prior/prior_choice.c"
#include "../../plugins/attacks/gradient/linear/rank_one.c"
#include "../../plugins/attacks/gradient/prior/matrix_rows.c"
#include "../../plugins/attacks/gradient/prior/sample_prior.c"
#include "../../plugins/attacks/gradient/prior/stationary.c"
#include <cmocka.h>

#include "plain_host.h"

enum { SIDE = 3, D = SIDE * SIDE, ROWS = 7, MANY = 11, UNITS = 5 };

static const sample_shape small = {D, 1, SIDE, SIDE};

static void draw_rows(plain_host *p, float *x, int64_t n) {
    double u[D];
    for (int64_t i = 0; i < n; i++) {
        plain_uniform(p, "rows", D, u);
        for (int64_t k = 0; k < D; k++)
            x[i * D + k] = (float)u[k];
    }
}

/* C = F Fᵀ + diag(rest) */
static void covariance_of(const sample_prior *p, double *c) {
    for (int64_t k = 0; k < D; k++)
        for (int64_t l = 0; l < D; l++) {
            c[k * D + l] = k == l ? p->rest[k] : 0;
            for (int64_t i = 0; i < p->rank; i++)
                c[k * D + l] += (double)p->factor[i * D + k] * (double)p->factor[i * D + l];
        }
}

/* a ← a⁻¹ by Gauss and Jordan; returns log det a. a is positive definite. */
static double invert(double *a) {
    double inverse[D * D] = {0}, log_determinant = 0;
    for (int64_t i = 0; i < D; i++)
        inverse[i * D + i] = 1;
    for (int64_t i = 0; i < D; i++) {
        const double pivot = a[i * D + i];
        log_determinant += log(pivot);
        for (int64_t k = 0; k < D; k++) {
            a[i * D + k] /= pivot;
            inverse[i * D + k] /= pivot;
        }
        for (int64_t j = 0; j < D; j++) {
            const double by = a[j * D + i];
            for (int64_t k = 0; j != i && k < D; k++) {
                a[j * D + k] -= by * a[i * D + k];
                inverse[j * D + k] -= by * inverse[i * D + k];
            }
        }
    }
    memcpy(a, inverse, sizeof inverse);
    return log_determinant;
}

static sample_prior make_prior(plain_host *p, prior_setting setting) {
    static float x[ROWS * D];
    sample_prior prior;
    draw_rows(p, x, ROWS);
    assert_int_equal(sample_prior_make(&prior, &p->host, &small, x, ROWS, setting), GNT_OK);
    return prior;
}

/* Without moves: (1 − smooth) S + smooth·s_k s_l exp(−distance/reach), as the header says. */
static void the_prior_mixes_two_covariances(void **state) {
    (void)state;
    const prior_setting setting = {0, 0.25, 1.5, 0};
    plain_host p;
    float x[MANY * D];
    double mean[D] = {0}, s[D * D] = {0}, c[D * D];
    plain_open(&p, 1);
    draw_rows(&p, x, MANY);
    sample_prior prior;
    assert_int_equal(sample_prior_make(&prior, &p.host, &small, x, MANY, setting), GNT_OK);
    covariance_of(&prior, c);
    for (int64_t i = 0; i < MANY; i++)
        for (int64_t k = 0; k < D; k++)
            mean[k] += (double)x[i * D + k] / MANY;
    for (int64_t i = 0; i < MANY; i++)
        for (int64_t k = 0; k < D; k++)
            for (int64_t l = 0; l < D; l++)
                s[k * D + l] += ((double)x[i * D + k] - mean[k]) * ((double)x[i * D + l] - mean[l]) / MANY;
    for (int64_t k = 0; k < D; k++) {
        assert_float_equal(prior.mean[k], mean[k], 1e-9);
        for (int64_t l = 0; l < D; l++) {
            const double down = (double)(k / SIDE - l / SIDE), right = (double)(k % SIDE - l % SIDE);
            const double near = exp(-sqrt(down * down + right * right) / 1.5);
            const double expected = 0.75 * s[k * D + l] + 0.25 * sqrt(s[k * D + k] * s[l * D + l]) * near;
            assert_float_equal(c[k * D + l], expected, 1e-5);
        }
    }
    plain_close(&p);
}

static evidence some_evidence(double *precision, double *pull) {
    for (int64_t k = 0; k < D; k++) {
        precision[k] = k == 2 ? 0 : 3 + (double)k; /* nothing is known of one entry */
        pull[k] = precision[k] * (0.1 * (double)k - 0.2);
    }
    return (evidence){precision, pull};
}

/* x̂ = (C⁻¹ + A)⁻¹ (C⁻¹ mean + pull) */
static void expect_posterior(const sample_prior *prior, const evidence *e, const double *x,
                             const double *variance) {
    double c[D * D], right[D];
    covariance_of(prior, c);
    invert(c);
    for (int64_t k = 0; k < D; k++) {
        right[k] = e->pull[k];
        for (int64_t l = 0; l < D; l++)
            right[k] += c[k * D + l] * prior->mean[l];
    }
    for (int64_t k = 0; k < D; k++)
        c[k * D + k] += e->precision[k];
    invert(c);
    for (int64_t k = 0; k < D; k++) {
        double expected = 0;
        for (int64_t l = 0; l < D; l++)
            expected += c[k * D + l] * right[l];
        assert_float_equal(x[k], expected, 1e-5);
        assert_float_equal(variance[k], c[k * D + k], 1e-5);
    }
}

static void the_posterior_is_the_dense_solve(void **state) {
    (void)state;
    plain_host p;
    double precision[D], pull[D], x[D], variance[D];
    plain_open(&p, 2);
    const sample_prior prior = make_prior(&p, (prior_setting){1, 0.4, 2, 0});
    const evidence e = some_evidence(precision, pull);
    assert_int_equal(sample_prior_apply(&prior, &e, prior_room_make(&p.host, &prior), x, variance), 0);
    expect_posterior(&prior, &e, x, variance);
    plain_close(&p);
}

static void the_log_density_is_the_dense_one(void **state) {
    (void)state;
    plain_host p;
    double c[D * D], y[D], noise[D], squares = 0;
    plain_open(&p, 3);
    const sample_prior prior = make_prior(&p, (prior_setting){0, 0.4, 2, 0});
    covariance_of(&prior, c);
    for (int64_t k = 0; k < D; k++) {
        y[k] = 0.3 - 0.1 * (double)k;
        noise[k] = 0.01 + 0.02 * (double)k;
        for (int64_t l = 0; l < D; l++)
            c[k * D + l] *= 2;
        c[k * D + k] += noise[k];
    }
    const double log_determinant = invert(c);
    for (int64_t k = 0; k < D; k++)
        for (int64_t l = 0; l < D; l++)
            squares += y[k] * c[k * D + l] * y[l];
    prior_room *room = prior_room_make(&p.host, &prior);
    assert_int_equal(sample_prior_density_open(&prior, 2, noise, room), 0);
    assert_float_equal(sample_prior_density_at(&prior, y, room), -(squares + log_determinant) / 2, 1e-4);
    plain_close(&p);
}

/* a = U diag(s) V, U and V mirrors, so that s are its singular values: m rows can have the sum of the m
 * largest s² at most, and none of the others. */
static void principal_rows_keep_the_largest(void **state) {
    (void)state;
    enum { N = 6, M = 2 };
    static const double s[N] = {0.2, 5, 0.1, 3, 0.3, 0.4};
    float a[N * D];
    double largest = 0, products[D * D] = {0};
    plain_host p;
    plain_open(&p, 8);
    for (int64_t i = 0; i < N; i++)
        for (int64_t k = 0; k < D; k++) {
            double sum = 0;
            for (int64_t j = 0; j < N; j++) /* mirrors at (1, …, 1) and (1, −1, 1, …) */
                sum += ((i == j) - 2.0 / N) * s[j] * ((j == k) - 2.0 / D * ((j + k) % 2 ? -1 : 1));
            a[i * D + k] = (float)sum;
        }
    for (int64_t i = 0; i < N; i++)
        for (int64_t k = 0; k < D * D; k++)
            products[k] += (double)a[i * D + k / D] * (double)a[i * D + k % D];
    assert_int_equal(principal_rows(&p.host, a, N, D, M), GNT_OK);
    for (int64_t i = 0; i < M; i++)
        for (int64_t k = 0; k < D; k++) {
            largest += (double)a[i * D + k] * (double)a[i * D + k];
            for (int64_t l = 0; l < D; l++)
                products[k * D + l] -= (double)a[i * D + k] * (double)a[i * D + l];
        }
    assert_float_equal(largest, 25 + 9, 1e-4);
    double left = 0; /* ‖aᵀa − bᵀb‖², Σ of the other s⁴ */
    for (int64_t k = 0; k < D * D; k++)
        left += products[k] * products[k];
    assert_float_equal(left, pow(0.2, 4) + pow(0.1, 4) + pow(0.3, 4) + pow(0.4, 4), 1e-4);
    plain_close(&p);
}

/* V(a) = ½ log det(1 + C·a·diag(unit)) = ½ (log det C + log det(C⁻¹ + a·diag(unit))), between nodes too. */
static void narrowing_is_the_log_determinant(void **state) {
    (void)state;
    plain_host p;
    double unit[D], slope, above, below;
    narrowing v;
    plain_open(&p, 9);
    const sample_prior prior = make_prior(&p, (prior_setting){0, 0.4, 2, 0});
    for (int64_t k = 0; k < D; k++)
        unit[k] = 1 + 0.5 * (double)k;
    assert_true(narrowing_make(&v, &p.host, &prior, unit));
    for (double a = 0.3; a < 1e4; a *= 7.7) {
        double c[D * D];
        covariance_of(&prior, c);
        double expected = invert(c) / 2;
        for (int64_t k = 0; k < D; k++)
            c[k * D + k] += a * unit[k];
        expected += invert(c) / 2;
        assert_float_equal(narrowing_at(&v, a, &slope), expected, 5e-3 * expected);
        above = narrowing_at(&v, a * 1.001, &slope);
        below = narrowing_at(&v, a * 0.999, &slope);
        narrowing_at(&v, a, &slope);
        assert_float_equal(slope, (above - below) / (0.002 * a), 1e-4 * slope);
    }
    assert_float_equal(narrowing_at(&v, 0, &slope), 0, 0);
    assert_float_equal(slope, 0, 0);
    plain_close(&p);
}

typedef struct layer_case {
    plain_host p;
    sample_prior prior;
    prior_room *room;
    rank_one_input input;
    rank_one_fit fit;
    double slope[D], shift[D], delta[UNITS];
    float x[D];
} layer_case;

static void open_case(layer_case *c, uint64_t seed) {
    plain_open(&c->p, seed);
    c->prior = make_prior(&c->p, (prior_setting){0, 0.5, 2, 0});
    c->room = prior_room_make(&c->p.host, &c->prior);
    for (int64_t k = 0; k < D; k++) { /* a normalisation, other for each entry */
        c->slope[k] = 2 + 0.1 * (double)k;
        c->shift[k] = -0.4;
    }
    c->input = (rank_one_input){c->slope, c->shift};
    assert_true(rank_one_fit_make(&c->fit, &c->p.host, D));
    draw_rows(&c->p, c->x, 1);
}

static double centred_laplace(plain_host *p) {
    double u;
    plain_uniform(p, "laplace", 1, &u);
    u -= 0.5;
    return (u < 0 ? 1 : -1) * log(1 - 2 * fabs(u) * (1 - 1e-12));
}

/* G = δ [slope·x + shift; 1]ᵀ + noise of that deviation, or of Laplace's scale. */
static rank_one_round make_round(layer_case *c, double scale, int laplace, double precision) {
    rank_one_round r = rank_one_round_make(&c->p.host, UNITS, D);
    float draw;
    assert_non_null(r.g);
    for (int64_t i = 0; i < UNITS; i++) {
        plain_normal(&c->p, "delta", 1, &draw);
        const double delta = c->delta[i] = (double)draw;
        for (int64_t k = 0; k <= D; k++) {
            plain_normal(&c->p, "noise", 1, &draw);
            const double seen = k < D ? c->slope[k] * (double)c->x[k] + c->shift[k] : 1;
            const double off = laplace ? centred_laplace(&c->p) : (double)draw;
            r.g[i * (D + 1) + k] = (float)(delta * seen + scale * off);
            r.weight[i * (D + 1) + k] = (float)precision;
        }
    }
    r.scale = scale;
    return r;
}

static double error_of(const layer_case *c) {
    double sum = 0;
    for (int64_t k = 0; k < D; k++)
        sum += (c->fit.x[k] - (double)c->x[k]) * (c->fit.x[k] - (double)c->x[k]) / D;
    return sum;
}

static void a_layer_without_noise_gives_the_sample(void **state) {
    (void)state;
    for (int from_bias = 0; from_bias < 2; from_bias++) {
        layer_case c;
        open_case(&c, 4);
        rank_one_round r = make_round(&c, 0, 0, 1e10), *list[] = {&r};
        r.from_bias = from_bias;
        assert_int_equal(rank_one_solve(&c.fit, &c.p.host, list, 1, &c.input, &c.prior, c.room), GNT_OK);
        assert_true(error_of(&c) < 1e-6);
        plain_close(&c.p);
    }
}

/* A prior of samples much smaller than this one: iterations by themselves would shrink the sample, and let δ
 * grow, until the prior is content. The bias, hardly noisy, gives the scale. */
static void the_bias_gives_the_scale_where_noise_is_low(void **state) {
    (void)state;
    layer_case c;
    const double noise = 0.003;
    open_case(&c, 4);
    for (int64_t k = 0; k < D; k++) {
        c.shift[k] = -c.slope[k] / 2;
        c.prior.mean[k] = 0.5;
        c.prior.rest[k] *= 1e-3;
        for (int64_t i = 0; i < c.prior.rank; i++)
            c.prior.factor[i * D + k] *= 0.03f;
    }
    c.room = prior_room_make(&c.p.host, &c.prior);
    assert_non_null(c.room);
    rank_one_round r = make_round(&c, noise, 0, 1 / (noise * noise)), *list[] = {&r};
    assert_int_equal(rank_one_solve(&c.fit, &c.p.host, list, 1, &c.input, &c.prior, c.room), GNT_OK);
    double squares = 0, of_true = 0;
    for (int64_t i = 0; i < UNITS; i++) {
        squares += r.delta[i] * r.delta[i];
        of_true += c.delta[i] * c.delta[i];
    }
    print_message("delta %.3f, true %.3f\n", sqrt(squares), sqrt(of_true));
    assert_true(fabs(sqrt(squares / of_true) - 1) < 0.01);
    plain_close(&c.p);
}

/* A factor of δ and its inverse lead back, and the sample is that of the δ: the larger δ is, the smaller. */
static void a_scale_of_delta_is_one_of_the_sample(void **state) {
    (void)state;
    layer_case c;
    open_case(&c, 4);
    rank_one_round r = make_round(&c, 0, 0, 1e10), *list[] = {&r};
    assert_int_equal(rank_one_solve(&c.fit, &c.p.host, list, 1, &c.input, &c.prior, c.room), GNT_OK);
    const double delta = r.delta[1], was = c.fit.x[2], seen = c.slope[2] * was + c.shift[2];
    assert_int_equal(rank_one_rescale(&c.fit, list, 1, &c.input, &c.prior, c.room, 2), 0);
    assert_float_equal(r.delta[1], 2 * delta, 1e-12);
    assert_float_equal(c.slope[2] * c.fit.x[2] + c.shift[2], seen / 2, 1e-4);
    assert_int_equal(rank_one_rescale(&c.fit, list, 1, &c.input, &c.prior, c.room, 0.5), 0);
    assert_float_equal(c.fit.x[2], was, 1e-4);
    plain_close(&c.p);
}

/* The loudest survivor of a unit, and the least |δ| that it needs where x lies in [0, 1]. */
static double least_delta(const layer_case *c, const float *g, double delta) {
    double loudest = 0, least = 0;
    for (int64_t k = 0; k < D; k++)
        if (fabs((double)g[k]) > loudest) {
            loudest = fabs((double)g[k]);
            least = loudest / ((g[k] > 0) == (delta > 0) ? c->slope[k] + c->shift[k] : -c->shift[k]);
        }
    return least;
}

/* A pruned bias leaves a range of δ: below what was pruned, above what the loudest survivor needs of an x in
 * [0, 1]; of either sign, as normalised inputs may be negative. One unit at a time: no other is linked. */
static void a_pruned_bias_leaves_a_range_of_delta(void **state) {
    (void)state;
    layer_case c;
    open_case(&c, 4);
    rank_one_round r = make_round(&c, 0, 0, 1e10);
    r.units = 1;
    for (int64_t i = 0; i < UNITS; i++, r.g += D + 1) {
        const double most = 1.05 * fabs(c.delta[i]);
        r.bias_bound = most;
        for (int64_t k = 0; k <= D; k++)
            r.g[k] = fabs((double)r.g[k]) < most ? 0 : r.g[k];
        const double least = least_delta(&c, r.g, c.delta[i]);
        assert_true(least > 0 && r.g[D] == 0);
        assert_true(first_delta(&r, &c.p.host, &c.input, &c.prior));
        assert_true(r.delta[0] * c.delta[i] > 0);
        assert_true(fabs(r.delta[0]) >= 0.999 * least && fabs(r.delta[0]) <= 1.001 * most);
        assert_true(r.variance[0] > 0);
        memset(r.g, 0, (D + 1) * sizeof *r.g); /* and a row of which nothing is left reveals nothing */
        assert_true(first_delta(&r, &c.p.host, &c.input, &c.prior));
        assert_float_equal(r.delta[0], 0, 0);
        assert_float_equal(r.variance[0], 0, 0);
    }
    plain_close(&c.p);
}

/* Units whose survivors show common inputs: one bias that is left gives the δ of all, through others' too. */
static void a_bias_gives_the_delta_of_linked_units(void **state) {
    (void)state;
    for (int from = 0; from < 2; from++) {
        layer_case c;
        open_case(&c, 4);
        rank_one_round r = make_round(&c, 0, 0, 1e10);
        r.bias_bound = 100;
        for (int64_t i = 0; i < UNITS; i++) /* unit i shows inputs i and i + 1 */
            for (int64_t k = 0; k <= D; k++)
                r.g[i * (D + 1) + k] = k == i || k == i + 1 ? r.g[i * (D + 1) + k] : 0;
        const int64_t left = from ? UNITS - 1 : 0;
        r.g[left * (D + 1) + D] = (float)c.delta[left];
        assert_true(first_delta(&r, &c.p.host, &c.input, &c.prior));
        for (int64_t i = 0; i < UNITS; i++)
            assert_float_equal(r.delta[i] / c.delta[i], 1, 1e-4);
        plain_close(&c.p);
    }
}

/* Without any bias linked units have a factor in common, so that the signs agree and the ranges meet. */
static void linked_units_share_sign_and_scale(void **state) {
    (void)state;
    layer_case c;
    open_case(&c, 4);
    rank_one_round r = make_round(&c, 0, 0, 1e10);
    double most = 0, least = 0;
    for (int64_t i = 0; i < UNITS; i++) {
        r.g[i * (D + 1) + D] = 0;
        most = fmax(most, fabs(c.delta[i]));
        least = fmax(least, least_delta(&c, r.g + i * (D + 1), c.delta[i]) / fabs(c.delta[i]));
    }
    r.bias_bound = 1.05 * most;
    assert_true(first_delta(&r, &c.p.host, &c.input, &c.prior));
    const double factor = r.delta[0] / c.delta[0];
    assert_true(factor >= 0.999 * least && factor <= 1.051);
    for (int64_t i = 0; i < UNITS; i++)
        assert_float_equal(r.delta[i] / c.delta[i], factor, 1e-4 * factor);
    plain_close(&c.p);
}

/* A solve that begins at the negative of the sample stays there; both_signs finds back. */
static void the_sign_follows_from_biases_and_prior(void **state) {
    (void)state;
    layer_case c;
    open_case(&c, 6);
    for (int64_t k = 0; k < D; k++)
        c.shift[k] = -c.slope[k] / 2;
    const noise_law law = {.kind = NOISE_GAUSSIAN, .scale = 0.05};
    rank_one_round r = make_round(&c, law.scale, 0, 1 / (law.scale * law.scale)), *list[] = {&r};
    assert_int_equal(rank_one_solve(&c.fit, &c.p.host, list, 1, &c.input, &c.prior, c.room), GNT_OK);
    if (error_of(&c) < 0.01)
        negate(&c.fit, list, 1, &c.input, D);
    c.fit.begun = 1;
    assert_int_equal(rank_one_solve(&c.fit, &c.p.host, list, 1, &c.input, &c.prior, c.room), GNT_OK);
    assert_true(error_of(&c) > 0.05);
    double vectors[2 * D];
    layer_densities l = {list, 1, &c.input, &law, &c.prior, c.room, vectors};
    const sign_judge judge = {layer_densities_cost, &l};
    for (int turn = 0; turn < 2; turn++) { /* and stays where it is right */
        assert_int_equal(both_signs(&c.fit, &c.p.host, list, 1, &c.input, &c.prior, c.room, judge), GNT_OK);
        assert_true(error_of(&c) < 0.01);
    }
    plain_close(&c.p);
}

static double distance_from_true(void *layer_case_, const double *x) {
    const layer_case *c = layer_case_;
    double sum = 0;
    for (int64_t k = 0; k < D; k++)
        sum += (x[k] - (double)c->x[k]) * (x[k] - (double)c->x[k]);
    return sum;
}

static double nearness_to_true(void *layer_case_, const double *x) {
    return -distance_from_true(layer_case_, x);
}

/* Where every bias was pruned both signs are tried, whichever the prior takes first, and the judge decides; a
 * bias that is left decides the sign, whatever a judge would say. */
static void signs_of_pruned_biases_are_judged(void **state) {
    (void)state;
    for (int left = 0; left < 2; left++)
        for (int inverse = 0; inverse < 2; inverse++) {
            layer_case c;
            open_case(&c, 6);
            for (int64_t k = 0; k < D; k++)
                c.shift[k] = -c.slope[k] / 2;
            rank_one_round r = make_round(&c, 0, 0, 1e10), *list[] = {&r};
            r.from_bias = 1;
            for (int64_t i = 0; i < UNITS; i++) {
                r.bias_bound = fmax(r.bias_bound, 1.05 * fabs(c.delta[i]));
                if (i >= left)
                    r.g[i * (D + 1) + D] = r.weight[i * (D + 1) + D] = 0;
            }
            const sign_judge judge = {inverse ? nearness_to_true : distance_from_true, &c};
            assert_int_equal(rank_one_solve(&c.fit, &c.p.host, list, 1, &c.input, &c.prior, c.room), GNT_OK);
            assert_int_equal(both_signs(&c.fit, &c.p.host, list, 1, &c.input, &c.prior, c.room, judge),
                             GNT_OK);
            assert_int_equal(error_of(&c) < 0.05, left || !inverse);
            plain_close(&c.p);
        }
}

/* Given each round's δ, of mean m and variance v, x is the posterior of Σ over rounds and rows of
 * w·slope²·(m² + v), and the pull Σ w·slope·(m g − (m² + v)·shift). */
static void two_rounds_add_up(void **state) {
    (void)state;
    layer_case c;
    double precision[D] = {0}, pull[D] = {0};
    open_case(&c, 5);
    rank_one_round a = make_round(&c, 0.3, 0, 1 / 0.09), b = make_round(&c, 0.5, 0, 1 / 0.25);
    rank_one_round *list[] = {&a, &b};
    assert_int_equal(rank_one_solve(&c.fit, &c.p.host, list, 2, &c.input, &c.prior, c.room), GNT_OK);
    for (int t = 0; t < 2; t++)
        for (int64_t i = 0; i < UNITS; i++)
            for (int64_t k = 0; k < D; k++) {
                const double w = t ? 1 / 0.25 : 1 / 0.09, m = list[t]->delta[i];
                const double square = m * m + list[t]->variance[i];
                precision[k] += w * c.slope[k] * c.slope[k] * square;
                pull[k] += w * c.slope[k] * (m * (double)list[t]->g[i * (D + 1) + k] - square * c.shift[k]);
            }
    for (int64_t k = 0; k < D; k++)
        assert_float_equal(c.fit.evidence.precision[k], precision[k], 1e-4 * precision[k]);
    const evidence both = {precision, pull};
    expect_posterior(&c.prior, &both, c.fit.x, c.fit.variance);
    plain_close(&c.p);
}

/* Expanded about its true δ the layer reveals more of x than about 0, over 40 draws. */
static void an_expected_delta_helps(void **state) {
    (void)state;
    double about_zero = 0, about_truth = 0;
    for (uint64_t seed = 0; seed < 40; seed++)
        for (int known = 0; known < 2; known++) {
            layer_case c;
            open_case(&c, 200 + seed);
            rank_one_round r = make_round(&c, 0.5, 0, 1 / 0.25), *list[] = {&r};
            r.expected = known ? c.delta : NULL;
            assert_int_equal(rank_one_solve(&c.fit, &c.p.host, list, 1, &c.input, &c.prior, c.room), GNT_OK);
            *(known ? &about_truth : &about_zero) += error_of(&c);
            plain_close(&c.p);
        }
    assert_true(about_truth < 0.9 * about_zero);
}

/* The same noise, taken for Laplace's or for normal noise of its variance: 3.5 % less error in 4000. */
static void laplace_noise_is_worth_knowing(void **state) {
    (void)state;
    double known = 0, taken_for_normal = 0;
    for (uint64_t seed = 0; seed < 4000; seed++)
        for (int laplace = 0; laplace < 2; laplace++) {
            layer_case c;
            open_case(&c, 100 + seed);
            rank_one_round r = make_round(&c, 0.5, 1, 1 / (2 * 0.25)), *list[] = {&r};
            r.laplace = laplace;
            assert_int_equal(rank_one_solve(&c.fit, &c.p.host, list, 1, &c.input, &c.prior, c.room), GNT_OK);
            *(laplace ? &known : &taken_for_normal) += error_of(&c);
            plain_close(&c.p);
        }
    assert_true(known < 0.98 * taken_for_normal);
}

/* Rows whose entries are nearly alike: smoothness over the whole image helps more than the preset's. */
static void a_setting_is_chosen_by_what_is_held_out(void **state) {
    (void)state;
    enum { N = 60 };
    static float x[N * D];
    double noise[D], off[D], preset[N], chosen[N];
    uint8_t used[N];
    plain_host p;
    int choice;
    plain_open(&p, 6);
    draw_rows(&p, x, N);
    for (int64_t i = 0; i < N * D; i++)
        x[i] = 0.9f * x[i / D * D] + 0.05f * x[i];
    for (int64_t k = 0; k < D; k++)
        noise[k] = 0.01;
    assert_int_equal(prior_choose(&choice, &p.host, &small, x, 4, 0.01), GNT_OK);
    assert_int_equal(choice, 0); /* too few to choose by */
    assert_int_equal(prior_choose(&choice, &p.host, &small, x, N, 0.01), GNT_OK);
    assert_true(choice > 0);
    const judged j = {&p.host, &small, x, N, noise, off, used};
    assert_int_equal(judge(&j, prior_candidate(0), preset), GNT_OK);
    assert_int_equal(judge(&j, prior_candidate(choice), chosen), GNT_OK);
    assert_true(advantage(chosen, preset, N) > 0);
    assert_true(advantage(preset, chosen, N) < 0);
    plain_close(&p);
}

/* One changed pixel of a public sample, and what was kept of the others is forgotten. */
static void a_kept_prior_is_of_its_samples(void **state) {
    (void)state;
    float x[MANY * D];
    kept_prior keeper = {0};
    sample_prior first, again, fresh;
    plain_host p;
    plain_open(&p, 7);
    draw_rows(&p, x, MANY);
    for (int change = 0; change < 2; change++) {
        x[D + 4] += 0.5f * (float)change;
        kept_prior_begin(&keeper, x, MANY, D);
        assert_int_equal(kept_prior_get(&keeper, &first, &p.host, &small, x, MANY, 2), GNT_OK);
        kept_prior_begin(&keeper, x, MANY, D);
        assert_int_equal(kept_prior_get(&keeper, &again, &p.host, &small, x, MANY, 2), GNT_OK);
        assert_ptr_equal(first.factor, again.factor);
        assert_int_equal(sample_prior_make(&fresh, &p.host, &small, x, MANY, prior_candidate(2)), GNT_OK);
        assert_int_equal(again.rank, fresh.rank);
        assert_memory_equal(again.mean, fresh.mean, sizeof(double[D]));
        assert_memory_equal(again.rest, fresh.rest, sizeof(double[D]));
        assert_memory_equal(again.factor, fresh.factor, (size_t)(fresh.rank * D) * sizeof(float));
    }
    kept_prior_clear(&keeper);
    plain_close(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_prior_mixes_two_covariances),
        cmocka_unit_test(the_posterior_is_the_dense_solve),
        cmocka_unit_test(the_log_density_is_the_dense_one),
        cmocka_unit_test(principal_rows_keep_the_largest),
        cmocka_unit_test(narrowing_is_the_log_determinant),
        cmocka_unit_test(a_layer_without_noise_gives_the_sample),
        cmocka_unit_test(the_bias_gives_the_scale_where_noise_is_low),
        cmocka_unit_test(a_scale_of_delta_is_one_of_the_sample),
        cmocka_unit_test(a_pruned_bias_leaves_a_range_of_delta),
        cmocka_unit_test(a_bias_gives_the_delta_of_linked_units),
        cmocka_unit_test(linked_units_share_sign_and_scale),
        cmocka_unit_test(signs_of_pruned_biases_are_judged),
        cmocka_unit_test(the_sign_follows_from_biases_and_prior),
        cmocka_unit_test(two_rounds_add_up),
        cmocka_unit_test(an_expected_delta_helps),
        cmocka_unit_test(laplace_noise_is_worth_knowing),
        cmocka_unit_test(a_setting_is_chosen_by_what_is_held_out),
        cmocka_unit_test(a_kept_prior_is_of_its_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
