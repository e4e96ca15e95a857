/* hook_times: how long the hooks of a job's plugins took, as JSON that its processes hand on:
 *
 *     [{"plugin": ID, "hook": NAME, "calls": N, "seconds": S}, …]
 *
 * One entry for each plugin and hook, in the order of their first calls; seconds by the monotonic clock, of
 * all calls together, those that failed among them. They are facts of the machine: they go to host.json alone
 * and enter no result and no key. A list comes out of a process that a plugin shares, so that it says no more
 * than the plugin lets it.
 *
 * Owner and lifetime: the lists are the caller's. Thread: any, one for a list. Errors: running out of memory
 * leaves entries out. */
#ifndef GNT_PLUGIN_HOOK_TIMES_H
#define GNT_PLUGIN_HOOK_TIMES_H

#include <stdint.h>

#include <jansson.h>

#include "plugin/host.h"

/* Adds what one instance of the plugin `id` counted. */
void gnt_hook_times_add(json_t *list, const char *id, const gnt_instance *i);
/* Adds the entries of another list, of which anything may be wrong: what is no entry is left out. */
void gnt_hook_times_join(json_t *list, const json_t *other);

#endif
