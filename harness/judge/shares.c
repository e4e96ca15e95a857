#include "judge/shares.h"

#include <math.h>

#include "base/mem.h"
#include "base/random.h"
#include "base/sort.h"
#include "metric/compare.h"
#include "metric/stats.h"

/* Results are written with nine digits. */
static const double rounding = 2e-8;

const gnt_measure *gnt_share_measure(const gnt_measure *lead) {
    return lead->recovers == GNT_RECOVERS_DATA ? gnt_measure_of(GNT_MEASURE_IDENTIFICATION) : lead;
}

double gnt_share(const gnt_measure *m, double leaked, double undefended, double chance, int *clipped) {
    const double all = m->leak * (undefended - chance), some = m->leak * (leaked - chance);
    *clipped = 0;
    if (isnan(some) || !(all > rounding))
        return NAN;
    const double share = some / all;
    *clipped = share <= rounding || share > 1 + rounding;
    return fmin(fmax(share, 0), 1);
}

/* ---- one row ---- */

static const double *of_arena(const gnt_shares *s, size_t row, size_t arena) {
    return s->share + (row * s->n_arena + arena) * s->trainings;
}

/* Copies the numbers of an arena's training runs; returns how many there are. */
static size_t numbers(double *out, const gnt_shares *s, size_t row, size_t arena) {
    const double *share = of_arena(s, row, arena);
    size_t n = 0;
    for (size_t i = 0; i < s->trainings; i++)
        if (!isnan(share[i]))
            out[n++] = share[i];
    return n;
}

static double mean_of(const double *x, size_t n) {
    double mean, variance;
    gnt_metric_moments(x, n, &mean, &variance);
    return mean;
}

/* Adds to each draw how far an arena's resampled mean lies from its mean, over the number of arenas. */
static void add_draws(double *draw, const double *x, size_t n, size_t n_arena, gnt_stream *stream) {
    const double mean = mean_of(x, n), wider = sqrt((double)n / (double)(n - 1));
    for (size_t d = 0; d < GNT_SHARE_DRAWS; d++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += x[gnt_random_below(stream, n)];
        draw[d] += wider * (sum / (double)n - mean) / (double)n_arena;
    }
}

static void fill(gnt_leak *out, const gnt_shares *s, size_t row, double *x, double *draw,
                 gnt_stream *stream) {
    double mean = 0;
    int single = 0;
    for (size_t a = 0; a < s->n_arena; a++) {
        const size_t n = numbers(x, s, row, a);
        if (n == 0)
            return;
        mean += mean_of(x, n) / (double)s->n_arena;
        single |= n == 1;
        if (!single)
            add_draws(draw, x, n, s->n_arena, stream);
    }
    out->mean = mean;
    if (single)
        return;
    gnt_sort_reals(draw, GNT_SHARE_DRAWS);
    out->low = fmax(0, mean + gnt_metric_quantile(draw, GNT_SHARE_DRAWS, 0.025));
    out->high = fmin(1, mean + gnt_metric_quantile(draw, GNT_SHARE_DRAWS, 0.975));
}

int gnt_share_mean(gnt_leak *out, const gnt_shares *s, size_t row, const char *stream) {
    const gnt_key fixed = gnt_key_of_seed(0), key = gnt_key_derive(&fixed, "shares of arenas");
    gnt_stream draws = gnt_stream_open(&key, stream);
    double *x = gnt_array(s->trainings + 1, sizeof *x), *draw = gnt_array(GNT_SHARE_DRAWS, sizeof *draw);
    const int rc = x && draw ? 0 : -1;
    *out = (gnt_leak){NAN, NAN, NAN};
    if (rc == 0 && s->n_arena)
        fill(out, s, row, x, draw, &draws);
    gnt_free(x);
    gnt_free(draw);
    return rc;
}

/* ---- pairs ---- */

/* Fills all of a pair but what Holm's method gives: `p` is of this pair alone. */
static int fill_pair(gnt_share_pair *pair, const gnt_shares *s, double *both) {
    const size_t width = s->n_arena * s->trainings;
    const double *a = s->share + pair->a * width, *b = s->share + pair->b * width;
    double p[4], sum = 0;
    gnt_metric_compare_result result = {.p = p};
    for (size_t i = 0; i < width; i++) {
        const double d = a[i] - b[i];
        both[i] = isnan(d) ? NAN : a[i];
        both[width + i] = isnan(d) ? NAN : b[i];
        if (isnan(d))
            continue;
        pair->of++;
        pair->less += fabs(d) <= rounding ? 0.5 : d < 0;
        sum += d;
    }
    pair->difference = pair->of ? sum / (double)pair->of : NAN;
    pair->p = NAN;
    if (pair->of < GNT_METRIC_COMPARE_LEAST)
        return 0;
    const int rc = gnt_metric_compare(&result, both, 2, width, 0.05, NULL);
    pair->p = rc == 0 ? p[1] : NAN;
    return rc;
}

static int correct(gnt_share_pair *pair, size_t n) {
    double *p = gnt_array(n + 1, sizeof *p);
    size_t tested = 0;
    for (size_t i = 0; p && i < n; i++)
        if (!isnan(pair[i].p))
            p[tested++] = pair[i].p;
    const int rc = !p ? -1 : tested ? gnt_metric_holm(p, tested, NULL) : 0;
    for (size_t i = 0, at = 0; rc == 0 && i < n; i++)
        if (!isnan(pair[i].p))
            pair[i].p = p[at++];
    gnt_free(p);
    return rc;
}

int gnt_share_pairs(gnt_share_pair *out, const gnt_shares *s) {
    double *both = gnt_array(2 * s->n_arena * s->trainings + 1, sizeof *both);
    int rc = both ? 0 : -1;
    size_t n = 0;
    for (size_t a = 0; a < s->n_row; a++)
        for (size_t b = a + 1; rc == 0 && b < s->n_row; b++, n++) {
            out[n] = (gnt_share_pair){.a = a, .b = b};
            rc = fill_pair(&out[n], s, both);
        }
    gnt_free(both);
    return rc == 0 ? correct(out, n) : -1;
}
