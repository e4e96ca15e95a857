/* forest: trees that each learn from a sample of the rows, and at each node consider a few columns drawn at
 * random (Breiman 2001). They are stored flat: the nodes of all trees, tree after tree, a row of numbers
 * each. Within a tree both children of a node are after it, next to each other, so that every walk ends. */
#ifndef ATTRIBUTE_FOREST_H
#define ATTRIBUTE_FOREST_H

#include "classic.h"

/* Numbers of a node: the column of x that it compares, and the greatest entry that goes left; the place of
 * the left child within the tree, 0 for a leaf; the share of each value in its training rows. */
enum { FOREST_COLUMN, FOREST_THRESHOLD, FOREST_LEFT, FOREST_SHARES };
/* Greatest number of columns, and of nodes in a tree: float32 has all integers up to it. */
enum { FOREST_MOST = 1 << 24 };

typedef struct forest_recipe {
    int64_t trees, depth, leaf; /* depth: greatest, 0: any; leaf: least rows in one */
} forest_recipe;

typedef struct forest {
    int64_t trees, columns;
    int32_t values;
    const float *size; /* trees: nodes of each */
    const float *node; /* all their nodes × (FOREST_SHARES + values) */
    double *room;      /* values: scratch of forest_scores */
} forest;

/* Grows a forest on the training part of a table. The caller frees `*owned`, its nodes, also after a failure;
 * the rest is scratch of the hook. */
gnt_status forest_grow(forest *f, float **owned, const classic *c, const forest_recipe *recipe,
                       const attr_table *t);

/* Computes the mean over trees of the shares in the leaf of x. */
void forest_scores(const void *f, const float *x, float *scores);
/* Allocates the scratch of forest_scores. */
gnt_status forest_open(forest *f, const gnt_host *host);
gnt_status forest_write(const forest *f, const gnt_sink *out);
/* Reads a forest of so many trees from the artefacts, which keep its tensors. Returns −1 if they have none,
 * or one where some walk does not end at a leaf. */
int forest_read(forest *f, int64_t trees, const gnt_artefacts *own, int64_t columns, int32_t values);

#endif
