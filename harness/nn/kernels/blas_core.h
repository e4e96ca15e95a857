/* blas_core: the kernels of OpenBLAS: the core type that workers get, and the one that the environment
 * forces.
 *
 * Owner and lifetime: texts are constant, the environment's or the caller's. Thread: any, while no other
 * thread changes the environment. */
#ifndef GNT_NN_BLAS_CORE_H
#define GNT_NN_BLAS_CORE_H

enum { GNT_BLAS_CORE_TEXT = 192 };

/* Returns the value of OPENBLAS_CORETYPE for workers: the user's if OpenBLAS knows it; else a core type of
 * wider vectors if OpenBLAS does not know the model of this CPU and fell back to narrower ones; else "". Part
 * of the numerics identity of a result. */
const char *gnt_blas_core_choice(void);

/* True if OPENBLAS_CORETYPE forces narrower vectors than this CPU has, which costs time, not accuracy. `text`
 * is a warning then, or if OpenBLAS does not know the name; else empty. */
int gnt_blas_core_is_forced_down(char text[GNT_BLAS_CORE_TEXT]);

/* Compares a given core type with a CPU that has vectors of `bits` bits, as above. */
int gnt_blas_core_is_below(const char *core, int bits, char text[GNT_BLAS_CORE_TEXT]);

#endif
