/* partition_group: samples dealt to clients by group: an identity, a speaker, or the value of an attribute.
 */
#ifndef GNT_FL_PARTITION_GROUP_H
#define GNT_FL_PARTITION_GROUP_H

#include "fl/partition.h"

/* Fills p->start and p->index, which have room for spec->clients + 1 and n. order: the n samples, shuffled;
 * n is at least the number of clients. */
int gnt_partition_by_group(gnt_partition *p, const gnt_partition_spec *spec, const uint32_t *order, int64_t n,
                           gnt_stream *random, gnt_err *err);

#endif
