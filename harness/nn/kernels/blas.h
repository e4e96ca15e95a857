/* blas: OpenBLAS, which the first plan with a product or a convolution opens: loading it takes milliseconds,
 * and most short processes compute nothing.
 *
 * Owner and lifetime: it stays open; texts are its own. Thread: gnt_blas_open from one thread. */
#ifndef GNT_NN_BLAS_H
#define GNT_NN_BLAS_H

#include <cblas.h>

#include "base/err.h"

#define GNT_BLAS_FILE "libopenblas.so.0"

/* Its functions, as cblas.h declares them; NULL before gnt_blas_open. */
typedef struct gnt_blas_functions {
    __typeof__(&cblas_sgemm) sgemm;
    __typeof__(&cblas_dgemm) dgemm;
    __typeof__(&cblas_sgemv) sgemv;
    __typeof__(&cblas_dgemv) dgemv;
    char *(*config)(void), *(*core)(void);
} gnt_blas_functions;

extern gnt_blas_functions gnt_blas;

/* Opens the library; does nothing if it is open. Its constructor reads OPENBLAS_NUM_THREADS and
 * OPENBLAS_CORETYPE. */
int gnt_blas_open(gnt_err *err);

/* Return how the library was built and the core type whose kernels it chose; "none" if it cannot be
 * opened. */
const char *gnt_blas_config(void);
const char *gnt_blas_core(void);

#endif
