/* Runs under another key than the baseline's: how that is seen, how cells of other drawn rounds are compared,
 * Welch's test against its formula, and what is said of too few training runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>

#include "gate_runs.h"
#include "metric/stats.h"

enum { TARGETS = 8, MOST_SEEDS = 5 };

/* What a run is made of: `floor` is that of its first seed. */
typedef struct drawn {
    double floor;
    /* of a task that lists one round; of one that draws two, the rounds of the first seed, and the next ones
     * for the next seed */
    int rounds[2], n_stages, seeds;
    /* of each seed, and added in the second stage */
    double psnr[MOST_SEEDS], later;
} drawn;

static json_t *make_run(const drawn *d) {
    json_t *run = made_run(), *stages = json_array();
    for (int k = 0; k < d->n_stages; k++) {
        const int is_drawn = d->n_stages > 1, stage = is_drawn ? k + 1 : d->rounds[k];
        json_array_append_new(stages, json_integer(stage));
        for (int seed = 0; seed < d->seeds; seed++) {
            made_cell c = {"t", "d", "sweep", "a", NULL, stage, seed + 1, 0.5, 0.8};
            double x[TARGETS];
            for (int i = 0; i < TARGETS; i++)
                x[i] = d->psnr[seed] + k * d->later + 0.5 * (i - 3.5);
            json_t *cell = made_add(run, &c, "psnr", x, TARGETS);
            if (d->floor > 0)
                json_object_set_new(cell, "floors",
                                    json_pack("{s:{s:f}}", "psnr", "mean_image", d->floor + seed));
            json_object_del(cell, "utility");
            if (!is_drawn)
                continue;
            char id[32];
            snprintf(id, sizeof id, "t/d%d/d@0.5/a/s%d", stage, seed + 1);
            json_object_set_new(cell, "cell", json_string(id));
            json_object_set_new(cell, "round", json_integer(d->rounds[k] + seed));
        }
    }
    json_array_append_new(json_object_get(run, "tasks"), json_pack("{s:s, s:o, s:b}", "id", "t", "stages",
                                                                   stages, "stages_drawn", d->n_stages > 1));
    return run;
}

static const drawn plain = {12, {3, 0}, 1, 5, {20, 21, 19, 20.5, 19.5}, 0};

static const gnt_gate_row *check(made_pair *p, const drawn *now, const drawn *before) {
    made_check(p, make_run(now), make_run(before));
    assert_int_equal(p->gate.n_row, 1);
    return &p->gate.row[0];
}

static void test_the_same_targets_are_pairs(void **state) {
    (void)state;
    drawn now = plain;
    made_pair p;
    now.floor = 12.0001; /* another processor's rounding */
    now.psnr[0] = 20.1;
    assert_int_equal(check(&p, &now, &plain)->e.units, 5 * TARGETS);
    made_free(&p);
    now.floor = 12.01;
    assert_int_equal(check(&p, &now, &plain)->e.units, 5 + 5);
    made_free(&p);
    now.floor = 0; /* nothing to judge by */
    assert_int_equal(check(&p, &now, &plain)->e.units, 5 * TARGETS);
    made_free(&p);
}

static void test_trainings_are_the_units(void **state) {
    (void)state;
    const drawn now = {15, {3, 0}, 1, 5, {24, 22.5, 23, 25, 22}, 0};
    gnt_metric_difference d;
    double shifted[MOST_SEEDS];
    gnt_err err = {""};
    made_pair p;
    const gnt_gate_row *row = check(&p, &now, &plain);
    for (int i = 0; i < 5; i++)
        shifted[i] = now.psnr[i] - row->tolerance;
    assert_int_equal(gnt_metric_welch(&d, shifted, 5, plain.psnr, 5, &err), 0);
    assert_float_equal(row->worse, d.mean + row->tolerance, 1e-9);
    assert_float_equal(row->p, d.p / 2, 1e-9); /* one-sided */
    assert_int_equal(row->verdict, GNT_GATE_WORSE);
    made_free(&p);
}

static void test_too_few_training_runs_reveal_nothing(void **state) {
    (void)state;
    drawn now = plain, before = plain;
    made_pair p;
    now.floor = 15;
    now.seeds = before.seeds = 4;
    for (int i = 0; i < 4; i++)
        now.psnr[i] += 30;
    assert_int_equal(check(&p, &now, &before)->verdict, GNT_GATE_UNABLE);
    assert_int_equal(p.gate.n_failures, 0);
    assert_int_equal(p.gate.undecided, 1);
    assert_int_equal(p.gate.finding[0].kind, GNT_GATE_UNDECIDED);
    made_free(&p);
}

/* The mean of a training run over its own rounds counts, so that how these differ is no error. */
static void test_other_rounds(void **state) {
    (void)state;
    drawn now = plain, before = plain;
    made_pair p;
    before.n_stages = now.n_stages = 2;
    before.rounds[1] = 17;
    now.rounds[0] = 8;
    now.rounds[1] = 31;
    for (int i = 0; i < 5; i++)
        now.psnr[i] += 4;
    const gnt_gate_row *row = check(&p, &now, &before);
    assert_int_equal(p.gate.n_failures, 1);
    assert_float_equal(row->worse, 4, 1e-9);
    made_free(&p);

    before.later = -10; /* rounds differ by more than the runs do */
    now.later = -10;
    row = check(&p, &now, &before);
    assert_int_equal(p.gate.n_failures, 1);
    assert_int_equal(p.gate.n_finding, 1); /* that it leaks more: no cell is missing or new */
    assert_float_equal(row->worse, 4, 1e-9);
    made_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_same_targets_are_pairs), cmocka_unit_test(test_trainings_are_the_units),
        cmocka_unit_test(test_too_few_training_runs_reveal_nothing), cmocka_unit_test(test_other_rounds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
