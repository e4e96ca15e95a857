/* again: what is common to running cells of a finished run again: its results, held against the suite that its folder
 * keeps, and a scratch folder. The run's folder may be a stranger's. */
#ifndef GNT_RUN_AGAIN_H
#define GNT_RUN_AGAIN_H

#include <stdint.h>

#include "base/err.h"
#include "base/json.h"
#include "suite/plan.h"

/* A JSON file of a run's folder. */
int rerun_load(gnt_doc *doc, const char *folder, const char *name, gnt_err *err);
/* results.json of this suite, with the cells of this plan in its order. On failure nothing is held. */
int rerun_results(gnt_doc *doc, const char *folder, const gnt_suite *suite, const gnt_plan *plan,
                  gnt_err *err);
int rerun_ok(const json_t *cell);
/* The strengths that the wanted matched cells had, for gnt_run_options. The caller frees; NULL after a sentence. */
double *rerun_strengths(const gnt_suite *suite, const gnt_plan *plan, const json_t *cells,
                        const uint8_t *wanted, gnt_err *err);
/* A new folder where temporary files go. The caller removes it. */
char *rerun_scratch(gnt_err *err);
void rerun_remove(char *scratch); /* with all that is in it, and frees the name; NULL is fine */

#endif
