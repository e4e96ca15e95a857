/* thin: by the vectors of this processor. */
#include "nn/kernels/thin.h"

#include "nn/kernels/cpu.h"

#ifdef __x86_64__

size_t gnt_thin_scratch(const gnt_gemm *s) {
    return gnt_cpu_vectors() == 512   ? gnt_thin_scratch_avx512(s)
           : gnt_cpu_vectors() == 256 ? gnt_thin_scratch_avx2(s)
                                      : 0;
}

void gnt_thin_product(float *c, const float *a, const float *b, void *scratch, const gnt_gemm *s) {
    if (gnt_cpu_vectors() == 512)
        gnt_thin_product_avx512(c, a, b, scratch, s);
    else
        gnt_thin_product_avx2(c, a, b, scratch, s);
}

#else

size_t gnt_thin_scratch(const gnt_gemm *s) {
    (void)s;
    return 0;
}

void gnt_thin_product(float *c, const float *a, const float *b, void *scratch, const gnt_gemm *s) {
    (void)c, (void)a, (void)b, (void)scratch, (void)s;
}

#endif
