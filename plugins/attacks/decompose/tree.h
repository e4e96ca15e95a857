/* tree: gives columns that are known up to a sign each one common sign, along a spanning tree of the most
 * certain pairs. */
#ifndef DECOMPOSE_TREE_H
#define DECOMPOSE_TREE_H

#include <stdint.h>

/* Multiplies columns of p, rows × (c·h·w), by ±1. Columns are neighbours across channels at one place and at
 * touching places of one channel; in natural images neighbours agree. Along a maximum spanning tree of |cos|
 * of neighbouring columns every cosine is then ≥ 0. Returns −1 when out of memory. */
int dec_agree(float *p, int64_t rows, int64_t c, int64_t h, int64_t w);

#endif
