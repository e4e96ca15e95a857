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
