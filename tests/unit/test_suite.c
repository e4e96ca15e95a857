/* Suites and plans: what is filled in, what a cell is called, how many there are and in which order, and what
 * must not depend on how the file was written. Sentences are tested by test_suite_cases. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "match/match.h"
#include "suite/plan.h"
#include "suite_env.h"

static void expand(gnt_plan *p, const gnt_suite *s) {
    gnt_err err = {0};
    if (gnt_plan_make(p, s, &err) != 0)
        fail_msg("%s", err.text);
}

#define SMALL_TASK(more) "{\"id\": \"t\", \"data\": {\"name\": \"glyphs\"}, \"model\": \"mlp\"" more "}"
#define SMALL(task, defenses, more)                                                                          \
    "{\"suite\": \"s\", \"tasks\": [" task "], \"defenses\": [" defenses                                     \
    "], \"attacks\": [{\"attack\": \"dlg\"}]" more "}"

static void defaults_are_the_documented_ones(void **state) {
    (void)state;
    gnt_suite s;
    take_suite(&s, SMALL(SMALL_TASK(""), "{\"defense\": \"prune\"}", ""));
    const gnt_suite_task *t = &s.task[0];
    assert_int_equal(s.seed, 1);
    assert_int_equal(s.n_seeds, 1);
    assert_int_equal(s.seeds[0], 1);
    assert_true(s.seconds == 600);
    assert_int_equal(s.memory_mb, 4096);
    assert_int_equal(s.measures, 0);
    assert_int_equal(t->federated.rounds, 0);
    assert_int_equal(t->federated.clients, 10);
    assert_int_equal(t->federated.batch, 32);
    assert_true(t->federated.rate == 0.1 && t->federated.momentum == 0 && t->federated.participation == 1);
    assert_int_equal(t->federated.training_stats, 1);
    assert_int_equal(t->n_stages, 1);
    assert_int_equal(t->stages[0], 0);
    assert_int_equal(t->observe.surface, GNT_SURFACE_UPDATE);
    assert_int_equal(t->observe.batch, 1);
    assert_int_equal(t->observe.targets, 16);
    assert_int_equal(t->observe.attribute, -1);
    /* glyphs: 6000 train, 1000 test, 1000 public rows */
    assert_int_equal(t->role_rows[GNT_ROLE_TARGETS], 16);
    assert_int_equal(t->role_rows[GNT_ROLE_SHADOW], 0);
    assert_int_equal(t->role_rows[GNT_ROLE_CLIENTS], 6000 - 16);
    assert_int_equal(t->role_rows[GNT_ROLE_TEST], 1000);
    assert_int_equal(t->role_rows[GNT_ROLE_PUBLIC], 1000);
    assert_true(t->first_dense);
    assert_true(t->match.kind == GNT_TARGET_RELATIVE && t->match.target == 0.95 &&
                t->match.tolerance == 0.02);
    /* a strength nobody set is the plugin's default */
    assert_true(s.defense[0].has_fixed && s.defense[0].fixed == 0.9);
    assert_int_equal(s.attack[0].budget, 0);
    gnt_suite_free(&s);
}

static void expected_ids(const gnt_plan *p, const char *const *ids, size_t n) {
    assert_int_equal(p->n, n);
    for (size_t i = 0; i < n; i++)
        assert_string_equal(p->cell[i].id, ids[i]);
}

/* 1 task × 2 stages × (none; prune matched, 0.5, 0.9) × 1 attack × 2 seeds = 16 cells, in the order of the
 * file. */
