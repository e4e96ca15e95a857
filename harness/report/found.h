/* found: what must be known of a run before its numbers are read: what the host found wrong with defenses, and how they were
 * observed. For the top of a report. */
#ifndef GNT_REPORT_FOUND_H
#define GNT_REPORT_FOUND_H

#include "results/results.h"
#include "render/table.h"

/* A row for each sentence on a defense in a task, cells with the same one joined; without rows where nothing was found. The
 * caller frees the table. */
void gnt_table_found(const gnt_results *r, gnt_table *t);
/* Lines: which tasks were probed, which ran under a public seed; nothing where none was. Holds foreign text. */
void gnt_report_observed(const gnt_results *r, gnt_text *out);

#endif
