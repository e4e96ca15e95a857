/* side: the requests of the processes beside a training or a replay, in which a defense's hooks run, made out
 * of the job's own request. What they point to is the job's. */
#ifndef GNT_REQUEST_SIDE_H
#define GNT_REQUEST_SIDE_H

#include "request/request.h"

/* What a job says of the processes beside it. */
typedef struct gnt_request_sides {
    const gnt_request_model *model;
    const gnt_request_samples *samples;
    const gnt_request_plugins *defense;
    const gnt_key *key;
    /* GNT_SIDE_*; 0: there are none. */
    uint32_t wanted;
    /* Clients are served one by one, each by a process that saw no other (job/side/side_copies.h). */
    int copies;
} gnt_request_sides;

gnt_request_sides gnt_request_sides_of(const gnt_request *job);

/* What one side is asked: what it needs of the job's request, and no more. Each side has a key of its own.
 * The job keeps the key that clients' streams are derived from, and sends each client's with what it asks for
 * it, so that no process can draw the noise of another's client again. */
gnt_request gnt_request_of_side(const gnt_request_sides *sides, uint32_t side);

/* 1 where that side makes copies of its process. */
int gnt_side_copies(const gnt_request_sides *sides, uint32_t side);
/* 1 where that side may read that input of the job: artefacts that clients keep to themselves are for their
 * side alone. */
int gnt_side_reads(const gnt_request_sides *sides, uint32_t side, const char *input);

#endif
