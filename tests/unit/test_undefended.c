/* What the host notes of a defense in observed rounds, and which of it is a mark. The numbers are those of
 * the header's formulas for vectors that can be added up by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "job/record/treatment.h"

enum { N = 4 };

static void close_to(double got, double wanted) {
    if (!(fabs(got - wanted) < 1e-9))
        fail_msg("%.12g, expected %.12g", got, wanted);
}

/* Two clients with shares ½, plain updates (2, 0, 0, 0) and (0, 2, 0, 0). */
static void play(gnt_fl_undefended *u, const float first[N], const float second[N]) {
    gnt_err err = {0};
    double cosine, ratio;
    assert_int_equal(gnt_fl_undefended_open(u, N, &err), 0);
    gnt_fl_undefended_begin(u, 3);
    memcpy(u->update, (const float[N]){2, 0, 0, 0}, N * sizeof(float));
    gnt_fl_undefended_add(u, first, 0.5, &cosine, &ratio);
    memcpy(u->update, (const float[N]){0, 2, 0, 0}, N * sizeof(float));
    gnt_fl_undefended_add(u, second, 0.5, &cosine, &ratio);
}

static void sums_are_those_of_the_header(void **state) {
    (void)state;
    gnt_fl_undefended u = {0};
    play(&u, (const float[N]){2, 0, 3, 0}, (const float[N]){0, 2, -3, 4});
    gnt_fl_undefended_end(&u, (const float[N]){1, 1, 1, 1}, (const float[N]){2, 2, 1, 1}, 0, 1);
    close_to(u.round.plain, 2);      /* ¼·4 + ¼·4 */
    close_to(u.round.plain_left, 2); /* (1, 1, 0, 0) */
    close_to(u.round.added, 8.5);    /* ¼·9 + ¼·25 */
    close_to(u.round.left, 4);       /* (0, 0, 0, 2) */
    close_to(u.round.sent, 2 / sqrt(2.0 * 6));
    close_to(u.round.server, 1);
    close_to(u.round.taken, sqrt(2.0 / 6)); /* of (1, 1, 0, 2) */
    assert_int_equal(u.round.round, 3);
    gnt_fl_undefended_free(&u);
}

static void a_gradient_points_the_other_way(void **state) {
    (void)state;
    gnt_fl_undefended u = {0};
    play(&u, (const float[N]){2, 0, 0, 0}, (const float[N]){0, 2, 0, 0});
    gnt_fl_undefended_end(&u, (const float[N]){1, 1, 1, 1}, (const float[N]){0, 0, 1, 1}, 1, 0.5);
    close_to(u.round.server, 1);
    close_to(u.round.taken, 2); /* at a rate of ½ */
    close_to(u.round.added, 0);
    gnt_fl_undefended_free(&u);
}

static void masks_that_cancel_are_marked(void **state) {
    (void)state;
    gnt_err says = {0};
    gnt_fl_undefended u = {0};
    play(&u, (const float[N]){2, 0, 9, 0}, (const float[N]){0, 2, -9, 0});
    gnt_fl_undefended_end(&u, (const float[N]){0}, (const float[N]){1, 1, 0, 0}, 0, 1);
    assert_true(gnt_treatment_masks_cancel(&u.round, 1, &says));
    assert_non_null(strstr(says.text, "cancels in their sum"));
    gnt_fl_undefended_free(&u);
    play(&u, (const float[N]){2, 0, 9, 0}, (const float[N]){0, 2, 0, -9}); /* as independent ones do */
    gnt_fl_undefended_end(&u, (const float[N]){0}, (const float[N]){1, 1, 0, 0}, 0, 1);
    close_to(u.round.left, u.round.added);
    assert_false(gnt_treatment_masks_cancel(&u.round, 1, &says));
    gnt_fl_undefended_free(&u);
    play(&u, (const float[N]){0, 0, 0, 0}, (const float[N]){0, 0, 0, 0}); /* what is left out is no mask */
    gnt_fl_undefended_end(&u, (const float[N]){0}, (const float[N]){1, 1, 0, 0}, 0, 1);
    assert_false(gnt_treatment_masks_cancel(&u.round, 1, &says));
    assert_false(gnt_treatment_masks_cancel(NULL, 0, &says));
    gnt_fl_undefended_free(&u);
}

