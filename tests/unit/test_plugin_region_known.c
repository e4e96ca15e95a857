/* Attacks that know the rest of the image: region-known, region-read, string-hypothesis. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include "../../plugins/attacks/gradient/region/known_region.c"
#include <cmocka.h>

#include "../drowned.h"

enum { SIDE = 28, TOP = 9, BOTTOM = 19, LEFT = 8, RIGHT = 20 };

typedef struct hidden { /* what of a client's images is granted */
    attacked a;
    uint8_t mask[BATCH * FEATURES];
    float x[BATCH * FEATURES];
    gnt_samples outside;
} hidden;

static void open_hidden(hidden *h, int64_t row, int64_t n) {
    attacked *a = &h->a;
    open_client(a, lenet_json, row, n);
    observe(a, &a->seen, ROUNDS, a->x, a->y, n, 0);
    for (int64_t i = 0; i < n * FEATURES; i++) {
        const int64_t y = i % FEATURES / SIDE, x = i % SIDE;
        h->mask[i] = y >= TOP && y < BOTTOM && x >= LEFT && x < RIGHT;
        h->x[i] = h->mask[i] ? 0 : a->x[i];
    }
    h->outside = (gnt_samples){.size = sizeof h->outside,
                               .kind = GNT_KIND_IMAGE,
                               .n = n,
                               .rank = 3,
                               .classes = CLASSES,
                               .dim = {1, SIDE, SIDE},
                               .features = FEATURES,
                               .x = h->x,
                               .mask = h->mask};
    a->seen.outside = &h->outside;
    a->seen.labels = a->y;
    a->seen.granted |= GNT_KNOWS_REGION;
}

/* Returns the PSNR of n images over the region alone. */
static double region_psnr(const hidden *h, int64_t n) {
    double sum = 0, pixels = 0;
    for (int64_t i = 0; i < n * FEATURES; i++) {
        const double d = (double)h->a.found[i] - (double)h->a.x[i];
        sum += h->mask[i] ? d * d : 0;
        pixels += h->mask[i];
    }
    return -10 * log10(sum / pixels + 1e-9);
}

static void assert_rest_is_as_given(const hidden *h, int64_t n) {
    assert_int_equal(h->a.count, n);
    for (int64_t i = 0; i < n * FEATURES; i++)
        assert_true(h->mask[i] || h->a.found[i] == h->a.x[i]);
}

/* Without noise the region comes back, by either optimiser, of a batch too; the rest stays as it was given,
 * to the bit. */
static void the_region_comes_back(void **state) {
    (void)state;
    static const struct {
        const char *json;
        int64_t n;
    } cases[] = {{"{}", 1},
                 {"{\"optimiser\": \"adam\"}", 1},
                 {"{\"cost\": \"plain\", \"steps\": 1000}", 1},
                 {"{}", 2}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        hidden h;
        open_hidden(&h, (int64_t)k, cases[k].n);
        recovered(&h.a, "region-known", cases[k].json);
        print_message("%s: %.1f dB\n", cases[k].json, region_psnr(&h, cases[k].n));
        assert_true(region_psnr(&h, cases[k].n) > 35);
        assert_rest_is_as_given(&h, cases[k].n);
        assert_true(fact_of(&h.a, "pixels_sought") == (double)(cases[k].n * (BOTTOM - TOP) * (RIGHT - LEFT)));
        forget(&h.a);
    }
}

/* An attacker that knows the rest recovers more of the region through noise than one that does not. */
static void knowing_the_rest_helps(void **state) {
    (void)state;
    double known = 0, unknown = 0;
    for (int64_t row = 0; row < 3; row++) {
        hidden h;
        open_hidden(&h, row, 1);
        drown(&h.a, ROUNDS, -1, 0.03);
        h.a.seen.public_data = &h.a.public_data;
        recovered(&h.a, "dlg-whitened", "{\"steps\": 600}");
        unknown += region_psnr(&h, 1) / 3;
        recovered(&h.a, "region-known", "{\"steps\": 600}");
        known += region_psnr(&h, 1) / 3;
        assert_rest_is_as_given(&h, 1);
        forget(&h.a);
    }
    print_message("unknown %.1f dB, known %.1f dB\n", unknown, known);
    assert_true(known > unknown + 2);
}

