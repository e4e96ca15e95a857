/* JSON documents: what is refused and with which words, lines of paths, typed reading, canonical numbers and
 * text. Expected texts come from RFC 8259's grammar and from the sentences this house promises (file, line,
 * path, what). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/random.h"

static void parse_fails(const char *text, size_t size, const char *sentence) {
    gnt_doc doc;
    gnt_err err = {0};
    assert_int_equal(gnt_doc_parse(&doc, "f", text, size, &err), -1);
    if (!strstr(err.text, sentence))
        fail_msg("\"%s\" lacks \"%s\"", err.text, sentence);
    assert_null(doc.root);
}

static void bad_syntax_is_named_where_it_is(void **state) {
    (void)state;
    static const struct {
        const char *text, *sentence;
    } bad[] = {
        {"", "f:1:1: is empty"},
        {" \n\t\n", "is empty"},
        {"\xef\xbb\xbf{}", "byte order mark"},
        {"\xff\xfe{", "UTF-16"},
        {"{\n  \"a\": 1,\n}", "f:3:1: a comma precedes the closing bracket"},
        {"[1, 2, ]", "f:1:8: a comma precedes"},
        {"{\"a\": 1,\n \"a\": 2}", "f:2:2: the key \"a\" occurs twice"},
        {"{\"a\": NaN}", "f:1:7: NaN and infinity"},
        {"{\"a\": -Infinity}", "NaN and infinity"},
        {"{\"a\": 1e999}", "too large"},
        {"{\"a\": 99999999999999999999}", "too large"},
        {"{\"a\": 1", "the file ends inside a value"},
        {"{\"a\": \"x", "the file ends inside a value"},
        {"{\"a\": 1} x", "something follows"},
        {"{'a': 1}", "double quotes"},
        {"{\"a\": True}", "lower case"},
        {"{\"a\": 1 \"b\": 2}", "f:1:9: a comma or colon is missing"},
        {"{\"a\": \"\xc3\x28\"}", "UTF-8"},
        {"// x\n{}", "no comments"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        parse_fails(bad[i].text, strlen(bad[i].text), bad[i].sentence);
    parse_fails("{\"a\":\0 1}", 9, "f:1:6: holds a zero byte");
}

static void nesting_stops_at_its_limit(void **state) {
    (void)state;
    char text[2 * GNT_DOC_DEPTH + 4];
    gnt_doc doc;
    gnt_err err = {0};
    memset(text, '[', GNT_DOC_DEPTH);
    memset(text + GNT_DOC_DEPTH, ']', GNT_DOC_DEPTH);
    assert_int_equal(gnt_doc_parse(&doc, "f", text, 2 * GNT_DOC_DEPTH, &err), 0);
    gnt_doc_free(&doc);
    memset(text, '[', GNT_DOC_DEPTH + 1);
    memset(text + GNT_DOC_DEPTH + 1, ']', GNT_DOC_DEPTH + 1);
    parse_fails(text, 2 * GNT_DOC_DEPTH + 2, "nested deeper");
    static char deep[200000]; /* brackets inside text do not count */
    memset(deep, '[', sizeof deep);
    deep[0] = '"';
    deep[sizeof deep - 1] = '"';
    assert_int_equal(gnt_doc_parse(&doc, "f", deep, sizeof deep, &err), 0);
    gnt_doc_free(&doc);
}

static const char tree[] = "\n"                                  /* 1 */
                           "{ \"first\": \"a \\\" ] } \\\\\",\n" /* 2 */
                           "  \"tasks\": [ {\"id\": 1},\n"       /* 3 */
                           "    {\n"                             /* 4 */
                           "      \"id\": [[1,\n"                /* 5 */
                           "               2], 3],\n"            /* 6 */
                           "      \"mod\\u0065l\": {\"x\":\n"    /* 7 */
                           "          true},\n"                  /* 8 */
                           "      \"odd key.[0]\": 1, \"\": [\n" /* 9 */
                           "      7]\n"                          /* 10 */
                           "    } ] ,\n"                         /* 11 */
                           "  \"model\": -1.5e3 }\n";            /* 12 */

