/* One search of invert-gradients or lrp-search: its unknowns, its cost, and its steps. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "invert.h"
#include "label.h"
#include "log_rates.h"

/* Neighbours' mean difference where no public image tells it; in image space. */
static const double usual_difference = 0.05;
/* Deviation of the first coefficients of a Gaussian: near the mean image. */
static const float near_mean = 0.1f;

/* ---- set-up ---- */

invert *invert_new(const gnt_host *host, const gnt_value *values) {
    invert *s = calloc(1, sizeof *s);
    if (!s) {
        host->fail(host->context, "out of memory");
        return NULL;
    }
    s->host = host;
    s->value = values;
    return s;
}

gnt_status search_open(search *s, invert *self, const gnt_observation *seen, const float *y, int cost,
                       const granted_defense *told) {
    const gnt_host *host = self->host;
    const gnt_model_info *info = host->model->info;
    const gnt_value *v = self->value;
    s->self = self;
    s->n = seen->n;
    s->image = info->rank == 3;
    s->channels = info->dim[0];
    s->height = s->image ? info->dim[1] : 1;
    s->width = s->image ? info->dim[2] : 1;
    s->features = s->channels * s->height * s->width;
    size_t size = (size_t)(s->n * s->features);
    s->x = host->scratch(host->context, 3 * size * sizeof *s->x);
    s->mean = host->scratch(host->context, 2 * (size_t)s->channels * sizeof *s->mean);
    s->at = host->scratch(host->context, ((size_t)s->n + 1) * sizeof *s->at);
    s->gaussian = host->scratch(host->context, (size_t)s->n * sizeof *s->gaussian);
    if (!s->x || !s->mean || !s->at || !s->gaussian)
        return match_no_memory(host);
    s->d_x = s->x + size;
    s->winner = s->d_x + size;
    s->deviation = s->mean + s->channels;
    for (int64_t c = 0; c < s->channels; c++) {
        s->mean[c] = info->mean ? info->mean[c] : 0;
        s->deviation[c] = info->deviation ? info->deviation[c] : 1;
    }
    s->y = y;
    s->n_terms = 1;
    gnt_status status =
        data_term_open(&s->term[0], &self->data[0], host, seen,
                       (match_choice){v[INVERT_MASK_ZEROS].i, v[INVERT_OUTLIERS].i}, cost, told);
    s->term[0].args.y = y;
    return status;
}

gnt_status search_labels(search *s, const gnt_observation *seen, int64_t *room, float *y) {
    const gnt_host *host = s->self->host;
    int64_t classes = host->model->info->classes;
    if (seen->labels) {
        memcpy(y, seen->labels, (size_t)(s->n * classes) * sizeof *y);
        return GNT_OK;
    }
    gnt_status status = label_counts(host, seen, &s->term[0].apart, room);
    if (status != GNT_OK)
        return status;
    label_rows(room, classes, y);
    if (s->n > 1)
        host->fact(host->context, "labels_read", (double)s->n);
    return GNT_OK;
}

gnt_status search_rates(search *s, const gnt_observation *seen) {
    const gnt_host *host = s->self->host;
    s->announced = seen->rate;
    s->n_rates = seen->steps > 1 ? seen->steps : 0;
    s->winner_rates = host->scratch(host->context, ((size_t)s->n_rates + 1) * sizeof *s->winner_rates);
    return s->winner_rates ? GNT_OK : match_no_memory(host);
}

/* Σ|d|/β over the differences d of neighbours: Laplace's law of mean magnitude β. In terms of means over n
 * × features differences, and of normalised space. */
static double likely_variation(const search *s, const public_images *images) {
    double deviation = 0,
           difference = images && images->difference > 0 ? images->difference : usual_difference;
    for (int64_t c = 0; c < s->channels; c++)
        deviation += (double)s->deviation[c] / (double)s->channels;
    return (double)(s->n * s->features) * deviation / difference;
}

static int64_t label_of(const search *s, int64_t i) {
    int64_t classes = s->self->host->model->info->classes, top = 0;
    for (int64_t c = 1; c < classes; c++)
        top = s->y[i * classes + c] > s->y[i * classes + top] ? c : top;
    return top;
}

