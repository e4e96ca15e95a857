/* LPIPS and the feature distance against PyTorch in float64 (tests/golden/lpips.py), on weights of a formula;
 * LPIPS also on the published weights and pictures, where GAUNTLET_DATA names a folder that holds them. */
#include <setjmp.h>
#include <stdarg.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <png.h>

#include "base/mem.h"
#include "formula.h"
#include "metric/features.h"

static const char file[] = "tests/golden/lpips.safetensors";
static gnt_st golden;

static int load(void **state) {
    gnt_err err = {0};
    (void)state;
    gnt_st_init(&golden);
    return gnt_st_load(&golden, file, &err);
}

static int unload(void **state) {
    (void)state;
    gnt_st_free(&golden);
    return 0;
}

/* The tensors of a network, filled by the formula; `without` is left out. */
static void make_weights(gnt_st *st, gnt_lpips_net net, const char *without) {
    const char *name = gnt_lpips_names[net];
    const size_t n = strlen(name);
    uint64_t stream = FORMULA_WEIGHTS;
    gnt_st_init(st);
    for (size_t i = 0; i < golden.n; i++) {
        const gnt_st_tensor *t = &golden.tensor[i];
        if (strncmp(t->name, name, n) != 0 || t->name[n] != '/')
            continue;
        const int64_t *dim = t->data;
        const int32_t rank = (int32_t)t->dim[0];
        int64_t count = 1;
        gnt_st_tensor *made;
        for (int32_t k = 0; k < rank; k++)
            count *= dim[k];
        uint64_t own = stream++;
        if (without && strcmp(without, t->name + n + 1) == 0)
            continue;
        assert_int_equal(gnt_st_add(st, t->name + n + 1, GNT_ST_F32, rank, dim, NULL, &made, NULL), 0);
        int is_lin = strncmp(t->name + n + 1, "lin", 3) == 0;
        double scale = rank > 1 ? formula_bound((double)(count / dim[0])) : 1.0 / 16;
        for (int64_t k = 0; k < count; k++) {
            double u = formula_unit(own, (uint64_t)k);
            ((float *)made->data)[k] = (float)(is_lin ? (u + 1) / 2 : u * scale);
        }
    }
}

static void make_pair(float *a, float *b, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        a[i] = (float)(formula_unit(FORMULA_X, (uint64_t)i) / 2 + 0.5);
        b[i] = i % 4 ? a[i] : (float)(formula_unit(FORMULA_X_SEEN, (uint64_t)i) / 2 + 0.5);
    }
}

static double expected(const char *name) {
    gnt_err err = {0};
    const gnt_st_tensor *t = gnt_st_need(&golden, file, name, GNT_ST_F64, 0, NULL, &err);
    if (!t)
        fail_msg("%s", err.text);
    return *(const double *)t->data;
}

static void close_to(const char *name, double value, int32_t precision) {
    const double right = expected(name), tolerance = precision == 8 ? 1e-9 : 1e-5;
    if (!(fabs(value - right) <= tolerance * right))
        fail_msg("%s, precision %d: %.12g, expected %.12g", name, precision, value, right);
}

static void lpips_as_in_pytorch(void **state) {
    const gnt_lpips_net net = (gnt_lpips_net)(uintptr_t)*state;
    static const gnt_metric_shape shapes[] = {{3, 32, 32}, {3, 45, 64}, {1, 36, 33}};
    static float a[3 * 45 * 64], b[3 * 45 * 64];
    gnt_st weights;
    make_weights(&weights, net, NULL);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const gnt_metric_shape s = shapes[i];
        const int64_t n = s.channels * s.height * s.width;
        char name[64];
        snprintf(name, sizeof name, "%s.%dx%dx%d", gnt_lpips_names[net], (int)s.channels, (int)s.height,
                 (int)s.width);
        make_pair(a, b, n);
        for (int32_t precision = 4; precision <= 8; precision += 4) {
            gnt_features *f = NULL;
            gnt_err err = {0};
            if (gnt_lpips_new(&f, net, &weights, "made", s, precision, &err))
                fail_msg("%s", err.text);
            close_to(name, gnt_features_distance(f, a, b), precision);
            close_to(name, gnt_features_distance(f, b, a), precision);
            assert_true(gnt_features_distance(f, a, a) == 0);
            assert_true(gnt_features_worst(f, a) > expected(name));
            gnt_features_free(f);
        }
    }
    gnt_st_free(&weights);
}

