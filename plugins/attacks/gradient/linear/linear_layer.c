/* linear-layer: exact recovery of an input through a first dense layer.
 *
 * Row i of such a layer has the gradients dW_i = δ_i·x and db_i = δ_i, so x = dW_i/db_i wherever δ_i ≠ 0,
 * for any network behind it and whatever the scale of the update: a weight delta of one step does as
 * well. (Phong et al., 2017; the row of largest |db| loses least to rounding.) Through one sample it is
 * exact. Over a batch a row gives an average of the samples, weighted by δ_i. The same holds for several
 * local steps, over which δ_i varies but a sample does not. The samples that such an update determines are
 * solved for (exact_batch.h); the rest of the answer is approximate: the rows of largest |db| that differ
 * from each other and from these.
 *
 * Where the bias was not sent, one sample is read off the rows alone (linear_pruned.c). Where the rows of one
 * sample span more than one dimension, the update is of others, too (linear_mixed.c, linear_entries.c).
 *
 * Where a granted defense moves single entries, the input is what most rows agree on (linear_agree.h).
 *
 * A clip of each tensor on its own leaves a factor between weights and bias, which linear_clip.h finds.
 *
 * What a defense added to all rows, if the first layer is the last one, is taken off (common_rows.h).
 * Outliers (outliers.h) are not used: a row is left out if its bias is one, and an entry of a row that is one
 * is replaced by the median of the other rows' quotients. */
#include <math.h>
#include <string.h>

#include "first_dense.h"
#include "defense/common_rows.h"
#include "defense/granted_defense.h"
#include "linear/exact_batch.h"
#include "linear/linear_agree.h"
#include "linear/linear_clip.h"
#include "linear/linear_layer.h"
#include "defense/perturbed.h"
#include "update.h"
#include "gauntlet/plugin.h"
#include "hook.h"

static const char *const whole_choices[] = {"auto", "never", NULL};
static const double most_apart = 1e-9; /* of the squares: rounding of the rows of one sample */
enum { MOST_ROWS = 31 };               /* from which an entry is inferred that is an outlier in another row */

gnt_status linear_find(const linear_layer *s, const gnt_observation *seen, int64_t features, dense_layer *l) {
    const gnt_host *host = s->host;
    *l = (dense_layer){0};
    TRY(hook_needs_update(host, seen));
    for (int64_t t = 0; t < seen->update->n; t++) {
        const gnt_view *u = &seen->update->view[t];
        if (!is_first_dense(host->model->info, u->layer))
            continue;
        if (u->rank == 2 && u->dim[1] == features)
            l->w = u;
        if (u->rank == 1)
            l->b = u;
    }
    if (!l->w)
        return unsupported(host, "it needs a model whose first layer is dense, such as mlp, and shared");
    if (!l->b || l->b->count * features != l->w->count)
        return unsupported(host, "it divides by the bias's gradient, and the first dense layer has no bias");
    l->w_at = l->w - seen->update->view;
    l->b_at = l->b - seen->update->view;
    return outliers_find(&l->apart, host, seen, s->outliers);
}

/* Infers entry k from the rows of largest |db| in which it is no outlier: the median of their quotients;
 * NaN if there is none. */
static double infer_from_others(const dense_layer *l, int64_t features, int64_t k) {
    double magnitude[MOST_ROWS], inferred[MOST_ROWS];
    int64_t n = 0;
    for (int64_t i = 0; i < l->b->count; i++) {
        double bias = (double)l->b->data[i], value;
        if (bias == 0 || outliers_has(&l->apart, l->b_at, i) ||
            outliers_has(&l->apart, l->w_at, i * features + k))
            continue;
        int64_t at = n < MOST_ROWS ? n++ : MOST_ROWS;
        while (at > 0 && fabs(bias) > magnitude[at - 1]) { /* by |db|; the smallest falls off the end */
            if (at < MOST_ROWS) {
                magnitude[at] = magnitude[at - 1];
                inferred[at] = inferred[at - 1];
            }
            at--;
        }
        if (at == MOST_ROWS)
            continue;
        value = (double)l->w->data[i * features + k] / bias;
        magnitude[at] = fabs(bias);
        inferred[at] = value;
    }
    for (int64_t i = 1; i < n; i++) { /* now by value */
        double value = inferred[i];
        int64_t at = i;
        for (; at > 0 && inferred[at - 1] > value; at--)
            inferred[at] = inferred[at - 1];
        inferred[at] = value;
    }
    return n ? (inferred[(n - 1) / 2] + inferred[n / 2]) / 2 : (double)NAN;
}

