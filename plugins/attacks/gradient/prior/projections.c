#include "prior/projections.h"

#include <math.h>
#include <string.h>

#include "gauntlet/nn.h"
#include "hook.h"
#include "prior/matrix_rows.h"

int projections_make(projections *p, const gnt_host *host, int64_t n, int64_t features) {
    *p = (projections){.n = n, .features = features};
    double **of_n[] = {&p->evidence.precision, &p->evidence.pull, &p->mean, &p->variance, &p->room};
    double **of_rows[] = {&p->row, &p->spread, &p->reduced}, **of_pairs[] = {&p->inner, &p->factor};
    int there = entry_bounds_make(&p->bounds, host, n);
    for (size_t i = 0; i < sizeof of_n / sizeof *of_n; i++)
        there &= (*of_n[i] = gnt_host_scratch(host, n, sizeof(double))) != NULL;
    for (size_t i = 0; i < sizeof of_rows / sizeof *of_rows; i++)
        there &= (*of_rows[i] = gnt_host_scratch(host, n * features, sizeof(double))) != NULL;
    for (size_t i = 0; i < sizeof of_pairs / sizeof *of_pairs; i++)
        there &= (*of_pairs[i] = gnt_host_scratch(host, n * n, sizeof(double))) != NULL;
    return there;
}

static void add(double *to, double by, const double *from, int64_t n) {
    for (int64_t k = 0; k < n; k++)
        to[k] += by * from[k];
}

/* Computes G and M, and factors 1 + T½ M T½. Returns 0, or −1 if numbers are not finite. */
static int open(projections *p, const sample_prior *prior, const evidence *e, prior_room *room) {
    const int64_t n = p->n, d = p->features;
    const double *t = p->evidence.precision;
    for (int64_t i = 0; i < n; i++)
        sample_prior_spread(prior, e, room, p->row + i * d, p->spread + i * d);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) {
            p->inner[i * n + j] = p->inner[j * n + i] = rows_dot(p->row + i * d, p->spread + j * d, d);
            p->factor[i * n + j] = (i == j) + sqrt(t[i] * t[j]) * p->inner[i * n + j];
        }
    return gnt_cholesky(p->factor, n);
}

/* Replaces v (n) by K v. */
static void apply_k(const projections *p, double *v) {
    for (int64_t i = 0; i < p->n; i++)
        v[i] *= sqrt(p->evidence.precision[i]);
    gnt_cholesky_solve(p->factor, p->n, v, 1);
    for (int64_t i = 0; i < p->n; i++)
        v[i] *= sqrt(p->evidence.precision[i]);
}

void projections_correct(projections *p, double *x) {
    const int64_t n = p->n, d = p->features;
    double *by = p->room;
    for (int64_t i = 0; i < n; i++)
        by[i] = rows_dot(p->row + i * d, x, d) + rows_dot(p->inner + i * n, p->evidence.pull, n);
    apply_k(p, by);
    for (int64_t i = 0; i < n; i++)
        add(x, p->evidence.pull[i] - by[i], p->spread + i * d, d);
}

void projections_meet(projections *p, double *x) {
    const int64_t n = p->n, d = p->features;
    double *by = p->room;
    for (int64_t i = 0; i < n; i++)
        by[i] = p->bounds.lower[i] == p->bounds.upper[i] ? p->bounds.lower[i] - rows_dot(p->row + i * d, x, d)
                                                         : 0;
    apply_k(p, by);
    for (int64_t i = 0; i < n; i++)
        add(x, by[i], p->spread + i * d, d);
}

/* Takes off the variances what the factors narrow: the squares of the columns of Y = L⁻¹ T½ Gᵀ. */
static void narrow(projections *p, double *variance) {
    const int64_t n = p->n, d = p->features;
    for (int64_t i = 0; i < n; i++) {
        double *y = p->reduced + i * d;
        memset(y, 0, (size_t)d * sizeof *y);
        add(y, sqrt(p->evidence.precision[i]), p->spread + i * d, d);
        for (int64_t j = 0; j < i; j++)
            add(y, -p->factor[i * n + j], p->reduced + j * d, d);
        for (int64_t k = 0; k < d; k++) {
            y[k] /= p->factor[i * n + i];
            variance[k] -= y[k] * y[k];
        }
    }
}

/* Sets mean and variance of each s: the variances are the diagonal of M − M K M. */
static void look(projections *p, const double *x) {
    const int64_t n = p->n, d = p->features;
    double *column = p->room;
    for (int64_t i = 0; i < n; i++) {
        p->mean[i] = rows_dot(p->row + i * d, x, d);
        memcpy(column, p->inner + i * n, (size_t)n * sizeof *column);
        apply_k(p, column);
        p->variance[i] = p->inner[i * n + i] - rows_dot(p->inner + i * n, column, n);
    }
}

int projections_apply(projections *p, const sample_prior *prior, const evidence *e, prior_room *room,
                      double *x, double *variance) {
    const double left = 1e-9; /* of a variance: what rounding may leave */
    if (open(p, prior, e, room) != 0)
        return -1;
    projections_correct(p, x);
    look(p, x);
    for (int64_t i = 0; i < p->n; i++)
        p->variance[i] = fmax(p->variance[i], left * p->inner[i * (p->n + 1)]);
    if (!variance)
        return 0;
    narrow(p, variance);
    for (int64_t k = 0; k < p->features; k++)
        if (!(variance[k] > 0))
            variance[k] = left;
    return 0;
}
