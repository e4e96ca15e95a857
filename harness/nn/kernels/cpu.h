/* cpu: which vector instructions kernels use. */
#ifndef GNT_NN_CPU_H
#define GNT_NN_CPU_H

/* Returns the width in bits of the vectors that kernels use: 512 with the AVX-512 subsets of every server
 * since Skylake, 256 with AVX2 and FMA, else 128; never more than GAUNTLET_VECTORS. Part of the numerics
 * identity, since results depend on it. */
int gnt_cpu_vectors(void);

/* Returns NULL, or what is wrong with the value of GAUNTLET_VECTORS. */
const char *gnt_cpu_vectors_error(void);

static inline int gnt_cpu_has_avx512(void) {
    return gnt_cpu_vectors() >= 512;
}

static inline int gnt_cpu_has_avx2(void) {
    return gnt_cpu_vectors() >= 256;
}

#endif
