/* The gate as a whole, on made-up runs: what is a regression, what a note, and what every format makes of
 * foreign text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>

#include "gate/gate_impl.h"
#include "gate_runs.h"

enum { TARGETS = 8 };

static const made_cell fixed = {"t", "d", "sweep", "a", NULL, 3, 1, 0.5, 0.8};

/* Adds the cell at seeds 1 and 2, the targets' scores being first, first + step, … */
static void add_two(json_t *run, made_cell c, const char *measure, double first, double step) {
    double x[TARGETS];
    for (c.seed = 1; c.seed <= 2; c.seed++) {
        for (int i = 0; i < TARGETS; i++)
            x[i] = first + step * i + 0.01 * c.seed;
        made_add(run, &c, measure, x, TARGETS);
    }
}

static const gnt_gate_finding *only(const made_pair *p) {
    if (p->gate.n_finding != 1) {
        gnt_text text;
        gnt_text_init(&text, 1 << 16);
        gnt_gate_write_text(&p->gate, &text);
        print_error("%s", gnt_text_get(&text));
        gnt_text_free(&text);
        fail_msg("%zu findings where 1 was expected", p->gate.n_finding);
    }
    return &p->gate.finding[0];
}

/* One cell, a measure of `was` and `is`: the one finding's kind, or GNT_GATE_KINDS for none. */
static gnt_gate_kind kind_of_change(const char *measure, double was, double is) {
    json_t *now = made_run(), *before = made_run();
    made_pair p;
    add_two(before, fixed, measure, was, 0.1);
    add_two(now, fixed, measure, is, 0.1);
    made_check(&p, now, before);
    gnt_gate_kind kind = p.gate.n_finding ? only(&p)->kind : GNT_GATE_KINDS;
    made_free(&p);
    return kind;
}

static void test_each_measure_has_its_direction(void **state) {
    (void)state;
    static const char *const higher[] = {"psnr", "ssim", "identification", "label_accuracy",
                                         "attribute_accuracy"};
    static const char *const lower[] = {"mse", "contribution_error", "lpips_alex", "feature_distance",
                                        "representation_mse"};
    for (size_t i = 0; i < sizeof higher / sizeof *higher; i++) {
        assert_int_equal(kind_of_change(higher[i], 5, 7), GNT_GATE_LEAKS_MORE);
        assert_int_equal(kind_of_change(higher[i], 7, 5), GNT_GATE_LEAKS_LESS);
    }
    for (size_t i = 0; i < sizeof lower / sizeof *lower; i++) {
        assert_int_equal(kind_of_change(lower[i], 7, 5), GNT_GATE_LEAKS_MORE);
        assert_int_equal(kind_of_change(lower[i], 5, 7), GNT_GATE_LEAKS_LESS);
    }
    assert_int_equal(kind_of_change("psnr", 5, 5.4), GNT_GATE_KINDS); /* within half a dB */
    assert_int_equal(kind_of_change("psnr", 5, 5), GNT_GATE_KINDS);
}

static void test_tolerances_are_the_suites(void **state) {
    (void)state;
    json_t *now = made_run(), *before = made_run();
    made_pair p;
    add_two(before, fixed, "psnr", 5, 0.1);
    add_two(now, fixed, "psnr", 7, 0.1);
    json_object_set_new(now, "check", json_pack("{s:{s:f}}", "tolerance", "psnr", 3.0));
    made_check(&p, now, before);
    assert_int_equal(p.gate.n_finding, 0);
    assert_float_equal(p.gate.row[0].worse, 2, 1e-6);
    made_free(&p);
}

/* A balanced accuracy counts a target by how rare its class is: of class 0 there are 6 and of class 1 there
 * are 2. Values identified after renaming are counted in the same way. */