static void cells_come_in_one_order_with_their_ids(void **state) {
    (void)state;
    static const char *const ids[] = {
        "t/r0/none@none/dlg/s7",   "t/r0/none@none/dlg/s3",   "t/r0/P 1@matched/dlg/s7",
        "t/r0/P 1@matched/dlg/s3", "t/r0/P 1@0.5/dlg/s7",     "t/r0/P 1@0.5/dlg/s3",
        "t/r0/P 1@1e-05/dlg/s7",   "t/r0/P 1@1e-05/dlg/s3",   "t/r4/none@none/dlg/s7",
        "t/r4/none@none/dlg/s3",   "t/r4/P 1@matched/dlg/s7", "t/r4/P 1@matched/dlg/s3",
        "t/r4/P 1@0.5/dlg/s7",     "t/r4/P 1@0.5/dlg/s3",     "t/r4/P 1@1e-05/dlg/s7",
        "t/r4/P 1@1e-05/dlg/s3"};
    gnt_suite s;
    gnt_plan p;
    take_suite(
        &s,
        SMALL(
            SMALL_TASK(
                ", \"federated\": {\"rounds\": 4}, \"stages\": [0, 4], \"observe\": {\"from\": \"probe\"}"),
            "{\"defense\": \"none\"}, {\"defense\": \"prune\", \"match\": true, \"sweep\": [0.50, 0.00001], "
            "\"label\": \"P 1\"}",
            ", \"seeds\": [7, 3]"));
    expand(&p, &s);
    expected_ids(&p, ids, sizeof ids / sizeof *ids);
    assert_int_equal(p.n_na, 0);
    /* 2 stages × 4 settings × 2 seeds */
    assert_true(s.task[0].update_size > 0);
    assert_true(p.update_bytes == 16.0 * 4 * (double)(s.task[0].observe.targets * s.task[0].update_size));
    assert_int_equal(p.cell[2].mode, GNT_MODE_MATCHED);
    assert_int_equal(p.cell[4].mode, GNT_MODE_SWEEP);
    assert_true(p.cell[4].strength == 0.5);
    assert_ptr_equal(gnt_plan_find(&p, "t/r4/P 1@0.5/dlg/s3"), &p.cell[13]);
    assert_null(gnt_plan_find(&p, "t/r4/P 1@0.6/dlg/s3"));
    /* training runs: `none` and two strengths, a seed each; matching: at most what the search may need, and
     * the match itself with both seeds */
    gnt_match_spec spec;
    gnt_err err = {0};
    assert_int_equal(gnt_suite_match_spec(&s, 0, 1, 0.8, NAN, &spec, &err), 0);
    assert_true(fabs(spec.target - 0.95 * 0.8) < 1e-12);
    assert_true(spec.least == 0 && spec.most == 1 && !spec.smaller_is_stronger && !spec.lower_is_better);
    assert_int_equal(p.trainings, 3 * 2);
    assert_int_equal(p.match_trainings, gnt_match_most_trainings(&spec) + 2);
    assert_true(p.match_trainings > 2);
    gnt_plan_free(&p);
    gnt_suite_free(&s);
}

/* u and v are like t and share its training runs. v matches another target, whose search trains for
 * itself. */
static void trainings_that_tasks_share_count_once(void **state) {
    (void)state;
    gnt_suite s;
    gnt_plan p;
    gnt_match_spec spec;
    take_suite(
        &s,
        SMALL(
            SMALL_TASK(", \"federated\": {\"rounds\": 4}, \"stages\": [4], \"observe\": {\"from\": "
                       "\"probe\"}") ",{\"id\": \"u\", \"like\": \"t\", \"observe\": {\"from\": \"probe\"}},"
                                     "{\"id\": \"v\", \"like\": \"t\", \"observe\": {\"from\": \"probe\"}, "
                                     "\"match\": {\"target\": "
                                     "{\"relative\": 0.8}}}",
            "{\"defense\": \"none\", \"tasks\": [\"t\", \"v\"]}, {\"defense\": \"prune\", \"match\": true, "
            "\"sweep\": [0.5]}, {\"defense\": \"prune\", \"label\": \"late\", \"sweep\": [0.5, 0.9], "
            "\"tasks\": [\"u\", \"v\"]}",
            ", \"seeds\": [1, 2, 3]"));
    expand(&p, &s);
    assert_int_equal(gnt_suite_match_spec(&s, 0, 1, NAN, NAN, &spec, NULL), 0);
    assert_int_equal(p.trainings, (1 + 1 + 2) * 3);
    assert_int_equal(p.match_trainings, 2 * (gnt_match_most_trainings(&spec) + 3));
    gnt_plan_free(&p);
    gnt_suite_free(&s);
}

static void untrained_tasks_need_no_training(void **state) {
    (void)state;
    gnt_suite s;
    gnt_plan p;
    take_suite(&s, SMALL(SMALL_TASK(""), "{\"defense\": \"prune\", \"sweep\": [0.1, 0.2]}", ""));
    expand(&p, &s);
    assert_int_equal(p.n, 2);
    assert_int_equal(p.trainings, 0);
    assert_int_equal(p.match_trainings, 0);
    gnt_plan_free(&p);
    gnt_suite_free(&s);
}

