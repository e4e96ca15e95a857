/* sort: numbers in rising order. */
#ifndef GNT_BASE_SORT_H
#define GNT_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Sorts n numbers in place; none may be NaN. */
void gnt_sort_reals(double *x, size_t n);
void gnt_sort_ints(int64_t *x, size_t n);
void gnt_sort_words(uint64_t *x, size_t n);

/* True if x is among the n sorted words. */
int gnt_has_word(const uint64_t *sorted, size_t n, uint64_t x);

#endif
