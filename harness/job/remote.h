/* remote: a chain whose hooks run in processes of their own (side.h), as a chain like any other.
 *
 * Its members have a hook for each that the request says the defense has ("hooks" of an entry, GNT_HOOK_*), which sends
 * what the hook is given to the process of its side and waits for the answer. An answer is a stranger's: its sizes are
 * checked here, its numbers where any chain's are. */
#ifndef GNT_JOB_REMOTE_H
#define GNT_JOB_REMOTE_H

#include "job/work.h"

typedef struct gnt_remote gnt_remote;

/* The chain of the request's "defense", with the key of the random streams of its hooks (keys.defense). The work and the
 * model outlive it. */
typedef struct gnt_remote_spec {
    const gnt_request_plugins *defense;
    /* The role that clients' keys are derived from. */
    const gnt_key *key;
    /* Each client is served by a process that saw no other. */
    int copies;
    /* What encodings are said to be made of is asked for. */
    int claims;
} gnt_remote_spec;

/* `spec` and what it points to outlive it. */
int gnt_remote_open(gnt_remote **out, gnt_work *w, const gnt_work_model *m, const gnt_remote_spec *spec,
                    gnt_err *err);
void gnt_remote_free(gnt_remote *r);
const gnt_chain *gnt_remote_chain(const gnt_remote *r);

/* From here to gnt_remote_together hooks of clients run in a process of their own (side_copies.h): what they give can depend
 * on nothing but what they are given in between, sums and state among it. Wants "copies" of the request. */
int gnt_remote_by_copies(const gnt_remote *r); /* 1: hooks of clients run in no other way */
int gnt_remote_alone(gnt_remote *r, gnt_err *err);
int gnt_remote_together(gnt_remote *r, gnt_err *err);

#endif