/* Reads a picture as C × H × W in [0, 1]. */
static void read_picture(const char *folder, const char *name, float *out) {
    enum { SIDE = 64, PLACES = SIDE * SIDE };
    static uint8_t pixel[PLACES * 3];
    png_image image = {.version = PNG_IMAGE_VERSION};
    char *path = gnt_format("%s/weights/lpips_backbones/%s", folder, name);
    assert_non_null(path);
    if (!png_image_begin_read_from_file(&image, path))
        fail_msg("%s: %s", path, image.message);
    assert_int_equal(image.width, SIDE);
    assert_int_equal(image.height, SIDE);
    image.format = PNG_FORMAT_RGB;
    if (!png_image_finish_read(&image, NULL, pixel, 0, NULL))
        fail_msg("%s: %s", path, image.message);
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < PLACES; i++)
            out[c * PLACES + i] = (float)pixel[3 * i + c] / 255;
    gnt_free(path);
}

/* The distances of LPIPS's example pictures by the published weights of a network. For AlexNet its authors
 * publish .722 and .138; all digits are of a computation in NumPy, in double. */
static void published_weights(const char *folder, gnt_lpips_net net, const double *right) {
    static const char *const name[] = {"ex_ref.png", "ex_p0.png", "ex_p1.png"};
    static float picture[3][3 * 64 * 64];
    const gnt_metric_shape shape = {3, 64, 64};
    char *path = gnt_format("%s/weights/lpips/%s.safetensors", folder, gnt_lpips_names[net]);
    gnt_st weights;
    gnt_err err = {0};
    for (int i = 0; i < 3; i++)
        read_picture(folder, name[i], picture[i]);
    gnt_st_init(&weights);
    if (!path || gnt_st_load(&weights, path, &err))
        fail_msg("%s", err.text);
    for (int32_t precision = 4; precision <= 8; precision += 4) {
        gnt_features *f = NULL;
        if (gnt_lpips_new(&f, net, &weights, path, shape, precision, &err))
            fail_msg("%s", err.text);
        for (int i = 0; i < 2; i++) {
            const double got = gnt_features_distance(f, picture[0], picture[1 + i]);
            if (!(fabs(got - right[i]) <= (precision == 8 ? 1e-6 : 1e-5)))
                fail_msg("%s, %s, precision %d: %.8f, expected %.6f", gnt_lpips_names[net], name[1 + i],
                         precision, got, right[i]);
        }
        gnt_features_free(f);
    }
    gnt_st_free(&weights);
    gnt_free(path);
}

static void lpips_of_the_published_pictures(void **state) {
    (void)state;
    static const double alex[2] = {0.721881, 0.137566}, squeeze[2] = {0.711048, 0.147902};
    const char *folder = getenv("GAUNTLET_DATA");
    char *picture = folder ? gnt_format("%s/weights/lpips_backbones/ex_ref.png", folder) : NULL;
    FILE *f = picture ? fopen(picture, "rb") : NULL;
    gnt_free(picture);
    if (!f) {
        print_message("skip: GAUNTLET_DATA names no folder with LPIPS's weights and example pictures\n");
        skip();
        return;
    }
    fclose(f);
    published_weights(folder, GNT_LPIPS_ALEX, alex);
    published_weights(folder, GNT_LPIPS_SQUEEZE, squeeze);
}

static void refuse(gnt_lpips_net net, const char *without, gnt_metric_shape shape, const char *a,
                   const char *b) {
    gnt_st weights;
    gnt_features *f = NULL;
    gnt_err err = {0};
    make_weights(&weights, net, without);
    assert_int_equal(gnt_lpips_new(&f, net, &weights, "made", shape, 4, &err), -1);
    assert_null(f);
    if (!strstr(err.text, a) || !strstr(err.text, b))
        fail_msg("\"%s\" lacks \"%s\" or \"%s\"", err.text, a, b);
    gnt_st_free(&weights);
}

static void what_does_not_fit_is_refused(void **state) {
    (void)state;
    const gnt_metric_shape usual = {3, 32, 32};
    refuse(GNT_LPIPS_ALEX, "features.3.bias", usual, "made", "features.3.bias");
    refuse(GNT_LPIPS_VGG, "lin4.model.1.weight", usual, "made", "lin4.model.1.weight");
    refuse(GNT_LPIPS_SQUEEZE, "features.12.expand3x3.weight", usual, "made", "features.12.expand3x3.weight");
    /* 28 becomes 6, 2, and then no window of 3 fits */
    refuse(GNT_LPIPS_ALEX, NULL, (gnt_metric_shape){1, 28, 28}, "images of 28×28 are too small", "AlexNet");
    refuse(GNT_LPIPS_ALEX, NULL, (gnt_metric_shape){1, 1, 1}, "images of 1×1 are too small", "AlexNet");
    refuse(GNT_LPIPS_VGG, NULL, (gnt_metric_shape){3, 8, 64}, "images of 8×64 are too small", "VGG");
    refuse(GNT_LPIPS_VGG, NULL, (gnt_metric_shape){2, 32, 32}, "1 or 3 channels", "have 2");
}

