/* Tasks that are observed in their rounds: what the federation fixes of an observation, and which rounds are
 * drawn. Sentences are tested by test_suite_cases. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "suite/plan.h"
#include "suite_env.h"

/* keys: of the suite, with a comma after each; data, federated, more: what a task of the id has there; tasks:
 * further ones.
 */
static void take(gnt_suite *s, const char *keys, const char *id, const char *data, const char *federated,
                 const char *more, const char *tasks) {
    char *text = gnt_format("{\"suite\": \"s\", %s \"tasks\": [{\"id\": \"%s\", \"data\": {\"name\": "
                            "\"glyphs\"%s}, \"model\": \"mlp\", \"federated\": {%s}%s}%s], \"defenses\": "
                            "[{\"defense\": \"none\"}], \"attacks\": [{\"attack\": \"dlg\"}]}",
                            keys, id, data, federated, more, tasks);
    take_suite(s, text);
    gnt_free(text);
}

/* glyphs: 6000 train rows, all of them the clients'. */
static void defaults_are_the_documented_ones(void **state) {
    (void)state;
    gnt_suite s;
    take(&s, "", "t", "", "\"rounds\": 12", "", "");
    const gnt_suite_task *t = &s.task[0];
    assert_false(t->observe.probe);
    assert_int_equal(t->role_rows[GNT_ROLE_TARGETS], 0);
    assert_int_equal(t->role_rows[GNT_ROLE_CLIENTS], 6000);
    assert_int_equal(t->observe.surface, GNT_SURFACE_UPDATE);
    assert_int_equal(t->observe.targets, 10); /* all clients of a round */
    assert_int_equal(t->observe.batch, 32);
    assert_int_equal(t->observe.local_steps, 0);
    assert_int_equal(t->observe.set, 0);
    assert_int_equal(t->observe.epochs, 1);
    assert_int_equal(t->observe.attribute, -1);
    assert_int_equal(t->stages_drawn, 3);
    assert_int_equal(t->n_stages, 3);
    for (int64_t i = 0; i < 3; i++)
        assert_in_range(gnt_suite_rounds(&s, t, 1)[i], 4 * i, 4 * i + 3);
    gnt_suite_free(&s);
    take(&s, "", "t", "", "\"rounds\": 0", "", "");
    assert_true(s.task[0].observe.probe);
    assert_int_equal(s.task[0].role_rows[GNT_ROLE_TARGETS], 16);
    assert_int_equal(s.task[0].stages_drawn, 0);
    gnt_suite_free(&s);
}