/* Returns entry k of dW_i/db_i for row i: the layer's input, up to the scale that linear_clip.h finds. */
static double quotient(const dense_layer *l, int64_t row, int64_t features, int64_t k) {
    return outliers_has(&l->apart, l->w_at, row * features + k)
               ? infer_from_others(l, features, k)
               : (double)l->w->data[row * features + k] / (double)l->b->data[row];
}

/* Reads row `row` as an input, and undoes the model's normalisation of it: an image in [0, 1]. */
static void read_row(const gnt_model_info *info, const dense_layer *l, double scale, int64_t row,
                     int64_t features, float *x) {
    int64_t channels = info->dim[0], area = features / channels;
    for (int64_t k = 0; k < features; k++) {
        double value = scale * quotient(l, row, features, k);
        if (info->mean)
            value = value * (double)info->deviation[k / area] + (double)info->mean[k / area];
        x[k] = value > 0 ? (value < 1 ? (float)value : 1) : 0; /* NaN becomes 0 */
    }
}

/* Returns the mean squared difference from the nearest of the n samples in x. */
static double nearest(const float *one, const float *x, int64_t n, int64_t features) {
    double least = INFINITY;
    for (int64_t i = 0; i < n; i++, x += features) {
        double sum = 0;
        for (int64_t k = 0; k < features; k++)
            sum += ((double)one[k] - (double)x[k]) * ((double)one[k] - (double)x[k]);
        least = fmin(least, sum / (double)features);
    }
    return least;
}

/* Returns the unused row of largest |db|, or −1 if all that are left are zero or outliers. */
static int64_t largest(const dense_layer *l, const uint8_t *used) {
    const gnt_view *b = l->b;
    int64_t at = -1;
    float most = 0;
    for (int64_t i = 0; i < b->count; i++)
        if (!used[i] && fabsf(b->data[i]) > most && !outliers_has(&l->apart, l->b_at, i)) {
            most = fabsf(b->data[i]);
            at = i;
        }
    return at;
}

/* True if a clip of each tensor rules out the estimate of rank_one.h, which assumes one factor for weights
 * and bias. */
static int is_clip_in_the_way(const linear_layer *s, const gnt_observation *seen) {
    const granted_defense granted = granted_defense_of(seen);
    return seen->n == 1 && granted.noise.kind == NOISE_NONE &&
           granted.noise.clip_mode == NOISE_CLIP_PER_TENSOR && (s->noise > 0 || granted.pruned);
}

/* Returns the share of the squares of the layer's weights that is no multiple of its longest row. */
static double apart_of(const dense_layer *l, int64_t features) {
    const float *longest = l->w->data;
    double most = 0, all = 0, along = 0;
    for (int64_t i = 0; i < l->b->count; i++) {
        const float *row = l->w->data + i * features;
        double squares = 0;
        for (int64_t k = 0; k < features; k++)
            squares += (double)row[k] * (double)row[k];
        all += squares;
        longest = squares > most ? row : longest;
        most = fmax(most, squares);
    }
    for (int64_t i = 0; i < l->b->count && most > 0; i++) {
        const float *row = l->w->data + i * features;
        double product = 0;
        for (int64_t k = 0; k < features; k++)
            product += (double)row[k] * (double)longest[k];
        along += product * product / most;
    }
    return all > 0 ? 1 - along / all : 0;
}

/* True if the update is of one sample, but its rows are of more, and nothing is known that makes them so. */
static int is_mixed(const linear_layer *s, const gnt_observation *seen, const dense_layer *l,
                    const granted_defense *granted) {
    return seen->n == 1 && s->noise <= 0 && granted->noise.kind == NOISE_NONE && !granted->pruned &&
           !granted->layers && granted->noise.clip_mode != NOISE_CLIP_PER_TENSOR &&
           apart_of(l, hook_features(s->host->model->info)) > most_apart;
}

