#include "metric/estimate.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "metric/stats.h"

static const double level = 0.95;
/* A scatter below this share of the scores' size is rounding: they are written with nine digits, and a
 * reader of these must get the same result. */
static const double rounding = 1e-8;
static const gnt_score_bounds share_bounds = {0, 1};
/* Shares of targets inside a training are taken to be correlated by this much at least. */
static const double least_correlation = 0.05;

/* ---- scores by training ---- */

typedef struct item {
    int64_t training;
    double x;
} item;

static int by_training(const void *a, const void *b) {
    const item *x = a, *y = b;
    if (x->training != y->training)
        return x->training < y->training ? -1 : 1;
    return x->x < y->x ? -1 : x->x > y->x;
}

/* Mean and standard error of the mean of k values. */
typedef struct moments {
    double mean, error;
    size_t k;
} moments;

static moments moments_of(const double *x, size_t k) {
    double mean, variance, size = 0;
    for (size_t i = 0; i < k; i++)
        size = fmax(size, fabs(x[i]));
    gnt_metric_moments(x, k, &mean, &variance);
    const double error = sqrt(variance / (double)k);
    return (moments){mean, error > rounding * size ? error : 0, k};
}

/* The scores of each training joined. */
typedef struct grouped {
    /* the scores, sorted by training */
    double *x;
    /* of each training, its mean */
    double *mean;
    size_t n, trainings;
    /* the sum over training runs of one over the number of scores */
    double inverse;
} grouped;

static void grouped_free(grouped *g) {
    gnt_free(g->x);
    gnt_free(g->mean);
}

static void join(grouped *g, const item *sorted) {
    for (size_t i = 0, first = 0; i < g->n; i++) {
        g->x[i] = sorted[i].x;
        if (i + 1 < g->n && sorted[i + 1].training == sorted[i].training)
            continue;
        g->mean[g->trainings++] = moments_of(g->x + first, i + 1 - first).mean;
        g->inverse += 1.0 / (double)(i + 1 - first);
        first = i + 1;
    }
}

static int group(grouped *g, const double *x, const int64_t *training, size_t n, gnt_err *err) {
    *g = (grouped){.n = n};
    if (n == 0)
        return gnt_fail(err, "no scores were given to join");
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return gnt_fail(err, "score %zu of %zu is not a finite number", i, n);
    item *sorted = gnt_array(n, sizeof *sorted);
    g->x = gnt_array(n, sizeof *g->x);
    g->mean = gnt_array(n, sizeof *g->mean);
    const int rc = sorted && g->x && g->mean ? 0 : gnt_fail(err, "out of memory while joining %zu scores", n);
    if (rc == 0) {
        for (size_t i = 0; i < n; i++)
            sorted[i] = (item){training ? training[i] : 0, x[i]};
        qsort(sorted, n, sizeof *sorted, by_training);
        join(g, sorted);
    } else
        grouped_free(g);
    gnt_free(sorted);
    return rc;
}

/* ---- intervals ---- */

/* Returns [low, high] around the mean, cut at the bounds; the mean lies in it. */
static gnt_estimate estimate(double mean, double low, double high, gnt_score_bounds bounds, size_t trainings,
                             gnt_interval_over over) {
    return (gnt_estimate){.mean = mean,
                          .low = fmin(mean, fmax(low, bounds.least)),
                          .high = fmax(mean, fmin(high, bounds.most)),
                          .trainings = trainings,
                          .over = over};
}

static gnt_interval_over over_of(size_t trainings) {
    return trainings > 1 ? GNT_INTERVAL_TRAININGS : GNT_INTERVAL_TARGETS;
}

static double student(double freedom) {
    return gnt_metric_student_quantile(0.5 + level / 2, freedom);
}

static gnt_estimate by_student(const moments *m, gnt_score_bounds bounds, size_t trainings) {
    if (m->k < 2 || m->error == 0)
        return estimate(m->mean, m->mean, m->mean, bounds, trainings, GNT_INTERVAL_NONE);
    const double half = student((double)(m->k - 1)) * m->error;
    return estimate(m->mean, m->mean - half, m->mean + half, bounds, trainings, over_of(trainings));
}

int gnt_estimate_mean(gnt_estimate *out, const double *x, const int64_t *training, size_t n,
                      gnt_score_bounds bounds, gnt_err *err) {
    grouped g;
    if (group(&g, x, training, n, err) != 0)
        return -1;
    const moments m = g.trainings > 1 ? moments_of(g.mean, g.trainings) : moments_of(g.x, n);
    *out = by_student(&m, bounds, g.trainings);
    grouped_free(&g);
    return 0;
}

/* Returns the factor by which few training runs widen an interval: a share that they estimate is as uncertain
 * as one of so many times fewer scores. */
static double few_trainings(size_t trainings) {
    const double z = gnt_metric_normal_quantile(0.5 + level / 2);
    const double t = trainings > 1 ? student((double)(trainings - 1)) : z;
    return z / t * (z / t);
}

