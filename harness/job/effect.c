#include "job/effect.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "job/test_utility.h"

/* How much must be added, in units of the updates' energy; samples that are used. */
static const double much = 0.25;
static const int64_t samples = 64;
/* The largest ratio of changes that counts as none; and the least squared change of all outputs that is more
 * than rounding. */
static const double none = 0.25, rounding = 1e-10;

/* Vectors of all weights, and outputs on the samples. */
typedef struct probe {
    const gnt_effect_spec *spec;
    const gnt_fl_step *step;
    gnt_sampleset test;
    float *weights, *changed, *shuffled, *output;
} probe;

static int outputs_at(const probe *p, const float *weights, float **out, gnt_err *err) {
    return gnt_test_outputs(out, p->spec->model, weights, p->step->buffers, &p->test, err);
}

/* Adds the squared change of outputs to *sum. A softmax does not see what all classes have in common. */
static void add_change(const probe *p, const float *before, const float *after, double *sum) {
    const gnt_model *m = p->spec->model;
    const int64_t classes = gnt_model_classes(m);
    const int softmax = gnt_model_loss_of(m) == GNT_MODEL_CROSS_ENTROPY && !gnt_model_is_map(m);
    for (int64_t i = 0; i < p->test.view.n; i++) {
        double total = 0, squares = 0;
        for (int64_t c = 0; c < classes; c++) {
            const double d = (double)after[i * classes + c] - (double)before[i * classes + c];
            total += d;
            squares += d * d;
        }
        *sum += softmax ? squares - total * total / (double)classes : squares;
    }
}

static int add_without(const probe *p, const float *added, double *sum, gnt_err *err) {
    float *output;
    const int64_t n = gnt_model_shared_size(p->spec->model);
    for (int64_t i = 0; i < n; i++)
        p->changed[i] = p->step->next[i] - added[i];
    gnt_model_place(p->spec->model, 1, p->changed, p->weights);
    if (outputs_at(p, p->weights, &output, err) != 0)
        return -1;
    add_change(p, p->output, output, sum);
    gnt_free(output);
    return 0;
}

/* Puts the entries of each tensor in a random order. */
static int shuffle(const probe *p, int32_t round, gnt_err *err) {
    gnt_tensors t = {0};
    char name[64];
    if (gnt_fl_tensors(&t, p->spec->model, err) != 0)
        return -1;
    snprintf(name, sizeof name, "effect of round %" PRId32, round);
    gnt_stream random = gnt_stream_open(p->spec->key, name);
    memcpy(p->shuffled, p->step->added, (size_t)gnt_model_shared_size(p->spec->model) * sizeof *p->shuffled);
    float *at = p->shuffled;
    for (int64_t k = 0; k < t.n; at += t.tensor[k++].count)
        for (int64_t i = t.tensor[k].count - 1; i > 0; i--) {
            const uint64_t j = gnt_random_below(&random, (uint64_t)i + 1);
            const float other = at[j];
            at[j] = at[i];
            at[i] = other;
        }
    gnt_free(t.tensor);
    return 0;
}

static int measure(gnt_effect *e, probe *p, int32_t round, gnt_err *err) {
    if (!p->weights || !p->changed || !p->shuffled)
        return gnt_fail(err, "out of memory for weights");
    gnt_model_place(p->spec->model, 1, p->step->next, p->weights);
    if (outputs_at(p, p->weights, &p->output, err) != 0 || shuffle(p, round, err) != 0)
        return -1;
    return add_without(p, p->step->added, &e->added, err) == 0
               ? add_without(p, p->shuffled, &e->shuffled, err)
               : -1;
}

int gnt_effect_add(gnt_effect *e, const gnt_effect_spec *spec, const gnt_fl_round *round,
                   const gnt_fl_step *step, gnt_err *err) {
    if (!(round->added > much * round->plain))
        return 0;
    const size_t all = (size_t)gnt_model_size(spec->model),
                 shared = (size_t)gnt_model_shared_size(spec->model);
    probe p = {.spec = spec,
               .step = step,
               .test = *spec->test,
               .weights = gnt_array(all, sizeof *p.weights),
               .changed = gnt_array(shared, sizeof *p.changed),
               .shuffled = gnt_array(shared, sizeof *p.shuffled)};
    p.test.view.n = p.test.view.n < samples ? p.test.view.n : samples;
    const int rc = measure(e, &p, round->round, err);
    gnt_free(p.weights);
    gnt_free(p.changed);
    gnt_free(p.shuffled);
    gnt_free(p.output);
    return rc;
}

int gnt_effect_is_none(const gnt_effect *e, gnt_err *says) {
    const double ratio = sqrt(e->added / e->shuffled);
    if (!(e->shuffled > rounding) || !(ratio < none))
        return 0;
    gnt_fail(
        says,
        "what the defense added to updates changes the model's outputs by %.2g of what the same numbers in "
        "another order would: it hides updates where that costs no utility",
        ratio);
    return 1;
}
