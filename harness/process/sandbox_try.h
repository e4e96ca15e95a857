/* sandbox_try: how well a worker is confined on this machine, found out before any plugin is opened.
 *
 * Owner and lifetime: arguments are borrowed for the call.
 * Thread: the one that handles the children.
 * Errors: −1 with a sentence. */
#ifndef GNT_PROCESS_SANDBOX_TRY_H
#define GNT_PROCESS_SANDBOX_TRY_H

#include "base/err.h"
#include "process/sandbox.h"

/* Starts a worker that enters a sandbox and opens nothing. −1: no worker could be confined, or its level is
 * below options->least; the sentence then says which layer is missing and why. */
int gnt_sandbox_try(const gnt_sandbox_options *options, gnt_sandbox_report *report, gnt_err *err);

#endif
