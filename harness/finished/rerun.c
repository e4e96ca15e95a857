#include "finished/rerun.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

enum { MOST_BYTES = 1 << 30 };

int rerun_load(gnt_doc *doc, const char *folder, const char *name, gnt_err *err) {
    char *path = gnt_format("%s/%s", folder, name);
    int rc = path ? gnt_doc_load(doc, path, MOST_BYTES, err) : gnt_fail(err, "out of memory for %s", name);
    gnt_free(path);
    return rc;
}

static int check_results(const gnt_doc *doc, const gnt_suite *suite, const gnt_plan *plan, gnt_err *err) {
    const char *digest = json_string_value(json_object_get(doc->root, "suite_digest"));
    const json_t *cells = json_object_get(doc->root, "cells");
    if (!digest || strcmp(digest, suite->digest) != 0)
        return gnt_doc_fail(err, doc, "suite_digest", "is not that of suite.json beside it; expected %s",
                            suite->digest);
    if (json_array_size(cells) != plan->n)
        return gnt_doc_fail(err, doc, "cells", "has %zu entries; the plan of suite.json has %zu cells",
                            json_array_size(cells), plan->n);
    for (size_t i = 0; i < plan->n; i++) {
        const char *id = json_string_value(json_object_get(json_array_get(cells, i), "cell"));
        if (!id || strcmp(id, plan->cell[i].id) != 0)
            return gnt_doc_fail(err, doc, gnt_path_item("cells", i).text, "is not the cell %s of the plan",
                                plan->cell[i].id);
    }
    return 0;
}

int rerun_results(gnt_doc *doc, const char *folder, const gnt_suite *suite, const gnt_plan *plan,
                  gnt_err *err) {
    if (rerun_load(doc, folder, "results.json", err) != 0)
        return -1;
    if (check_results(doc, suite, plan, err) == 0)
        return 0;
    gnt_doc_free(doc);
    return -1;
}

int rerun_ok(const json_t *cell) {
    const char *status = json_string_value(json_object_get(cell, "status"));
    return status && strcmp(status, "ok") == 0;
}

double *rerun_strengths(const gnt_suite *suite, const gnt_plan *plan, const json_t *cells,
                        const uint8_t *wanted, gnt_err *err) {
    double *all = gnt_array(suite->n_tasks * suite->n_defenses * GNT_BRACKETS, sizeof *all);
    if (!all) {
        gnt_fail(err, "out of memory for the strengths of a run");
        return NULL;
    }
    for (size_t i = 0; i < plan->n; i++) {
        const gnt_cell *c = &plan->cell[i];
        const json_t *strength = json_object_get(json_array_get(cells, i), "strength");
        if (!wanted[i] || (c->mode != GNT_MODE_MATCHED && !c->bracket))
            continue;
        if (!json_is_number(strength)) {
            gnt_fail(err, "results.json: %s: strength: expected the number that matching came to", c->id);
            gnt_free(all);
            return NULL;
        }
        all[(c->task * suite->n_defenses + c->defense) * GNT_BRACKETS + (size_t)c->bracket] =
            json_number_value(strength);
    }
    return all;
}

char *rerun_scratch(gnt_err *err) {
    const char *place = getenv("TMPDIR");
    char *scratch = gnt_format("%s/gauntlet-audit-XXXXXX", place && *place ? place : "/tmp");
    if (!scratch) {
        gnt_fail(err, "out of memory");
        return NULL;
    }
    if (mkdtemp(scratch))
        return scratch;
    gnt_fail(err, "%s: cannot make the scratch folder: %s", scratch, strerror(errno));
    gnt_free(scratch);
    return NULL;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *where) {
    (void)st, (void)kind, (void)where;
    remove(path);
    return 0;
}

void rerun_remove(char *scratch) {
    if (scratch)
        nftw(scratch, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    gnt_free(scratch);
}
