/* svm_machine: a machine's kernel, scores and artefacts. */
#include <math.h>
#include <string.h>

#include "svm.h"
#include "shared/try.h"

enum { LANES = 8 };

double svm_gamma(const svm_recipe *recipe, int64_t columns) {
    return recipe->gamma > 0 ? recipe->gamma : 1 / (double)columns;
}

/* Sums in lanes, which the compiler vectorises; a single sum it may not reorder. */
double svm_kernel(const float *a, const float *b, int64_t columns, double gamma) {
    double sum[LANES] = {0}, all = 0;
    int64_t j = 0;
    for (; j + LANES <= columns; j += LANES)
        for (int l = 0; l < LANES; l++) {
            const double d = (double)a[j + l] - (double)b[j + l];
            sum[l] += d * d;
        }
    for (; j < columns; j++) {
        const double d = (double)a[j] - (double)b[j];
        all += d * d;
    }
    for (int l = 0; l < LANES; l++)
        all += sum[l];
    return exp(-gamma * all);
}

void svm_scores(const void *machine, const float *x, float *scores) {
    const svm_machine *m = machine;
    double *kernel = m->room, *votes = kernel + m->vectors, *margin = votes + m->values;
    const float *coefficient = m->coefficient, *rho = m->rho;
    for (int64_t i = 0; i < m->vectors; i++)
        kernel[i] = svm_kernel(m->vector + i * m->columns, x, m->columns, m->gamma);
    memset(votes, 0, 2 * (size_t)m->values * sizeof *votes);
    for (int32_t a = 0; a < m->values; a++)
        for (int32_t b = a + 1; b < m->values; b++) {
            if (!(m->present[a] > 0 && m->present[b] > 0))
                continue;
            double decision = -(double)*rho++;
            for (int64_t i = 0; i < m->vectors; i++)
                decision += (double)coefficient[i] * kernel[i];
            coefficient += m->vectors;
            votes[decision > 0 ? a : b]++;
            margin[a] += decision;
            margin[b] -= decision;
        }
    for (int32_t v = 0; v < m->values; v++)
        scores[v] = m->present[v] > 0 ? (float)(votes[v] + margin[v] / (3 * (fabs(margin[v]) + 1))) : -1;
}

static int64_t pairs_of(int64_t values) {
    return values * (values - 1) / 2;
}

gnt_status svm_open(svm_machine *m, const gnt_host *host) {
    m->room = gnt_host_scratch(host, m->vectors + 2 * m->values, sizeof *m->room);
    return m->room ? GNT_OK : gnt_host_fail(host, "no memory for its kernel's values");
}

gnt_status svm_write(const svm_machine *m, const gnt_sink *out) {
    const int64_t pairs = pairs_of(m->seen), vectors[2] = {m->vectors, m->columns},
                  coefficients[2] = {pairs, m->vectors}, values = m->values;
    TRY(out->tensor(out->context, "present", 1, &values, m->present));
    TRY(out->tensor(out->context, "vector", 2, vectors, m->vector));
    TRY(out->tensor(out->context, "coefficient", 2, coefficients, m->coefficient));
    return out->tensor(out->context, "rho", 1, &pairs, m->rho);
}

/* Returns the number of values present; 0 if it is not a list of zeros and ones. */
static int32_t count_present(const gnt_view *present) {
    int32_t seen = 0;
    for (int64_t v = 0; v < present->count; v++) {
        if (present->data[v] != 0 && present->data[v] != 1)
            return 0;
        seen += present->data[v] > 0;
    }
    return seen;
}

int svm_read(svm_machine *m, const svm_recipe *recipe, const gnt_artefacts *own, int64_t columns,
             int32_t values) {
    const gnt_view *present = attr_find(own, "", "present", 1), *vector = attr_find(own, "", "vector", 2),
                   *coefficient = attr_find(own, "", "coefficient", 2), *rho = attr_find(own, "", "rho", 1);
    if (!present || !vector || !coefficient || !rho || present->count != values)
        return -1;
    const int32_t seen = count_present(present);
    if (seen < 2 || rho->count != pairs_of(seen) || !classic_matrix(vector, -1, columns) ||
        !classic_matrix(coefficient, rho->count, vector->dim[0]) || !classic_finite(vector) ||
        !classic_finite(coefficient) || !classic_finite(rho))
        return -1;
    *m = (svm_machine){.columns = columns,
                       .vectors = vector->dim[0],
                       .values = values,
                       .seen = seen,
                       .gamma = svm_gamma(recipe, columns),
                       .present = present->data,
                       .vector = vector->data,
                       .coefficient = coefficient->data,
                       .rho = rho->data};
    return 0;
}
