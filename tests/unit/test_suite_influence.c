/* Attacks on the influence of updates, which a suite with a server that aggregates gets in addition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "suite/plan.h"
#include "suite_env.h"

static int parse(gnt_suite *s, const char *observe, const char *attacks, gnt_err *err) {
    char *text =
        gnt_format("{\"suite\": \"s\", \"tasks\": [{\"id\": \"t\", \"data\": {\"name\": \"glyphs\"}, "
                   "\"model\": \"mlp\", \"federated\": {\"rounds\": 12}%s}], \"defenses\": "
                   "[{\"defense\": \"none\"}, {\"defense\": \"trimmed-mean\"}], \"attacks\": [%s]}",
                   observe, attacks);
    const int rc = parse_suite(s, text, err);
    gnt_free(text);
    return rc;
}

static void take(gnt_suite *s, const char *observe, const char *attacks) {
    gnt_err err = {0};
    if (parse(s, observe, attacks, &err) != 0)
        fail_msg("%s", err.text);
}

/* In the round, against the defense that aggregates, and against no other. */
static void servers_that_aggregate_are_attacked_twice(void **state) {
    (void)state;
    gnt_err err = {0};
    gnt_suite s;
    gnt_plan p;
    take(&s, "", "{\"attack\": \"dlg\", \"label\": \"a\"}");
    assert_int_equal(s.n_attacks, 2);
    assert_string_equal(s.attack[1].label, "a on influence");
    assert_string_equal(s.attack[1].influence_of, "a");
    assert_int_equal(gnt_plan_make(&p, &s, &err), 0);
    assert_int_equal(p.n,
                     3 * 3 * s.n_seeds); /* rounds × (none/a, trimmed-mean/a, trimmed-mean/a on influence) */
    for (size_t i = 0; i < p.n; i++)
        assert_true(p.cell[i].attack == 0 || p.cell[i].defense == 1);
    gnt_plan_free(&p);
    gnt_suite_free(&s);
}

/* Three drawn rounds: 8 updates in all are measured, the same number in each; of 31 rounds one each. */
static void some_updates_of_each_round_are_measured(void **state) {
    (void)state;
    gnt_suite s;
    take(&s, "", "{\"attack\": \"dlg\"}");
    assert_int_equal(gnt_suite_influences(&s.task[0]), 2);
    gnt_suite_free(&s);
    take(&s, ", \"observe\": {\"targets\": 1}", "{\"attack\": \"dlg\"}");
    assert_int_equal(gnt_suite_influences(&s.task[0]), 1);
    gnt_suite_free(&s);
    take(&s, ", \"stages\": [0, 1, 2, 3, 4, 5, 6, 7, 8]", "{\"attack\": \"dlg\"}");
    assert_int_equal(gnt_suite_influences(&s.task[0]), 1);
    gnt_suite_free(&s);
}

static void a_probe_has_no_influence(void **state) {
    (void)state;
    gnt_suite s;
    take(&s, ", \"observe\": {\"from\": \"probe\"}", "{\"attack\": \"dlg\"}");
    assert_int_equal(s.n_attacks, 1);
    gnt_suite_free(&s);
}

static void its_label_is_taken(void **state) {
    (void)state;
    gnt_err err = {0};
    gnt_suite s;
    assert_int_equal(
        parse(&s, "", "{\"attack\": \"dlg\"}, {\"attack\": \"dlg\", \"label\": \"dlg on influence\"}", &err),
        -1);
    assert_non_null(strstr(err.text, "attacks[1]"));
    assert_non_null(strstr(err.text, "which an attack on influence has"));
}

/* Starting points are of all targets, of which the first are attacked. */
static void it_starts_where_the_attack_starts(void **state) {
    (void)state;
    gnt_suite s;
    env.files_may_lack = 1;
    take(&s, "", "{\"attack\": \"dlg\", \"start\": \"/points.safetensors\"}");
    env.files_may_lack = 0;
    assert_string_equal(s.attack[1].start, s.attack[0].start);
    gnt_suite_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(servers_that_aggregate_are_attacked_twice),
        cmocka_unit_test(some_updates_of_each_round_are_measured),
        cmocka_unit_test(a_probe_has_no_influence),
        cmocka_unit_test(its_label_is_taken),
        cmocka_unit_test(it_starts_where_the_attack_starts),
    };
    return cmocka_run_group_tests(tests, open_plugins, close_plugins);
}