static void a_drowned_layer_needs_whitening(void **state) {
    (void)state;
    hidden h;
    open_hidden(&h, 1, 1);
    drown(&h.a, ROUNDS, DENSE_LAYER, 2);
    recovered(&h.a, "region-known", "{\"cost\": \"plain\"}");
    const double plain = region_psnr(&h, 1);
    recovered(&h.a, "region-known", "{}");
    print_message("plain %.1f dB, whitened %.1f dB\n", plain, region_psnr(&h, 1));
    assert_true(region_psnr(&h, 1) > 35 && region_psnr(&h, 1) > plain + 10);
    /* who knows of the defense is to use it */
    grant_gaussian(&h.a, 2);
    assert_int_equal(attack(&h.a, "{\"cost\": \"plain\"}"), GNT_UNSUPPORTED);
    assert_non_null(strstr(h.a.err.text, "leave that grant out"));
    forget(&h.a);
}

static int by_size(const void *a, const void *b) {
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Makes of the observed update what blur-lus does: half of the entries stay, clipped to a fifth of their
 * norm, with noise in all. Returns the clip. */
static double make_sparse(attacked *a, double share) {
    static float all[1 << 20];
    int64_t n = 0;
    double squares = 0;
    for (int64_t t = 0; t < a->update[ROUNDS].n; t++)
        for (int64_t i = 0; i < a->view[ROUNDS][t].count; i++)
            all[n++] = fabsf(a->entry[ROUNDS][t][i]);
    assert_true(n < 1 << 20);
    qsort(all, (size_t)n, sizeof *all, by_size);
    for (int64_t t = 0; t < a->update[ROUNDS].n; t++)
        for (int64_t i = 0; i < a->view[ROUNDS][t].count; i++) {
            float *e = &a->entry[ROUNDS][t][i];
            *e = fabsf(*e) < all[n / 2] ? 0 : *e;
            squares += (double)*e * (double)*e;
        }
    const double clip = sqrt(squares) / 5;
    for (int64_t t = 0; t < a->update[ROUNDS].n; t++)
        for (int64_t i = 0; i < a->view[ROUNDS][t].count; i++) {
            float *e = &a->entry[ROUNDS][t][i];
            *e = (float)((double)*e / 5 + share * clip * gnt_random_normal(&a->noise));
        }
    return clip;
}

/* An attacker that is granted blur-lus knows its clip, its noise and that the small entries were dropped. */
static void a_sparse_update_is_matched_as_it_was_made(void **state) {
    (void)state;
    double plain = 0, known = 0, dense = 0;
    for (int64_t row = 0; row < 2; row++) {
        hidden h;
        open_hidden(&h, row, 1);
        h.a.seen.public_data = &h.a.public_data;
        const double share = 1e-4, clip = make_sparse(&h.a, share);
        recovered(&h.a, "region-known", "{\"steps\": 400}");
        plain += region_psnr(&h, 1) / 2;
        /* s = C·√(2·ln(1/δ))/ε of one round */
        gnt_value v[] = {{.id = "epsilon", .type = GNT_TYPE_REAL, .r = sqrt(2 * log(1e5)) / share},
                         {.id = "clip", .type = GNT_TYPE_REAL, .r = clip},
                         {.id = "delta", .type = GNT_TYPE_REAL, .r = 1e-5},
                         {.id = "lambda", .type = GNT_TYPE_REAL, .r = 1},
                         {.id = "keep", .type = GNT_TYPE_REAL, .r = 0.5}};
        h.a.seen.defense = "blur-lus";
        h.a.seen.defense_values = v;
        h.a.seen.n_defense_values = 5;
        h.a.seen.granted |= GNT_KNOWS_DEFENSE;
        recovered(&h.a, "region-known", "{\"steps\": 400}");
        known += region_psnr(&h, 1) / 2;
        assert_true(fact_of(&h.a, "noise_known") == 1);
        assert_true(fabs(fact_of(&h.a, "noise_least") / (share * clip) - 1) < 0.01);
        v[4].r = 1; /* as if nothing had been dropped */
        recovered(&h.a, "region-known", "{\"steps\": 400}");
        dense += region_psnr(&h, 1) / 2;
        forget(&h.a);
    }
    print_message("plain %.1f dB, known %.1f dB, taken for dense %.1f dB\n", plain, known, dense);
    assert_true(known > 30 && known > plain + 20 && known > dense + 3);
}

/* Where the region itself was noisy, what is found has that noise; an attacker that knows its strength takes
 * it off by what public regions look like. */
static void noise_in_the_pixels_is_taken_off(void **state) {
    (void)state;
    const double sigma = 0.25;
    double found = 0, cleared = 0;
    for (int64_t row = 0; row < 4; row++) {
        hidden h;
        static float clean[FEATURES];
        open_hidden(&h, row, 1);
        const gnt_observation granted = h.a.seen;
        memcpy(clean, h.a.x, sizeof clean);
        for (int64_t i = 0; i < FEATURES; i++)
            if (h.mask[i])
                h.a.x[i] = (float)fmin(1, fmax(0, (double)clean[i] + sigma * gnt_random_normal(&h.a.noise)));
        for (int t = 0; t < 16; t++)
            gnt_free(h.a.entry[ROUNDS][t]);
        observe(&h.a, &h.a.seen, ROUNDS, h.a.x, h.a.y, 1, 0);
        h.a.seen.outside = granted.outside;
        h.a.seen.labels = h.a.y;
        h.a.seen.granted = granted.granted;
        h.a.seen.public_data = &h.a.public_data;
        recovered(&h.a, "region-known", "{\"steps\": 400}");
        memcpy(h.a.x, clean, sizeof clean);
        found += region_psnr(&h, 1) / 4;
        gnt_value v[] = {{.id = "sigma", .type = GNT_TYPE_REAL, .r = sigma}};
        h.a.seen.defense = "pixel-noise";
        h.a.seen.defense_values = v;
        h.a.seen.n_defense_values = 1;
        h.a.seen.granted |= GNT_KNOWS_DEFENSE;
        recovered(&h.a, "region-known", "{\"steps\": 400}");
        cleared += region_psnr(&h, 1) / 4;
        assert_rest_is_as_given(&h, 1);
        forget(&h.a);
    }
    print_message("with the noise %.1f dB, without %.1f dB\n", found, cleared);
    assert_true(cleared > found + 2);
}

/* ---- string-hypothesis ---- */

enum { EXAMPLES = 40, VALUES = 10, FIRST = 100 };

static int32_t value_of[EXAMPLES];
static const gnt_attribute digit = {.name = "digit", .values = VALUES};

/* The clients' images are examples FIRST + of[0] …, whose values are to be inferred: example i has value i %
 * 10. */
static void open_hypotheses(hidden *h, const int64_t *of, int64_t n, double sigma) {
    attacked *a = &h->a;
    open_hidden(h, FIRST + of[0], n);
    for (int64_t k = 1; k < n; k++) {
        memcpy(a->x + k * FEATURES, images + (FIRST + of[k]) * FEATURES, FEATURES * sizeof *a->x);
        memcpy(a->y + k * CLASSES, labels + (FIRST + of[k]) * CLASSES, CLASSES * sizeof *a->y);
    }
    for (int64_t i = 0; i < n * FEATURES; i++)
        h->x[i] = h->mask[i] ? 0 : a->x[i];
    gnt_observation granted = a->seen;
    for (int t = 0; t < 16; t++)
        gnt_free(a->entry[ROUNDS][t]);
    observe(a, &a->seen, ROUNDS, a->x, a->y, n, sigma);
    a->seen.outside = granted.outside;
    a->seen.labels = a->y;
    a->seen.granted = granted.granted | GNT_KNOWS_PUBLIC | GNT_KNOWS_ATTRIBUTE;
    a->seen.goals = GNT_GOAL_ATTRIBUTE | GNT_GOAL_RECONSTRUCTION;
    a->seen.attribute = 0;
    a->seen.attribute_values = VALUES;
    for (int32_t i = 0; i < EXAMPLES; i++)
        value_of[i] = i % VALUES;
    a->public_data.n = EXAMPLES;
    a->public_data.x = images + FIRST * FEATURES;
    a->public_data.n_attributes = 1;
    a->public_data.attribute = &digit;
    a->public_data.a = value_of;
    a->seen.public_data = &a->public_data;
}

static int best_of(const attacked *a) {
    int best = 0;
    for (int v = 1; v < a->n_scores; v++)
        best = a->scores[v] > a->scores[best] ? v : best;
    return best;
}

/* The image is among the examples: its value has the highest score and its region is answered, through noise
 * in which no image is seen. With one candidate a value the right one is not tried. */
static void the_right_hypothesis_wins(void **state) {
    (void)state;
    static const int64_t right[] = {3, 17, 38};
    for (size_t k = 0; k < 3; k++) {
        hidden h;
        open_hypotheses(&h, &right[k], 1, 0.1);
        recovered(&h.a, "string-hypothesis", "{}");
        assert_int_equal(h.a.n_scores, VALUES);
        assert_int_equal(best_of(&h.a), right[k] % VALUES);
        assert_memory_equal(h.a.found, h.a.x, FEATURES * sizeof(float));
        assert_true(fact_of(&h.a, "candidates") == EXAMPLES);
        recovered(&h.a, "string-hypothesis", "{\"candidates\": 1}");
        assert_true(fact_of(&h.a, "candidates") == VALUES);
        assert_rest_is_as_given(&h, 1);
        assert_true((memcmp(h.a.found, h.a.x, FEATURES * sizeof(float)) == 0) == (right[k] < VALUES));
        forget(&h.a);
    }
}

/* With one layer drowned and of two samples, whose scores are how many are expected to have each value. */
static void samples_of_a_batch_are_settled_in_turn(void **state) {
    (void)state;
    static const int64_t right[] = {5, 22};
    hidden h;
    open_hypotheses(&h, right, 2, 0);
    drown(&h.a, ROUNDS, DENSE_LAYER, 2);
    recovered(&h.a, "string-hypothesis", "{}");
    assert_memory_equal(h.a.found, h.a.x, 2 * FEATURES * sizeof(float));
    for (int v = 0; v < VALUES; v++)
        assert_true(fabs((double)h.a.scores[v] - (v == 5 || v == 2)) < 1e-3);
    forget(&h.a);
}

/* A value that no example has comes last; an attribute that they do not have is refused. */
static void what_has_no_example_comes_last(void **state) {
    (void)state;
    static const int64_t right[] = {3};
    hidden h;
    open_hypotheses(&h, right, 1, 0.05);
    for (int i = 0; i < EXAMPLES; i++)
        value_of[i] = value_of[i] == 7 ? 8 : value_of[i];
    recovered(&h.a, "string-hypothesis", "{}");
    for (int v = 0; v < VALUES; v++)
        assert_true(v == 7 || h.a.scores[v] > h.a.scores[7]);
    h.a.seen.attribute_values = 4;
    assert_int_equal(attack(&h.a, "{}"), GNT_UNSUPPORTED);
    forget(&h.a);
}

/* ---- region-read ---- */

enum { READ = IMAGES - FIRST };

static int32_t class_of[READ];

/* Examples FIRST … are public, with their class as the attribute to infer; the client's image is none of
 * them. */
static void open_reading(hidden *h, int64_t row) {
    static const int64_t any[] = {0};
    open_hypotheses(h, any, 1, 0);
    attacked *a = &h->a;
    memcpy(a->x, images + row * FEATURES, FEATURES * sizeof *a->x);
    memcpy(a->y, labels + row * CLASSES, CLASSES * sizeof *a->y);
    for (int64_t i = 0; i < FEATURES; i++)
        h->x[i] = h->mask[i] ? 0 : a->x[i];
    for (int t = 0; t < 16; t++)
        gnt_free(a->entry[ROUNDS][t]);
    gnt_observation granted = a->seen;
    observe(a, &a->seen, ROUNDS, a->x, a->y, 1, 0);
    a->seen.outside = granted.outside;
    a->seen.labels = a->y;
    a->seen.granted = granted.granted;
    a->seen.goals = granted.goals;
    a->seen.attribute = granted.attribute;
    a->seen.attribute_values = granted.attribute_values;
    for (int64_t i = 0; i < READ; i++)
        for (int32_t v = 0; v < VALUES; v++)
            if (labels[(FIRST + i) * CLASSES + v] > 0.5f)
                class_of[i] = v;
    a->public_data.n = READ;
    a->public_data.a = class_of;
    a->seen.public_data = &a->public_data;
}

static int class_at(int64_t row) {
    int best = 0;
    for (int v = 1; v < CLASSES; v++)
        best = labels[row * CLASSES + v] > labels[row * CLASSES + best] ? v : best;
    return best;
}

/* The middle of eight digits is searched, and by 16 examples of each half of them are read; a guess reads
 * one. */
static void what_was_found_is_read(void **state) {
    (void)state;
    enum { ROWS = 8 };
    int right = 0;
    for (int64_t row = 0; row < ROWS; row++) {
        hidden h;
        open_reading(&h, row);
        recovered(&h.a, "region-read", "{}");
        assert_int_equal(h.a.n_scores, VALUES);
        assert_true(region_psnr(&h, 1) > 35);
        assert_rest_is_as_given(&h, 1);
        right += best_of(&h.a) == class_at(row);
        forget(&h.a);
    }
    print_message("%d of %d read\n", right, ROWS);
    assert_true(right >= ROWS / 2);
}

/* A value without examples comes last; images without the attribute are refused. */
static void what_was_never_seen_is_not_read(void **state) {
    (void)state;
    hidden h;
    open_reading(&h, 1);
    const int own = class_at(1);
    for (int64_t i = 0; i < READ; i++)
        class_of[i] = class_of[i] == own ? (own + 1) % VALUES : class_of[i];
    recovered(&h.a, "region-read", "{}");
    for (int v = 0; v < VALUES; v++)
        assert_true(v == own || h.a.scores[v] > h.a.scores[own]);
    h.a.seen.attribute_values = 4;
    assert_int_equal(attack(&h.a, "{}"), GNT_UNSUPPORTED);
    forget(&h.a);
}

/* Adds one vector to all rows of the last layer, ten times as long as the update. */
static void add_to_rows(attacked *a) {
    const gnt_views *u = &a->update[ROUNDS];
    double squares = 0, entries = 0;
    for (int64_t t = 0; t < u->n; t++)
        for (int64_t e = 0; e < u->view[t].count; e++) {
            squares += (double)a->entry[ROUNDS][t][e] * (double)a->entry[ROUNDS][t][e];
            entries += t >= u->n - 2;
        }
    for (int64_t t = u->n - 2; t < u->n; t++) {
        const int64_t columns = u->view[t].count / CLASSES;
        for (int64_t k = 0; k < columns; k++) {
            const float junk = (float)(10 * sqrt(squares / entries) * gnt_random_normal(&a->noise));
            for (int64_t c = 0; c < CLASSES; c++)
                a->entry[ROUNDS][t][c * columns + k] += junk;
        }
    }
}

/* A softmax does not see what the rows of the last layer have in common, nor do the attacks. */
static void common_rows_hide_nothing(void **state) {
    (void)state;
    static const int64_t right[] = {3};
    static const char *const ids[] = {"region-known", "string-hypothesis"};
    for (int i = 0; i < 2; i++) {
        double share[2];
        for (int junk = 0; junk < 2; junk++) {
            hidden h;
            open_hypotheses(&h, right, 1, 0);
            if (junk)
                add_to_rows(&h.a);
            recovered(&h.a, ids[i], "{}");
            share[junk] = fact_of(&h.a, "common_rows");
            assert_true(region_psnr(&h, 1) > 35);
            assert_rest_is_as_given(&h, 1);
            forget(&h.a);
        }
        assert_true(isnan(share[0]) && share[1] > 0.95);
    }
    hidden h;
    open_reading(&h, 2);
    add_to_rows(&h.a);
    recovered(&h.a, "region-read", "{}");
    assert_true(region_psnr(&h, 1) > 35 && fact_of(&h.a, "common_rows") > 0.95);
    forget(&h.a);
}

/* An update that says nothing, or whose size makes all differences vanish, has no cost: an answer would be a
 * guess. */
static void a_cost_that_cannot_be_computed_fails(void **state) {
    static const char *const ids[] = {"region-known", "region-read", "string-hypothesis"};
    static const float factors[] = {0, 1e30f, 1e-30f, INFINITY};
    static const int64_t right[] = {3};
    (void)state;
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        for (size_t k = 0; k < sizeof factors / sizeof *factors; k++) {
            hidden h;
            open_hypotheses(&h, right, 1, 0);
            const gnt_views *u = h.a.seen.update;
            for (int64_t t = 0; t < u->n; t++)
                for (int64_t e = 0; e < u->view[t].count; e++)
                    h.a.entry[ROUNDS][t][e] *= factors[k];
            h.a.id = ids[i];
            h.a.seen.budget = 5;
            const gnt_status status = attack(&h.a, "{}");
            if (status != GNT_FAILED)
                fail_msg("%s, times %g: status %d: %s", ids[i], (double)factors[k], (int)status,
                         h.a.err.text);
            forget(&h.a);
        }
}

/* A box of 2 × 2 stretched to 2 × 4: pixel centres at −1/4, 1/4, 3/4 and 5/4 of its columns, cut at its
 * edges. Pixels outside the mask stay. */
static void a_region_is_pasted_into_another(void **state) {
    (void)state;
    const uint8_t from_mask[] = {0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0},
                  whole[] = {1, 1, 1, 1, 1, 0, 1, 1, 0, 0, 0, 0};
    const float from[] = {9, 9, 9, 9, 9, 0, 4, 9, 9, 2, 6, 9};
    float to[] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
    const float expected[] = {0, 1, 3, 4, 2, -1, 5, 6, -1, -1, -1, -1};
    region_paste(to, whole, from, from_mask, 1, 3, 4);
    for (int i = 0; i < 12; i++)
        assert_true(fabsf(to[i] - expected[i]) < 1e-6f);
    const uint8_t nothing[12] = {0};
    region_paste(to, whole, from, nothing, 1, 3, 4);
    region_paste(to, nothing, from, from_mask, 1, 3, 4);
    for (int i = 0; i < 12; i++)
        assert_true(fabsf(to[i] - expected[i]) < 1e-6f);
    region_paste(to, NULL, from, NULL, 1, 3, 4);
    assert_memory_equal(to, from, sizeof from);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_region_comes_back),
        cmocka_unit_test(knowing_the_rest_helps),
        cmocka_unit_test(a_drowned_layer_needs_whitening),
        cmocka_unit_test(a_sparse_update_is_matched_as_it_was_made),
        cmocka_unit_test(noise_in_the_pixels_is_taken_off),
        cmocka_unit_test(the_right_hypothesis_wins),
        cmocka_unit_test(samples_of_a_batch_are_settled_in_turn),
        cmocka_unit_test(what_has_no_example_comes_last),
        cmocka_unit_test(what_was_found_is_read),
        cmocka_unit_test(what_was_never_seen_is_not_read),
        cmocka_unit_test(common_rows_hide_nothing),
        cmocka_unit_test(a_cost_that_cannot_be_computed_fails),
        cmocka_unit_test(a_region_is_pasted_into_another),
    };
    return cmocka_run_group_tests(tests, open_glyphs, close_glyphs);
}
