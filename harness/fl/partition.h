/* partition: which samples each client holds. No sample belongs to two clients. IID, DIRICHLET
 * and GROUP deal all of them; the other kinds leave some over, which nobody trains on. */
#ifndef GNT_FL_PARTITION_H
#define GNT_FL_PARTITION_H

#include <stdint.h>

#include "base/err.h"
#include "base/random.h"

typedef enum gnt_partition_kind {
    GNT_PARTITION_IID,    /* shuffled and dealt evenly */
    GNT_PARTITION_SHARDS, /* sorted by label, cut into clients × shards pieces, dealt `shards` to a client */
    GNT_PARTITION_DIRICHLET,   /* each class is shared out by a draw from Dirichlet(alpha) over clients */
    GNT_PARTITION_LABELS,      /* so many rows of named labels, each client its own */
    GNT_PARTITION_GROUP,       /* by group: whole groups, or parts of one group alone */
    GNT_PARTITION_SIZED_SHARDS /* sorted by label, cut into pieces of `size`, a client drawing how many */
} gnt_partition_kind;

/* What rows are dealt by where it is not an attribute. */
#define GNT_PARTITION_BY_GROUP "group"

typedef struct gnt_partition_spec {
    gnt_partition_kind kind;
    int32_t clients;
    int32_t shards; /* a client */
    double alpha;
    /* SIZED_SHARDS: rows of a shard. Each client is dealt `least` … `most` of them, uniformly; all counts are
     * drawn again while their sum is above the number of shards. */
    int64_t size;
    int32_t least, most;
    /* LABELS: client k holds rows[k] samples, shared evenly over its n_labels[k] labels. What is left after
     * the division goes to the first ones, one each. `labels`: those of client 0, then those of client 1,
     * and so on. */
    const int64_t *rows, *n_labels, *labels;
    /* GROUP: the group of each sample, any number. Largest first, of equals in drawn order, each goes whole
     * to the client that holds fewest samples so far. Where there are fewer groups than clients: an error if
     * they must stay `whole`; else each client holds samples of one group alone, the larger groups having
     * more clients, which share them evenly. */
    const int32_t *group;
    int whole;
} gnt_partition_spec;

typedef struct gnt_partition {
    int32_t clients;
    int64_t *start;  /* clients + 1: client k holds index[start[k]] … index[start[k + 1] − 1] */
    uint32_t *index; /* sample numbers */
} gnt_partition;

/* Makes a partition. label: n values in 0 … classes−1. Refuses fewer samples than clients, and any partition
 * that the samples do not suffice for. */
int gnt_partition_make(gnt_partition *out, const gnt_partition_spec *spec, const int32_t *label, int64_t n,
                       int32_t classes, const gnt_key *key, gnt_err *err);
void gnt_partition_free(gnt_partition *p);
/* True for the kinds that may leave rows over. */
int gnt_partition_may_leave(gnt_partition_kind kind);

#endif
