/* join: the cells of two runs side by side, by their ids. */
#ifndef GNT_GATE_JOIN_IMPL_H
#define GNT_GATE_JOIN_IMPL_H

#include "results/results.h"

/* One cell of one run or both, at one seed. `key` is the id without its seed; `length` its bytes. */
typedef struct gnt_joined {
    const char *key;
    size_t length;
    int64_t seed;
    const gnt_outcome *now, *before; /* one of them may be NULL */
    size_t order;                    /* place in the new run, cells it lacks after all others */
} gnt_joined;

/* All cells of both, those of one key together with seeds rising, keys in the order of the new run. The
 * caller frees *out. Fails where a cell has no id, or two have the same. */
int gnt_join_cells(const gnt_results *now, const char *now_name, const gnt_results *before,
                   const char *before_name, gnt_joined **out, size_t *n, gnt_err *err);

#endif
