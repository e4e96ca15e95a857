/* hook_times: the run times of the hooks of a job's plugins, as JSON that its processes pass on:
 *
 *     [{"plugin": ID, "hook": NAME, "calls": N, "seconds": S}, …]
 *
 * One entry for each plugin and hook, in the order of their first calls; seconds of the monotonic clock, of
 * all calls including failed ones. They describe the machine: they go to host.json only, not into results or
 * keys. A list comes from a process that a plugin shares, so the plugin could forge it.
 *
 * Owner and lifetime: the lists are the caller's. Thread: any, one for a list. Errors: running out of memory
 * leaves entries out. */
#ifndef GNT_PLUGIN_HOOK_TIMES_H
#define GNT_PLUGIN_HOOK_TIMES_H

#include <stdint.h>

#include <jansson.h>

#include "plugin/host.h"

/* Adds the times of one instance of the plugin `id`. */
void gnt_hook_times_add(json_t *list, const char *id, const gnt_instance *i);
/* Adds the entries of another list, which is untrusted: invalid entries are ignored. */
void gnt_hook_times_join(json_t *list, const json_t *other);

#endif
