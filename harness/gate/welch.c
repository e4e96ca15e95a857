#include "gate/welch_impl.h"

#include <math.h>

#include "metric/stats.h"

double gate_error_add(gate_error *e, const double *x, size_t n) {
    double mean, variance;
    gnt_metric_moments(x, n, &mean, &variance);
    const double v = variance / (double)n;
    e->sum += v;
    e->weighed += n > 1 ? v * v / (double)(n - 1) : 0;
    return mean;
}

static double above(double x, const gate_error *e) {
    if (!(e->sum > 0))
        return x <= 0;
    return gnt_metric_student_above(x / sqrt(e->sum), e->sum * e->sum / e->weighed);
}

void gate_error_settle(gnt_gate_row *row, double tolerance, const gate_error *e, int is_able) {
    row->settled = 1;
    row->e.f = NAN;
    row->e.p = is_able ? above(row->worse - tolerance, e) : 1;
    row->e.p_less = is_able ? above(-row->worse - tolerance, e) : 1;
    row->e.p_least = is_able ? 0 : 1;
}

void gate_weigh_welch(gnt_gate_row *row, double tolerance, const double *now, size_t n, const double *before,
                      size_t n_old, double common) {
    gate_error e = {.sum = common};
    gate_error_add(&e, now, n);
    gate_error_add(&e, before, n_old);
    gate_error_settle(row, tolerance, &e, n >= GATE_FEWEST_TRAININGS && n_old >= GATE_FEWEST_TRAININGS);
}
