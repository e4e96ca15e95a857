/* partition: which samples each client holds. Every sample belongs to exactly one client, except that
 * `shards` leaves over what does not fill a shard. */
#ifndef GNT_FL_PARTITION_H
#define GNT_FL_PARTITION_H

#include <stdint.h>

#include "base/err.h"
#include "base/random.h"

typedef enum gnt_partition_kind {
    GNT_PARTITION_IID,    /* shuffled and dealt evenly */
    GNT_PARTITION_SHARDS, /* sorted by label, cut into clients × shards pieces, dealt `shards` to a client */
    GNT_PARTITION_DIRICHLET /* each class is shared out by a draw from Dirichlet(alpha) over clients */
} gnt_partition_kind;

typedef struct gnt_partition_spec {
    gnt_partition_kind kind;
    int32_t clients;
    int32_t shards; /* a client */
    double alpha;
} gnt_partition_spec;

typedef struct gnt_partition {
    int32_t clients;
    int64_t *start;  /* clients + 1: client k holds index[start[k]] … index[start[k + 1] − 1] */
    uint32_t *index; /* sample numbers */
} gnt_partition;

/* label: n values in 0 … classes−1. Refuses fewer samples than clients (or shards). */
int gnt_partition_make(gnt_partition *out, const gnt_partition_spec *spec, const int32_t *label, int64_t n,
                       int32_t classes, const gnt_key *key, gnt_err *err);
void gnt_partition_free(gnt_partition *p);

#endif
