#include "linear/linear_clip.h"

#include <math.h>
#include <stdlib.h>

#include "defense/granted_defense.h"
#include "cost/update_match.h"
#include "cost/residual.h"
#include "defense/seen_clip.h"
#include "defense/survivors.h"
#include "update.h"
#include "hook.h"

/* From the edge of the range down to a hundredth of it, then within two steps of the best place. */
enum { COARSE = 96, FINE = 48 };
static const double faintest = 0.01;
static const double golden = 0.61803398874989485;
/* Beyond the edge of the range, for rounding. */
static const double beyond = 1.001;

gnt_status linear_is_scaled(const linear_layer *s, const gnt_observation *seen, const dense_layer *l,
                            int *scaled) {
    const granted_defense granted = granted_defense_of(seen);
    seen_clip clip;
    const gnt_status status = seen_clip_open(&clip, s->host, &granted, seen->update);
    *scaled = status == GNT_OK && granted.noise.kind == NOISE_NONE &&
              (seen_clip_shortened(&clip, l->w_at) || seen_clip_shortened(&clip, l->b_at));
    return status;
}

/* ---- the range of samples ---- */

static double mean_at(const gnt_model_info *info, int64_t k, int64_t features) {
    return info->mean ? (double)info->mean[k / (features / info->dim[0])] : 0;
}

static double deviation_at(const gnt_model_info *info, int64_t k, int64_t features) {
    return info->mean ? (double)info->deviation[k / (features / info->dim[0])] : 1;
}

/* Returns the greatest t for which all of mean + deviation·t·row lies in [0, 1]; a row that has to be
 * shrunk to nothing, where inputs are not normalised, is a mixture of samples: INFINITY. */
static double edge_of(const gnt_model_info *info, const double *row, int64_t features) {
    double t = INFINITY;
    for (int64_t k = 0; k < features; k++) {
        const double mean = mean_at(info, k, features), v = row[k] * deviation_at(info, k, features);
        if (v > 0)
            t = fmin(t, (1 - mean) / v);
        else if (v < 0 && mean > 0)
            t = fmin(t, mean / -v);
    }
    return t;
}

static int by_value(const void *a, const void *b) {
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Sorts v and returns its median, without values that are not finite; 0 if none is finite. */
static double median(double *v, int64_t n) {
    qsort(v, (size_t)n, sizeof *v, by_value);
    while (n > 0 && !isfinite(v[n - 1]))
        n--;
    return n ? (v[(n - 1) / 2] + v[n / 2]) / 2 : 0;
}

/* Returns the median factor by which public samples could be scaled within the range; 1 if there are none. */
static double public_stretch(const gnt_model_info *info, const gnt_samples *known, int64_t features,
                             double *edge, double *row) {
    const int64_t n = known && known->x && known->features == features ? known->n : 0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = 0; k < features; k++)
            row[k] = ((double)known->x[i * features + k] - mean_at(info, k, features)) /
                     deviation_at(info, k, features);
        edge[i] = edge_of(info, row, features);
    }
    const double stretch = median(edge, n);
    return stretch > 0 ? stretch : 1;
}

/* ---- the whole update ---- */

typedef struct trial {
    const gnt_host *host;
    gnt_function *function;
    gnt_function_args args;
    residual residual;
    const double *row;
    int64_t features;
    float *x, *y;
} trial;

/* Returns the squared residual of the update of the sample at t; NaN if the update cannot be computed. */
static double cost_at(trial *c, double t) {
    const gnt_model_service *m = c->host->model;
    const gnt_views *made;
    for (int64_t k = 0; k < c->features; k++) {
        const double v =
            mean_at(m->info, k, c->features) + deviation_at(m->info, k, c->features) * t * c->row[k];
        c->x[k] = (float)fmin(1, fmax(0, v));
    }
    return m->eval(m->context, c->function, &c->args, &made) == GNT_OK ? residual_squares(&c->residual, made)
                                                                       : (double)NAN;
}

