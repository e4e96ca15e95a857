#include "defense/kth_entry.h"

float kth_entry(float *v, int64_t n, int64_t k) {
    for (int64_t from = 0, to = n - 1; from < to;) {
        const float pivot = v[k];
        int64_t i = from, j = to;
        while (i <= j) {
            while (v[i] < pivot)
                i++;
            while (pivot < v[j])
                j--;
            if (i <= j) {
                const float kept = v[i];
                v[i++] = v[j];
                v[j--] = kept;
            }
        }
        from = j < k ? i : from;
        to = k < i ? j : to;
    }
    return v[k];
}