static void balanced_by(const char *measure, const char *answer) {
    json_t *run[2] = {made_run(), made_run()};
    double was[TARGETS] = {1, 1, 1, 0, 0, 0, 0, 0}, is[TARGETS] = {1, 1, 1, 0, 0, 0, 1, 1};
    for (int k = 0; k < 2; k++) {
        json_t *cell = made_add(run[k], &fixed, "attribute_accuracy", k ? was : is, TARGETS);
        for (size_t i = 0; i < TARGETS; i++) {
            json_t *one = json_array_get(json_object_get(cell, "targets"), i);
            const int right = (k ? was : is)[i] > 0;
            json_object_set_new(one, "attribute_truth", json_integer(i >= 6));
            json_object_set_new(one, answer, json_integer(right ? i >= 6 : 7));
        }
        json_object_set_new(json_object_get(cell, "measures"), measure, json_pack("{s:f}", "mean", 0.5));
    }
    made_pair p;
    made_check(&p, run[0], run[1]);
    assert_string_equal(p.gate.row[0].measure, measure);
    assert_float_equal(p.gate.row[0].was, 0.25, 1e-12); /* (3/6 + 0/2)/2 */
    assert_float_equal(p.gate.row[0].is, 0.75, 1e-12);  /* (3/6 + 2/2)/2 */
    assert_float_equal(p.gate.row[0].worse, 0.5, 1e-12);
    made_free(&p);
}

static void test_balanced_accuracy_counts_classes_alike(void **state) {
    (void)state;
    balanced_by("attribute_balanced", "attribute_told");
    balanced_by("attribute_relabelled", "attribute_renamed");
}

/* Targets that were observed together flip together. */
static void test_a_batch_is_one_unit(void **state) {
    (void)state;
    json_t *now = made_run(), *before = made_run();
    made_pair p;
    add_two(before, fixed, "psnr", 5, 0.1);
    add_two(now, fixed, "psnr", 7, 0.1);
    json_object_set_new(now, "tasks", json_pack("[{s:s, s:i}]", "id", "t", "batch", 4));
    made_check(&p, now, before);
    assert_int_equal(p.gate.row[0].e.units, 4); /* 2 seeds of 2 batches */
    assert_int_equal(p.gate.row[0].verdict, GNT_GATE_UNABLE);
    assert_int_equal(p.gate.n_finding, 0);
    made_free(&p);
}

/* accuracy falls (1), rises (0); at matched utility neither counts */
static void test_utility_has_its_direction(void **state) {
    (void)state;
    static const struct {
        const char *measure, *mode;
        double was, is;
        gnt_gate_kind kind;
    } cases[] = {{"accuracy", "sweep", 0.8, 0.6, GNT_GATE_COSTS_MORE},
                 {"accuracy", "sweep", 0.6, 0.8, GNT_GATE_CHEAPER},
                 {"loss", "sweep", 0.6, 0.8, GNT_GATE_COSTS_MORE},
                 {"loss", "sweep", 0.8, 0.6, GNT_GATE_CHEAPER},
                 {"accuracy", "matched", 0.8, 0.6, GNT_GATE_KINDS},
                 {"accuracy", "sweep", 0.8, 0.79, GNT_GATE_KINDS}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *run[2] = {made_run(), made_run()};
        made_pair p;
        for (int k = 0; k < 2; k++) {
            made_cell c = fixed;
            c.mode = cases[i].mode;
            c.utility = k ? cases[i].was : cases[i].is;
            add_two(run[k], c, "psnr", 5, 0.1);
            json_t *cell;
            size_t at;
            json_array_foreach(json_object_get(run[k], "cells"), at, cell) json_object_set_new(
                json_object_get(cell, "utility"), "measure", json_string(cases[i].measure));
        }
        made_check(&p, run[0], run[1]);
        assert_int_equal(p.gate.n_finding ? only(&p)->kind : GNT_GATE_KINDS, cases[i].kind);
        made_free(&p);
    }
}

/* Two seeds of 0.04 less, errors of 0.01 each, no scatter: t = (0.04 − 0.01)/(√(4 · 0.01²)/2) = 3, one
 * training of two seeds: two freedoms, P(T > t) = 1/2 − t/(2√(2 + t²)). */
static void test_utility_is_judged_by_its_standard_error(void **state) {
    (void)state;
    json_t *run[2] = {made_run(), made_run()};
    made_pair p;
    for (int k = 0; k < 2; k++) {
        made_cell c = fixed;
        c.utility = k ? 0.8 : 0.76;
        add_two(run[k], c, "psnr", 5, 0.1);
    }
    made_check(&p, run[0], run[1]);
    const gnt_gate_row *row = &p.gate.row[p.gate.n_row - 1];
    assert_int_equal(row->about, GNT_GATE_UTILITY);
    assert_float_equal(row->p, 0.5 - 3 / (2 * sqrt(11)), 1e-6);
    made_free(&p);
}

