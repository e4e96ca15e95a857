/* fresh: takes the classifier that infers best on samples that none learnt from; and, with attr-nn, reads
 * representations as they are, the mean of several, and those that the model gives shadow samples. via-task:
 * infers from the class what follows from the class. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "attr_points.h"
#include "plugin/model_service.h"

enum { LINEAR = 1, WIDE, FOREST };
#define QUICK "{\"window\": 1, \"hidden\": 64"

static points shadow, queried;

static double kept_classifier(const char *json, const points *p) {
    kept own;
    tried t = points_learn("fresh", json, 1, p, &own);
    const double which = try_fact(&t, "kept_classifier");
    try_drop(&own);
    try_close(&t);
    return which;
}

/* Which side of a line a point lies on, none nearer to it than a tenth. */
static void line(points *p, int64_t n, uint64_t seed) {
    points_xor(p, n, 2, seed);
    for (int64_t i = 0; i < n; i++)
        p->value[i] = p->x[i][0] < 0;
}

static void takes_the_best_of_three(void **state) {
    (void)state;
    line(&shadow, 300, 1);
    line(&queried, 200, 2);
    assert_true(kept_classifier(QUICK "}", &shadow) == LINEAR);
    assert_true(points_accuracy("fresh", QUICK "}", &shadow, &queried) > 0.95);
    points_rings(&shadow, 300, 1);
    points_rings(&queried, 200, 2);
    assert_true(kept_classifier(QUICK "}", &shadow) >= WIDE);
    assert_true(points_accuracy("fresh", QUICK "}", &shadow, &queried) > 0.95);
    static const struct {
        const char *json;
        int which;
        double least, most;
    } alone[] = {{QUICK ", \"classifier\": \"linear\"}", LINEAR, 0, 0.75},
                 {QUICK ", \"classifier\": \"wide\"}", WIDE, 0.95, 1},
                 {QUICK ", \"classifier\": \"forest\"}", FOREST, 0.95, 1}};
    for (int k = 0; k < 3; k++) {
        const double accuracy = points_accuracy("fresh", alone[k].json, &shadow, &queried);
        assert_true(accuracy >= alone[k].least && accuracy <= alone[k].most);
        assert_true(kept_classifier(alone[k].json, &shadow) == alone[k].which);
    }
}

static void takes_the_wide_network_where_nothing_is_left_to_choose_by(void **state) {
    (void)state;
    points_rings(&shadow, 300, 1);
    points_rings(&queried, 200, 2);
    static const char json[] = QUICK ", \"validation\": 0}";
    assert_true(kept_classifier(json, &shadow) == WIDE);
    assert_true(points_accuracy("fresh", json, &shadow, &queried) > 0.95);
}

/* Learns the value of the points of xor, every `one_in`-th one wrong (0: none), and returns the fact
 * "information". */
static double information_of_channel(int64_t one_in) {
    kept own;
    points_xor(&shadow, POINTS_MOST, 2, 5);
    for (int64_t i = 0; i < shadow.n; i++)
        shadow.value[i] ^= one_in > 0 && i % one_in == 0;
    tried t = points_learn("fresh", "{\"window\": 1, \"hidden\": 64, \"validation\": 0.5}", 1, &shadow, &own);
    const double nats = try_fact(&t, "information");
    try_drop(&own);
    try_close(&t);
    return nats;
}

/* A binary channel that errs in a share e carries ln 2 − H(e) nats of a value that is uniform. */
static void states_how_much_is_known(void **state) {
    (void)state;
    static const int64_t one_in[] = {0, 10, 5, 2};
    for (int k = 0; k < 4; k++) {
        const double e = one_in[k] ? 1 / (double)one_in[k] : 0;
        const double noise = e > 0 ? -e * log(e) - (1 - e) * log(1 - e) : 0;
        const double nats = information_of_channel(one_in[k]);
        if (!(fabs(nats - (log(2) - noise)) <= 0.05))
            fail_msg("1 in %d wrong: %.3f nats, expected %.3f", (int)one_in[k], nats, log(2) - noise);
    }
}

/* The same points as representations. */
static void show_representations(points *p) {
    for (int64_t i = 0; i < p->n; i++) {
        p->seen[i].surface = GNT_SURFACE_REPRESENTATION;
        p->seen[i].representation = p->seen[i].update;
        p->seen[i].update = NULL;
        p->view[i].rank = 2;
        p->view[i].dim[0] = 1;
        p->view[i].dim[1] = p->columns;
    }
}

