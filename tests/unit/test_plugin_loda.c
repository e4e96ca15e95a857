/* loda: what its encoding is (Algorithm 1), that it is computed once, and what it refuses. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "loda_bench.h"

typedef struct encoded { /* what came out of a set */
    float x[MOST * PIXELS], y[MOST * CLASSES];
    int64_t id[MOST], n;
} encoded;

static gnt_status put(void *context, const float *x, const float *y, int64_t id) {
    encoded *e = context;
    assert_true(e->n < MOST);
    memcpy(e->x + e->n * PIXELS, x, PIXELS * sizeof *x);
    memcpy(e->y + e->n * CLASSES, y, CLASSES * sizeof *y);
    e->id[e->n++] = id;
    return GNT_OK;
}

static int start(tried *t, const bench *b, const char *json, uint64_t seed, gnt_err *err) {
    char path[4096];
    gnt_instance_spec spec = {.models = &b->named, .n_models = 1};
    if (try_load(t, built(LODA_SO, path), GNT_PLUGIN_DEFENSE, "loda", json, err) != 0)
        return -1;
    return try_start(t, seed, spec, err);
}

static gnt_status encode(tried *t, const gnt_samples *samples, const gnt_samples *public_data,
                         const gnt_artefacts *artefacts, encoded *out, gnt_err *err) {
    gnt_client client = {.size = sizeof client,
                         .n_clients = 1,
                         .n_samples = samples->n,
                         .samples = samples,
                         .public_data = public_data,
                         .artefacts = artefacts};
    gnt_samples_sink sink = {.size = sizeof sink, .context = out, .put = put};
    out->n = 0;
    gnt_instance_enter(t->instance, "encode_set");
    gnt_status s =
        gnt_instance_defense(t->instance)->encode_set(gnt_instance_self(t->instance), &client, 0, &sink);
    return gnt_instance_leave(t->instance, s, err);
}

/* Opens, encodes, closes. */
static void encode_with(const bench *b, const char *json, uint64_t seed, const gnt_samples *samples,
                        const gnt_samples *public_data, encoded *out) {
    tried t;
    gnt_err err = {0};
    if (start(&t, b, json, seed, &err) != 0 || encode(&t, samples, public_data, NULL, out, &err) != GNT_OK)
        fail_msg("%s", err.text);
    try_close(&t);
}

static double apart(const float *a, const float *b) {
    double sum = 0;
    for (int64_t k = 0; k < PIXELS; k++)
        sum += (double)(a[k] - b[k]) * (double)(a[k] - b[k]);
    return sqrt(sum);
}

static void it_falls_within_the_box_away_from_the_private_image(void **state) {
    (void)state;
    static bench b;
    static encoded first, last;
    tried t;
    gnt_err err = {0};
    bench_open(&b, smooth_json, 1);
    encode_with(
        &b, "{\"preset\": \"custom\", \"layers\": \"convs:all\", \"c\": 30, \"steps\": 1, \"step\": 1e-4}", 5,
        &b.samples, &b.public_data, &first);
    assert_int_equal(start(&t, &b,
                           "{\"preset\": \"custom\", \"layers\": \"convs:all\", \"c\": 30, \"steps\": 80}", 5,
                           &err),
                     0);
    assert_int_equal(encode(&t, &b.samples, &b.public_data, NULL, &last, &err), GNT_OK);
    assert_int_equal(last.n, MOST);
    int different = 0;
    for (int64_t i = 0; i < MOST; i++) {
        const float *from = first.x + i * PIXELS, *to = last.x + i * PIXELS, *truth = b.x + i * PIXELS;
        double nearest = INFINITY; /* a step of 1e-4 away from a public image */
        for (int64_t k = 0; k < MOST; k++)
            nearest = fmin(nearest, apart(from, b.open + k * PIXELS));
        assert_true(nearest <= 1.01e-4);
        different += apart(from, first.x) > 1e-3;
        for (int64_t k = 0; k < PIXELS; k++)
            assert_true(to[k] >= 0 && to[k] <= 1);
        if (apart(to, truth) <= apart(from, truth))
            fail_msg("image %d: %g from the private one at the start, %g at the end", (int)i,
                     apart(from, truth), apart(to, truth));
        assert_memory_equal(last.y + i * CLASSES, b.y + i * CLASSES, CLASSES * sizeof(float));
        assert_int_equal(last.id[i], i);
    }
    assert_true(different > 0); /* not all from the same public image */
    assert_true(try_fact(&t, "objective_end") < try_fact(&t, "objective_start"));
    try_close(&t);
    bench_close(&b);
}

