/* clones: a function compiled for each width of vectors, of which the processor's runs. For loops over
 * entries that are independent, in plain multiplications and additions: their bits are the same for all.
 *
 * Loops of such a file are vectorised with GNT_INDEPENDENT before them; blocks are disjoint or identical. */
#ifndef GNT_BASE_CLONES_H
#define GNT_BASE_CLONES_H

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#define GNT_INDEPENDENT _Pragma("GCC ivdep")
#else
#define GNT_INDEPENDENT
#endif

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__linux__)
#define GNT_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define GNT_CLONES
#endif

#endif