/* Sets *scale, the factor for quotients, from the rows of largest |db|, one for each sample. `used` is as
 * long as the bias, and is cleared afterwards. */
static gnt_status find_scale(const linear_layer *s, const gnt_observation *seen, const dense_layer *l,
                             int64_t features, uint8_t *used, int *scaled, double *scale) {
    const gnt_host *host = s->host;
    int64_t n = 0;
    TRY(linear_is_scaled(s, seen, l, scaled));
    *scale = 1;
    if (!*scaled)
        return GNT_OK;
    double *rows = gnt_host_scratch(host, seen->n * features, sizeof *rows);
    TRY(hook_memory(host, rows != NULL));
    for (int64_t row; n < seen->n && (row = largest(l, used)) >= 0; used[row] = 1, n++)
        for (int64_t k = 0; k < features; k++) {
            const double value = quotient(l, row, features, k);
            rows[n * features + k] = isfinite(value) ? value : 0;
        }
    memset(used, 0, (size_t)l->b->count);
    TRY(linear_scale(s, seen, rows, n, features, scale));
    gnt_host_fact(host, "scale", *scale);
    return GNT_OK;
}

/* Moves samples found that are public ones behind the others: where an update holds more samples than were
 * private, only so many answers count. */
static gnt_status public_last(const gnt_host *host, const gnt_samples *known, float *x, int64_t n,
                              int64_t features) {
    const size_t bytes = (size_t)features * sizeof *x;
    float *own = known ? gnt_host_scratch(host, features, sizeof *own) : NULL;
    TRY(hook_memory(host, own || !known));
    for (int64_t i = 0, own_ones = 0; known && i < n; i++) {
        if (exact_batch_is_known(known, x + i * features, features))
            continue;
        memcpy(own, x + i * features, bytes);
        memmove(x + (own_ones + 1) * features, x + own_ones * features, (size_t)(i - own_ones) * bytes);
        memcpy(x + own_ones++ * features, own, bytes);
    }
    return GNT_OK;
}

static gnt_status find_exact(const linear_layer *s, const gnt_observation *seen, const dense_layer *l,
                             int64_t features, float *x, int64_t *found) {
    exact_batch batch = {.host = s->host,
                         .seen = seen,
                         .layer = l,
                         .range = input_range_of_images(s->host->model->info, features),
                         .features = features,
                         .effort = s->exact,
                         .known = seen->public_data};
    TRY(exact_batch_find(&batch, x));
    TRY(public_last(s->host, seen->public_data, x, batch.found, features));
    gnt_host_fact(s->host, "samples_exact", (double)batch.exact);
    *found = batch.found;
    return GNT_OK;
}

