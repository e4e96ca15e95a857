/* real_gemm: matrix products by OpenBLAS, and by plain loops. */
#include "nn/kernels/blas.h"
#include "nn/kernels/real.h"

#ifdef GNT_REAL_F64
#define BLAS_GEMM gnt_blas.dgemm
#define BLAS_GEMV gnt_blas.dgemv
#else
#define BLAS_GEMM gnt_blas.sgemm
#define BLAS_GEMV gnt_blas.sgemv
#endif

void NAME(multiply)(int ta, int tb, int64_t m, int64_t n, int64_t k, const real *a, const real *b, real beta,
                    real *c) {
    if (m == 1 && n > 1 && k > 1) { /* one row: a product of matrices would copy b before it reads it */
        BLAS_GEMV(CblasRowMajor, tb ? CblasNoTrans : CblasTrans, (blasint)(tb ? n : k), (blasint)(tb ? k : n),
                  1, b, (blasint)(tb ? k : n), a, 1, beta, c, 1);
        return;
    }
    BLAS_GEMM(CblasRowMajor, ta ? CblasTrans : CblasNoTrans, tb ? CblasTrans : CblasNoTrans, (blasint)m,
              (blasint)n, (blasint)k, 1, a, (blasint)(ta ? m : k), b, (blasint)(tb ? k : n), beta, c,
              (blasint)n);
}

/* Computes c (m × n) from op(a) (m × k) and op(b) (k × n). */
void NAME(gemm)(void *c, const void *a, const void *b, const gnt_gemm *s) {
    NAME(multiply)(s->ta, s->tb, s->m, s->n, s->k, a, b, 0, c);
}

/* Computes c (m × n) from op(a) (m × k) and op(b) (k × n). Slow and short, for tests to compare with. */
void NAME(plain_gemm)(void *c_mn, const void *a_all, const void *b_all, const gnt_gemm *s) {
    real *c = c_mn;
    const real *a = a_all, *b = b_all;
    for (int64_t i = 0; i < s->m; i++)
        for (int64_t j = 0; j < s->n; j++) {
            double sum = 0;
            for (int64_t q = 0; q < s->k; q++)
                sum += (double)a[s->ta ? q * s->m + i : i * s->k + q] *
                       (double)b[s->tb ? j * s->k + q : q * s->n + j];
            c[i * s->n + j] = (real)sum;
        }
}
