#include "nn/kernels/turn.h"
#include "nn/kernels/vec.h"

void SIMD(gnt_turn)(float *to, int64_t to_step, const float *from, int64_t from_step, int64_t rows,
                    int64_t columns) {
    for (int64_t i = 0; i < rows; i += V)
        for (int64_t j = 0; j < columns; j += V) {
            const vec_mask read = vec_lanes(0, columns - j);
            vec v[V];
            for (int64_t l = 0; l < V; l++)
                v[l] = i + l < rows ? vec_load_lanes(read, from + (i + l) * from_step + j) : vec_zero();
            vec_turn_square(v);
            for (int64_t l = 0; l < V && j + l < columns; l++)
                vec_store_first(to + (j + l) * to_step + i, v[l], rows - i);
        }
}
