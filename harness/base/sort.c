#include "base/sort.h"

#include <stdlib.h>

static int rising_reals(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int rising_ints(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int rising_words(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

void gnt_sort_reals(double *x, size_t n) {
    qsort(x, n, sizeof *x, rising_reals);
}

void gnt_sort_ints(int64_t *x, size_t n) {
    qsort(x, n, sizeof *x, rising_ints);
}

void gnt_sort_words(uint64_t *x, size_t n) {
    qsort(x, n, sizeof *x, rising_words);
}

int gnt_has_word(const uint64_t *sorted, size_t n, uint64_t x) {
    return bsearch(&x, sorted, n, sizeof x, rising_words) != NULL;
}
