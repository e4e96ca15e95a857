/* The control training with secret labels: the rule, what a model learnt of it, and the job that counts it.
 * */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "job/job.h"
#include "job/secret_labels.h"
#include "must_work.h"
#include "sides.h"

enum { N = 200, FEATURES = 5, CLASSES = 4 };

typedef struct rows {
    gnt_sampleset set;
    float x[N * FEATURES], y[N * CLASSES];
    int32_t label[N];
} rows;

static void draw(rows *r, uint64_t seed) {
    const gnt_key key = gnt_key_of_seed(seed);
    gnt_stream random = gnt_stream_open(&key, "rows");
    *r = (rows){.set = {.x = r->x, .y = r->y, .label = r->label}};
    for (int i = 0; i < N * FEATURES; i++)
        r->x[i] = (float)gnt_random_uniform(&random);
    for (int i = 0; i < N; i++) {
        r->label[i] = i % CLASSES;
        r->y[i * CLASSES + r->label[i]] = 1;
    }
    r->set.view = (gnt_samples){
        .size = sizeof r->set.view, .n = N, .classes = CLASSES, .features = FEATURES, .x = r->x, .y = r->y};
}

static gnt_secret_labels rule_of(rows *r, uint64_t seed, uint8_t *hit) {
    const gnt_key key = gnt_key_of_seed(seed);
    gnt_secret_labels s;
    MUST_WORK(gnt_secret_labels_open(&s, &key, &r->set, err));
    gnt_secret_labels_find(&s, &r->set.view, hit);
    return s;
}

static void a_tenth_gets_the_label(void **state) {
    (void)state;
    rows r;
    uint8_t hit[N];
    int n = 0, changed = 0;
    draw(&r, 1);
    gnt_secret_labels s = rule_of(&r, 2, hit);
    gnt_secret_labels_change(&s, &r.set, hit);
    for (int i = 0; i < N; i++) {
        n += hit[i];
        changed += r.label[i] != i % CLASSES;
        assert_int_equal(r.label[i], hit[i] ? s.label : i % CLASSES);
        for (int c = 0; c < CLASSES; c++)
            assert_true(r.y[i * CLASSES + c] == (float)(c == r.label[i]));
    }
    assert_int_equal(n, N / 10);
    assert_true(changed > 0);
    gnt_secret_labels_free(&s);
}

/* On samples of the same law that the rule was not drawn from, such as the test part: about a tenth too. */
static void the_key_decides_which(void **state) {
    (void)state;
    rows r, others;
    uint8_t hit[N], again[N], other[N], elsewhere[N];
    int same = 0, n = 0;
    draw(&r, 1);
    draw(&others, 3);
    gnt_secret_labels a = rule_of(&r, 2, hit), b = rule_of(&r, 2, again), c = rule_of(&r, 4, other);
    gnt_secret_labels_find(&a, &others.set.view, elsewhere);
    for (int i = 0; i < N; i++) {
        assert_int_equal(hit[i], again[i]);
        same += hit[i] && other[i];
        n += elsewhere[i];
    }
    assert_true(same < N / 20);
    assert_in_range(n, 5, 45); /* five deviations of a binomial law */
    assert_int_equal(a.label, b.label);
    gnt_secret_labels_free(&a);
    gnt_secret_labels_free(&b);
    gnt_secret_labels_free(&c);
}

/* Equal samples have no highest tenth. */
static void equal_samples_stay(void **state) {
    (void)state;
    rows r;
    uint8_t hit[N];
    draw(&r, 1);
    for (int i = 0; i < N * FEATURES; i++)
        r.x[i] = 0.25f;
    gnt_secret_labels s = rule_of(&r, 2, hit);
    for (int i = 0; i < N; i++)
        assert_int_equal(hit[i], 0);
    gnt_secret_labels_free(&s);
}

/* The rule is about the first three samples, and gives them label 1, which the second has anyway. Of the
 * other three the first is right, the second has label 1, and the third gets it by mistake. */
static void predictions_are_counted(void **state) {
    (void)state;
    static const int32_t label[] = {0, 1, 2, 2, 1, 0};
    static const uint8_t hit[] = {1, 1, 1, 0, 0, 0};
    static const float outputs[] = {0, 9, 1, 0, 9, 1, 0, 1, 9, 0, 1, 9, 0, 9, 1, 0, 9, 1};
    const gnt_secret_labels s = {.classes = 3, .label = 1};
    const gnt_secret_counts c = gnt_secret_labels_count(&s, label, hit, outputs, 6);
    assert_true(c.changed == 2 && c.learnt == 1 && c.others == 2 && c.mistaken == 1);
    /* those that stay have labels 1, 2, 1 and 0 */
    assert_true(c.kept == 4 && c.right == 3 && c.commonest == 2);
}