/* A weight below 0 would make some pairs nearer than an image is to itself. */
static void negative_weights_are_refused(void **state) {
    (void)state;
    gnt_st weights;
    gnt_features *f = NULL;
    gnt_err err = {0};
    make_weights(&weights, GNT_LPIPS_SQUEEZE, NULL);
    ((float *)gnt_st_find(&weights, "lin2.model.1.weight")->data)[5] = -1e-3f;
    assert_int_equal(
        gnt_lpips_new(&f, GNT_LPIPS_SQUEEZE, &weights, "made", (gnt_metric_shape){3, 32, 32}, 4, &err), -1);
    assert_non_null(strstr(err.text, "lin2.model.1.weight: entry 5 is negative"));
    gnt_st_free(&weights);
}

static void feature_distance_as_in_pytorch(void **state) {
    (void)state;
    static float a[3 * 32 * 32], b[3 * 32 * 32];
    const gnt_nn_shape sample = {.rank = 3, .dim = {3, 32, 32}};
    gnt_model *m = NULL;
    gnt_err err = {0};
    if (gnt_model_load(&m, "models/lenet.json", &sample, 10, NULL, NULL, &err))
        fail_msg("%s", err.text);
    const gnt_param *list;
    const int32_t n = gnt_model_params(m, &list);
    float *params = gnt_array((size_t)gnt_model_size(m), sizeof *params), none = 0;
    assert_non_null(params);
    for (int32_t i = 0; i < n; i++)
        for (int64_t k = 0; k < gnt_nn_count(&list[i].shape); k++)
            params[list[i].offset + k] =
                (float)(formula_unit((uint64_t)(FORMULA_WEIGHTS + i), (uint64_t)k) / 2);
    make_pair(a, b, 3 * 32 * 32);
    for (int32_t precision = 4; precision <= 8; precision += 4) {
        gnt_features *f = NULL;
        if (gnt_features_new(&f, m, params, &none, precision, &err))
            fail_msg("%s", err.text);
        close_to("lenet", gnt_features_distance(f, a, b), precision);
        assert_true(gnt_features_distance(f, a, a) == 0);
        assert_true(fabs(gnt_features_worst(f, a) - 2) < 1e-12); /* sigmoids are not negative */
        gnt_features_free(f);
    }
    gnt_free(params);
    gnt_model_free(m);
}

/* Two pixels, a dense layer of two with ReLU, and one that separates two classes. `representation`: the
 * name of a layer, NULL for what the model has without. */
static gnt_model *two_pixels(const char *representation) {
    char json[400], key[64] = "";
    const gnt_nn_shape sample = {.rank = 3, .dim = {1, 1, 2}};
    gnt_model *m = NULL;
    gnt_err err = {0};
    if (representation)
        snprintf(key, sizeof key, "\"representation\": \"%s\", ", representation);
    snprintf(json, sizeof json,
             "{%s\"layers\": [{\"type\": \"flatten\", \"name\": \"flat\"}, {\"type\": \"dense\", \"name\": "
             "\"fc1\", \"out\": 2}, {\"type\": \"relu\"}, {\"type\": \"dense\", \"name\": \"fc2\", \"out\": "
             "\"classes\"}]}",
             key);
    if (gnt_model_parse(&m, "two pixels", json, &sample, 2, NULL, NULL, &err))
        fail_msg("%s", err.text);
    return m;
}

/* Weights W = (2 1; −1 3) and biases (0.5, 0.25) of fc1, then W = (1 2; 3 4) and biases (0, 0) of fc2. */
static const float two_pixels_weights[] = {2, 1, -1, 3, 0.5, 0.25, 1, 2, 3, 4, 0, 0};

static double error_of_representation(const char *representation, const float *a, const float *b,
                                      int32_t precision) {
    gnt_model *m = two_pixels(representation);
    gnt_features *f = NULL;
    gnt_err err = {0};
    const float none = 0;
    assert_int_equal(gnt_model_size(m), sizeof two_pixels_weights / sizeof *two_pixels_weights);
    if (gnt_representation_new(&f, m, two_pixels_weights, &none, precision, &err))
        fail_msg("%s", err.text);
    const double d = gnt_features_distance(f, a, b);
    assert_true(gnt_features_distance(f, b, a) == d);
    assert_true(gnt_features_distance(f, a, a) == 0);
    gnt_features_free(f);
    gnt_model_free(m);
    return d;
}

