#include "job/test_utility.h"

#include <inttypes.h>
#include <math.h>

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
