/* Bounds on how often an attribute can be inferred: by what is unknown of it alone, and from the cells of a
 * run. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "metric/attacker_bounds.h"
#include "judge/bounds.h"

static void near(double is, double should, double apart) {
    if (!(fabs(is - should) <= apart))
        fail_msg("%.9g, expected %.9g", is, should);
}

static void allow_what_the_theorems_say(void **state) {
    (void)state;
    near(gnt_bound_of_two(1), 0.8065736, 1e-6); /* 1 − 1/(2 log2 6) */
    near(gnt_bound_of_two(0.5), 1 - 0.5 / (2 * log2(12)), 1e-12);
    assert_true(gnt_bound_of_two(0) == 1);
    near(gnt_bound_of_values(1, 2), 0.5, 1e-6);
    near(gnt_bound_of_values(0, 2), 1, 1e-12);
    near(gnt_bound_of_values(log2(7), 7), 1.0 / 7, 1e-6);
    /* a channel that errs in a fifth of cases, evenly over the other three of four values, attains it */
    near(gnt_bound_of_values(-0.8 * log2(0.8) - 0.2 * log2(0.2 / 3), 4), 0.8, 1e-9);
    assert_true(isnan(gnt_bound_of_values(NAN, 2)));
    for (double bits = 0.05; bits < 1; bits += 0.05) /* Fano's is the tighter one */
        assert_true(gnt_bound_of_values(bits, 2) <= gnt_bound_of_two(bits));
}

/* clang-format off */
/* With ' for ". */
#define SETTING(attack, strength)                                                                            \
    "{'task': 't', 'stage': 3, 'defense': 'd', 'mode': 'sweep', 'status': 'ok', 'strength': " strength       \
    ", 'attack': '" attack "', "
#define INFORMATION(nats) "'facts': {'information': " nats "}, "
#define SPLIT(right_0, right_1)                                                                              \
    "'utility': {'measure': 'accuracy', 'value': 0.7, 'by_value': ["                                         \
    "{'n': 100, 'right': " right_0 ", 'labels': [90, 10]}, "                                                 \
    "{'n': 300, 'right': " right_1 ", 'labels': [150, 150]}]}}"
#define INFERRED(balanced, plain)                                                                            \
    "'measures': {'attribute_balanced': {'mean': " balanced "}, 'attribute_accuracy': {'mean': " plain "}}}"
static const char run[] =
    "{'format': 1, 'tasks': [{'id': 't'}], 'defenses': [{'label': 'd', 'plugin': 'd'}],"
    " 'attacks': [{'label': 'a', 'plugin': 'a'}, {'label': 'b', 'plugin': 'b'}], 'cells': ["
    SETTING("a", "0.5") "'seed': 1, " INFORMATION("0.1") SPLIT("80", "200") ", "
    SETTING("b", "0.5") "'seed': 1, " INFORMATION("0.2") SPLIT("80", "200") ", "
    SETTING("b", "0.5") "'seed': 2, " INFORMATION("0.4") SPLIT("90", "270") ", "
    SETTING("a", "0.75") "'seed': 1, 'utility': {'measure': 'accuracy', 'value': 0.7}}], 'groups': ["
    SETTING("a", "0.5") INFERRED("0.6", "0.9") ", "
    SETTING("b", "0.5") INFERRED("0.65", "0.8") "]}";
/* clang-format on */

/* Each training counts once, of attacks the worst. */
static void follow_from_a_run(void **state) {
    (void)state;
    gnt_results r;
    gnt_bound_rows rows;
    gnt_err err = {""};
    char text[sizeof run];
    for (size_t i = 0; i < sizeof run; i++)
        text[i] = run[i] == '\'' ? '"' : run[i];
    if (gnt_results_parse(&r, "results.json", text, strlen(text), &err) != 0 ||
        gnt_bounds(&r, &rows, &err) != 0)
        fail_msg("%s", err.text);
    assert_int_equal(rows.n, 1);
    const gnt_bound_row *w = rows.row;
    assert_int_equal(w->seeds, 2);
    assert_int_equal(w->values, 2);
    near(w->errors, ((0.2 + 1.0 / 3) + (0.1 + 0.1)) / 2, 1e-12);
    near(w->gap, 0.4, 1e-12); /* |0.1 − 0.5| */
    near(w->advantage, 0.3, 1e-12);
    near(w->least_errors, 0.1, 1e-12);
    const double entropy = 0.25 * 2 + 0.75 * log2(4.0 / 3), found = 0.3 / log(2);
    near(w->entropy, entropy, 1e-12);
    near(w->information, found, 1e-12);
    near(w->most_right, gnt_bound_of_two(entropy - found), 1e-12);
    near(w->most_right_fano, gnt_bound_of_values(entropy - found, 2), 1e-12);
    near(w->right, 0.9, 1e-12);
    gnt_bounds_free(&rows);
    gnt_results_free(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allow_what_the_theorems_say),
        cmocka_unit_test(follow_from_a_run),
    };
    return cmocka_run_group_tests_name("bounds", tests, NULL, NULL);
}
