#include "nn/plan/libraries.h"

#include <stddef.h>

#include "nn/conv/dnnl.h"
#include "nn/kernels/blas.h"

const char *const *gnt_plan_libraries(void) {
    static const char *const names[] = {GNT_BLAS_FILE, GNT_DNNL_FILE, NULL};
    return names;
}

void gnt_plan_libraries_open(void) {
    char version[64];
    gnt_blas_open(NULL);
    gnt_dnnl_version(version);
}