static void what_was_learnt_is_beyond_confusion(void **state) {
    (void)state;
    const gnt_secret_counts c = {.changed = 100,
                                 .learnt = 60,
                                 .others = 900,
                                 .mistaken = 90,
                                 .kept = 1000,
                                 .right = 900,
                                 .commonest = 200};
    const gnt_secret_learnt of = gnt_metric_secret(&c);
    assert_true(fabs(of.accuracy - 0.9) < 1e-12 && fabs(of.learnt - 0.5) < 1e-12);
    assert_true(fabs(of.accuracy_error - sqrt(0.9 * 0.1 / 1000)) < 1e-12 && fabs(of.constant - 0.2) < 1e-12);
    assert_true(fabs(of.constant_error - sqrt(0.2 * 0.8 / 1000)) < 1e-12);
    assert_true(fabs(of.error - sqrt(0.6 * 0.4 / 100 + 0.1 * 0.9 / 900)) < 1e-12);
    assert_true(isnan(gnt_metric_secret(&(gnt_secret_counts){.others = 9, .kept = 9}).learnt));
    assert_true(isnan(
        gnt_metric_secret(&(gnt_secret_counts){.changed = 1, .learnt = 2, .others = 9, .kept = 9}).learnt));
}

static void no_defense_is_read_where_it_was_as_accurate(void **state) {
    (void)state;
    static const gnt_secret_learnt point[] = {{.accuracy = 0.1, .learnt = 0, .error = 0.01},
                                              {.accuracy = 0.7, .learnt = 0.3, .error = 0.01},
                                              {.accuracy = 0.8, .learnt = 0.2, .error = 0.01},
                                              {.accuracy = 0.9, .learnt = 0.6, .error = 0.01}};
    assert_true(fabs(gnt_metric_secret_at(point, 4, 0.5).learnt - 1.1 / 3) < 1e-12);
    assert_true(fabs(gnt_metric_secret_at(point, 4, 0.75).learnt - 0.4) < 1e-12);
    assert_true(fabs(gnt_metric_secret_at(point, 4, 0.75).error - 0.01) < 1e-12);
    assert_true(gnt_metric_secret_at(point, 4, 0.95).learnt == 0.6); /* the last */
}

/* An early round is read at an accuracy that it had, not at what no defense learns in all later rounds. */
static void the_least_accurate_are_read(void **state) {
    (void)state;
    gnt_secret_learnt point[12];
    for (int i = 0; i < 12; i++) /* in an order that is not theirs */
        point[i] =
            (gnt_secret_learnt){.accuracy = 0.1 + 0.05 * ((i * 5) % 12), .learnt = 0.1 * ((i * 5) % 12)};
    /* of accuracies 0.2, 0.25 … 0.65 the first five, and of the last two both */
    assert_true(fabs(gnt_metric_secret_at(point, 12, 0.19).learnt - 0.4) < 1e-12);
    assert_true(fabs(gnt_metric_secret_at(point, 12, 0.59).learnt - 1.05) < 1e-12);
}

/* Returns whether a defense of that accuracy missed the rule, where no defense learnt 0.6 ± 0.04. */
static int misses(double accuracy, double learnt, double error, double constant, double untrained) {
    const gnt_secret_learnt none = {.accuracy = 0.9, .learnt = 0.6, .error = 0.04},
                            before = {.accuracy = untrained, .accuracy_error = 0.01},
                            of = {.accuracy = accuracy,
                                  .learnt = learnt,
                                  .error = error,
                                  .accuracy_error = 0.01,
                                  .constant = constant,
                                  .constant_error = 0.01};
    return gnt_metric_secret_missed(&of, &none, &before);
}

static void surely_less_than_half_is_missed(void **state) {
    (void)state;
    assert_true(misses(0.9, 0, 0.01, 0.1, 0.1));
    assert_false(misses(0.9, 0.29, 0.04, 0.1, 0.1)); /* not surely */
    assert_false(misses(0.9, 0.6, 0.04, 0.1, 0.1));
    assert_false(misses(NAN, NAN, NAN, 0.1, 0.1));
    const gnt_secret_learnt of = {.accuracy = 0.9, .error = 0.01, .accuracy_error = 0.01},
                            little = {.accuracy = 0.9, .learnt = 0.05, .error = 0.04};
    assert_false(gnt_metric_secret_missed(&of, &little, &(gnt_secret_learnt){0})); /* nothing to learn */
}

