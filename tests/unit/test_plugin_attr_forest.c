/* attr-forest: separates what no line separates, splits where the impurity is least and halfway between
 * entries, keeps to its bounds, draws rare values as often as its parameter says, gives the same bytes again,
 * and refuses trees in which a walk would not end. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "attr_points.h"

enum { COLUMN, THRESHOLD, LEFT, SHARES }; /* of a node */

static points shadow, fresh;

#define PLAIN "\"window\": 1, \"validation\": 0"

/* The bounds of a line are explained in test_plugin_attr_svm.c. */
static void parts_what_no_line_parts(void **state) {
    (void)state;
    const char *line = "{\"window\": 1, \"architecture\": \"custom\", \"hidden\": []}";
    points_rings(&shadow, 300, 1);
    points_rings(&fresh, 200, 2);
    assert_true(points_accuracy("attr-forest", "{\"window\": 1}", &shadow, &fresh) > 0.95);
    assert_true(points_accuracy("attr-nn", line, &shadow, &fresh) < 0.75);
    points_xor(&shadow, 300, 2, 1);
    points_xor(&fresh, 200, 2, 2);
    assert_true(points_accuracy("attr-forest", "{\"window\": 1}", &shadow, &fresh) > 0.95);
    assert_true(points_accuracy("attr-nn", line, &shadow, &fresh) < 0.84);
}

/* A column of `times` rows of each (x, value). */
static void column(points *p, int64_t kinds, const float *x, const int32_t *value, const int64_t *times) {
    *p = (points){.columns = 1};
    for (int64_t k = 0; k < kinds; k++)
        for (int64_t i = 0; i < times[k]; i++, p->n++) {
            p->x[p->n][0] = x[k];
            p->value[p->n] = value[k];
        }
    points_tie(p, 2);
}

/* 30 rows at 1 and 10 at 5, a value each: mean 2, deviation √3, so the threshold is at (3 − 2)/√3. */
static void splits_halfway(void **state) {
    (void)state;
    const float x[] = {1, 5};
    const int32_t value[] = {0, 1};
    const int64_t times[] = {30, 10};
    column(&shadow, 2, x, value, times);
    kept own;
    tried t = points_learn("attr-forest", "{" PLAIN "}", 1, &shadow, &own);
    const gnt_view *node = points_artefact(&own, "node"), *size = points_artefact(&own, "size");
    assert_int_equal(size->count, 120);
    assert_int_equal(node->dim[0], 3 * 120);
    assert_int_equal(node->dim[1], SHARES + 2);
    for (int tree = 0; tree < 120; tree++) {
        const float *n = node->data + (ptrdiff_t)tree * 15;
        const float leaves[] = {0, 0, 0, 1, 0, 0, 0, 0, 0, 1};
        assert_true(size->data[tree] == 3 && n[COLUMN] == 0 && n[LEFT] == 1);
        assert_true(fabs((double)n[THRESHOLD] - 1 / sqrt(3)) < 1e-6);
        assert_true(fabsf(n[SHARES] + n[SHARES + 1] - 1) < 1e-6f);
        assert_memory_equal(n + 5, leaves, sizeof leaves);
    }
    float z[2];
    const float at[] = {2.99f, 3.01f};
    for (int k = 0; k < 2; k++) {
        shadow.x[0][0] = at[k];
        assert_int_equal(points_run(&t, &shadow.seen[0], &own, z, NULL), GNT_OK);
        assert_true(z[k] == 1 && z[1 - k] == 0);
    }
    try_drop(&own);
    try_close(&t);
}

/* 100 rows at −1, 100 at 0 of which 90 have value 1, 100 at 1. Σ count²/rows is 100 + (10² + 190²)/200 = 281
 * between the first two, (110² + 90²)/200 + 100 = 201 between the others: no sample that is likely at all
 * turns that round. In standardised entries, of mean 0 and variance 2/3, the threshold is −½/√(2/3). */