/* Returns the number of independent scores that would determine the share as well. */
static double effective(const moments *m, const grouped *g) {
    const double k = (double)g->trainings, r = least_correlation;
    if (g->trainings == 1)
        return (double)g->n;
    /* the variance of the mean over p(1 − p), by the correlation alone */
    const double least = ((1 - r) * g->inverse + r * k) / (k * k);
    const double seen = m->error * m->error / (m->mean * (1 - m->mean));
    return few_trainings(g->trainings) / (m->error > 0 ? fmax(seen, least) : least);
}

int gnt_estimate_share(gnt_estimate *out, const double *x, const int64_t *training, size_t n, gnt_err *err) {
    grouped g;
    for (size_t i = 0; i < n; i++)
        if (!(x[i] >= 0 && x[i] <= 1))
            return gnt_fail(err, "score %zu of %zu is no share: a number from 0 to 1 is expected", i, n);
    if (group(&g, x, training, n, err) != 0)
        return -1;
    const moments m = moments_of(g.mean, g.trainings);
    const double k = effective(&m, &g);
    const gnt_metric_interval w = gnt_metric_wilson(m.mean * k, k, level);
    *out = estimate(m.mean, w.low, w.high, share_bounds, g.trainings, over_of(g.trainings));
    grouped_free(&g);
    return 0;
}

/* ---- balanced accuracy ---- */

/* One class inside one training: of `n` samples `right` were predicted right. */
typedef struct stratum {
    int64_t training;
    int32_t truth;
    size_t n, right;
} stratum;

static int by_training_and_class(const void *a, const void *b) {
    const stratum *x = a, *y = b;
    if (x->training != y->training)
        return x->training < y->training ? -1 : 1;
    return x->truth < y->truth ? -1 : x->truth > y->truth;
}

/* Merges the samples of one training run and class, in place. Returns how many are left. */
static size_t merge(stratum *s, size_t n) {
    size_t m = 0;
    qsort(s, n, sizeof *s, by_training_and_class);
    for (size_t i = 0; i < n; i++)
        if (m && by_training_and_class(&s[m - 1], &s[i]) == 0) {
            s[m - 1].n++;
            s[m - 1].right += s[i].right;
        } else
            s[m++] = s[i];
    return m;
}

/* Computes the balanced accuracy of each training run in order. Returns how many there are. */
static size_t values_of(double *value, const stratum *s, size_t m) {
    size_t trainings = 0;
    for (size_t first = 0, i = 0; i < m; i++) {
        value[trainings] += (double)s[i].right / (double)s[i].n;
        if (i + 1 < m && s[i + 1].training == s[i].training)
            continue;
        value[trainings++] /= (double)(i + 1 - first);
        first = i + 1;
    }
    return trainings;
}

/* Samples of one class, over all training runs. */
typedef struct class_sum {
    double n, right;
    /* the sum over training runs of the squared number of samples */
    double squares;
} class_sum;

static gnt_metric_interval class_interval(const class_sum *c, size_t trainings) {
    const double r = trainings > 1 ? least_correlation : 0;
    const double n = few_trainings(trainings) * c->n * c->n / ((1 - r) * c->n + r * c->squares);
    return gnt_metric_wilson(c->right / c->n * n, n, level);
}

/* Joins Wilson's intervals of the classes, each over all training runs. */
static gnt_estimate by_classes(stratum *s, size_t m, double mean, size_t trainings) {
    double below = 0, above = 0;
    size_t classes = 0;
    for (size_t i = 0; i < m; i++)
        s[i].training = 0;
    qsort(s, m, sizeof *s, by_training_and_class);
    for (size_t i = 0; i < m; classes++) {
        class_sum c = {0};
        for (const int32_t truth = s[i].truth; i < m && s[i].truth == truth; i++) {
            c.n += (double)s[i].n;
            c.right += (double)s[i].right;
            c.squares += (double)s[i].n * (double)s[i].n;
        }
        const gnt_metric_interval w = class_interval(&c, trainings);
        below += (c.right / c.n - w.low) * (c.right / c.n - w.low);
        above += (w.high - c.right / c.n) * (w.high - c.right / c.n);
    }
    return estimate(mean, mean - sqrt(below) / (double)classes, mean + sqrt(above) / (double)classes,
                    share_bounds, trainings, over_of(trainings));
}

int gnt_estimate_balanced(gnt_estimate *out, const int32_t *truth, const int32_t *predicted,
                          const int64_t *training, size_t n, gnt_err *err) {
    if (n == 0)
        return gnt_fail(err, "no samples were given to join");
    stratum *s = gnt_array(n, sizeof *s);
    double *value = gnt_array(n, sizeof *value);
    const int rc = s && value ? 0 : gnt_fail(err, "out of memory while joining %zu samples", n);
    if (rc == 0) {
        for (size_t i = 0; i < n; i++)
            s[i] = (stratum){training ? training[i] : 0, truth[i], 1, truth[i] == predicted[i]};
        const size_t m = merge(s, n), trainings = values_of(value, s, m);
        const moments v = moments_of(value, trainings);
        *out = v.error > 0 ? by_student(&v, share_bounds, trainings) : by_classes(s, m, v.mean, trainings);
    }
    gnt_free(s);
    gnt_free(value);
    return rc;
}

gnt_estimate gnt_estimate_single(double value) {
    return (gnt_estimate){value, value, value, 1, GNT_INTERVAL_NONE};
}
