/* check: does a results.json agree with itself and with its suite? Everything in it that follows from
 * something else is derived again and compared: numbers of cells from the scores of their targets, groups
 * from cells, verdicts of matching from their histories, coordinates and digests from the suite next to it.
 * The file may be a third party's.
 *
 * No run is needed: that the scores of targets themselves are what an attack achieved is what an audit is
 * for. */
#ifndef GNT_CHECK_CHECK_H
#define GNT_CHECK_CHECK_H

#include <stdint.h>

#include "base/err.h"
#include "base/text.h"
#include "result/result.h"

struct gnt_suite_env; /* suite/suite.h */

typedef struct gnt_checked {
    /* suite.json was there and could be read: the plan, the tasks and their digests were checked */
    int planned;
    /* suite_digest is that of suite.json */
    int of_suite;
    size_t n_cells;
    /* n_cells flags: the plan itself says that the cell does not apply */
    uint8_t *na_shown;
    /* ids of tasks whose digest could not be computed here; they belong to `result` */
    const char **unproven;
    size_t n_unproven;
    /* the file */
    gnt_result result;
    /* a line for each thing that could not be checked */
    gnt_text notes;
} gnt_checked;

/* Reads and checks a results.json; suite.json is expected next to it if it has that name. env: plugins, data
 * and models that are here, each of which may be missing; NULL: none. −1: the sentence says which field is
 * wrong, and *out is empty. */
int gnt_check(gnt_checked *out, const char *path, const struct gnt_suite_env *env, gnt_err *err);
void gnt_checked_free(gnt_checked *c);

#endif
