/* The features that the batch of a search is to have, the labels that they reveal, and where the search
 * then begins. */
#include <math.h>
#include <string.h>

#include "hook.h"
#include "label/label_scores.h"
#include "linear/dense_features.h"
#include "prior/feature_inverse.h"
#include "prior/natural_rows.h"
#include "search/invert.h"

/* 1e9 operations: of few samples, of the square of a sample, and the most */
static const double least_effort = 2, more_effort = 0.01, most_effort = 40;
static const double exact_apart = 1e-3; /* of a sample whose step is certain, by dense_features.h */

static int has_use(const search *s) {
    const int cost = s->term[0].cost;
    return s->self->features > 0 && !s->term[0].args.mask &&
           (cost == DATA_COSINE || cost == DATA_L2 || cost == DATA_SCALE_FREE);
}

/* Returns the step that uses sample i of the search. */
static int64_t step_of(const gnt_observation *seen, int64_t i) {
    if (seen->steps <= 1)
        return 0;
    for (int64_t k = 0; seen->order && k < seen->steps * seen->batch; k++)
        if (seen->order[k] == i)
            return k / seen->batch;
    return i / seen->batch;
}

/* Returns the first sample that is not taken, of that label unless `label` is −1, of that step unless
 * `step` is −1; −1 if there is none. */
static int64_t find_free(const search *s, const gnt_observation *seen, const float *y, int64_t label,
                         int64_t step) {
    const int64_t classes = s->self->host->model->info->classes;
    for (int64_t i = 0; i < s->n; i++)
        if (!s->known_features.known[i] && (label < 0 || hook_argmax(y + i * classes, classes) == label) &&
            (step < 0 || step_of(seen, i) == step))
            return i;
    return -1;
}

/* Gives each sample found its place among those of the search: where labels are known, one of its label, of
 * its step if there is one. */
static void place(search *s, const gnt_observation *seen, const dense_features *d, int labelled, float *y,
                  float *wanted) {
    const gnt_host *host = s->self->host;
    const int64_t classes = host->model->info->classes;
    int64_t in_order = 0;
    for (int with_step = 1; with_step >= 0; with_step--)
        for (int64_t j = 0; j < d->found; j++) {
            const int64_t label = labelled ? d->label[j] : -1;
            const int64_t at =
                d->label[j] < 0 ? -1 : find_free(s, seen, y, label, with_step ? d->step[j] : -1);
            if (at < 0)
                continue;
            s->known_features.known[at] = 1;
            in_order += with_step && seen->steps > 1 && d->apart[j] < exact_apart;
            memcpy(wanted + at * d->features, d->f + j * d->features, (size_t)d->features * sizeof *wanted);
            for (int64_t c = 0; !labelled && c < classes; c++)
                y[at * classes + c] = c == d->label[j];
            d->label[j] = -1;
        }
    if (seen->steps > 1)
        gnt_host_fact(host, "order_known", (double)in_order);
}

/* Gives the other samples the labels that the last layer shows and the samples placed do not have. */
static gnt_status label_others(search *s, const gnt_observation *seen, float *y) {
    const gnt_host *host = s->self->host;
    const int64_t classes = host->model->info->classes;
    int64_t *count = gnt_host_scratch(host, classes, sizeof *count), others = 0;
    TRY(hook_memory(host, count != NULL));
    for (int64_t i = 0; i < s->n; i++)
        others += !s->known_features.known[i];
    if (others == 0)
        return GNT_OK;
    TRY(label_counts(host, seen, &s->term[0].apart, search_steps(s->self, seen), count));
    for (int64_t i = 0; i < s->n; i++)
        count[hook_argmax(y + i * classes, classes)] -= s->known_features.known[i];
    for (int64_t i = 0; i < s->n; i++) {
        int64_t top = 0;
        if (s->known_features.known[i])
            continue;
        for (int64_t c = 1; c < classes; c++)
            top = count[c] > count[top] ? c : top;
        y[i * classes + top] = 1;
        count[top]--;
    }
    return GNT_OK;
}

/* Returns the scale of the cost that matches updates: that of a batch whose update is orthogonal. */
static double scale_of(const search *s, const gnt_observation *seen) {
    double squares = 0;
    for (int64_t t = 0; t < seen->update->n; t++)
        squares += squares_of(&seen->update->view[t]);
    return s->term[0].cost == DATA_COSINE ? 1 : squares;
}

/* Begins the search at what public images make of the features. */
static gnt_status begin(search *s, const gnt_observation *seen) {
    const gnt_samples *natural = natural_rows(seen, s->features);
    const gnt_host *host = s->self->host;
    if (!s->image || !natural || natural->n < FEATURE_INVERSE_LEAST)
        return GNT_OK;
    float *images = gnt_host_scratch(host, s->n * s->features, sizeof *images);
    TRY(hook_memory(host, images != NULL));
    TRY(feature_inverse(&s->known_features, natural->x, natural->n, s->features, images));
    s->begin = images;
    s->is_near = 1;
    return GNT_OK;
}

gnt_status search_features(search *s, const gnt_observation *seen, float *y, int *labelled) {
    const gnt_host *host = s->self->host;
    const int64_t classes = host->model->info->classes;
    dense_features d = {.found = 0};
    const int granted = seen->labels != NULL;
    *labelled = granted;
    if (granted)
        TRY(search_labels(s, seen, y));
    const double effort = fmin(least_effort + more_effort * (double)(s->n * s->n), most_effort);
    if (has_use(s))
        TRY(dense_features_find(&d, host, seen, &s->term[0].apart, effort));
    if (d.found == 0)
        return GNT_OK;
    float *wanted = gnt_host_scratch(host, s->n * d.features, sizeof *wanted);
    TRY(hook_memory(host, wanted != NULL));
    TRY(known_features_open(&s->known_features, &s->self->known_features, host, seen, d.layer, wanted,
                            d.features));
    if (!granted)
        memset(y, 0, (size_t)(s->n * classes) * sizeof *y);
    place(s, seen, &d, granted, y, wanted);
    if (!granted)
        TRY(label_others(s, seen, y));
    *labelled = 1;
    int64_t known = 0;
    for (int64_t i = 0; i < s->n; i++)
        known += s->known_features.known[i];
    gnt_host_fact(host, "features_known", (double)known);
    s->features_weight = s->self->features * scale_of(s, seen);
    return begin(s, seen);
}
