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
static const double least_effort = 2, more_effort = 0.05, most_effort = 100;
static const double exact_apart = 1e-3; /* of a sample whose step is certain, by dense_features.h */

static int has_use(const search *s) {
    const int cost = s->term[0].cost;
    return s->self->features > 0 && !s->term[0].args.mask &&
           (cost == DATA_COSINE || cost == DATA_L2 || cost == DATA_SCALE_FREE);
}

/* Returns the first sample that is not taken, of that label unless `label` is −1, of that step unless
 * `step` is −1; −1 if there is none. */
static int64_t find_free(const search *s, const float *y, int64_t label, int64_t step) {
    const int64_t classes = s->self->host->model->info->classes;
    for (int64_t i = 0; i < s->n; i++)
        if (!s->known_features.known[i] && (label < 0 || hook_argmax(y + i * classes, classes) == label) &&
            (step < 0 || known_features_step(&s->known_features, i) == step))
            return i;
    return -1;
}

/* Makes sample j found sample `at` of the search. */
static void put(search *s, const dense_features *d, int64_t j, int64_t at) {
    s->known_features.known[at] = 1;
    memcpy(s->known_features.wanted + at * d->features, d->f + j * d->features,
           (size_t)d->features * sizeof *d->f);
}

/* Gives each sample found its place among those of the search: where labels are known, one of its label, of
 * its step if there is one; and those without a label the rest. */
static gnt_status place(search *s, const gnt_observation *seen, const dense_features *d, int labelled,
                        float *y) {
    const gnt_host *host = s->self->host;
    const int64_t classes = host->model->info->classes;
    uint8_t *done = gnt_host_scratch(host, d->found, sizeof *done);
    int64_t in_order = 0;
    TRY(hook_memory(host, done != NULL));
    for (int with_step = 1; with_step >= 0; with_step--)
        for (int64_t j = 0; j < d->found; j++) {
            const int64_t label = labelled ? d->label[j] : -1;
            const int64_t at =
                d->label[j] < 0 || done[j] ? -1 : find_free(s, y, label, with_step ? d->step[j] : -1);
            if (at < 0)
                continue;
            put(s, d, j, at);
            in_order += with_step && seen->steps > 1 && d->apart[j] < exact_apart;
            for (int64_t c = 0; !labelled && c < classes; c++)
                y[at * classes + c] = c == d->label[j];
            done[j] = 1;
        }
    for (int64_t j = 0; j < d->found; j++) {
        const int64_t at = done[j] ? -1 : find_free(s, y, -1, -1);
        if (at >= 0)
            put(s, d, j, at);
    }
    if (seen->steps > 1)
        gnt_host_fact(host, "order_known", (double)in_order);
    return GNT_OK;
}

static int has_label(const float *y, int64_t classes) {
    return y[hook_argmax(y, classes)] > 0;
}

/* Gives the other samples the labels that the last layer shows and the samples placed do not have. */
static gnt_status label_others(search *s, const gnt_observation *seen, float *y) {
    const gnt_host *host = s->self->host;
    const int64_t classes = host->model->info->classes;
    int64_t *count = gnt_host_scratch(host, classes, sizeof *count), others = 0;
    TRY(hook_memory(host, count != NULL));
    for (int64_t i = 0; i < s->n; i++)
        others += !has_label(y + i * classes, classes);
    if (others == 0)
        return GNT_OK;
    TRY(label_counts(host, seen, &s->term[0].apart, search_steps(s->self, seen), count));
    for (int64_t i = 0; i < s->n; i++)
        count[hook_argmax(y + i * classes, classes)] -= has_label(y + i * classes, classes);
    for (int64_t i = 0; i < s->n; i++) {
        int64_t top = 0;
        if (has_label(y + i * classes, classes))
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

/* Public images, as far as they are used, and their features. */
typedef struct shown {
    const float *x;
    float *f; /* steps × n × features */
    int64_t n;
} shown;

/* Binds the features, and computes those of public images, if these are granted. */
static gnt_status show(search *s, const gnt_observation *seen, const dense_features *d, shown *of) {
    const gnt_samples *natural = natural_rows(seen, s->features);
    const gnt_host *host = s->self->host;
    known_features *k = &s->known_features;
    *of = (shown){0};
    TRY(known_features_open(k, &s->self->known_features, host, seen, d->layer, d->features));
    if (!natural || natural->n < FEATURE_INVERSE_LEAST)
        return GNT_OK;
    of->n = natural->n < FEATURE_INVERSE_MOST ? natural->n : FEATURE_INVERSE_MOST;
    of->x = natural->x;
    of->f = gnt_host_scratch(host, k->steps * of->n * d->features, sizeof *of->f);
    TRY(hook_memory(host, of->f != NULL));
    for (int64_t step = 0; step < k->steps; step++)
        TRY(known_features_of_rows(k, of->x, of->n, step, of->f + step * of->n * d->features));
    return GNT_OK;
}

/* Begins the search at what public images make of the features. */
static gnt_status begin(search *s, const shown *of) {
    const gnt_host *host = s->self->host;
    if (!s->image || of->n == 0)
        return GNT_OK;
    float *images = gnt_host_scratch(host, s->n * s->features, sizeof *images);
    TRY(hook_memory(host, images != NULL));
    TRY(feature_inverse(&s->known_features, of->x, of->f, of->n, s->features, images));
    s->begin = images;
    s->is_near = 1;
    return GNT_OK;
}

gnt_status search_features(search *s, const gnt_observation *seen, float *y, int *labelled) {
    const gnt_host *host = s->self->host;
    const int64_t classes = host->model->info->classes;
    const int granted = seen->labels != NULL;
    dense_features d;
    shown of;
    *labelled = granted;
    if (granted)
        TRY(search_labels(s, seen, y));
    const double effort = fmin(least_effort + more_effort * (double)(s->n * s->n), most_effort);
    dense_features_open(&d, host, seen);
    if (!has_use(s) || d.features == 0)
        return GNT_OK;
    TRY(show(s, seen, &d, &of));
    const int64_t middle = s->known_features.steps / 2 * of.n * d.features;
    TRY(dense_features_find(&d, &s->term[0].apart, effort, of.f ? of.f + middle : NULL, of.n));
    if (d.found == 0)
        return GNT_OK;
    if (!granted)
        memset(y, 0, (size_t)(s->n * classes) * sizeof *y);
    TRY(place(s, seen, &d, granted, y));
    if (!granted)
        TRY(label_others(s, seen, y));
    *labelled = 1;
    int64_t known = 0;
    for (int64_t i = 0; i < s->n; i++)
        known += s->known_features.known[i];
    gnt_host_fact(host, "features_known", (double)known);
    s->features_weight = s->self->features * scale_of(s, seen);
    return begin(s, &of);
}
