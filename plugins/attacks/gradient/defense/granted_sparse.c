#include "defense/granted_sparse.h"

#include <string.h>

#include "shared/by_name.h"

void granted_sparse_read(granted_defense *granted, const gnt_observation *seen) {
    const gnt_value *v = seen->defense_values;
    const int64_t n = seen->n_defense_values;
    if (!seen->defense || strcmp(seen->defense, "blur-lus") != 0)
        return;
    const gnt_value *epsilon = value_of(v, n, "epsilon"), *clip = value_of(v, n, "clip"),
                    *delta = value_of(v, n, "delta"), *keep = value_of(v, n, "keep");
    if (!epsilon || !clip || !delta || !keep || !(clip->r > 0))
        return;
    granted->layered = (layered_noise){
        .clip = clip->r, .epsilon = epsilon->r, .delta = delta->r, .is_whole = 1, .keep = keep->r};
}
