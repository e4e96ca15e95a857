/* remote: a chain of defenses whose hooks run in processes of their own (side_job), with the interface of any
 * chain.
 *
 * Its members have a hook for each GNT_HOOK_* that the request gives the defense. Each hook sends what it is
 * given to the process of its side, and waits for the answer. The process runs a plugin, so its answer is not
 * trusted: sizes are checked here, numbers where those of any chain are.
 *
 * Ownership: a gnt_remote owns its chain. Errors: −1 with a sentence. */
#ifndef GNT_JOB_REMOTE_H
#define GNT_JOB_REMOTE_H

#include "job/work/saved.h"
#include "job/work/work.h"

typedef struct gnt_remote gnt_remote;

typedef struct gnt_remote_spec {
    const gnt_request_plugins *defense;
    /* The role that keys of client hooks are derived from. */
    const gnt_key *key;
    /* Each client is served by a copy of the process that saw no other client (side_copies.h). */
    int copies;
    /* Request the claims too: what encodings are made of. */
    int claims;
    /* Further processes of the server, at most GNT_SIDE_MOST_COPIES. */
    size_t server_copies;
} gnt_remote_spec;

/* `spec`, what it points to, the work and the model outlive it. */
int gnt_remote_open(gnt_remote **out, gnt_work *w, const gnt_work_model *m, const gnt_remote_spec *spec,
                    gnt_err *err);
void gnt_remote_free(gnt_remote *r);
const gnt_chain *gnt_remote_chain(const gnt_remote *r);

/* 1: hooks of clients run in copies alone, and must be between the calls below. */
int gnt_remote_uses_copies(const gnt_remote *r);
/* From copy_begin to copy_end, hooks of clients run in a fresh copy of the process. What they give depends on
 * nothing but what they are given in between, sums and state included. */
int gnt_remote_copy_begin(gnt_remote *r, gnt_err *err);
/* The same for work that is no part of the training (job/shadow_client.h): random streams are others than the
 * client's, and facts and times of the copy are dropped. The copy cannot know. */
int gnt_remote_shadow_begin(gnt_remote *r, gnt_err *err);
int gnt_remote_copy_end(gnt_remote *r, gnt_err *err);

/* Adds what the processes of clients and of the server carry from round to round to a checkpoint, under
 * "client/" and "server/". Outside of copies. */
int gnt_remote_save(gnt_remote *r, gnt_saved *out, gnt_err *err);
/* Checks what a checkpoint has of it, and that processes were in the same sandboxes as now. */
int gnt_remote_check(gnt_remote *r, const gnt_st *from, gnt_err *err);
/* Sets what was checked. */
int gnt_remote_load(gnt_remote *r, const gnt_st *from, gnt_err *err);

/* How many further processes of the server there are. All are given the secure sums and requests for state
 * that the server is given. */
size_t gnt_remote_server_copies(const gnt_remote *r);
/* From here on `aggregate` runs in the i-th of the server's processes: 0 the server, 1 … the further ones. */
void gnt_remote_use_server(gnt_remote *r, size_t i);

#endif
