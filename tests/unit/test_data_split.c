/* Splits: every row of a source has at most one role, all rows are accounted for, and a wish that cannot be
 * met is stated in words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "data/data.h"

static gnt_data *open_small(int64_t train, int64_t test, int64_t publics) {
    gnt_data *d = NULL;
    gnt_err err = {{0}};
    gnt_data_spec spec = {.name = "census", .rows = {train, test, publics}};
    assert_int_equal(gnt_data_open(&d, &spec, NULL, &err), 0);
    return d;
}

/* How often each row is used by any role; asserts that no row is used twice or outside the part it may come
 * from. */
static void count_rows(const gnt_data *d, const gnt_split *s, int *used) {
    memset(used, 0, (size_t)d->rows * sizeof *used);
    for (int r = 0; r < GNT_ROLES; r++)
        for (int64_t i = 0; i < s->n[r]; i++) {
            int64_t row = s->rows[r][i];
            assert_in_range(row, 0, d->rows - 1);
            assert_int_equal(used[row], 0);
            used[row] = 1 + r;
        }
}

static void disjoint_over_many_wishes(void **state) {
    (void)state;
    static int used[420];
    gnt_data *d = open_small(300, 70, 50);
    gnt_key seed = gnt_key_of_seed(5);
    gnt_stream s = gnt_stream_open(&seed, "wishes");
    for (int trial = 0; trial < 300; trial++) {
        int64_t named[12];
        gnt_split_spec spec = {.target_part = (int)gnt_random_below(&s, 3)};
        spec.n[GNT_ROLE_TARGETS] = (int64_t)gnt_random_below(&s, 60);
        spec.n[GNT_ROLE_SHADOW] = (int64_t)gnt_random_below(&s, 100);
        spec.n[GNT_ROLE_DEFENDER_SHADOW] = (int64_t)gnt_random_below(&s, 40);
        spec.n[GNT_ROLE_CLIENTS] = trial % 3 ? -1 : (int64_t)gnt_random_below(&s, 100);
        spec.n[GNT_ROLE_TEST] = trial % 2 ? -1 : (int64_t)gnt_random_below(&s, 40);
        spec.n[GNT_ROLE_PUBLIC] = trial % 5 ? -1 : (int64_t)gnt_random_below(&s, 30);
        if (trial % 4 == 0) {
            int64_t step = 1 + (int64_t)gnt_random_below(&s, 4);
            for (int i = 0; i < 12; i++)
                named[i] = (11 - i) * step;
            spec.target_rows = named;
            spec.n_target_rows = 12;
            spec.n[GNT_ROLE_TARGETS] = 12;
        }
        gnt_split split;
        gnt_err err = {{0}};
        gnt_key key = gnt_key_of_seed((uint64_t)trial);
        assert_int_equal(gnt_split_make(&split, d, &spec, &key, &err), 0);
        count_rows(d, &split, used);
        static const int64_t start[4] = {0, 300, 370, 420};
        for (int64_t row = 0; row < d->rows; row++) {
            int part = row < start[1] ? 0 : row < start[2] ? 1 : 2, role = used[row] - 1;
            if (role == GNT_ROLE_TEST)
                assert_int_equal(part, GNT_PART_TEST);
            else if (role == GNT_ROLE_PUBLIC)
                assert_int_equal(part, GNT_PART_PUBLIC);
            else if (role == GNT_ROLE_TARGETS && spec.target_rows)
                assert_int_equal(part, spec.target_part);
            else if (role >= 0)
                assert_int_equal(part, GNT_PART_TRAIN);
            /* a role that takes all that remain leaves nothing over */
            if (role < 0 && part == GNT_PART_TRAIN)
                assert_int_not_equal(spec.n[GNT_ROLE_CLIENTS], -1);
            if (role < 0 && part == GNT_PART_TEST)
                assert_int_not_equal(spec.n[GNT_ROLE_TEST], -1);
        }
        for (int r = 0; r < GNT_ROLES; r++)
            if (spec.n[r] >= 0)
                assert_int_equal(split.n[r], spec.n[r]);
        for (int i = 0; i < spec.n_target_rows; i++)
            assert_int_equal(split.rows[GNT_ROLE_TARGETS][i], start[spec.target_part] + named[i]);
        gnt_split_free(&split);
    }
    gnt_data_free(d);
}

