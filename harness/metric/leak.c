#include "metric/leak.h"

#include <math.h>

static double worse(const gnt_measure *m, double x, double floor) {
    return !isnan(x) && gnt_leaks_more(m, floor, x) ? floor : x;
}

int gnt_leak_is_floored(const gnt_measure *m, double mean, double floor) {
    return !isnan(floor) && !gnt_leaks_more(m, mean, floor);
}

gnt_leak gnt_leak_above(const gnt_measure *m, gnt_leak x, double floor) {
    return (gnt_leak){worse(m, x.mean, floor), worse(m, x.low, floor), worse(m, x.high, floor)};
}

int gnt_leak_surely_less(const gnt_measure *m, const gnt_leak *a, const gnt_leak *b) {
    return m->leak > 0 ? a->high < b->low : a->low > b->high; /* NAN: no */
}

static gnt_leak_place *at(gnt_leak_place *first, size_t stride, size_t i) {
    return (gnt_leak_place *)(void *)((char *)first + i * stride);
}

void gnt_leak_rank(const gnt_measure *m, gnt_leak_place *first, size_t stride, size_t n) {
    for (size_t i = 0; i < n; i++) {
        gnt_leak_place *p = at(first, stride, i);
        p->rank = 1;
        p->tied = 0;
        for (size_t k = 0; k < n; k++) {
            const gnt_leak *other = &at(first, stride, k)->leak;
            const int less = gnt_leak_surely_less(m, other, &p->leak);
            p->rank += less;
            p->tied |= k != i && !less && !gnt_leak_surely_less(m, &p->leak, other);
        }
        if (i && at(first, stride, i - 1)->rank > p->rank)
            p->rank = at(first, stride, i - 1)->rank;
    }
}
