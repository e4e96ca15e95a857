/* side: derives the requests of the sides of a training or a replay, in which a defense's hooks run, from the
 * job's request, to which they point. */
#ifndef GNT_REQUEST_SIDE_H
#define GNT_REQUEST_SIDE_H

#include "request/request.h"

/* The parts of a job's request that concern its sides. */
typedef struct gnt_request_sides {
    const gnt_request_model *model;
    const gnt_request_samples *samples;
    const gnt_request_plugins *defense;
    const gnt_key *key;
    int training_stats;
    /* GNT_SIDE_*; 0: none. */
    uint32_t wanted;
    /* Clients are served one by one, each by a process that saw no other (job/side/side_copies.h). */
    int copies;
    /* Further processes of the server, for the influence of updates (job/influence.h). */
    size_t server_copies;
} gnt_request_sides;

enum {
    /* The most further processes of a server. */
    GNT_SIDE_MOST_COPIES = 64,
    GNT_SIDE_NAME_SIZE = 16
};

gnt_request_sides gnt_request_sides_of(const gnt_request *job);
/* Returns how many further processes of the server a record needs (NULL: none): one for each update whose
 * influence is measured, with shadow rows two, one that gets all updates as they are, and one that gets none
 * of them as it is. */
size_t gnt_server_copies(const gnt_request_record *record);
/* Writes the name of the socket to the i-th further process of the server: "server.1", … */
void gnt_server_copy_name(size_t i, char name[GNT_SIDE_NAME_SIZE]);

/* Returns the request of one side: only what it needs of the job's request, with a key of its own. The job
 * keeps the key from which clients' streams are derived, and sends each client's key with each call, so that
 * no process can reproduce the noise of another process's client. */
gnt_request gnt_request_of_side(const gnt_request_sides *sides, uint32_t side);

/* True if the side forks a process for each client. */
int gnt_side_copies(const gnt_request_sides *sides, uint32_t side);
/* True if the side may read that input of the job: private artefacts only reach the clients' side. */
int gnt_side_reads(const gnt_request_sides *sides, uint32_t side, const char *input);

#endif