/* A pair that does not fit anywhere is not trained for: prune changes updates, the task shows encodings. */
static void what_cannot_run_is_not_trained(void **state) {
    (void)state;
    gnt_suite s;
    gnt_plan p;
    take_suite(&s, SMALL(SMALL_TASK(", \"federated\": {\"rounds\": 4}, \"observe\": {\"from\": \"probe\", "
                                    "\"surface\": \"encoding\"}"),
                         "{\"defense\": \"prune\", \"match\": true}", ""));
    expand(&p, &s);
    assert_int_equal(p.n, 1);
    assert_int_equal(p.n_na, 1);
    assert_non_null(p.cell[0].reason);
    assert_int_equal(p.trainings + p.match_trainings, 0);
    assert_true(p.update_bytes == 0);
    gnt_plan_free(&p);
    gnt_suite_free(&s);
}

static void grants_are_what_is_granted_there_and_wanted(void **state) {
    (void)state;
    gnt_suite s;
    gnt_plan p;
    take_suite(
        &s,
        "{\"suite\": \"s\", \"tasks\": [" SMALL_TASK(
            "") "], \"defenses\": [{\"defense\": \"none\"}], \"attacks\": "
                "[{\"attack\": \"invert-gradients\", \"grants\": [\"bn_stats\", \"labels\", \"rates\"]}]}");
    expand(&p, &s);
    /* the plugin does not care for rates, and an mlp has no batch norm */
    assert_null(p.cell[0].reason);
    assert_int_equal(p.cell[0].grants, GNT_KNOWS_LABELS);
    assert_int_equal(p.cell[0].goals, GNT_GOAL_RECONSTRUCTION);
    gnt_plan_free(&p);
    gnt_suite_free(&s);
}

/* A defense without a strength is a defense; its ids are those of before it had a mode of its own. */
static void no_strength_is_not_no_defense(void **state) {
    (void)state;
    gnt_suite s;
    gnt_plan p;
    take_suite(&s, SMALL(SMALL_TASK(""), "{\"defense\": \"soteria\"}, {\"defense\": \"none\"}", ""));
    expand(&p, &s);
    assert_int_equal(p.cell[0].mode, GNT_MODE_AS_IS);
    assert_string_equal(p.cell[0].id, "t/r0/soteria@none/dlg/s1");
    assert_int_equal(p.cell[1].mode, GNT_MODE_NONE);
    gnt_plan_free(&p);
    gnt_suite_free(&s);
}

/* 317 strengths × 316 seeds are 100,172 cells; 316 × 316 are 99,856. */
static char *large_suite(int strengths, int seeds) {
    gnt_text t;
    gnt_text_init(&t, 1 << 20);
    gnt_text_add(&t, "{\"suite\": \"s\", \"tasks\": [" SMALL_TASK(
                         "") "], \"defenses\": [{\"defense\": \"prune\", \"sweep\": [");
    for (int i = 0; i < strengths; i++)
        gnt_text_add(&t, "%s0.%04d", i ? "," : "", i + 1);
    gnt_text_add(&t, "]}], \"attacks\": [{\"attack\": \"dlg\"}], \"seeds\": [");
    for (int i = 0; i < seeds; i++)
        gnt_text_add(&t, "%s%d", i ? "," : "", i);
    gnt_text_add(&t, "]}");
    return gnt_text_take(&t);
}

/* ---- a baseline's strengths ---- */

static const char matched_suite[] =
    SMALL(SMALL_TASK(", \"federated\": {\"rounds\": 2}, \"stages\": [1], \"observe\": {\"from\": \"probe\"}"),
          "{\"defense\": \"none\"}, {\"defense\": \"prune\", \"match\": true, \"sweep\": [0.5]}", "");

static int add_baseline(gnt_suite *s, const char *task, const char *defense, double strength, gnt_err *err) {
    assert_int_equal(gnt_suite_begin_baseline(s, err), 0);
    return gnt_suite_add_baseline(s, "old.json", task, defense, strength, err);
}

