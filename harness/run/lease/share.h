/* share: what runs in one folder know of each other, so that several machines can work on one suite. It
 * lies in the store, whose other readers pass it by:
 *
 *   STORE/share/identity.json     {"format", "identity", "node"}: of the run that came first
 *   STORE/share/lease/            who computes what (run/lease/lease.h)
 *   STORE/share/failed/KEY.json   {"job", "node", "reason", "slurm_job", "verdict"} of a job that failed
 *   STORE/share/worker/NAME.json  how far a run is (gnt_share_tell); NAME is of its node and process
 *
 * A failed job is not run again by those that share, only by the one that gathers. Nothing here enters a
 * result. All of it is read as hostile.
 *
 * Owner and lifetime: gnt_share_open gives a share, gnt_share_close takes it back and lets go of its
 * leases. Thread: any, one for a share. Errors: −1 with a sentence. */
#ifndef GNT_RUN_SHARE_H
#define GNT_RUN_SHARE_H

#include <jansson.h>

#include "base/digest.h"
#include "base/err.h"
#include "run/lease/lease.h"

enum { GNT_LEASE_TERM = 60, GNT_LEASE_LEAST = 2, GNT_LEASE_MOST = 3600 };

typedef struct gnt_share gnt_share;

/* Refuses where `identity` (run/identity.h) is not that of the run that came first. folder: of the run.
 * slurm_job: the job's number, or "". term: of leases, in seconds. */
int gnt_share_open(gnt_share **out, const char *folder, const char *identity, const char *slurm_job,
                   double term, gnt_err *err);
void gnt_share_close(gnt_share *s);

/* Of this machine; "unknown" where it has no name. */
const char *gnt_share_node(const gnt_share *s);
gnt_leases *gnt_share_leases(gnt_share *s);

/* Lists what failed. To be called before gnt_share_failure. */
int gnt_share_look(gnt_share *s, gnt_err *err);
/* A new reference; NULL where the job of that key is not known to have failed. Members that are no text are
 * left out. */
json_t *gnt_share_failure(const gnt_share *s, const gnt_digest *key);
/* failure: "job", "verdict" and "reason"; the rest is added. */
int gnt_share_put_failure(gnt_share *s, const gnt_digest *key, json_t *failure, gnt_err *err);
/* The job of that key has ended well after all. */
void gnt_share_forget_failure(gnt_share *s, const gnt_digest *key);

/* Writes how far this run is, with "node", "pid" and "slurm_job" added to `state`, which is borrowed. */
int gnt_share_tell(gnt_share *s, const json_t *state, gnt_err *err);

/* Removes what tells of earlier runs: identity, failures, workers. For when none is running. folder: of the
 * run. */
int gnt_share_begin_anew(const char *folder, gnt_err *err);
/* The objects in STORE/share/NAME/ of `folder`, the run's, each with "file" added; files that are no object
 * are passed by. Empty where there is none. NULL when out of memory. */
json_t *gnt_share_read_all(const char *folder, const char *name);

#endif
