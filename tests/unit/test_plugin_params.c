/* Parameters: every type at its edges and beyond them, defaults, unknown keys, one canonical text, strengths.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "plugin/params.h"

static const char *const choices[] = {"update", "tensor", NULL};
static const gnt_parameter table[] = {
    {.id = "sigma", .type = GNT_TYPE_REAL, .least = 0.5, .most = 2, .preset = 1, .strength = 1},
    {.id = "count", .type = GNT_TYPE_INT, .least = -3, .most = 7, .preset = 5},
    {.id = "flag", .type = GNT_TYPE_BOOL, .preset = 1},
    {.id = "scope", .type = GNT_TYPE_CHOICE, .preset_text = "tensor", .choices = choices},
    {.id = "note", .type = GNT_TYPE_TEXT, .preset_text = ""},
    {.id = "at", .type = GNT_TYPE_REAL_LIST, .least = 0, .most = 1, .preset_text = "[0.25, 1]"},
    {.id = "marks", .type = GNT_TYPE_INT_LIST, .least = 0, .most = 9, .preset_text = "[]"},
    {.id = "judge", .type = GNT_TYPE_MODEL, .preset_text = ""},
    {.id = "extractor", .type = GNT_TYPE_MODEL},
};
enum { SIGMA, COUNT, FLAG, SCOPE, NOTE, AT, MARKS, JUDGE, EXTRACTOR, N };

static int read_text(gnt_params *p, const char *json, gnt_err *err) {
    return gnt_params_parse(p, table, N, "params", json, err);
}

static void defaults_fill_the_table_in_order(void **state) {
    (void)state;
    gnt_params p;
    assert_int_equal(read_text(&p, NULL, NULL), 0);
    assert_int_equal(p.n, N);
    for (int i = 0; i < N; i++) {
        assert_string_equal(p.value[i].id, table[i].id);
        assert_int_equal(p.value[i].type, table[i].type);
    }
    assert_true(p.value[SIGMA].r == 1 && p.value[COUNT].i == 5 && p.value[COUNT].r == 5 &&
                p.value[FLAG].i == 1);
    assert_int_equal(p.value[SCOPE].i, 1);
    assert_string_equal(p.value[SCOPE].text, "tensor");
    assert_string_equal(p.value[NOTE].text, "");
    assert_true(p.value[AT].n == 2 && p.value[AT].list[0] == 0.25 && p.value[AT].list[1] == 1);
    assert_int_equal(p.value[MARKS].n, 0);
    assert_string_equal(p.value[JUDGE].text, "");
    assert_string_equal(p.value[EXTRACTOR].text, "");
    gnt_params_free(&p);
}

/* Good values are at the edges, bad ones just beyond; a bad one's sentence must hold the words. */
static void edges_of_every_type(void **state) {
    (void)state;
    static const char *const good[] = {"{}",
                                       "{\"sigma\": 0.5}",
                                       "{\"sigma\": 2}",
                                       "{\"sigma\": 2.0}",
                                       "{\"count\": -3}",
                                       "{\"count\": 7}",
                                       "{\"count\": 7.0}",
                                       "{\"flag\": false}",
                                       "{\"scope\": \"update\"}",
                                       "{\"note\": \"\"}",
                                       "{\"note\": \"größer \\\\ \\\"x\\\"\"}",
                                       "{\"at\": []}",
                                       "{\"at\": [0, 1]}",
                                       "{\"at\": [1e-300]}",
                                       "{\"marks\": [0, 9, 9]}"};
    static const struct {
        const char *json, *word;
    } bad[] = {
        {"[]", "object"},
        {"3", "object"},
        {"{\"sigma\": 0.49999999999999994}", "sigma"},
        {"{\"sigma\": 2.0000000000000004}", "sigma"},
        {"{\"sigma\": \"1\"}", "sigma"},
        {"{\"sigma\": null}", "sigma"},
        {"{\"sigma\": true}", "sigma"},
        {"{\"sigma\": [1]}", "sigma"},
        {"{\"count\": -4}", "count"},
        {"{\"count\": 8}", "count"},
        {"{\"count\": 1.5}", "count"},
        {"{\"count\": 9223372036854775807}", "count"},
        {"{\"count\": true}", "count"},
        {"{\"flag\": 1}", "flag"},
        {"{\"flag\": \"true\"}", "flag"},
        {"{\"scope\": \"Tensor\"}", "scope"},
        {"{\"scope\": 0}", "scope"},
        {"{\"scope\": \"tensr\"}", "did you mean \"tensor\""},
        {"{\"note\": 5}", "note"},
        {"{\"note\": \"a\\nb\"}", "note"},
        {"{\"note\": \"\\u202e\"}", "note"},
        {"{\"at\": 0.5}", "at"},
        {"{\"at\": [0.5, 1.5]}", "at[1]"},
        {"{\"at\": [-0.1]}", "at[0]"},
        {"{\"at\": [\"0\"]}", "at[0]"},
        {"{\"marks\": [1, 2.5]}", "marks[1]"},
        {"{\"marks\": [10]}", "marks[0]"},
        {"{\"sigm\": 1}", "did you mean \"sigma\""},
        {"{\"sigma\": 1, \"sigma\": 1}", "twice"},
        {"{\"sigma\": NaN}", "NaN"},
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        gnt_params p;
        gnt_err err = {0};
        if (read_text(&p, good[i], &err))
            fail_msg("%s: %s", good[i], err.text);
        gnt_params_free(&p);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        gnt_params p;
        gnt_err err = {0};
        if (read_text(&p, bad[i].json, &err) == 0)
            fail_msg("%s was accepted", bad[i].json);
        if (!strstr(err.text, bad[i].word) || !strstr(err.text, "params:1"))
            fail_msg("%s: %s", bad[i].json, err.text);
        assert_null(p.value);
    }
}