/* ‖g(x) − g(truth)‖² − c‖x − truth‖² over c1 and fc, in double from the features. */
static double objective(bench_map *m, const float *x, const float *truth, double c) {
    double goal[2][6 * SIDE * SIDE], sum = 0;
    const gnt_views *at = bench_at(m, truth);
    for (int l = 0; l < 2; l++)
        for (int64_t k = 0; k < at->view[l].count; k++)
            goal[l][k] = (double)at->view[l].data[k];
    at = bench_at(m, x);
    for (int l = 0; l < 2; l++)
        for (int64_t k = 0; k < at->view[l].count; k++)
            sum += ((double)at->view[l].data[k] - goal[l][k]) * ((double)at->view[l].data[k] - goal[l][k]);
    double d = apart(x, truth);
    return sum - c * d * d;
}

/* The first step from the one public image goes against the gradient, by its length. */
static void a_step_follows_the_gradient(void **state) {
    (void)state;
    static bench b;
    static encoded out;
    bench_open(&b, smooth_json, 2);
    gnt_samples one = bench_samples(1, b.x, b.y), open = bench_samples(1, b.open, b.y);
    const double c = 3, h = 0.01, length = 0.05;
    encode_with(&b,
                "{\"preset\": \"custom\", \"layers\": \"fc + c1\", \"c\": 3, \"steps\": 1, \"step\": 0.05}",
                1, &one, &open, &out);
    int32_t layers[2] = {bench_layer(&b, "c1"), bench_layer(&b, "fc")};
    bench_map m = bench_map_open(&b, layers, 2);
    double both = 0, own = 0, theirs = 0;
    float x[PIXELS];
    memcpy(x, b.open, sizeof x);
    for (int64_t k = 0; k < PIXELS; k++) {
        double step = (double)(out.x[k] - b.open[k]) / -length;
        x[k] = b.open[k] + (float)h;
        double up = objective(&m, x, b.x, c), high = (double)x[k];
        x[k] = b.open[k] - (float)h;
        double slope = (up - objective(&m, x, b.x, c)) / (high - (double)x[k]);
        x[k] = b.open[k];
        both += slope * step;
        own += step * step;
        theirs += slope * slope;
    }
    assert_true(fabs(sqrt(own) - 1) < 1e-3);
    if (!(both / sqrt(own * theirs) > 0.9999))
        fail_msg("cosine to the central differences %.8f", both / sqrt(own * theirs));
    bench_close(&b);
}

/* A sample has the same encoding whatever else is in the set, in whatever order and however many at once, and
 * the second time the very same bytes. */