static void a_baselines_strength_is_one_more_setting(void **state) {
    (void)state;
    static const char *const with[] = {"t/r1/none@none/dlg/s1", "t/r1/prune@matched/dlg/s1",
                                       "t/r1/prune@0.5/dlg/s1", "t/r1/prune@baseline/dlg/s1"};
    gnt_suite s;
    gnt_plan p;
    gnt_err err = {0};
    take_suite(&s, matched_suite);
    assert_int_equal(gnt_suite_begin_baseline(&s, &err), 0);
    expand(&p, &s);
    expected_ids(&p, with, 3);
    const int64_t trainings = p.trainings;
    gnt_plan_free(&p);
    assert_int_equal(add_baseline(&s, "t", "prune", 0.25, &err), 0);
    expand(&p, &s);
    expected_ids(&p, with, 4);
    assert_int_equal(p.cell[3].mode, GNT_MODE_SWEEP);
    assert_true(p.cell[3].strength == 0.25 && p.cell[3].at_baseline);
    assert_int_equal(p.trainings, trainings + 1);
    gnt_plan_free(&p);
    gnt_suite_free(&s);
}

/* A baseline may have a defense that is not matched here, a failed search, a strength that the sweep has. */
static void a_baseline_may_have_what_the_suite_has_not(void **state) {
    (void)state;
    static const struct {
        const char *task, *defense;
        double strength;
    } entries[] = {{"", "", 0.25},       {"u", "prune", 0.25}, {"t", "none", 0.25},
                   {"t", "mixup", 0.25}, {"t", "prune", NAN},  {"t", "prune", 0.5}};
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        gnt_suite s;
        gnt_plan p;
        gnt_err err = {0};
        take_suite(&s, matched_suite);
        assert_int_equal(add_baseline(&s, entries[i].task, entries[i].defense, entries[i].strength, &err), 0);
        expand(&p, &s);
        assert_int_equal(p.n, 3);
        gnt_plan_free(&p);
        gnt_suite_free(&s);
    }
}

static void a_strength_out_of_range_is_refused(void **state) {
    (void)state;
    gnt_suite s;
    gnt_err err = {0};
    take_suite(&s, matched_suite);
    assert_int_equal(add_baseline(&s, "t", "prune", 1.5, &err), -1);
    assert_non_null(
        strstr(err.text, "old.json: prune was matched on t at 1.5, which is no longer a valid strength"));
    gnt_suite_free(&s);
}

static void a_plan_has_a_limit(void **state) {
    (void)state;
    gnt_suite s;
    gnt_plan p;
    gnt_err err = {0};
    char *text = large_suite(317, 316);
    take_suite(&s, text);
    assert_int_equal(gnt_plan_make(&p, &s, &err), -1);
    assert_non_null(strstr(err.text, "expands to 100172 cells, more than 100000"));
    gnt_suite_free(&s);
    gnt_free(text);
    text = large_suite(316, 316);
    take_suite(&s, text);
    expand(&p, &s);
    assert_int_equal(p.n, 316 * 316);
    gnt_plan_free(&p);
    gnt_suite_free(&s);
    gnt_free(text);
}

static void a_fixed_strength_is_one_of_the_parameters(void **state) {
    (void)state;
    gnt_suite s;
    take_suite(
        &s,
        SMALL(
            SMALL_TASK(""),
            "{\"defense\": [\"mixup\", \"quantise\"], \"params\": [{\"k\": 6}, {}], \"swept\": \"quantise\", "
            "\"strength\": 4}, {\"defense\": \"quantise\", \"params\": {\"bits\": 4}}",
            ""));
    const gnt_suite_defense *d = s.defense;
    assert_string_equal(d[0].plugin, "mixup+quantise");
    assert_string_equal(d[0].label, "mixup+quantise");
    assert_int_equal(d[0].swept, 1);
    assert_string_equal(d[0].member[0].params, "{\"k\":6}");
    assert_string_equal(d[0].member[1].params, "{\"bits\":4}");
    assert_true(d[0].has_fixed && d[0].fixed == 4);
    /* written as a parameter or as the strength: the same */
    assert_string_equal(d[1].member[0].params, "{\"bits\":4}");
    assert_true(d[1].has_fixed && d[1].fixed == 4);
    gnt_suite_free(&s);
}