static void list_length_is_bounded(void **state) {
    (void)state;
    gnt_text text;
    gnt_text_init(&text, 1 << 20);
    for (int i = 0; i <= 4096; i++) /* one more than allowed */
        gnt_text_add(&text, "%s1", i ? "," : "{\"marks\": [");
    gnt_text_add(&text, "]}");
    gnt_params p;
    gnt_err err = {0};
    assert_int_equal(read_text(&p, gnt_text_get(&text), &err), -1);
    assert_non_null(strstr(err.text, "4096"));
    gnt_text_free(&text);
}

static void a_plugin_without_parameters_takes_none(void **state) {
    (void)state;
    gnt_params p;
    gnt_err err = {0};
    assert_int_equal(gnt_params_parse(&p, NULL, 0, "params", "{}", NULL), 0);
    assert_int_equal(p.n, 0);
    gnt_params_free(&p);
    assert_int_equal(gnt_params_parse(&p, NULL, 0, "params", "{\"a\": 1}", &err), -1);
    assert_non_null(strstr(err.text, "no parameters"));
}

/* The place of a mistake inside a larger file is named. */
static void complaints_name_line_and_path(void **state) {
    (void)state;
    static const char suite[] = "{\n \"defenses\": [\n  {\"params\": {\n   \"count\": 99}}]}";
    gnt_doc doc;
    gnt_params p;
    gnt_err err = {0};
    assert_int_equal(gnt_doc_parse(&doc, "suite.json", suite, strlen(suite), NULL), 0);
    const json_t *object =
        json_object_get(json_array_get(json_object_get(doc.root, "defenses"), 0), "params");
    assert_int_equal(gnt_params_read(&p, table, N, &doc, "defenses[0].params", object, &err), -1);
    assert_non_null(
        strstr(err.text, "suite.json:4: defenses[0].params.count: is 99; expected an integer from -3 to 7"));
    gnt_doc_free(&doc);
}

