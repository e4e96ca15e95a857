#include "job/agreement.h"

#include <inttypes.h>
#include <math.h>

#include "base/mem.h"

/* Entries of a tensor for each update, at least: noise has no more than a fourth of its energy in the
 * span. */
enum { LEAST_ENTRIES = 4 };

double gnt_agreement_of_signs(const float *d, const float *u, int64_t n) {
    double sum = 0, all = 0;
    for (int64_t i = 0; i < n; i++) {
        const double product = (double)d[i] * (double)u[i];
        sum += product;
        all += fabs(product);
    }
    return all > 0 ? sum / all : 0;
}

static double dot(const float *a, const float *b, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += (double)a[i] * (double)b[i];
    return sum;
}

/* Returns bᵀG⁻¹b by Cholesky's factor, which is written over the lower half of G (q × q). A column that
 * lies in the span of those before it is left out. */
static double energy_in_span(double *g, double *b, int64_t q) {
    double energy = 0;
    for (int64_t k = 0; k < q; k++) {
        const double before = g[k * q + k];
        double rest = before;
        for (int64_t j = 0; j < k; j++)
            rest -= g[k * q + j] * g[k * q + j];
        const double root = rest > 1e-9 * before ? sqrt(rest) : 0;
        for (int64_t j = 0; j < k; j++)
            b[k] -= g[k * q + j] * b[j];
        b[k] = root > 0 ? b[k] / root : 0;
        energy += b[k] * b[k];
        for (int64_t i = k + 1; i < q; i++) {
            double sum = g[i * q + k];
            for (int64_t j = 0; j < k; j++)
                sum -= g[i * q + j] * g[k * q + j];
            g[i * q + k] = root > 0 ? sum / root : 0;
        }
    }
    return energy;
}

int gnt_agreement_in_span(const gnt_tensors *t, const float *d, const float *const *update, int64_t n_updates,
                          double *share, gnt_err *err) {
    const int64_t q = n_updates;
    double *g = gnt_array((size_t)q, (size_t)q * sizeof *g), *b = gnt_array((size_t)q, sizeof *b);
    double inside = 0, all = 0;
    int64_t at = 0;
    for (int64_t k = 0; g && b && k < t->n; at += t->tensor[k++].count) {
        const int64_t n = t->tensor[k].count;
        if (n < LEAST_ENTRIES * q)
            continue;
        for (int64_t i = 0; i < q; i++) {
            b[i] = dot(update[i] + at, d + at, n);
            for (int64_t j = 0; j <= i; j++)
                g[i * q + j] = dot(update[i] + at, update[j] + at, n);
        }
        all += dot(d + at, d + at, n);
        inside += energy_in_span(g, b, q);
    }
    *share = all > 0 ? inside / all : 1;
    const int rc = g && b ? 0 : gnt_fail(err, "out of memory to compare %" PRId64 " updates", q);
    gnt_free(g);
    gnt_free(b);
    return rc;
}
