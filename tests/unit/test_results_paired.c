/* Differences between two groups of cells: scores of the same targets and utilities of the same seeds, pair
 * by pair, and which group is compared with which. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "judge/paired.h"
#include "judge/judge.h"

/* A group of a defense under an attack, and a cell of it: of the cell its seed, utility, ids of targets and
 * their PSNR. */
#define PLACE                                                                                                \
    "\"task\": \"%s\", \"stage\": 0, \"defense\": \"%s\", \"strength\": %s, \"mode\": \"%s\", \"attack\": "  \
    "\"%s\", "
static const char group_of[] = "{" PLACE "\"status\": \"ok\", \"n_cells\": 2, \"n_ok\": 2, \"measures\": {}}";
static const char cell_of[] =
    "{\"cell\": \"c%d\", " PLACE
    "\"status\": \"ok\", \"seed\": %d, \"measures\": {}, \"utility\": {\"measure\": "
    "\"iou\", \"value\": %g, \"beside\": {\"recall\": {\"value\": %g}}}, "
    "\"targets\": [%s]}";

typedef struct place {
    const char *task, *defense, *strength, *mode, *attack;
} place;

static const place known = {"t", "lrp", "1", "fixed", "known"};
static const place learnt = {"t", "lrp", "1", "fixed", "learnt"};
static const place alone = {"t", "lrp", "1", "fixed", "alone"};
static const place weak = {"t", "uniform", "1", "sweep", "known"};
static const place strong = {"t", "uniform", "2", "sweep", "known"};
static const place of_none = {"t", "none", "null", "none", "known"};
static const place elsewhere = {"u", "lrp", "1", "fixed", "known"};
static const place matched = {"t", "lrp", "3", "matched", "known"};
static const place matched_too = {"t", "uniform", "7", "matched", "known"};
static const place *const groups[] = {&known,   &learnt,    &alone,   &weak,       &strong,
                                      &of_none, &elsewhere, &matched, &matched_too};

/* Between attacks seed 1 has differences 2 and 4, one target without a number and one that only "known" met;
 * seed 2 has 5 and 9, in another order; seed 3 has no other cell. */
static const struct made {
    const place *of;
    int seed;
    double utility, recall;
    const char *targets;
} made[] = {
    {&known, 1, 0.5, 0.7,
     "{\"id\": 0, \"psnr\": 12}, {\"id\": 1, \"psnr\": 24}, {\"id\": 2, \"psnr\": 30}, {\"id\": 3, \"psnr\": "
     "9}"},
    {&known, 2, 0.25, 0.5, "{\"id\": 0, \"psnr\": 15}, {\"id\": 1, \"psnr\": 29}"},
    {&known, 3, 0.75, 0.75, "{\"id\": 0, \"psnr\": 60}"},
    {&learnt, 1, 0.5, 0.7,
     "{\"id\": 0, \"psnr\": 10}, {\"id\": 1, \"psnr\": 20}, {\"id\": 2, \"psnr\": null}"},
    {&learnt, 2, 0.25, 0.5, "{\"id\": 1, \"psnr\": 20}, {\"id\": 0, \"psnr\": 10}"},
    {&alone, 4, 0.5, 0.5, "{\"id\": 0, \"psnr\": 1}"},
    {&weak, 2, 0.5, 0.25, "{\"id\": 0, \"psnr\": 14}"},
    {&weak, 3, 0.5, 0.25, "{\"id\": 0, \"psnr\": 58}"}};

static void write_run(FILE *f) {
    fputs("{\"format\": 1, \"suite\": \"s\", \"title\": \"t\", \"groups\": [", f);
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        const place *g = groups[i];
        fputs(i ? ", " : "", f);
        fprintf(f, group_of, g->task, g->defense, g->strength, g->mode, g->attack);
    }
    fputs("], \"cells\": [", f);
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        const struct made *c = &made[i];
        const place *g = c->of;
        fputs(i ? ", " : "", f);
        fprintf(f, cell_of, (int)i, g->task, g->defense, g->strength, g->mode, g->attack, c->seed, c->utility,
                c->recall, c->targets);
    }
    fputs("]}", f);
}

static gnt_results load(void) {
    gnt_results r;
    gnt_err err = {{0}};
    char path[] = "/tmp/test_paired_XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *f = fdopen(fd, "w");
    assert_non_null(f);
    write_run(f);
    assert_int_equal(fclose(f), 0);
    if (gnt_results_load(&r, path, &err) != 0)
        fail_msg("%s", err.text);
    unlink(path);
    return r;
}

static const gnt_outcome *group(const gnt_results *r, const place *of) {
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (groups[i] == of)
            return &r->group[i];
    return NULL;
}