static gnt_gate_kind kind_of_statuses(const char *was, const char *is, int *code_is_failure) {
    json_t *run[2] = {made_run(), made_run()};
    made_pair p;
    made_cell other = fixed;
    other.attack = "b";
    for (int k = 0; k < 2; k++) {
        made_cell c = fixed;
        const char *status = k ? was : is;
        c.status = status && !strcmp(status, "ok") ? NULL : status;
        add_two(run[k], other, "psnr", 5, 0.1);
        if (status)
            add_two(run[k], c, "psnr", 5, 0.1);
    }
    made_check(&p, run[0], run[1]);
    gnt_gate_kind kind = p.gate.n_finding ? only(&p)->kind : GNT_GATE_KINDS;
    *code_is_failure = p.gate.n_failures > 0;
    made_free(&p);
    return kind;
}

static void test_cells_that_fail_or_go(void **state) {
    (void)state;
    static const struct {
        const char *was, *is;
        gnt_gate_kind kind;
        int failure;
    } cases[] = {{"ok", "failed", GNT_GATE_FAILS_NOW, 1},
                 {"ok", "crashed", GNT_GATE_FAILS_NOW, 1},
                 {"ok", "timeout", GNT_GATE_FAILS_NOW, 1},
                 {"ok", "n/a", GNT_GATE_FAILS_NOW, 1},
                 {"ok", "unfinished", GNT_GATE_FAILS_NOW, 1},
                 {"n/a", "crashed", GNT_GATE_FAILS_NOW, 1},
                 {"ok", NULL, GNT_GATE_MISSING, 1},
                 {"failed", NULL, GNT_GATE_MISSING, 1},
                 {NULL, "ok", GNT_GATE_NEW, 0},
                 {"crashed", "ok", GNT_GATE_WORKS_NOW, 0},
                 {"n/a", "ok", GNT_GATE_WORKS_NOW, 0},
                 {"crashed", "crashed", GNT_GATE_KINDS, 0},
                 {"ok", "ok", GNT_GATE_KINDS, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int failure;
        gnt_gate_kind kind = kind_of_statuses(cases[i].was, cases[i].is, &failure);
        if (kind != cases[i].kind || failure != cases[i].failure)
            fail_msg("case %zu: %s", i, kind < GNT_GATE_KINDS ? gnt_gate_kind_words(kind) : "nothing");
    }
}

static void test_a_number_that_is_gone(void **state) {
    (void)state;
    json_t *now = made_run(), *before = made_run();
    made_pair p;
    add_two(before, fixed, "psnr", 5, 0.1);
    add_two(now, fixed, "ssim", 0.5, 0.01);
    made_check(&p, now, before);
    assert_int_equal(only(&p)->kind, GNT_GATE_NO_NUMBER);
    made_free(&p);
}

/* Two of eight targets of each of six seeds are bare, the others leak a little less: the mean says little,
 * the jumps all. As many that are covered by the same make it nothing. */
static void test_targets_left_bare(void **state) {
    (void)state;
    for (int covered = 0; covered < 2; covered++) {
        json_t *now = made_run(), *before = made_run();
        made_pair p;
        made_cell c = fixed;
        for (c.seed = 1; c.seed <= 6; c.seed++) {
            double is[TARGETS], was[TARGETS];
            for (int i = 0; i < TARGETS; i++) {
                was[i] = 20 + (covered && (i == 4 || i == 5) ? 30 : 0);
                is[i] = i == c.seed % 4 || i == 7 ? 50 : 14 + 3 * ((i * c.seed) % 5);
            }
            made_add(before, &c, "psnr", was, TARGETS);
            made_add(now, &c, "psnr", is, TARGETS);
        }
        made_check(&p, now, before);
        assert_int_equal(p.gate.n_failures, !covered);
        assert_true(covered ? p.gate.row[0].p_jumps > 0.1 : p.gate.row[0].p_jumps < 2.5e-4); /* 2⁻¹² */
        made_free(&p);
    }
}

/* One search and its training runs: at each of n strengths five, of utility[i] and ± 0.01. */
static json_t *match(const char *verdict, double strength, const double *tried, const double *utility,
                     int n) {
    json_t *history = json_array();
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 5; k++)
            json_array_append_new(history, json_pack("{s:f, s:f, s:f, s:i}", "strength", tried[i], "utility",
                                                     utility[i] + 0.01 * (k - 2) * (i % 2 ? 0.7 : -0.5),
                                                     "standard_error", 0.01, "seed", k));
    return json_pack("[{s:s, s:s, s:s, s:f, s:f, s:o}]", "task", "t", "defense", "d", "verdict", verdict,
                     "strength", strength, "utility_none", 0.85, "history", history);
}

