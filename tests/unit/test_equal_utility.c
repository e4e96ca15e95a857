/* Curves out of a results.json: which cells make one, at which utility and leakage it is read, in known
 * answers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/text.h"
#include "judge/equal_utility.h"

typedef struct cell {
    const char *defense, *mode;
    double strength; /* 0: null */
    int seed;
    const char *status;
    double utility, psnr;
} cell;

static void add_outcome(gnt_text *t, const cell *c, int first) {
    gnt_text_add(
        t,
        "%s{\"task\": \"t\", \"stage\": 2, \"defense\": \"%s\", \"attack\": \"a\", \"mode\": \"%s\", "
        "\"status\": \"%s\", \"seed\": %d, \"utility\": {\"measure\": \"accuracy\", \"value\": %.9g}, "
        "\"measures\": {\"psnr\": {\"mean\": %.9g, \"low\": 0, \"high\": 99}}, \"floors\": {\"psnr\": "
        "{\"mean_image\": 10}}, \"strength\": ",
        first ? "" : ", ", c->defense, c->mode, c->status, c->seed, c->utility, c->psnr);
    if (c->strength > 0)
        gnt_text_add(t, "%.9g}", c->strength);
    else
        gnt_text_add(t, "null}");
}

/* Groups are the cells of seed 1, which is all that is read of them here. */
static void read_all(gnt_results *r, const cell *c, size_t n, const char *task) {
    gnt_err err;
    gnt_text t;
    gnt_text_init(&t, 1 << 20);
    gnt_text_add(
        &t,
        "{\"format\": 1, \"suite\": \"s\", \"tasks\": [{\"id\": \"t\"%s}], \"matches\": [{\"task\": \"t\", "
        "\"defense\": \"d\", \"verdict\": \"matched\", \"target\": 0.8, \"tolerance\": 0.02}], \"cells\": [",
        task);
    for (size_t i = 0; i < n; i++)
        add_outcome(&t, &c[i], i == 0);
    gnt_text_add(&t, "], \"groups\": [");
    for (size_t i = 0, any = 0; i < n; i++)
        if (c[i].seed == 1)
            add_outcome(&t, &c[i], !any++);
    gnt_text_add(&t, "]}");
    if (gnt_results_parse(r, "results.json", gnt_text_get(&t), t.size, &err) != 0)
        fail_msg("%s", err.text);
    gnt_text_free(&t);
}

static const cell curve[] = {
    {"none", "none", 0, 1, "ok", 0.92, 50},    {"none", "none", 0, 2, "ok", 0.92, 50},
    {"d", "matched", 0.2, 1, "ok", 0.83, 24},  {"d", "matched", 0.2, 2, "ok", 0.83, 26},
    {"d", "sweep", 0.9, 1, "ok", 0.5, 12},     {"d", "sweep", 0.9, 2, "ok", 0.5, 12},
    {"d", "sweep", 0.1, 1, "ok", 0.9, 40},     {"d", "sweep", 0.1, 2, "ok", 0.9, 40},
    {"d", "sweep", 0.3, 1, "ok", 0.77, 18},    {"d", "sweep", 0.3, 2, "ok", 0.77, 20},
    {"d", "sweep", 0.25, 1, "failed", 0.1, 1}, {"d", "sweep", 0.25, 2, "crashed", 0.1, 1},
    {"lone", "matched", 7, 1, "ok", 0.81, 15}, {"lone", "matched", 7, 2, "ok", 0.8, 16},
};
enum { CURVE = sizeof curve / sizeof *curve };

/* At .8, half of the way from .83 (25 dB) to .77 (19 dB): 22 dB; cells that failed and other strengths
 * do not matter. Seed 1 alone gives 23, seed 2 alone 21 (each is the curve without the other): the error
 * is 1, and t of one degree of freedom 12.7062. */
