/* cpu: which vector instructions the processor has. */
#ifndef GNT_NN_CPU_H
#define GNT_NN_CPU_H

/* True if the CPU has the AVX-512 subsets of every server since Skylake, for which the kernels of sixteen
 * floats a vector are compiled. */
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
