#include "nn/kernels/blas.h"

#include "base/library.h"

gnt_blas_functions gnt_blas;

int gnt_blas_open(gnt_err *err) {
    static const char *const files[] = {GNT_BLAS_FILE, NULL};
    const gnt_symbol wanted[] = {{.name = "cblas_sgemm", .to = &gnt_blas.sgemm},
                                 {.name = "cblas_dgemm", .to = &gnt_blas.dgemm},
                                 {.name = "cblas_sgemv", .to = &gnt_blas.sgemv},
                                 {.name = "cblas_dgemv", .to = &gnt_blas.dgemv},
                                 {.name = "openblas_get_config", .to = &gnt_blas.config},
                                 {.name = "openblas_get_corename", .to = &gnt_blas.core}};
    static int is_open;
    if (!is_open && gnt_library_open(files, wanted, sizeof wanted / sizeof *wanted,
                                     "OpenBLAS, which multiplies matrices,", "libopenblas-dev", err) != 0)
        return -1;
    is_open = 1;
    return 0;
}

const char *gnt_blas_config(void) {
    return gnt_blas_open(NULL) == 0 ? gnt_blas.config() : "none";
}

const char *gnt_blas_core(void) {
    return gnt_blas_open(NULL) == 0 ? gnt_blas.core() : "none";
}
