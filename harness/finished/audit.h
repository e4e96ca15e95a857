/* audit: runs some cells of a finished run again, in a scratch folder that starts empty, and compares the
 * outcome with the run's. The run's folder is untrusted: nothing in it is believed without comparison, and
 * nothing is written there.
 *
 * With the suite's seed everything must be the same. With another one, other samples are dealt, other weights
 * and other noise are drawn: cells are run again at all their seeds, matched ones at the strength that the
 * run has, and the caller compares the results of the two runs.
 *
 * Owner and lifetime: everything is borrowed for the call; the scratch folder is gone after it.
 * Thread: the one that handles the children.
 * Errors: −1 with a sentence. A difference is no error but counted. */
#ifndef GNT_FINISHED_AUDIT_H
#define GNT_FINISHED_AUDIT_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/random.h"
#include "process/sandbox.h"
#include "suite/plan.h"

typedef struct gnt_audit_options {
    /* The run's folder. */
    const char *folder;
    /* As in gnt_run_options. */
    const char *data_folder;
    int jobs;
    /* Number of cells drawn from those that are ok, in addition to those named. With another seed a cell is
     * all its seeds. */
    size_t cells;
    /* plan->n flags: cells that are run again whatever is drawn, ok or not. NULL: none. */
    const uint8_t *named;
    /* The label of the defense that cells are drawn from; NULL: of all. */
    const char *defense;
    /* Decides which cells are drawn. */
    uint64_t seed;
    gnt_sandbox_options sandbox;
    /* NULL: the suite's seed, and the outcome is compared byte for byte. Otherwise `suite` has another key
     * than the run had, and this is called with the folder of the new run, which is removed after the
     * call. */
    int (*redrawn)(void *user, const char *folder, gnt_err *err);
} gnt_audit_options;

/* Returns the run key of a new draw of a suite, which differs from that of every suite's own seed. */
gnt_key gnt_audit_new_key(uint64_t seed);

typedef struct gnt_audit_counts {
    size_t chosen, different;
    /* training runs on public data alone, one of each task and seed of those cells */
    size_t controls, controls_different;
    /* pictures of cells, run again or not, and those that do not show what their targets say */
    size_t pictures, pictures_different;
    size_t plugins_different; /* that have another version, other hooks, families or flags here */
    int interrupted;
} gnt_audit_counts;

/* Audits a run. `suite` is that of the run, as its folder keeps it, and `plan` its plan. `say` gets a line
 * for each cell that is compared here, and for what could explain a difference. −1: the folder is no finished
 * run of this suite, or the cells could not be run. */
int gnt_audit(const gnt_suite *suite, const gnt_plan *plan, const gnt_audit_options *options,
              gnt_audit_counts *counts, void (*say)(void *user, const char *line), void *user, gnt_err *err);

#endif
