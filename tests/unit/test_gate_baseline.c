/* Cells at the strength at which the baseline matched a defense: what they are compared with, and what is
 * made of them. How often such a check errs is simulated by test_gate_matched. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>

#include "gate/gate_impl.h"
#include "gate_runs.h"

enum { TARGETS = 8, SEEDS = 3, ATTEMPTS = 8 };

/* Utility falls by 0.1 for each factor 10 of the strength; whole thousandths, the same for nobody. */
static double utility_at(double strength, int replicate) {
    return 0.7 - 0.1 * log10(strength) + 0.002 * ((7 * replicate) % 5 - 2);
}

/* A search that tried 1, 10 and 100 and ended at `strength`. */
static void add_match(json_t *run, double strength, const char *verdict) {
    static const double tried[] = {1, 10, 100};
    json_t *history = json_array();
    for (int i = 0; i < ATTEMPTS; i++) {
        const double at = i < 3 ? tried[i] : strength;
        json_array_append_new(history, json_pack("{s:f, s:f, s:f, s:i}", "strength", at, "utility",
                                                 utility_at(at, i), "standard_error", 0.002, "seed", i));
    }
    json_array_append_new(json_object_get(run, "matches"),
                          json_pack("{s:s, s:s, s:f, s:f, s:s, s:s, s:f, s:f, s:f, s:b, s:o}", "task", "t",
                                    "defense", "d", "target", 0.6, "tolerance", 0.05, "verdict", verdict,
                                    "reason", "", "strength", strength, "utility", 0.6, "utility_none", 0.9,
                                    "confirmed", 1, "history", history));
}

/* The cells of all seeds at a strength: leaking so many dB, `more` of utility above its curve; by the name in
 * their ids. */
static void add_cells(json_t *run, const char *name, double strength, double leak, double more,
                      const char *status) {
    double x[TARGETS];
    for (int seed = 1; seed <= SEEDS; seed++) {
        char id[100];
        for (int i = 0; i < TARGETS; i++)
            x[i] = leak + 0.3 * i + 0.02 * ((3 * i + seed) % 7);
        json_t *cell = made_add(run,
                                &(made_cell){"t", "d", !strcmp(name, "matched") ? "matched" : "sweep", "a",
                                             status, 3, seed, strength, utility_at(strength, seed) + more},
                                "psnr", x, status ? 0 : TARGETS);
        snprintf(id, sizeof id, "t/r3/d@%s/a/s%d", name, seed);
        json_object_set_new(cell, "cell", json_string(id));
        json_object_set_new(json_object_get(cell, "utility"), "standard_error", json_real(0.002));
    }
}

/* The baseline: matched at 10, leaking 20 dB. */
static json_t *baseline(void) {
    json_t *run = made_run();
    add_match(run, 10, "matched");
    add_cells(run, "matched", 10, 20, 0, NULL);
    return run;
}

/* A run that was matched at 30, where it leaks 20 dB too. */
static json_t *turned_up(void) {
    json_t *run = made_run();
    add_match(run, 30, "matched");
    add_cells(run, "matched", 30, 20, 0, NULL);
    return run;
}

static size_t count(const gnt_gate *g, gnt_gate_kind kind) {
    size_t n = 0;
    for (size_t i = 0; i < g->n_finding; i++)
        n += g->finding[i].kind == kind;
    return n;
}

static const gnt_gate_finding *find(const gnt_gate *g, gnt_gate_kind kind) {
    for (size_t i = 0; i < g->n_finding; i++)
        if (g->finding[i].kind == kind)
            return &g->finding[i];
    fail_msg("there is no finding \"%s\"", gnt_gate_kind_words(kind));
    return NULL;
}

static void test_a_search_hides_what_the_same_strength_shows(void **state) {
    (void)state;
    made_pair p;
    made_check(&p, turned_up(), baseline());
    assert_int_equal(p.gate.n_failures, 0);
    assert_int_equal(p.gate.elsewhere, 1);
    made_free(&p);

    json_t *now = turned_up();
    add_cells(now, "baseline", 10, 26, 0, NULL);
    made_check(&p, now, baseline());
    assert_int_equal(p.gate.n_failures, 1);
    assert_int_equal(p.gate.elsewhere, 0);
    assert_string_equal(find(&p.gate, GNT_GATE_LEAKS_MORE)->place, "t/r3/d@baseline/a");
    assert_non_null(
        strstr(find(&p.gate, GNT_GATE_LEAKS_MORE)->text, "; at strength 10, where the baseline was matched"));
    made_free(&p);
}

