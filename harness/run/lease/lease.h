/* lease: which process computes which job, for machines that share a store. A lease is a file named by the
 * store key in a folder that all of them see:
 *
 *   FOLDER/KEY              {"job", "node", "pid", "token"} of the holder
 *   FOLDER/KEY.TOKEN.part   about to become one
 *   FOLDER/KEY.TOKEN.stale  taken from a holder that died
 *   FOLDER/clock.TOKEN      by which one process reads the file system's time
 *
 * A lease is made by link(), of which one succeeds. Its holder touches it every quarter of a term. It is
 * stale when it was not touched for a whole term by the clock of the file system, and was seen in its
 * place for a whole term by this process: clocks of machines do not matter, and a step of the file system's
 * clock expires no lease. A stale one is taken by rename() to a name of its own, of which one
 * succeeds.
 *
 * No lock is used, and none is promised: a holder that was suspended for a term loses its lease and goes on
 * computing. Two that compute one job leave the same bytes (run/store/store.h); a lease only saves the work.
 *
 * Owner and lifetime: gnt_leases_open gives them, gnt_leases_close releases and frees all of them. Thread:
 * any, one for a gnt_leases. Errors: −1 with a sentence. */
#ifndef GNT_RUN_LEASE_H
#define GNT_RUN_LEASE_H

#include <jansson.h>

#include "base/digest.h"
#include "base/err.h"

typedef struct gnt_leases gnt_leases;

/* Makes the folder. holder: an object that each lease repeats; borrowed for the call. term: seconds. */
int gnt_leases_open(gnt_leases **out, const char *folder, const json_t *holder, double term, gnt_err *err);
void gnt_leases_close(gnt_leases *l);

/* Lists the leases of others. To be called before claims. */
int gnt_leases_look(gnt_leases *l, gnt_err *err);
/* Acquires a lease. Returns 1, or 0 if another process has it. */
int gnt_leases_claim(gnt_leases *l, const gnt_digest *key, gnt_err *err);
/* Releases a lease. Nothing happens if this process does not have it. */
void gnt_leases_release(gnt_leases *l, const gnt_digest *key);
/* Renews this process's leases that are due. Cheap: to be called often. */
void gnt_leases_renew(gnt_leases *l);
/* Removes what processes that died have left in the folder; returns the number of files. */
int gnt_leases_sweep(gnt_leases *l);

#endif