static void reads_a_representation_as_it_is(void **state) {
    (void)state;
    static const char *const attacks[] = {"fresh", "attr-nn", "attr-forest"};
    static const char *const json[] = {QUICK "}", "{\"window\": 1, \"epochs\": 5}", "{\"window\": 1}"};
    for (int k = 0; k < 3; k++) {
        kept of_update, of_representation;
        points_rings(&shadow, 200, 1);
        tried t = points_learn(attacks[k], json[k], 1, &shadow, &of_update);
        try_close(&t);
        show_representations(&shadow);
        t = points_learn(attacks[k], json[k], 1, &shadow, &of_representation);
        assert_int_equal(of_update.artefacts.tensors.n, of_representation.artefacts.tensors.n);
        for (int64_t i = 0; i < of_update.artefacts.tensors.n; i++)
            assert_memory_equal(of_update.view[i].data, of_representation.view[i].data,
                                (size_t)of_update.view[i].count * sizeof(float));
        /* several samples are read as their mean */
        float rows[3][2] = {{0, 3e-3F}, {1e-3F, 0}, {2e-3F, 0}}, one[2] = {1e-3F, 1e-3F}, z[2][2];
        gnt_view view = {.name = "r", .rank = 2, .dim = {3, 2}, .count = 6, .data = rows[0]};
        const gnt_views r = {1, &view};
        gnt_observation seen = {.size = sizeof seen,
                                .surface = GNT_SURFACE_REPRESENTATION,
                                .attribute_values = 2,
                                .n = 3,
                                .representation = &r};
        gnt_err err = {0};
        assert_int_equal(points_run(&t, &seen, &of_representation, z[0], &err), GNT_OK);
        view = (gnt_view){.name = "r", .rank = 2, .dim = {1, 2}, .count = 2, .data = one};
        seen.n = 1;
        assert_int_equal(points_run(&t, &seen, &of_representation, z[1], &err), GNT_OK);
        assert_memory_equal(z[0], z[1], sizeof z[0]);
        seen.representation = NULL;
        assert_int_equal(points_run(&t, &seen, &of_representation, z[1], &err), GNT_UNSUPPORTED);
        assert_non_null(strstr(err.text, "none was observed"));
        try_close(&t);
        try_drop(&of_update);
        try_drop(&of_representation);
    }
}

/* ---- what it computes itself ---- */

enum { ROWS = 40, FEATURES = 3, WIDTH = 2 };

static const char model_json[] =
    "{\"layers\": [{\"type\": \"dense\", \"name\": \"f\", \"out\": 2}, {\"type\": \"relu\", \"name\": \"r\"},"
    " {\"type\": \"dense\", \"name\": \"head\", \"out\": \"classes\"}], \"representation\": \"r\"}";

/* r = max(0, W x + b), whose mean over the samples is an artefact. */
static void computes_representations_of_shadow_samples(void **state) {
    (void)state;
    const gnt_nn_shape sample = {1, {FEATURES}};
    const float weights[WIDTH * FEATURES + WIDTH + WIDTH * 2 + 2] = {1, -2, 0.5F, 0.5F, 1, -1, 0.1F, 0.2F};
    const gnt_key key = gnt_key_of_seed(1);
    gnt_stream s = gnt_stream_open(&key, "rows");
    const gnt_attribute attribute = {.name = "hidden", .values = 2};
    float x[ROWS * FEATURES], y[ROWS * 2] = {0};
    int32_t a[ROWS];
    int64_t id[ROWS];
    double mean[WIDTH] = {0};
    gnt_model *model;
    gnt_service *service;
    gnt_err err = {0};
    for (int i = 0; i < ROWS; i++) {
        a[i] = i % 2;
        id[i] = i;
        for (int k = 0; k < FEATURES; k++)
            x[i * FEATURES + k] = (float)gnt_random_uniform(&s);
        for (int o = 0; o < WIDTH; o++) {
            double sum = (double)weights[WIDTH * FEATURES + o];
            for (int k = 0; k < FEATURES; k++)
                sum += (double)weights[o * FEATURES + k] * (double)x[i * FEATURES + k];
            mean[o] += fmax(0, sum) / ROWS;
        }
    }
    const gnt_samples samples = {.size = sizeof samples,
                                 .kind = GNT_KIND_TABULAR,
                                 .n = ROWS,
                                 .rank = 1,
                                 .classes = 2,
                                 .dim = {FEATURES},
                                 .features = FEATURES,
                                 .id = id,
                                 .x = x,
                                 .y = y,
                                 .n_attributes = 1,
                                 .attribute = &attribute,
                                 .a = a};
    const gnt_observation like = {.size = sizeof like, .surface = GNT_SURFACE_REPRESENTATION, .n = 1};
    const gnt_attack_prepare in = {.size = sizeof in,
                                   .shadow_data = &samples,
                                   .attribute_values = 2,
                                   .weights = weights,
                                   .setting = &like};
    if (gnt_model_parse(&model, "test", model_json, &sample, 2, NULL, NULL, &err))
        fail_msg("%s", err.text);
    const gnt_service_spec of = {.model = model, .name = "test"};
    assert_int_equal(gnt_service_new(&service, &of, &err), 0);
    tried t = points_open("fresh", "{\"classifier\": \"linear\", \"validation\": 0}", 1,
                          (gnt_instance_spec){.model = service});
    kept own;
    if (try_prepare(&t, &in, &own, &err) != GNT_OK)
        fail_msg("%s", err.text);
    const gnt_view *got = points_artefact(&own, "mean");
    assert_int_equal(got->count, WIDTH);
    for (int o = 0; o < WIDTH; o++)
        assert_true(fabs((double)got->data[o] - mean[o]) < 1e-6);
    try_drop(&own);
    try_close(&t);
    gnt_service_free(service);
    gnt_model_free(model);
}

