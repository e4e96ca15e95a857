/* group: finds the groups of encodings that share an original, with nothing known of them.
 *
 * A group grows from a triangle, three encodings that are all alike: pairs are often alike by
 * accident of two strong images, triangles seldom. Rounds of: grow what is missing from what the
 * groups so far leave unexplained, least squares for all, greedy membership, drop what turned out
 * empty or the same as another. */
#ifndef DECOMPOSE_GROUP_H
#define DECOMPOSE_GROUP_H

#include "factor.h"

/* Fills g from the similarity (encodings × encodings, symmetric). */
gnt_status dec_group(dec_groups *g, const gnt_host *host, const float *similarity, int32_t rounds);

#endif
