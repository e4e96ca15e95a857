/* members: the struct that the host allocates for a plugin with an instance_size, and the members of it that
 * receive the plugin's parameters. */
#ifndef GNT_PLUGIN_MEMBERS_H
#define GNT_PLUGIN_MEMBERS_H

#include "base/err.h"
#include "gauntlet/plugin.h"
#include "plugin/params.h"

enum { GNT_PLUGIN_INSTANCE = 1 << 20 }; /* greatest instance_size */

/* Checks the descriptor's instance_size, create and destroy, start and stop, and the member of each row: it
 * is aligned, lies behind `host` and within the struct, and overlaps no other. Messages begin with `where`.
 * `d` has this host's size; its n_parameters and its rows' ids are checked, the rest is not. */
int gnt_members_check(const gnt_descriptor *d, const char *where, gnt_err *err);

/* Sets `host` and the members of `self`, instance_size zeroed bytes. Texts and lists stay owned by `params`,
 * whose values have the order of the rows. The descriptor passed the check. */
void gnt_members_set(void *self, const gnt_descriptor *d, const gnt_host *host, const gnt_params *params);

#endif