static void a_path_has_its_line(void **state) {
    (void)state;
    static const struct {
        const char *path;
        size_t line;
    } at[] = {{"", 2},
              {"first", 2},
              {"tasks", 3},
              {"tasks[0]", 3},
              {"tasks[0].id", 3},
              {"tasks[1]", 4},
              {"tasks[1].id", 5},
              {"tasks[1].id[0]", 5},
              {"tasks[1].id[0][1]", 6},
              {"tasks[1].id[1]", 6},
              {"tasks[1].model", 7},
              {"tasks[1].model.x", 7},
              {"tasks[1][\"odd key.[0]\"]", 9},
              {"tasks[1][\"\"][0]", 10},
              {"model", 12},
              /* what is not there: the deepest part that is */
              {"absent", 2},
              {"tasks[7].id", 3},
              {"tasks[1].absent[3]", 4},
              {"model.x", 12},
              {"tasks[", 3}};
    gnt_doc doc;
    gnt_err err = {0};
    assert_int_equal(gnt_doc_parse(&doc, "f", tree, sizeof tree - 1, &err), 0);
    for (size_t i = 0; i < sizeof at / sizeof *at; i++)
        if (gnt_doc_line(&doc, at[i].path) != at[i].line)
            fail_msg("%s: line %zu, expected %zu", at[i].path, gnt_doc_line(&doc, at[i].path), at[i].line);
    assert_string_equal(gnt_path_key("tasks[1]", "odd key.[0]").text, "tasks[1][\"odd key.[0]\"]");
    assert_string_equal(gnt_path_key(gnt_path_item(gnt_path_key("", "tasks").text, 1).text, "id").text,
                        "tasks[1].id");
    gnt_doc_fail(&err, &doc, "tasks[1].model", "is %d", 3);
    assert_string_equal(err.text, "f:7: tasks[1].model: is 3");
    gnt_doc_free(&doc);
}

static void typed_reading_states_what_was_expected(void **state) {
    (void)state;
    static const char text[] =
        "{\"i\": 7, \"whole\": 1e3, \"half\": 0.5, \"big\": 9223372036854775807, \"t\": \"abc\",\n"
        "\"list\": [1], \"nil\": null, \"yes\": true, \"ctl\": \"a\\u0001\", \"none\": \"\"}";
    static const char *const choices[] = {"abd", "xyz"};
    gnt_doc doc;
    gnt_err err = {0};
    int64_t i = -5;
    double r = -5;
    int which = -5;
    const char *t = NULL;
    const json_t *list = NULL;
    assert_int_equal(gnt_doc_parse(&doc, "f", text, sizeof text - 1, &err), 0);
    const json_t *o = doc.root;

    assert_int_equal(gnt_doc_int(&doc, "", o, "absent", 0, 9, &i, &err), 0);
    assert_int_equal(i, -5);
    assert_int_equal(gnt_doc_int(&doc, "", o, "i", 0, 7, &i, &err), 0);
    assert_int_equal(i, 7);
    assert_int_equal(gnt_doc_int(&doc, "", o, "i", 0, 6, &i, &err), -1);
    assert_string_equal(err.text, "f:1: i: is 7; expected an integer from 0 to 6");
    assert_int_equal(gnt_doc_int(&doc, "", o, "whole", 0, 1000, &i, &err), 0);
    assert_int_equal(i, 1000);
    assert_int_equal(gnt_doc_int(&doc, "", o, "half", 0, 7, &i, &err), -1);
    assert_int_equal(gnt_doc_int(&doc, "", o, "big", 0, INT64_MAX, &i, &err), 0);
    assert_true(i == INT64_MAX);
    assert_int_equal(gnt_doc_real(&doc, "", o, "i", 0, INFINITY, &r, &err), 0);
    assert_true(r == 7);
    assert_int_equal(gnt_doc_real(&doc, "", o, "half", 0.75, INFINITY, &r, &err), -1);
    assert_string_equal(err.text, "f:1: half: is 0.5; expected a number, at least 0.75");
    assert_int_equal(gnt_doc_real(&doc, "", o, "yes", 0, 1, &r, &err), -1);
    assert_string_equal(err.text, "f:2: yes: is true; expected a number from 0 to 1");
    assert_int_equal(gnt_doc_text(&doc, "", o, "t", 3, &t, &err), 0);
    assert_string_equal(t, "abc");
    assert_int_equal(gnt_doc_text(&doc, "", o, "t", 2, &t, &err), -1);
    assert_int_equal(gnt_doc_text(&doc, "", o, "ctl", 9, &t, &err), -1);
    assert_int_equal(gnt_doc_text(&doc, "", o, "none", 9, &t, &err), -1);
    assert_int_equal(gnt_doc_text(&doc, "", o, "nil", 9, &t, &err), -1);
    assert_string_equal(err.text, "f:2: nil: is null; expected text in double quotes");
    assert_int_equal(gnt_doc_choice(&doc, "", o, "t", choices, 2, &which, &err), -1);
    assert_string_equal(err.text, "f:1: t: is \"abc\"; did you mean \"abd\"? expected \"abd\" or \"xyz\"");
    assert_int_equal(gnt_doc_list(&doc, "", o, "list", 2, 3, &list, &err), -1);
    assert_string_equal(err.text, "f:2: list: is a list of 1; expected 2 to 3 entries");
    assert_int_equal(gnt_doc_need(&doc, "", o, "absent", "it", &err), -1);
    assert_string_equal(err.text, "f:1: \"absent\" is missing; add it");
    static const char *const keys[] = {"i",    "whole", "half", "big", "t",
                                       "list", "nil",   "yess", "ctl", "none"};
    assert_int_equal(gnt_doc_keys(&doc, "", o, keys, 10, &err), -1);
    assert_non_null(strstr(err.text, "f:2: yes: unknown key; did you mean \"yess\"? expected \"i\", "));
    gnt_doc_free(&doc);
}

