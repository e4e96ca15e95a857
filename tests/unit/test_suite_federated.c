/* What a suite says of its federation reaches the jobs, and all of it is part of the key that their outputs
 * are stored under. Sentences are tested by test_suite_cases. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/json.h"
#include "base/mem.h"
#include "request/request_fields.h"
#include "run/request/request_parts.h"
#include "suite_env.h"

static void take(gnt_suite *s, const char *federated) {
    char *text =
        gnt_format("{\"suite\": \"s\", \"tasks\": [{\"id\": \"t\", \"data\": {\"name\": \"glyphs\"}, "
                   "\"model\": \"mlp\", \"federated\": {\"rounds\": 2, \"local_steps\": 2%s}, "
                   "\"observe\": {\"from\": \"probe\"}}], \"defenses\": [{\"defense\": \"none\"}], "
                   "\"attacks\": [{\"attack\": \"dlg\"}]}",
                   federated);
    take_suite(s, text);
    gnt_free(text);
}

/* The federation as store keys are made of it; fields.c takes its table from any kind that has one. */
static char *identity_of(const char *federated) {
    gnt_suite s;
    take(&s, federated);
    const gnt_request_federated f = request_federated(&s.task[0], 2);
    const gnt_fields *train = gnt_request_kinds[GNT_JOB_TRAIN].fields, *table = NULL;
    for (size_t i = 0; i < train->n; i++)
        if (strcmp(train->field[i].name, "federated") == 0)
            table = train->field[i].group;
    assert_non_null(table);
    json_t *json = gnt_fields_encode(table, &f, GNT_FIELDS_IDENTITY);
    assert_non_null(json);
    char *text = gnt_json_canonical(json);
    assert_non_null(text);
    json_decref(json);
    gnt_suite_free(&s);
    return text;
}

/* Each of these is a training of its own: no two share a key. */
static void every_setting_is_part_of_the_key(void **state) {
    (void)state;
#define SIZED(size, least, most)                                                                             \
    ", \"partition\": {\"kind\": \"shards\", \"size\": " size ", \"least\": " least ", \"most\": " most "}"
#define NAMED(a, b)                                                                                          \
    ", \"partition\": {\"kind\": \"labels\", \"clients\": [{\"labels\": [" a                                 \
    "], \"rows\": 10}, {\"labels\": "                                                                        \
    "[" b "], \"rows\": 20}]}"
    static const char *const settings[] = {
        "",
        ", \"partition\": {\"kind\": \"shards\"}",
        SIZED("20", "1", "3"),
        SIZED("21", "1", "3"),
        SIZED("20", "2", "3"),
        SIZED("20", "1", "4"),
        NAMED("0, 1", "2"),
        NAMED("1, 0", "2"),
        NAMED("0", "1, 2"),
        NAMED("0, 1", "3"),
        ", \"partition\": {\"kind\": \"labels\", \"clients\": [{\"labels\": "
        "[0, 1], \"rows\": 10}, {\"labels\": [2], \"rows\": 21}]}",
        ", \"decay\": 0.001",
        ", \"decay\": 0.002",
        ", \"optimizer\": \"adam\"",
        ", \"augment\": {\"flip\": true}",
        ", \"augment\": {\"shift\": 1}",
        ", \"augment\": {\"shift\": 2}",
        ", \"augment\": {\"cutout\": 1}",
        ", \"augment\": {\"cutout\": 2}"};
    enum { SETTINGS = sizeof settings / sizeof *settings };
    char *identity[SETTINGS];
    for (size_t i = 0; i < SETTINGS; i++) {
        identity[i] = identity_of(settings[i]);
        for (size_t j = 0; j < i; j++)
            if (strcmp(identity[i], identity[j]) == 0)
                fail_msg("{%s} and {%s} have one key", settings[i], settings[j]);
    }
    for (size_t i = 0; i < SETTINGS; i++)
        gnt_free(identity[i]);
}

/* Off is off, said or not. */
static void defaults_are_what_they_say(void **state) {
    (void)state;
    char *a = identity_of(""),
         *b = identity_of(", \"decay\": 0, \"augment\": {\"flip\": false, \"shift\": 0, \"cutout\": 0}");
    assert_string_equal(a, b);
    gnt_free(a);
    gnt_free(b);
}

/* The two clients of a paper's table; the list says how many there are. */
static void lists_of_labels_come_as_written(void **state) {
    (void)state;
    gnt_suite s;
    take(&s, ", \"partition\": {\"kind\": \"labels\", \"clients\": [{\"labels\": [0, 1], \"rows\": 800}, "
             "{\"labels\": [2, 3, 4, 5, 6, 7, 8, 9], \"rows\": 804}]}");
    const gnt_request_federated f = request_federated(&s.task[0], 2);
    assert_int_equal(f.clients, 2);
    assert_int_equal(f.partition, GNT_PARTITION_LABELS);
    assert_int_equal(f.rows.n, 2);
    assert_int_equal(f.rows.at[0], 800);
    assert_int_equal(f.rows.at[1], 804);
    assert_int_equal(f.n_labels.n, 2);
    assert_int_equal(f.n_labels.at[0], 2);
    assert_int_equal(f.n_labels.at[1], 8);
    assert_int_equal(f.labels.n, 10);
    for (int i = 0; i < 10; i++)
        assert_int_equal(f.labels.at[i], i);
    const gnt_request_federated given = request_federated_for_attack(&s.task[0]);
    assert_int_equal(given.clients, 2);
    assert_true(given.rows.n == 0 && given.n_labels.n == 0 && given.labels.n == 0);
    gnt_suite_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_setting_is_part_of_the_key),
        cmocka_unit_test(defaults_are_what_they_say),
        cmocka_unit_test(lists_of_labels_come_as_written),
    };
    return cmocka_run_group_tests_name("federations of suites", tests, open_plugins, close_plugins);
}