static void targets_stay_when_others_grow(void **state) {
    (void)state;
    gnt_data *d = open_small(300, 20, 20);
    gnt_key key = gnt_key_of_seed(1), other = gnt_key_of_seed(2);
    gnt_split_spec small = {.n = {50, 10, 5, 5, 20}}, large = {.n = {150, 10, 20, 20, 100}};
    gnt_split a, b, c;
    assert_int_equal(gnt_split_make(&a, d, &small, &key, NULL), 0);
    assert_int_equal(gnt_split_make(&b, d, &large, &key, NULL), 0);
    assert_int_equal(gnt_split_make(&c, d, &small, &other, NULL), 0);
    assert_memory_equal(a.rows[GNT_ROLE_TARGETS], b.rows[GNT_ROLE_TARGETS], 10 * sizeof(int64_t));
    assert_memory_not_equal(a.rows[GNT_ROLE_TARGETS], c.rows[GNT_ROLE_TARGETS], 10 * sizeof(int64_t));
    gnt_split_free(&a);
    gnt_split_free(&b);
    gnt_split_free(&c);
    gnt_data_free(d);
}

static void first_rows_only(void **state) {
    (void)state;
    gnt_data *d = open_small(100, 60, 20);
    gnt_key key = gnt_key_of_seed(1);
    gnt_split_spec spec = {.n = {-1, 0, -1, -1, 0}, .first = {40, 17, 0}};
    gnt_split s;
    assert_int_equal(gnt_split_make(&s, d, &spec, &key, NULL), 0);
    assert_int_equal(s.n[GNT_ROLE_CLIENTS], 40);
    assert_int_equal(s.n[GNT_ROLE_TEST], 17);
    assert_int_equal(s.n[GNT_ROLE_PUBLIC], 20);
    for (int64_t i = 0; i < 17; i++)
        assert_in_range(s.rows[GNT_ROLE_TEST][i], 100, 116);
    for (int64_t i = 0; i < 40; i++)
        assert_in_range(s.rows[GNT_ROLE_CLIENTS][i], 0, 39);
    gnt_split_free(&s);
    gnt_data_free(d);
}

/* Without a public part the public role draws on the train part, and still shares no row with the others. */
static void public_from_train(void **state) {
    (void)state;
    static int used[160];
    gnt_data *d = open_small(100, 30, 30);
    d->part[GNT_PART_TEST] = 60;
    d->part[GNT_PART_PUBLIC] = 0;
    gnt_key key = gnt_key_of_seed(3);
    gnt_split_spec spec = {.n = {-1, 10, 5, 40, 20}};
    gnt_split s;
    assert_int_equal(gnt_split_make(&s, d, &spec, &key, NULL), 0);
    count_rows(d, &s, used);
    assert_int_equal(s.n[GNT_ROLE_CLIENTS], 30);
    for (int64_t i = 0; i < 40; i++)
        assert_in_range(s.rows[GNT_ROLE_PUBLIC][i], 0, 99);
    gnt_split_free(&s);
    gnt_data_free(d);
}

/* ---- values alike often ---- */

static int32_t value_of_row[420];

/* Attribute 1 of two: of the first 300 rows 200 are 0, 60 are 1 and 40 are 2; of the rest every seventh
 * is 1. */
static gnt_data *open_valued(void) {
    gnt_data *d = open_small(300, 70, 50);
    static int32_t attrs[2 * 420];
    for (int i = 0; i < 420; i++) {
        value_of_row[i] = i < 300 ? (i % 15 < 10 ? 0 : i % 15 < 13 ? 1 : 2) : i % 7 == 0;
        attrs[2 * i] = 9;
        attrs[2 * i + 1] = value_of_row[i];
    }
    d->n_attrs = 2;
    d->attr[0].values = 10;
    d->attr[1].values = 3;
    gnt_free(d->attrs);
    d->attrs = attrs;
    return d;
}

static void close_valued(gnt_data *d) {
    d->attrs = NULL;
    gnt_data_free(d);
}

