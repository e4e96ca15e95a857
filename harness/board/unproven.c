/* Finds what a run's files do not prove. A group that is marked n/a although the plan does not imply it
 * counts as not run. A task whose digest could not be computed meets runs of the very same suite alone. A
 * signature that does not fit refuses its run. */
#include <stdio.h>
#include <string.h>

#include <sodium/utils.h>

#include "base/json.h"
#include "base/mem.h"
#include "board/board_impl.h"
#include "seal/seal.h"

static const char not_shown[] =
    "marked not applicable, but the suite does not imply it and no job record proves it";

/* Marks a group as unfinished if one of its seeds is marked n/a without proof: the other seeds could be a
 * selection. Groups are in the order of their cells, which the check of the file has ensured. */
static void look_at_groups(board_run *run, const gnt_checked *checked) {
    for (size_t i = 0, first = 0; i < run->results.n_group; i++) {
        gnt_outcome *g = &run->results.group[i];
        const size_t n = g->n_cells > 0 ? (size_t)g->n_cells : 0;
        int shown = first + n <= checked->n_cells && first + n <= run->results.n_cell;
        for (size_t k = first; shown && k < first + n; k++)
            shown = run->results.cell[k].status != GNT_CELL_NA || checked->na_shown[k];
        if (!shown) {
            g->status = GNT_CELL_UNFINISHED;
            g->reason = not_shown;
        }
        first += n;
    }
}

void board_mark_unproven(board_run *run, const gnt_checked *checked) {
    run->checked = checked;
    if (checked)
        look_at_groups(run, checked);
}

int board_is_proven(const board_run *run, const char *task) {
    for (size_t i = 0; run->checked && i < run->checked->n_unproven; i++)
        if (strcmp(run->checked->unproven[i], task) == 0)
            return 0;
    return 1;
}

int board_suite_is_proven(const board_run *run) {
    return !run->checked || run->checked->of_suite;
}

/* ---- signatures ---- */

static void first_difference(void *user, const gnt_seal_difference *d) {
    static const char *const words[] = {"was changed", "was cut",   "has grown",
                                        "is missing",  "was added", "is no regular file"};
    gnt_text *out = user;
    if (out->size)
        return;
    gnt_json_add_text(out, d->path);
    gnt_text_add(out, " %s", words[d->what]);
}

int board_read_seal(board_run *run, gnt_err *err) {
    gnt_seal_key key;
    gnt_seal_verdict verdict;
    size_t n = 0;
    int rc = -1;
    if (!gnt_seal_is_there(run->folder)) {
        run->seal = gnt_strdup("unsigned");
        return run->seal ? 0 : gnt_fail(err, "leaderboard: out of memory");
    }
    gnt_text what;
    gnt_text_init(&what, 1 << 16);
    if (gnt_seal_own_key(run->folder, &key, err) == 0)
        rc = gnt_seal_verify(run->folder, &key, &verdict, &n, first_difference, &what, err);
    if (rc != 0)
        gnt_fail_in(err, "%s", run->folder);
    else if (verdict != GNT_SEAL_VALID)
        rc = gnt_fail(err, "%s/signature.json does not fit: %s; sign the run again, or take the file away",
                      run->folder,
                      verdict == GNT_SEAL_DIFFERS ? gnt_text_get(&what)
                                                  : "its list of files was changed after it was signed");
    else {
        run->seal = gnt_format("signed by %s",
                               sodium_bin2hex(run->key, sizeof run->key, key.public, sizeof key.public));
        rc = run->seal ? 0 : gnt_fail(err, "leaderboard: out of memory");
    }
    gnt_text_free(&what);
    return rc;
}
