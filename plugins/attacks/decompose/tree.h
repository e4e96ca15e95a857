/* tree: gives columns that are each known up to their sign one common sign, along a spanning
 * tree of the surest pairs. */
#ifndef DECOMPOSE_TREE_H
#define DECOMPOSE_TREE_H

#include <stdint.h>

/* p: rows × (c·h·w). Columns are neighbours across channels at one place and at touching places of one
 * channel; natural images make neighbours agree. Columns are multiplied by ±1, such that along a maximum
 * spanning tree of |cos| of neighbouring columns every cosine is ≥ 0. Returns −1 without memory. */
int dec_agree(float *p, int64_t rows, int64_t c, int64_t h, int64_t w);

#endif
