/* One search of invert-gradients and its like: its unknowns and its cost. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search/invert.h"
#include "label/label_scores.h"
#include "search/log_rates.h"
#include "label/soft_labels.h"
#include "hook.h"

/* Mean difference of neighbouring pixels, in image space, if there are no public images to measure it on. */
static const double usual_difference = 0.05;
/* Deviation of the first coefficients of a Gaussian: near the mean image. */
static const float near_mean = 0.1f;
/* L-BFGS begins where no unit saturates, as dlg does. */
static const float near_black = 0.1f;
/* Deviation of the noise around `begin`, in normalised space: for the first restart, and for the others. */
static const float near_begin = 0.02f, about_begin = 0.3f;

/* Times the weight of total variation, where the search begins near the batch: as tried on digits behind two
 * convolutions. */
static const double near_variation = 100;

/* ---- set-up ---- */

gnt_status search_open(search *s, invert *self, const gnt_observation *seen, const float *y, int cost,
                       const granted_defense *granted) {
    const gnt_host *host = self->host;
    const gnt_model_info *info = host->model->info;
    s->self = self;
    s->n = seen->n;
    s->image = info->rank == 3;
    s->channels = info->dim[0];
    s->height = s->image ? info->dim[1] : 1;
    s->width = s->image ? info->dim[2] : 1;
    s->features = s->channels * s->height * s->width;
    size_t size = (size_t)(s->n * s->features);
    s->x = gnt_host_scratch(host, 3 * size, sizeof *s->x);
    s->mean = gnt_host_scratch(host, 2 * s->channels, sizeof *s->mean);
    s->at = gnt_host_scratch(host, (size_t)s->n + 1, sizeof *s->at);
    s->gaussian = gnt_host_scratch(host, s->n, sizeof *s->gaussian);
    TRY(hook_memory(host, s->x && s->mean && s->at && s->gaussian));
    s->d_x = s->x + size;
    s->winner = s->d_x + size;
    s->deviation = s->mean + s->channels;
    for (int64_t c = 0; c < s->channels; c++) {
        s->mean[c] = info->mean ? info->mean[c] : 0;
        s->deviation[c] = info->deviation ? info->deviation[c] : 1;
    }
    s->y = y;
    s->n_terms = 1;
    gnt_status status = data_term_open(&s->term[0], &self->data[0], host, seen, self->choice, cost, granted);
    s->term[0].args.y = y;
    return status;
}

int64_t search_steps(const invert *self, const gnt_observation *seen) {
    return seen->budget > 0 ? seen->budget : self->steps;
}

gnt_status search_labels(search *s, const gnt_observation *seen, float *y) {
    TRY(label_targets(s->self->host, seen, &s->term[0].apart, search_steps(s->self, seen), y));
    if (!seen->labels && s->n > 1)
        gnt_host_fact(s->self->host, "labels_read", (double)s->n);
    return GNT_OK;
}

gnt_status search_history(search *s, const gnt_observation *seen, const granted_defense *granted,
                          const int64_t *count) {
    invert *self = s->self;
    const int64_t classes = self->host->model->info->classes;
    int64_t *room = gnt_host_scratch(self->host, classes, sizeof *room);
    int left_out = 0;
    TRY(hook_memory(self->host, room != NULL));
    for (int64_t k = seen->n_history; k > 0 && s->n_terms < INVERT_ROUNDS; k--) {
        const gnt_observation *past = seen->history[k - 1];
        data_term *term = &s->term[s->n_terms];
        if (!past || !past->update || past->n != seen->n || match_is_zero(past->update))
            continue;
        TRY(data_term_open(term, &self->data[s->n_terms], self->host, past, self->choice, s->term[0].cost,
                           granted));
        term->args.y = s->y;
        if (count)
            TRY(label_counts(self->host, past, &term->apart, search_steps(self, seen), room));
        const int same = !count || memcmp(count, room, (size_t)classes * sizeof *count) == 0;
        s->n_terms += same;
        left_out += !same;
    }
    if (left_out)
        gnt_host_log(
            self->host, GNT_LOG_WARN,
            "earlier rounds show other classes: the client's data changed, and they are not matched");
    return GNT_OK;
}

gnt_status search_rates(search *s, const gnt_observation *seen) {
    const gnt_host *host = s->self->host;
    s->announced = seen->rate;
    s->n_rates = seen->steps > 1 ? seen->steps : 0;
    s->winner_rates = gnt_host_scratch(host, (size_t)s->n_rates + 1, sizeof *s->winner_rates);
    return s->winner_rates ? GNT_OK : hook_no_memory(host);
}

int search_is_likely(const search *s) {
    const int cost = s->term[0].cost;
    return cost == DATA_LIKELIHOOD || cost == DATA_WHITENED || cost == DATA_PLAIN;
}

