/* join: the cells of two runs side by side, by their ids. */
#ifndef GNT_GATE_JOIN_IMPL_H
#define GNT_GATE_JOIN_IMPL_H

#include "judge/judge.h"

/* One cell of one run or both, at one seed. `key` is the id without its seed; `length` its bytes. */
typedef struct gnt_joined {
    const char *key;
    size_t length;
    /* of a drawn round: its number, the bytes of the key before it, and where the key goes on after it; else
     * −1, `length` and `length` */
    int64_t drawn;
    size_t head, tail;
    int64_t seed;
    /* one of them may be NULL */
    const gnt_outcome *now, *before;
    /* a cell at some baseline's strength that nothing here is compared with */
    int is_apart;
    /* a matched cell whose leakage is compared at the baseline's strength instead */
    int is_left;
    /* place in the new run, cells it lacks after all others */
    size_t order;
} gnt_joined;

/* Orders cells of which not only the seed differs; with `stages` 0 drawn rounds of one task are the same. */
int gnt_join_compare(const gnt_joined *a, const gnt_joined *b, int stages);

/* Lists all cells of both runs, those of one key together with seeds rising, keys in the order of the new
 * run. The caller frees *out. Fails if a cell has no id, or two have the same. */
int gnt_join_cells(const gnt_results *now, const char *now_name, const gnt_results *before,
                   const char *before_name, gnt_joined **out, size_t *n, gnt_err *err);

#endif