/* Ten clients of a hundred entries: `senders` send their update, `times` as long, and the others noise of
 * that norm. */
static gnt_fl_round shout(int senders, float times, float noise) {
    enum { CLIENTS = 10, LONG = 100 };
    gnt_fl_undefended u = {0};
    gnt_err err = {0};
    double cosine, ratio;
    const float old[LONG] = {0};
    const gnt_key key = gnt_key_of_seed(6);
    gnt_stream random = gnt_stream_open(&key, "updates");
    assert_int_equal(gnt_fl_undefended_open(&u, LONG, &err), 0);
    gnt_fl_undefended_begin(&u, 0);
    for (int k = 0; k < CLIENTS; k++) {
        float sent[LONG];
        for (int i = 0; i < LONG; i++) {
            u.update[i] = (float)gnt_random_normal(&random) / 10;
            sent[i] = k < senders ? times * u.update[i] : noise * (float)gnt_random_normal(&random) / 10;
        }
        gnt_fl_undefended_add(&u, sent, 0.1, &cosine, &ratio);
    }
    gnt_fl_undefended_end(&u, old, old, 0, 1);
    const gnt_fl_round round = u.round;
    gnt_fl_undefended_free(&u);
    return round;
}

/* Nobody sends little where all send noise, or all their update, or where those that send little are not
 * small, so that the model pays for it. */
static void a_few_that_send_for_all_are_marked(void **state) {
    (void)state;
    gnt_err says = {0};
    gnt_fl_round few = shout(3, 8, 0.5f), zeros = shout(3, 8, 0), half = shout(5, 8, 0.5f),
                 loud = shout(3, 1, 1), noise = shout(0, 0, 1), all = shout(10, 0.1f, 0);
    const gnt_fl_totals none = {0};
    assert_int_equal(few.clients, 10);
    assert_int_equal(few.little, 7);
    assert_true(gnt_treatment_few_send(&few, 1, &none, &says));
    assert_non_null(strstr(says.text, "of the 10 updates of observed rounds 7"));
    assert_int_equal(zeros.little, 7);
    assert_int_equal(half.little, 5);
    assert_false(gnt_treatment_few_send(&half, 1, &none, &says));
    assert_int_equal(loud.little + noise.little + all.little, 0);
    few.clients = few.little = 7;
    assert_false(gnt_treatment_few_send(&few, 1, &none, &says));
}

/* Ten rounds, in `sending` of which the update is sent five times as long, and in the others its last entry
 * alone. */
static void a_few_rounds_that_send_for_all_are_marked(void **state) {
    enum { LONG = 50, ALL = 10 };
    (void)state;
    for (int sending = 2; sending <= ALL; sending += 4) {
        gnt_err says = {0};
        gnt_fl_added a = {0};
        assert_int_equal(gnt_fl_added_open(&a, LONG, &says), 0);
        for (int r = 0; r < ALL; r++) {
            float before[LONG], after[LONG] = {0};
            for (int i = 0; i < LONG; i++)
                before[i] = (float)((i * 7 + r * 3) % 11 - 5);
            for (int i = r < sending ? 0 : LONG - 1; i < LONG; i++)
                after[i] = r < sending ? 5 * before[i] : before[i];
            gnt_fl_added_client(&a, before, after, 1, 0);
            gnt_fl_added_end_round(&a);
        }
        const gnt_fl_totals t = gnt_fl_added_totals(&a);
        assert_int_equal(t.updates, ALL);
        assert_int_equal(t.little, ALL - sending);
        assert_int_equal(gnt_treatment_few_send(NULL, 0, &t, &says), sending == 2);
        gnt_fl_added_free(&a);
    }
}

