/* forest: trees that each learn from a sample of the rows, and at each node look at a few columns drawn at
 * random (Breiman 2001). They are kept flat: the nodes of all trees in a row, tree after tree, a row of
 * numbers each. Within a tree both children of a node stand behind it, side by side, so that every walk
 * ends. */
#ifndef ATTRIBUTE_FOREST_H
#define ATTRIBUTE_FOREST_H

#include "classic.h"

/* Numbers of a node: the column of x that is asked for, and the greatest entry that goes left; the place of
 * the left child within the tree, 0 of a leaf; the share of each value in what it learnt from. */
enum { FOREST_COLUMN, FOREST_THRESHOLD, FOREST_LEFT, FOREST_SHARES };
/* What a float32 counts without a gap: greatest number of columns, and of nodes in a tree. */
enum { FOREST_MOST = 1 << 24 };

typedef struct forest_recipe {
    int64_t trees, depth, leaf; /* depth: greatest, 0: any; leaf: least rows in one */
} forest_recipe;

typedef struct forest {
    int64_t trees, columns;
    int32_t values;
    const float *size; /* trees: nodes of each */
    const float *node; /* all their nodes × (FOREST_SHARES + values) */
    double *room;      /* values: of forest_scores */
} forest;

/* Grows a forest on the training part of a table. Its nodes are `*owned` too, to be given to free whatever
 * comes back; the rest is scratch of the hook. */
gnt_status forest_grow(forest *f, float **owned, const classic *c, const forest_recipe *recipe,
                       const attr_table *t);

/* The mean over trees of the shares in the leaf that x comes to. */
void forest_scores(const void *f, const float *x, float *scores);
/* Scratch for forest_scores. */
gnt_status forest_open(forest *f, const gnt_host *host);
gnt_status forest_write(const forest *f, const gnt_sink *out);
/* 0 when the artefacts hold so many trees for these, in which every walk ends at a leaf; its tensors stay
 * theirs. */
int forest_read(forest *f, int64_t trees, const gnt_artefacts *own, int64_t columns, int32_t values);

#endif
