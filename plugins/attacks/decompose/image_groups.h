/* image_groups: finds the groups of encodings that share an original.
 *
 * A group grows from a triangle, three encodings that are pairwise similar: pairs are often similar by
 * chance, when they have strong images, triangles seldom. Each round grows missing groups from the similarity
 * that the others leave unexplained, computes least squares for all, chooses members greedily, and drops
 * groups that are empty or duplicates. */
#ifndef DECOMPOSE_IMAGE_GROUPS_H
#define DECOMPOSE_IMAGE_GROUPS_H

#include "factor.h"

/* Fills g from the similarity (encodings × encodings, symmetric). */
gnt_status dec_group(dec_groups *g, const gnt_host *host, const float *similarity, int32_t rounds);

#endif
