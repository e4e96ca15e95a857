/* groups: cells that differ in the seed alone, joined over their targets. A pure function of what
 * results.json says of the cells, so that who writes the file and who checks it come to the same. */
#ifndef GNT_TALLY_GROUPS_H
#define GNT_TALLY_GROUPS_H

#include <jansson.h>

/* The list "groups" of these cells, in the order of their first; `tasks` says how many samples each
 * observation has. The caller owns it. */
json_t *gnt_groups(const json_t *cells, const json_t *tasks);

#endif