/* Samples that a client uses in a round at most: steps × batch of what it holds, or all it holds. */
static void the_federation_says_what_is_observed(void **state) {
    (void)state;
    static const struct {
        const char *data, *federated, *more;
        int64_t targets, batch, local_steps, set, epochs;
    } row[] = {{"", "\"rounds\": 2, \"local_steps\": 5", "", 10, 160, 5, 0, 1},
               {"", "\"rounds\": 2, \"local_steps\": 5", ", \"observe\": {\"targets\": 3}", 3, 160, 5, 0, 1},
               {"", "\"rounds\": 2, \"clients\": 100, \"local_steps\": 5", "", 16, 60, 5, 0, 1},
               {"", "\"rounds\": 2, \"clients\": 100, \"local_steps\": 1, \"participation\": 0.105", "", 11,
                32, 1, 0, 1},
               {", \"clients\": 205",
                "\"rounds\": 2, \"batch\": 21, \"partition\": {\"kind\": \"shards\", \"shards\": 2}", "", 10,
                20, 0, 0, 1},
               {", \"clients\": 205", "\"rounds\": 2, \"batch\": 20", "", 10, 20, 0, 0, 1},
               {", \"clients\": 205", "\"rounds\": 2, \"local_steps\": 3, \"batch\": 7", "", 10, 21, 3, 0, 1},
               {", \"clients\": 205", "\"rounds\": 2, \"batch\": 30", "", 10, 21, 0, 0, 1},
               {", \"clients\": 205",
                "\"rounds\": 2, \"partition\": {\"kind\": \"dirichlet\"}, \"local_steps\": 2", "", 10, 64, 2,
                0, 1},
               {"", "\"rounds\": 2", ", \"observe\": {\"surface\": \"representation\"}", 10, 32, 0, 0, 1},
               {"", "\"rounds\": 2, \"local_steps\": 4", ", \"observe\": {\"surface\": \"encoding\"}", 10,
                600, 4, 600, 0},
               {"", "\"rounds\": 2", ", \"observe\": {\"surface\": \"encoding\", \"epochs\": 2}", 10, 600, 0,
                600, 2},
               {", \"clients\": 205", "\"rounds\": 2, \"partition\": {\"kind\": \"shards\"}",
                ", \"observe\": {\"surface\": \"encoding\", \"targets\": 1}", 1, 20, 0, 20, 0},
               /* 2 shards of 30 are certain, and drawn from: 30 of 60; all may have 40 or 80 */
               {"",
                "\"rounds\": 2, \"batch\": 30, \"partition\": {\"kind\": \"shards\", \"size\": 30, "
                "\"least\": 2, \"most\": 5}",
                "", 10, 30, 0, 0, 1},
               {"",
                "\"rounds\": 2, \"batch\": 90, \"partition\": {\"kind\": \"shards\", \"size\": 20, "
                "\"least\": 1, \"most\": 4}",
                "", 10, 80, 0, 0, 1},
               {"",
                "\"rounds\": 2, \"batch\": 90, \"partition\": {\"kind\": \"shards\", \"size\": 40, "
                "\"least\": 2, \"most\": 2}",
                "", 10, 80, 0, 0, 1},
               {"",
                "\"rounds\": 2, \"partition\": {\"kind\": \"labels\", \"clients\": [{\"labels\": [0], "
                "\"rows\": 32}, "
                "{\"labels\": [1, 2], \"rows\": 50}]}",
                "", 2, 32, 0, 0, 1},
               {"",
                "\"rounds\": 2, \"clients\": 2, \"partition\": {\"kind\": \"labels\", \"clients\": "
                "[{\"labels\": [0], \"rows\": 20}, "
                "{\"labels\": [1, 2], \"rows\": 20}]}",
                ", \"observe\": {\"surface\": \"encoding\"}", 2, 20, 0, 20, 0}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        gnt_suite s;
        take(&s, "", "t", row[i].data, row[i].federated, row[i].more, "");
        const gnt_suite_observe *o = &s.task[0].observe;
        if (o->targets != row[i].targets || o->batch != row[i].batch ||
            o->local_steps != row[i].local_steps || o->set != row[i].set || o->epochs != row[i].epochs ||
            o->set_given)
            fail_msg("row %zu: %lld clients, %lld samples, %lld steps, sets of %lld, %lld passes", i,
                     (long long)o->targets, (long long)o->batch, (long long)o->local_steps, (long long)o->set,
                     (long long)o->epochs);
        gnt_suite_free(&s);
    }
}

/* 10 rounds in 3 parts: 0 to 2, 3 to 5, 6 to 9. A round of the last is expected in 75 of 300 training runs,
 * with deviation 7.5. */
static void every_round_of_a_part_may_be_drawn(void **state) {
    (void)state;
    int seen[10] = {0};
    for (int seed = 0; seed < 300; seed++) {
        gnt_suite s;
        char key[48];
        snprintf(key, sizeof key, "\"seed\": %d, \"seeds\": [%d],", seed % 3, seed);
        take(&s, key, "t", "", "\"rounds\": 10", "", "");
        const int64_t *round = gnt_suite_rounds(&s, &s.task[0], (uint64_t)seed);
        assert_in_range(round[0], 0, 2);
        assert_in_range(round[1], 3, 5);
        assert_in_range(round[2], 6, 9);
        for (int i = 0; i < 3; i++)
            seen[round[i]]++;
        gnt_suite_free(&s);
    }
    for (int i = 0; i < 10; i++)
        assert_true(seen[i] > 300 / 8);
}

