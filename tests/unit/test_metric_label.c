/* Label and attribute accuracy: worked out by hand, with the traps that make an attack look better or worse
 * than it is. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/random.h"
#include "metric/label.h"

static int near(double a, double b) {
    return fabs(a - b) < 1e-12;
}

static gnt_metric_confusion make(const int32_t *truth, const int32_t *predicted, size_t n, int32_t classes) {
    gnt_metric_confusion c;
    assert_int_equal(gnt_metric_confusion_make(&c, truth, predicted, n, classes, NULL), 0);
    return c;
}

static void rows_are_truth(void **state) {
    (void)state;
    const int32_t truth[] = {0, 0, 0, 1, 2, 2}, predicted[] = {0, 1, 1, 1, -1, 9};
    gnt_metric_confusion c = make(truth, predicted, 6, 4);
    const int64_t expected[] = {1, 2, 0, 0, 0, /**/ 0, 1, 0, 0, 0, /**/ 0, 0, 0, 0, 2, /**/ 0, 0, 0, 0, 0};
    assert_memory_equal(c.counts, expected, sizeof expected);
    gnt_metric_rates r = gnt_metric_accuracy(&c);
    assert_true(near(r.plain, 2.0 / 6));
    assert_true(near(r.balanced, (1.0 / 3 + 1 + 0) / 3)); /* class 3 does not occur and does not count */
    assert_true(near(gnt_metric_recall(&c, 0), 1.0 / 3) && isnan(gnt_metric_recall(&c, 3)));
    gnt_metric_confusion_free(&c);
}

static void bad_truth_is_an_error(void **state) {
    (void)state;
    const int32_t truth[] = {0, 3}, predicted[] = {0, 0};
    gnt_metric_confusion c;
    gnt_err err = {{0}};
    assert_int_equal(gnt_metric_confusion_make(&c, truth, predicted, 2, 3, &err), -1);
    assert_string_equal(err.text, "the true label of sample 1 is 3; a number from 0 to 2 is expected");
    assert_int_equal(gnt_metric_confusion_make(&c, truth, predicted, 2, 0, &err), -1);
    assert_null(c.counts);
}

static void scores_to_labels(void **state) {
    (void)state;
    const float scores[] = {0.1f,      0.7f,      0.2f,      /**/ 5,         5,  1,
                            /**/ 0,    NAN,       9,         /**/ -INFINITY, -3, INFINITY, /**/
                            -INFINITY, -INFINITY, -INFINITY, /**/ 3,         1,  NAN};
    const int32_t expected[] = {1, 0, GNT_METRIC_NO_LABEL, 2, GNT_METRIC_NO_LABEL, GNT_METRIC_NO_LABEL};
    int32_t got[6];
    gnt_metric_labels_of_scores(got, scores, 6, 3);
    assert_memory_equal(got, expected, sizeof expected);
}

/* Adult's trap: 85 % of one class. Always saying it gives 85 % plain and chance balanced. */
static void a_constant_guess_gains_nothing(void **state) {
    (void)state;
    int32_t truth[100], predicted[100] = {0};
    for (int i = 0; i < 100; i++)
        truth[i] = i >= 85;
    gnt_metric_confusion c = make(truth, predicted, 100, 2);
    const int64_t train[] = {800, 200};
    gnt_metric_chance chance;
    gnt_metric_with_chance(&chance, &c, train);
    assert_true(near(chance.attacker.plain, 0.85) && near(chance.attacker.balanced, 0.5));
    assert_true(near(chance.majority.plain, 0.85) && near(chance.majority.balanced, 0.5));
    assert_true(near(chance.constant.plain, 0.85) && near(chance.constant.balanced, 0.5));
    assert_int_equal(chance.majority_class, 0);
    /* a majority that turned between training and test is not the best constant in hindsight */
    const int64_t turned[] = {1, 2};
    gnt_metric_with_chance(&chance, &c, turned);
    assert_true(near(chance.majority.plain, 0.15) && near(chance.constant.plain, 0.85));
    gnt_metric_with_chance(&chance, &c, NULL);
    assert_true(chance.majority_class == GNT_METRIC_NO_LABEL && chance.majority.plain == 0);
    gnt_metric_confusion_free(&c);
}

static double relabelled(const int32_t *truth, const int32_t *given, size_t n, int32_t classes) {
    int32_t renamed[100];
    assert_int_equal(gnt_metric_relabel(renamed, truth, given, n, classes, NULL), 0);
    gnt_metric_confusion c = make(truth, renamed, n, classes);
    const double rate = gnt_metric_accuracy(&c).balanced;
    gnt_metric_confusion_free(&c);
    return rate;
}

