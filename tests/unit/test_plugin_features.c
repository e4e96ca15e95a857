/* invert-gradients through convolutions: the features in front of a dense layer, and the labels, that the
 * update of a batch reveals, and the search that uses them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../../plugins/attacks/gradient/cost/known_features.c"
#include <cmocka.h>

#include "../attacked.h"

static const char conv_json[] =
    "{\"init\": \"kaiming\", \"layers\": [{\"type\": \"conv\", \"name\": \"c1\", \"out\": 6, \"kernel\": 5, "
    "\"pad\": 2}, {\"type\": \"relu\"}, {\"type\": \"max_pool\", \"kernel\": 2}, {\"type\": \"conv\", "
    "\"name\": \"c2\", \"out\": 8, \"kernel\": 5, \"pad\": 2}, {\"type\": \"relu\"}, {\"type\": "
    "\"max_pool\", \"kernel\": 2}, {\"type\": \"flatten\"}, {\"type\": \"dense\", \"name\": \"fc1\", "
    "\"out\": 64}, {\"type\": \"relu\"}, {\"type\": \"dense\", \"name\": \"fc2\", \"out\": \"classes\"}]}";
enum { N = 2, DENSE_WEIGHT = 4, CONV_FEATURES = 8 * 7 * 7, FLATTEN = 6 };

/* Returns the mean PSNR of the samples in the order of the answer if `in_order`, else of each with its
 * nearest. */
static double psnr_of(const attacked *a, int in_order) {
    double sum = 0;
    for (int64_t i = 0; i < N; i++) {
        double least = 1;
        for (int64_t j = in_order ? i : 0; j < (in_order ? i + 1 : N); j++) {
            double apart = 0;
            for (int64_t k = 0; k < FEATURES; k++) {
                const double d = (double)a->found[j * FEATURES + k] - (double)a->x[i * FEATURES + k];
                apart += d * d / FEATURES;
            }
            least = fmin(least, apart);
        }
        sum += -10 * log10(least + 1e-9) / N;
    }
    return sum;
}

typedef struct grants {
    int labels, images;
    double sigma;  /* of noise in the update */
    float clipped; /* factor of the dense layer's weights; 0: none */
} grants;

/* Observes and attacks the two samples from `row` on. */
static void attack_rows(attacked *a, int64_t row, const grants *g, const char *json) {
    open_client(a, conv_json, row, N);
    observe(a, &a->seen, 0, a->x, a->y, N, g->sigma);
    for (int64_t i = 0; g->clipped > 0 && i < a->view[0][DENSE_WEIGHT].count; i++)
        a->entry[0][DENSE_WEIGHT][i] *= g->clipped;
    a->seen.labels = g->labels ? a->y : NULL;
    a->seen.public_data = g->images ? &a->public_data : NULL;
    if (attack(a, json) != GNT_OK)
        fail_msg("%s", a->err.text);
    assert_int_equal(a->count, N);
    forget(a);
}

static void known_features_draw_the_search_to_the_samples(void **state) {
    (void)state;
    static attacked plain, drawn, again;
    const grants public_images = {.images = 1};
    for (int64_t row = 6; row < 10; row += 3) {
        attack_rows(&plain, row, &public_images, "{\"steps\": 60, \"features\": 0}");
        attack_rows(&drawn, row, &public_images, "{\"steps\": 60}");
        print_message("%.1f dB with features, %.1f dB without\n", psnr_of(&drawn, 0), psnr_of(&plain, 0));
        assert_true(fact_of(&drawn, "features_known") == N && isnan(fact_of(&plain, "features_known")));
        assert_true(psnr_of(&drawn, 0) > psnr_of(&plain, 0) + 2);
    }
    attack_rows(&again, 9, &public_images, "{\"steps\": 60}");
    assert_memory_equal(again.found, drawn.found, sizeof again.found);
}

/* The unknowns are then coefficients, and the search begins where it does without features. */
static void the_gaussian_begins_at_the_mean_image(void **state) {
    (void)state;
    static attacked plain, drawn;
    const grants public_images = {.images = 1};
    attack_rows(&plain, 6, &public_images, "{\"steps\": 1, \"prior\": \"gaussian\", \"features\": 0}");
    attack_rows(&drawn, 6, &public_images, "{\"steps\": 1, \"prior\": \"gaussian\"}");
    assert_true(fact_of(&drawn, "features_known") == N);
    assert_memory_equal(plain.found, drawn.found, sizeof drawn.found);
}

