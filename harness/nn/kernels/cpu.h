/* cpu: which vector instructions the processor has. */
#ifndef GNT_NN_CPU_H
#define GNT_NN_CPU_H

/* AVX-512 as every server since Skylake has it: what our kernels of sixteen floats a vector are compiled
 * for. */
static inline int gnt_cpu_has_avx512(void) {
#if defined(__x86_64__) && defined(__GNUC__)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
#else
    return 0;
#endif
}

static inline int gnt_cpu_has_avx2(void) {
#if defined(__x86_64__) && defined(__GNUC__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return 0;
#endif
}

#endif
