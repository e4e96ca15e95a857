/* The built-in searches and their costs: why they say that they ended, what a factor of the update, or a
 * vector in the rows of its last layer, changes, and what they say of an update that has no cost. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "attacked.h"

/* LeNet of the DLG paper, with fewer channels. */
static const char lenet_json[] =
    "{\"init\": {\"kind\": \"uniform\", \"bound\": 0.5}, \"layers\": ["
    "{\"type\": \"conv\", \"name\": \"c1\", \"out\": 12, \"kernel\": 5, \"stride\": 2, \"pad\": 2},"
    "{\"type\": \"sigmoid\"},"
    "{\"type\": \"conv\", \"name\": \"c2\", \"out\": 12, \"kernel\": 5, \"stride\": 2, \"pad\": 2},"
    "{\"type\": \"sigmoid\"}, {\"type\": \"flatten\"},"
    "{\"type\": \"dense\", \"name\": \"fc\", \"out\": \"classes\"}]}";

/* With few steps the budget ends a search; dlg ends by its tolerance where it matches the update, and L-BFGS
 * stalls where rounding lets its cost fall no further. */
static void attacks_say_why_they_ended(void **state) {
    (void)state;
    static const struct {
        const char *id, *json;
        int64_t budget;
        int32_t reason;
    } cases[] = {
        {"dlg", NULL, 2, GNT_ENDED_BUDGET},
        {"dlg", NULL, 100, GNT_ENDED_TOLERANCE},
        {"idlg", NULL, 100, GNT_ENDED_TOLERANCE},
        {"idlg", "{\"mode\": \"reference\"}", 100, GNT_ENDED_TOLERANCE},
        {"dlg-whitened", NULL, 2000, GNT_ENDED_STALL},
        {"invert-gradients", NULL, 3, GNT_ENDED_BUDGET},
        {"invert-gradients", "{\"restarts\": 2}", 5, GNT_ENDED_BUDGET},
        {"lrp-search", NULL, 3, GNT_ENDED_BUDGET},
        {"dlg-whitened", NULL, 3, GNT_ENDED_BUDGET},
        {"dlg-whitened", NULL, 9, GNT_ENDED_BUDGET},
        {"linear-layer", NULL, 3, GNT_ENDED_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        attacked a;
        open_client(&a, strcmp(cases[i].id, "linear-layer") == 0 ? mlp_json : lenet_json, 26, 1);
        observe(&a, &a.seen, 0, a.x, a.y, 1, 0);
        a.id = cases[i].id;
        a.seen.budget = cases[i].budget;
        assert_int_equal(attack(&a, cases[i].json), GNT_OK);
        if (a.ending.reason != cases[i].reason || gnt_ending_check(&a.ending, a.seen.budget, &a.err) != 0)
            fail_msg("case %zu: %s ended by %d after %lld steps: %s", i, cases[i].id, (int)a.ending.reason,
                     (long long)a.ending.steps, a.err.text);
        forget(&a);
    }
}

/* The first dense layer is the last one. */
static const char softmax_json[] = "{\"init\": \"kaiming\", \"layers\": [{\"type\": \"flatten\"},"
                                   "{\"type\": \"dense\", \"name\": \"fc\", \"out\": \"classes\"}]}";

static void observe_times(attacked *a, const char *net, int64_t row, int64_t n, double factor) {
    open_client(a, net, row, n);
    observe(a, &a->seen, 0, a->x, a->y, n, 0);
    for (int64_t t = 0; t < a->update[0].n; t++)
        for (int64_t i = 0; i < a->view[0][t].count; i++)
            a->entry[0][t][i] = (float)(factor * (double)a->entry[0][t][i]);
}

/* Attacks that need no absolute scale: a defense that multiplies an update by a factor that the server knows
 * hides nothing from them. Others compare differences, or have learnt from updates of one scale: dlg, idlg,
 * invert-gradients with "l2", "l1" or "likelihood", ggl with "l2", dlg-whitened, region-known, region-read,
 * string-hypothesis, layout, update-decoder, the attr- ones, rank1 and recup-residue. So do the labels of a
 * batch, which are counts. */
static const struct {
    const char *id, *json, *net;
    int64_t n;
} scaleless[] = {
    {"invert-gradients", NULL, lenet_json, 1},
    {"invert-gradients", NULL, mlp_json, BATCH},
    {"invert-gradients", "{\"cost\": \"scale_free\"}", lenet_json, 1},
    {"lrp-search", NULL, lenet_json, 1},
    {"linear-layer", NULL, mlp_json, 1},
    {"linear-layer", NULL, mlp_json, BATCH},
};

static void a_factor_changes_no_answer(void **state) {
    static const double factor[] = {1, 1e-12, 1e12, 1e-30, 1e30};
    (void)state;
    for (size_t i = 0; i < sizeof scaleless / sizeof *scaleless; i++) {
        float plain[BATCH * FEATURES];
        int64_t count = 0;
        for (size_t k = 0; k < sizeof factor / sizeof *factor; k++) {
            attacked a;
            observe_times(&a, scaleless[i].net, 26, scaleless[i].n, factor[k]);
            a.id = scaleless[i].id;
            a.seen.budget = 10;
            if (scaleless[i].n > 1) {
                a.seen.labels = a.y;
                a.seen.granted |= GNT_KNOWS_LABELS;
            }
            assert_int_equal(attack(&a, scaleless[i].json), GNT_OK);
            if (k == 0) {
                count = a.count;
                memcpy(plain, a.found, sizeof plain);
            }
            assert_int_equal(a.count, count);
            for (int64_t f = 0; f < count * FEATURES; f++)
                if (!(fabs((double)a.found[f] - (double)plain[f]) < 1e-4))
                    fail_msg("%s %s, times %g: %g, not %g", a.id, scaleless[i].json ? scaleless[i].json : "",
                             factor[k], (double)a.found[f], (double)plain[f]);
            forget(&a);
        }
    }
}

/* The label of one sample is a sign. */
static void a_factor_changes_no_label(void **state) {
    static const double factor[] = {1e-12, 1, 1e12};
    (void)state;
    for (int64_t row = 26; row < 30; row++)
        for (size_t k = 0; k < sizeof factor / sizeof *factor; k++) {
            attacked a;
            observe_times(&a, lenet_json, row, 1, factor[k]);
            a.id = "idlg";
            a.seen.budget = 1;
            assert_int_equal(attack(&a, NULL), GNT_OK);
            for (int c = 0; c < CLASSES; c++)
                assert_true(a.scores[c] <= a.scores[glyphs->label[row]]);
            forget(&a);
        }
}

/* An answer to an update that says nothing, or whose size makes all differences vanish, would be a guess. */
static void a_cost_that_cannot_be_computed_fails(void **state) {
    static const struct {
        const char *id, *json;
        double factor;
        const char *why;
    } cases[] = {
        {"dlg", NULL, 0, "is 0: there is nothing to match"},
        {"idlg", NULL, 0, "is 0: there is nothing to match"},
        {"invert-gradients", NULL, 0, "is 0: there is nothing to match"},
        {"lrp-search", NULL, 0, "is 0: there is nothing to match"},
        {"dlg-whitened", NULL, 0, "is 0: there is nothing to match"},
        {"dlg", NULL, 1e30, "has norm 2.16e+31: expected 1e-18 to 1e+18"},
        {"dlg", NULL, 1e-30, "expected 1e-18 to 1e+18"},
        {"idlg", "{\"mode\": \"reference\"}", 1e30, "expected 1e-18 to 1e+18"},
        {"invert-gradients", "{\"cost\": \"l2\"}", 1e30, "expected 1e-18 to 1e+18"},
        {"dlg-whitened", NULL, 1e30, "expected 1e-18 to 1e+18"},
        {"dlg-whitened", NULL, NAN, "NaN"},
        {"invert-gradients", NULL, INFINITY, "NaN or infinite"},
        {"lrp-search", NULL, NAN, "NaN or infinite"},
        {"dlg", NULL, NAN, "finite"},
        {"idlg", NULL, INFINITY, "finite"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        attacked a;
        observe_times(&a, lenet_json, 26, 1, cases[i].factor);
        a.id = cases[i].id;
        a.seen.budget = 5;
        const gnt_status status = attack(&a, cases[i].json);
        if (status != GNT_FAILED || !strstr(a.err.text, cases[i].why))
            fail_msg("%s, times %g: status %d: %s", a.id, cases[i].factor, (int)status, a.err.text);
        forget(&a);
    }
}

/* Adds one vector to all rows of the last layer, `times` as long as the update. */
static void add_to_rows(attacked *a, double times) {
    const gnt_views *u = &a->update[0];
    double squares = 0;
    for (int64_t t = 0; t < u->n; t++)
        for (int64_t i = 0; i < u->view[t].count; i++)
            squares += (double)a->entry[0][t][i] * (double)a->entry[0][t][i];
    for (int64_t t = u->n - 2; t < u->n; t++) {
        const int64_t columns = u->view[t].rank == 2 ? u->view[t].dim[1] : 1;
        const int64_t width = u->view[u->n - 2].dim[1] + 1;
        for (int64_t j = 0; j < columns; j++) {
            const double junk =
                times * sqrt(squares / (double)(width * CLASSES)) * gnt_random_normal(&a->noise);
            for (int64_t c = 0; c < CLASSES; c++)
                a->entry[0][t][c * columns + j] += (float)junk;
        }
    }
}
/* A vector in all rows of the last layer, ten times as long as the update, hides nothing: a softmax does
 * not see it, and searches match the update without it. */
static void common_rows_hide_nothing(void **state) {
    static const struct {
        const char *id, *net;
        int64_t budget;
    } cases[] = {
        {"dlg", lenet_json, 25},      {"idlg", lenet_json, 25},          {"invert-gradients", mlp_json, 60},
        {"lrp-search", mlp_json, 60}, {"dlg-whitened", lenet_json, 100}, {"linear-layer", softmax_json, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double found[2], share[2];
        for (int junk = 0; junk < 2; junk++) {
            attacked a;
            observe_times(&a, cases[i].net, 26, 1, 1);
            add_to_rows(&a, junk ? 10 : 0);
            a.id = cases[i].id;
            a.seen.budget = cases[i].budget;
            assert_int_equal(attack(&a, NULL), GNT_OK);
            found[junk] = psnr(&a);
            share[junk] = fact_of(&a, "common_rows");
            forget(&a);
        }
        print_message("%s: %.1f dB, with junk %.1f dB\n", cases[i].id, found[0], found[1]);
        assert_true(found[0] > 15 && found[1] > found[0] - 3);
        assert_true(isnan(share[0]) && share[1] > 0.95);
    }
}

/* Where pruning left zeros, sums over classes say nothing, nor where steps have weight decay. */
static void other_sums_over_classes_stay(void **state) {
    (void)state;
    for (int decay = 0; decay < 2; decay++) {
        attacked a;
        observe_times(&a, lenet_json, 26, 1, 1);
        add_to_rows(&a, decay ? 10 : 0);
        for (int64_t t = 0; t < a.update[0].n; t++)
            for (int64_t i = 0; !decay && i < a.view[0][t].count; i++)
                a.entry[0][t][i] = i % 3 ? a.entry[0][t][i] : 0;
        if (decay) {
            a.seen.update_kind = GNT_UPDATE_DELTA;
            a.seen.steps = 1;
            a.seen.decay = 0.1;
        }
        a.seen.budget = 2;
        assert_int_equal(attack(&a, NULL), GNT_OK);
        assert_true(isnan(fact_of(&a, "common_rows")));
        forget(&a);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(attacks_say_why_they_ended),
                                       cmocka_unit_test(common_rows_hide_nothing),
                                       cmocka_unit_test(other_sums_over_classes_stay),
                                       cmocka_unit_test(a_factor_changes_no_answer),
                                       cmocka_unit_test(a_factor_changes_no_label),
                                       cmocka_unit_test(a_cost_that_cannot_be_computed_fails)};
    return cmocka_run_group_tests(tests, open_glyphs, close_glyphs);
}
