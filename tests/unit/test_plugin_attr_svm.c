/* attr-svm: parts what no line parts, finds the solutions that two known problems have, decides as its
 * formula says, is silent and gives the same bytes again, and refuses artefacts that are none of its own. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "attr_points.h"

static points shadow, fresh;

#define PLAIN "\"window\": 1, \"validation\": 0"

/* No line classifies more than three of the four quadrants of XOR, nor two thirds of the rings: it may be
 * tangent to the inner one, and cut off arccos(1/1.75)/π of the outer one, 0.65 together. Of 200 fresh points
 * chance adds three deviations, 0.09 and 0.1. */
static void parts_what_no_line_parts(void **state) {
    (void)state;
    const char *line = "{\"window\": 1, \"architecture\": \"custom\", \"hidden\": []}";
    points_rings(&shadow, 300, 1);
    points_rings(&fresh, 200, 2);
    assert_true(points_accuracy("attr-svm", "{\"window\": 1}", &shadow, &fresh) > 0.95);
    assert_true(points_accuracy("attr-nn", line, &shadow, &fresh) < 0.75);
    points_xor(&shadow, 300, 2, 1);
    points_xor(&fresh, 200, 2, 2);
    assert_true(points_accuracy("attr-svm", "{\"window\": 1}", &shadow, &fresh) > 0.95);
    assert_true(points_accuracy("attr-nn", line, &shadow, &fresh) < 0.84);
}

/* `zeros` points at −1 of value 0 and `ones` at 1 of value 1, all on one axis. */
static void two_places(points *p, int64_t zeros, int64_t ones) {
    *p = (points){.n = zeros + ones, .columns = 1};
    for (int64_t i = 0; i < p->n; i++) {
        p->value[i] = i >= zeros;
        p->x[i][0] = i < zeros ? -1 : 1;
    }
    points_tie(p, 2);
}

/* Sum of the coefficients of the support vectors on one side of 0. */
static double side(kept *own, int positive) {
    const gnt_view *vector = points_artefact(own, "vector"),
                   *coefficient = points_artefact(own, "coefficient");
    double sum = 0;
    for (int64_t i = 0; i < vector->count; i++)
        sum += (vector->data[i] > 0) == positive ? (double)coefficient->data[i] : 0;
    return sum;
}

/* As many of each: standardised they are ∓1, K between them is e^(−4γ). With s the α of each side the dual is
 * 2s − s²(1 − K), greatest at s = 1/(1 − K), and the decision at −1 is s(1 − K) = 1; ρ is 0. */
static void finds_the_known_solution(void **state) {
    (void)state;
    two_places(&shadow, 6, 6);
    kept own;
    tried t = points_learn("attr-svm", "{" PLAIN ", \"gamma\": 0.25}", 1, &shadow, &own);
    const double s = 1 / (1 - exp(-1));
    assert_true(fabs(side(&own, 0) - s) < 2e-3 && fabs(side(&own, 1) + s) < 2e-3);
    assert_true(fabs((double)points_artefact(&own, "rho")->data[0]) < 2e-3);
    float z[2];
    assert_int_equal(points_run(&t, &shadow.seen[0], &own, z, NULL), GNT_OK);
    /* one vote, and the margin 1 as 1/(3·2) */
    assert_true(fabs((double)z[0] - (1 + 1.0 / 6)) < 1e-3 && fabs((double)z[1] + 1.0 / 6) < 1e-3);
    assert_int_equal((int)try_fact(&t, "rows"), 12);
    try_drop(&own);
    try_close(&t);
}

/* With so small a cost C every α of the rarer side reaches its bound, and both sides have the same sum: of 20
 * and 5 points 5C; balanced, where the bounds are C·25/40 and C·25/10, C·25/2. */