static void leakage_at_the_target(void **state) {
    (void)state;
    gnt_results r;
    gnt_equal_rows rows;
    read_all(&r, curve, CURVE, "");
    assert_int_equal(gnt_equal_utility(&r, &rows, NULL), 0);
    assert_int_equal(rows.n, 2);
    const gnt_equal_row *d = &rows.row[0], *lone = &rows.row[1];
    assert_string_equal(d->defense, "d");
    assert_true(d->at == 0.8 && d->stage == 2 && d->found.verdict == GNT_EQUAL_FOUND);
    assert_true(fabs(d->found.value - 22) < 1e-6 && d->from == 0.2 && d->to == 0.3);
    assert_true(fabs(d->found.error - 1) < 1e-6 && fabs(d->found.high - 22 - 12.7062) < 1e-3);
    assert_true(d->found.strengths == 4 && d->found.seeds == 2);
    assert_true(lone->found.verdict == GNT_EQUAL_NO_CURVE && isnan(lone->found.value));
    gnt_equal_free(&rows);
    gnt_results_free(&r);
}

/* Between the floor of 10 and the undefended 50: 30 at half of the way, 20 at a quarter. */
static void utility_at_a_leakage(void **state) {
    (void)state;
    static const struct {
        const char *task;
        double at, utility;
    } expected[] = {{"", 30, 0.83 + 0.07 * 5 / 15},
                    {", \"equal_leakage\": 0.25", 20, 0.77 + 0.06 / 6},
                    {", \"equal_leakage\": 7", 30, 0.83 + 0.07 * 5 / 15}};
    for (size_t i = 0; i < 3; i++) {
        gnt_results r;
        gnt_equal_rows rows;
        read_all(&r, curve, CURVE, expected[i].task);
        assert_int_equal(gnt_equal_leakage(&r, &rows, NULL), 0);
        assert_int_equal(rows.n, 2);
        assert_true(fabs(rows.row[0].at - expected[i].at) < 1e-9);
        assert_true(fabs(rows.row[0].found.value - expected[i].utility) < 1e-9);
        gnt_equal_free(&rows);
        gnt_results_free(&r);
    }
}

/* A row for each share: 15, 20 and 45, of which the last lies between no strengths. */
static void utility_at_several_leakages(void **state) {
    (void)state;
    static const double at[] = {15, 20, 45}, utility[] = {0.5 + 0.27 * 3 / 7, 0.77 + 0.06 / 6, NAN};
    gnt_results r;
    gnt_equal_rows rows;
    read_all(&r, curve, CURVE, ", \"equal_leakage\": [0.125, 0.25, 0.875]");
    assert_int_equal(gnt_equal_leakage(&r, &rows, NULL), 0);
    assert_int_equal(rows.n, 6);
    for (int i = 0; i < 3; i++) {
        const gnt_equal_row *d = &rows.row[i];
        assert_string_equal(d->defense, "d");
        assert_true(fabs(d->at - at[i]) < 1e-9 && rows.row[3 + i].at == d->at);
        assert_true(isnan(utility[i]) ? isnan(d->found.value) : fabs(d->found.value - utility[i]) < 1e-9);
    }
    gnt_equal_free(&rows);
    gnt_results_free(&r);
}

static void a_result_gets_both(void **state) {
    (void)state;
    gnt_results r;
    read_all(&r, curve, CURVE, "");
    assert_int_equal(gnt_equal_fill(r.own, &r, NULL), 0);
    const gnt_result_equal *d = &r.own->equal_utility.at[0], *lone = &r.own->equal_utility.at[1];
    assert_true(d->utility == 0.8 && fabs(d->leakage - 22) < 1e-6);
    assert_true(d->reason == gnt_no_text && isnan(lone->leakage));
    assert_string_equal(lone->reason, "only one strength was measured");
    assert_true(r.own->equal_leakage.at[0].leakage == 30);
    gnt_results_free(&r);
}

/* Without a target there is nothing to read at. */
static void without_a_target(void **state) {
    (void)state;
    static const char text[] = "{\"format\": 1, \"suite\": \"s\", \"cells\": [], \"groups\": []}";
    gnt_results r;
    gnt_equal_rows rows;
    assert_int_equal(gnt_results_parse(&r, "results.json", text, sizeof text - 1, NULL), 0);
    assert_int_equal(gnt_equal_utility(&r, &rows, NULL), 0);
    assert_int_equal(rows.n, 0);
    gnt_equal_free(&rows);
    gnt_results_free(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leakage_at_the_target),
        cmocka_unit_test(utility_at_a_leakage),
        cmocka_unit_test(utility_at_several_leakages),
        cmocka_unit_test(a_result_gets_both),
        cmocka_unit_test(without_a_target),
    };
    return cmocka_run_group_tests_name("equal_utility", tests, NULL, NULL);
}
