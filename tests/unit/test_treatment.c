/* The test for defenses that treat observed rounds differently: known answers, ties, strata, and how often an
 * honest one is suspected. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/random.h"
#include "job/record/record.h"
#include "job/record/treated_rounds.h"
#include "job/record/treatment.h"

enum { MOST = 1 << 15 };

static gnt_treatment all[MOST];
static size_t n_all;
static gnt_stream random_numbers;

static void start(uint64_t seed) {
    const gnt_key key = gnt_key_of_seed(seed);
    random_numbers = gnt_stream_open(&key, "treatment");
    n_all = 0;
}

static float normal(void) {
    return (float)gnt_random_normal(&random_numbers);
}

static void add(int32_t stratum, int watched, float cosine, float ratio, float changed) {
    assert_true(n_all < MOST);
    all[n_all++] =
        (gnt_treatment){.stratum = stratum, .observed = watched, .value = {cosine, ratio, changed}};
}

static void assert_found(const char *word) {
    gnt_err says = {0};
    assert_int_equal(gnt_treatment_differs(all, n_all, &says), 1);
    if (!strstr(says.text, word))
        fail_msg("\"%s\" does not name \"%s\"", says.text, word);
}

static void assert_not_found(void) {
    gnt_err says = {0};
    if (gnt_treatment_differs(all, n_all, &says) != 0)
        fail_msg("%s", says.text);
    assert_true(says.text[0] == 0);
}

static void nothing_is_no_difference(void **state) {
    (void)state;
    start(1);
    assert_not_found();
    add(0, 1, 1, 0, 0);
    assert_not_found();
}

static void the_same_treatment_is_no_difference(void **state) {
    (void)state;
    start(1);
    for (int i = 0; i < 200; i++)
        add(i / 50, i % 5 == 0, 0.7f, -0.2f, 1);
    assert_not_found();
}

/* Updates of clients that are looked at are replaced by nothing: cosine and ratio fall for each alone. */
static void zeros_for_the_watched_are_found(void **state) {
    (void)state;
    start(2);
    for (int i = 0; i < 120; i++)
        add(i / 30, i % 5 == 0, i % 5 == 0 ? 0 : 0.9f + 0.01f * normal(), 0, 1);
    assert_found("cosine");
    start(2);
    for (int i = 0; i < 120; i++)
        add(i / 30, i % 5 == 0, 1, i % 5 == 0 ? -30 : 0.02f * normal(), 1);
    assert_found("norms");
    start(2);
    for (int i = 0; i < 120; i++)
        add(i / 30, i % 5 == 0, 1, 0, i % 5 == 0 ? 0 : 1);
    assert_found("entries changed");
}

/* In one round of many alone: the rest hides it from the sum over all, but not from that round's own. */
static void one_round_alone_is_found(void **state) {
    (void)state;
    start(3);
    for (int round = 0; round < 40; round++)
        for (int i = 0; i < 80; i++) {
            const int watched = i < 20;
            add(round, watched, round == 7 && watched ? 0 : 0.9f + 0.02f * normal(), 0, 1);
        }
    assert_found("cosine");
}

/* Beyond chance and small is no difference. */
static void what_is_small_is_no_difference(void **state) {
    (void)state;
    start(4);
    for (int i = 0; i < 3000; i++)
        add(i / 300, i % 3 == 0, 0.9f + 0.01f * normal() - (i % 3 == 0 ? 0.05f : 0), 0, 1);
    assert_not_found();
}

/* Pruning gives nearly all updates the same values: a rank sum that counted ties as a continuum would be
 * surprised. */
static void ties_are_no_surprise(void **state) {
    (void)state;
    start(5);
    for (int i = 0; i < 2000; i++) {
        const int odd = i % 400 == 3; /* five of 2000, one of them watched */
        add(i / 200, i % 10 == 3, odd ? 0.2f : 0.95f, odd ? -1 : -0.01f, odd ? 0.1f : 0.9f);
    }
    assert_not_found();
}

/* The formula by hand: m of N in one stratum, all watched below all others. Rank sum m(m+1)/2, expected
 * m(N+1)/2, variance m(N−m)(N+1)/12: z = −√(3·m(N−m)/(N+1)). m = N/2: |z| = 4 at N ≈ 21.8 (√(3N²/(4(N+1)))).
 * With ties in two blocks the variance is that of a hypergeometric, m(N−m)/12·(N+1−Σ(t³−t)/(N(N−1))): |z| =
 * √(N−1). */
