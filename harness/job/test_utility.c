#include "job/test_utility.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "nn/model/train.h"

enum { EVALUATE_BATCH = 64 };

/* Measures maps: a pixel counts as found if it is likelier marked than not. */
static int measure_maps(gnt_test_utility *out, const gnt_model *m, const gnt_sampleset *test,
                        const float *outputs, const gnt_key *key, float *rows, gnt_err *err) {
    const size_t n = (size_t)test->view.n, pixels = (size_t)test->view.classes;
    const double threshold = gnt_model_loss_of(m) == GNT_MODEL_MSE ? 0.5 : 0; /* of a value, of a score */
    gnt_map_counts *image = gnt_array(n, sizeof *image);
    if (!image)
        return gnt_fail(err, "out of memory for the maps of %zu test samples", n);
    for (size_t i = 0; i < n; i++)
        image[i] = gnt_map_count(test->y + i * pixels, outputs + i * pixels, pixels, threshold);
    if (rows)
        gnt_map_iou_by_image(rows, image, n);
    const int rc = gnt_map_measure(&out->map, image, n, gnt_stream_open(key, "errors of maps"), err);
    gnt_free(image);
    return rc;
}

int gnt_test_utility_of(gnt_test_utility *out, const gnt_model *m, const gnt_sampleset *test,
                        const float *outputs, const gnt_key *key, float *rows, gnt_err *err) {
    const size_t n = (size_t)test->view.n, classes = (size_t)gnt_model_classes(m);
    const int is_map = gnt_model_is_map(m);
    gnt_metric_utility u = {.row_right = rows, .row_loss = rows ? rows + n : NULL};
    if (gnt_model_loss_of(m) == GNT_MODEL_MSE)
        gnt_metric_utility_values(&u, test->y, outputs, is_map ? NULL : test->label, n, classes);
    else if (is_map)
        gnt_metric_utility_map(&u, test->y, outputs, n, classes);
    else
        gnt_metric_utility_logits(&u, outputs, test->label, n, (int32_t)classes);
    *out = (gnt_test_utility){.of = gnt_metric_utility_end(&u, !is_map), .has_maps = test->has_maps};
    return test->has_maps ? measure_maps(out, m, test, outputs, key, rows, err) : 0;
}

int gnt_test_outputs(float **out, const gnt_model *m, const float *weights, const float *buffers,
                     const gnt_sampleset *test, gnt_err *err) {
    const int64_t n = test->view.n;
    gnt_evaluator *e = NULL;
    *out = gnt_array((size_t)(n * gnt_model_classes(m)), sizeof **out);
    int rc = *out ? gnt_evaluator_new(&e, m, GNT_EVALUATE_OUTPUT, EVALUATE_BATCH, err)
                  : gnt_fail(err, "out of memory for the outputs of %" PRId64 " test samples", n);
    if (rc == 0)
        rc = gnt_evaluator_run(e, weights, buffers, test->x, n, *out, err);
    gnt_evaluator_free(e);
    if (rc == 0)
        return 0;
    gnt_free(*out);
    *out = NULL;
    return -1;
}

int gnt_test_utility_at(gnt_test_utility *out, const gnt_model *m, const float *weights, const float *buffers,
                        const gnt_sampleset *test, const gnt_key *key, float *rows, gnt_err *err) {
    float *outputs;
    if (gnt_test_outputs(&outputs, m, weights, buffers, test, err) != 0)
        return -1;
    const int rc = gnt_test_utility_of(out, m, test, outputs, key, rows, err);
    gnt_free(outputs);
    return rc;
}

/* Returns the output whose loss is least over samples of which this share has the class, or the pixel. */
static float best_output(const gnt_model *m, double mean, int64_t n) {
    const double least = 0.5 / (double)n, p = fmin(fmax(mean, least), 1 - least);
    if (gnt_model_loss_of(m) == GNT_MODEL_MSE)
        return (float)mean;
    return (float)(gnt_model_is_map(m) ? log(p / (1 - p)) : log(p));
}

int gnt_test_constant(gnt_test_utility *out, const gnt_model *m, const gnt_sampleset *test,
                      const gnt_key *key, gnt_err *err) {
    const int64_t n = test->view.n, classes = gnt_model_classes(m);
    float *outputs = gnt_array((size_t)(n * classes), sizeof *outputs);
    if (!outputs)
        return gnt_fail(err, "out of memory for the outputs of %" PRId64 " test samples", n);
    for (int64_t c = 0; c < classes; c++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++)
            sum += (double)test->y[i * classes + c];
        const float best = n > 0 ? best_output(m, sum / (double)n, n) : 0;
        for (int64_t i = 0; i < n; i++)
            outputs[i * classes + c] = best;
    }
    const int rc = gnt_test_utility_of(out, m, test, outputs, key, NULL, err);
    gnt_free(outputs);
    return rc;
}

json_t *gnt_test_utility_json(const gnt_test_utility *u) {
    const gnt_metric_utility_result *w = &u->of;
    json_t *all = json_pack("{s:o, s:o, s:o, s:o}", "accuracy", gnt_json_real(w->accuracy), "accuracy_error",
                            gnt_json_real(w->accuracy_error), "loss", gnt_json_real(w->loss), "loss_error",
                            gnt_json_real(w->loss_error));
    int failed = !all;
    for (int k = 0; u->has_maps && k < GNT_MAP_NUMBERS; k++) {
        char error[64];
        snprintf(error, sizeof error, "%s_error", gnt_map_names[k]);
        failed |= json_object_set_new(all, gnt_map_names[k], gnt_json_real(u->map.value[k])) |
                  json_object_set_new(all, error, gnt_json_real(u->map.error[k]));
    }
    if (failed)
        json_decref(all);
    return failed ? NULL : all;
}

/* Counts the samples with one value of an attribute, those right by `rows`, and each class among them.
 * count: memory for 2 + classes. */
static json_t *of_value(const gnt_sampleset *test, int32_t attribute, int32_t value, int32_t classes,
                        const float *rows, int64_t *count) {
    const gnt_samples *t = &test->view;
    memset(count, 0, (2 + (size_t)classes) * sizeof *count);
    for (int64_t i = 0; i < t->n; i++) {
        if (test->a[i * t->n_attributes + attribute] != value)
            continue;
        count[0]++;
        count[1] += rows[i] > 0;
        count[2 + test->label[i]]++;
    }
    json_t *labels = json_array();
    for (int32_t c = 0; c < classes; c++)
        json_array_append_new(labels, json_integer(count[2 + c]));
    return json_pack("{s:I, s:I, s:o}", "n", (json_int_t)count[0], "right", (json_int_t)count[1], "labels",
                     labels);
}

json_t *gnt_test_utility_by_value(const gnt_model *m, const gnt_sampleset *test, const float *rows) {
    const int32_t classes = (int32_t)gnt_model_classes(m),
                  attributes = gnt_model_is_map(m) ? 0 : test->view.n_attributes;
    json_t *all = json_object();
    int64_t *count = gnt_array(2 + (size_t)classes, sizeof *count);
    int rc = all && count ? 0 : -1;
    for (int32_t k = 0; rc == 0 && k < attributes; k++) {
        json_t *list = json_array();
        for (int32_t v = 0; rc == 0 && v < test->attribute[k].values; v++)
            rc = json_array_append_new(list, of_value(test, k, v, classes, rows, count));
        if (rc == 0)
            rc = json_object_set_new(all, test->attribute_name[k], list);
        else
            json_decref(list);
    }
    gnt_free(count);
    if (rc != 0)
        json_decref(all);
    return rc == 0 ? all : NULL;
}
