/* Points of a plane for rows of many features: components and neighbours that are known, derivatives by
 * differences; and a linear probe on what can be predicted and what cannot. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "base/random.h"
#include "metric/embedding.h"

enum { ROWS = 90, FEATURES = 12, KINDS = 3 };

static gnt_stream open_stream(const char *name) {
    const gnt_key key = gnt_key_of_seed(5);
    return gnt_stream_open(&key, name);
}

static double gauss(gnt_stream *s) {
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += gnt_random_uniform(s);
    return sum;
}

static gnt_gram gram_of(const float *x, size_t n, size_t d) {
    gnt_gram g;
    gnt_err err;
    assert_int_equal(gnt_gram_make(&g, x, n, d, &err), 0);
    return g;
}

static double *doubles(size_t n) {
    double *all = gnt_array(n, sizeof *all);
    assert_non_null(all);
    return all;
}

/* KINDS clouds whose middles are `apart` from each other. */
static void clouds(float *x, int32_t *kind, double apart) {
    gnt_stream s = open_stream("clouds");
    for (size_t i = 0; i < ROWS; i++) {
        kind[i] = (int32_t)gnt_random_below(&s, KINDS);
        for (size_t k = 0; k < FEATURES; k++)
            x[i * FEATURES + k] = (float)(gauss(&s) + ((int32_t)k == kind[i] ? apart : 0));
    }
}

/* Along (3, 4)/5 and at right angles to it, from 7 in all features: coordinates come back, and their shares
 * of the squares. */
static void components_are_found(void **state) {
    static const double along[6] = {-4, -2, 0.5, 0.5, 2, 3}, across[6] = {0.5, -1, 0.5, -0.5, 1.5, -1};
    float x[18];
    double xy[12], share[2], squares[2] = {0};
    gnt_err err;
    (void)state;
    for (int i = 0; i < 6; i++) {
        x[3 * i] = (float)(7 + along[i] * 0.6 - across[i] * 0.8);
        x[3 * i + 1] = (float)(7 + along[i] * 0.8 + across[i] * 0.6);
        x[3 * i + 2] = 7;
        squares[0] += along[i] * along[i];
        squares[1] += across[i] * across[i];
    }
    gnt_gram g = gram_of(x, 6, 3);
    assert_int_equal(gnt_embed_pca(xy, share, &g, &err), 0);
    for (int i = 0; i < 6; i++) { /* −4, the greatest of `along`, is made positive, 1.5 of `across` is */
        assert_true(fabs(xy[2 * i] + along[i]) < 1e-5);
        assert_true(fabs(xy[2 * i + 1] - across[i]) < 1e-5);
    }
    for (int k = 0; k < 2; k++)
        assert_true(fabs(share[k] - squares[k] / (squares[0] + squares[1])) < 1e-6);
    gnt_gram_free(&g);
}

/* For any rows: columns at right angles, lengths the shares, and together the products that rank 2 leaves. */
static void components_are_orthogonal(void **state) {
    static float x[ROWS * FEATURES];
    static int32_t kind[ROWS];
    double xy[2 * ROWS], share[2], cross = 0, length[2] = {0}, trace = 0;
    gnt_err err;
    (void)state;
    clouds(x, kind, 3);
    gnt_gram g = gram_of(x, ROWS, FEATURES);
    assert_int_equal(gnt_embed_pca(xy, share, &g, &err), 0);
    for (size_t i = 0; i < ROWS; i++) {
        cross += xy[2 * i] * xy[2 * i + 1];
        length[0] += xy[2 * i] * xy[2 * i];
        length[1] += xy[2 * i + 1] * xy[2 * i + 1];
        trace += g.product[i * ROWS + i];
    }
    assert_true(fabs(cross) < 1e-4 * length[0]);
    for (int k = 0; k < 2; k++)
        assert_true(fabs(length[k] / trace - share[k]) < 1e-9);
    for (size_t i = 0; i < ROWS; i++) { /* of an eigenvector the product is a multiple */
        double product = 0;
        for (size_t j = 0; j < ROWS; j++)
            product += g.product[i * ROWS + j] * xy[2 * j];
        assert_true(fabs(product - length[0] * xy[2 * i]) < 1e-4 * length[0] * sqrt(length[0]));
    }
    assert_true(share[0] > share[1] && share[1] > 0);
    gnt_gram_free(&g);
}

