/* kth_entry: the k-th least of some entries. */
#ifndef GRADIENT_KTH_ENTRY_H
#define GRADIENT_KTH_ENTRY_H

#include <stdint.h>

/* Moves the k-th least entry to its place, the lesser ones before it, and returns it (Hoare's selection). */
float kth_entry(float *v, int64_t n, int64_t k);

#endif
