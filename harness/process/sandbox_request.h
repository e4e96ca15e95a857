/* walls: what the user asks of the sandbox, on its way to every worker that opens a plugin, and how well a worker is
 * walled in here, found out before any plugin is opened. */
#ifndef GNT_RUN_WALLS_H
#define GNT_RUN_WALLS_H

#include <jansson.h>

#include "base/err.h"
#include "process/sandbox.h"

/* The member "sandbox" of a worker's request. Takes `files` over, an array of absolute paths that stay readable; wish
 * may be NULL. NULL when out of memory. */
json_t *gnt_sandbox_request(const gnt_sandbox_wish *wish, json_t *files, int may_fork);

/* Reads it back and enters. */
int gnt_sandbox_request_enter(const json_t *request, gnt_sandbox_report *report, gnt_err *err);

/* Starts a worker that enters a sandbox and opens nothing. -1: no worker could be walled in, or its level is below
 * wish->least; the sentence then says which wall is missing and why. */
int gnt_sandbox_request_try(const gnt_sandbox_wish *wish, gnt_sandbox_report *report, gnt_err *err);

#endif
