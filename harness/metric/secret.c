#include "metric/secret.h"

#include <math.h>

static const double share = 0.5, errors = 3;

enum { NEAREST = 5 };

static int is_share(int64_t part, int64_t of) {
    return of > 0 && part >= 0 && part <= of;
}

gnt_secret_learnt gnt_metric_secret(const gnt_secret_counts *c) {
    const double n = (double)c->changed, m = (double)c->others;
    if (!is_share(c->learnt, c->changed) || !is_share(c->mistaken, c->others) ||
        !is_share(c->right, c->kept) || !is_share(c->commonest, c->kept))
        return (gnt_secret_learnt){NAN, NAN, NAN, NAN, NAN, NAN};
    const double p = (double)c->learnt / n, q = (double)c->mistaken / m, k = (double)c->kept,
                 accuracy = (double)c->right / k, constant = (double)c->commonest / k;
    return (gnt_secret_learnt){.accuracy = accuracy,
                               .learnt = p - q,
                               .error = sqrt(p * (1 - p) / n + q * (1 - q) / m),
                               .accuracy_error = sqrt(accuracy * (1 - accuracy) / k),
                               .constant = constant,
                               .constant_error = sqrt(constant * (1 - constant) / k)};
}

/* True if point i is at least so accurate, and fewer than NEAREST of those that are are less accurate. */
static int is_near(const gnt_secret_learnt *point, size_t n, size_t i, double accuracy) {
    size_t before = 0;
    for (size_t j = 0; j < n; j++)
        before += point[j].accuracy >= accuracy && (point[j].accuracy < point[i].accuracy ||
                                                    (j < i && point[j].accuracy == point[i].accuracy));
    return point[i].accuracy >= accuracy && before < NEAREST;
}

gnt_secret_learnt gnt_metric_secret_at(const gnt_secret_learnt *point, size_t n, double accuracy) {
    gnt_secret_learnt mean = {0};
    double k = 0;
    for (size_t i = 0; i < n; i++)
        k += is_near(point, n, i, accuracy);
    for (size_t i = 0; i < n; i++) {
        if (!is_near(point, n, i, accuracy))
            continue;
        mean.accuracy += point[i].accuracy / k;
        mean.learnt += point[i].learnt / k;
        mean.error += point[i].error / k;
    }
    return k > 0 ? mean : point[n - 1];
}

int gnt_metric_secret_missed(const gnt_secret_learnt *defense, const gnt_secret_learnt *none,
                             const gnt_secret_learnt *untrained) {
    const gnt_measured floors[] = {{untrained->accuracy, untrained->accuracy_error},
                                   {defense->constant, defense->constant_error}},
                       own = {defense->accuracy, defense->accuracy_error},
                       nothing = gnt_metric_best(floors, sizeof floors / sizeof *floors, 1);
    return gnt_metric_surely_better(&own, &nothing, 1) &&
           share * none->learnt - defense->learnt > errors * hypot(share * none->error, defense->error);
}