gnt_status search_use(search *s, const prior_setting *setting, public_images *images) {
    const gnt_host *host = s->self->host;
    int likelihood = s->term[0].cost == DATA_LIKELIHOOD;
    s->weight = setting->weight;
    s->tv = !s->image    ? 0
            : likelihood ? setting->weight * likely_variation(s, images)
                         : s->self->value[INVERT_TV].r;
    s->at[0] = 0;
    for (int64_t i = 0; i < s->n; i++) {
        s->gaussian[i] = NULL;
        if (setting->kind == PRIOR_GAUSSIAN || setting->kind == PRIOR_CLASS_GAUSSIAN) {
            int64_t label = setting->kind == PRIOR_CLASS_GAUSSIAN ? label_of(s, i) : -1;
            gnt_status status = public_images_gaussian(images, host, label, &s->gaussian[i]);
            if (status != GNT_OK)
                return status;
            s->tv = 0;
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
    if (s->gaussian[0]) {
        for (int64_t i = 0; i < s->n; i++)
            image_gaussian_image(s->gaussian[i], q + s->at[i], s->x + i * s->features);
        return;
    }
    for (int64_t i = 0; i < s->n * s->features; i++) {
        int64_t c = channel_of(s, i);
        float x = q[i] * s->deviation[c] + s->mean[c];
        s->x[i] = x < 0 ? 0 : x > 1 ? 1 : x;
    }
}

/* Clamps z to what [0, 1] is in normalised space. */
static void into_box(const search *s, float *q) {
    int64_t area = s->height * s->width;
    for (int64_t p = 0; !s->gaussian[0] && p < s->n * s->channels; p++) {
        int64_t c = p % s->channels;
        float low = (0 - s->mean[c]) / s->deviation[c], high = (1 - s->mean[c]) / s->deviation[c];
        gnt_project_box(q + p * area, area, low, high);
    }
}

static void start(search *s, float *q) {
    const gnt_host *host = s->self->host;
    int64_t size = s->at[s->n];
    host->normal(host->context, s->answer ? "start" : "trial start", size, q);
    for (int64_t i = 0; s->gaussian[0] && i < size; i++)
        q[i] *= near_mean;
    memset(q + size, 0, (size_t)s->n_rates * sizeof *q);
    into_box(s, q);
}

/* ---- the cost ---- */

static gnt_status data_cost(search *s, double *cost) {
    int64_t size = s->n * s->features;
    *cost = 0;
    for (int k = 0; k < s->n_terms; k++) {
        const float *d_x;
        double one;
        gnt_status status = data_term_eval(&s->term[k], s->x, &one, &d_x);
        if (status != GNT_OK)
            return status;
        *cost += one;
        for (int64_t i = 0; i < size; i++)
            s->d_x[i] = k ? s->d_x[i] + d_x[i] : d_x[i];
    }
    return GNT_OK;
}

static gnt_status add_statistics(search *s, double *cost) {
    const float *d_x;
    double one;
    gnt_status status = statistics_eval(&s->statistics, s->x, &one, &d_x);
    *cost += s->bn * one;
    for (int64_t i = 0; status == GNT_OK && i < s->n * s->features; i++)
        s->d_x[i] += (float)s->bn * d_x[i];
    return status;
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

/* The cost at q, and its gradient. */
static gnt_status evaluate(search *s, const float *q, double *cost, float *grad) {
    data_term *own = &s->term[0];
    to_image_space(s, q);
    if (s->n_rates)
        log_rates_set(q + s->at[s->n], s->n_rates, s->announced, own->rates);
    gnt_status status = data_cost(s, cost);
    if (status == GNT_OK && s->n_rates)
        log_rates_vjp(own->rates, own->d_rates, s->n_rates, grad + s->at[s->n]);
    if (status == GNT_OK && s->bn > 0)
        status = add_statistics(s, cost);
    if (status != GNT_OK)
        return status;
    if (s->gaussian[0]) {
        for (int64_t i = 0; i < s->n; i++)
            image_gaussian_vjp(s->gaussian[i], s->x + i * s->features, s->d_x + i * s->features,
                               grad + s->at[i]);
        *cost += add_gaussian(s, q, grad);
        return GNT_OK;
    }
    for (int64_t i = 0; i < s->n * s->features; i++)
        grad[i] = s->d_x[i] * s->deviation[channel_of(s, i)];
    if (s->tv > 0)
        *cost += image_prior_variation(q, s->n * s->channels, s->height, s->width, s->tv, grad);
    return GNT_OK;
}

gnt_status search_costs(search *s, const float *x, double *cost) {
    gnt_status status = GNT_OK;
    for (int k = 0; status == GNT_OK && k < s->n_terms; k++) {
        const float *d_x;
        status = data_term_eval(&s->term[k], x, &cost[k], &d_x);
    }
    return status;
}

/* ---- steps ---- */

typedef struct climber { /* one restart */
    float *q, *grad;
    gnt_adam *adam;
    int ended; /* its cost was not finite */
} climber;

static double rate_at(const search *s, int64_t step, int64_t steps) {
    const gnt_value *v = s->self->value;
    return gnt_rate_milestones(v[INVERT_RATE].r, step, steps, v[INVERT_MILESTONES].list,
                               (int32_t)v[INVERT_MILESTONES].n, v[INVERT_DECAY].r);
}

/* One step of one restart. `centre`: the mean of all of them, which `group` draws it to; NULL: none. */
static gnt_status step_once(search *s, climber *c, int32_t restart, int64_t k, int64_t steps, double group,
                            const float *centre) {
    const gnt_host *host = s->self->host;
    double cost;
    if (host->should_stop(host->context))
        return GNT_STOPPED;
    gnt_status status = evaluate(s, c->q, &cost, c->grad);
    if (status != GNT_OK)
        return status;
    if (s->answer)
        s->answer->cost(s->answer->context, restart, k, cost);
    host->progress(host->context, (double)++s->done, (double)s->total);
    c->ended = !isfinite(cost);
    if (c->ended)
        return GNT_OK;
    if (cost < s->least) {
        s->least = cost;
        s->chosen = restart;
        memcpy(s->winner, s->x, (size_t)(s->n * s->features) * sizeof *s->x);
        if (s->n_rates)
            memcpy(s->winner_rates, s->term[0].rates, (size_t)s->n_rates * sizeof *s->winner_rates);
    }
    for (int64_t i = 0; centre && i < s->at[s->n]; i++)
        c->grad[i] += (float)(2 * group / (double)s->at[s->n]) * (c->q[i] - centre[i]);
    (s->with_signs ? gnt_adam_step_signed : gnt_adam_step)(c->adam, c->q, c->grad, rate_at(s, k, steps));
    into_box(s, c->q);
    return GNT_OK;
}

/* One after another, with the memory of one. */
static gnt_status alone(search *s, climber *c, int64_t restarts, int64_t steps) {
    for (int32_t r = 0; r < restarts; r++) {
        start(s, c->q);
        gnt_adam_reset(c->adam);
        c->ended = 0;
        for (int64_t k = 0; k < steps && !c->ended; k++) {
            gnt_status status = step_once(s, c, r, k, steps, 0, NULL);
            if (status != GNT_OK)
                return status;
        }
    }
    return GNT_OK;
}

static void take_mean(const search *s, const climber *c, int64_t restarts, float *centre) {
    int64_t going = 0;
    memset(centre, 0, (size_t)s->at[s->n] * sizeof *centre);
    for (int64_t r = 0; r < restarts; r++)
        going += !c[r].ended;
    for (int64_t r = 0; r < restarts; r++)
        for (int64_t i = 0; !c[r].ended && i < s->at[s->n]; i++)
            centre[i] += c[r].q[i] / (float)going;
}

/* Group consistency of GradInversion, without its registration: restarts that agree on an image are right
 * about it more often than each alone. */
static gnt_status together(search *s, climber *c, int64_t restarts, int64_t steps, double group,
                           float *centre) {
    for (int64_t r = 0; r < restarts; r++)
        start(s, c[r].q);
    for (int64_t k = 0; k < steps; k++) {
        take_mean(s, c, restarts, centre);
        for (int32_t r = 0; r < restarts; r++) {
            gnt_status status = c[r].ended ? GNT_OK : step_once(s, &c[r], r, k, steps, group, centre);
            if (status != GNT_OK)
                return status;
        }
    }
    return GNT_OK;
}

const char *const invert_signed_choices[] = {"auto", "always", "never", NULL};

enum { LONG_SEARCH = 1000 }; /* steps */

static int has_kinks(const gnt_model_info *m) {
    static const char *const kinked[] = {"relu", "leaky_relu", "max_pool"};
    for (int32_t i = 0; i < m->n_layers; i++)
        for (size_t k = 0; k < sizeof kinked / sizeof *kinked; k++)
            if (strcmp(m->layer[i].type, kinked[k]) == 0)
                return 1;
    return 0;
}

/* Signs find the way fast and through kinks, where the gradient's size says little of how far to go; where
 * the cost is smooth, the gradient itself comes closer in the end. A likelihood says its own size. */
static int uses_signs(const search *s, int64_t steps) {
    const int64_t choice = s->self->value[INVERT_SIGNED].i;
    if (s->gaussian[0] || s->term[0].cost == DATA_LIKELIHOOD)
        return 0;
    return choice == SIGNED_ALWAYS ||
           (choice == SIGNED_AUTO && (steps < LONG_SEARCH || has_kinks(s->self->host->model->info)));
}

gnt_status search_run(search *s, int64_t restarts, int64_t steps, double group) {
    const gnt_host *host = s->self->host;
    int side_by_side = group > 0 && restarts > 1;
    size_t size = (size_t)(s->at[s->n] + s->n_rates), n = side_by_side ? (size_t)restarts : 1;
    climber *c = host->scratch(host->context, n * sizeof *c);
    float *room = host->scratch(host->context, (2 * n + 1) * size * sizeof *room);
    gnt_status status = c && room ? GNT_OK : match_no_memory(host);
    s->least = INFINITY;
    s->with_signs = uses_signs(s, steps);
    for (size_t r = 0; status == GNT_OK && r < n; r++) {
        c[r] = (climber){.q = room + 2 * r * size, .grad = room + (2 * r + 1) * size};
        c[r].adam = gnt_adam_new((int64_t)size, 0.9, 0.999, 1e-8);
        if (!c[r].adam)
            status = match_no_memory(host);
    }
    if (status == GNT_OK)
        status = side_by_side ? together(s, c, restarts, steps, group, room + 2 * n * size)
                              : alone(s, c, restarts, steps);
    for (size_t r = 0; c && r < n; r++)
        gnt_adam_free(c[r].adam);
    if (status == GNT_OK && !isfinite(s->least))
        return host->fail(host->context, "its cost was never finite, from any start");
    return status;
}
