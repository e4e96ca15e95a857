/* What the files that read results.json share. Private to this room. */
#ifndef GNT_RESULTS_RESULTS_IMPL_H
#define GNT_RESULTS_RESULTS_IMPL_H

#include "results/results.h"

/* Fills task, defense, attack and about from the lists of the root, and from cells, groups and marked, which
 * are there. `file` stands for the file in sentences. */
int results_collect_names(gnt_results *r, const char *file, gnt_err *err);

/* The words of the file, by value. */
extern const char *const results_status_names[GNT_CELL_STATUSES];
extern const char *const results_mode_names[GNT_ROW_MODES];

#endif
