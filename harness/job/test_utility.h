/* test_utility: the utility of outputs on a test set, by the loss and the kind of outputs of a model. */
#ifndef GNT_JOB_TEST_UTILITY_H
#define GNT_JOB_TEST_UTILITY_H

#include <jansson.h>

#include "job/work/sampleset.h"
#include "metric/map.h"
#include "metric/model_utility.h"
#include "nn/model/model.h"

typedef struct gnt_test_utility {
    gnt_metric_utility_result of;
    gnt_map_result map; /* where has_maps */
    int has_maps;       /* the test samples have maps */
} gnt_test_utility;

/* Measures the utility of outputs. outputs: samples of `test` × classes. rows, unless NULL: 2 × samples,
 * which will hold of each whether it was right (1 or 0; of maps what gnt_map_iou_by_image gives), then the
 * loss of each. key: errors of maps are drawn by a stream of it. −1 with a sentence. */
int gnt_test_utility_of(gnt_test_utility *out, const gnt_model *m, const gnt_sampleset *test,
                        const float *outputs, const gnt_key *key, float *rows, gnt_err *err);
/* Returns in *out the model's outputs on the test samples at these weights; the caller frees them. */
int gnt_test_outputs(float **out, const gnt_model *m, const float *weights, const float *buffers,
                     const gnt_sampleset *test, gnt_err *err);
/* Measures the utility of these outputs. */
int gnt_test_utility_at(gnt_test_utility *out, const gnt_model *m, const float *weights, const float *buffers,
                        const gnt_sampleset *test, const gnt_key *key, float *rows, gnt_err *err);
/* Measures the utility of the best outputs, by the loss, that are the same for all test samples: what a model
 * has that learnt nothing but how frequent each class is, or each pixel of a map. */
int gnt_test_constant(gnt_test_utility *out, const gnt_model *m, const gnt_sampleset *test,
                      const gnt_key *key, gnt_err *err);
/* Lists, for each private attribute, an object for each value: {"n", "right", "labels"}, how many samples
 * have it, how many of these are right by `rows`, and how many are of each class. {} where the outputs are
 * a map. NULL: out of memory. */
json_t *gnt_test_utility_by_value(const gnt_model *m, const gnt_sampleset *test, const float *rows);
/* Returns {"accuracy", "accuracy_error", "loss", "loss_error"}, of maps also each of gnt_map_names and its
 * "…_error"; null for what is not finite. NULL: out of memory. */
json_t *gnt_test_utility_json(const gnt_test_utility *u);

#endif