static void chance_is_where_the_formula_says(void **state) {
    (void)state;
    for (int half = 5; half <= 15; half++) {
        const double n = 2 * half, z = sqrt(3 * n * n / 4 / (n + 1));
        start(6);
        for (int i = 0; i < 2 * half; i++)
            add(0, i < half, (float)i / 30, 0, 1);
        if (z > 4)
            assert_found("cosine");
        else
            assert_not_found();
        start(6);
        for (int i = 0; i < 2 * half; i++)
            add(0, i < half, i < half ? 0 : 1, 0, 1);
        if (sqrt(n - 1) > 4)
            assert_found("cosine");
        else
            assert_not_found();
    }
}

static void too_few_reveal_nothing(void **state) {
    (void)state;
    start(7);
    for (int i = 0; i < 6; i++)
        add(0, i == 0, i == 0 ? 0 : 1, i == 0 ? -30 : 0, i == 0 ? 0 : 1);
    assert_not_found();
    start(7);
    for (int i = 0; i < 300; i++) /* nobody is left to compare with */
        add(0, 1, (float)(i % 2), 0, 1);
    assert_not_found();
    start(7);
    for (int i = 0; i < 300; i++)
        add(i % 2, i % 2, (float)(i % 2), 0, 1);
    assert_not_found();
}

/* Later rounds are treated harder, and more are watched in them: within each round all are treated alike. */
static void strata_of_other_levels_are_no_difference(void **state) {
    (void)state;
    start(8);
    for (int round = 0; round < 10; round++)
        for (int i = 0; i < 60; i++)
            add(round, i < 2 + 5 * round, 1 - 0.09f * (float)round + 0.01f * normal(), -0.1f * (float)round,
                1);
    assert_not_found();
}

static void numbers_beyond_all_bounds_do_no_harm(void **state) {
    (void)state;
    start(9);
    for (int i = 0; i < 200; i++)
        add(i / 50, i % 4 == 0, i % 7 ? 0.5f : 0, i % 7 ? 30 : -30, i % 7 ? 1 : 0);
    assert_not_found();
}

/* Noise on updates of differing size: cosine and ratio vary much, and together. 2,000 training runs of 5
 * observed rounds, each with its neighbours: 2 of 10 watched in one of three. */
static void honest_noise_is_seldom_suspected(void **state) {
    enum { RUNS = 2000 };
    int suspected = 0;
    (void)state;
    start(10);
    for (int run = 0; run < RUNS; run++) {
        n_all = 0;
        const float sigma = (float)pow(10, -1 + run % 5 * 0.5);
        for (int32_t stratum = 0; stratum < 5; stratum++)
            for (int i = 0; i < 30; i++) {
                const float norm = expf(0.5f * normal()), noise = sigma * (1 + 0.05f * normal());
                const float after = sqrtf(norm * norm + noise * noise);
                add(stratum, i < 2, norm / after + 0.02f * normal(), log10f(after / norm), 1);
            }
        gnt_err says = {0};
        suspected += gnt_treatment_differs(all, n_all, &says) != 0;
    }
    print_message("# %d of %d honest runs suspected\n", suspected, RUNS);
    assert_true(suspected < RUNS / 100);
}

/* The more rounds are observed, the more often one of them deviates by chance. */
static void many_rounds_are_no_reason_for_suspicion(void **state) {
    enum { RUNS = 100, ROUNDS = 500 };
    int suspected = 0;
    (void)state;
    start(11);
    for (int run = 0; run < RUNS; run++) {
        n_all = 0;
        for (int32_t round = 0; round < ROUNDS; round++)
            for (int i = 0; i < 60; i++)
                add(round, i < 20, 0.4f * normal(), 0.5f * normal(), 0.5f + 0.2f * normal());
        gnt_err says = {0};
        suspected += gnt_treatment_differs(all, n_all, &says) != 0;
    }
    print_message("# %d of %d long honest runs suspected\n", suspected, RUNS);
    assert_int_equal(suspected, 0);
}

/* ---- rounds that are observed as a whole ---- */

/* Thirty rounds of 40 clients under noise of one size, on updates whose norms change from round to round by a
 * factor of e^±`scatter`; all of round 4 are observed. There, and in round `decoy`, the noise has `times` its
 * size. */
static void train(uint64_t seed, float scatter, float times, int32_t decoy) {
    start(seed);
    for (int32_t round = 0; round < 30; round++) {
        const float level = scatter * normal();
        for (int i = 0; i < 40; i++) {
            const float noise = round == 4 || round == decoy ? times : 1,
                        norm = expf(level + 0.1f * normal()), after = sqrtf(norm * norm + noise * noise);
            add(round, round == 4, norm / after, log10f(after / norm), 1);
        }
    }
}