/* A sweep that happens to have the strength does as well. */
static void test_a_sweep_at_that_strength_is_as_good(void **state) {
    (void)state;
    json_t *now = turned_up();
    made_pair p;
    add_cells(now, "10", 10, 26, 0, NULL);
    made_check(&p, now, baseline());
    assert_string_equal(find(&p.gate, GNT_GATE_LEAKS_MORE)->place, "t/r3/d@10/a");
    assert_int_equal(p.gate.n_finding, 1);
    made_free(&p);
}

/* What leaks at matched strengths that are others says nothing in addition: neither more nor less. */
static void test_other_strengths_are_not_compared_besides(void **state) {
    (void)state;
    json_t *now = made_run();
    made_pair p;
    add_match(now, 3, "matched");
    add_cells(now, "matched", 3, 30, 0, NULL);
    add_cells(now, "baseline", 10, 20, 0, NULL);
    made_check(&p, now, baseline());
    assert_int_equal(p.gate.n_finding, 0);
    made_free(&p);
}

/* Utility at the strength: more is a weaker mechanism; less is a worse trade, unless less leaks for it. */
static void test_utility_at_that_strength(void **state) {
    (void)state;
    static const struct {
        double leak, more;
        gnt_gate_kind kind;
    } cases[] = {{20, 0, GNT_GATE_KINDS},
                 {20, 0.05, GNT_GATE_WEAKER},
                 {20, -0.05, GNT_GATE_COSTS_MORE},
                 {14, -0.05, GNT_GATE_STRONGER}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *now = turned_up();
        made_pair p;
        add_cells(now, "baseline", 10, cases[i].leak, cases[i].more, NULL);
        made_check(&p, now, baseline());
        assert_int_equal(p.gate.n_finding, (i > 0) + (cases[i].leak < 20));
        if (i > 0)
            assert_int_equal(count(&p.gate, cases[i].kind), 1);
        made_free(&p);
    }
}

/* A defense that cannot work at its old strength any more. */
static void test_a_cell_that_fails_there_is_newly_failing(void **state) {
    (void)state;
    json_t *now = turned_up();
    made_pair p;
    add_cells(now, "baseline", 10, 0, 0, "crashed");
    made_check(&p, now, baseline());
    assert_string_equal(find(&p.gate, GNT_GATE_FAILS_NOW)->place, "t/r3/d@baseline/a");
    made_free(&p);
}

/* Cells at the strength of a baseline before this one, in either run or in both: neither new nor missing,
 * nor compared with each other. */
static void test_another_baselines_strength_is_passed_over(void **state) {
    (void)state;
    for (int which = 1; which <= 3; which++) {
        json_t *now = turned_up(), *before = baseline();
        made_pair p;
        if (which & 1)
            add_cells(now, "baseline", 5, 40, 0, NULL);
        if (which & 2)
            add_cells(before, "baseline", 7, 23, 0, NULL);
        made_check(&p, now, before);
        assert_int_equal(p.gate.n_finding, 0);
        made_free(&p);
    }
}

/* The same where the run was matched at the baseline's strength: the matched cells themselves are
 * compared. */
static void test_at_the_same_match_the_matched_cells_count(void **state) {
    (void)state;
    json_t *now = baseline();
    made_pair p;
    add_cells(now, "baseline", 10, 20, 0, NULL);
    made_check(&p, now, baseline());
    assert_int_equal(p.gate.n_finding, 0);
    assert_int_equal(p.gate.tested, 0);
    made_free(&p);
}

/* A search draws replicates of its own (run_search_seed), so that its training 0 is not the one of the
 * first seed: at 10 there are 6 of the search and 3 of the cells. */
static void test_searches_and_cells_have_other_replicates(void **state) {
    (void)state;
    json_t *made = baseline();
    gnt_results r;
    gate_curve c;
    gnt_err err = {""};
    made_parse(&r, made, "run");
    json_decref(made);
    assert_int_equal(gate_curve_make(&c, &r, &r.match[0], NAN, &err), 0);
    assert_int_equal(gate_curve_level(&c, 10)->n, 1 + (ATTEMPTS - 3) + SEEDS);
    gate_curve_free(&c);
    gnt_results_free(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_search_hides_what_the_same_strength_shows),
                                       cmocka_unit_test(test_a_sweep_at_that_strength_is_as_good),
                                       cmocka_unit_test(test_other_strengths_are_not_compared_besides),
                                       cmocka_unit_test(test_utility_at_that_strength),
                                       cmocka_unit_test(test_a_cell_that_fails_there_is_newly_failing),
                                       cmocka_unit_test(test_another_baselines_strength_is_passed_over),
                                       cmocka_unit_test(test_at_the_same_match_the_matched_cells_count),
                                       cmocka_unit_test(test_searches_and_cells_have_other_replicates)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
