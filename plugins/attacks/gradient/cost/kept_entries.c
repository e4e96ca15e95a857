#include "cost/kept_entries.h"

#include <math.h>
#include <string.h>

#include "defense/kth_entry.h"
#include "hook.h"

gnt_status kept_entries_open(kept_entries *k, const gnt_host *host, const gnt_views *like, double keep) {
    *k = (kept_entries){0};
    for (int64_t t = 0; t < like->n; t++)
        k->n += like->view[t].count;
    k->kept = k->n - (int64_t)floor((1 - keep) * (double)k->n);
    if (k->kept >= k->n) {
        *k = (kept_entries){0};
        return GNT_OK;
    }
    k->room = gnt_host_scratch(host, k->n, sizeof *k->room);
    k->entry = gnt_host_scratch(host, k->n, sizeof *k->entry);
    k->view = gnt_host_scratch(host, like->n, sizeof *k->view);
    return hook_memory(host, k->room && k->entry && k->view);
}

gnt_views kept_entries_of(kept_entries *k, const gnt_views *u) {
    if (!k->view)
        return *u;
    int64_t at = 0;
    for (int64_t t = 0; t < u->n; at += u->view[t++].count) {
        k->view[t] = u->view[t];
        k->view[t].data = memcpy(k->entry + at, u->view[t].data, (size_t)u->view[t].count * sizeof *k->entry);
    }
    for (int64_t i = 0; i < k->n; i++)
        k->room[i] = fabsf(k->entry[i]);
    const float least = k->kept > 0 ? kth_entry(k->room, k->n, k->n - k->kept) : INFINITY;
    for (int64_t i = 0; i < k->n; i++)
        k->entry[i] = fabsf(k->entry[i]) < least ? 0 : k->entry[i];
    return (gnt_views){u->n, k->view};
}

void kept_entries_drop(const kept_entries *k, float *const *d_u) {
    if (!k->view)
        return;
    for (int64_t t = 0, at = 0; at < k->n; at += k->view[t++].count)
        for (int64_t i = 0; i < k->view[t].count; i++)
            if (k->entry[at + i] == 0)
                d_u[t][i] = 0;
}