static void splits_where_impurity_is_least(void **state) {
    (void)state;
    const float x[] = {-1, 0, 0, 1};
    const int32_t value[] = {0, 0, 1, 1};
    const int64_t times[] = {100, 10, 90, 100};
    column(&shadow, 4, x, value, times);
    kept own;
    tried t = points_learn("attr-forest", "{" PLAIN ", \"depth\": 1}", 1, &shadow, &own);
    const gnt_view *node = points_artefact(&own, "node");
    assert_int_equal(node->dim[0], 3 * 120);
    for (int tree = 0; tree < 120; tree++) {
        const float *n = node->data + (ptrdiff_t)tree * 15;
        assert_true(fabs((double)n[THRESHOLD] + 0.5 / sqrt(2.0 / 3)) < 1e-6);
        assert_true(n[5 + SHARES] == 1 && fabsf(n[10 + SHARES + 1] - 0.95f) < 0.05f);
    }
    assert_true(try_fact(&t, "depth") == 1 && try_fact(&t, "nodes") == 3);
    try_drop(&own);
    try_close(&t);
}

/* A depth of k bounds the nodes by 2^(k+1) − 1; leaves of more than half the rows leave the root alone;
 * without a bound every leaf of rows that all differ is of one value. */
static void keeps_to_its_bounds(void **state) {
    (void)state;
    points_rings(&shadow, 200, 1);
    const struct {
        const char *json;
        float most;
    } bounded[] = {{"{" PLAIN ", \"depth\": 2}", 7}, {"{" PLAIN ", \"leaf\": 101}", 1}, {"{" PLAIN "}", 399}};
    for (int k = 0; k < 3; k++) {
        kept own;
        tried t = points_learn("attr-forest", bounded[k].json, 1, &shadow, &own);
        const gnt_view *node = points_artefact(&own, "node"), *size = points_artefact(&own, "size");
        for (int64_t i = 0; i < size->count; i++)
            assert_true(size->data[i] <= bounded[k].most);
        for (int64_t i = 0; k == 2 && i < node->dim[0]; i++) {
            const float *n = node->data + i * node->dim[1];
            assert_true(n[LEFT] > 0 || n[SHARES] == 0 || n[SHARES] == 1);
        }
        try_drop(&own);
        try_close(&t);
    }
}

/* One row in 20 has value 1; the share of it among the 24,000 draws of all trees is that, or one half,
 * give or take five deviations. */
static void balance_draws_rare_values(void **state) {
    (void)state;
    const char *json[] = {"{" PLAIN ", \"leaf\": 200}",
                          "{" PLAIN ", \"leaf\": 200, \"weights\": \"balanced\"}"};
    const double expected[] = {0.05, 0.5};
    points_rings(&shadow, 200, 1);
    for (int64_t i = 0; i < 200; i++)
        shadow.value[i] = i % 20 == 0;
    for (int k = 0; k < 2; k++) {
        kept own;
        tried t = points_learn("attr-forest", json[k], 1, &shadow, &own);
        const gnt_view *node = points_artefact(&own, "node");
        double share = 0;
        for (int tree = 0; tree < 120; tree++)
            share += (double)node->data[(ptrdiff_t)tree * 5 + SHARES + 1] / 120;
        assert_true(fabs(share - expected[k]) < 5 * sqrt(expected[k] * (1 - expected[k]) / 24000));
        try_drop(&own);
        try_close(&t);
    }
}

/* XOR in two of eight columns, of which a node sees two: 120 trees find it where one does not. */
static void many_trees_infer_better(void **state) {
    (void)state;
    points_xor(&shadow, 600, 8, 1);
    points_xor(&fresh, 200, 8, 2);
    const double one = points_accuracy("attr-forest", "{\"window\": 1, \"trees\": 1}", &shadow, &fresh);
    const double many = points_accuracy("attr-forest", "{\"window\": 1}", &shadow, &fresh);
    assert_true(many > 0.8 && many > one + 0.05);
}

/* ---- trees written by hand ---- */

static kept hand;

/* Two trees for two columns and three values: the root of the first tests column 0, its left child column 1;
 * the second is a leaf. */
