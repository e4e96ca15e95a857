/* sandbox_try: finds out how well a worker is confined on this machine, before any plugin is opened.
 *
 * Ownership: arguments are borrowed for the call. Threads: the one that handles the children. Errors: −1 with
 * a message. */
#ifndef GNT_PROCESS_SANDBOX_TRY_H
#define GNT_PROCESS_SANDBOX_TRY_H

#include "base/err.h"
#include "process/sandbox.h"

/* Starts a worker that enters a sandbox and opens nothing. Returns −1 if no worker could be confined, or its
 * level is below options->least; the message names the missing layers and the reasons. */
int gnt_sandbox_try(const gnt_sandbox_options *options, gnt_sandbox_report *report, gnt_err *err);

#endif