/* Each wanted value has as many rows as the rarest, others none; which rows is drawn. */
static void values_are_alike_often(void **state) {
    (void)state;
    static const int64_t two[] = {0, 1}, all[] = {0, 1, 2};
    gnt_data *d = open_valued();
    gnt_key key = gnt_key_of_seed(3), other = gnt_key_of_seed(4);
    for (int three = 0; three < 2; three++) {
        const int64_t each = three ? 40 : 60, values = 2 + three;
        gnt_split_spec spec = {.n = {values * each - 30, 30, 0, 0, 0, 0},
                               .balance = 1,
                               .balance_value = three ? all : two,
                               .n_balance = values};
        gnt_split split, again;
        gnt_err err = {{0}};
        int64_t count[3] = {0};
        if (gnt_split_make(&split, d, &spec, &key, &err))
            fail_msg("%s", err.text);
        for (int role = 0; role < GNT_ROLES; role++)
            for (int64_t i = 0; i < split.n[role]; i++)
                count[value_of_row[split.rows[role][i]]]++;
        for (int v = 0; v < 3; v++)
            assert_int_equal(count[v], v < values ? each : 0);
        assert_int_equal(gnt_split_make(&again, d, &spec, &other, NULL), 0);
        assert_memory_not_equal(split.rows[GNT_ROLE_TARGETS], again.rows[GNT_ROLE_TARGETS],
                                30 * sizeof(int64_t));
        /* in what is dealt first as well as in all: no more of one value than chance makes it */
        int64_t common = 0;
        for (uint64_t seed = 0; seed < 40; seed++) {
            gnt_split one;
            const gnt_key drawn = gnt_key_of_seed(100 + seed);
            assert_int_equal(gnt_split_make(&one, d, &spec, &drawn, NULL), 0);
            for (int64_t i = 0; i < 30; i++)
                common += value_of_row[one.rows[GNT_ROLE_TARGETS][i]] == 0;
            gnt_split_free(&one);
        }
        const double expected = 40.0 * 30 / (double)values;
        assert_true((double)common < expected + 100 && (double)common > expected - 100);
        gnt_split_free(&split);
        gnt_split_free(&again);
        spec.n[GNT_ROLE_CLIENTS]++;
        assert_int_not_equal(gnt_split_make(&split, d, &spec, &key, NULL), 0);
    }
    close_valued(d);
}

/* ---- roles apart by group ---- */

static int32_t group_of_row[420];

/* 60 groups of 1 to 9 rows in 300 train rows, 20 others in the rest. */
static gnt_data *open_grouped(void) {
    gnt_data *d = open_small(300, 70, 50);
    gnt_key seed = gnt_key_of_seed(8);
    gnt_stream s = gnt_stream_open(&seed, "groups");
    for (int i = 0; i < 420; i++)
        group_of_row[i] =
            i < 300 ? (int32_t)gnt_random_below(&s, 60) : 1000 + (int32_t)gnt_random_below(&s, 20);
    d->group_name = "person";
    d->group = group_of_row;
    return d;
}

static void close_grouped(gnt_data *d) {
    d->group = NULL;
    gnt_data_free(d);
}

/* No group has rows in two roles of a part, and each role has all it requested. */
static void no_group_in_two_roles(void **state) {
    (void)state;
    static int used[420];
    gnt_data *d = open_grouped();
    for (uint64_t trial = 0; trial < 100; trial++) {
        static const int64_t named[3] = {7, 100, 250};
        gnt_split_spec spec = {.n = {120, 16, 70, 50, 60, 20}, .apart = 1};
        if (trial % 3 == 0) {
            spec.target_rows = named;
            spec.n_target_rows = spec.n[GNT_ROLE_TARGETS] = 3;
        }
        int role_of[1020] = {0};
        gnt_split split;
        gnt_err err = {{0}};
        gnt_key key = gnt_key_of_seed(trial);
        if (gnt_split_make(&split, d, &spec, &key, &err))
            fail_msg("%s", err.text);
        count_rows(d, &split, used);
        for (int64_t row = 0; row < 420; row++) {
            int *role = &role_of[group_of_row[row]];
            if (!used[row])
                continue;
            if (*role && row < 300)
                assert_int_equal(*role, used[row]);
            *role = used[row];
        }
        for (int r = 0; r < GNT_ROLES; r++)
            assert_int_equal(split.n[r], spec.n[r]);
        gnt_split_free(&split);
    }
    close_grouped(d);
}

/* Groups follow each other whole: a role that is dealt one more row begins with the same ones. Without
 * `apart` groups change nothing. */