static const float good[6][SHARES + 3] = {{0, 0.5f, 1, 0, 0, 0}, {1, -1, 3, 0, 0, 0},
                                          {0, 0, 0, 0, 0, 1},    {0, 0, 0, 1, 0, 0},
                                          {0, 0, 0, 0, 1, 0},    {0, 0, 0, 0.25f, 0.25f, 0.5f}};

static void write_by_hand(int64_t nodes, int64_t columns, float first, float second) {
    const float mean[] = {0, 0}, scale[] = {1, 1}, size[] = {first, second};
    const int64_t two = 2, dim[2] = {nodes, columns};
    hand = (kept){.artefacts = {.size = sizeof(gnt_artefacts)}};
    hand.artefacts.tensors.view = hand.view;
    try_keep(&hand, "mean", 1, &two, mean);
    try_keep(&hand, "scale", 1, &two, scale);
    try_keep(&hand, "size", 1, &two, size);
    try_keep(&hand, "node", 2, dim, good[0]);
}

static tried open_by_hand(void) {
    fresh = (points){.n = 1, .columns = 2};
    points_tie(&fresh, 3);
    return points_open("attr-forest", "{\"window\": 1, \"trees\": 2}", 1, (gnt_instance_spec){0});
}

/* Each leaf averaged with the other tree's. An entry at the threshold goes left. */
static void walks_by_thresholds(void **state) {
    (void)state;
    const float at[4][2] = {{0.5f, -1}, {0, 0}, {1, 0}, {1, -2}};
    const float expected[4][3] = {
        {0.625f, 0.125f, 0.25f}, {0.125f, 0.625f, 0.25f}, {0.125f, 0.125f, 0.75f}, {0.125f, 0.125f, 0.75f}};
    tried t = open_by_hand();
    write_by_hand(6, 6, 5, 1);
    for (int k = 0; k < 4; k++) {
        float z[3];
        memcpy(fresh.x[0], at[k], sizeof at[k]);
        assert_int_equal(points_run(&t, &fresh.seen[0], &hand, z, NULL), GNT_OK);
        assert_memory_equal(z, expected[k], sizeof z);
    }
    try_drop(&hand);
    try_close(&t);
}

static void artefacts_of_another_task_are_refused(void **state) {
    (void)state;
    const struct {
        const char *what;
        int entry; /* of the nodes */
        float value;
    } wrong[] = {{"a node that is its own child", 6 * 1 + LEFT, 1},
                 {"a child before its tree", 6 * 1 + LEFT, -1},
                 {"half a place", LEFT, 1.5f},
                 {"a right child behind its tree", LEFT, 4},
                 {"a child far away", LEFT, 3e38f},
                 {"a child nowhere", LEFT, NAN},
                 {"a leaf's child in the next tree", 6 * 4 + LEFT, 5},
                 {"a column too many", COLUMN, 2},
                 {"a column too few", COLUMN, -1},
                 {"no column", COLUMN, NAN},
                 {"a share below 0", 6 * 5 + SHARES, -0.5f},
                 {"no share", 6 * 5 + SHARES + 1, NAN},
                 {"a share without bounds", 6 * 3 + SHARES, INFINITY}};
    const struct {
        const char *what;
        int64_t columns; /* of the nodes */
        float first, second;
    } sizes[] = {{"nodes left over", 6, 4, 1},
                 {"nodes that are not there", 6, 5, 2},
                 {"a tree of none", 6, 6, 0},
                 {"half a node", 6, 5, 0.5f},
                 {"a tree without end", 6, 5, INFINITY},
                 {"a negative tree", 6, 7, -1},
                 {"nodes of two values", 5, 5, 1},
                 {"no size", 6, NAN, 1}};
    tried t = open_by_hand();
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        write_by_hand(6, 6, 5, 1);
        ((float *)(uintptr_t)points_artefact(&hand, "node")->data)[wrong[k].entry] = wrong[k].value;
        points_refused(&t, &fresh.seen[0], &hand, wrong[k].what);
        try_drop(&hand);
    }
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        write_by_hand(6, sizes[k].columns, sizes[k].first, sizes[k].second);
        points_refused(&t, &fresh.seen[0], &hand, sizes[k].what);
        try_drop(&hand);
    }
    write_by_hand(6, 6, 5, 1);
    points_artefact(&hand, "node")->dim[0] = INT64_MAX / 6;
    points_refused(&t, &fresh.seen[0], &hand, "more nodes than entries");
    points_artefact(&hand, "node")->dim[0] = 6;
    points_artefact(&hand, "size")->count = 1;
    points_refused(&t, &fresh.seen[0], &hand, "another number of trees");
    points_artefact(&hand, "size")->count = 2;
    fresh.seen[0].attribute_values = 2;
    points_refused(&t, &fresh.seen[0], &hand, "another attribute");
    try_drop(&hand);
    try_close(&t);
}

