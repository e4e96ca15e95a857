/* The task's model, as a request describes it, and weights out of bundles. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "job/work.h"

/* None, or one for each of the sample's channels (or features). */
static int read_numbers(const json_t *list, const gnt_nn_shape *sample, double **out, gnt_err *err) {
    *out = NULL;
    size_t n = json_array_size(list);
    if (n == 0)
        return 0;
    if ((int64_t)n != sample->dim[0])
        return gnt_fail(err, "the job's request normalises %zu channels of samples that have %" PRId64, n,
                        sample->dim[0]);
    *out = gnt_array(n, sizeof **out);
    if (!*out)
        return gnt_fail(err, "out of memory for the normalisation");
    for (size_t i = 0; i < n; i++)
        (*out)[i] = json_number_value(json_array_get(list, i));
    return 0;
}

int gnt_work_model_read(gnt_work_model *out, const json_t *json, gnt_err *err) {
    *out = (gnt_work_model){0};
    const json_t *sample = json_object_get(json, "sample");
    const char *name = json_string_value(json_object_get(json, "name"));
    const char *text = json_string_value(json_object_get(json, "json"));
    out->sample.rank = (int32_t)json_array_size(sample);
    if (!name || !text || (out->sample.rank != 1 && out->sample.rank != 3))
        return gnt_fail(err, "the job's request lacks a model, or the shape of a sample");
    for (int32_t i = 0; i < out->sample.rank; i++)
        out->sample.dim[i] = json_integer_value(json_array_get(sample, (size_t)i));
    out->name = name;
    int rc = read_numbers(json_object_get(json, "mean"), &out->sample, &out->mean, err);
    if (rc == 0)
        rc = read_numbers(json_object_get(json, "deviation"), &out->sample, &out->deviation, err);
    if (rc == 0)
        rc = gnt_model_parse(&out->model, name, text, &out->sample,
                             (int32_t)json_integer_value(json_object_get(json, "classes")), out->mean,
                             out->deviation, err);
    if (rc != 0)
        gnt_work_model_free(out);
    return rc;
}

int gnt_work_model_open(gnt_work_model *out, const gnt_work *w, gnt_err *err) {
    int rc = gnt_work_model_read(out, gnt_request(w, "model"), err);
    out->training_stats = (int)gnt_request_int(w, "federated.training_stats");
    return rc;
}

void gnt_work_model_free(gnt_work_model *m) {
    gnt_model_free(m->model);
    gnt_free(m->mean);
    gnt_free(m->deviation);
    *m = (gnt_work_model){0};
}

static int copy_vector(const gnt_st *st, const char *kind, int64_t round, int64_t n, float **out,
                       gnt_err *err) {
    char name[64];
    snprintf(name, sizeof name, "%s.%" PRId64, kind, round);
    const gnt_st_tensor *t = gnt_st_need(st, "the trained weights", name, GNT_ST_F32, 1, &n, err);
    *out = t ? gnt_array((size_t)n, sizeof **out) : NULL;
    if (!t)
        return -1;
    if (!*out)
        return gnt_fail(err, "out of memory for %" PRId64 " weights", n);
    memcpy(*out, t->data, (size_t)n * sizeof **out);
    return 0;
}

/* Fails when the training ended before that round. */
static int check_diverged(const gnt_st *trained, int64_t round, gnt_err *err) {
    char name[64];
    snprintf(name, sizeof name, "weights.%" PRId64, round);
    if (gnt_st_find(trained, name) || !trained->metadata)
        return 0;
    json_t *all = json_loads(trained->metadata, JSON_REJECT_DUPLICATES, NULL);
    const char *why = json_string_value(json_object_get(all, "diverged"));
    int rc = why && *why ? gnt_fail(err, "%s", why) : 0;
    json_decref(all);
    return rc;
}

int gnt_work_weights(const gnt_st *trained, const gnt_model *m, int64_t round, float **weights,
                     float **buffers, gnt_err *err) {
    *weights = *buffers = NULL;
    if (check_diverged(trained, round, err) != 0)
        return -1;
    if (copy_vector(trained, "weights", round, gnt_model_size(m), weights, err) == 0 &&
        copy_vector(trained, "buffers", round, gnt_model_buffer_size(m), buffers, err) == 0)
        return 0;
    gnt_free(*weights);
    gnt_free(*buffers);
    *weights = *buffers = NULL;
    return -1;
}