static gnt_status run(void *self, const gnt_observation *sent, const gnt_artefacts *own,
                      const gnt_answer *answer) {
    linear_layer *s = self;
    const gnt_host *host = s->host;
    gnt_observation without;
    const gnt_observation *seen = &without;
    dense_layer l;
    layer_noise noise;
    int64_t found = 0;
    (void)own;
    if (!host->model || sent->n < 1)
        return unsupported(host, "it needs the model and the number of samples in the batch");
    if (linear_is_moved(sent))
        return linear_agree_run(s, sent, answer);
    TRY(common_rows_off(&without, host, sent, s->outliers));
    const gnt_model_info *info = host->model->info;
    const int64_t features = hook_features(info);
    TRY(linear_find(s, seen, features, &l));
    const granted_defense granted = granted_defense_of(seen);
    TRY(granted_defense_check(host, &granted));
    if (s->noise >= 0 && granted.noise.kind != NOISE_NONE)
        return unsupported(host,
                           "noise is set, but the granted defense tells it: leave that grant out, or noise");
    if (is_clip_in_the_way(s, seen))
        return unsupported(
            host, "a clip of each tensor on its own is granted, and beside it noise is set or entries "
                  "are pruned: it reckons with one or the other. Leave the grant defense out, or "
                  "noise");
    if (is_mixed(s, seen, &l, &granted)) {
        int answered = 0;
        TRY(linear_mixed_run(s, seen, &l, answer, &answered));
        if (!answered)
            TRY(linear_entries_run(s, seen, &l, answer, &answered));
        if (answered)
            return GNT_OK;
    }
    if (linear_is_noisy(s, seen, &l, &noise)) {
        int answered = 0;
        if (noise.law.kind == NOISE_NONE && !seen->history)
            TRY(linear_pruned_run(s, seen, &noise, answer, &answered));
        return answered ? GNT_OK : linear_noisy_run(s, seen, &noise, answer);
    }
    if (seen->n == 1 && squares_of(l.b) == 0) {
        int answered = 0;
        TRY(linear_pruned_run(s, seen, &noise, answer, &answered));
        if (answered)
            return GNT_OK;
    }
    float *x = gnt_host_scratch(host, seen->n * features, sizeof *x);
    uint8_t *used = gnt_host_scratch(host, (size_t)l.b->count, 1);
    TRY(hook_memory(host, x && used));
    double scale;
    int scaled;
    TRY(find_scale(s, seen, &l, features, used, &scaled, &scale));
    if (!scaled)
        TRY(find_exact(s, seen, &l, features, x, &found));
    for (int64_t row; found < seen->n && (row = largest(&l, used)) >= 0; used[row] = 1) {
        float *one = x + found * features;
        TRY(may_go_on(host));
        read_row(info, &l, scale, row, features, one);
        if (nearest(one, x, found, features) > s->distinct)
            found++;
    }
    gnt_host_fact(host, "rows_used", (double)found);
    if (found == 0) { /* nothing is left to read (every bias was pruned away): a guess is an answer too */
        gnt_host_log(host, GNT_LOG_INFO, "no row of the first layer's update can be read; it answers grey");
        for (int64_t k = 0; k < features; k++)
            x[k] = 0.5f;
        found = 1;
    }
    return answer->reconstruction(answer->context, found, x);
}

static void stop(void *self) {
    kept_prior_clear(&((linear_layer *)self)->known);
}

static const gnt_attack hooks = {.size = sizeof hooks, .run = run};

static const gnt_parameter parameters[] = {
    GNT_REAL(linear_layer, distinct, 0, 1, 1e-3, GNT_SCALE_LINEAR, "mean squared difference",
             "batches: rows nearer than this to one already taken are the same sample again"),
    GNT_CHOICE(linear_layer, outliers, outliers_choices, "auto",
               "auto: entries that stand apart by a factor of 100 in size are not used"),
    GNT_REAL(
        linear_layer, noise, -1, 1e6, -1, GNT_SCALE_LINEAR, "units of the update",
        "standard deviation of normal noise in each entry; 0: none; below 0: as granted, else estimated"),
    GNT_REAL(linear_layer, exact, 0, 1000, 5, GNT_SCALE_LINEAR, "1e9 operations",
             "batches: most operations in the search for samples that the update determines; 0: no search"),
    GNT_CHOICE_ID(
        "whole_update", linear_layer, first_alone, whole_choices, "auto",
        "auto: where clip and noise are granted, later layers are matched too; never: the first alone"),
};

/* Plugins where it reads their parameters. The size of a step is nothing to a quotient of entries, and
 * soteria leaves the layer alone that reads the sample. */
const char *const linear_layer_families[] = {"dp-gaussian", "dp-laplace",        "clip", "prune", "soteria",
                                             "step-size",   PERTURBING_DEFENSES, NULL};

const gnt_descriptor gradient_linear_layer = {
    GNT_ATTACK(
        "linear-layer", "1.9",
        "divides a first dense layer's weight gradient by its bias gradient: the input, exactly at batch 1",
        "MIT", "Phong et al., Privacy-Preserving Deep Learning: Revisited and Enhanced, ATIS 2017"),
    GNT_PARAMETERS(parameters),
    .families = linear_layer_families,
    .surfaces = GNT_SURFACE_UPDATE,
    .attack = &hooks,
    .instance_size = GNT_INSTANCE(linear_layer),
    .goals = GNT_GOAL_RECONSTRUCTION,
    .uses = GNT_KNOWS_DEFENSE | GNT_KNOWS_PUBLIC | GNT_KNOWS_PRIOR_DATA | GNT_KNOWS_HISTORY,
    .data_kinds = GNT_KIND_ANY,
    .flags = GNT_FLAG_FIRST_DENSE | GNT_FLAG_RANDOMISED,
    .stop = stop};