static void writing_style_changes_nothing(void **state) {
    (void)state;
    gnt_suite a, b;
    take_suite(&a, SMALL(SMALL_TASK(""),
                         "{\"defense\": \"dp-gaussian\", \"params\": {\"clip\": 1, \"norm\": \"max\"}}", ""));
    take_suite(&b,
               "{ \"attacks\": [{\"attack\": \"dlg\"}],\n \"defenses\": [{\"params\": {\"norm\": \"max\", "
               "\"clip\": 1.0}, "
               "\"defense\": \"dp-gaussian\"}], \"tasks\": [{\"model\": \"mlp\", \"data\": {\"name\": "
               "\"glyphs\"}, \"id\": "
               "\"t\"}], \"suite\": \"s\"}");
    assert_string_equal(a.digest, b.digest);
    assert_string_equal(a.defense[0].member[0].params, b.defense[0].member[0].params);
    assert_memory_equal(&a.key, &b.key, sizeof a.key);
    gnt_suite_free(&a);
    take_suite(&a, SMALL(SMALL_TASK(""), "{\"defense\": \"dp-gaussian\"}", ", \"seed\": 2"));
    assert_memory_not_equal(&a.key, &b.key, sizeof a.key);
    gnt_suite_free(&a);
    gnt_suite_free(&b);
}

/* A leaderboard compares runs whose tasks share their digest: adding a defense keeps it, changing what is
 * measured does not. */
static void a_tasks_digest_is_of_what_is_measured(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int same;
    } other[] = {
        {SMALL(SMALL_TASK(""),
               "{\"defense\": \"none\"}, {\"defense\": \"prune\", \"params\": {\"share\": 0.5}}", ""),
         1},
        {SMALL("{\"model\": \"mlp\", \"data\": {\"name\": \"glyphs\"}, \"id\": \"t\"}",
               "{\"defense\": \"prune\"}", ", \"title\": \"other\""),
         1},
        {SMALL(SMALL_TASK(""), "{\"defense\": \"prune\"}", ", \"seeds\": [1, 2]"), 0},
        {SMALL(SMALL_TASK(""), "{\"defense\": \"prune\"}", ", \"seed\": 2"), 0},
        {SMALL(SMALL_TASK(""), "{\"defense\": \"prune\"}", ", \"match\": {\"tolerance\": 0.1}"), 0},
        {SMALL(SMALL_TASK(", \"observe\": {\"targets\": 4}"), "{\"defense\": \"prune\"}", ""), 0},
        {SMALL("{\"id\": \"t\", \"data\": {\"name\": \"glyphs\", \"test\": 9}, \"model\": \"mlp\"}",
               "{\"defense\": \"prune\"}", ""),
         0}};
    gnt_suite a;
    take_suite(&a, SMALL(SMALL_TASK(""), "{\"defense\": \"prune\"}", ""));
    assert_int_equal(strlen(a.task[0].digest), GNT_HEX_SIZE - 1);
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        gnt_suite b;
        take_suite(&b, other[i].text);
        if ((strcmp(a.task[0].digest, b.task[0].digest) == 0) != other[i].same)
            fail_msg("%s: the task's digest is %s", other[i].text, other[i].same ? "another" : "the same");
        gnt_suite_free(&b);
    }
    gnt_suite_free(&a);
}

static void a_key_file_is_the_key(void **state) {
    (void)state;
    gnt_suite s;
    static const uint8_t key[32] = {0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa,
                                    0xbb, 0xcc, 0xdd, 0xee, 0xff, 0x00, 0x11, 0x22, 0x33, 0x44, 0x55,
                                    0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff};
    take_suite(&s, SMALL(SMALL_TASK(""), "{\"defense\": \"none\"}", ", \"key_file\": \"whole.key\""));
    assert_true(s.secret);
    assert_memory_equal(s.key.b, key, 32);
    gnt_suite_free(&s);
    /* with a purpose: BLAKE2b-256 of it, under that of "key_for" under the key of the file */
    static const uint8_t derived[32] = {0xa4, 0xcb, 0x7a, 0x70, 0xb0, 0xbd, 0x16, 0x8c, 0x87, 0x7c, 0xaf,
                                        0x27, 0x70, 0xce, 0xe3, 0xee, 0x40, 0x9b, 0x1e, 0x91, 0x10, 0x18,
                                        0x36, 0x23, 0x53, 0xad, 0xf7, 0x09, 0xd5, 0x4b, 0x8e, 0x9f};
    take_suite(&s, SMALL(SMALL_TASK(""), "{\"defense\": \"none\"}",
                         ", \"key_file\": \"whole.key\", \"key_for\": \"a submission\""));
    assert_true(s.secret);
    assert_memory_equal(s.key.b, derived, 32);
    gnt_suite_free(&s);
}

