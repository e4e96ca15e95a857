/* blas_core: which kernels OpenBLAS computes with: what workers are given, and what the environment forces.
 *
 * Owner and lifetime: texts are constant, the environment's or the caller's.
 * Thread: one that no other changes the environment beside. */
#ifndef GNT_NN_BLAS_CORE_H
#define GNT_NN_BLAS_CORE_H

enum { GNT_BLAS_CORE_TEXT = 192 };

/* The value of OPENBLAS_CORETYPE that workers get: the user's where there is one. Else a core type of wider
 * vectors, where OpenBLAS does not know the model of this CPU and fell back to one of narrower vectors; ""
 * where it did not. Part of the numerics identity of a result. */
const char *gnt_blas_core_choice(void);

/* Whether OPENBLAS_CORETYPE asks for narrower vectors than this CPU has; then `text` is a sentence that
 * says so, else it is empty. Results do not suffer, times do. */
int gnt_blas_core_is_forced_down(char text[GNT_BLAS_CORE_TEXT]);

/* The same for a core type and a CPU that has vectors of so many bits. */
int gnt_blas_core_is_below(const char *core, int bits, char text[GNT_BLAS_CORE_TEXT]);

#endif
