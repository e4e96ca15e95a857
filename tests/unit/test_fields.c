/* Tables of fields: how far numbers may be apart, keys that no row names, some members of a struct. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/fields.h"
#include "base/mem.h"

typedef struct part {
    double x;
} part;

typedef struct parts {
    const part *at;
    size_t n;
} parts;

typedef struct whole {
    double exact, near;
    const char *text;
    parts list;
    gnt_named_reals map;
    gnt_reals numbers;
} whole;

static const gnt_field part_rows[] = {{GNT_FIELD(part, x, REAL), .nullable = 1}};
static const gnt_fields part_fields = {.field = part_rows, .n = 1, .size = sizeof(part), .open = 1};
static const gnt_field whole_rows[] = {
    {GNT_FIELD(whole, exact, REAL), .nullable = 1},
    {GNT_FIELD(whole, near, REAL), .nullable = 1, .tolerance = 0.1},
    {GNT_FIELD(whole, text, TEXT), .nullable = 1},
    {.name = "mean", .type = GNT_FIELD_REAL, .old = 1, .offset = offsetof(whole, exact)},
    {GNT_FIELD(whole, list, LIST), .group = &part_fields, .optional = 1},
    {GNT_FIELD(whole, map, MAP), .group = &gnt_named_real_fields, .optional = 1},
    {GNT_FIELD(whole, numbers, REALS), .optional = 1, .tolerance = 0.1}};
static const gnt_fields whole_fields = {
    .field = whole_rows, .n = sizeof whole_rows / sizeof *whole_rows, .size = sizeof(whole), .open = 1};

static const char *difference(const whole *a, const whole *b) {
    static const gnt_likeness exactly = {0};
    static gnt_difference d;
    return gnt_fields_same(&whole_fields, "w", a, b, &exactly, &d) == 0 ? "" : d.path.text;
}

/* A field's own tolerance counts where the comparison has none. */
static void a_field_has_its_tolerance(void **state) {
    (void)state;
    const double near[] = {1, 10}, far[] = {1, 12};
    const whole a = {.exact = 1, .near = 1, .text = gnt_no_text, .numbers = {near, 2}};
    whole b = a;
    b.near = 1.09;
    assert_string_equal(difference(&a, &b), "");
    b.near = 1.2;
    assert_string_equal(difference(&a, &b), "w.near");
    b = a;
    b.exact = 1 + 1e-9;
    assert_string_equal(difference(&a, &b), "w.exact");
    b = a;
    b.numbers.at = far;
    assert_string_equal(difference(&a, &b), "w.numbers[1]");
}

static size_t unknown(const char *text, int is_own, const char *first) {
    gnt_path path = {""};
    json_t *json = json_loads(text, 0, NULL);
    assert_non_null(json);
    const size_t n = gnt_fields_unknown(&whole_fields, json, "w", is_own, &path);
    assert_string_equal(path.text, first);
    json_decref(json);
    return n;
}

static void keys_that_no_row_names_are_counted(void **state) {
    (void)state;
    assert_int_equal(unknown("{}", 0, ""), 0);
    assert_int_equal(unknown("{\"exact\": 1, \"list\": [{\"x\": 1}], \"map\": {\"any\": 1}}", 1, ""), 0);
    assert_int_equal(unknown("{\"new\": {\"x\": 1}, \"list\": 3}", 0, "w.new"), 1);
    assert_int_equal(unknown("{\"list\": [{\"x\": 1}, {\"x\": 1, \"y\": 2}], \"z\": 0}", 0, "w.list[1].y"),
                     2);
    assert_int_equal(unknown("{\"mean\": 1}", 0, ""), 0);
    assert_int_equal(unknown("{\"mean\": 1}", 1, "w.mean"), 1);
}

static void some_members_are_encoded_in_the_given_order(void **state) {
    (void)state;
    static const size_t member[] = {offsetof(whole, text), offsetof(whole, exact), offsetof(whole, list)};
    const whole w = {.exact = 0.5, .near = 2, .text = "t"};
    json_t *all = gnt_fields_encode_members(&whole_fields, &w, member, 3);
    char *text = json_dumps(all, JSON_COMPACT);
    assert_string_equal(text, "{\"text\":\"t\",\"exact\":0.5}"); /* there is no list */
    gnt_free(text);
    json_decref(all);
    assert_string_equal(gnt_fields_name(&whole_fields, offsetof(whole, exact)), "exact");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_field_has_its_tolerance),
                                       cmocka_unit_test(keys_that_no_row_names_are_counted),
                                       cmocka_unit_test(some_members_are_encoded_in_the_given_order)};
    return cmocka_run_group_tests_name("fields", tests, NULL, NULL);
}
