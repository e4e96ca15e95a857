/* tally: does a results.json say the same thing everywhere? Everything in it that follows from something else
 * is computed anew and compared: numbers of cells from the scores of their targets, groups from cells,
 * verdicts of matching from their histories, coordinates and digests from the suite that lies beside it. The
 * file may be a stranger's.
 *
 * It asks for no run: that the scores of targets themselves are what an attack came to is what an audit is
 * for. */
#ifndef GNT_TALLY_TALLY_H
#define GNT_TALLY_TALLY_H

#include <stdint.h>

#include <jansson.h>

#include "base/err.h"
#include "base/text.h"

struct gnt_suite_env; /* suite/suite.h */

typedef struct gnt_tally {
    /* suite.json was there and could be read: the plan, the tasks and their digests were checked */
    int planned;
    /* suite_digest is that of suite.json */
    int of_suite;
    size_t n_cells;
    /* n_cells flags: the plan itself says that the cell does not apply */
    uint8_t *na_shown;
    /* ids of tasks whose digest could not be computed here; they belong to `root` */
    const char **unproven;
    size_t n_unproven;
    /* of results.json */
    json_t *root;
    /* a line for each thing that could not be checked */
    gnt_text notes;
} gnt_tally;

/* `path` is a results.json; suite.json is looked for beside it where it has that name. env: plugins, data
 * and models that are here, each of which may be missing; NULL: none. −1: the sentence says which field is
 * wrong, and *out is empty. */
int gnt_tally_check(gnt_tally *out, const char *path, const struct gnt_suite_env *env, gnt_err *err);
void gnt_tally_free(gnt_tally *t);

#endif
