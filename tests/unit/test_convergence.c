/* When a search counts as cut off by its budget, on curves written by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/text.h"
#include "results/convergence.h"

/* The costs of steps 0 … n − 1: cost = first · factor^step down to `floor`. */
static char *curve_text(size_t n, double first, double factor, double floor) {
    gnt_text t;
    gnt_text_init(&t, 1 << 16);
    gnt_text_add(&t, "[");
    for (size_t i = 0; i < n; i++)
        gnt_text_add(&t, "%s[%zu, %.9g]", i ? ", " : "", i, fmax(floor, first * pow(factor, (double)i)));
    gnt_text_add(&t, "]");
    char *text = gnt_strdup(gnt_text_get(&t));
    gnt_text_free(&t);
    return text;
}

static void what_still_falls_is_starved(void **state) {
    (void)state;
    static const struct {
        size_t n;
        double first, factor, floor;
        int starved, done;
    } cases[] = {
        {101, 1, 0.97, 0, 1, 0},   /* falls to 0.74 of what it was over the last ten steps */
        {101, 1, 0.995, 0, 0, 0},  /* to 0.95 */
        {101, 1, 0.97, 0.5, 0, 0}, /* came to rest long before */
        {101, 1, 0.5, 1e-9, 0, 1}, /* done */
        {101, 1000, 0.9, 0, 1, 0}, /* 2.7e-5 of the first, and still on its way */
        {7, 1, 0.5, 0, 0, 0},      /* too short to tell */
        {101, 0, 0.5, 0, 0, 1},    /* nothing to do */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = curve_text(cases[i].n, cases[i].first, cases[i].factor, cases[i].floor);
        json_t *points = json_loads(text, 0, NULL);
        if (gnt_convergence_is_starved(points) != cases[i].starved ||
            gnt_convergence_is_done(points) != cases[i].done)
            fail_msg("case %zu", i);
        json_decref(points);
        gnt_free(text);
    }
    json_t *odd = json_loads("[1, [2], [3, \"x\"], [], {}, null, [4, 5], [5, null], [6, 1]]", 0, NULL);
    assert_int_equal(gnt_convergence_is_starved(odd), 0);
    assert_int_equal(gnt_convergence_is_starved(NULL), 0);
    assert_int_equal(gnt_convergence_is_done(odd), 0);
    assert_int_equal(gnt_convergence_is_done(NULL), 0);
    json_decref(odd);
}

/* Of two targets the best restarts count: the second's first restart was still falling when it gave way. */
static void the_best_restart_of_each_target_counts(void **state) {
    (void)state;
    char *falls = curve_text(40, 1, 0.9, 0), *rests = curve_text(40, 1, 0.5, 0.001);
    char *text = gnt_format("{\"format\": 1, \"groups\": [{\"task\": \"t\", \"defense\": \"d\", \"attack\": "
                            "\"a\", \"mode\": \"none\", "
                            "\"status\": \"ok\"}], \"cells\": [{\"task\": \"t\", \"defense\": \"d\", "
                            "\"attack\": \"a\", \"mode\": "
                            "\"none\", \"status\": \"ok\", \"seed\": 1, \"convergence\": [{\"target\": 0, "
                            "\"restart\": 0, \"points\": "
                            "%s}, {\"target\": 1, \"restart\": 0, \"points\": %s}, {\"target\": 1, "
                            "\"restart\": 1, \"points\": %s}, "
                            "{\"target\": 2, \"restart\": 0, \"points\": %s}]}]}",
                            falls, falls, rests, rests);
    gnt_results r;
    gnt_err err = {""};
    if (gnt_results_parse(&r, "results.json", text, strlen(text), &err))
        fail_msg("%s", err.text);
    assert_int_equal(gnt_is_starved(&r, &r.group[0]), 0);
    gnt_results_free(&r);
    char *at = strstr(text, "{\"target\": 2");
    at[strlen("{\"target\": ")] = '0'; /* of target 0 the second curve is the better one */
    assert_int_equal(gnt_results_parse(&r, "results.json", text, strlen(text), &err), 0);
    assert_int_equal(gnt_is_starved(&r, &r.group[0]), 0);
    gnt_results_free(&r);
    gnt_free(text);
    text = gnt_format(
        "{\"format\": 1, \"groups\": [{\"task\": \"t\", \"defense\": \"d\", \"attack\": \"a\", \"mode\": "
        "\"none\", \"status\": \"ok\"}], \"cells\": [{\"task\": \"t\", \"defense\": \"d\", \"attack\": "
        "\"a\", \"mode\": \"none\", \"status\": \"ok\", \"seed\": 1, \"convergence\": [{\"target\": 0, "
        "\"points\": %s}, {\"target\": 1, \"points\": %s}]}]}",
        falls, rests);
    assert_int_equal(gnt_results_parse(&r, "results.json", text, strlen(text), &err), 0);
    assert_int_equal(gnt_is_starved(&r, &r.group[0]), 1); /* half of them */
    gnt_results_free(&r);
    gnt_free(text);
    gnt_free(falls);
    gnt_free(rests);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_still_falls_is_starved),
                                       cmocka_unit_test(the_best_restart_of_each_target_counts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
