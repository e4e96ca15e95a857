#include "linear/linear_agree.h"

#include <math.h>
#include <stdlib.h>

#include "defense/perturbed.h"
#include "hook.h"
#include "update.h"

static const double tolerance = 1e-3; /* of quotients, in units of the input */

int linear_is_moved(const gnt_observation *seen) {
    perturbed p;
    return seen->n == 1 && perturbed_read(&p, seen);
}

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Returns the middle of the tightest place where most of n values lie, and how many do. */
static double most_common(double *value, int64_t n, int64_t *count) {
    double best = 0;
    *count = 0;
    qsort(value, (size_t)n, sizeof *value, by_value);
    for (int64_t first = 0, last = 0; first < n; first++) {
        while (last < n && value[last] - value[first] <= tolerance)
            last++;
        if (last - first > *count) {
            *count = last - first;
            best = value[first + *count / 2];
        }
    }
    return best;
}

/* Fills `value` with the quotients of column k; returns their number. */
static int64_t quotients(const dense_layer *l, int64_t features, int64_t k, double *value) {
    int64_t n = 0;
    for (int64_t i = 0; i < l->b->count; i++)
        if (l->b->data[i] != 0)
            value[n++] = (double)l->w->data[i * features + k] / (double)l->b->data[i];
    return n;
}

gnt_status linear_agree_run(const linear_layer *s, const gnt_observation *seen, const gnt_answer *answer) {
    const gnt_host *host = s->host;
    const gnt_model_info *info = host->model->info;
    const int64_t features = hook_features(info), area = features / info->dim[0];
    dense_layer l;
    double agreeing = 0;
    TRY(linear_find(s, seen, features, &l));
    float *x = gnt_host_scratch(host, features, sizeof *x);
    double *value = gnt_host_scratch(host, l.b->count, sizeof *value);
    TRY(hook_memory(host, x && value));
    for (int64_t k = 0; k < features; k++) {
        int64_t count;
        const int64_t n = quotients(&l, features, k, value);
        double found = most_common(value, n, &count);
        agreeing += n ? (double)count / (double)n : 0;
        if (info->mean)
            found = found * (double)info->deviation[k / area] + (double)info->mean[k / area];
        x[k] = found > 0 ? (found < 1 ? (float)found : 1) : 0;
    }
    gnt_host_fact(host, "rows_agreeing", agreeing / (double)features);
    return answer->reconstruction(answer->context, 1, x);
}
