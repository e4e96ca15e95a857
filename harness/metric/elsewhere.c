#include "metric/elsewhere.h"

#include <math.h>

#include "metric/public_only.h"

static const double share = 0.5, errors = 3;

gnt_measured gnt_metric_best(const gnt_measured *list, size_t n, int sign) {
    gnt_measured best = {NAN, NAN};
    for (size_t i = 0; i < n; i++)
        if (isfinite(list[i].value) && !(sign * (best.value - list[i].value) >= 0))
            best = list[i];
    return best;
}

int gnt_metric_surely_better(const gnt_measured *a, const gnt_measured *b, int sign) {
    return sign * (a->value - b->value) > errors * hypot(a->error, b->error);
}

/* True if both models learnt something. */
static int decides(const gnt_measured *with, const gnt_measured *left, const gnt_measured *nothing,
                   int sign) {
    return gnt_metric_surely_better(with, nothing, sign) && gnt_metric_surely_better(left, nothing, sign);
}

int gnt_metric_leaves_half(const gnt_measured *with, const gnt_measured *left, const gnt_measured *nothing,
                           int sign) {
    return decides(with, left, nothing, sign) &&
           sign * (left->value - nothing->value) > share * sign * (with->value - nothing->value);
}

int gnt_metric_leaves_all(const gnt_measured *with, const gnt_measured *left, const gnt_measured *nothing,
                          int sign) {
    const gnt_public_pair pair = {with->value, with->error, left->value, left->error};
    const gnt_seed_scatter unknown = {0};
    return decides(with, left, nothing, sign) &&
           gnt_metric_public_only(&pair, 1, sign, &unknown) == GNT_PUBLIC_NO_BETTER;
}
