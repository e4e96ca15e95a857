/* info_impl: shared by the files of `info`. */
#ifndef GNT_PLUGIN_INFO_IMPL_H
#define GNT_PLUGIN_INFO_IMPL_H

#include "plugin/info.h"

/* Checks a whole copy, from any source; messages begin with `where`. */
int gnt_info_check(const gnt_plugin_info *info, const char *where, gnt_err *err);
/* Returns the only row where strength is set; −1: none, −2: several. */
int32_t gnt_strength_row(const gnt_parameter *table, int32_t n);
char *gnt_list_text(const double *list, int64_t n); /* "[0.5,2]"; the caller frees */

/* Copy a descriptor and its hook tables to this host's size; members beyond their own size are NULL. Each
 * must be at least as large as in ABI 0.10, which gnt_info_of_descriptor checks. */
gnt_defense gnt_defense_table(const gnt_defense *table);
gnt_attack gnt_attack_table(const gnt_attack *table);
gnt_descriptor gnt_descriptor_copy(const gnt_descriptor *d);

#endif
