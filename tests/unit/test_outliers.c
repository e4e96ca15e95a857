/* Which entries of an update an attack on gradients takes for outliers: those strewn about, and never a loud
 * unit, input or sample, which gradients have by themselves. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include "../../plugins/attacks/gradient/defense/outliers.c"
#include "../../plugins/attacks/gradient/defense/perturbed.c"
#include <cmocka.h>

enum { ROWS = 20, COLUMNS = 30, ENTRIES = ROWS * COLUMNS, CONV = 8 * 5 * 5 };

typedef struct trial { /* a dense layer with its bias, and a convolution */
    float w[ENTRIES], b[ROWS], c[CONV];
    gnt_view view[3];
    gnt_views update;
    void *kept[4];
    int n_kept;
    double fact;
} trial;

static void *scratch(void *context, size_t bytes) {
    trial *t = context;
    void *room = t->n_kept < 4 ? calloc(1, bytes) : NULL;
    assert_non_null(room);
    return t->kept[t->n_kept++] = room;
}

static void keep_fact(void *context, const char *name, double value) {
    (void)name;
    ((trial *)context)->fact = value;
}

/* A sample's gradient: δ_i·x_j, δ and x over a factor of 10 each. */
static void start(trial *t) {
    *t = (trial){.view = {{.layer = 1, .rank = 2, .dim = {ROWS, COLUMNS}, .count = ENTRIES},
                          {.layer = 1, .rank = 1, .dim = {ROWS}, .count = ROWS},
                          {.layer = 0, .rank = 4, .dim = {8, 1, 5, 5}, .count = CONV}}};
    for (int i = 0; i < ROWS; i++) {
        t->b[i] = (i % 2 ? -1.f : 1.f) * powf(10, (float)(i * 7 % ROWS) / ROWS);
        for (int j = 0; j < COLUMNS; j++)
            t->w[i * COLUMNS + j] = t->b[i] * powf(10, -(float)(j * 11 % COLUMNS) / COLUMNS);
    }
    for (int i = 0; i < CONV; i++)
        t->c[i] = powf(10, (float)(i * 13 % CONV) / CONV - 0.5f);
    t->view[0].data = t->w;
    t->view[1].data = t->b;
    t->view[2].data = t->c;
    t->update = (gnt_views){3, t->view};
}

static outliers find(trial *t, int64_t want) {
    const gnt_host host = {.context = t, .scratch = scratch, .fact = keep_fact};
    const gnt_observation seen = {.size = sizeof seen, .update = &t->update};
    outliers o;
    assert_int_equal(outliers_find(&o, &host, &seen, want), GNT_OK);
    assert_true((o.n > 0) == (o.of != NULL) && t->fact == (double)o.n);
    return o;
}

static void forget(trial *t) {
    while (t->n_kept > 0)
        free(t->kept[--t->n_kept]);
}

static int64_t found(trial *t) {
    int64_t n = find(t, OUTLIERS_AUTO).n;
    forget(t);
    return n;
}

static void strewn_entries_are_set_apart(void **state) {
    (void)state;
    trial t;
    start(&t);
    assert_int_equal(found(&t), 0);
    for (int i = 3; i < ENTRIES; i += 50)
        t.w[i] = i % 2 ? 1e6f : -1e6f;
    t.b[4] = t.c[17] = 1e6f;
    t.w[100] = 5e4f; /* a band of its own */
    outliers o = find(&t, OUTLIERS_AUTO);
    assert_int_equal(o.n, 15);
    for (int i = 0; i < ENTRIES; i++)
        assert_int_equal(outliers_has(&o, 0, i), fabsf(t.w[i]) > 1000);
    assert_true(outliers_has(&o, 1, 4) && !outliers_has(&o, 1, 5) && outliers_has(&o, 2, 17));
    forget(&t);
    t.fact = 0;
    o = find(&t, OUTLIERS_KEEP);
    assert_true(o.n == 0 && !outliers_has(&o, 0, 3));
    forget(&t);
}

/* Seen in their tensor alone: a factor of 1e4 above its own entries, not above the others'. */
static void a_faint_tensor_is_looked_at_by_itself(void **state) {
    (void)state;
    trial t;
    start(&t);
    for (int i = 0; i < CONV; i++)
        t.c[i] *= i % 40 == 7 ? 10 : 1e-4f;
    assert_int_equal(found(&t), CONV / 40);
}

static void what_is_loud_as_a_whole_is_a_gradients_own(void **state) {
    (void)state;
    trial t;
    start(&t); /* a unit, with its bias */
    for (int j = 0; j < COLUMNS; j++)
        t.w[6 * COLUMNS + j] *= 1e4f;
    t.b[6] *= 1e4f;
    assert_int_equal(found(&t), 0);
    start(&t); /* an input */
    for (int i = 0; i < ROWS; i++)
        t.w[i * COLUMNS + 9] *= 1e4f;
    assert_int_equal(found(&t), 0);
    start(&t); /* a sample: five units, ten inputs */
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 10; j++)
            t.w[i * COLUMNS + 2 * j] *= 1e4f;
    assert_int_equal(found(&t), 0);
    start(&t); /* but not a bias that its unit does not follow, nor one entry */
    t.b[6] = 1e6f;
    assert_int_equal(found(&t), 1);
    start(&t);
    t.w[77] = 1e6f;
    assert_int_equal(found(&t), 1);
}

/* A gap between the few and the many only; zeros are no entries. */
static void more_than_a_fifth_is_no_exception(void **state) {
    (void)state;
    trial t;
    start(&t);
    for (int i = 0; i < ENTRIES; i++)
        t.w[i] *= i * 7 % 10 < 4 ? 1e6f : 1;
    assert_int_equal(found(&t), 0);
    start(&t);
    for (int i = 0; i < CONV; i++) /* a sixth is left */
        t.c[i] = i % 6 ? 0 : t.c[i];
    assert_int_equal(found(&t), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strewn_entries_are_set_apart),
        cmocka_unit_test(a_faint_tensor_is_looked_at_by_itself),
        cmocka_unit_test(what_is_loud_as_a_whole_is_a_gradients_own),
        cmocka_unit_test(more_than_a_fifth_is_no_exception),
    };
    return cmocka_run_group_tests_name("outliers", tests, NULL, NULL);
}
