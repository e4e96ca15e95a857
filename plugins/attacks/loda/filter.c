#include "filter.h"

#include <stdlib.h>

#include "gauntlet/nn.h"

enum { MOST_INPUTS = 9 * 8 + 1 }; /* of at most eight channels */

static int64_t inputs_of(const int64_t dim[3]) {
    return 9 * dim[0] + 1;
}

int64_t filter_size(const int64_t dim[3]) {
    return dim[0] * inputs_of(dim);
}

/* Copies the neighbourhood of one pixel, with 0 outside the image; the last input is 1. */
static void gather(const int64_t dim[3], const float *x, int64_t row, int64_t column, double *in) {
    int64_t at = 0;
    for (int64_t c = 0; c < dim[0]; c++)
        for (int64_t i = row - 1; i <= row + 1; i++)
            for (int64_t j = column - 1; j <= column + 1; j++) {
                int inside = i >= 0 && i < dim[1] && j >= 0 && j < dim[2];
                in[at++] = inside ? (double)x[(c * dim[1] + i) * dim[2] + j] : 0;
            }
    in[at] = 1;
}

/* Adds one pair's pixels to the normal equations: a ← Σ in·inᵀ (lower half), b ← Σ x·in for each channel. */
static void add_pair(const int64_t dim[3], const attack_pair *pair, double *a, double *b) {
    const int64_t n = inputs_of(dim);
    double in[MOST_INPUTS];
    for (int64_t at = 0; at < dim[1] * dim[2]; at++) {
        gather(dim, pair->encoded, at / dim[2], at % dim[2], in);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j <= i; j++)
                a[i * n + j] += in[i] * in[j];
        for (int64_t c = 0; c < dim[0]; c++)
            for (int64_t i = 0; i < n; i++)
                b[c * n + i] += in[i] * (double)pair->x[c * dim[1] * dim[2] + at];
    }
}

int filter_learn(const int64_t dim[3], const attack_pair *pair, int64_t n_pairs, double ridge,
                 float *filter) {
    const int64_t n = inputs_of(dim);
    if (n > MOST_INPUTS)
        return -1;
    double *a = calloc((size_t)(n * n), sizeof *a), *b = calloc((size_t)(dim[0] * n), sizeof *b);
    int rc = a && b ? 0 : -1;
    for (int64_t k = 0; rc == 0 && k < n_pairs; k++)
        add_pair(dim, &pair[k], a, b);
    for (int64_t i = 0; rc == 0 && i + 1 < n; i++)
        a[i * n + i] += ridge * (double)(n_pairs * dim[1] * dim[2]);
    if (rc == 0)
        rc = gnt_cholesky(a, n);
    for (int64_t c = 0; rc == 0 && c < dim[0]; c++) {
        gnt_cholesky_solve(a, n, b + c * n, 1);
        for (int64_t i = 0; i < n; i++)
            filter[c * n + i] = (float)b[c * n + i];
    }
    free(a);
    free(b);
    return rc;
}

void filter_apply(const int64_t dim[3], const float *filter, const float *encoded, float *x) {
    const int64_t n = inputs_of(dim);
    double in[MOST_INPUTS];
    for (int64_t at = 0; at < dim[1] * dim[2]; at++) {
        gather(dim, encoded, at / dim[2], at % dim[2], in);
        for (int64_t c = 0; c < dim[0]; c++) {
            double sum = 0;
            for (int64_t i = 0; i < n; i++)
                sum += (double)filter[c * n + i] * in[i];
            x[c * dim[1] * dim[2] + at] = (float)(sum < 0 ? 0 : sum > 1 ? 1 : sum);
        }
    }
}