static void rows_alike_lie_together(void **state) {
    float x[3 * GNT_EMBEDDING_LEAST];
    double xy[2 * GNT_EMBEDDING_LEAST], share[2];
    gnt_err err;
    (void)state;
    for (size_t i = 0; i < sizeof x / sizeof *x; i++)
        x[i] = 0.3F;
    gnt_gram g = gram_of(x, GNT_EMBEDDING_LEAST, 3);
    assert_int_equal(gnt_embed_pca(xy, share, &g, &err), 0);
    for (size_t i = 0; i < sizeof xy / sizeof *xy; i++)
        assert_true(fabs(xy[i]) < 1e-6);
    assert_int_equal(gnt_embed_tsne(xy, &g, &err), 0);
    for (size_t i = 0; i < sizeof xy / sizeof *xy; i++)
        assert_true(isfinite(xy[i]));
    gnt_gram_free(&g);
}

static void a_row_that_is_not_finite_is_named(void **state) {
    float x[6] = {0, 1, 2, 3, 4, (float)NAN};
    gnt_gram g;
    gnt_err err;
    (void)state;
    assert_int_equal(gnt_gram_make(&g, x, 3, 2, &err), -1);
    assert_string_equal(err.text, "entry 1 of row 2 is not finite");
}

/* Each row's probabilities before the two of a pair are averaged: 2n·p summed over a row is that row's sum
 * plus what others gave it, so the entropy is tested on a set where all rows are alike: a ring. */
static void neighbours_are_as_many_as_wanted(void **state) {
    enum { RING = 40 };
    float x[2 * RING];
    double *p = doubles(RING * RING);
    (void)state;
    for (int i = 0; i < RING; i++) {
        x[2 * i] = (float)cos(2 * M_PI * i / RING);
        x[2 * i + 1] = (float)sin(2 * M_PI * i / RING);
    }
    gnt_gram g = gram_of(x, RING, 2);
    gnt_tsne_neighbours(p, &g, 6);
    double sum = 0;
    for (size_t i = 0; i < RING * RING; i++)
        sum += p[i];
    assert_true(fabs(sum - 1) < 1e-12);
    for (size_t i = 0; i < RING; i++) {
        double entropy = 0;
        for (size_t j = 0; j < RING; j++) {
            const double q = RING * p[i * RING + j];
            assert_true(fabs(p[i * RING + j] - p[j * RING + i]) < 1e-15);
            entropy -= q > 0 ? q * log(q) : 0;
        }
        assert_true(fabs(exp(entropy) - 6) < 1e-3);
        assert_true(p[i * RING + (i + 1) % RING] > p[i * RING + (i + 2) % RING]);
    }
    gnt_free(p);
    gnt_gram_free(&g);
}

/* The divergence (Kullback and Leibler's, in nats) of the neighbours p from those in the plane. */
static double divergence(const double *p, const double *xy) {
    double sum = 0, d = 0;
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < ROWS; j++)
            if (i != j)
                sum += 1 / (1 + pow(hypot(xy[2 * i] - xy[2 * j], xy[2 * i + 1] - xy[2 * j + 1]), 2));
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < ROWS; j++)
            if (p[i * ROWS + j] > 0)
                d += p[i * ROWS + j] *
                     log(p[i * ROWS + j] * sum *
                         (1 + pow(hypot(xy[2 * i] - xy[2 * j], xy[2 * i + 1] - xy[2 * j + 1]), 2)));
    return d;
}

static void the_derivative_is_that_of_the_divergence(void **state) {
    static float x[ROWS * FEATURES];
    static int32_t kind[ROWS];
    double *p = doubles(ROWS * ROWS), *weight = doubles(ROWS * ROWS), *xy = doubles(2 * ROWS),
           *slope = doubles(2 * ROWS);
    gnt_stream s = open_stream("plane");
    (void)state;
    clouds(x, kind, 2);
    gnt_gram g = gram_of(x, ROWS, FEATURES);
    gnt_tsne_neighbours(p, &g, 10);
    for (size_t i = 0; i < 2 * ROWS; i++)
        xy[i] = gauss(&s);
    gnt_tsne_slope(slope, p, xy, ROWS, weight);
    for (size_t i = 0; i < 2 * ROWS; i += 7) {
        const double h = 1e-5, at = xy[i];
        xy[i] = at + h;
        const double up = divergence(p, xy);
        xy[i] = at - h;
        const double down = divergence(p, xy);
        xy[i] = at;
        assert_true(fabs((up - down) / (2 * h) - slope[i]) < 1e-8);
    }
    gnt_free(p);
    gnt_free(weight);
    gnt_free(xy);
    gnt_free(slope);
    gnt_gram_free(&g);
}