/* Training runs count once each: means 3 and 7. Student's interval of two: 5 ± 12.706·2. */
static void pairs_are_of_one_seed_and_one_target(void **state) {
    (void)state;
    gnt_results r = load();
    const gnt_measure *psnr = gnt_measure_find("psnr");
    const gnt_outcome *a = group(&r, &known), *b = group(&r, &learnt);
    gnt_stat d;
    assert_int_equal(gnt_paired_difference(&d, &r, a, b, psnr), 0);
    assert_int_equal(d.n, 4);
    assert_int_equal(d.trainings, 2);
    assert_float_equal(d.mean, 5, 1e-12);
    assert_float_equal(d.low, 5 - 12.7062 * 2, 1e-3);
    assert_float_equal(d.high, 5 + 12.7062 * 2, 1e-3);
    assert_int_equal(gnt_paired_difference(&d, &r, b, a, psnr), 0);
    assert_float_equal(d.mean, -5, 1e-12);
    gnt_results_free(&r);
}

/* Seeds 2 and 3: −0.25 and 0.25 of the utility, 0.25 and 0.5 of the recall. 12.7062·s/√2 with s the deviation
 * of two numbers, which is their distance over √2. */
static void utilities_are_paired_by_seed(void **state) {
    (void)state;
    gnt_results r = load();
    const gnt_outcome *a = group(&r, &known), *b = group(&r, &weak);
    gnt_stat d;
    assert_int_equal(gnt_paired_utility(&d, &r, a, b, "iou"), 0);
    assert_int_equal(d.trainings, 2);
    assert_float_equal(d.mean, 0, 1e-12);
    assert_float_equal(d.high, 12.7062 * 0.25, 1e-3);
    assert_int_equal(gnt_paired_utility(&d, &r, a, b, "recall"), 0);
    assert_float_equal(d.mean, 0.375, 1e-12);
    assert_float_equal(d.low, 0.375 - 12.7062 * 0.125, 1e-3);
    assert_int_equal(gnt_paired_utility(&d, &r, a, b, "precision"), -1);
    assert_int_equal(gnt_paired_utility(&d, &r, a, group(&r, &strong), "iou"), -1);
    gnt_results_free(&r);
}

static void the_other_group_differs_in_what_is_named_alone(void **state) {
    static const struct {
        const place *of, *other;
        const char *instead;
    } cases[] = {
        {&known, &learnt, "\"learnt\""},
        {&known, &learnt, "{\"attack\": \"learnt\"}"},
        {&known, NULL, "\"nobody\""},
        {&known, &weak, "{\"defense\": \"uniform\"}"},
        {&known, &strong, "{\"defense\": \"uniform\", \"strength\": 2}"},
        {&known, NULL, "{\"defense\": \"uniform\", \"strength\": 5}"},
        {&known, &of_none, "{\"defense\": \"none\"}"},
        {&matched, &of_none, "{\"defense\": \"none\"}"},
        {&matched, &matched_too, "{\"defense\": \"uniform\"}"},
        {&matched, NULL, "{\"attack\": \"learnt\"}"},
        {&known, &elsewhere, "{\"task\": \"u\"}"},
        {&known, NULL, "{\"task\": \"u\", \"defense\": \"uniform\"}"},
        {&known, NULL, "{\"stage\": 3}"},
        {&learnt, NULL, "{\"defense\": \"uniform\"}"},
    };
    (void)state;
    gnt_results r = load();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *instead = json_loads(cases[i].instead, JSON_DECODE_ANY, NULL);
        assert_non_null(instead);
        if (gnt_group_instead(&r, group(&r, cases[i].of), instead) != group(&r, cases[i].other))
            fail_msg("%s chooses another group", cases[i].instead);
        json_decref(instead);
    }
    gnt_results_free(&r);
}

static void without_a_pair_there_is_no_difference(void **state) {
    (void)state;
    gnt_results r = load();
    gnt_stat d;
    const gnt_outcome *a = group(&r, &known);
    assert_int_equal(gnt_paired_difference(&d, &r, a, group(&r, &alone), gnt_measure_find("psnr")), -1);
    assert_int_equal(gnt_paired_difference(&d, &r, a, group(&r, &learnt), gnt_measure_find("ssim")), -1);
    gnt_results_free(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_of_one_seed_and_one_target),
        cmocka_unit_test(utilities_are_paired_by_seed),
        cmocka_unit_test(the_other_group_differs_in_what_is_named_alone),
        cmocka_unit_test(without_a_pair_there_is_no_difference),
    };
    return cmocka_run_group_tests_name("results_paired", tests, NULL, NULL);
}
