#include "sparse.h"

#include <math.h>

#include "shared/least.h"
#include "shared/try.h"

gnt_status sparse_keep(const gnt_host *host, gnt_tensors *update, double keep) {
    int64_t entries = 0, dropped_ties, ties = 0,
            *count = gnt_host_scratch(host, GNT_LEAST_BINS, sizeof *count);
    TRY(have_memory(host, count != NULL, "no memory for the counts of magnitudes"));
    TRY(may_go_on(host));
    for (int64_t k = 0; k < update->n; k++)
        entries += update->tensor[k].count;
    /* as people mean it: 0.29 of 100 is 29, though the double nearest to 0.29 lies below it */
    const int64_t dropped = (int64_t)floor((1 - keep) * (double)entries + 1e-9 * (keep < 1));
    const uint32_t limit = kth_least(update->tensor, update->n, dropped, count, &dropped_ties);
    for (int64_t k = 0; k < update->n; k++)
        for (int64_t i = 0; i < update->tensor[k].count; i++)
            ties += magnitude(update->tensor[k].data[i]) == limit;
    int64_t kept_ties = ties - dropped_ties;
    for (int64_t k = 0; k < update->n; k++)
        for (int64_t i = 0; i < update->tensor[k].count; i++) {
            const uint32_t m = magnitude(update->tensor[k].data[i]);
            if (m < limit || (m == limit && kept_ties-- <= 0))
                update->tensor[k].data[i] = 0;
        }
    return GNT_OK;
}
