/* hide: clients that want different attributes hidden, in groups. Each group is a share of the clients; which
 * of them it has is drawn from a stream of its own, whatever the defense. */
#ifndef GNT_FL_HIDE_H
#define GNT_FL_HIDE_H

#include <stddef.h>
#include <stdint.h>

#include "base/random.h"
#include "gauntlet/plugin.h"

/* Returns how many clients group k has, of groups with these shares, whose sum is at most 1: shares are
 * rounded such that the first k groups together are as near to their sum as possible. */
int32_t gnt_hide_count(int32_t clients, const double *share, size_t k);
/* Sets of_client[0 … clients − 1] to the number of its group, −1 for one that is in none. −1 when out of
 * memory. */
int gnt_hide_deal(int32_t *of_client, int32_t clients, const double *share, size_t n, const gnt_key *key);

/* The attributes as each client weighs them. The tables are the caller's. */
typedef struct gnt_fl_hidden {
    /* attribute[k · n … k · n + n − 1] are client k's; NULL: all clients weigh them as their samples say. */
    const gnt_attribute *attribute;
    int32_t n, clients;
} gnt_fl_hidden;

/* Sets the weights of the samples' attributes to those of `client`. */
void gnt_hide_for(const gnt_fl_hidden *h, int32_t client, gnt_samples *samples);

#endif