static gnt_status open_trial(trial *c, const linear_layer *s, const gnt_observation *seen, const double *row,
                             int64_t features) {
    const gnt_host *host = s->host;
    const gnt_model_service *m = host->model;
    const size_t classes = (size_t)m->info->classes;
    *c = (trial){.host = host, .row = row, .features = features};
    TRY(residual_open(&c->residual, host, seen, SURVIVORS_AUTO, s->outliers));
    c->x = gnt_host_scratch(host, features, sizeof *c->x);
    c->y = gnt_host_scratch(host, classes + 1, sizeof *c->y);
    const float *rates = hook_rates(host, seen);
    TRY(hook_memory(host, c->x && c->y && rates));
    c->args = hook_args(seen, c->x, seen->labels ? seen->labels : c->y, rates);
    gnt_function_spec spec = {.kind = GNT_FN_UPDATE, .held = GNT_HELD_WEIGHTS};
    spec_unroll(&spec, seen);
    c->function = m->prepare(m->context, &spec);
    return c->function ? GNT_OK : gnt_host_fail(host, gnt_host_last_error(host));
}

static void choose(trial *c, int64_t label) {
    for (int64_t k = 0; k < c->host->model->info->classes; k++)
        c->y[k] = k == label;
}

/* Chooses the label under which the update of the sample at t is nearest to the one observed. */
static void choose_label(trial *c, const gnt_observation *seen, double t) {
    int64_t best = 0;
    double least = INFINITY;
    for (int64_t k = 0; !seen->labels && k < c->host->model->info->classes; k++) {
        choose(c, k);
        const double cost = cost_at(c, t);
        best = cost < least ? k : best;
        least = fmin(least, cost);
    }
    choose(c, best);
}

/* Minimises the cost by golden section between two t; it has one minimum there. */
static double refine(trial *c, double low, double high) {
    double a = high - golden * (high - low), b = low + golden * (high - low);
    double at_a = cost_at(c, a), at_b = cost_at(c, b);
    for (int k = 0; k < FINE; k++) {
        if (at_a < at_b) {
            high = b;
            b = a, at_b = at_a;
            a = high - golden * (high - low);
            at_a = cost_at(c, a);
        } else {
            low = a;
            a = b, at_a = at_b;
            b = low + golden * (high - low);
            at_b = cost_at(c, b);
        }
    }
    return (low + high) / 2;
}

/* Returns the t of least cost, searched on a grid up to just beyond `edge`; `guess` if none has a cost. */
static double search(trial *c, const gnt_observation *seen, double edge, double guess) {
    const double ratio = pow(faintest, 1.0 / COARSE);
    double least = INFINITY, best = guess;
    choose_label(c, seen, guess);
    for (int k = 0; k <= COARSE && !gnt_host_should_stop(c->host); k++) {
        const double t = edge * beyond * pow(ratio, k), cost = cost_at(c, t);
        best = cost < least ? t : best;
        least = fmin(least, cost);
    }
    if (!isfinite(least))
        return guess;
    best = refine(c, best * ratio, fmin(best / ratio, edge * beyond));
    gnt_host_fact(c->host, "scale_left", cost_at(c, best) / fmax(c->residual.squares, 1e-300));
    return best;
}

gnt_status linear_scale(const linear_layer *s, const gnt_observation *seen, const double *quotient,
                        int64_t rows, int64_t features, double *t) {
    const gnt_host *host = s->host;
    const gnt_model_info *info = host->model->info;
    const gnt_samples *known = seen->public_data;
    double *edge = gnt_host_scratch(host, rows + (known ? known->n : 0) + 1, sizeof *edge);
    double *row = gnt_host_scratch(host, features, sizeof *row);
    trial c;
    TRY(hook_memory(host, edge && row));
    for (int64_t i = 0; i < rows; i++)
        edge[i] = edge_of(info, quotient + i * features, features);
    const double most = median(edge, rows);
    *t = most > 0 ? most / public_stretch(info, known, features, edge, row) : 1;
    if (!(most > 0) || seen->n != 1)
        return GNT_OK;
    TRY(open_trial(&c, s, seen, quotient, features));
    *t = search(&c, seen, most, *t);
    host->model->release(host->model->context, c.function);
    return gnt_host_should_stop(host) ? GNT_STOPPED : GNT_OK;
}