/* Sixteen rounds, in every second of which the last entries are sent alone, ten of 480, or the
 * update an eighth as long. Round `observed` is observed. Returns what is said of it; "": nothing. */
static const char *send_in_turn(int observed, int alone, gnt_fl_totals *t) {
    enum { LONG = 480, ALL = 16 };
    static gnt_err says;
    gnt_fl_added a = {0};
    says = (gnt_err){0};
    assert_int_equal(gnt_fl_added_open(&a, LONG, &says), 0);
    for (int r = 0; r < ALL; r++) {
        float before[LONG], after[LONG];
        for (int i = 0; i < LONG; i++) {
            before[i] = (float)((i * 7 + r * 3) % 11 - 5);
            after[i] = r % 2 ? before[i] : !alone ? before[i] / 8 : i >= LONG - 10 ? before[i] : 0;
        }
        gnt_fl_added_client(&a, before, after, 1, r == observed);
        gnt_fl_added_end_round(&a);
    }
    *t = gnt_fl_added_totals(&a);
    gnt_fl_added_free(&a);
    return gnt_treatment_few_send(NULL, 0, t, &says) ? says.text : "";
}

/* Half of the updates is not most of them, but what is observed must not be of the quiet half. An update that
 * was only made smaller may be. */
static void an_update_that_was_withheld_is_marked(void **state) {
    (void)state;
    gnt_fl_totals t;
    assert_non_null(strstr(send_in_turn(4, 1, &t), "of the 1 observed updates 1 hold next to nothing"));
    assert_int_equal(t.little, 8);
    assert_string_equal(send_in_turn(5, 1, &t), "");
    assert_string_equal(send_in_turn(4, 0, &t), "");
    assert_int_equal(t.little, 8);
    assert_int_equal(t.withheld, 0);
}

/* Sixteen updates. Those of odd rounds have four large entries, and the `kept` largest are sent; those of
 * even rounds have none, and the `quiet` largest are sent. An even one is observed. Returns how many sent
 * little. */
static int32_t prune_updates(int kept, int quiet) {
    enum { LONG = 480, ALL = 16 };
    gnt_err says = {0};
    gnt_fl_added a = {0};
    assert_int_equal(gnt_fl_added_open(&a, LONG, &says), 0);
    for (int r = 0; r < ALL; r++) {
        float before[LONG], after[LONG] = {0};
        for (int i = 0; i < LONG; i++) /* the first entries are all that matters in one update of two */
            before[i] = r % 2 ? (i < 4 ? 10 : 0.01f) : 1 - (float)i / LONG / 2;
        for (int i = 0; i < (r % 2 ? kept : quiet); i++)
            after[i] = before[i];
        gnt_fl_added_client(&a, before, after, 1, r == ALL - 2);
        gnt_fl_added_end_round(&a);
    }
    const gnt_fl_totals t = gnt_fl_added_totals(&a);
    assert_int_equal(t.withheld, t.little > 0);
    assert_int_equal(gnt_treatment_few_send(NULL, 0, &t, &says), t.little > 0);
    gnt_fl_added_free(&a);
    return t.little;
}

/* The same number of entries holds much of one update and next to nothing of another. */
static void a_pruned_update_was_not_withheld(void **state) {
    (void)state;
    assert_int_equal(prune_updates(4, 4), 0);
    assert_int_equal(prune_updates(4, 2), 0);
    assert_int_equal(prune_updates(4, 1), 8); /* fewer entries than the others */
}

static void a_server_that_knows_more_is_marked(void **state) {
    (void)state;
    gnt_err says = {0};
    gnt_fl_round r = {.aggregated = 1, .sent = 0.1, .server = 0.31};
    assert_true(gnt_treatment_server_knows_more(&r, 1, &says));
    r.server = 0.29;
    assert_false(gnt_treatment_server_knows_more(&r, 1, &says));
    r = (gnt_fl_round){.aggregated = 0, .sent = 0.1, .server = 1}; /* the host's own mean */
    assert_false(gnt_treatment_server_knows_more(&r, 1, &says));
}

