#include "linear/exact_batch.h"

#include <math.h>
#include <string.h>

#include "defense/zeroed_columns.h"
#include "hook.h"
#include "linear/linear_clip.h"
#include "linear/refined_batch.h"
#include "linear/sample_columns.h"
#include "linear/single_samples.h"
#include "linear/small_matrix.h"
#include "update.h"

enum { MOST_BLIND = 16 }; /* rank up to which columns are looked for before any sample is known */
static const double exact_error = 3.16e-3;   /* 50 dB, which twice the error has to reach */
static const double most_error = 0.03;       /* a sample of a larger one is not taken */
static const double most_known_error = 1e-3; /* of a known sample that was found, in an entry */

/* Sets weight and bias of the layer as broadcast, in the order of the flat weights. */
static void find_weights(const gnt_model_info *info, const gnt_observation *seen, const dense_layer *l,
                         layer_rows *rows) {
    const float *at = seen->weights;
    for (int64_t i = 0; i < info->params.n; at += info->params.view[i++].count) {
        if (info->params.view[i].layer != l->w->layer)
            continue;
        if (info->params.view[i].rank == 2)
            rows->weight = at;
        else
            rows->bias = at;
    }
}

/* Returns how much of the broadcast weights an update of local steps has through weight decay, if rates are
 * `times` those that are known. */
static double kept_by_decay(const gnt_observation *seen, double times) {
    double weight = 1, speed = 0;
    const double decay = decay_of_steps(seen);
    for (int32_t e = 0; e < seen->steps; e++) {
        speed = seen->momentum * speed + decay * weight;
        weight -= times * (seen->rates ? (double)seen->rates[e] : seen->rate) * speed;
    }
    return weight - 1;
}

typedef struct decayed {
    const gnt_host *host;
    const gnt_observation *seen;
    layer_rows *rows;
    row_space *space;
} decayed;

/* Finds the row space if rates are `times` those that are known; returns the noise that this leaves. */
static gnt_status space_at(const decayed *d, double times, double *noise) {
    d->rows->kept = kept_by_decay(d->seen, times);
    TRY(row_space_find(d->space, d->host, d->rows));
    *noise = d->space->full_noise;
    return GNT_OK;
}

/* Narrows from … to down to where least noise is left, by golden sections. */
static gnt_status narrow(const decayed *d, double *from, double *to) {
    enum { SECTIONS = 40 };
    const double golden = 0.5 * (sqrt(5) - 1);
    double a = *to - golden * (*to - *from), b = *from + golden * (*to - *from), at_a, at_b;
    TRY(space_at(d, a, &at_a));
    TRY(space_at(d, b, &at_b));
    for (int i = 0; i < SECTIONS; i++) {
        if (at_a < at_b) {
            *to = b;
            b = a;
            at_b = at_a;
            a = *to - golden * (*to - *from);
            TRY(space_at(d, a, &at_a));
        } else {
            *from = a;
            a = b;
            at_a = at_b;
            b = *from + golden * (*to - *from);
            TRY(space_at(d, b, &at_b));
        }
    }
    return GNT_OK;
}

/* Finds the row space, and with it the share that weight decay has: at the known rates if these leave
 * nothing but rounding, else where least is left. */
static gnt_status find_space(const decayed *d) {
    enum { GRID = 16, MOST_TIMES = 4 };
    const double step = (double)MOST_TIMES / GRID;
    double noise, best = 1, least;
    TRY(space_at(d, 1, &least));
    if (d->rows->kept == 0 || least < 1e-7)
        return GNT_OK;
    for (int i = 0; i <= GRID; i++) {
        TRY(space_at(d, i * step, &noise));
        best = noise < least ? i * step : best;
        least = fmin(noise, least);
    }
    double from = best - step, to = best + step;
    TRY(narrow(d, &from, &to));
    return space_at(d, 0.5 * (from + to), &noise);
}

/* Sets the rows: the samples found so far, which are certain, then the units above the noise. */
static gnt_status set_units(const gnt_host *host, const row_space *s, const single_samples *singles,
                            unit_rows *out) {
    const int64_t b = s->rank;
    *out = (unit_rows){.rank = b, .typical = s->noise, .certain = singles->n};
    out->row = gnt_host_scratch(host, (s->units + singles->n) * b, sizeof *out->row);
    out->noise = gnt_host_scratch(host, s->units + singles->n, sizeof *out->noise);
    TRY(hook_memory(host, out->row && out->noise));
    for (; out->n < singles->n; out->n++) {
        const double *sample = singles->sample + out->n * b, length = sqrt(small_dot(sample, sample, b));
        for (int64_t k = 0; k < b; k++)
            out->row[out->n * b + k] = sample[k] / length;
        out->noise[out->n] = fmax(s->noise, singles->error[out->n] * sqrt((double)s->width) / length);
    }
    for (int64_t i = 0; i < s->units; i++) {
        const double *at = s->at + i * s->most, length = sqrt(small_dot(at, at, b));
        const double noise = s->norm[i] > 0 ? fmax(s->noise, s->left[i] / s->norm[i]) : 1;
        if (noise * sqrt((double)b) > 0.01 || !(length > 0.5 * s->norm[i]))
            continue; /* hardly above the noise */
        for (int64_t k = 0; k < b; k++)
            out->row[out->n * b + k] = at[k] / length;
        out->noise[out->n++] = noise;
    }
    return GNT_OK;
}