static void numbers_are_shortest_and_read_back(void **state) {
    (void)state;
    static const struct {
        double value;
        const char *text;
    } known[] = {{0, "0"},
                 {-0.0, "0"},
                 {1, "1"},
                 {-1.0, "-1"},
                 {0.1, "0.1"},
                 {1e6, "1000000"},
                 {1e15, "1e+15"},
                 {0.00001, "1e-05"},
                 {1.0 / 3, "0.3333333333333333"},
                 {2.5e-8, "2.5e-08"},
                 {0.1 + 0.2, "0.30000000000000004"}};
    char text[GNT_NUMBER_SIZE];
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        gnt_number_text(known[i].value, text);
        assert_string_equal(text, known[i].text);
    }
    gnt_key key = gnt_key_of_seed(1);
    gnt_stream s = gnt_stream_open(&key, "numbers");
    for (int i = 0; i < 2000; i++) {
        uint64_t bits = (uint64_t)gnt_random_u32(&s) << 32 | gnt_random_u32(&s);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        gnt_number_text(value, text);
        assert_true(strtod(text, NULL) == value);
    }
}

static char *canonical(const char *text) {
    gnt_doc doc;
    gnt_err err = {0};
    assert_int_equal(gnt_doc_parse(&doc, "f", text, strlen(text), &err), 0);
    char *out = gnt_json_canonical(doc.root);
    assert_non_null(out);
    gnt_doc_free(&doc);
    return out;
}

static void canonical_text_has_one_form(void **state) {
    (void)state;
    char *a = canonical("{\"b\": [1.0, 2e1, true, null, {}], \"a\": \"x\\u00e9\\n\\\"\\\\\", \"B\": -0.0}");
    char *b = canonical("{\"B\":0,\"a\":\"x\xc3\xa9\\n\\\"\\\\\",\"b\":[1,20,true,null,{}]}");
    assert_string_equal(a, "{\"B\":0,\"a\":\"x\xc3\xa9\\n\\\"\\\\\",\"b\":[1,20,true,null,{}]}");
    assert_string_equal(a, b);
    char *again = canonical(a);
    assert_string_equal(a, again);
    gnt_free(a);
    gnt_free(b);
    gnt_free(again);
}

static void written_text_is_always_valid(void **state) {
    (void)state;
    gnt_text out;
    gnt_text_init(&out, 1000);
    gnt_json_add_text(&out, "a\xff\xc3\x28\xed\xa0\x80\x01\x7f");
    assert_string_equal(gnt_text_get(&out),
                        "\"a\xef\xbf\xbd\xef\xbf\xbd(\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\\u0001\\u007f\"");
    gnt_text_free(&out);
    gnt_text_init(&out, 1000);
    gnt_json_add_real(&out, NAN);
    gnt_json_add_real(&out, INFINITY);
    assert_string_equal(gnt_text_get(&out), "nullnull");
    gnt_text_free(&out);
}

static void numbers_that_are_not_finite_are_null(void **state) {
    (void)state;
    json_t *list = json_pack("[o, o, o]", gnt_json_real(0.5), gnt_json_real(NAN), gnt_json_real(-INFINITY));
    char *text = gnt_json_canonical(list);
    assert_string_equal(text, "[0.5,null,null]");
    gnt_free(text);
    json_decref(list);
}

static void readable_json_has_a_line_for_each_key(void **state) {
    (void)state;
    json_t *all = json_loads(
        "{\"b\": {\"list\": [1, 0.1, true], \"none\": {}}, \"a\": [[1], [2, 3]], \"e\": []}", 0, NULL);
    char *text = gnt_json_readable(all);
    assert_string_equal(
        text, "{\n \"b\": {\n  \"list\": [1, 0.1, true],\n  \"none\": {}\n },\n \"a\": [\n  [1],\n  [2, 3]\n "
              "],\n \"e\": []\n}\n");
    gnt_free(text);
    json_decref(all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_syntax_is_named_where_it_is),
        cmocka_unit_test(nesting_stops_at_its_limit),
        cmocka_unit_test(a_path_has_its_line),
        cmocka_unit_test(typed_reading_states_what_was_expected),
        cmocka_unit_test(numbers_are_shortest_and_read_back),
        cmocka_unit_test(readable_json_has_a_line_for_each_key),
        cmocka_unit_test(canonical_text_has_one_form),
        cmocka_unit_test(written_text_is_always_valid),
        cmocka_unit_test(numbers_that_are_not_finite_are_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