static void balance_weighs_the_costs(void **state) {
    (void)state;
    const char *json[] = {"{" PLAIN ", \"cost\": 0.001}",
                          "{" PLAIN ", \"cost\": 0.001, \"weights\": \"balanced\"}"};
    const double sum[] = {0.005, 0.0125};
    two_places(&shadow, 20, 5);
    for (int k = 0; k < 2; k++) {
        kept own;
        tried t = points_learn("attr-svm", json[k], 1, &shadow, &own);
        assert_true(fabs(side(&own, 0) - sum[k]) < 1e-6 && fabs(side(&own, 1) + sum[k]) < 1e-6);
        try_drop(&own);
        try_close(&t);
    }
}

/* ---- machines written by hand ---- */

static kept hand;

static void hold(const char *name, int32_t rank, int64_t rows, int64_t columns, const float *data) {
    const int64_t dim[2] = {rows, columns};
    try_keep(&hand, name, rank, dim, data);
}

/* Values 0, 2 and 3 of four, two vectors in two columns, three pairs. */
static void write_by_hand(const float coefficient[6], const float rho[3]) {
    const float mean[] = {0, 0}, scale[] = {1, 1}, present[] = {1, 0, 1, 1}, vector[] = {1, 0, 0, 2};
    hand = (kept){.artefacts = {.size = sizeof(gnt_artefacts)}};
    hand.artefacts.tensors.view = hand.view;
    hold("mean", 1, 2, 0, mean);
    hold("scale", 1, 2, 0, scale);
    hold("present", 1, 4, 0, present);
    hold("vector", 2, 2, 2, vector);
    hold("coefficient", 2, 3, 2, coefficient);
    hold("rho", 1, 3, 0, rho);
}

static void origin(points *p) {
    *p = (points){.n = 1, .columns = 2};
    points_tie(p, 4);
}

static double squashed(double margin) {
    return margin / (3 * (fabs(margin) + 1));
}

/* At the origin, with γ = ½, the kernels are e^(−½) and e^(−2). */
static void decides_by_its_formula(void **state) {
    (void)state;
    const double near = exp(-0.5), far = exp(-2);
    const float coefficient[] = {0.5f, -0.25f, -1, 2, 0.75f, 1.5f}, rho[] = {0.125f, -0.5f, 1};
    const double d02 = 0.5 * near - 0.25 * far - 0.125; /* 0.144: for 0 */
    const double d03 = -near + 2 * far + 0.5;           /* 0.164: for 0 */
    const double d23 = 0.75 * near + 1.5 * far - 1;     /* −0.342: for 3 */
    const double expected[] = {2 + squashed(d02 + d03), -1, squashed(d23 - d02), 1 + squashed(-d03 - d23)};
    float z[4];
    tried t = points_open("attr-svm", "{\"window\": 1, \"gamma\": 0.5}", 1, (gnt_instance_spec){0});
    origin(&fresh);
    write_by_hand(coefficient, rho);
    assert_int_equal(points_run(&t, &fresh.seen[0], &hand, z, NULL), GNT_OK);
    for (int v = 0; v < 4; v++)
        if (fabs((double)z[v] - expected[v]) > 1e-6)
            fail_msg("value %d has %.9g, expected %.9g", v, (double)z[v], expected[v]);
    try_drop(&hand);
    try_close(&t);
}

/* 0 beats 2 by 1, 2 beats 3 by 5, 3 beats 0 by 2: a vote each, and margins of −1, 4 and −3. */
static void margins_part_equal_votes(void **state) {
    (void)state;
    const float coefficient[6] = {0}, rho[] = {-1, 2, -5};
    const double expected[] = {1 + squashed(-1), -1, 1 + squashed(4), 1 + squashed(-3)};
    float z[4];
    tried t = points_open("attr-svm", "{\"window\": 1}", 1, (gnt_instance_spec){0});
    origin(&fresh);
    write_by_hand(coefficient, rho);
    assert_int_equal(points_run(&t, &fresh.seen[0], &hand, z, NULL), GNT_OK);
    for (int v = 0; v < 4; v++)
        assert_true(fabs((double)z[v] - expected[v]) < 1e-6);
    try_drop(&hand);
    try_close(&t);
}