static void as_many_are_drawn_as_there_are_rounds(void **state) {
    (void)state;
    gnt_suite s;
    take(&s, "", "t", "", "\"rounds\": 4", ", \"stages\": {\"drawn\": 7}", "");
    assert_int_equal(s.task[0].stages_drawn, 4);
    assert_int_equal(s.task[0].n_stages, 4);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(s.task[0].stages[i], i + 1);
        assert_int_equal(gnt_suite_rounds(&s, &s.task[0], 1)[i], i);
    }
    gnt_suite_free(&s);
}

static int same_rounds(const gnt_suite *a, size_t task_a, const gnt_suite *b, size_t task_b, uint64_t seed,
                       uint64_t seed_b) {
    const gnt_suite_task *x = &a->task[task_a], *y = &b->task[task_b];
    return x->n_stages == y->n_stages && memcmp(gnt_suite_rounds(a, x, seed), gnt_suite_rounds(b, y, seed_b),
                                                x->n_stages * sizeof *x->drawn) == 0;
}

/* Two draws of 16 rounds out of 1000 agree with probability 62⁻¹⁶. */
static void a_draw_depends_on_the_run_key_the_training_and_the_seed(void **state) {
    (void)state;
    static const char rounds[] = "\"rounds\": 1000", drawn[] = ", \"stages\": {\"drawn\": 16}";
    gnt_suite a, b, c, d, e;
    take(&a, "\"seed\": 1,", "t", "", rounds, drawn, "");
    take(&b, "\"title\": \"again\", \"seeds\": [7, 1],", "t", "", rounds, drawn,
         ", {\"id\": \"u\", \"like\": \"t\", \"observe\": {\"targets\": 2}}");
    take(&c, "\"seed\": 2,", "t", "", rounds, drawn, "");
    take(&d, "\"key_file\": \"whole.key\",", "t", "", rounds, drawn, "");
    take(&e, "", "other", "", rounds, drawn, "");
    assert_true(same_rounds(&a, 0, &b, 0, 1, 1));
    assert_true(same_rounds(&b, 0, &b, 1, 1, 1));
    assert_true(same_rounds(&b, 0, &b, 1, 7, 7));
    assert_false(same_rounds(&b, 0, &b, 0, 1, 7));
    assert_false(same_rounds(&a, 0, &c, 0, 1, 1));
    assert_false(same_rounds(&a, 0, &d, 0, 1, 1));
    assert_false(same_rounds(&a, 0, &e, 0, 1, 1));
    assert_null(gnt_suite_rounds(&a, &a.task[0], 2)); /* no seed of the suite */
    /* runs under another secret key may still be compared */
    assert_string_equal(a.task[0].digest, d.task[0].digest);
    gnt_suite_free(&a);
    gnt_suite_free(&b);
    gnt_suite_free(&c);
    gnt_suite_free(&d);
    gnt_suite_free(&e);
}

static int64_t round_of_a_run(void *context, const char *task, uint64_t seed, int64_t stage) {
    static const int64_t rounds[] = {7, 31, 99};
    assert_string_equal(task, context);
    return seed == 1 && stage <= 3 ? rounds[stage - 1] : -1;
}

/* Without its key a suite has the rounds of the run, each within its third of the training, or the first of
 * the third where the run has none; with it, the drawn ones. */