/* Two runs of one matched cell at 0.5, 5 dB in both, and their searches. */
static void check_matches(made_pair *p, json_t *is, json_t *was) {
    json_t *now = made_run(), *before = made_run();
    made_cell c = fixed;
    c.mode = "matched";
    add_two(before, c, "psnr", 5, 0.1);
    add_two(now, c, "psnr", 5, 0.1);
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < 2; i++) /* no utility: the histories say all */
            json_object_del(json_array_get(json_object_get(k ? now : before, "cells"), i), "utility");
    json_object_set_new(now, "matches", is);
    json_object_set_new(before, "matches", was);
    made_check(p, now, before);
}

/* A verdict alone is luck of the search, and a note. */
static void test_a_lost_match(void **state) {
    (void)state;
    static const double at[] = {0.1, 0.5}, utility[] = {0.84, 0.77};
    static const struct {
        const char *was, *is;
        gnt_gate_kind kind;
    } cases[] = {{"matched", "unmatched", GNT_GATE_NOT_FOUND},   {"saturated", "n/a", GNT_GATE_UNMATCHED},
                 {"unmatched", "matched", GNT_GATE_MATCHED_NOW}, {"matched", "saturated", GNT_GATE_SATURATED},
                 {"saturated", "matched", GNT_GATE_KINDS},       {"unmatched", "n/a", GNT_GATE_KINDS}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        made_pair p;
        check_matches(&p, match(cases[i].is, 0.5, at, utility, 2), match(cases[i].was, 0.5, at, utility, 2));
        gnt_gate_kind kind = p.gate.n_finding ? only(&p)->kind : GNT_GATE_KINDS;
        if (kind != cases[i].kind)
            fail_msg("%s, was %s", cases[i].is, cases[i].was);
        made_free(&p);
    }
}

/* The same strength leaves more utility than it did, or less; between strengths that were tried it is
 * somewhere between what they leave. */