static void an_image_is_encoded_by_itself_and_once(void **state) {
    (void)state;
    static bench b;
    static encoded whole, again, single;
    static const char json[] = "{\"preset\": \"LODA1\", \"layers\": \"\", \"steps\": 20, \"batch\": 3}";
    static const char few[] =
        "{\"preset\": \"custom\", \"layers\": \"convs:first2\", \"steps\": 20, \"batch\": 3}";
    tried t;
    gnt_err err = {0};
    bench_open(&b, smooth_json, 3);
    assert_int_not_equal(start(&t, &b, json, 7, &err), 0); /* three convolutions, LODA1 wants five */
    assert_non_null(strstr(err.text, "asks for 5 convolutions, but small has 3"));
    try_close(&t);
    assert_int_equal(start(&t, &b, few, 7, &err), 0);
    assert_int_equal(encode(&t, &b.samples, &b.public_data, NULL, &whole, &err), GNT_OK);
    double psnr = try_fact(&t, "psnr_to_private");
    gnt_samples last = bench_samples(2, b.x + 6 * PIXELS, b.y + 6 * CLASSES);
    assert_int_equal(encode(&t, &last, &b.public_data, NULL, &again, &err), GNT_OK);
    assert_int_equal(again.n, 2);
    assert_memory_equal(again.x, whole.x + 6 * PIXELS, 2 * PIXELS * sizeof(float));
    assert_true(try_fact(&t, "psnr_to_private") == psnr); /* nothing was computed again */
    try_close(&t);
    for (int64_t i = 0; i < MOST; i++) {
        gnt_samples one = bench_samples(1, b.x + i * PIXELS, b.y + i * CLASSES);
        encode_with(&b, few, 7, &one, &b.public_data, &single);
        if (!(apart(single.x, whole.x + i * PIXELS) < 1e-3))
            fail_msg("image %d by itself is %g from image %d among others", (int)i,
                     apart(single.x, whole.x + i * PIXELS), (int)i);
    }
    bench_close(&b);
}

/* ---- prepare ---- */

static gnt_status no_tensor(void *context, const char *name, int32_t rank, const int64_t *dim,
                            const float *data) {
    (void)context, (void)name, (void)rank, (void)dim, (void)data;
    return GNT_FAILED;
}

static gnt_status keep_secret(void *context, const char *name, const uint8_t *data, int64_t count) {
    assert_string_equal(name, "secret");
    assert_int_equal(count, 8);
    memcpy(context, data, 8);
    return GNT_OK;
}

static gnt_status run_prepare(tried *t, const gnt_samples *public_data, uint8_t secret[8], gnt_err *err) {
    gnt_defense_prepare in = {.size = sizeof in, .stage = -1, .public_data = public_data};
    gnt_sink sink = {.size = sizeof sink, .context = secret, .tensor = no_tensor, .blob = keep_secret};
    gnt_instance_enter(t->instance, "prepare");
    gnt_status s = gnt_instance_defense(t->instance)->prepare(gnt_instance_self(t->instance), &in, &sink);
    return gnt_instance_leave(t->instance, s, err);
}

/* Jobs have keys of their own, the training one and each observation another: the secret of prepare makes
 * them start alike, so that an image never goes out in two encodings. */
static void the_secret_decides_the_start(void **state) {
    (void)state;
    static bench b;
    static encoded one, two, other;
    static const char json[] = "{\"preset\": \"custom\", \"layers\": \"c1\", \"steps\": 3}";
    uint8_t secret[2][8];
    tried t;
    gnt_err err = {0};
    bench_open(&b, smooth_json, 4);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(start(&t, &b, json, 11 + (uint64_t)i, &err), 0);
        assert_int_equal(run_prepare(&t, &b.public_data, secret[i], &err), GNT_OK);
        try_close(&t);
    }
    gnt_blob blob = {"secret", secret[0], 8};
    gnt_artefacts artefacts = {.size = sizeof artefacts, .n_blobs = 1, .blob = &blob};
    assert_int_equal(start(&t, &b, json, 21, &err), 0);
    assert_int_equal(encode(&t, &b.samples, &b.public_data, &artefacts, &one, &err), GNT_OK);
    try_close(&t);
    assert_int_equal(start(&t, &b, json, 22, &err), 0);
    assert_int_equal(encode(&t, &b.samples, &b.public_data, &artefacts, &two, &err), GNT_OK);
    try_close(&t);
    assert_memory_equal(one.x, two.x, sizeof one.x);
    blob.data = secret[1];
    assert_int_equal(start(&t, &b, json, 22, &err), 0);
    assert_int_equal(encode(&t, &b.samples, &b.public_data, &artefacts, &other, &err), GNT_OK);
    try_close(&t);
    assert_memory_not_equal(one.x, other.x, sizeof one.x);
    bench_close(&b);
}

