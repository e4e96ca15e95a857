#include "dual_ridge.h"

#include <string.h>

#include "gauntlet/nn.h"

void dual_ridge_gram(const float *x, int64_t rows, int64_t columns, double *gram) {
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j <= i; j++) {
            double sum = 0;
            for (int64_t k = 0; k < columns; k++)
                sum += (double)x[i * columns + k] * (double)x[j * columns + k];
            gram[i * rows + j] = sum;
        }
}

int dual_ridge_solve(const double *gram, int64_t rows, double lambda, double *work, double *y,
                     int64_t outputs) {
    memcpy(work, gram, (size_t)(rows * rows) * sizeof *work);
    for (int64_t i = 0; i < rows; i++)
        work[i * rows + i] += lambda;
    if (gnt_cholesky(work, rows) != 0)
        return -1;
    gnt_cholesky_solve(work, rows, y, outputs);
    return 0;
}

void dual_ridge_weights(const float *x, const double *alpha, int64_t rows, int64_t columns, int64_t outputs,
                        float *w) {
    memset(w, 0, (size_t)(columns * outputs) * sizeof *w);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = 0; k < columns; k++) {
            const float by = x[i * columns + k];
            for (int64_t o = 0; o < outputs; o++)
                w[k * outputs + o] += by * (float)alpha[i * outputs + o];
        }
}