gnt_status search_soft_labels(search *s, float *y) {
    const gnt_host *host = s->self->host;
    const size_t size = (size_t)(s->n * host->model->info->classes);
    s->y_sought = y;
    s->d_y = gnt_host_scratch(host, size, sizeof *s->d_y);
    return s->d_y ? GNT_OK : hook_no_memory(host);
}

/* Returns the weight of the total variation that Laplace's law gives it, Σ|d|/β over the differences d of
 * neighbours with mean magnitude β: for a mean over n × features differences in normalised space. */
static double likely_variation(const search *s, double difference) {
    double deviation = 0;
    for (int64_t c = 0; c < s->channels; c++)
        deviation += (double)s->deviation[c] / (double)s->channels;
    return (double)(s->n * s->features) * deviation / difference;
}

gnt_status search_use(search *s, const prior_setting *setting, public_images *images) {
    const gnt_host *host = s->self->host;
    const int64_t classes = host->model->info->classes;
    const double difference = images && images->difference > 0 ? images->difference : usual_difference;
    s->weight = setting->weight;
    s->tv = !s->image             ? 0
            : search_is_likely(s) ? setting->weight * likely_variation(s, difference)
            : s->is_near          ? near_variation * s->self->tv
                                  : s->self->tv;
    s->smooth = prior_of(host->model->info, s->n);
    s->smooth_weight = s->image ? setting->weight / difference : 0;
    s->at[0] = 0;
    for (int64_t i = 0; i < s->n; i++) {
        s->gaussian[i] = NULL;
        if (setting->kind == PRIOR_GAUSSIAN || setting->kind == PRIOR_CLASS_GAUSSIAN) {
            int64_t label =
                setting->kind == PRIOR_CLASS_GAUSSIAN ? hook_argmax(s->y + i * classes, classes) : -1;
            TRY(public_images_gaussian(images, host, label, &s->gaussian[i]));
            s->tv = 0;
            s->is_near = 0;
        }
        s->at[i + 1] = s->at[i] + s->features + (s->gaussian[i] ? s->gaussian[i]->n : 0);
    }
    return GNT_OK;
}

/* ---- unknowns ---- */

static int64_t channel_of(const search *s, int64_t i) {
    return i % s->features / (s->height * s->width);
}

static void to_image_space(search *s, const float *q) {
    const int cut = !s->by_lbfgs;
    if (s->gaussian[0]) {
        for (int64_t i = 0; i < s->n; i++)
            image_gaussian_image(s->gaussian[i], q + s->at[i], s->x + i * s->features);
        return;
    }
    for (int64_t i = 0; i < s->n * s->features; i++) {
        int64_t c = channel_of(s, i);
        float x = q[i] * s->deviation[c] + s->mean[c];
        s->x[i] = cut && x < 0 ? 0 : cut && x > 1 ? 1 : x;
        if (s->known && s->known[i])
            s->x[i] = s->given[i];
    }
}

void search_into_box(const search *s, float *q) {
    int64_t area = s->height * s->width;
    for (int64_t p = 0; !s->gaussian[0] && p < s->n * s->channels; p++) {
        int64_t c = p % s->channels;
        float low = (0 - s->mean[c]) / s->deviation[c], high = (1 - s->mean[c]) / s->deviation[c];
        gnt_project_box(q + p * area, area, low, high);
    }
}

int64_t search_size(const search *s) {
    const int64_t logits = s->y_sought ? s->n * s->self->host->model->info->classes : 0;
    return s->at[s->n] + s->n_rates + logits;
}

/* Sets what is known, and adds to the noise in the rest of q the point that the search begins at. */
static void begin_at(const search *s, int32_t restart, float *q) {
    for (int64_t i = 0; i < s->n * s->features; i++) {
        const int64_t c = channel_of(s, i);
        const float begun = s->begin ? (s->begin[i] - s->mean[c]) / s->deviation[c] : 0;
        if (s->known && s->known[i])
            q[i] = (s->given[i] - s->mean[c]) / s->deviation[c];
        else if (s->begin)
            q[i] = begun + (restart ? about_begin : near_begin) * q[i];
    }
}

void search_begin(search *s, int32_t restart, float *q) {
    const gnt_host *host = s->self->host;
    const int64_t size = s->at[s->n], all = search_size(s);
    const float scale = s->gaussian[0] ? near_mean : s->by_lbfgs && !s->begin ? near_black : 1;
    if (s->begin_q && restart == 0) {
        memcpy(q, s->begin_q, (size_t)all * sizeof *q);
        return;
    }
    gnt_host_normal(host, s->answer ? "start" : "trial start", size, q);
    for (int64_t i = 0; scale < 1 && i < size; i++)
        q[i] *= scale;
    if (!s->gaussian[0])
        begin_at(s, restart, q);
    memset(q + size, 0, (size_t)s->n_rates * sizeof *q);
    if (s->y_sought)
        gnt_host_normal(host, "start labels", all - size - s->n_rates, q + size + s->n_rates);
    search_into_box(s, q);
}