/* Searches for the columns of all samples, until these agree with the layer, no others can be found or `most`
 * operations were spent. Sets `samples` to the number that agree. */
static gnt_status search_columns(const single_samples *singles, column_choice *choice, double most,
                                 int64_t *samples) {
    static const double only = 1;
    const gnt_host *host = singles->host;
    unit_rows units;
    sparse_columns columns;
    if (choice->rank == 1) {
        *samples = column_choice_consider(choice, &only) ? column_choice_make(choice) : 0;
        return GNT_OK;
    }
    TRY(set_units(host, choice->space, singles, &units));
    TRY(sparse_columns_start(&columns, host, &units));
    const double before = choice->spent;
    while (*samples < choice->rank && !sparse_columns_are_all_found(&columns) &&
           columns.spent + choice->spent - before < most) {
        int64_t considered = 0;
        TRY(may_go_on(host));
        sparse_columns_draw(&columns);
        for (int64_t k = 0; k < columns.n; k++)
            considered += column_choice_consider(choice, columns.fresh + k * units.rank);
        if (considered > 0)
            *samples = column_choice_make(choice);
    }
    return GNT_OK;
}

/* Writes x̃ as an input in its range; returns 0 if it is none. error: of an entry. */
static int write_input(const exact_batch *e, const double *from, double error, float *x) {
    const input_range *range = &e->range;
    const double unit = input_range_unit(range, from, e->features);
    for (int64_t k = 0; k < e->features; k++) {
        const double deviation = input_range_deviation(range, k);
        const double value = from[k] * deviation + input_range_mean(range, k);
        const double slack = 0.01 * unit + 6 * error * deviation;
        if (!(value > range->lower - slack && value < range->upper + slack))
            return 0;
        x[k] = (float)fmin(fmax(value, range->lower), range->upper);
    }
    return 1;
}

/* Adds a sample to the answer, and its column. */
static void add_sample(exact_batch *e, const double *sample, const double *column, double error, float *x) {
    const input_range *range = &e->range;
    double deviation = range->mean ? 0 : 1;
    for (int64_t k = 0; range->mean && k < e->features; k += range->area)
        deviation = fmax(deviation, input_range_deviation(range, k));
    const double relative = error * deviation / input_range_unit(range, sample, e->features);
    if (relative > most_error || !write_input(e, sample, error, x + e->found * e->features))
        return;
    if (e->delta)
        memcpy(e->delta + e->found * e->units, column, (size_t)e->units * sizeof *column);
    e->exact += 2 * relative <= exact_error;
    e->found++;
}

/* Sets *columns to those of n samples, if they are wanted: n × units, scratch of the hook. */
static gnt_status find_columns(const exact_batch *e, const row_space *s, const column_choice *layer,
                               double *sample, int64_t n, double **columns) {
    *columns = gnt_host_scratch(e->host, n * e->units, sizeof **columns);
    TRY(hook_memory(e->host, *columns != NULL));
    return e->delta ? sample_columns_of(e->host, s, layer, sample, n, *columns) : GNT_OK;
}

/* Adds the samples of a choice that agrees with the layer. */
static gnt_status add_chosen(exact_batch *e, const column_choice *choice, const layer_rows *rows, float *x) {
    const gnt_host *host = e->host;
    const int64_t b = choice->rank, width = rows->features + 1;
    double *samples = gnt_host_scratch(host, b * width, sizeof *samples);
    double *error = gnt_host_scratch(host, b, sizeof *error);
    double *columns;
    TRY(hook_memory(host, samples && error));
    TRY(refined_batch(host, choice, rows, samples, error));
    TRY(find_columns(e, choice->space, choice, choice->sample, b, &columns));
    for (int64_t i = 0; i < b; i++)
        add_sample(e, samples + i * width, columns + i * e->units, error[i], x);
    return GNT_OK;
}

/* Adds samples that were found one by one. */
static gnt_status add_singles(exact_batch *e, const single_samples *singles, float *x) {
    const row_space *s = singles->space;
    double *sample = gnt_host_scratch(e->host, s->width, sizeof *sample), *columns;
    TRY(hook_memory(e->host, sample != NULL));
    TRY(find_columns(e, s, singles->layer, singles->sample, singles->n, &columns));
    for (int64_t i = 0; i < singles->n; i++) {
        memset(sample, 0, (size_t)s->width * sizeof *sample);
        for (int64_t r = 0; r < s->rank; r++)
            for (int64_t k = 0; k < s->width; k++)
                sample[k] += singles->sample[i * s->rank + r] * s->basis[r * s->width + k];
        add_sample(e, sample, columns + i * e->units,
                   singles->error[i] * input_range_unit(&e->range, sample, e->features), x);
    }
    return GNT_OK;
}