/* A defense that turns every answer round has hidden nothing; no answer for one class alone gives that class
 * away. */
static void relabelling_finds_reliable_errors(void **state) {
    (void)state;
    const int32_t truth[] = {0, 0, 0, 1, 1, 1, 2, 2}, wrong[] = {1, 1, 1, 0, 0, 0, -1, -1};
    assert_true(relabelled(truth, wrong, 8, 3) == 1);
    assert_true(relabelled(truth, truth, 8, 3) == 1);
}

/* Each name is given by the others alone: what a single sample shows is nobody's proof. */
static void relabelling_leaves_the_sample_itself_out(void **state) {
    (void)state;
    const int32_t truth[] = {0, 0, 1, 1}, own[] = {2, 3, 4, -1};
    int32_t renamed[4];
    assert_int_equal(gnt_metric_relabel(renamed, truth, own, 4, 5, NULL), 0);
    assert_memory_equal(renamed, own, sizeof own);
    /* one more of the first answer gives both away */
    const int32_t twice[] = {2, 2, 4, -1}, expected[] = {0, 0, 4, -1};
    assert_int_equal(gnt_metric_relabel(renamed, truth, twice, 4, 5, NULL), 0);
    assert_memory_equal(renamed, expected, sizeof expected);
    assert_int_not_equal(gnt_metric_relabel(renamed, own, twice, 4, 5, NULL), 0); /* −1 is no truth */
}

/* Ten zeros, four of them answered 0 and six 1; three ones, all answered 0. By shares of each class answer 0
 * means 1 (all ones against .4 of the zeros) and answer 1 means 0. */
static void relabelling_goes_by_shares_of_each_class(void **state) {
    (void)state;
    int32_t truth[13] = {0}, answer[13];
    for (int i = 0; i < 13; i++) {
        truth[i] = i >= 10;
        answer[i] = i < 4 || i >= 10 ? 0 : 1;
    }
    assert_true(near(relabelled(truth, answer, 13, 2), (0.6 + 1) / 2));
}

/* Answers that have nothing to do with the truth gain nothing by it. */
static void relabelling_gains_nothing_from_noise(void **state) {
    (void)state;
    double sum = 0;
    const gnt_key key = gnt_key_of_seed(1);
    gnt_stream s = gnt_stream_open(&key, "noise");
    for (int run = 0; run < 200; run++) {
        int32_t truth[100], given[100];
        for (int i = 0; i < 100; i++) {
            truth[i] = gnt_random_below(&s, 10) < 8 ? 0 : 1;
            given[i] = (int32_t)gnt_random_below(&s, 2);
        }
        sum += relabelled(truth, given, 100, 2);
    }
    assert_true(sum / 200 < 0.51);
}

static void batches_count_with_multiplicity(void **state) {
    (void)state;
    const int32_t truth[] = {3, 3, 5, 7}, once[] = {3, 5, 7, 9}, many[] = {3, 3, 3, 3}, all[] = {7, 5, 3, 3};
    const int32_t flood[] = {0, 1, 2, 9, 3, 3, 5, 7};
    double share;
    assert_int_equal(gnt_metric_batch_labels(&share, truth, 4, once, 4, 10, NULL), 0);
    assert_true(share == 0.75);
    assert_int_equal(gnt_metric_batch_labels(&share, truth, 4, many, 4, 10, NULL), 0);
    assert_true(share == 0.5);
    assert_int_equal(gnt_metric_batch_labels(&share, truth, 4, all, 4, 10, NULL), 0);
    assert_true(share == 1);
    assert_int_equal(gnt_metric_batch_labels(&share, truth, 4, flood, 8, 10, NULL), 0);
    assert_true(share == 0); /* naming every class does not help */
    assert_int_equal(gnt_metric_batch_labels(&share, truth, 4, NULL, 0, 10, NULL), 0);
    assert_true(share == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_truth),
        cmocka_unit_test(bad_truth_is_an_error),
        cmocka_unit_test(scores_to_labels),
        cmocka_unit_test(a_constant_guess_gains_nothing),
        cmocka_unit_test(relabelling_finds_reliable_errors),
        cmocka_unit_test(relabelling_leaves_the_sample_itself_out),
        cmocka_unit_test(relabelling_goes_by_shares_of_each_class),
        cmocka_unit_test(relabelling_gains_nothing_from_noise),
        cmocka_unit_test(batches_count_with_multiplicity),
    };
    return cmocka_run_group_tests_name("metric label", tests, NULL, NULL);
}
