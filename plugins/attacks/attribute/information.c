#include "information.h"

#include <math.h>

#include "shared/try.h"

/* n rows of logits, with the value of each. */
typedef struct scored {
    int64_t n;
    int32_t values;
    double *z;
    int32_t *value;
} scored;

/* Returns the mean cross-entropy of softmax(factor · z); *slope: its derivative by the factor. */
static double cross_entropy(const scored *s, double factor, double *slope) {
    double sum = 0;
    *slope = 0;
    for (int64_t i = 0; i < s->n; i++) {
        const double *z = s->z + i * s->values;
        double most = z[0], total = 0, mean = 0;
        for (int32_t v = 1; v < s->values; v++)
            most = fmax(most, z[v]);
        for (int32_t v = 0; v < s->values; v++) {
            const double e = exp(factor * (z[v] - most));
            total += e;
            mean += e * z[v];
        }
        const double of = z[s->value[i]];
        sum += log(total) - factor * (of - most);
        *slope += mean / total - of;
    }
    *slope /= (double)s->n;
    return sum / (double)s->n;
}

/* Returns the least cross-entropy over the factor, in which it is convex, by bisection of its derivative. */
static double least_cross_entropy(const scored *s) {
    double low = 0, high = 100, slope;
    for (int step = 0; step < 60; step++) {
        const double at = (low + high) / 2;
        cross_entropy(s, at, &slope);
        if (slope > 0)
            high = at;
        else
            low = at;
    }
    return cross_entropy(s, low, &slope);
}

static double entropy(const scored *s, int64_t *count) {
    double sum = 0;
    for (int64_t i = 0; i < s->n; i++)
        count[s->value[i]]++;
    for (int32_t v = 0; v < s->values; v++) {
        const double p = (double)count[v] / (double)s->n;
        sum -= p > 0 ? p * log(p) : 0;
    }
    return sum;
}

gnt_status information_of(const classic *c, const attr_table *t, classic_scores scores,
                          const void *classifier, double share, double *nats) {
    const gnt_host *host = c->host;
    const size_t values = (size_t)t->values;
    scored s = {.n = t->n - t->n_train, .values = t->values};
    *nats = NAN;
    if (s.n < 1)
        return GNT_OK;
    float *one = gnt_host_scratch(host, values, sizeof *one);
    int64_t *count = gnt_host_scratch(host, values, sizeof *count);
    s.z = gnt_host_scratch(host, s.n * values, sizeof *s.z);
    s.value = gnt_host_scratch(host, s.n, sizeof *s.value);
    TRY(have_memory(host, one && count && s.z && s.value, "no memory for the scores of its validation part"));
    for (int64_t i = 0; i < s.n; i++) {
        const int32_t row = t->row[t->n_train + i];
        TRY(may_go_on(host));
        scores(classifier, t->x + row * t->columns, one);
        s.value[i] = t->label[row];
        for (size_t v = 0; v < values; v++)
            s.z[(size_t)i * values + v] = share > 0 ? log((double)one[v] + share) : (double)one[v];
    }
    *nats = fmax(0, entropy(&s, count) - least_cross_entropy(&s));
    return GNT_OK;
}