static void artefacts_of_another_task_are_refused(void **state) {
    (void)state;
    const float coefficient[6] = {0}, rho[3] = {0};
    const struct {
        const char *what, *artefact;
        int64_t rows, columns; /* that it says it has; 0: as it is */
        int64_t entry;         /* that becomes … */
        float value;
    } wrong[] = {{"another name", NULL, 0, 0, -1, 0},
                 {"a column less", "vector", 4, 1, -1, 0},
                 {"more vectors than entries", "vector", INT64_MAX / 2, 2, -1, 0},
                 {"no vectors", "vector", 0, 2, -1, 0},
                 {"a vector more than coefficients", "coefficient", 3, 1, -1, 0},
                 {"a pair less", "coefficient", 2, 3, -1, 0},
                 {"a ρ less", "rho", 2, 0, -1, 0},
                 {"a value less", "present", 3, 0, -1, 0},
                 {"a value that is half there", "present", 0, 0, 1, 0.5f},
                 {"a value more", "present", 0, 0, 1, 1},
                 {"no vector", "vector", 0, 0, 2, NAN},
                 {"no coefficient", "coefficient", 0, 0, 5, INFINITY},
                 {"no ρ", "rho", 0, 0, 0, NAN}};
    tried t = points_open("attr-svm", "{\"window\": 1}", 1, (gnt_instance_spec){0});
    origin(&fresh);
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        float z[4];
        write_by_hand(coefficient, rho);
        assert_int_equal(points_run(&t, &fresh.seen[0], &hand, z, NULL), GNT_OK);
        gnt_view *v = points_artefact(&hand, wrong[k].artefact ? wrong[k].artefact : "rho");
        if (!wrong[k].artefact)
            ((char *)(uintptr_t)v->name)[0] = 'R';
        if (wrong[k].rows || wrong[k].columns) {
            v->dim[0] = wrong[k].rows;
            v->dim[1] = wrong[k].columns;
            v->count = v->rank == 1 ? wrong[k].rows : v->count;
        }
        if (wrong[k].entry >= 0)
            ((float *)(uintptr_t)v->data)[wrong[k].entry] = wrong[k].value;
        points_refused(&t, &fresh.seen[0], &hand, wrong[k].what);
        try_drop(&hand);
    }
    write_by_hand(coefficient, rho);
    fresh.seen[0].attribute_values = 5;
    points_refused(&t, &fresh.seen[0], &hand, "another attribute");
    fresh.seen[0].attribute_values = 4;
    fresh.view[0].count = fresh.view[0].dim[0] = 3;
    points_refused(&t, &fresh.seen[0], &hand, "another model");
    try_drop(&hand);
    try_close(&t);
}

/* ---- learning ---- */

/* Three values in places of their own, and a fourth that no shadow update has. */
static void infers_several_values(void **state) {
    (void)state;
    shadow = (points){.n = 90, .columns = 2};
    for (int64_t i = 0; i < 90; i++) {
        const double turn = 6.283185307179586 * (double)(i % 3) / 3, off = 1e-3 * (double)i;
        shadow.value[i] = (int32_t)(i % 3 < 2 ? i % 3 : 3);
        shadow.x[i][0] = (float)(cos(turn) + off);
        shadow.x[i][1] = (float)(sin(turn) - off);
    }
    points_tie(&shadow, 4);
    assert_true(points_accuracy("attr-svm", "{\"window\": 1}", &shadow, &shadow) == 1);
    kept own;
    float z[4];
    tried t = points_learn("attr-svm", "{\"window\": 1}", 1, &shadow, &own);
    assert_int_equal(points_artefact(&own, "rho")->count, 3);
    assert_int_equal(points_run(&t, &shadow.seen[5], &own, z, NULL), GNT_OK);
    assert_true(z[2] == -1);
    assert_true(try_fact(&t, "validation_accuracy") == 1);
    try_drop(&own);
    try_close(&t);
}

