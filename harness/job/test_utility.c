#include "job/test_utility.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "nn/model/train.h"

enum { EVALUATE_BATCH = 64 };

gnt_metric_utility_result gnt_test_utility_of(const gnt_model *m, const gnt_sampleset *test,
                                              const float *outputs, float *rows) {
    const size_t n = (size_t)test->view.n, classes = (size_t)gnt_model_classes(m);
    const int is_map = gnt_model_is_map(m);
    gnt_metric_utility u = {.row_right = rows, .row_loss = rows ? rows + n : NULL};
    if (gnt_model_loss_of(m) == GNT_MODEL_MSE)
        gnt_metric_utility_values(&u, test->y, outputs, is_map ? NULL : test->label, n, classes);
    else if (is_map)
        gnt_metric_utility_map(&u, test->y, outputs, n, classes);
    else
        gnt_metric_utility_logits(&u, outputs, test->label, n, (int32_t)classes);
    return gnt_metric_utility_end(&u, !is_map);
}

int gnt_test_utility_at(gnt_metric_utility_result *out, const gnt_model *m, const float *weights,
                        const float *buffers, const gnt_sampleset *test, float *rows, gnt_err *err) {
    const int64_t n = test->view.n;
    gnt_evaluator *e = NULL;
    float *outputs = gnt_array((size_t)(n * gnt_model_classes(m)), sizeof *outputs);
    int rc = outputs ? gnt_evaluator_new(&e, m, GNT_EVALUATE_OUTPUT, EVALUATE_BATCH, err)
                     : gnt_fail(err, "out of memory for the outputs of %" PRId64 " test samples", n);
    if (rc == 0)
        rc = gnt_evaluator_run(e, weights, buffers, test->x, n, outputs, err);
    if (rc == 0)
        *out = gnt_test_utility_of(m, test, outputs, rows);
    gnt_evaluator_free(e);
    gnt_free(outputs);
    return rc;
}

static json_t *number_or_null(double x) {
    return isfinite(x) ? json_real(x) : json_null();
}

json_t *gnt_test_utility_json(const gnt_metric_utility_result *w) {
    return json_pack("{s:o, s:o, s:o, s:o}", "accuracy", number_or_null(w->accuracy), "accuracy_error",
                     number_or_null(w->accuracy_error), "loss", number_or_null(w->loss), "loss_error",
                     number_or_null(w->loss_error));
}

/* count: 2 + classes, to count in. */
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
