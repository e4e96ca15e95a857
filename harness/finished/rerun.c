#include "finished/rerun.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/remove.h"

enum { MOST_BYTES = 1 << 30 };

int rerun_load(gnt_doc *doc, const char *folder, const char *name, gnt_err *err) {
    char *path = gnt_format("%s/%s", folder, name);
    int rc = path ? gnt_doc_load(doc, path, MOST_BYTES, err) : gnt_fail(err, "out of memory for %s", name);
    gnt_free(path);
    return rc;
}

static int check_results(const gnt_result *r, const char *path, const gnt_suite *suite, const gnt_plan *plan,
                         gnt_err *err) {
    if (strcmp(r->suite_digest, suite->digest) != 0)
        return gnt_fail(err, "%s: its suite is not suite.json beside it, whose digest is %s", path,
                        suite->digest);
    if (r->cells.n != plan->n)
        return gnt_fail(err, "%s: has %zu cells; the plan of suite.json beside it has %zu", path, r->cells.n,
                        plan->n);
    for (size_t i = 0; i < plan->n; i++)
        if (strcmp(r->cells.at[i].id, plan->cell[i].id) != 0)
            return gnt_fail(err, "%s: its cell %zu is %s; the plan of suite.json beside it has %s there",
                            path, i, gnt_show_text(r->cells.at[i].id).text, plan->cell[i].id);
    return 0;
}

int rerun_results(gnt_result *r, const char *folder, const gnt_suite *suite, const gnt_plan *plan,
                  gnt_err *err) {
    char *path = gnt_format("%s/results.json", folder);
    gnt_result_clear(r);
    int rc = path ? gnt_result_load(r, path, err) : gnt_fail(err, "out of memory for results.json");
    if (rc == 0)
        rc = check_results(r, path, suite, plan, err);
    gnt_free(path);
    if (rc != 0)
        gnt_result_free(r);
    return rc;
}

double *rerun_strengths(const gnt_suite *suite, const gnt_plan *plan, const gnt_outcomes *cells,
                        const uint8_t *wanted, gnt_err *err) {
    double *all = gnt_array(suite->n_tasks * suite->n_defenses * GNT_BRACKETS, sizeof *all);
    if (!all) {
        gnt_fail(err, "out of memory for the strengths of a run");
        return NULL;
    }
    for (size_t i = 0; i < plan->n; i++) {
        const gnt_cell *c = &plan->cell[i];
        const double strength = cells->at[i].strength;
        if (!wanted[i] || (c->mode != GNT_MODE_MATCHED && !c->bracket))
            continue;
        if (isnan(strength)) {
            gnt_fail(err, "results.json: %s: has no strength; expected the number that matching came to",
                     c->id);
            gnt_free(all);
            return NULL;
        }
        all[(c->task * suite->n_defenses + c->defense) * GNT_BRACKETS + (size_t)c->bracket] = strength;
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

void rerun_remove(char *scratch) {
    if (scratch)
        gnt_remove_tree(scratch, NULL, NULL);
    gnt_free(scratch);
}
