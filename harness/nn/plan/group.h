/* group: decides which elementwise nodes are computed together, and when.
 *
 * Every node gets a wave within its stage, such that each edge leads to the same or a later wave and these
 * lead to a strictly later one: from an elementwise node to anything that reads it from memory (a kernel, a
 * slice, a broadcast), and from a reduction to anything. Within a wave the kernels run first, in the order of
 * the nodes, then the groups. So all elementwise nodes of one wave and one count may run as one chain,
 * whatever else lies between them: no path leads out of the wave and back. */
#ifndef GNT_NN_GROUP_H
#define GNT_NN_GROUP_H

#include "nn/plan/nn_plan.h"

typedef enum gnt_kind {
    GNT_KIND_DEAD,
    GNT_KIND_INPUT,
    GNT_KIND_ALIAS,  /* a reshape: same entries, same flat index */
    GNT_KIND_SLICE,  /* a contiguous slice: same entries, other index */
    GNT_KIND_EACH,   /* elementwise */
    GNT_KIND_INLINE, /* elementwise and cheap: computed again wherever it is read, never stored */
    GNT_KIND_TOTAL,  /* a sum that can end a chain */
    GNT_KIND_SPREAD, /* a broadcast that a chain can take in */
    GNT_KIND_KERNEL  /* everything else */
} gnt_kind;

typedef struct gnt_grouping_item {
    /* In the order of execution. late 0: a kernel; 1: a member of a group. */
    int32_t stage, wave, late, group, node;
} gnt_grouping_item;

typedef struct gnt_grouping_node {
    uint8_t kind;   /* a gnt_kind */
    uint8_t memory; /* read from memory by a kernel, slice or broadcast, or an output */
    uint8_t stored; /* has to have a buffer */
    int32_t alias;  /* the node with the same entries that is not a reshape */
    int32_t wave;
    int32_t chunk;      /* the chain it is computed in */
    int32_t uses;       /* by members of its own chain */
    int64_t inner, mid; /* patterns of TOTAL and SPREAD (kernels.h) */
    uint8_t low;
} gnt_grouping_node;

typedef struct gnt_grouping {
    gnt_grouping_node *node; /* by node */
    gnt_grouping_item *item;
    int32_t n_items;
} gnt_grouping;

/* Stages must be known. −1 out of memory. */
int gnt_group(gnt_nn_plan *plan, gnt_grouping *q);
void gnt_grouping_free(gnt_grouping *q);

/* Appends the step of the chain that computes members[0 … n): ascending nodes of one chunk. */
int gnt_fused_step(gnt_nn_plan *plan, const gnt_grouping *q, const gnt_grouping_item *members, int32_t n);

#endif
