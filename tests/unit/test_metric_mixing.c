/* The measures of decomposed encodings, on tables small enough to count by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "metric/mixing.h"

/* Encodings 0, 1 and 2 of four share an original: pairs (0,1), (0,2), (1,2) are positive, (0,3), (1,3), (2,3)
 * are not. */
static double auc(const float positive[3], const float negative[3]) {
    const float original[4] = {1, 1, 1, 0}, *p = positive, *q = negative;
    const float similarity[16] = {0,    p[0], p[1], q[0], p[0], 0,    p[2], q[1],
                                  p[1], p[2], 0,    q[2], q[0], q[1], q[2], 0};
    gnt_metric_pairs out;
    assert_int_equal(gnt_metric_similarity(&out, similarity, original, 4, 1, NULL), 0);
    return out.all;
}

/* Pairs of a positive and a negative, counted one by one: 8 of 9 here; a tie is half a pair. */
static void areas_count_pairs(void **state) {
    (void)state;
    assert_float_equal(auc((const float[]){0.9f, 0.4f, 0.6f}, (const float[]){0.5f, 0.1f, 0.2f}), 8.0 / 9,
                       1e-12);
    assert_float_equal(auc((const float[]){1, 1, 1}, (const float[]){3, 2, 3}), 0, 0);
    assert_float_equal(auc((const float[]){2, 2, 2}, (const float[]){2, 2, 2}), 0.5, 0);
    const float similarity[4] = {0}, alike[2] = {1, 1};
    gnt_metric_pairs one_kind;
    assert_int_equal(gnt_metric_similarity(&one_kind, similarity, alike, 2, 1, NULL), 0);
    assert_true(isnan(one_kind.all));
}

/* A score that is no number must never help, on either side. */
static void what_is_not_finite_loses(void **state) {
    (void)state;
    const float low[3] = {0, 0, 0}, lost[3] = {NAN, NAN, INFINITY}, high[3] = {1, 1, 1};
    assert_float_equal(auc(lost, low), 0, 0);
    assert_float_equal(auc(high, lost), 0, 0);
}

/* Encodings 0 and 1 share original 0 visibly (.5 × .5), 0 and 2 original 1 with .5 × .05 < .04, 1 and 2 none.
 */
static const float weight[3 * 3] = {0.5f, 0.5f, 0, 0.5f, 0, 0.5f, 0, 0.05f, 0};

static void faint_pairs_are_left_out_of_the_second_area(void **state) {
    (void)state;
    /* the shared faint pair scores below the pair that shares nothing; the diagonal would spoil everything */
    const float similarity[9] = {-9, 0.8f, 0.1f, 1.0f, -9, 0.3f, 0.1f, 0.1f, 9};
    gnt_metric_pairs out;
    assert_int_equal(gnt_metric_similarity(&out, similarity, weight, 3, 3, NULL), 0);
    assert_float_equal(out.all, 0.5, 1e-12); /* (0,1) = .9 above (1,2) = .2, (0,2) = .1 below it */
    assert_float_equal(out.visible, 1, 1e-12);
}

/* Clusters in another order than the originals: the assignment finds it, and weights then agree up to scale.
 */
static void clusters_are_matched_to_originals(void **state) {
    (void)state;
    const float truth[4 * 2] = {0.7f, 0.3f, 0, 1, 0.2f, 0.8f, 1, 0};
    float claimed[4 * 2];
    for (int e = 0; e < 4; e++) {
        claimed[2 * e] = truth[2 * e + 1] * 3;
        claimed[2 * e + 1] = truth[2 * e] * 3;
    }
    gnt_metric_clusters out;
    assert_int_equal(gnt_metric_mixture(&out, claimed, 2, truth, 4, 2, NULL), 0);
    assert_float_equal(out.purity, 1, 1e-12);
    assert_float_equal(out.assigned, 1, 1e-12);
    assert_float_equal(out.correlation, 1, 1e-6);
}

/* By hand: encoding 0 is {a, b}, claimed {A}; 1 is {b}, claimed {A, B}; 2 is {a}, claimed {A}.
 * Cluster A holds a, b | b | a: a twice and b twice of 3; B holds b once. Assigned A→a, B→b: shares ½, 1, 1.
 */
static void wrong_claims_cost(void **state) {
    (void)state;
    const float truth[3 * 2] = {0.5f, 0.5f, 0, 1, 1, 0};
    const float claimed[3 * 2] = {0.5f, 0, 0.4f, 0.6f, 1, NAN};
    gnt_metric_clusters out;
    assert_int_equal(gnt_metric_mixture(&out, claimed, 2, truth, 3, 2, NULL), 0);
    assert_float_equal(out.purity, 3.0 / 4, 1e-12);
    assert_float_equal(out.assigned, (0.5 + 1 + 1) / 3, 1e-12);
    /* (claimed, true) over the four true memberships: (.5, .5), (0, .5), (.6, 1), (1, 1) */
    double mx = 2.1 / 4, my = 3.0 / 4, sxy = 0, sxx = 0, syy = 0;
    const double x[4] = {0.5, 0, 0.6, 1}, y[4] = {0.5, 0.5, 1, 1};
    for (int i = 0; i < 4; i++) {
        sxy += (x[i] - mx) * (y[i] - my);
        sxx += (x[i] - mx) * (x[i] - mx);
        syy += (y[i] - my) * (y[i] - my);
    }
    assert_float_equal(out.correlation, sxy / sqrt(sxx * syy), 1e-6);
}

/* Fewer clusters than originals, one cluster that claims everything, and none that claims anything. */
static void odd_answers_are_scored_too(void **state) {
    (void)state;
    const float truth[2 * 2] = {1, 0, 0, 1}, everywhere[2] = {1, 1}, nowhere[2] = {0, -1};
    gnt_metric_clusters out;
    assert_int_equal(gnt_metric_mixture(&out, everywhere, 1, truth, 2, 2, NULL), 0);
    assert_float_equal(out.purity, 0.5, 1e-12);
    assert_float_equal(out.assigned, 0.5, 1e-12);
    assert_int_equal(gnt_metric_mixture(&out, nowhere, 1, truth, 2, 2, NULL), 0);
    assert_true(isnan(out.purity));
    assert_float_equal(out.assigned, 0, 0);
    assert_true(isnan(out.correlation));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(areas_count_pairs),
        cmocka_unit_test(what_is_not_finite_loses),
        cmocka_unit_test(faint_pairs_are_left_out_of_the_second_area),
        cmocka_unit_test(clusters_are_matched_to_originals),
        cmocka_unit_test(wrong_claims_cost),
        cmocka_unit_test(odd_answers_are_scored_too),
    };
    return cmocka_run_group_tests_name("metric_mixing", tests, NULL, NULL);
}