/* 60 of 300 rows: 1 of the rare value's 5, and as the others have it. */
static void learns_from_some_of_many_rows(void **state) {
    (void)state;
    points_xor(&shadow, 300, 2, 1);
    for (int64_t i = 0; i < 5; i++)
        shadow.value[i] = 2;
    points_tie(&shadow, 3);
    kept own;
    tried t = points_learn("attr-svm", "{" PLAIN ", \"rows\": 60}", 1, &shadow, &own);
    const double rows = try_fact(&t, "rows");
    assert_true(rows >= 59 && rows <= 60); /* what is left of a row of each value's share is not drawn */
    assert_int_equal(points_artefact(&own, "rho")->count, 3);
    assert_true(try_fact(&t, "support_vectors") <= rows);
    try_drop(&own);
    try_close(&t);
    points_xor(&fresh, 200, 2, 2);
    points_xor(&shadow, 300, 2, 1);
    assert_true(points_accuracy("attr-svm", "{" PLAIN ", \"rows\": 60}", &shadow, &fresh) > 0.85);
}

static void the_same_key_gives_the_same_bytes(void **state) {
    (void)state;
    points_rings(&shadow, 100, 3);
    points_repeat("attr-svm", "{\"window\": 1}", &shadow);
    points_repeat("attr-svm", "{" PLAIN ", \"rows\": 50, \"weights\": \"balanced\"}", &shadow);
}

/* libsvm writes nothing to standard output while it learns. */
static void libsvm_is_silent(void **state) {
    (void)state;
    char text[64];
    FILE *file = tmpfile();
    assert_non_null(file);
    points_rings(&shadow, 100, 3);
    fflush(stdout);
    const int before = dup(STDOUT_FILENO);
    assert_true(before >= 0 && dup2(fileno(file), STDOUT_FILENO) >= 0);
    kept own;
    tried t = points_learn("attr-svm", "{\"window\": 1}", 1, &shadow, &own);
    fflush(stdout);
    assert_true(dup2(before, STDOUT_FILENO) >= 0);
    close(before);
    rewind(file);
    assert_int_equal(fread(text, 1, sizeof text, file), 0);
    fclose(file);
    try_drop(&own);
    try_close(&t);
}

/* In reading, within the kernel, and before the second pair; 100 rows are read, 80 have a kernel. */
static void stops_on_request(void **state) {
    (void)state;
    points_rings(&shadow, 100, 3);
    points_stops("attr-svm", "{\"window\": 1}", &shadow, 50);
    points_stops("attr-svm", "{\"window\": 1}", &shadow, 130);
    points_stops("attr-svm", "{\"window\": 1}", &shadow, 180);
}

static void says_that_there_is_no_libsvm(void **state) {
    (void)state;
    points_rings(&shadow, 100, 3);
    tried t = points_open("attr-svm", "{\"window\": 1}", 1, (gnt_instance_spec){0});
    kept own;
    gnt_err err = {0};
    assert_int_equal(try_prepare(&t, &shadow.in, &own, &err), GNT_UNSUPPORTED);
    assert_non_null(strstr(err.text, "install libsvm-dev"));
    try_drop(&own);
    try_close(&t);
}

int main(void) {
    const struct CMUnitTest answering[] = {
        cmocka_unit_test(decides_by_its_formula),
        cmocka_unit_test(margins_part_equal_votes),
        cmocka_unit_test(artefacts_of_another_task_are_refused),
    };
    const struct CMUnitTest learning[] = {
        cmocka_unit_test(parts_what_no_line_parts),
        cmocka_unit_test(finds_the_known_solution),
        cmocka_unit_test(balance_weighs_the_costs),
        cmocka_unit_test(infers_several_values),
        cmocka_unit_test(learns_from_some_of_many_rows),
        cmocka_unit_test(the_same_key_gives_the_same_bytes),
        cmocka_unit_test(libsvm_is_silent),
        cmocka_unit_test(stops_on_request),
    };
    const struct CMUnitTest without[] = {cmocka_unit_test(says_that_there_is_no_libsvm)};
    int failed = cmocka_run_group_tests(answering, NULL, NULL);
#ifdef GNT_SVM
    (void)without;
    return failed + cmocka_run_group_tests(learning, NULL, NULL);
#else
    (void)learning;
    return failed + cmocka_run_group_tests(without, NULL, NULL);
#endif
}
