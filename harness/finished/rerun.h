/* rerun: what is common to running cells of a finished run again: its results, compared with the suite that
 * its folder keeps, and a scratch folder. The run's folder is untrusted.
 *
 * Owner and lifetime: what a function makes is the caller's.
 * Thread: any.
 * Errors: −1 or NULL with a sentence. */
#ifndef GNT_FINISHED_RERUN_H
#define GNT_FINISHED_RERUN_H

#include <stdint.h>

#include "base/err.h"
#include "base/json.h"
#include "result/result.h"
#include "suite/plan.h"

/* Reads a JSON file of a run's folder. */
int rerun_load(gnt_doc *doc, const char *folder, const char *name, gnt_err *err);
/* Reads results.json of this suite, with the cells of this plan in its order. On failure *r is empty. */
int rerun_results(gnt_result *r, const char *folder, const gnt_suite *suite, const gnt_plan *plan,
                  gnt_err *err);
/* Returns the strengths that the wanted matched cells had, for gnt_run_options. The caller frees; NULL with a
 * sentence. */
double *rerun_strengths(const gnt_suite *suite, const gnt_plan *plan, const gnt_outcomes *cells,
                        const uint8_t *wanted, gnt_err *err);
/* Makes a new folder for temporary files. The caller removes it. */
char *rerun_scratch(gnt_err *err);
/* Removes the folder with its content, and frees the name. NULL is fine. */
void rerun_remove(char *scratch);

#endif