/* The children of one node in a circle: the root's child leads to the root again. */
static void a_circle_is_refused(void **state) {
    (void)state;
    tried t = open_by_hand();
    write_by_hand(6, 6, 5, 1);
    float *node = (float *)(uintptr_t)points_artefact(&hand, "node")->data;
    node[6 * 3 + LEFT] = 1; /* of the first leaf, whose parent is node 1 */
    points_refused(&t, &fresh.seen[0], &hand, "a circle");
    try_drop(&hand);
    try_close(&t);
}

/* ---- learning ---- */

static void validation_is_kept_apart(void **state) {
    (void)state;
    points_rings(&shadow, 600, 1);
    kept own;
    tried t = points_learn("attr-forest", "{\"window\": 1, \"weights\": \"balanced\"}", 1, &shadow, &own);
    const double right = try_fact(&t, "validation_accuracy");
    assert_true(right > 0.9 && right <= 1);
    try_drop(&own);
    try_close(&t);
    /* values that have nothing to do with the points: trees know their own rows by heart, and no others */
    for (int64_t i = 0; i < 600; i++)
        shadow.value[i] = (int32_t)(i % 2);
    t = points_learn("attr-forest", "{\"window\": 1}", 1, &shadow, &own);
    assert_true(fabs(try_fact(&t, "validation_accuracy") - 0.5) < 5 * 0.5 / sqrt(120));
    try_drop(&own);
    try_close(&t);
    t = points_learn("attr-forest", "{" PLAIN "}", 1, &shadow, &own);
    assert_true(isnan(try_fact(&t, "validation_accuracy")));
    assert_int_equal((int)try_fact(&t, "inputs"), 2);
    try_drop(&own);
    try_close(&t);
}

static void the_same_key_gives_the_same_bytes(void **state) {
    (void)state;
    points_rings(&shadow, 100, 3);
    points_repeat("attr-forest", "{\"window\": 1}", &shadow);
    points_repeat("attr-forest", "{" PLAIN ", \"weights\": \"balanced\"}", &shadow);
}

/* In reading 600 points, and within the trees: 10,000 of them would take seconds. */
static void stops_on_request(void **state) {
    (void)state;
    points_xor(&shadow, 600, 8, 1);
    points_stops("attr-forest", "{\"window\": 1, \"trees\": 10000}", &shadow, 300);
    points_stops("attr-forest", "{\"window\": 1, \"trees\": 10000}", &shadow, 605);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_what_no_line_parts),
        cmocka_unit_test(splits_halfway),
        cmocka_unit_test(splits_where_impurity_is_least),
        cmocka_unit_test(keeps_to_its_bounds),
        cmocka_unit_test(balance_draws_rare_values),
        cmocka_unit_test(many_trees_infer_better),
        cmocka_unit_test(walks_by_thresholds),
        cmocka_unit_test(artefacts_of_another_task_are_refused),
        cmocka_unit_test(a_circle_is_refused),
        cmocka_unit_test(validation_is_kept_apart),
        cmocka_unit_test(the_same_key_gives_the_same_bytes),
        cmocka_unit_test(stops_on_request),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