/* Each sample comes back in the place of its label. */
static void features_go_where_their_labels_are(void **state) {
    (void)state;
    static attacked a;
    for (int64_t row = 6; row < 10; row += 3) {
        attack_rows(&a, row, &(grants){.labels = 1, .images = 1}, "{\"steps\": 20}");
        assert_true(fact_of(&a, "features_known") == N);
        assert_true(fabs(psnr_of(&a, 1) - psnr_of(&a, 0)) < 1e-9);
    }
}

static void noise_hides_features(void **state) {
    (void)state;
    static attacked a;
    attack_rows(&a, 6, &(grants){.images = 1, .sigma = 0.03}, "{\"steps\": 2}");
    assert_true(fact_of(&a, "features_exact") == 0 && isnan(fact_of(&a, "features_known")));
}

/* A clip of each tensor makes all features longer or shorter by a factor, which the last layer
 * contradicts. */
static void features_of_another_scale_are_not_used(void **state) {
    (void)state;
    static attacked a;
    static const float factors[] = {0.3f, 0.8f, 1.25f};
    for (int i = 0; i < 3; i++) {
        attack_rows(&a, 6, &(grants){.images = 1, .clipped = factors[i]}, "{\"steps\": 2}");
        assert_false(isnan(fact_of(&a, "features_exact")));
        assert_true(isnan(fact_of(&a, "features_known")));
    }
}

static const char *no_error(void *context) {
    (void)context;
    return "";
}

static int32_t never(void *context) {
    (void)context;
    return 0;
}

typedef struct rooms {
    void *at[8];
    size_t n;
} rooms;

static void *scratch(void *context, size_t bytes) {
    rooms *r = context;
    assert_true(r->n < sizeof r->at / sizeof *r->at);
    return r->at[r->n++] = calloc(1, bytes);
}

/* The term's gradient by x is that of central differences. */
static void the_term_has_its_gradient(void **state) {
    (void)state;
    static attacked a;
    static float d_x[N * FEATURES];
    features_function of = {0};
    known_features k;
    const float *out;
    rooms room = {0};
    double cost, above, below, most = 0;
    open_client(&a, conv_json, 6, N);
    const gnt_host host = {.size = sizeof host,
                           .context = &room,
                           .scratch = scratch,
                           .should_stop = never,
                           .last_error = no_error,
                           .model = gnt_service_table(a.attackers)};
    const gnt_observation seen = {.size = sizeof seen, .n = N, .weights = a.weights, .buffers = a.buffers};
    assert_int_equal(known_features_open(&k, &of, &host, &seen, FLATTEN, CONV_FEATURES), GNT_OK);
    k.known[0] = k.known[1] = 1;
    assert_int_equal(known_features_of_rows(&k, a.x, N, 0, k.wanted), GNT_OK);
    assert_int_equal(known_features_eval(&k, a.x, &cost, &out), GNT_OK);
    assert_true(cost == 0);
    for (int64_t i = 0; i < N * FEATURES; i++) /* another batch, away from the kinks of black pixels */
        a.x[i] = 0.5f * images[20 * FEATURES + i] + 0.3f + 0.001f * (float)(i * 37 % 101);
    assert_int_equal(known_features_eval(&k, a.x, &cost, &out), GNT_OK);
    assert_true(cost > 0.01);
    memcpy(d_x, out, sizeof d_x);
    for (int64_t i = 0; i < N * FEATURES; i++)
        most = fmax(most, fabs((double)d_x[i]));
    for (int64_t i = 20; i < N * FEATURES; i += 97) {
        const float was = a.x[i], step = 1e-3f;
        a.x[i] = was + step;
        assert_int_equal(known_features_eval(&k, a.x, &above, &out), GNT_OK);
        a.x[i] = was - step;
        assert_int_equal(known_features_eval(&k, a.x, &below, &out), GNT_OK);
        a.x[i] = was;
        assert_true(fabs((above - below) / (2 * (double)step) - (double)d_x[i]) < 0.02 * most);
    }
    while (room.n > 0)
        free(room.at[--room.n]);
    forget(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_features_draw_the_search_to_the_samples),
        cmocka_unit_test(the_gaussian_begins_at_the_mean_image),
        cmocka_unit_test(features_go_where_their_labels_are),
        cmocka_unit_test(noise_hides_features),
        cmocka_unit_test(features_of_another_scale_are_not_used),
        cmocka_unit_test(the_term_has_its_gradient),
    };
    return cmocka_run_group_tests(tests, open_glyphs, close_glyphs);
}
