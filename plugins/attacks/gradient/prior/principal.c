#include "prior/principal.h"

#include <string.h>

#include "gauntlet/nn.h"
#include "prior/matrix_rows.h"
#include "hook.h"

enum { TURNS = 3 };

typedef struct subspace {
    int64_t n, m;
    float *gram, *basis, *other; /* a aᵀ, n × n; m × n, rows that become orthonormal; of the same size */
    double *inner, *by, *row;    /* n × n; n; n or d, whichever is more */
} subspace;

static void put_gram(subspace *s, const float *a, int64_t d, float *turned) {
    const int64_t n = s->n;
    rows_turn(a, n, d, turned);
    for (int64_t k = 0; k < d; k++)
        s->row[k] = 1;
    memset(s->inner, 0, (size_t)(n * n) * sizeof *s->inner);
    rows_squares(turned, d, n, s->row, s->inner);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++)
            s->gram[i * n + j] = s->gram[j * n + i] = (float)s->inner[i * n + j];
}

/* Replaces basis by L⁻¹ basis, L Lᵀ = basis basisᵀ. Returns −1 if its rows are linearly dependent. */
static int orthonormalise(subspace *s) {
    const int64_t n = s->n, m = s->m;
    rows_turn(s->basis, m, n, s->other);
    for (int64_t i = 0; i < n; i++)
        s->by[i] = 1;
    memset(s->inner, 0, (size_t)(m * m) * sizeof *s->inner);
    rows_squares(s->other, n, m, s->by, s->inner);
    if (gnt_cholesky(s->inner, m) != 0)
        return -1;
    rows_forward(s->basis, m, n, s->inner);
    return 0;
}

/* Computes to (m × width) = basis · of (n × width). */
static void times(subspace *s, const float *of, int64_t width, float *to) {
    for (int64_t j = 0; j < s->m; j++) {
        for (int64_t i = 0; i < s->n; i++)
            s->by[i] = (double)s->basis[j * s->n + i];
        for (int64_t k = 0; k < width; k++)
            s->row[k] = 0;
        rows_combine(of, s->n, width, s->by, s->row);
        for (int64_t k = 0; k < width; k++)
            to[j * width + k] = (float)s->row[k];
    }
}

/* Finds, nearly, the basis of the m directions in which a is the largest, by subspace iteration. */
static int find(subspace *s) {
    const int64_t n = s->n, m = s->m;
    memset(s->basis, 0, (size_t)(m * n) * sizeof *s->basis);
    for (int64_t j = 0; j < m; j++)
        s->basis[j * n + j] = 1;
    for (int i = 0; i < TURNS; i++) {
        times(s, s->gram, n, s->other);
        memcpy(s->basis, s->other, (size_t)(m * n) * sizeof *s->basis);
        if (orthonormalise(s) != 0)
            return -1;
    }
    return orthonormalise(s); /* again, as rounding left small products */
}

gnt_status principal_rows(const gnt_host *host, float *a, int64_t n, int64_t d, int64_t m) {
    const size_t squared = (size_t)(n * n), longest = (size_t)(n > d ? n : d);
    float *turned = gnt_host_scratch(host, n * d, sizeof *turned);
    subspace s = {.n = n,
                  .m = m,
                  .gram = gnt_host_scratch(host, squared, sizeof(float)),
                  .basis = gnt_host_scratch(host, squared, sizeof(float)),
                  .other = gnt_host_scratch(host, squared, sizeof(float)),
                  .inner = gnt_host_scratch(host, squared, sizeof(double)),
                  .by = gnt_host_scratch(host, n, sizeof(double)),
                  .row = gnt_host_scratch(host, longest, sizeof(double))};
    TRY(hook_memory(host, turned && s.gram && s.basis && s.other && s.inner && s.by && s.row));
    put_gram(&s, a, d, turned);
    if (find(&s) != 0)
        return GNT_OK;
    times(&s, a, d, turned);
    memcpy(a, turned, (size_t)(m * d) * sizeof *a);
    return GNT_OK;
}