/* The share of rows whose nearest point is of their own cloud. */
static double kept(const double *xy, const int32_t *kind) {
    int right = 0;
    for (size_t i = 0; i < ROWS; i++) {
        size_t nearest = i;
        double least = INFINITY;
        for (size_t j = 0; j < ROWS; j++) {
            const double apart = hypot(xy[2 * i] - xy[2 * j], xy[2 * i + 1] - xy[2 * j + 1]);
            if (j != i && apart < least) {
                least = apart;
                nearest = j;
            }
        }
        right += kind[nearest] == kind[i];
    }
    return (double)right / ROWS;
}

/* Clouds stay whole, as those apart from them, and the divergence falls far below that of the components. */
static void tsne_keeps_neighbours(void **state) {
    static float x[ROWS * FEATURES];
    static int32_t kind[ROWS];
    double *p = doubles(ROWS * ROWS), *xy = doubles(2 * ROWS), *flat = doubles(2 * ROWS), share[2];
    gnt_err err;
    (void)state;
    clouds(x, kind, 8);
    gnt_gram g = gram_of(x, ROWS, FEATURES);
    assert_int_equal(gnt_embed_tsne(xy, &g, &err), 0);
    assert_true(kept(xy, kind) == 1);
    gnt_tsne_neighbours(p, &g, (ROWS - 1) / 3.0);
    assert_int_equal(gnt_embed_pca(flat, share, &g, &err), 0);
    assert_true(divergence(p, xy) < 0.5 * divergence(p, flat));
    /* nothing to keep: one cloud, its rows named at random */
    clouds(x, kind, 0);
    gnt_gram_free(&g);
    g = gram_of(x, ROWS, FEATURES);
    assert_int_equal(gnt_embed_tsne(xy, &g, &err), 0);
    assert_true(kept(xy, kind) < 0.6);
    gnt_free(p);
    gnt_free(xy);
    gnt_free(flat);
    gnt_gram_free(&g);
}

static double probe_of(const float *x, size_t d, const int32_t *kind) {
    double balanced;
    gnt_err err;
    gnt_gram g = gram_of(x, ROWS, d);
    assert_int_equal(gnt_linear_probe(&balanced, &g, kind, KINDS, &err), 0);
    gnt_gram_free(&g);
    return balanced;
}

static void the_probe_predicts_what_is_linear(void **state) {
    static float x[ROWS * FEATURES];
    static int32_t kind[ROWS], one[ROWS];
    (void)state;
    clouds(x, kind, 6);
    assert_true(probe_of(x, FEATURES, kind) > 0.97);
    clouds(x, kind, 0);
    const double guess = probe_of(x, FEATURES, kind);
    assert_true(guess > 0.15 && guess < 0.52);
    assert_true(isnan(probe_of(x, FEATURES, one)));
    /* as many features as rows, of which one is informative: rows to learn from are fitted whatever they
     * are */
    static float wide[ROWS * 2 * ROWS];
    gnt_stream s = open_stream("wide");
    for (size_t i = 0; i < ROWS; i++)
        for (size_t k = 0; k < 2 * ROWS; k++)
            wide[i * 2 * ROWS + k] = (float)gauss(&s);
    const double noise = probe_of(wide, 2 * ROWS, kind);
    assert_true(noise > 0.15 && noise < 0.52);
}

/* Rare values weigh more: at a tenth of the rows, half a spread away, always the other one would be half
 * right. */
static void the_probe_is_balanced(void **state) {
    static float x[ROWS * 2];
    static int32_t rare[ROWS];
    gnt_stream s = open_stream("rare");
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        rare[i] = i % 9 == 0;
        x[2 * i] = (float)(gauss(&s) + 2.5 * rare[i]);
        x[2 * i + 1] = (float)gauss(&s);
    }
    assert_true(probe_of(x, 2, rare) > 0.75);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(components_are_found),
        cmocka_unit_test(components_are_orthogonal),
        cmocka_unit_test(rows_alike_lie_together),
        cmocka_unit_test(a_row_that_is_not_finite_is_named),
        cmocka_unit_test(neighbours_are_as_many_as_wanted),
        cmocka_unit_test(the_derivative_is_that_of_the_divergence),
        cmocka_unit_test(tsne_keeps_neighbours),
        cmocka_unit_test(the_probe_predicts_what_is_linear),
        cmocka_unit_test(the_probe_is_balanced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
