/* gnt_paired_difference: two attacks' scores of the same targets, pair by pair. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "results/paired.h"
#include "results/results.h"

/* A group of an attack, and a cell of it: the attack, of the cell its seed, ids of targets and their PSNR. */
static const char group_of[] =
    "{\"task\": \"t\", \"stage\": 0, \"defense\": \"lrp\", \"strength\": 1, \"mode\": \"fixed\", "
    "\"attack\": \"%s\", \"status\": \"ok\", \"n_cells\": 2, \"n_ok\": 2, \"measures\": {}}";
static const char cell_of[] =
    "{\"cell\": \"t/%s/%d\", \"task\": \"t\", \"stage\": 0, \"defense\": \"lrp\", \"strength\": 1, "
    "\"mode\": \"fixed\", \"attack\": \"%s\", \"status\": \"ok\", \"seed\": %d, \"measures\": {}, "
    "\"targets\": [%s]}";

/* Seed 1: differences 2 and 4, one target without a number and one that only "known" met; seed 2: 5 and 9,
 * in another order. Seed 3 has no other cell. */
static const struct made {
    const char *attack;
    int seed;
    const char *targets;
} made[] = {
    {"known", 1,
     "{\"id\": 0, \"psnr\": 12}, {\"id\": 1, \"psnr\": 24}, {\"id\": 2, \"psnr\": 30}, {\"id\": 3, \"psnr\": "
     "9}"},
    {"known", 2, "{\"id\": 0, \"psnr\": 15}, {\"id\": 1, \"psnr\": 29}"},
    {"known", 3, "{\"id\": 0, \"psnr\": 60}"},
    {"learnt", 1, "{\"id\": 0, \"psnr\": 10}, {\"id\": 1, \"psnr\": 20}, {\"id\": 2, \"psnr\": null}"},
    {"learnt", 2, "{\"id\": 1, \"psnr\": 20}, {\"id\": 0, \"psnr\": 10}"},
    {"alone", 4, "{\"id\": 0, \"psnr\": 1}"}};
static const char *const attacks[] = {"known", "learnt", "alone"};

static void write_run(FILE *f) {
    fputs("{\"format\": 1, \"suite\": \"s\", \"title\": \"t\", \"groups\": [", f);
    for (size_t i = 0; i < sizeof attacks / sizeof *attacks; i++) {
        fputs(i ? ", " : "", f);
        fprintf(f, group_of, attacks[i]);
    }
    fputs("], \"cells\": [", f);
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        const struct made *c = &made[i];
        fputs(i ? ", " : "", f);
        fprintf(f, cell_of, c->attack, c->seed, c->attack, c->seed, c->targets);
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

static const gnt_outcome *group(const gnt_results *r, const char *attack) {
    for (size_t i = 0; i < r->n_group; i++)
        if (!strcmp(r->group[i].attack, attack))
            return &r->group[i];
    return NULL;
}

/* Trainings count once each: means 3 and 7. Student's interval of two: 5 ± 12.706·2. */
static void pairs_are_of_one_seed_and_one_target(void **state) {
    (void)state;
    gnt_results r = load();
    const gnt_measure *psnr = gnt_measure_find("psnr");
    const gnt_outcome *known = group(&r, "known"), *learnt = gnt_group_of_attack(&r, known, "learnt");
    gnt_stat d;
    assert_ptr_equal(learnt, group(&r, "learnt"));
    assert_int_equal(gnt_paired_difference(&d, &r, known, learnt, psnr), 0);
    assert_int_equal(d.n, 4);
    assert_int_equal(d.trainings, 2);
    assert_float_equal(d.mean, 5, 1e-12);
    assert_float_equal(d.low, 5 - 12.7062 * 2, 1e-3);
    assert_float_equal(d.high, 5 + 12.7062 * 2, 1e-3);
    assert_int_equal(gnt_paired_difference(&d, &r, learnt, known, psnr), 0);
    assert_float_equal(d.mean, -5, 1e-12);
    gnt_results_free(&r);
}

static void without_a_pair_there_is_no_difference(void **state) {
    (void)state;
    gnt_results r = load();
    gnt_stat d;
    const gnt_outcome *known = group(&r, "known");
    assert_int_equal(gnt_paired_difference(&d, &r, known, group(&r, "alone"), gnt_measure_find("psnr")), -1);
    assert_int_equal(gnt_paired_difference(&d, &r, known, group(&r, "learnt"), gnt_measure_find("ssim")), -1);
    assert_null(gnt_group_of_attack(&r, known, "nobody"));
    gnt_results_free(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_of_one_seed_and_one_target),
        cmocka_unit_test(without_a_pair_there_is_no_difference),
    };
    return cmocka_run_group_tests_name("results_paired", tests, NULL, NULL);
}
