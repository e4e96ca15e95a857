/* blas_core: which kernels the environment makes OpenBLAS choose. */
#ifndef GNT_NN_BLAS_CORE_H
#define GNT_NN_BLAS_CORE_H

enum { GNT_BLAS_CORE_TEXT = 192 };

/* Whether OPENBLAS_CORETYPE asks for narrower vectors than this CPU has; then `text` is a sentence that
 * says so, else it is empty. Results do not suffer, times do. */
int gnt_blas_core_is_forced_down(char text[GNT_BLAS_CORE_TEXT]);

/* The same for a core type and a CPU that has vectors of so many bits. */
int gnt_blas_core_is_below(const char *core, int bits, char text[GNT_BLAS_CORE_TEXT]);

#endif
