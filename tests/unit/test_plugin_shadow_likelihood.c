/* shadow-likelihood: its scores against Bayes' rule, written out here in double from updates that the test
 * computes itself. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../attacked.h"

enum { SHADOW = 12, FIRST = 60, ATTRIBUTES = 2, REQUESTED = 1 };

/* A third of the shadow rows have value 0. */
static int value_of(int64_t row) {
    return row % 3 != 0;
}

typedef struct shadow_rows {
    float a[SHADOW * ATTRIBUTES];
    gnt_view view[3];
    gnt_artefacts own;
} shadow_rows;

static void keep_rows(shadow_rows *s, int64_t first) {
    for (int64_t i = 0; i < SHADOW; i++) {
        s->a[i * ATTRIBUTES] = (float)(1 - value_of(i)); /* another attribute */
        s->a[i * ATTRIBUTES + REQUESTED] = (float)value_of(i);
    }
    s->view[0] = (gnt_view){.name = "x",
                            .rank = 2,
                            .dim = {SHADOW, FEATURES},
                            .count = (int64_t)SHADOW * FEATURES,
                            .data = images + first * FEATURES};
    s->view[1] = (gnt_view){.name = "y",
                            .rank = 2,
                            .dim = {SHADOW, CLASSES},
                            .count = (int64_t)SHADOW * CLASSES,
                            .data = labels + first * CLASSES};
    s->view[2] = (gnt_view){.name = "a",
                            .rank = 2,
                            .dim = {SHADOW, ATTRIBUTES},
                            .count = (int64_t)SHADOW * ATTRIBUTES,
                            .data = s->a};
    s->own = (gnt_artefacts){.size = sizeof s->own, .tensors = {3, s->view}};
}

static void open_seen(attacked *a, int64_t row, double sigma) {
    open_client(a, mlp_json, row, 1);
    a->id = "shadow-likelihood";
    observe(a, &a->seen, ROUNDS, a->x, a->y, 1, sigma);
    a->seen.goals = GNT_GOAL_ATTRIBUTE;
    a->seen.attribute = REQUESTED;
    a->seen.attribute_values = 2;
    a->seen.granted = GNT_KNOWS_SHADOW | GNT_KNOWS_ATTRIBUTE;
    grant_gaussian(a, sigma);
}

/* Returns −log p(observed | shadow row i) for noise of sigma and a clip of the whole update. */
static double cost_of(attacked *a, int64_t row, double sigma, double clip) {
    gnt_observation of_row;
    double squares = 0, cost = 0;
    observe(a, &of_row, 0, images + row * FEATURES, labels + row * CLASSES, 1, 0);
    const gnt_views *u = of_row.update, *seen = a->seen.update;
    for (int64_t t = 0; t < u->n; t++)
        for (int64_t i = 0; i < u->view[t].count; i++)
            squares += (double)u->view[t].data[i] * (double)u->view[t].data[i];
    const double factor = fmin(1, clip / sqrt(squares));
    for (int64_t t = 0; t < u->n; t++) {
        for (int64_t i = 0; i < u->view[t].count; i++) {
            const double r = factor * (double)u->view[t].data[i] - (double)seen->view[t].data[i];
            cost += r * r / (2 * sigma * sigma);
        }
        gnt_free(a->entry[0][t]);
        a->entry[0][t] = NULL;
    }
    return cost;
}

/* log p(o | value 1) − log p(o | value 0), by rows or by their mean. */
static double expected(attacked *a, double sigma, double clip, int balanced) {
    double cost[SHADOW], least = INFINITY, sum[2] = {0, 0}, count[2] = {0, 0};
    for (int64_t i = 0; i < SHADOW; i++)
        least = fmin(least, cost[i] = cost_of(a, FIRST + i, sigma, clip));
    for (int64_t i = 0; i < SHADOW; i++) {
        sum[value_of(i)] += exp(least - cost[i]);
        count[value_of(i)]++;
    }
    return log(sum[1] / sum[0]) - (balanced ? log(count[1] / count[0]) : 0);
}

static void scores_are_bayes_rule(void **state) {
    (void)state;
    /* a clip of 1 shortens these gradients */
    static const struct {
        double clip;
        const char *json;
        int balanced;
    } cases[] = {{1e4, NULL, 1}, {1, NULL, 1}, {1, "{\"weights\": \"none\"}", 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        attacked a;
        shadow_rows s;
        const double sigma = 1;
        open_seen(&a, 3, sigma);
        a.value[1].r = cases[k].clip;
        keep_rows(&s, FIRST);
        assert_int_equal(attack_with(&a, cases[k].json, &s.own), GNT_OK);
        assert_int_equal(a.n_scores, 2);
        const double want = expected(&a, sigma, cases[k].clip, cases[k].balanced),
                     got = (double)a.scores[1] - (double)a.scores[0];
        print_message("%g for %g; %.1f likely samples\n", got, want, fact_of(&a, "likely_samples"));
        assert_true(fabs(got - want) < 1e-3 * (1 + fabs(want)));
        assert_true(fact_of(&a, "likely_samples") >= 1 && fact_of(&a, "likely_samples") <= SHADOW);
        forget(&a);
    }
}

/* Among the shadow rows is the client's own, whose update is the nearest. */
static void without_noise_the_nearest_decides(void **state) {
    (void)state;
    for (int64_t i = 0; i < 6; i++) {
        attacked a;
        shadow_rows s;
        open_seen(&a, FIRST + i, 1e-3);
        a.seen.defense = "none";
        a.seen.n_defense_values = 0;
        keep_rows(&s, FIRST);
        assert_int_equal(attack_with(&a, NULL, &s.own), GNT_OK);
        assert_true((a.scores[1] > a.scores[0]) == value_of(i));
        assert_true(fact_of(&a, "likely_samples") < 1.01);
        forget(&a);
    }
}

static void artefacts_of_another_task_are_refused(void **state) {
    (void)state;
    attacked a;
    shadow_rows s;
    open_seen(&a, 3, 1);
    keep_rows(&s, FIRST);
    s.view[0].dim[1]--;
    assert_int_equal(attack_with(&a, NULL, &s.own), GNT_FAILED);
    keep_rows(&s, FIRST);
    s.view[2].dim[0]--;
    assert_int_equal(attack_with(&a, NULL, &s.own), GNT_FAILED);
    forget(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_are_bayes_rule),
        cmocka_unit_test(without_noise_the_nearest_decides),
        cmocka_unit_test(artefacts_of_another_task_are_refused),
    };
    return cmocka_run_group_tests(tests, open_glyphs, close_glyphs);
}
