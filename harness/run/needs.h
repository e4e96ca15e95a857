/* needs: what a plan will take, before anything runs: time of processors, disk and memory. It makes the
 * jobs of all cells, with a strength in the middle of its range where one is searched, and adds up what
 * requests like theirs were measured to take (docs/suites.md, "Dry run"). Nothing is computed, no file read.
 *
 * Thread: any. Errors: −1 with a sentence. */
#ifndef GNT_RUN_NEEDS_H
#define GNT_RUN_NEEDS_H

#include "base/text.h"
#include "suite/plan.h"

typedef struct gnt_needs {
    double jobs;
    /* Processor seconds of all of them. */
    double seconds;
    /* Bytes that the store has at the end, and at most before, with `at_once` jobs. */
    double disk, disk_most;
    /* Bytes of the processes of the largest job, and its name. */
    double memory;
    char largest[200];
} gnt_needs;

/* at_once: concurrent jobs. */
int gnt_needs_of(gnt_needs *out, const gnt_suite *suite, const gnt_plan *plan, int at_once, gnt_err *err);
/* Adds one line, "about 3 h of a processor, …". */
void gnt_needs_text(const gnt_needs *e, gnt_text *to);
/* Adds a line for what is not there: bytes free on the disk of `folder`, bytes of memory for all jobs
 * (gnt_memory_limit). INFINITY: unknown. */
void gnt_needs_lacks(const gnt_needs *e, const char *folder, double disk, double memory, int at_once,
                     gnt_text *to);

#endif
