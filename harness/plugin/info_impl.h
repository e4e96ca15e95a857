/* What the files of `info` share among themselves. */
#ifndef GNT_PLUGIN_INFO_IMPL_H
#define GNT_PLUGIN_INFO_IMPL_H

#include "plugin/info.h"

/* Checks a copy as a whole, from wherever it came; `where` begins the sentence. */
int gnt_info_check(const gnt_plugin_info *info, const char *where, gnt_err *err);
/* The one row where strength is set, −1 for none, −2 for several. */
int32_t gnt_strength_row(const gnt_parameter *table, int32_t n);
char *gnt_list_text(const double *list, int64_t n); /* "[0.5,2]"; the caller frees */

/* Copies of a descriptor and of its hook tables, as large as this host's; members beyond their own size are
 * NULL. Each must be at least as large as in ABI 0.10, which gnt_info_of_descriptor makes sure of. */
gnt_defense gnt_defense_table(const gnt_defense *table);
gnt_attack gnt_attack_table(const gnt_attack *table);
gnt_descriptor gnt_descriptor_copy(const gnt_descriptor *d);

#endif