/* By hand, with numbers that floats hold exactly. a = (½, ¼): W a + bias = (1.75, 0.5), which ReLU leaves.
 * b = (1, 0): (2.5, −0.75), after ReLU (2.5, 0). */
static void error_of_a_representation_by_hand(void **state) {
    (void)state;
    const float a[2] = {0.5f, 0.25f}, b[2] = {1, 0}, beyond[2] = {1.5f, -1};
    for (int32_t precision = 4; precision <= 8; precision += 4) {
        /* the input of the last dense layer: (0.75² + 0.5²) / 2. Without squares it would be 0.625, without
         * the mean 0.8125, of fc1 before ReLU 1.0625 */
        assert_true(error_of_representation(NULL, a, b, precision) == 0.40625);
        assert_true(error_of_representation("fc1", a, b, precision) == (0.75 * 0.75 + 1.25 * 1.25) / 2);
        assert_true(error_of_representation("flat", a, b, precision) == (0.5 * 0.5 + 0.25 * 0.25) / 2);
        /* images are clamped to [0, 1] first */
        assert_true(error_of_representation(NULL, a, beyond, precision) == 0.40625);
    }
}

/* Black gives (0.5, 0.25), white (3.5, 2.25): (1.75² + 1.75²) / 2 from a. */
static void no_answer_counts_as_black_or_white(void **state) {
    (void)state;
    const float a[2] = {0.5f, 0.25f}, white[2] = {1, 1}, none = 0;
    gnt_model *m = two_pixels(NULL);
    gnt_features *f = NULL;
    gnt_err err = {0};
    if (gnt_representation_new(&f, m, two_pixels_weights, &none, 8, &err))
        fail_msg("%s", err.text);
    assert_true(gnt_features_worst(f, a) == 3.0625);
    assert_true(gnt_features_worst(f, white) == (3.0 * 3.0 + 2.0 * 2.0) / 2); /* white is the truth: black */
    gnt_features_free(f);
    gnt_model_free(m);
}

static void a_sample_is_no_representation(void **state) {
    (void)state;
    const gnt_nn_shape sample = {.rank = 3, .dim = {1, 1, 2}};
    const float weights[8] = {0}, none = 0;
    gnt_model *m = NULL;
    gnt_features *f = NULL;
    gnt_err err = {0};
    if (gnt_model_parse(&m, "no dense layer",
                        "{\"layers\": [{\"type\": \"conv\", \"name\": \"c\", \"out\": 2, \"kernel\": 1}, "
                        "{\"type\": \"global_avg_pool\"}, {\"type\": \"flatten\"}]}",
                        &sample, 2, NULL, NULL, &err))
        fail_msg("%s", err.text);
    assert_int_equal(gnt_representation_new(&f, m, weights, &none, 4, &err), -1);
    assert_non_null(strstr(err.text, "other than the sample"));
    gnt_model_free(m);
}

int main(int argc, char **argv) {
    if (argc == 3 &&
        strcmp(argv[1], "--write") == 0) { /* weights of the formula as files, for tests of whole runs */
        gnt_st weights;
        char path[4200];
        if (load(NULL))
            return 1;
        make_weights(&weights, GNT_LPIPS_SQUEEZE, NULL);
        snprintf(path, sizeof path, "%.4000s/squeeze.safetensors", argv[2]);
        int rc = gnt_st_save(&weights, path, NULL);
        gnt_st_free(&weights);
        return unload(NULL) || rc;
    }
    const struct CMUnitTest tests[] = {
        {"alex", lpips_as_in_pytorch, NULL, NULL, (void *)(uintptr_t)GNT_LPIPS_ALEX},
        {"vgg", lpips_as_in_pytorch, NULL, NULL, (void *)(uintptr_t)GNT_LPIPS_VGG},
        {"squeeze", lpips_as_in_pytorch, NULL, NULL, (void *)(uintptr_t)GNT_LPIPS_SQUEEZE},
        cmocka_unit_test(lpips_of_the_published_pictures),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(negative_weights_are_refused),
        cmocka_unit_test(feature_distance_as_in_pytorch),
        cmocka_unit_test(error_of_a_representation_by_hand),
        cmocka_unit_test(no_answer_counts_as_black_or_white),
        cmocka_unit_test(a_sample_is_no_representation),
    };
    return cmocka_run_group_tests_name("features", tests, load, unload);
}
