#include "metric/resample.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

enum { MOST_DRAWS = 1000000, EXACT_UNITS = 14 };

typedef struct item {
    int64_t group;
    double x;
} item;

static int by_group(const void *a, const void *b) {
    const item *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return x->x < y->x ? -1 : x->x > y->x; /* so that the order of the input does not matter */
}

/* The values sorted by group; start[g] … start[g + 1] − 1 are those of group g of *groups. */
typedef struct grouped {
    item *item;
    size_t *start, groups;
} grouped;

static void grouped_free(grouped *g) {
    gnt_free(g->item);
    gnt_free(g->start);
}

static int group(grouped *out, const double *x, const int64_t *name, size_t n, int alone, gnt_err *err) {
    *out = (grouped){0};
    if (n == 0)
        return gnt_fail(err, "no scores were given to resample");
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return gnt_fail(err, "score %zu of %zu is not a finite number", i, n);
    out->item = gnt_array(n, sizeof *out->item);
    out->start = gnt_array(n + 1, sizeof *out->start);
    if (!out->item || !out->start) {
        grouped_free(out);
        return gnt_fail(err, "out of memory while resampling %zu scores", n);
    }
    for (size_t i = 0; i < n; i++)
        out->item[i] = (item){name ? name[i] : alone ? (int64_t)i : 0, x[i]};
    qsort(out->item, n, sizeof *out->item, by_group);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || out->item[i].group != out->item[i - 1].group)
            out->start[out->groups++] = i;
    out->start[out->groups] = n;
    return 0;
}

static int draws_of(const gnt_metric_resample *how, gnt_err *err) {
    int draws = how->draws ? how->draws : GNT_METRIC_RESAMPLES;
    if (draws < 1 || draws > MOST_DRAWS)
        return gnt_fail(err, "%d draws were asked for; a number from 1 to %d is expected", how->draws,
                        MOST_DRAWS);
    return draws;
}

static double mean_of(const grouped *g) {
    double sum = 0;
    for (size_t i = 0; i < g->start[g->groups]; i++)
        sum += g->item[i].x;
    return sum / (double)g->start[g->groups];
}

static double draw_mean(const grouped *g, gnt_stream *s) {
    double sum = 0;
    size_t count = 0;
    for (size_t k = 0; k < g->groups; k++) {
        size_t c = (size_t)gnt_random_below(s, g->groups), n = g->start[c + 1] - g->start[c];
        for (size_t i = 0; i < n; i++)
            sum += g->item[g->start[c] + (size_t)gnt_random_below(s, n)].x;
        count += n;
    }
    return sum / (double)count;
}