static void without_its_key_a_suite_has_the_rounds_of_the_run(void **state) {
    (void)state;
    gnt_suite whole, s;
    const gnt_suite_env was = env;
    static const char rounds[] = "\"rounds\": 90";
    take(&whole, "\"key_file\": \"whole.key\",", "t", "", rounds, "", "");
    env.files_may_lack = 1;
    env.round = round_of_a_run;
    env.round_context = (char[]){"t"};
    take(&s, "\"key_file\": \"nowhere.key\", \"seeds\": [1, 2],", "t", "", rounds, "",
         ", {\"id\": \"u\", \"like\": \"t\", \"observe\": {\"targets\": 2}}");
    assert_true(s.secret && s.key_unknown);
    for (size_t i = 0; i < 2; i++) {
        const int64_t *first = gnt_suite_rounds(&s, &s.task[i], 1),
                      *second = gnt_suite_rounds(&s, &s.task[i], 2);
        assert_true(first[0] == 7 && first[1] == 31 && first[2] == 89);
        assert_true(second[0] == 0 && second[1] == 30 && second[2] == 60);
    }
    gnt_suite_free(&s);
    take(&s, "\"key_file\": \"whole.key\",", "t", "", rounds, "", "");
    assert_false(s.key_unknown);
    assert_true(same_rounds(&s, 0, &whole, 0, 1, 1));
    gnt_suite_free(&s);
    env.key_file = "tests/cases/whole.key";
    take(&s, "\"key_file\": \"nowhere.key\",", "t", "", rounds, "", "");
    assert_false(s.key_unknown);
    assert_true(same_rounds(&s, 0, &whole, 0, 1, 1));
    gnt_suite_free(&s);
    gnt_suite_free(&whole);
    env = was;
}

static void a_tasks_digest_is_of_how_it_is_observed(void **state) {
    (void)state;
    static const char *const more[] = {"", ", \"stages\": {\"drawn\": 2}", ", \"stages\": [0, 1, 2]",
                                       ", \"observe\": {\"from\": \"probe\"}"};
    enum { N = sizeof more / sizeof *more };
    char digest[N][GNT_HEX_SIZE];
    for (size_t i = 0; i < N; i++) {
        gnt_suite s;
        take(&s, "", "t", "", "\"rounds\": 3", more[i], "");
        memcpy(digest[i], s.task[0].digest, sizeof digest[i]);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(digest[i], digest[j]);
        gnt_suite_free(&s);
    }
}

/* Data and stages are shared: a probe needs rows of its own, a round nothing after the last. */
static void what_tasks_share_suits_them_all(void **state) {
    (void)state;
    gnt_suite s;
    take(&s, "", "t", "", "\"rounds\": 6", "",
         ", {\"id\": \"u\", \"like\": \"t\", \"observe\": {\"from\": \"probe\", \"batch\": 4}}");
    assert_false(s.task[0].observe.probe);
    assert_true(s.task[1].observe.probe);
    assert_int_equal(s.task[1].observe.targets, 4);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(s.task[i].role_rows[GNT_ROLE_TARGETS], 16);
        assert_int_equal(s.task[i].stages_drawn, 3);
    }
    assert_true(same_rounds(&s, 0, &s, 1, 1, 1));
    gnt_suite_free(&s);
}

/* A secure sum is taken in the training anyway: the same rounds and rows as ever. */
static void a_transcript_is_as_it_was(void **state) {
    (void)state;
    gnt_suite s;
    take(&s, "", "t", "", "\"rounds\": 6", ", \"observe\": {\"surface\": \"transcript\"}", "");
    const gnt_suite_task *t = &s.task[0];
    assert_int_equal(t->n_stages, 1);
    assert_int_equal(t->stages[0], 6);
    assert_int_equal(t->stages_drawn, 0);
    assert_int_equal(t->observe.targets, 1);
    assert_int_equal(t->role_rows[GNT_ROLE_TARGETS], 16);
    gnt_suite_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_the_documented_ones),
        cmocka_unit_test(the_federation_says_what_is_observed),
        cmocka_unit_test(every_round_of_a_part_may_be_drawn),
        cmocka_unit_test(as_many_are_drawn_as_there_are_rounds),
        cmocka_unit_test(a_draw_depends_on_the_run_key_the_training_and_the_seed),
        cmocka_unit_test(without_its_key_a_suite_has_the_rounds_of_the_run),
        cmocka_unit_test(a_tasks_digest_is_of_how_it_is_observed),
        cmocka_unit_test(what_tasks_share_suits_them_all),
        cmocka_unit_test(a_transcript_is_as_it_was),
    };
    return cmocka_run_group_tests(tests, open_plugins, close_plugins);
}
