#include "metric/secret.h"

#include <math.h>

static const double share = 0.5, errors = 3;

static int is_share(int64_t part, int64_t of) {
    return of > 0 && part >= 0 && part <= of;
}

gnt_secret_learnt gnt_metric_secret(const gnt_secret_counts *c) {
    const double n = (double)c->changed, m = (double)c->others;
    if (!is_share(c->learnt, c->changed) || !is_share(c->mistaken, c->others) || !is_share(c->right, c->kept))
        return (gnt_secret_learnt){NAN, NAN, NAN};
    const double p = (double)c->learnt / n, q = (double)c->mistaken / m;
    return (gnt_secret_learnt){.accuracy = (double)c->right / (double)c->kept,
                               .learnt = p - q,
                               .error = sqrt(p * (1 - p) / n + q * (1 - q) / m)};
}

gnt_secret_learnt gnt_metric_secret_at(const gnt_secret_learnt *point, size_t n, double accuracy) {
    gnt_secret_learnt mean = {0};
    double k = 0;
    for (size_t i = 0; i < n; i++)
        k += point[i].accuracy >= accuracy;
    for (size_t i = 0; i < n; i++) {
        if (!(point[i].accuracy >= accuracy))
            continue;
        mean.accuracy += point[i].accuracy / k;
        mean.learnt += point[i].learnt / k;
        mean.error += point[i].error / k;
    }
    return k > 0 ? mean : point[n - 1];
}

int gnt_metric_secret_missed(const gnt_secret_learnt *defense, const gnt_secret_learnt *none) {
    return share * none->learnt - defense->learnt > errors * hypot(share * none->error, defense->error);
}