static void groups_are_dealt_in_one_order(void **state) {
    (void)state;
    gnt_data *d = open_grouped();
    gnt_key key = gnt_key_of_seed(1);
    gnt_split_spec few = {.n = {50, 40, 0, 0, 30}, .apart = 1}, more = {.n = {150, 41, 0, 0, 60}, .apart = 1};
    gnt_split a, b;
    assert_int_equal(gnt_split_make(&a, d, &few, &key, NULL), 0);
    assert_int_equal(gnt_split_make(&b, d, &more, &key, NULL), 0);
    assert_memory_equal(a.rows[GNT_ROLE_TARGETS], b.rows[GNT_ROLE_TARGETS], 40 * sizeof(int64_t));
    int changes = 0, groups[60] = {0}, seen = 0;
    for (int64_t i = 0; i < 40; i++) {
        const int32_t g = group_of_row[a.rows[GNT_ROLE_TARGETS][i]];
        changes += i == 0 || g != group_of_row[a.rows[GNT_ROLE_TARGETS][i - 1]];
        seen += !groups[g];
        groups[g] = 1;
    }
    assert_int_equal(changes, seen);
    gnt_split_free(&a);
    gnt_split_free(&b);
    few.apart = 0;
    assert_int_equal(gnt_split_make(&a, d, &few, &key, NULL), 0);
    d->group = NULL;
    assert_int_equal(gnt_split_make(&b, d, &few, &key, NULL), 0);
    assert_memory_equal(a.rows[GNT_ROLE_CLIENTS], b.rows[GNT_ROLE_CLIENTS], 50 * sizeof(int64_t));
    gnt_split_free(&a);
    gnt_split_free(&b);
    close_grouped(d);
}

static void refuse(const gnt_data *d, const gnt_split_spec *spec, const char *a, const char *b) {
    gnt_split s;
    gnt_err err = {{0}};
    gnt_key key = gnt_key_of_seed(1);
    assert_int_equal(gnt_split_make(&s, d, spec, &key, &err), -1);
    if (!strstr(err.text, a) || !strstr(err.text, b))
        fail_msg("\"%s\" lacks \"%s\" or \"%s\"", err.text, a, b);
    for (int r = 0; r < GNT_ROLES; r++)
        assert_null(s.rows[r]);
}

static void refusals_name_role_wish_and_rest(void **state) {
    (void)state;
    gnt_data *d = open_small(100, 30, 30);
    int64_t twice[3] = {4, 9, 4}, beyond[1] = {30}, below[1] = {-1};
    gnt_split_spec much = {.n = {60, 10, 0, 0, 31}}, test = {.n = {0, 0, 31, 0, 0}};
    refuse(d, &much, "60 rows wanted for clients", "59 are left");
    refuse(d, &test, "31 rows wanted for test", "30 are left");
    gnt_split_spec both = {.n = {-1, 0, 0, 0, -1}}, odd = {.n = {-2, 0, 0, 0, 0}};
    refuse(d, &both, "clients", "shadow");
    refuse(d, &odd, "-2", "clients");
    gnt_split_spec named = {.target_rows = twice, .n_target_rows = 3};
    refuse(d, &named, "row 4", "twice");
    gnt_split_spec far = {.target_rows = beyond, .n_target_rows = 1, .target_part = GNT_PART_TEST};
    refuse(d, &far, "row 30", "0 to 29");
    gnt_split_spec negative = {.target_rows = below, .n_target_rows = 1};
    refuse(d, &negative, "row -1", "0 to 99");
    gnt_split_spec count = {.n = {0, 2, 0, 0, 0}, .target_rows = twice, .n_target_rows = 3};
    refuse(d, &count, "2 targets", "3 rows");
    gnt_split_spec first = {.first = {101, 0, 0}};
    refuse(d, &first, "101", "100");
    gnt_data_free(d);
}

static void refusals_count_rows_of_free_groups(void **state) {
    (void)state;
    gnt_data *d = open_grouped();
    for (int i = 0; i < 300; i++)
        group_of_row[i] = i / 10; /* 30 groups of 10 */
    gnt_split_spec much = {.n = {271, 11, 0, 0, 5}, .apart = 1}, fits = {.n = {270, 11, 0, 0, 5}, .apart = 1};
    refuse(d, &much, "271 rows wanted for clients, but 270 are left", "in groups (person) of which no other");
    fits.n[GNT_ROLE_SHADOW] = 0;
    fits.n[GNT_ROLE_CLIENTS] = 280;
    gnt_split s;
    gnt_key key = gnt_key_of_seed(1);
    assert_int_equal(gnt_split_make(&s, d, &fits, &key, NULL), 0);
    gnt_split_free(&s);
    d->group_name = NULL;
    refuse(d, &fits, "apart by group", "its rows have none");
    close_grouped(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(disjoint_over_many_wishes),
        cmocka_unit_test(targets_stay_when_others_grow),
        cmocka_unit_test(first_rows_only),
        cmocka_unit_test(public_from_train),
        cmocka_unit_test(refusals_name_role_wish_and_rest),
        cmocka_unit_test(values_are_alike_often),
        cmocka_unit_test(no_group_in_two_roles),
        cmocka_unit_test(groups_are_dealt_in_one_order),
        cmocka_unit_test(refusals_count_rows_of_free_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
