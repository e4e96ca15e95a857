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

/* Rates when the answer in column p is read as label name[p]; name NULL: as itself, and the last column as
 * nothing. */
static gnt_metric_rates rates_under(const gnt_metric_confusion *c, const int32_t *name) {
    int64_t right = 0;
    double recalls = 0;
    int32_t occurring = 0;
    for (int32_t t = 0; t < c->classes; t++) {
        int64_t all = row_sum(c, t), told = 0;
        for (size_t p = 0; p < columns(c); p++)
            if (name ? name[p] == t : p == (size_t)t)
                told += c->counts[(size_t)t * columns(c) + p];
        right += told;
        if (all == 0)
            continue;
        occurring++;
        recalls += (double)told / (double)all;
    }
    if (c->samples == 0)
        return (gnt_metric_rates){0};
    return (gnt_metric_rates){(double)right / (double)c->samples, recalls / occurring};
}

gnt_metric_rates gnt_metric_accuracy(const gnt_metric_confusion *c) {
    return rates_under(c, NULL);
}

/* The map from answers to labels that is best on c, for the plain or the balanced rate. An answer that c
 * never saw keeps its own name. Ties go to the answer's own name, then to the lowest class. */
static void best_names(int32_t *name, const gnt_metric_confusion *c, int balanced) {
    for (size_t p = 0; p < columns(c); p++) {
        double most = 0;
        name[p] = p < (size_t)c->classes ? (int32_t)p : GNT_METRIC_NO_LABEL;
        if (name[p] >= 0 && row_sum(c, name[p]) > 0) {
            double own = (double)c->counts[p * columns(c) + p];
            most = balanced ? own / (double)row_sum(c, name[p]) : own;
        }
        for (int32_t t = 0; t < c->classes; t++) {
            int64_t all = row_sum(c, t);
            if (all == 0)
                continue;
            double weight = (double)c->counts[(size_t)t * columns(c) + p] / (balanced ? (double)all : 1);
            if (weight > most) {
                most = weight;
                name[p] = t;
            }
        }
    }
}

static gnt_metric_rates always(const gnt_metric_confusion *test, int32_t class_) {
    int64_t all = row_sum(test, class_);
    if (all == 0)
        return (gnt_metric_rates){0};
    return (gnt_metric_rates){(double)all / (double)test->samples, 1.0 / present(test)};
}

static void set_majority(gnt_metric_chance *out, const gnt_metric_confusion *test,
                         const gnt_metric_confusion *validation, const int64_t *train_counts) {
    int64_t most = 0;
    out->majority_class = GNT_METRIC_NO_LABEL;
    for (int32_t t = 0; t < test->classes; t++) {
        int64_t count = train_counts ? train_counts[t] : validation ? row_sum(validation, t) : 0;
        if (count > most) {
            most = count;
            out->majority_class = t;
        }
    }
    if (out->majority_class >= 0)
        out->majority = always(test, out->majority_class);
}

static void keep_best(gnt_metric_rates *best, gnt_metric_rates other) {
    best->plain = fmax(best->plain, other.plain);
    best->balanced = fmax(best->balanced, other.balanced);
}

int gnt_metric_beside_chance(gnt_metric_chance *out, const gnt_metric_confusion *test,
                             const gnt_metric_confusion *validation, const int64_t *train_counts,
                             gnt_err *err) {
    if (validation && validation->samples == 0)
        validation = NULL;
    if (validation && validation->classes != test->classes)
        return gnt_fail(err, "the validation samples have %d classes and the test samples %d",
                        validation->classes, test->classes);
    int32_t *name = gnt_array(columns(test), sizeof *name);
    if (!name)
        return gnt_fail(err, "out of memory while relabelling %d classes", test->classes);
    *out = (gnt_metric_chance){.attacker = gnt_metric_accuracy(test)};
    out->relabelled = out->attacker;
    if (validation) {
        best_names(name, validation, 0);
        out->relabelled.plain = rates_under(test, name).plain;
        best_names(name, validation, 1);
        out->relabelled.balanced = rates_under(test, name).balanced;
    }
    gnt_free(name);
    set_majority(out, test, validation, train_counts);
    for (int32_t t = 0; t < test->classes; t++)
        keep_best(&out->constant, always(test, t));
    out->best = out->attacker;
    keep_best(&out->best, out->relabelled);
    keep_best(&out->best, out->majority);
    keep_best(&out->best, out->constant);
    return 0;
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