/* Marked is a round whose step takes a twentieth of what is usual, of something else than updates. */
static void a_round_that_is_ignored_is_marked(void **state) {
    (void)state;
    gnt_err says = {0};
    const gnt_fl_totals all = {.step = 4, .received = 16}, none = {0};
    gnt_fl_round r = {.aggregated = 1, .sent = 0.1, .taken = 0.025};
    assert_true(gnt_treatment_is_ignored(&r, 1, &all, &says));
    assert_non_null(strstr(says.text, "in 1 of 1 observed rounds"));
    assert_false(gnt_treatment_is_ignored(&r, 1, &none, &says));
    r.sent = 0.9; /* a rate that falls */
    assert_false(gnt_treatment_is_ignored(&r, 1, &all, &says));
    r = (gnt_fl_round){.aggregated = 1, .sent = 0.1, .taken = 0.1}; /* noise */
    assert_false(gnt_treatment_is_ignored(&r, 1, &all, &says));
    r = (gnt_fl_round){.aggregated = 0, .sent = 0.1};
    assert_false(gnt_treatment_is_ignored(&r, 1, &all, &says));
}

static void what_is_taken_back_is_marked(void **state) {
    (void)state;
    enum { ROUNDS = 8 };
    const float plain[N] = {1, 0, 0, 0};
    gnt_err says = {0};
    for (int back = 0; back < 2; back++) {
        gnt_fl_added a = {0};
        assert_int_equal(gnt_fl_added_open(&a, N, &says), 0);
        for (int r = 0; r < ROUNDS; r++) { /* ±5, or 5 in another place each time and once more */
            float sent[N] = {1, 0, 0, 0};
            sent[back ? 1 : r % N] += back && r % 2 ? -5.0f : 5.0f;
            gnt_fl_added_client(&a, plain, sent, 1, 0);
            gnt_fl_added_end_round(&a);
        }
        const gnt_fl_totals t = gnt_fl_added_totals(&a);
        close_to(t.each, 25 * ROUNDS);
        close_to(t.left, back ? 0 : 100 * N);
        assert_int_equal(gnt_treatment_is_taken_back(&t, &says), back);
        gnt_fl_added_free(&a);
    }
}

/* n of 10 in each of 3 rounds are watched; what is recorded of them is `value`. */
static int differs(int what, float watched, int compared, gnt_err *says) {
    gnt_treatment t[30];
    for (int i = 0; i < 30; i++) {
        t[i] = (gnt_treatment){.stratum = i / 10, .observed = i % 10 < 4, .compared = compared};
        for (int k = 0; k < GNT_TREATMENTS; k++)
            t[i].value[k] = 1;
        if (t[i].observed)
            t[i].value[what] = watched;
    }
    return gnt_treatment_differs(t, 30, says);
}

static void those_looked_at_are_like_the_rest(void **state) {
    (void)state;
    gnt_err says = {0};
    for (int what = 0; what < GNT_TREATMENTS; what++) {
        assert_int_equal(differs(what, 1, 1, &says), 0);
        assert_int_equal(differs(what, 0, 1, &says), 1);
    }
    assert_int_equal(differs(GNT_TREATMENT_PLAIN_COSINE, 0, 0, &says), 0); /* not known */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_the_header),
        cmocka_unit_test(a_gradient_points_the_other_way),
        cmocka_unit_test(a_few_that_send_for_all_are_marked),
        cmocka_unit_test(a_few_rounds_that_send_for_all_are_marked),
        cmocka_unit_test(an_update_that_was_withheld_is_marked),
        cmocka_unit_test(a_pruned_update_was_not_withheld),
        cmocka_unit_test(masks_that_cancel_are_marked),
        cmocka_unit_test(a_server_that_knows_more_is_marked),
        cmocka_unit_test(a_round_that_is_ignored_is_marked),
        cmocka_unit_test(what_is_taken_back_is_marked),
        cmocka_unit_test(those_looked_at_are_like_the_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
