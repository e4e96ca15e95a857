#include "metric/label.h"

#include <math.h>

#include "base/mem.h"

static int check_classes(int32_t classes, gnt_err *err) {
    if (classes < 1 || classes > GNT_METRIC_MOST_CLASSES)
        return gnt_fail(err, "%d classes were given; a number from 1 to %d is expected", classes,
                        GNT_METRIC_MOST_CLASSES);
    return 0;
}

static size_t columns(const gnt_metric_confusion *c) {
    return (size_t)c->classes + 1;
}

int gnt_metric_confusion_make(gnt_metric_confusion *out, const int32_t *truth, const int32_t *predicted,
                              size_t n, int32_t classes, gnt_err *err) {
    *out = (gnt_metric_confusion){0};
    if (check_classes(classes, err) != 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (truth[i] < 0 || truth[i] >= classes)
            return gnt_fail(err, "the true label of sample %zu is %d; a number from 0 to %d is expected", i,
                            truth[i], classes - 1);
    out->counts = gnt_array((size_t)classes * ((size_t)classes + 1), sizeof *out->counts);
    if (!out->counts)
        return gnt_fail(err, "out of memory for a confusion matrix of %d classes", classes);
    out->classes = classes;
    out->samples = (int64_t)n;
    for (size_t i = 0; i < n; i++) {
        int32_t p = predicted[i] < 0 || predicted[i] >= classes ? classes : predicted[i];
        out->counts[(size_t)truth[i] * columns(out) + (size_t)p]++;
    }
    return 0;
}

void gnt_metric_confusion_free(gnt_metric_confusion *c) {
    gnt_free(c->counts);
    c->counts = NULL;
}

void gnt_metric_labels_of_scores(int32_t *predicted, const float *scores, size_t n, int32_t classes) {
    for (size_t i = 0; i < n; i++) {
        const float *row = scores + i * (size_t)classes;
        float best = -INFINITY;
        predicted[i] = GNT_METRIC_NO_LABEL;
        for (int32_t c = 0; c < classes; c++) {
            if (isnan(row[c])) {
                predicted[i] = GNT_METRIC_NO_LABEL;
                break;
            }
            if (row[c] > best) {
                best = row[c];
                predicted[i] = c;
            }
        }
    }
}

static int64_t row_sum(const gnt_metric_confusion *c, int32_t truth) {
    int64_t sum = 0;
    for (size_t p = 0; p < columns(c); p++)
        sum += c->counts[(size_t)truth * columns(c) + p];
    return sum;
}

static int32_t present(const gnt_metric_confusion *c) {
    int32_t found = 0;
    for (int32_t t = 0; t < c->classes; t++)
        found += row_sum(c, t) > 0;
    return found;
}

double gnt_metric_recall(const gnt_metric_confusion *c, int32_t class_) {
    int64_t all = row_sum(c, class_);
    return all ? (double)c->counts[(size_t)class_ * columns(c) + (size_t)class_] / (double)all : NAN;
}

gnt_metric_rates gnt_metric_accuracy(const gnt_metric_confusion *c) {
    int64_t right = 0;
    double recalls = 0;
    for (int32_t t = 0; t < c->classes; t++) {
        const double recall = gnt_metric_recall(c, t);
        right += c->counts[(size_t)t * columns(c) + (size_t)t];
        recalls += isnan(recall) ? 0 : recall;
    }
    if (c->samples == 0)
        return (gnt_metric_rates){0};
    return (gnt_metric_rates){(double)right / (double)c->samples, recalls / present(c)};
}

static gnt_metric_rates always(const gnt_metric_confusion *test, int32_t class_) {
    int64_t all = row_sum(test, class_);
    if (all == 0)
        return (gnt_metric_rates){0};
    return (gnt_metric_rates){(double)all / (double)test->samples, 1.0 / present(test)};
}

void gnt_metric_with_chance(gnt_metric_chance *out, const gnt_metric_confusion *test,
                            const int64_t *train_counts) {
    int64_t most = 0;
    *out = (gnt_metric_chance){.attacker = gnt_metric_accuracy(test), .majority_class = GNT_METRIC_NO_LABEL};
    for (int32_t t = 0; t < test->classes; t++) {
        const gnt_metric_rates one = always(test, t);
        out->constant.plain = fmax(out->constant.plain, one.plain);
        out->constant.balanced = fmax(out->constant.balanced, one.balanced);
        if (train_counts && train_counts[t] > most) {
            most = train_counts[t];
            out->majority_class = t;
        }
    }
    if (out->majority_class >= 0)
        out->majority = always(test, out->majority_class);
}

/* Returns the class that column p stands for, judged by all samples but one of class `truth` that is in
 * it. */
static int32_t name_without(const gnt_metric_confusion *c, const int64_t *sum, size_t p, int32_t truth) {
    int32_t name = p < (size_t)c->classes ? (int32_t)p : GNT_METRIC_NO_LABEL, first = name;
    double most = 0;
    for (int32_t t = first < 0 ? 0 : -1; t < c->classes; t++) {
        const int32_t of = t < 0 ? first : t; /* its own name first */
        const int64_t own = of == truth, all = sum[of] - own;
        const double share =
            all > 0 ? (double)(c->counts[(size_t)of * columns(c) + p] - own) / (double)all : 0;
        if (share > most) {
            most = share;
            name = of;
        }
    }
    return name;
}

int gnt_metric_relabel(int32_t *renamed, const int32_t *truth, const int32_t *answer, size_t n,
                       int32_t classes, gnt_err *err) {
    gnt_metric_confusion c;
    if (gnt_metric_confusion_make(&c, truth, answer, n, classes, err) != 0)
        return -1;
    int64_t *sum = gnt_array((size_t)classes, sizeof *sum);
    for (int32_t t = 0; sum && t < classes; t++)
        sum[t] = row_sum(&c, t);
    for (size_t i = 0; sum && i < n; i++) {
        const int answered = answer[i] >= 0 && answer[i] < classes;
        renamed[i] = name_without(&c, sum, (size_t)(answered ? answer[i] : classes), truth[i]);
    }
    gnt_metric_confusion_free(&c);
    const int rc = sum ? 0 : gnt_fail(err, "out of memory while relabelling %d classes", classes);
    gnt_free(sum);
    return rc;
}

int gnt_metric_batch_labels(double *share, const int32_t *truth, size_t n, const int32_t *answer,
                            size_t n_answers, int32_t classes, gnt_err *err) {
    if (check_classes(classes, err) != 0)
        return -1;
    int64_t *left = gnt_array((size_t)classes, sizeof *left);
    if (!left)
        return gnt_fail(err, "out of memory while counting %d labels", classes);
    size_t found = 0;
    for (size_t i = 0; i < n; i++)
        if (truth[i] >= 0 && truth[i] < classes)
            left[truth[i]]++;
    for (size_t i = 0; i < n_answers && i < n; i++)
        if (answer[i] >= 0 && answer[i] < classes && left[answer[i]] > 0) {
            left[answer[i]]--;
            found++;
        }
    *share = n ? (double)found / (double)n : 0;
    gnt_free(left);
    return 0;
}