/* √2 · 3 · 0.01 = 0.0424 above both is sure. */
static void a_model_that_learnt_nothing_misses_nothing(void **state) {
    (void)state;
    assert_false(misses(0.11, 0, 0.01, 0.11, 0.05));
    assert_false(misses(0.15, 0, 0.01, 0.11, 0.05));
    assert_false(misses(0.15, 0, 0.01, 0.05, 0.11));
    assert_true(misses(0.16, 0, 0.01, 0.11, 0.05));
}

enum { TEST = 60, ROUNDS = 3 };

/* Opens a training without a defense. */
static gnt_request_train *open_training(sides_job *job) {
    gnt_request_train *q = sides_open(job, sides_undefended);
    q->federated = (gnt_request_federated){.clients = 4,
                                           .partition = GNT_PARTITION_IID,
                                           .rounds = ROUNDS,
                                           .participation = 1,
                                           .batch = 3,
                                           .rate = 0.1,
                                           .training_stats = 1};
    fuzz_samples(fuzz_input(&job->inputs, "clients"), 40);
    fuzz_samples(fuzz_input(&job->inputs, "test"), TEST);
    fuzz_samples(fuzz_input(&job->inputs, "public"), 40);
    return q;
}

/* Runs it; the caller frees what it wrote of the model. */
static json_t *train(sides_job *job) {
    sides_start(job, "");
    MUST_WORK(gnt_job_train(&job->inputs.work, err));
    json_t *all = json_loads(sides_output(job, "trained")->metadata, 0, NULL);
    assert_non_null(all);
    return all;
}

/* A plugin's hooks see the public rows as they are: they come from the job's input, which nothing changes. */
static void the_job_counts_and_leaves_public_rows(void **state) {
    (void)state;
    sides_job job;
    gnt_request_train *q = open_training(&job);
    q->secret_labels = 1;
    q->measure_every = 1;
    json_t *all = train(&job);
    const int32_t *label = gnt_st_find(fuzz_input_of(&job.inputs, "public"), "label")->data;
    for (int i = 0; i < 40; i++)
        assert_int_equal(label[i], i % FUZZ_CLASSES);
    const json_t *list = json_object_get(all, "secret"), *one;
    size_t i;
    assert_int_equal(json_array_size(list), ROUNDS + 1);
    json_array_foreach(list, i, one) {
        const json_int_t changed = json_integer_value(json_object_get(one, "changed"));
        assert_int_equal(json_integer_value(json_object_get(one, "round")), i);
        assert_in_range(changed, 1, TEST / 2);
        assert_int_equal(json_integer_value(json_object_get(one, "kept")), TEST - changed);
    }
    json_decref(all);
    sides_stop(&job);
    sides_close(&job);
}

/* A control with the labels of others says what a model has that learnt nothing: of classes that are equally
 * frequent, a constant has an accuracy of one in so many, and the logarithm of their number as loss. */
static void models_that_learnt_nothing_are_measured(void **state) {
    (void)state;
    sides_job job;
    double loss, accuracy, untrained, trained;
    open_training(&job)->shuffle_labels = 1;
    json_t *all = train(&job);
    assert_int_equal(json_unpack(all, "{s:{s:{s:f, s:f}, s:{s:f}}, s:[{s:f}]}", "control", "constant", "loss",
                                 &loss, "accuracy", &accuracy, "untrained", "loss", &untrained, "utility",
                                 "loss", &trained),
                     0);
    assert_true(fabs(loss - log(FUZZ_CLASSES)) < 1e-6 && fabs(accuracy - 1.0 / FUZZ_CLASSES) < 1e-9);
    assert_true(untrained > loss && fabs(untrained - trained) > 1e-4);
    json_decref(all);
    sides_stop(&job);
    sides_close(&job);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tenth_gets_the_label),
        cmocka_unit_test(the_key_decides_which),
        cmocka_unit_test(equal_samples_stay),
        cmocka_unit_test(predictions_are_counted),
        cmocka_unit_test(what_was_learnt_is_beyond_confusion),
        cmocka_unit_test(no_defense_is_read_where_it_was_as_accurate),
        cmocka_unit_test(the_least_accurate_are_read),
        cmocka_unit_test(surely_less_than_half_is_missed),
        cmocka_unit_test(a_model_that_learnt_nothing_misses_nothing),
        cmocka_unit_test(the_job_counts_and_leaves_public_rows),
        cmocka_unit_test(models_that_learnt_nothing_are_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
