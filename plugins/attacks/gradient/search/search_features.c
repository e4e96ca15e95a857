/* The features that the batch of a search is to have, the labels that they reveal, and where the search then
 * begins. */
#include <string.h>

#include "hook.h"
#include "linear/dense_features.h"
#include "prior/feature_inverse.h"
#include "search/invert.h"

static const double effort = 2; /* 1e9 operations */

static int has_use(const search *s) {
    const int cost = s->term[0].cost;
    return s->self->features > 0 && !s->term[0].args.mask &&
           (cost == DATA_COSINE || cost == DATA_L2 || cost == DATA_SCALE_FREE);
}

/* Sets y to the labels. */
static void set_labels(const dense_features *d, int64_t n, int64_t classes, float *y) {
    memset(y, 0, (size_t)(n * classes) * sizeof *y);
    for (int64_t j = 0; j < n; j++)
        y[j * classes + d->label[j]] = 1;
}

/* Sets wanted to the features in the order of the labels y. Returns 0 if y has other labels. */
static int order_features(const dense_features *d, int64_t n, int64_t classes, const float *y, uint8_t *taken,
                          float *wanted) {
    for (int64_t j = 0; j < n; j++) {
        int64_t at = 0;
        while (at < n && (taken[at] || hook_argmax(y + at * classes, classes) != d->label[j]))
            at++;
        if (at == n)
            return 0;
        taken[at] = 1;
        memcpy(wanted + at * d->features, d->f + j * d->features, (size_t)d->features * sizeof *wanted);
    }
    return 1;
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
    const gnt_samples *public_data = seen->public_data;
    const gnt_host *host = s->self->host;
    if (!s->image || !public_data || public_data->features != s->features ||
        public_data->n < FEATURE_INVERSE_LEAST)
        return GNT_OK;
    float *images = gnt_host_scratch(host, s->n * s->features, sizeof *images);
    TRY(hook_memory(host, images != NULL));
    TRY(feature_inverse(&s->known_features, public_data->x, public_data->n, s->features, images));
    s->begin = images;
    s->is_near = 1;
    return GNT_OK;
}

gnt_status search_features(search *s, const gnt_observation *seen, float *y, int *labelled) {
    const gnt_host *host = s->self->host;
    const int64_t classes = host->model->info->classes;
    dense_features d = {.found = 0};
    *labelled = seen->labels != NULL;
    if (*labelled)
        TRY(search_labels(s, seen, y));
    if (has_use(s))
        TRY(dense_features_find(&d, host, seen, &s->term[0].apart, effort));
    if (!d.found)
        return GNT_OK;
    float *wanted = gnt_host_scratch(host, s->n * d.features, sizeof *wanted);
    uint8_t *taken = gnt_host_scratch(host, s->n, 1);
    TRY(hook_memory(host, wanted && taken));
    if (!*labelled)
        set_labels(&d, s->n, classes, y);
    *labelled = 1;
    if (!order_features(&d, s->n, classes, y, taken, wanted))
        return GNT_OK;
    gnt_host_fact(host, "features_known", (double)s->n);
    s->features_weight = s->self->features * scale_of(s, seen);
    TRY(known_features_open(&s->known_features, &s->self->known_features, host, seen, d.layer, wanted,
                            d.features));
    return begin(s, seen);
}