static void test_what_a_strength_leaves(void **state) {
    (void)state;
    static const double at[] = {0.1, 0.5, 0.9}, as_was[] = {0.84, 0.77, 0.6}, more[] = {0.85, 0.82, 0.7},
                        less[] = {0.8, 0.71, 0.5}, other[] = {0.1, 0.52, 0.9};
    static const struct {
        const double *at, *utility;
        const char *verdict;
        gnt_gate_kind kind;
        int failures;
    } cases[] = {{at, as_was, "matched", GNT_GATE_KINDS, 0},    {other, as_was, "matched", GNT_GATE_KINDS, 0},
                 {at, more, "matched", GNT_GATE_WEAKER, 1},     {other, more, "matched", GNT_GATE_WEAKER, 1},
                 {at, more, "saturated", GNT_GATE_WEAKER, 1},   {at, less, "matched", GNT_GATE_STRONGER, 0},
                 {at, less, "unmatched", GNT_GATE_UNMATCHED, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        made_pair p;
        check_matches(&p, match(cases[i].verdict, cases[i].at[1], cases[i].at, cases[i].utility, 3),
                      match("matched", 0.5, at, as_was, 3));
        gnt_gate_kind kind = p.gate.n_finding ? p.gate.finding[0].kind : GNT_GATE_KINDS;
        if (kind != cases[i].kind || (int)p.gate.n_failures != cases[i].failures)
            fail_msg("case %zu: %s, %zu failures", i,
                     kind < GNT_GATE_KINDS ? gnt_gate_kind_words(kind) : "nothing", p.gate.n_failures);
        made_free(&p);
    }
}

/* Matched cells join whatever their strength. At a stronger one nothing excuses that more leaks; at a weaker
 * one as large a share of what was kept from leaking (55 dB, as long as no defense leaks 60) as the strength
 * gives back of what it cost in utility: here a third, and one standard error. */
static void test_matched_cells_at_another_strength(void **state) {
    (void)state;
    static const double at[] = {0.1, 0.5}, utility[] = {0.84, 0.79}, weaker[] = {0.1, 0.4},
                        stronger[] = {0.1, 0.6}, gives_back[] = {0.84, 0.8};
    static const struct {
        const double *at;
        double leak;
        gnt_gate_kind kind;
    } cases[] = {{stronger, 8, GNT_GATE_LEAKS_MORE},
                 {weaker, 8, GNT_GATE_ALONG_CURVE},
                 {weaker, 50, GNT_GATE_LEAKS_MORE}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *run[2] = {made_run(), made_run()};
        made_pair p;
        for (int k = 0; k < 2; k++) {
            made_cell none = {"t", "none", "none", "a", NULL, 3, 1, 0, 0.85}, c = fixed;
            c.mode = "matched";
            c.strength = k ? cases[i].at[1] : 0.5;
            add_two(run[k], none, "psnr", 59, 0.1);
            add_two(run[k], c, "psnr", k ? cases[i].leak : 5, 0.1);
            for (size_t j = 2; j < 4; j++)
                json_object_del(json_array_get(json_object_get(run[k], "cells"), j), "utility");
            json_object_set_new(
                run[k], "matches",
                match("matched", c.strength, k ? cases[i].at : at, k ? gives_back : utility, 2));
        }
        made_check(&p, run[1], run[0]);
        assert_int_equal(only(&p)->kind, cases[i].kind);
        made_free(&p);
    }
}

/* ---- files that are wrong ---- */

static void refused(json_t *now, json_t *before, const char *says) {
    gnt_results a, b;
    gnt_gate g;
    gnt_err err = {""};
    made_parse(&a, now, "now");
    made_parse(&b, before, "before");
    assert_int_equal(gnt_gate_make(&g, &a, "now", &b, "before", &err), -1);
    if (!strstr(err.text, says))
        fail_msg("\"%s\" does not say \"%s\"", err.text, says);
    gnt_results_free(&a);
    gnt_results_free(&b);
    json_decref(now);
    json_decref(before);
}

static void test_wrong_files_get_a_sentence(void **state) {
    (void)state;
    json_t *run = made_run(), *cell;
    json_object_set_new(run, "suite", json_string("other"));
    refused(run, made_run(), "suite \"other\", before of \"made\"");

    run = made_run();
    add_two(run, fixed, "psnr", 5, 0.1);
    cell = json_array_get(json_object_get(run, "cells"), 0);
    json_object_set_new(cell, "cell", json_string("no slash"));
    refused(run, made_run(), "now: cells[0].cell: expected the id of a cell");

    run = made_run();
    add_two(run, fixed, "psnr", 5, 0.1);
    add_two(run, fixed, "psnr", 5, 0.1);
    refused(made_run(), run, "before: two cells are called \"t/r3/d@0.5/a\" with the seed 1");

    run = made_run();
    json_t *old = made_run();
    double huge[] = {1e300, 1};
    made_add(run, &fixed, "psnr", huge, 2);
    made_add(old, &fixed, "psnr", huge + 1, 1);
    refused(run, old, "scores 1e+300 in psnr");

    static const struct {
        const char *check, *says;
    } wrong[] = {
        {"[]", "check: is an empty list, expected an object"},
        {"{\"alpha\": 0}", "check.alpha: is 0, expected a number from"},
        {"{\"alpha\": \"x\"}", "check.alpha: is \"x\", expected a number from"},
        {"{\"tolerance\": 3}", "check.tolerance: is 3, expected an object"},
        {"{\"tolerance\": {\"psnrr\": 3}}", "\"psnrr\" is not a measure"},
        {"{\"tolerance\": {\"psnr\": -1}}", "check.tolerance.psnr: is -1, expected a number from 0"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        run = made_run();
        json_object_set_new(run, "check", json_loads(wrong[i].check, 0, NULL));
        refused(run, made_run(), wrong[i].says);
    }
}

/* Targets that are no targets are no pairs; what is left is compared or said not to be. */
static void test_odd_targets_do_no_harm(void **state) {
    (void)state;
    static const char *const odd[] = {"[{}, {}]", "[{\"id\": -9223372036854775808, \"psnr\": 1}]",
                                      "[{\"id\": 0, \"psnr\": 1}, {\"id\": 0, \"psnr\": 2}]", "[]", "null"};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        for (int both = 0; both < 2; both++) {
            json_t *now = made_run(), *before = made_run();
            made_pair p;
            add_two(before, fixed, "psnr", 5, 0.1);
            add_two(now, fixed, "psnr", 7, 0.1);
            for (int k = 0; k <= both; k++)
                for (size_t c = 0; c < 2; c++)
                    json_object_set_new(json_array_get(json_object_get(k ? before : now, "cells"), c),
                                        "targets", json_loads(odd[i], JSON_DECODE_ANY, NULL));
            made_check(&p, now, before);
            assert_int_equal(p.gate.n_failures, 0);
            made_free(&p);
        }
}

/* ---- foreign text ---- */

static const char spoil[] =
    "<script>alert(1)</script>]]>%0A::error::x\n::error::y\r\"'&|`\x1b[31m\xef\xbf\xbe\xe2\x80\xae";

/* Every text a file may hold, spoiled, and one finding of each sort. */
static void check_spoiled(made_pair *p) {
    json_t *run[2] = {made_run(), made_run()};
    char task[200], defense[200], attack[200], reason[200];
    snprintf(task, sizeof task, "t%s", spoil);
    snprintf(defense, sizeof defense, "d%s", spoil);
    snprintf(attack, sizeof attack, "a%s", spoil);
    snprintf(reason, sizeof reason, "r%s", spoil);
    for (int k = 0; k < 2; k++) {
        made_cell leaks = {task, defense, "sweep", attack, NULL, 3, 1, 0.5, k ? 0.8 : 0.5}, fails = leaks,
                  gone = leaks;
        fails.attack = "fails";
        fails.status = k ? NULL : "crashed";
        gone.attack = k ? "gone" : "new";
        json_object_set_new(run[k], "suite", json_string(spoil));
        json_object_set_new(run[k], "title", json_string(spoil));
        json_object_set_new(run[k], "suite_digest", json_string(k ? "x" : spoil));
        add_two(run[k], leaks, "psnr", k ? 5 : 9, 0.1);
        add_two(run[k], fails, "psnr", 5, 0.1);
        add_two(run[k], gone, "psnr", 5, 0.1);
        json_object_set_new(run[k], "matches",
                            json_pack("[{s:s, s:s, s:s, s:s}]", "task", task, "defense", defense, "verdict",
                                      k ? "matched" : spoil, "reason", reason));
        json_t *cell;
        size_t at;
        json_array_foreach(json_object_get(run[k], "cells"), at, cell) {
            json_object_set_new(cell, "reason", json_string(reason));
            char id[1000];
            snprintf(id, sizeof id, "%s/r3/%s@0.5/%s/s%d", task, defense,
                     json_string_value(json_object_get(cell, "attack")),
                     (int)json_integer_value(json_object_get(cell, "seed")));
            json_object_set_new(cell, "cell", json_string(id));
        }
    }
    made_check(p, run[0], run[1]);
    assert_int_equal(p->gate.n_failures, 5); /* leaks, costs, fails, gone, no verdict known */
    assert_int_equal(p->gate.n_finding, 7);  /* new; another suite file */
}

static char *written(const made_pair *p, void (*write)(const gnt_gate *, gnt_text *)) {
    gnt_text text;
    gnt_text_init(&text, 1 << 24);
    write(&p->gate, &text);
    assert_false(text.failed);
    return gnt_text_take(&text);
}

static void no_controls(const char *text) {
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20 && *c != '\n')
            fail_msg("control character %d at \"%.40s\"", *c, c);
    assert_null(strstr(text, "\xe2\x80\xae")); /* turns text around */
}

static size_t lines_of(const char *text) {
    size_t n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

/* Tags that open and close in turn, attributes in quotes, nothing but &…; where a & may be. */
static void is_xml(const char *text) {
    char open[16][64];
    size_t depth = 0;
    for (const char *c = text; *c; c++) {
        if (*c == '&' && strncmp(c, "&amp;", 5) && strncmp(c, "&lt;", 4) && strncmp(c, "&gt;", 4) &&
            strncmp(c, "&quot;", 6) && strncmp(c, "&#39;", 5))
            fail_msg("a bare & at \"%.40s\"", c);
        assert_true(*c != '>');
        if (*c != '<')
            continue;
        const char *end = c + 1;
        for (int quoted = 0; *end && (quoted || *end != '>'); end++) {
            assert_true(*end != '<');
            quoted ^= *end == '"';
        }
        assert_true(*end == '>');
        size_t n = strcspn(c + 1 + (c[1] == '/'), " />?");
        assert_true(n < 64 && depth < 16);
        if (c[1] == '/') {
            assert_true(depth > 0);
            assert_int_equal(strncmp(open[depth - 1], c + 2, n), 0);
            depth--;
        } else if (c[1] != '?' && end[-1] != '/') {
            memcpy(open[depth], c + 1, n);
            open[depth++][n] = 0;
        }
        c = end;
    }
    assert_int_equal(depth, 0);
}

static void test_foreign_text_stays_text(void **state) {
    (void)state;
    made_pair p;
    check_spoiled(&p);
    char *text = written(&p, gnt_gate_write_text);
    no_controls(text);
    assert_int_equal(lines_of(text), 7 + 3); /* two headings and the summary */
    free(text);

    text = written(&p, gnt_gate_write_github);
    no_controls(text);
    assert_int_equal(lines_of(text), 8);
    for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
        assert_true(!strncmp(line, "::error title=", 14) || !strncmp(line, "::notice title=", 15));
        assert_null(memmem(line, strcspn(line, "\n"), "%0A", 3)); /* the % of foreign text is %25 */
    }
    assert_non_null(strstr(text, "%250A"));
    free(text);

    text = written(&p, gnt_gate_write_markdown);
    no_controls(text);
    assert_null(strchr(text, '<'));
    for (const char *c = text; (c = strpbrk(c, "`[")) != NULL; c++)
        assert_true(c[-1] == '\\');
    for (const char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        size_t bars = 0, n = strcspn(line, "\n");
        for (size_t i = 0; i < n; i++)
            bars += line[i] == '|' && (i == 0 || line[i - 1] != '\\');
        assert_true(bars == 0 || bars == 4);
    }
    free(text);

    text = written(&p, gnt_gate_write_junit);
    no_controls(text);
    assert_null(strstr(text, "]]>"));
    assert_null(strstr(text, "\xef\xbf\xbe"));
    is_xml(text);
    free(text);

    text = written(&p, gnt_gate_write_json);
    json_t *all = json_loads(text, 0, NULL);
    assert_non_null(all);
    assert_string_equal(json_string_value(json_object_get(all, "suite")), spoil);
    assert_int_equal(json_array_size(json_object_get(all, "failures")), 5);
    json_decref(all);
    free(text);
    made_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_measure_has_its_direction),
                                       cmocka_unit_test(test_tolerances_are_the_suites),
                                       cmocka_unit_test(test_balanced_accuracy_counts_classes_alike),
                                       cmocka_unit_test(test_a_batch_is_one_unit),
                                       cmocka_unit_test(test_utility_has_its_direction),
                                       cmocka_unit_test(test_utility_is_judged_by_its_standard_error),
                                       cmocka_unit_test(test_cells_that_fail_or_go),
                                       cmocka_unit_test(test_a_number_that_is_gone),
                                       cmocka_unit_test(test_targets_left_bare),
                                       cmocka_unit_test(test_a_lost_match),
                                       cmocka_unit_test(test_what_a_strength_leaves),
                                       cmocka_unit_test(test_matched_cells_at_another_strength),
                                       cmocka_unit_test(test_wrong_files_get_a_sentence),
                                       cmocka_unit_test(test_odd_targets_do_no_harm),
                                       cmocka_unit_test(test_foreign_text_stays_text)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
