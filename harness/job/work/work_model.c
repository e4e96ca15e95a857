/* A model as a request describes it, and its weights out of bundles. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "job/work/work.h"

/* Copies the numbers of a list, which has none, or one for each of the sample's channels (or features). */
static int copy_numbers(const gnt_reals *list, const gnt_nn_shape *sample, double **out, gnt_err *err) {
    *out = NULL;
    if (list->n == 0)
        return 0;
    if ((int64_t)list->n != sample->dim[0])
        return gnt_fail(err, "the job's request normalises %zu channels of samples that have %" PRId64,
                        list->n, sample->dim[0]);
    *out = gnt_array(list->n, sizeof **out);
    if (!*out)
        return gnt_fail(err, "out of memory for the normalisation");
    memcpy(*out, list->at, list->n * sizeof **out);
    return 0;
}

int gnt_work_model_open(gnt_work_model *out, const gnt_request_model *of, int training_stats, gnt_err *err) {
    *out = (gnt_work_model){.name = of->name, .training_stats = training_stats};
    out->sample.rank = (int32_t)of->sample.n;
    if (out->sample.rank != 1 && out->sample.rank != 3)
        return gnt_fail(err, "the job's request gives a sample %zu sides, expected 1 or 3", of->sample.n);
    memcpy(out->sample.dim, of->sample.at, of->sample.n * sizeof *of->sample.at);
    int rc = copy_numbers(&of->mean, &out->sample, &out->mean, err);
    if (rc == 0)
        rc = copy_numbers(&of->deviation, &out->sample, &out->deviation, err);
    if (rc == 0)
        rc = gnt_model_parse(&out->model, of->name, of->json, &out->sample, (int32_t)of->classes, out->mean,
                             out->deviation, err);
    if (rc != 0)
        gnt_work_model_free(out);
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
