/* undone: is what updates did to a model like them as they were sent, or as they would have been sent
 * without a defense?
 *
 * The larger cosine with the influences (job/influence.h) says it: a server that takes updates as they are
 * sent gives their influences that direction, whatever weight it gives them, and one that undoes what hooks
 * did gives them the other. Where hooks left the direction of updates as it was, the smaller distance
 * says it. */
#ifndef GNT_JOB_UNDONE_H
#define GNT_JOB_UNDONE_H

#include <stdint.h>

/* Sums over entries of the updates that were added: products of influences, updates without hooks, and as
 * sent; squares of the distances of influences to the latter two. */
typedef struct gnt_undone {
    double plain_plain, sent_sent, plain_sent, influence_plain, influence_sent, to_plain, to_sent;
} gnt_undone;

/* Adds an update of n entries: its influence, without hooks, and as sent. */
void gnt_undone_add(gnt_undone *u, const float *influence, const float *plain, const float *sent, int64_t n);
/* Returns 0 where nothing was added, or hooks changed nothing. */
int gnt_is_undone(const gnt_undone *u);

#endif