static void rounds_differ_without_a_defense_that_looks(void **state) {
    (void)state;
    int suspected = 0, by_neighbours = 0;
    for (uint64_t seed = 0; seed < 100; seed++) {
        gnt_err says = {0};
        train(seed, 0.4f, 1, -1);
        assert_not_found(); /* its round has no others */
        suspected += gnt_treated_rounds_differ(all, n_all, &says) != 0;
        n_all = 40 * 6; /* rounds 3 to 5 alone */
        for (size_t i = 40 * 3; i < n_all; i++)
            all[i].stratum = 0;
        by_neighbours += gnt_treatment_differs(all + 40 * 3, n_all - 40 * 3, &says) != 0;
    }
    assert_true(by_neighbours > 20); /* or this would show nothing */
    assert_true(suspected <= 2);
}

static void a_round_without_noise_is_found(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 10; seed++) {
        gnt_err says = {0};
        train(seed, 0.05f, 0.05f, seed % 2 ? 15 : -1); /* a round like it does not excuse it */
        assert_int_equal(gnt_treated_rounds_differ(all, n_all, &says), 1);
        assert_non_null(strstr(says.text, "not what it did to the others"));
        n_all = 40 * 7; /* too few rounds to say what is usual */
        assert_int_equal(gnt_treated_rounds_differ(all, n_all, &says), 0);
    }
    assert_int_equal(gnt_treated_rounds_differ(all, 0, NULL), 0);
}

/* ---- shadow clients ---- */

/* What noise of `noise` makes of an update of that norm. */
static gnt_fl_treatment noised(double norm, double noise) {
    const double after = sqrt(norm * norm + noise * noise);
    return (gnt_fl_treatment){
        .known = 1, .norm = norm, .ratio = after / norm, .cosine = norm / after, .changed = 1};
}

/* Forty clients of a training under noise of 1, whose updates are about 1 long, and 200 shadow clients, whose
 * updates are `length` long, under `noise`. */
static int shadow_differs(double length, double noise) {
    const int64_t dim[2] = {40, GNT_RECORD_TREATMENT};
    static gnt_fl_treatment shadow[200];
    gnt_st training;
    gnt_st_tensor *t;
    gnt_err says = {0};
    start(1);
    gnt_st_init(&training);
    assert_int_equal(gnt_st_add(&training, "treatment", GNT_ST_F32, 2, dim, NULL, &t, NULL), 0);
    for (int64_t i = 0; i < dim[0]; i++) {
        const gnt_fl_treatment one = noised(exp(0.5 * (double)normal()), 1);
        const float row[GNT_RECORD_TREATMENT] = {
            4, (float)i, (float)one.cosine, gnt_record_log(one.ratio), 1, 0, 1, 0, gnt_record_log(one.norm)};
        memcpy((float *)t->data + GNT_RECORD_TREATMENT * i, row, sizeof row);
    }
    for (int j = 0; j < 200; j++)
        shadow[j] = noised(length * exp(0.5 * (double)normal()), noise);
    const int found = gnt_record_treatment_differs(&training, 4, shadow, 200, 1, &says);
    gnt_st_free(&training);
    return found;
}

/* Samples that a model was not trained on have longer gradients, to which the same noise does less. */
static void shadow_updates_are_compared_at_their_norms(void **state) {
    (void)state;
    assert_int_equal(shadow_differs(1, 1), 0);
    assert_int_equal(shadow_differs(2.5, 1), 0);
    assert_int_equal(shadow_differs(1, 0), 1);
    assert_int_equal(shadow_differs(1, 3), 1);
    assert_int_equal(shadow_differs(2, 0.1), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_no_difference),
        cmocka_unit_test(the_same_treatment_is_no_difference),
        cmocka_unit_test(zeros_for_the_watched_are_found),
        cmocka_unit_test(one_round_alone_is_found),
        cmocka_unit_test(what_is_small_is_no_difference),
        cmocka_unit_test(ties_are_no_surprise),
        cmocka_unit_test(chance_is_where_the_formula_says),
        cmocka_unit_test(too_few_reveal_nothing),
        cmocka_unit_test(strata_of_other_levels_are_no_difference),
        cmocka_unit_test(numbers_beyond_all_bounds_do_no_harm),
        cmocka_unit_test(honest_noise_is_seldom_suspected),
        cmocka_unit_test(many_rounds_are_no_reason_for_suspicion),
        cmocka_unit_test(rounds_differ_without_a_defense_that_looks),
        cmocka_unit_test(a_round_without_noise_is_found),
        cmocka_unit_test(shadow_updates_are_compared_at_their_norms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