/* Searches for samples one by one, by what gives them without a search first. */
static gnt_status search_singles(single_samples *singles, double most) {
    unit_rows units;
    if (singles->layer) {
        TRY(set_units(singles->host, singles->space, singles, &units));
        single_samples_of_rows(singles, &units);
    }
    for (int upper = 0; upper < 2; upper++)
        TRY(single_samples_of_pixels(singles, upper, most));
    return GNT_OK;
}

/* Solves for the samples of a row space, by their columns and one by one. What is found one by one makes it
 * easier to find the columns. */
static gnt_status solve(exact_batch *e, const row_space *space, const layer_rows *rows, int relu, float *x) {
    const gnt_host *host = e->host;
    const double most = 0.2e9 * e->effort;
    const int is_delta = e->seen->update_kind == GNT_UPDATE_DELTA;
    column_choice choice;
    single_samples singles;
    int64_t samples = 0;
    TRY(single_samples_start(&singles, host, space, &e->range, relu ? &choice : NULL));
    if (e->alike)
        single_samples_compare(&singles, e->alike, e->n_alike);
    if (relu)
        TRY(column_choice_start(&choice, host, space, rows, is_delta));
    if (e->known)
        TRY(single_samples_of_known(&singles, e->known));
    if (e->known && relu)
        TRY(single_samples_of_rest(&singles));
    if (relu && space->rank <= MOST_BLIND && singles.n < space->rank)
        TRY(search_columns(&singles, &choice, most, &samples));
    if (samples < space->rank && space->rank > 1)
        TRY(search_singles(&singles, most));
    if (relu && samples < space->rank)
        TRY(single_samples_of_rest(&singles));
    if (relu && samples < space->rank && singles.n > 0 && singles.n < space->rank)
        TRY(search_columns(&singles, &choice, 2 * most, &samples));
    e->spent += 1e-9 * (singles.spent + (relu ? choice.spent : 0));
    return samples == space->rank ? add_chosen(e, &choice, rows, x) : add_singles(e, &singles, x);
}

int exact_batch_is_known(const gnt_samples *known, const float *x, int64_t features) {
    const double most = most_known_error * most_known_error * (double)features;
    for (int64_t i = 0; known && known->x && known->features == features && i < known->n; i++) {
        double sum = 0;
        for (int64_t k = 0; k < features && sum <= most; k++) {
            const double d = (double)x[k] - (double)known->x[i * features + k];
            sum += d * d;
        }
        if (sum <= most)
            return 1;
    }
    return 0;
}

/* True if the rows, of an update that should be of one sample, span a few dimensions more than one, and are
 * several times as many, which the rest of a pruned update need not be. */
static int is_of_several(const exact_batch *e, const row_space *s) {
    int64_t rows = 0;
    for (int64_t i = 0; i < s->units; i++)
        rows += s->norm[i] > 0;
    return s->rank > 1 && s->rank < e->most && rows >= 2 * s->rank;
}

/* Forgets what was found. Returns 0 if an update of n samples is not to be solved for. */
static int begin(exact_batch *e, int64_t n) {
    const dense_layer *l = e->layer;
    e->found = e->exact = e->rank = 0;
    e->units = l->b->count;
    e->rows = (layer_rows){0};
    return e->effort > 0 && n >= 2 && n < l->b->count && n <= e->features && e->seen->weights &&
           !l->apart.of && optimizer_of_steps(e->seen) == GNT_OPTIMIZER_SGD;
}

gnt_status exact_batch_find(exact_batch *e, float *x) {
    const gnt_host *host = e->host;
    const dense_layer *l = e->layer;
    layer_rows rows = {.w = l->w->data, .b = l->b->data, .units = l->b->count, .features = e->features};
    row_space space;
    const int64_t n = e->most ? e->most : e->seen->n;
    if (!begin(e, n))
        return GNT_OK;
    find_weights(host->model->info, e->seen, l, &rows);
    const decayed d = {host, e->seen, &rows, &space};
    double noise;
    TRY(row_space_make(&space, host, &rows, n));
    TRY(e->most ? space_at(&d, 1, &noise) : find_space(&d));
    e->rank = space.rank;
    if (e->most && !is_of_several(e, &space))
        return GNT_OK;
    e->rows = rows;
    gnt_host_fact(host, "update_rank", (double)space.rank);
    if (rows.kept != 0)
        gnt_host_fact(host, "decay_share", rows.kept);
    return space.rank > 0 ? solve(e, &space, &rows, is_before_relu(host->model->info, l->w->layer), x)
                          : GNT_OK;
}

gnt_status exact_batch_solve(exact_batch *e, const layer_rows *rows, int64_t n, float *x) {
    const gnt_host *host = e->host;
    row_space space;
    if (!begin(e, n))
        return GNT_OK;
    TRY(row_space_make(&space, host, rows, n));
    TRY(row_space_find(&space, host, rows));
    e->rank = space.rank;
    return space.rank > 0 ? solve(e, &space, rows, is_before_relu(host->model->info, e->layer->w->layer), x)
                          : GNT_OK;
}