static void canonical_text_is_one_for_one_meaning(void **state) {
    (void)state;
    static const char expected[] =
        "{\"sigma\":1,\"count\":5,\"flag\":true,\"scope\":\"tensor\",\"note\":\"\",\"at\":[0.25,1],"
        "\"marks\":[],\"judge\":\"\",\"extractor\":\"\"}";
    static const char *const same[] = {"{}", "{\"count\": 5.0, \"sigma\": 1}",
                                       "{\"sigma\": 1.0, \"at\": [2.5e-1, 1.0]}",
                                       "{\"note\": \"\", \"marks\": [ ], \"flag\": true}"};
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        gnt_params p;
        assert_int_equal(read_text(&p, same[i], NULL), 0);
        char *text = gnt_params_canonical(&p);
        assert_string_equal(text, expected);
        gnt_free(text);
        gnt_params_free(&p);
    }
    gnt_params p, again, copy;
    assert_int_equal(
        read_text(&p, "{\"sigma\": 0.70000000000000007, \"note\": \"a\\\"b\\\\\", \"at\": [-0.0, 0.1]}",
                  NULL),
        0);
    char *text = gnt_params_canonical(&p);
    assert_non_null(strstr(text, "[0,0.1]"));
    assert_int_equal(read_text(&again, text, NULL), 0);
    assert_true(again.value[SIGMA].r == 0.70000000000000007); /* not rounded on the way */
    assert_int_equal(gnt_params_copy(&copy, &again, NULL), 0);
    char *second = gnt_params_canonical(&copy);
    assert_string_equal(text, second);
    gnt_free(text);
    gnt_free(second);
    gnt_params_free(&p);
    gnt_params_free(&again);
    gnt_params_free(&copy);
}

static void strength_is_set_within_its_range(void **state) {
    (void)state;
    static const gnt_parameter whole[] = {
        {.id = "k", .type = GNT_TYPE_INT, .least = 1, .most = 4, .preset = 2, .strength = -1}};
    gnt_params p;
    gnt_err err = {0};
    assert_int_equal(read_text(&p, NULL, NULL), 0);
    assert_int_equal(gnt_params_set_strength(&p, table, N, 2, "x", NULL), 0);
    assert_true(gnt_params_get_strength(&p, table, N) == 2);
    assert_int_equal(gnt_params_set_strength(&p, table, N, 2.1, "matched point", &err), -1);
    assert_non_null(strstr(err.text, "matched point: the strength sigma is 2.1"));
    assert_int_equal(gnt_params_set_strength(&p, table, N, NAN, "x", &err), -1);
    assert_true(gnt_params_get_strength(&p, table, N) == 2);
    gnt_params_free(&p);
    assert_int_equal(gnt_params_parse(&p, whole, 1, "p", NULL, NULL), 0);
    assert_int_equal(gnt_params_set_strength(&p, whole, 1, 2.6, "x", NULL), 0);
    assert_int_equal(p.value[0].i, 3);
    assert_true(p.value[0].r == 3);
    assert_int_equal(gnt_params_set_strength(&p, whole, 1, 4.6, "x", NULL), -1);
    gnt_params_free(&p);
    assert_int_equal(gnt_params_strength(table + 1, N - 1), -1);
    assert_int_equal(gnt_params_parse(&p, table + 1, N - 1, "p", NULL, NULL), 0);
    assert_int_equal(gnt_params_set_strength(&p, table + 1, N - 1, 1, "x", &err), -1);
    assert_non_null(strstr(err.text, "no strength"));
    assert_true(isnan(gnt_params_get_strength(&p, table + 1, N - 1)));
    gnt_params_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_fill_the_table_in_order),
        cmocka_unit_test(edges_of_every_type),
        cmocka_unit_test(list_length_is_bounded),
        cmocka_unit_test(a_plugin_without_parameters_takes_none),
        cmocka_unit_test(complaints_name_line_and_path),
        cmocka_unit_test(canonical_text_is_one_for_one_meaning),
        cmocka_unit_test(strength_is_set_within_its_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
