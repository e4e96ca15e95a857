/* kept_entries: an update of which only the entries of greatest magnitude are kept, as a defense that makes
 * updates sparse leaves it. */
#ifndef GRADIENT_KEPT_ENTRIES_H
#define GRADIENT_KEPT_ENTRIES_H

#include "gauntlet/plugin.h"

/* Scratch of the hook. All zeros: every entry is kept. */
typedef struct kept_entries {
    int64_t n, kept; /* entries, and how many stay */
    float *room, *entry;
    gnt_view *view;
} kept_entries;

/* Makes room for updates like this one. keep: the share that stays, from 0 to 1. GNT_OK, or a status after
 * host->fail. */
gnt_status kept_entries_open(kept_entries *k, const gnt_host *host, const gnt_views *like, double keep);
/* Returns a copy of u with the entries below the threshold at 0: n − ⌊(1 − keep)·n⌋ or more stay, where
 * several are as large. Valid until the next call. */
gnt_views kept_entries_of(kept_entries *k, const gnt_views *u);
/* Sets derivatives by entries that the last copy does not have to 0. */
void kept_entries_drop(const kept_entries *k, float *const *d_u);

#endif
