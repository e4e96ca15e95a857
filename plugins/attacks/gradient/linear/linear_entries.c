/* linear-layer for an update that should be of one sample but has the entries of several: each entry of the
 * layer is that of one sample's update, such as every second one of the round before (entry_mix.h).
 *
 * The answer is the sample whose entries are most and is not public; pixels of which it has no entry are
 * drawn from the pixels around them. */
#include <math.h>
#include <string.h>

#include "hook.h"
#include "linear/entry_mix.h"
#include "linear/exact_batch.h"
#include "linear/linear_layer.h"

enum { MOST_ROWS = 256, SWEEPS = 200 };
static const double least_explained = 0.98;

static int goes_on(void *user) {
    const gnt_host *host = user;
    return !host->should_stop(host->context);
}

static double squares_of_row(const dense_layer *l, int64_t features, int64_t i) {
    double sum = 0;
    for (int64_t k = 0; k < features; k++)
        sum += (double)l->w->data[i * features + k] * (double)l->w->data[i * features + k];
    return sum;
}

/* Fills m with the layer's rows, each with its bias, but for those that are 0; leaves out the smallest if
 * there are more than MOST_ROWS. Returns their number. `squares`: one for each row of the layer. */
static int64_t gather_rows(const dense_layer *l, int64_t features, double *squares, double *m) {
    int64_t n = 0;
    for (int64_t i = 0; i < l->b->count; i++)
        squares[i] = squares_of_row(l, features, i);
    for (; n < MOST_ROWS; n++, m += features + 1) {
        int64_t best = -1;
        for (int64_t i = 0; i < l->b->count; i++)
            if (squares[i] > 0 && (best < 0 || squares[i] > squares[best]))
                best = i;
        if (best < 0)
            break;
        squares[best] = 0;
        for (int64_t k = 0; k < features; k++)
            m[k] = (double)l->w->data[best * features + k];
        m[features] = (double)l->b->data[best];
    }
    return n;
}

/* Sets the pixels that are not known to the mean of their neighbours, in sweeps. `value` and `known` are one
 * channel each. */
static void fill_between(float *value, const uint8_t *known, int64_t height, int64_t width) {
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int64_t at = 0; at < height * width; at++) {
            const int64_t y = at / width, x = at % width;
            float sum = 0, n = 0;
            if (known[at])
                continue;
            for (int side = 0; side < 4; side++) {
                const int64_t down = y + (side == 0) - (side == 1), right = x + (side == 2) - (side == 3);
                if (down < 0 || down >= height || right < 0 || right >= width)
                    continue;
                sum += value[down * width + right];
                n++;
            }
            value[at] = n > 0 ? sum / n : value[at];
        }
}

/* Reads a sample off v, whose last entry is that of the bias. Returns how many of its pixels are known. */
static int64_t read_sample(const gnt_model_info *info, const input_range *range, const double *v,
                           int64_t features, uint8_t *known, float *x) {
    int64_t n = 0;
    for (int64_t k = 0; k < features; k++) {
        known[k] = isfinite(v[k]);
        const double value =
            known[k] ? v[k] / v[features] * input_range_deviation(range, k) + input_range_mean(range, k)
                     : 0.5;
        x[k] = (float)fmin(fmax(value, 0), 1);
        n += known[k];
    }
    const int64_t area = info->dim[1] * info->dim[2];
    for (int64_t c = 0; c < info->dim[0] && info->dim[1] > 1 && n < features; c++)
        fill_between(x + c * area, known + c * area, info->dim[1], info->dim[2]);
    return n;
}

gnt_status linear_entries_run(const linear_layer *s, const gnt_observation *seen, const dense_layer *l,
                              const gnt_answer *answer, int *answered) {
    const gnt_host *host = s->host;
    const gnt_model_info *info = host->model->info;
    const int64_t features = hook_features(info), units = l->b->count;
    const int64_t rows = units < MOST_ROWS ? units : MOST_ROWS, columns = features + 1;
    const int64_t longer = rows > columns ? rows : columns;
    const input_range range = input_range_of_images(info, features);
    *answered = 0;
    double *m = gnt_host_scratch(host, rows * columns, sizeof *m);
    double *squares = gnt_host_scratch(host, units, sizeof *squares);
    float *x = gnt_host_scratch(host, 2 * features, sizeof *x);
    uint8_t *known = gnt_host_scratch(host, features, sizeof *known);
    entry_mix mix = {.columns = columns,
                     .m = m,
                     .value = gnt_host_scratch(host, longer, sizeof *mix.value),
                     .u = gnt_host_scratch(host, ENTRY_MIX_MOST * rows, sizeof *mix.u),
                     .v = gnt_host_scratch(host, ENTRY_MIX_MOST * columns, sizeof *mix.v),
                     .us = gnt_host_scratch(host, rows, sizeof *mix.us),
                     .vs = gnt_host_scratch(host, columns, sizeof *mix.vs),
                     .left = gnt_host_scratch(host, rows * columns, sizeof *mix.left)};
    TRY(hook_memory(host, m && squares && x && known && mix.value && mix.u && mix.v && mix.us && mix.vs &&
                              mix.left));
    mix.rows = gather_rows(l, features, squares, m);
    entry_mix_find(&mix, goes_on, (void *)host);
    TRY(may_go_on(host));
    if (mix.n < 2 || mix.explained < least_explained)
        return GNT_OK;
    int64_t most = 0;
    for (int64_t k = 0; k < mix.n; k++) {
        const double *v = mix.v + k * columns;
        float *one = x + features;
        if (!isfinite(v[features]) || v[features] == 0)
            continue;
        const int64_t n = read_sample(info, &range, v, features, known, one);
        if (n <= most || exact_batch_is_known(seen->public_data, one, features))
            continue;
        most = n;
        memcpy(x, one, (size_t)features * sizeof *x);
    }
    if (most == 0)
        return GNT_OK;
    gnt_host_fact(host, "samples_by_entries", (double)mix.n);
    gnt_host_fact(host, "pixels_known", (double)most / (double)features);
    *answered = 1;
    return answer->reconstruction(answer->context, 1, x);
}
