/* hook_seconds: how long the hooks of each defense and attack of a run took, joined over the jobs of its
 * host.json. They are facts of one machine and of what else it did; results.json has none of them. */
#ifndef GNT_JUDGE_HOOK_SECONDS_H
#define GNT_JUDGE_HOOK_SECONDS_H

#include <stdint.h>

#include <jansson.h>

/* Returns a new list of
 *
 *     {"defense": LABEL, "plugin": ID, "hook": NAME, "calls": N, "seconds": S}
 *
 * with "attack" in place of "defense" for an attack's own hooks; in the order in which the file has them.
 * `host` is the whole of host.json and may be hostile: what is no such entry is left out. NULL when out of
 * memory. */
json_t *gnt_hook_seconds(const json_t *host);

typedef struct gnt_hook_row {
    const char *label, *plugin, *hook; /* borrowed */
    int of_attack;
    int64_t calls; /* at least 1 */
    double seconds;
} gnt_hook_row;

/* Reads an entry of such a list; returns 0 if it is none. */
int gnt_hook_row_read(const json_t *entry, gnt_hook_row *out);

#endif
