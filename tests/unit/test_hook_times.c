/* Times of hooks, from a worker to a report: sums by plugin and hook, which neither a plugin's process nor an
 * untrusted file can corrupt. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "plugin/hook_times.h"
#include "report/table/report_tables.h"
#include "judge/hook_seconds.h"

static json_t *parse(const char *text) {
    json_error_t why;
    json_t *all = json_loads(text, JSON_DECODE_ANY, &why);
    if (!all)
        fail_msg("%s", why.text);
    return all;
}

static void expect(const json_t *list, const char *text) {
    json_t *expected = parse(text);
    char *found = json_dumps(list, JSON_COMPACT | JSON_REAL_PRECISION(9));
    if (!json_equal(list, expected))
        fail_msg("%s, expected %s", found, text);
    free(found);
    json_decref(expected);
}

static void join(json_t *list, const char *text) {
    json_t *other = parse(text);
    gnt_hook_times_join(list, other);
    json_decref(other);
}

#define ENTRY(plugin, hook, calls, seconds)                                                                  \
    "{\"plugin\": \"" plugin "\", \"hook\": \"" hook "\", \"calls\": " calls ", \"seconds\": " seconds "}"

static void processes_are_joined_by_plugin_and_hook(void **state) {
    (void)state;
    json_t *list = json_array();
    join(list, "[" ENTRY("clip", "transform_update", "3", "0.5") "," ENTRY("clip", "save", "1", "2.0") "]");
    join(list, "[" ENTRY("clip", "transform_update", "4", "0.25") "," ENTRY("prune", "save", "1", "1") "]");
    expect(list, "[" ENTRY("clip", "transform_update", "7", "0.75") "," ENTRY(
                     "clip", "save", "1", "2.0") "," ENTRY("prune", "save", "1", "1.0") "]");
    json_decref(list);
}

static void what_is_no_entry_is_left_out(void **state) {
    (void)state;
    static const char *const odd[] = {"{}",
                                      "5",
                                      "[]",
                                      "[5, null, [], {}]",
                                      "[" ENTRY("Clip", "save", "1", "1") "]",
                                      "[" ENTRY("clip", "../save", "1", "1") "]",
                                      "[" ENTRY("clip", "save", "0", "1") "]",
                                      "[" ENTRY("clip", "save", "-4", "1") "]",
                                      "[" ENTRY("clip", "save", "1.5", "1") "]",
                                      "[" ENTRY("clip", "save", "1", "-1") "]",
                                      "[" ENTRY("clip", "save", "1", "\"1\"") "]",
                                      "[{\"plugin\": \"clip\", \"calls\": 1, \"seconds\": 1}]"};
    json_t *list = json_array();
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        join(list, odd[i]);
    expect(list, "[]");
    /* sums that no number holds stay what they were */
    join(list, "[" ENTRY("clip", "save", "9223372036854775807", "1e308") "]");
    join(list, "[" ENTRY("clip", "save", "2", "1.7e308") "]");
    expect(list, "[" ENTRY("clip", "save", "9223372036854775807", "1e308") "]");
    json_decref(list);
}

/* ---- host.json ---- */

static const char host[] =
    "{\"provenance\": {\"machine\": {\"cpu\": \"A <b>CPU</b>\"}}, \"jobs\": ["
    "{\"job\": \"train t/weak@1/s1\", \"defense\": \"weak\", \"attack\": null, \"hooks\": [" ENTRY(
        "clip", "transform_update", "8",
        "2.0") "]},"
               "{\"job\": \"attack t/r0/weak@1/dlg/s1\", \"defense\": \"weak\", \"attack\": \"dlg\", "
               "\"hooks\": [" ENTRY(
                   "dlg", "run", "2",
                   "3.0") "]},"
                          "{\"job\": \"data t/s1\"}, 7, {\"defense\": 5, \"hooks\": [" ENTRY(
                              "clip", "save", "1",
                              "1.0") "]},"
                                     "{\"defense\": \"weak\", \"hooks\": {}}, {\"defense\": \"weak\", "
                                     "\"hooks\": [{}, " ENTRY(
                                         "clip", "transform_update", "0",
                                         "1.0") "]},"
                                                "{\"job\": \"replay t/weak@1/s1\", \"defense\": \"weak\", "
                                                "\"attack\": null, \"hooks\": [" ENTRY(
                                                    "clip", "transform_update", "2",
                                                    "0.5") "," ENTRY("clip", "load", "1", "0.5") "]}]}";

static void jobs_are_joined_by_defense_and_attack(void **state) {
    (void)state;
    json_t *all = parse(host), *list = gnt_hook_seconds(all);
    expect(list,
           "[{\"defense\": \"weak\", \"plugin\": \"clip\", \"hook\": \"transform_update\", \"calls\": 10, "
           "\"seconds\": 2.5},"
           "{\"attack\": \"dlg\", \"plugin\": \"dlg\", \"hook\": \"run\", \"calls\": 2, \"seconds\": 3.0},"
           "{\"defense\": \"weak\", \"plugin\": \"clip\", \"hook\": \"load\", \"calls\": 1, \"seconds\": "
           "0.5}]");
    json_decref(list);
    json_decref(all);
    list = gnt_hook_seconds(NULL);
    expect(list, "[]");
    json_decref(list);
}

static void the_table_names_machine_and_seconds_a_call(void **state) {
    (void)state;
    static const char run[] =
        "{\"format\": 1, \"suite\": \"s\", \"cells\": [], \"groups\": [{\"task\": \"t\", \"stage\": 0, "
        "\"defense\": \"weak\", \"mode\": \"fixed\", \"strength\": 1, \"attack\": \"dlg\", \"status\": "
        "\"ok\"}]}";
    gnt_results r;
    gnt_err err = {0};
    if (gnt_results_parse(&r, "r", run, strlen(run), &err) != 0)
        fail_msg("%s", err.text);
    json_t *all = parse(host);
    gnt_table t;
    gnt_text out;
    gnt_table_hooks(&r, all, &t);
    gnt_text_init(&out, 1 << 16);
    gnt_table_markdown(&t, &out);
    assert_non_null(strstr(gnt_text_get(&out), "on A &lt;b&gt;CPU&lt;/b&gt;."));
    assert_non_null(strstr(gnt_text_get(&out),
                           "| defense | weak | clip | transform\\_update | 10 | 2.5 | 0.25 |\n"
                           "| defense | weak | clip | load | 1 | 0.5 | 0.5 |\n"
                           "| attack | dlg | dlg | run | 2 | 3 | 1.5 |\n"));
    assert_int_equal(gnt_table_rows(&t), 3);
    gnt_text_free(&out);
    gnt_table_free(&t);
    json_decref(all);
    gnt_results_free(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processes_are_joined_by_plugin_and_hook),
        cmocka_unit_test(what_is_no_entry_is_left_out),
        cmocka_unit_test(jobs_are_joined_by_defense_and_attack),
        cmocka_unit_test(the_table_names_machine_and_seconds_a_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