static void a_task_opens_its_data_and_model(void **state) {
    (void)state;
    gnt_suite s;
    gnt_err err = {0};
    gnt_data *data = NULL;
    gnt_model *model = NULL;
    take_suite(
        &s, SMALL("{\"id\": \"t\", \"data\": {\"name\": \"glyphs\", \"rows\": {\"train\": 30, \"test\": 7, "
                  "\"public\": 3}, "
                  "\"target_rows\": [4, 2], \"target_part\": \"test\"}, \"model\": \"lenet\", \"width\": "
                  "0.5, \"init\": {\"kind\": "
                  "\"uniform\", \"bound\": 0.25}, \"normalise\": {\"mean\": [0.5], \"deviation\": [0.25]}}",
                  "{\"defense\": \"none\"}", ""));
    const gnt_suite_task *t = &s.task[0];
    assert_non_null(strstr(t->model_json, "\"init\":{\"bound\":0.25,\"kind\":\"uniform\"}"));
    assert_non_null(strstr(t->model_json, "\"width\":0.5}"));
    assert_true(t->width == 0.5);
    assert_string_equal(t->model_path, "models/lenet.json");
    assert_int_equal(t->role_rows[GNT_ROLE_TARGETS], 2);
    assert_int_equal(t->role_rows[GNT_ROLE_TEST], 5); /* all that the targets leave */
    assert_int_equal(gnt_suite_open_data(t, NULL, &data, &err), 0);
    assert_int_equal(data->part[GNT_PART_TEST], 7);
    assert_int_equal(data->classes, t->facts.classes);
    assert_int_equal(gnt_suite_open_model(t, &model, &err), 0);
    assert_int_equal(gnt_model_classes(model), 10);
    gnt_model_free(model);
    gnt_data_free(data);
    gnt_suite_free(&s);
}

static void the_plan_as_json_is_json(void **state) {
    (void)state;
    gnt_suite s;
    gnt_plan p;
    gnt_doc doc;
    gnt_err err = {0};
    take_suite(&s, SMALL(SMALL_TASK(", \"federated\": {\"rounds\": 2}, \"observe\": {\"from\": \"probe\"}"),
                         "{\"defense\": \"prune\", \"match\": true, \"sweep\": [0.25], \"label\": \"Prüne\"}",
                         ""));
    expand(&p, &s);
    char *json = gnt_plan_json(&p, &s), *again = gnt_plan_json(&p, &s);
    assert_string_equal(json, again);
    assert_int_equal(gnt_doc_parse(&doc, "plan.json", json, strlen(json), &err), 0);
    const json_t *cells = json_object_get(doc.root, "cells");
    assert_int_equal(json_array_size(cells), p.n);
    const json_t *matched = json_array_get(cells, 0), *swept = json_array_get(cells, 1);
    assert_string_equal(json_string_value(json_object_get(matched, "cell")), "t/r2/Prüne@matched/dlg/s1");
    assert_true(json_is_null(json_object_get(matched, "strength")));
    assert_true(json_number_value(json_object_get(swept, "strength")) == 0.25);
    assert_string_equal(json_string_value(json_object_get(swept, "status")), "planned");
    gnt_doc_free(&doc);
    gnt_free(json);
    gnt_free(again);
    char *text = gnt_plan_text(&p, &s);
    assert_non_null(strstr(text, "t/r2/Prüne@0.25/dlg/s1\n"));
    assert_non_null(strstr(text, "s: 2 cells on 1 task: 2 to run, 0 n/a\n"));
    gnt_free(text);
    gnt_plan_free(&p);
    gnt_suite_free(&s);
}

/* A strength whose logarithmic scale begins at 0 can still be searched. */
static void a_search_scale_never_begins_at_zero(void **state) {
    (void)state;
    gnt_suite s;
    gnt_err err = {0};
    gnt_match_spec spec;
    take_suite(&s, SMALL(SMALL_TASK(", \"federated\": {\"rounds\": 2}, \"observe\": {\"from\": \"probe\"}, "
                                    "\"utility\": {\"measure\": \"loss\"}"),
                         "{\"defense\": \"dp-gaussian\", \"match\": true}",
                         ", \"match\": {\"target\": {\"absolute\": 2.5}}"));
    assert_int_equal(gnt_suite_match_spec(&s, 0, 0, NAN, NAN, &spec, &err), 0);
    assert_true(spec.least > 0 && spec.scale == GNT_MATCH_LOG);
    assert_true(spec.lower_is_better && spec.target == 2.5);
    gnt_suite_free(&s);
}

/* The first example of docs/suites.md: 1 task × 2 stages × (1 + 1 + 3) strengths × 2 attacks × 1 seed, and
 * the counts that its dry run is said to end with. */