/* ---- via-task ---- */

enum { CLASSES = 4 };

static float class_of[2][POINTS_MOST][CLASSES];

/* The class is the quadrant. The attribute: 0 in the first two, 1 in the third, in the last both alike
 * often. */
static void quadrants(points *p, float y[POINTS_MOST][CLASSES], int64_t n, uint64_t seed) {
    points_xor(p, n, 2, seed);
    for (int64_t i = 0; i < n; i++) {
        const int c = 2 * (p->x[i][0] < 0) + (p->x[i][1] < 0);
        memset(y[i], 0, sizeof y[i]);
        y[i][c] = 1;
        p->value[i] = c == 2 || (c == 3 && i % 2);
        p->truth[i].y = y[i];
        p->truth[i].classes = CLASSES;
    }
}

static void goes_by_the_class(void **state) {
    (void)state;
    const gnt_observation like = {.size = sizeof like, .n = 1};
    quadrants(&shadow, class_of[0], 400, 1);
    quadrants(&queried, class_of[1], 200, 2);
    shadow.in.setting = &like;
    kept own;
    tried t = points_learn("via-task", "{\"window\": 1, \"hidden\": 16}", 1, &shadow, &own);
    double n[CLASSES] = {0}, ones[CLASSES] = {0}, all = 0;
    for (int64_t i = 0; i < shadow.n; i++) {
        int c = 0;
        while (class_of[0][i][c] != 1)
            c++;
        n[c]++;
        ones[c] += shadow.value[i];
        all += shadow.value[i];
    }
    const gnt_view *given = points_artefact(&own, "given");
    for (int c = 0; c < CLASSES; c++) {
        const double one = (ones[c] + all / (double)shadow.n) / (n[c] + 1);
        assert_true(fabs((double)given->data[2 * c + 1] - one) < 1e-6);
        assert_true(fabs((double)given->data[2 * c] - (1 - one)) < 1e-6);
    }
    for (int64_t i = 0; i < queried.n; i++) {
        float z[2];
        gnt_err err = {0};
        assert_int_equal(points_run(&t, &queried.seen[i], &own, z, &err), GNT_OK);
        assert_true(fabsf(z[0] + z[1] - 1) < 1e-5F);
        if (class_of[1][i][3] != 1)
            assert_int_equal(z[1] > z[0], queried.value[i]);
        else
            assert_true(fabsf(z[1] - given->data[7]) < 0.2F);
    }
    points_artefact(&own, "given")->dim[0] = 3;
    points_refused(&t, &queried.seen[0], &own, "three classes of four");
    try_close(&t);
    try_drop(&own);
    t = points_open("via-task", "{\"window\": 1}", 1, (gnt_instance_spec){0});
    gnt_err err = {0};
    shadow.truth[5].y = NULL;
    assert_int_equal(try_prepare(&t, &shadow.in, &own, &err), GNT_UNSUPPORTED);
    assert_non_null(strstr(err.text, "labels of shadow samples"));
    try_drop(&own);
    try_close(&t);
}

static void gives_the_same_bytes_again(void **state) {
    (void)state;
    points_rings(&shadow, 100, 1);
    points_repeat("fresh", "{\"window\": 1, \"hidden\": 64, \"epochs\": 5}", &shadow);
}

static void refuses_what_is_not_its_own(void **state) {
    (void)state;
    kept own;
    gnt_err err = {0};
    float z[2];
    points_rings(&shadow, 100, 1);
    tried t = points_learn("fresh", QUICK ", \"classifier\": \"forest\", \"trees\": 3}", 1, &shadow, &own);
    assert_int_equal(points_run(&t, &shadow.seen[0], &own, z, &err), GNT_OK);
    points_artefact(&own, "size")->count = 2;
    points_refused(&t, &shadow.seen[0], &own, "two sizes for three trees");
    try_drop(&own);
    try_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_the_best_of_three),
        cmocka_unit_test(takes_the_wide_network_where_nothing_is_left_to_choose_by),
        cmocka_unit_test(states_how_much_is_known),
        cmocka_unit_test(reads_a_representation_as_it_is),
        cmocka_unit_test(computes_representations_of_shadow_samples),
        cmocka_unit_test(goes_by_the_class),
        cmocka_unit_test(gives_the_same_bytes_again),
        cmocka_unit_test(refuses_what_is_not_its_own),
    };
    return cmocka_run_group_tests_name("fresh", tests, NULL, NULL);
}
