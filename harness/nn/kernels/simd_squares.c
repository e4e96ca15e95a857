/* squares: the places of the greatest entries of 2×2 squares, as in loops.h. */
#include "nn/kernels/squares.h"
#include "nn/kernels/vec.h"

typedef int32_t ints __attribute__((vector_size(sizeof(vec))));

/* Keeps of (u, i) and (v, j) what is greater; of equal ones the first. */
VEC_INLINE void keep_greater(vec *u, ints *i, vec v, ints j) {
    const vec_mask m = vec_exceeds(v, *u);
    *u = vec_select(m, v, *u);
    *i = (ints)vec_select(m, (vec)j, (vec)*i);
}

/* Computes V entries from the squares in two vectors of each row. */
VEC_INLINE ints greatest(vec above, vec above2, vec below, vec below2, ints here, int32_t down) {
    vec u = vec_even(above, above2), v = vec_even(below, below2);
    ints i = here, j = here + down;
    keep_greater(&u, &i, vec_odd(above, above2), here + 1);
    keep_greater(&v, &j, vec_odd(below, below2), here + down + 1);
    keep_greater(&u, &i, v, j);
    return i;
}

void SIMD(gnt_max_of_squares)(int32_t *y, const float *x, int32_t at, int32_t down, int64_t n, int beyond) {
    ints here;
    for (int32_t l = 0; l < V; l++)
        here[l] = at + 2 * l;
    for (; n >= V || (beyond && n > 0); n -= V, y += V, at += 2 * V, here += 2 * V) {
        const float *above = x + at, *below = above + down;
        const ints i =
            greatest(vec_load(above), vec_load(above + V), vec_load(below), vec_load(below + V), here, down);
        memcpy(y, &i, sizeof i);
    }
    if (n > 0) {
        const vec_mask m = vec_lanes(0, 2 * n), m2 = vec_lanes(0, 2 * n - V);
        const float *above = x + at, *below = above + down;
        const ints i = greatest(vec_load_lanes(m, above), vec_load_lanes(m2, above + V),
                                vec_load_lanes(m, below), vec_load_lanes(m2, below + V), here, down);
        memcpy(y, &i, (size_t)n * sizeof *y);
    }
}