/* ---- the cost ---- */

static gnt_status data_cost(search *s, double *cost) {
    int64_t size = s->n * s->features;
    *cost = 0;
    for (int k = 0; k < s->n_terms; k++) {
        const float *d_x;
        double one;
        TRY(data_term_eval(&s->term[k], s->x, &one, &d_x));
        *cost += one;
        for (int64_t i = 0; i < size; i++)
            s->d_x[i] = k ? s->d_x[i] + d_x[i] : d_x[i];
    }
    return GNT_OK;
}

static gnt_status add_statistics(search *s, double *cost) {
    const float *d_x;
    double one;
    TRY(statistics_eval(&s->statistics, s->x, &one, &d_x));
    *cost += s->bn * one;
    for (int64_t i = 0; i < s->n * s->features; i++)
        s->d_x[i] += (float)s->bn * d_x[i];
    return GNT_OK;
}

static gnt_status add_features(search *s, double *cost) {
    const float *d_x;
    double one;
    TRY(known_features_eval(&s->known_features, s->x, &one, &d_x));
    *cost += s->features_weight * one;
    for (int64_t i = 0; i < s->n * s->features; i++)
        s->d_x[i] += (float)s->features_weight * d_x[i];
    return GNT_OK;
}

/* Adds ½·weight·‖w‖² and its derivative. */
static double add_gaussian(const search *s, const float *q, float *grad) {
    double sum = 0;
    for (int64_t i = 0; i < s->at[s->n]; i++) {
        sum += (double)q[i] * (double)q[i];
        grad[i] += (float)s->weight * q[i];
    }
    return 0.5 * s->weight * sum;
}

/* Computes the derivative by the logits, summed over all rounds. */
static void add_labels(search *s, float *d_logits) {
    const gnt_model_info *info = s->self->host->model->info;
    const int64_t size = s->n * info->classes;
    memset(s->d_y, 0, (size_t)size * sizeof *s->d_y);
    for (int k = 0; k < s->n_terms; k++)
        for (int64_t i = 0; i < size; i++)
            s->d_y[i] += s->term[k].d_y[i];
    soft_labels_vjp(info->output, s->y_sought, s->d_y, s->n, info->classes, 1, d_logits);
}

gnt_status search_evaluate(search *s, const float *q, double *cost, float *grad) {
    const gnt_model_info *info = s->self->host->model->info;
    const int64_t logits = s->at[s->n] + s->n_rates;
    data_term *own = &s->term[0];
    to_image_space(s, q);
    if (s->n_rates)
        log_rates_set(q + s->at[s->n], s->n_rates, s->announced, own->rates);
    if (s->y_sought)
        soft_labels_set(info->output, q + logits, s->n, info->classes, s->y_sought);
    TRY(data_cost(s, cost));
    if (s->n_rates)
        log_rates_vjp(own->rates, own->d_rates, s->n_rates, grad + s->at[s->n]);
    if (s->y_sought)
        add_labels(s, grad + logits);
    if (s->bn > 0)
        TRY(add_statistics(s, cost));
    if (s->features_weight > 0)
        TRY(add_features(s, cost));
    if (s->gaussian[0]) {
        for (int64_t i = 0; i < s->n; i++)
            image_gaussian_vjp(s->gaussian[i], s->x + i * s->features, s->d_x + i * s->features,
                               grad + s->at[i]);
        *cost += add_gaussian(s, q, grad);
        return GNT_OK;
    }
    if (s->by_lbfgs)
        *cost += prior_add(&s->smooth, s->x, s->smooth_weight, s->d_x);
    for (int64_t i = 0; i < s->n * s->features; i++)
        grad[i] = s->d_x[i] * s->deviation[channel_of(s, i)];
    if (!s->by_lbfgs && s->tv > 0)
        *cost += image_prior_variation(q, s->n * s->channels, s->height, s->width, s->tv, grad);
    for (int64_t i = 0; s->known && i < s->n * s->features; i++)
        grad[i] = s->known[i] ? 0 : grad[i];
    return GNT_OK;
}

gnt_status search_costs(search *s, const float *x, double *cost) {
    const float *d_x;
    for (int k = 0; k < s->n_terms; k++)
        TRY(data_term_eval(&s->term[k], x, &cost[k], &d_x));
    return GNT_OK;
}