/* ---- refusals ---- */

static void refused(const bench *b, const char *json, const char *words) {
    tried t;
    gnt_err err = {0};
    if (start(&t, b, json, 1, &err) == 0)
        fail_msg("%s was taken", json);
    if (!strstr(err.text, words))
        fail_msg("%s: said \"%s\", expected \"%s\"", json, err.text, words);
    try_close(&t);
}

static void wrong_layers_are_named(void **state) {
    (void)state;
    static bench b;
    bench_open(&b, smooth_json, 5);
    refused(&b, "{\"preset\": \"custom\", \"layers\": \"c1+conv2\"}",
            "small has no layer \"conv2\"; the nearest is \"c2\"");
    refused(&b, "{\"preset\": \"custom\", \"layers\": \"convs:last9\"}",
            "asks for 9 convolutions, but small has 3");
    refused(&b, "{\"preset\": \"custom\", \"layers\": \"convs:first0\"}", "asks for 0 convolutions");
    refused(&b, "{\"preset\": \"custom\", \"layers\": \"convs:first2x\"}", "no layer \"convs:first2x\"");
    refused(&b, "{\"preset\": \"custom\"}", "layers: none is named");
    refused(&b, "{\"preset\": \"LODA2\", \"layers\": \"c1\"}", "set \"preset\" to \"custom\"");
    b.named.parameter = "another";
    tried t;
    gnt_err err = {0};
    assert_int_not_equal(start(&t, &b, "{\"preset\": \"LODA2\"}", 1, &err), 0);
    try_close(&t);
    bench_close(&b);
}

static void what_does_not_fit_is_refused(void **state) {
    (void)state;
    static bench b;
    static encoded out;
    char path[4096];
    uint8_t secret[8];
    tried t;
    gnt_err err = {0};
    bench_open(&b, smooth_json, 6);
    assert_int_equal(start(&t, &b, "{\"preset\": \"LODA2\"}", 1, &err), 0);
    assert_int_equal(encode(&t, &b.samples, NULL, NULL, &out, &err), GNT_FAILED);
    assert_non_null(strstr(err.text, "starts from public images and the task has none"));
    assert_int_equal(run_prepare(&t, NULL, secret, &err), GNT_FAILED);
    gnt_samples wide = b.samples;
    wide.features = PIXELS / 2;
    assert_int_equal(encode(&t, &wide, &wide, NULL, &out, &err), GNT_FAILED);
    assert_non_null(strstr(err.text, "another shape than the extractor reads"));
    try_close(&t);

    /* a task of other images */
    gnt_model *gray;
    gnt_service *service;
    gnt_nn_shape sample = {3, {1, SIDE, SIDE}};
    assert_int_equal(gnt_model_parse(&gray, "gray", smooth_json, &sample, CLASSES, NULL, NULL, &err), 0);
    gnt_service_spec of = {.model = gray, .name = "gray"};
    assert_int_equal(gnt_service_new(&service, &of, &err), 0);
    gnt_instance_spec spec = {.models = &b.named, .n_models = 1, .model = service};
    assert_int_equal(
        try_load(&t, built(LODA_SO, path), GNT_PLUGIN_DEFENSE, "loda", "{\"preset\": \"LODA2\"}", &err), 0);
    assert_int_equal(try_start(&t, 1, spec, &err), 0);
    assert_int_equal(run_prepare(&t, &b.public_data, secret, &err), GNT_UNSUPPORTED);
    assert_non_null(strstr(err.text, "the extractor net reads samples of 3×8×8, the task has 1×8×8"));
    try_close(&t);
    gnt_service_free(service);
    gnt_model_free(gray);
    bench_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_falls_within_the_box_away_from_the_private_image),
        cmocka_unit_test(a_step_follows_the_gradient),
        cmocka_unit_test(an_image_is_encoded_by_itself_and_once),
        cmocka_unit_test(the_secret_decides_the_start),
        cmocka_unit_test(wrong_layers_are_named),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