static int rising(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The order statistic that leaves at most `tail` of the draws beyond it. */
static size_t cut(double tail, int draws) {
    double at = floor(tail * (draws + 1)) - 1;
    return at > 0 ? (size_t)at : 0;
}

/* Draws and the level of an interval, checked. */
static int interval_of(double *level, const gnt_metric_resample *how, gnt_err *err) {
    int draws = draws_of(how, err);
    *level = how->level != 0 ? how->level : 0.95;
    if (draws > 0 && !(*level > 0 && *level < 1))
        return gnt_fail(err, "the level of an interval is %g; a number between 0 and 1 is expected",
                        how->level);
    return draws;
}

int gnt_metric_bootstrap_mean(gnt_metric_bootstrap *out, const double *x, const int64_t *cluster, size_t n,
                              const gnt_metric_resample *how, gnt_err *err) {
    grouped g;
    double level;
    int draws = interval_of(&level, how, err);
    if (draws < 0 || group(&g, x, cluster, n, 0, err) != 0)
        return -1;
    double *means = gnt_array((size_t)draws, sizeof *means);
    if (!means) {
        grouped_free(&g);
        return gnt_fail(err, "out of memory for %d draws of a bootstrap", draws);
    }
    gnt_stream s = gnt_stream_open(&how->key, "bootstrap");
    for (int b = 0; b < draws; b++)
        means[b] = draw_mean(&g, &s);
    qsort(means, (size_t)draws, sizeof *means, rising);
    size_t beyond = cut((1 - level) / 2, draws);
    *out = (gnt_metric_bootstrap){.mean = mean_of(&g),
                                  .low = means[beyond],
                                  .high = means[(size_t)draws - 1 - beyond],
                                  .clusters = g.groups};
    gnt_free(means);
    grouped_free(&g);
    return 0;
}

/* One class inside one seed: of `n` samples `right` were told right. */
typedef struct stratum {
    int64_t seed;
    int32_t truth;
    size_t n, right;
} stratum;

static int by_seed_and_class(const void *a, const void *b) {
    const stratum *x = a, *y = b;
    if (x->seed != y->seed)
        return x->seed < y->seed ? -1 : 1;
    return x->truth < y->truth ? -1 : x->truth > y->truth;
}

/* Samples of the same seed and class made one, in place; first[k] is where seed k begins. Returns the
 * seeds. */
static size_t merge(stratum *s, size_t n, size_t *first) {
    size_t m = 0, seeds = 0;
    qsort(s, n, sizeof *s, by_seed_and_class);
    for (size_t i = 0; i < n; i++) {
        if (m && by_seed_and_class(&s[m - 1], &s[i]) == 0) {
            s[m - 1].n++;
            s[m - 1].right += s[i].right;
            continue;
        }
        if (m == 0 || s[m - 1].seed != s[i].seed)
            first[seeds++] = m;
        s[m++] = s[i];
    }
    first[seeds] = m;
    return seeds;
}

/* Balanced accuracy of one seed's classes, of the samples themselves or (stream given) of samples drawn
 * anew. */
static double balanced_of(const stratum *s, size_t classes, gnt_stream *stream) {
    double sum = 0;
    for (size_t c = 0; c < classes; c++) {
        size_t right = stream ? 0 : s[c].right;
        for (size_t i = 0; stream && i < s[c].n; i++)
            right += (size_t)gnt_random_below(stream, s[c].n) < s[c].right;
        sum += (double)right / (double)s[c].n;
    }
    return sum / (double)classes;
}

int gnt_metric_bootstrap_balanced(gnt_metric_bootstrap *out, const int32_t *truth, const int32_t *told,
                                  const int64_t *cluster, size_t n, const gnt_metric_resample *how,
                                  gnt_err *err) {
    double level;
    int draws = interval_of(&level, how, err), rc = -1;
    if (draws < 0)
        return -1;
    if (n == 0)
        return gnt_fail(err, "no samples were given to resample");
    stratum *s = gnt_array(n, sizeof *s);
    size_t *first = gnt_array(n + 1, sizeof *first);
    double *means = gnt_array((size_t)draws, sizeof *means);
    if (!s || !first || !means) {
        gnt_fail(err, "out of memory while resampling %zu samples", n);
        goto cleanup;
    }
    for (size_t i = 0; i < n; i++)
        s[i] = (stratum){cluster ? cluster[i] : 0, truth[i], 1, truth[i] == told[i]};
    size_t seeds = merge(s, n, first);
    gnt_stream stream = gnt_stream_open(&how->key, "bootstrap");
    for (int b = 0; b < draws; b++)
        for (size_t k = 0; k < seeds; k++) {
            size_t c = (size_t)gnt_random_below(&stream, seeds);
            means[b] += balanced_of(s + first[c], first[c + 1] - first[c], &stream) / (double)seeds;
        }
    qsort(means, (size_t)draws, sizeof *means, rising);
    size_t beyond = cut((1 - level) / 2, draws);
    *out = (gnt_metric_bootstrap){
        .low = means[beyond], .high = means[(size_t)draws - 1 - beyond], .clusters = seeds};
    for (size_t k = 0; k < seeds; k++)
        out->mean += balanced_of(s + first[k], first[k + 1] - first[k], NULL) / (double)seeds;
    rc = 0;
cleanup:
    gnt_free(s);
    gnt_free(first);
    gnt_free(means);
    return rc;
}

/* Is a flipped sum at least as extreme as the one seen? Sums that differ by rounding alone count as equal. */
static int as_extreme(double sum, double seen, double slack, gnt_metric_side side) {
    if (side == GNT_METRIC_GREATER)
        return sum >= seen - slack;
    if (side == GNT_METRIC_LESS)
        return sum <= seen + slack;
    return fabs(sum) >= fabs(seen) - slack;
}

static double flip_all(const double *unit, size_t units, double seen, double slack, gnt_metric_side side) {
    uint32_t patterns = (uint32_t)1 << units, extreme = 0;
    for (uint32_t pattern = 0; pattern < patterns; pattern++) {
        double sum = 0;
        for (size_t u = 0; u < units; u++)
            sum += pattern >> u & 1 ? -unit[u] : unit[u];
        extreme += (uint32_t)as_extreme(sum, seen, slack, side);
    }
    return (double)extreme / (double)patterns;
}

static double flip_some(const double *unit, size_t units, double seen, double slack, gnt_metric_side side,
                        int draws, const gnt_key *key) {
    gnt_stream s = gnt_stream_open(key, "sign flips");
    int extreme = 0;
    for (int b = 0; b < draws; b++) {
        double sum = 0;
        uint32_t bits = 0;
        for (size_t u = 0; u < units; u++) {
            if (u % 32 == 0)
                bits = gnt_random_u32(&s);
            sum += bits >> (u % 32) & 1 ? -unit[u] : unit[u];
        }
        extreme += as_extreme(sum, seen, slack, side);
    }
    return (1.0 + extreme) / (1.0 + draws);
}

int gnt_metric_sign_flip(gnt_metric_flip *out, const double *difference, const int64_t *unit, size_t n,
                         gnt_metric_side side, const gnt_metric_resample *how, gnt_err *err) {
    grouped g;
    int draws = draws_of(how, err);
    if (draws < 0 || group(&g, difference, unit, n, 1, err) != 0)
        return -1;
    double *sums = gnt_array(g.groups, sizeof *sums), seen = 0, size = 0;
    if (!sums) {
        grouped_free(&g);
        return gnt_fail(err, "out of memory while flipping %zu signs", g.groups);
    }
    for (size_t k = 0; k < g.groups; k++) {
        for (size_t i = g.start[k]; i < g.start[k + 1]; i++)
            sums[k] += g.item[i].x;
        seen += sums[k];
        size += fabs(sums[k]);
    }
    double slack = 1e-12 * size;
    *out = (gnt_metric_flip){.mean = seen / (double)n, .exact = g.groups <= EXACT_UNITS, .units = g.groups};
    out->p = out->exact ? flip_all(sums, g.groups, seen, slack, side)
                        : flip_some(sums, g.groups, seen, slack, side, draws, &how->key);
    gnt_free(sums);
    grouped_free(&g);
    return 0;
}