static void the_documented_example_holds(void **state) {
    (void)state;
    gnt_suite s;
    gnt_plan p;
    gnt_err err = {0};
    uint8_t *bytes = NULL;
    size_t size = 0;
    if (gnt_file_read("docs/suites.md", 1 << 20, &bytes, &size, &err) != 0)
        fail_msg("%s", err.text);
    char *start = strstr((char *)bytes, "```json\n"), *end = start ? strstr(start + 8, "```") : NULL;
    assert_non_null(end);
    *end = 0;
    take_suite(&s, start + 8);
    expand(&p, &s);
    char *text = gnt_plan_text(&p, &s), *counts = strstr(text, "first: 20 cells");
    assert_non_null(counts);
    assert_string_equal(
        counts, "first: 20 cells on 1 task: 20 to run, 0 n/a\ntrainings: 4, and at most 111 for matching\n");
    assert_non_null(strstr(end + 1, counts));
    gnt_free(text);
    gnt_free(bytes);
    gnt_plan_free(&p);
    gnt_suite_free(&s);
}

/* Writes the text into a pipe, from another process: opening one waits for the other end. */
static pid_t write_into(const char *pipe_name, const char *text) {
    const pid_t child = fork();
    if (child == 0) {
        FILE *f = fopen(pipe_name, "w");
        _exit(f && fputs(text, f) >= 0 && fclose(f) == 0 ? 0 : 1);
    }
    return child;
}

/* A pipe must not hold a command that reads somebody else's files; a suite that the user names may be one. */
static void a_suite_is_read_from_a_pipe_if_it_is_given(void **state) {
    (void)state;
    char folder[] = "/tmp/gauntlet-test-XXXXXX";
    gnt_suite s;
    gnt_err err = {0};
    int status = 1;
    assert_non_null(mkdtemp(folder));
    char *pipe_name = gnt_format("%s/suite.json", folder);
    assert_int_equal(mkfifo(pipe_name, 0600), 0);
    assert_int_equal(gnt_suite_load(&s, pipe_name, &env, &err), -1); /* as in the folder of a run */
    assert_non_null(strstr(err.text, "is no regular file; expected a file"));
    pid_t child = write_into(pipe_name, SMALL(SMALL_TASK(""), "{\"defense\": \"none\"}", ""));
    assert_int_equal(gnt_suite_load_given(&s, pipe_name, &env, &err), 0);
    assert_string_equal(s.name, "s");
    gnt_suite_free(&s);
    assert_true(waitpid(child, &status, 0) == child && status == 0);
    child = write_into(pipe_name, "[");
    assert_int_equal(gnt_suite_load_given(&s, pipe_name, &env, &err), -1);
    assert_non_null(strstr(err.text, pipe_name));
    assert_true(waitpid(child, &status, 0) == child);
    unlink(pipe_name);
    rmdir(folder);
    gnt_free(pipe_name);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_the_documented_ones),
        cmocka_unit_test(no_strength_is_not_no_defense),
        cmocka_unit_test(cells_come_in_one_order_with_their_ids),
        cmocka_unit_test(trainings_that_tasks_share_count_once),
        cmocka_unit_test(untrained_tasks_need_no_training),
        cmocka_unit_test(what_cannot_run_is_not_trained),
        cmocka_unit_test(grants_are_what_is_granted_there_and_wanted),
        cmocka_unit_test(a_baselines_strength_is_one_more_setting),
        cmocka_unit_test(a_baseline_may_have_what_the_suite_has_not),
        cmocka_unit_test(a_strength_out_of_range_is_refused),
        cmocka_unit_test(a_plan_has_a_limit),
        cmocka_unit_test(a_fixed_strength_is_one_of_the_parameters),
        cmocka_unit_test(writing_style_changes_nothing),
        cmocka_unit_test(a_key_file_is_the_key),
        cmocka_unit_test(a_tasks_digest_is_of_what_is_measured),
        cmocka_unit_test(a_task_opens_its_data_and_model),
        cmocka_unit_test(the_plan_as_json_is_json),
        cmocka_unit_test(a_search_scale_never_begins_at_zero),
        cmocka_unit_test(the_documented_example_holds),
        cmocka_unit_test(a_suite_is_read_from_a_pipe_if_it_is_given),
    };
    return cmocka_run_group_tests(tests, open_plugins, close_plugins);
}
