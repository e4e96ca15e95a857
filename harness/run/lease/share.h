/* share: what runs in one folder know of each other, so that several machines can work on one suite. It is in
 * the store, whose other readers ignore it:
 *
 *   STORE/share/identity.json     {"format", "identity", "node"}: of the first run
 *   STORE/share/lease/            which run computes what (run/lease/lease.h)
 *   STORE/share/failed/KEY.json   {"job", "node", "reason", "slurm_job", "verdict"} of a job that failed
 *   STORE/share/worker/NAME.json  how far a run is (gnt_share_report); NAME is of its node and process
 *
 * A failed job is not run again by those that share, only by the one that gathers. Nothing here enters a
 * result. All of it is read as hostile.
 *
 * Owner and lifetime: gnt_share_open makes a share, gnt_share_close releases its leases and frees it. Thread:
 * any, one for a share. Errors: −1 with a sentence. */
#ifndef GNT_RUN_SHARE_H
#define GNT_RUN_SHARE_H

#include <jansson.h>

#include "base/digest.h"
#include "base/err.h"
#include "run/lease/lease.h"

enum { GNT_LEASE_TERM = 60, GNT_LEASE_LEAST = 2, GNT_LEASE_MOST = 3600 };

typedef struct gnt_share gnt_share;

/* Opens the share; refuses if `identity` (run/identity.h) is not that of the first run. folder: of the run.
 * slurm_job: the job's number, or "". term: of leases, in seconds. */
int gnt_share_open(gnt_share **out, const char *folder, const char *identity, const char *slurm_job,
                   double term, gnt_err *err);
void gnt_share_close(gnt_share *s);

/* Returns this machine's name; "unknown" if it has none. */
const char *gnt_share_node(const gnt_share *s);
gnt_leases *gnt_share_leases(gnt_share *s);

/* Lists what failed. To be called before gnt_share_failure. */
int gnt_share_look(gnt_share *s, gnt_err *err);
/* Returns a new reference; NULL if the job of that key is not known to have failed. Members that are not text
 * are left out. */
json_t *gnt_share_failure(const gnt_share *s, const gnt_digest *key);
/* Writes a failure: "job", "verdict" and "reason", to which the rest is added. */
int gnt_share_put_failure(gnt_share *s, const gnt_digest *key, json_t *failure, gnt_err *err);
/* Removes the failure of a job that has ended well after all. */
void gnt_share_forget_failure(gnt_share *s, const gnt_digest *key);

/* Writes how far this run is, with "node", "pid" and "slurm_job" added to `state`, which is borrowed. */
int gnt_share_report(gnt_share *s, const json_t *state, gnt_err *err);

/* Removes the records of earlier runs: identity, failures, workers. No run may work in the folder. folder: of
 * the run. */
int gnt_share_reset(const char *folder, gnt_err *err);
/* Returns the objects in STORE/share/NAME/ of `folder`, the run's, each with "file" added; other files are
 * ignored. Empty if there are none. NULL when out of memory. */
json_t *gnt_share_read_all(const char *folder, const char *name);

#endif
