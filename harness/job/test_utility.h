/* worth: what outputs on a test set are worth, by the loss and the kind of outputs of a model. */
#ifndef GNT_JOB_WORTH_H
#define GNT_JOB_WORTH_H

#include <jansson.h>

#include "job/samples.h"
#include "metric/utility.h"
#include "nn/model/model.h"

/* outputs: samples of `test` × classes. */
gnt_metric_utility_result gnt_test_utility_of(const gnt_model *m, const gnt_sampleset *test,
                                              const float *outputs);
/* The same of what the model gives for them at these weights. */
int gnt_test_utility_at(gnt_metric_utility_result *out, const gnt_model *m, const float *weights,
                        const float *buffers, const gnt_sampleset *test, gnt_err *err);
/* {"accuracy", "accuracy_error", "loss", "loss_error"}, null for what is not a number. */
json_t *gnt_test_utility_json(const gnt_metric_utility_result *w);

#endif
