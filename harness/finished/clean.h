/* clean: frees the disk of a finished run: removes the store of its jobs' outputs, which reports, checks,
 * audits and signatures do not read. */
#ifndef GNT_FINISHED_CLEAN_H
#define GNT_FINISHED_CLEAN_H

#include "base/err.h"
#include "base/remove.h"

/* Cleans the run in the folder. Fails with a sentence if it is none, is not finished, or a run works in
 * it. */
int gnt_clean(const char *folder, gnt_removed *freed, gnt_err *err);

#endif
