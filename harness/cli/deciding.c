#include "cli/deciding.h"

#include <string.h>

#include "base/mem.h"
#include "cli/strata.h"
#include "judge/ranking.h"
#include "judge/group_roles.h"

/* Flags all cells of a defense's worst group, and those of its other groups that are not ok, since they
 * affect the rank too. Groups are in the order of their cells. */
static void flag_defense(const gnt_results *r, const char *task, int64_t stage, const gnt_rank_row *s,
                         uint8_t *flags, size_t n) {
    for (size_t i = 0, first = 0; i < r->n_group; i++) {
        const gnt_outcome *g = &r->group[i];
        const size_t cells = g->n_cells > 0 ? (size_t)g->n_cells : 0;
        const int here = (g->mode == GNT_ROW_MATCHED || g->mode == GNT_ROW_AS_IS) &&
                         (stage == GNT_EVERY_STAGE || g->stage == stage) && strcmp(g->task, task) == 0 &&
                         strcmp(g->defense, s->defense) == 0;
        for (size_t k = first; here && k < first + cells && k < n && k < r->n_cell; k++)
            flags[k] |= g == s->worst || r->cell[k].status != GNT_CELL_OK;
        first += cells;
    }
}

static int flag_stage(const gnt_results *r, const char *task, int64_t stage, uint8_t *flags, size_t n,
                      gnt_err *err) {
    const gnt_measure *lead = gnt_section_lead(r, task, stage);
    gnt_ranking ranking;
    if (!lead)
        return 0;
    if (gnt_rank(&ranking, r, task, stage, lead) != 0)
        return gnt_fail(err, "out of memory");
    for (size_t i = 0; i < ranking.n; i++)
        if (ranking.row[i].kind == GNT_GROUP_MATCHED || ranking.row[i].place.rank)
            flag_defense(r, task, stage, &ranking.row[i], flags, n);
    gnt_ranking_free(&ranking);
    return 0;
}

static int flag_strata(const gnt_results *r, const cli_also *strata, uint8_t *flags, size_t n, gnt_err *err) {
    gnt_doc mandatory;
    if (strata->mandatory && gnt_board_mandatory_load(&mandatory, strata->mandatory, err) != 0)
        return -1;
    cli_flag_strata(flags, n, r, strata->seed, strata->mandatory ? &mandatory : NULL);
    if (strata->mandatory)
        gnt_doc_free(&mandatory);
    return 0;
}

uint8_t *cli_deciding(const char *folder, size_t n, const cli_also *strata, gnt_err *err) {
    gnt_results r;
    int64_t stages[GNT_MOST_STAGES];
    char *path = gnt_format("%s/results.json", folder);
    uint8_t *flags = gnt_array(n + 1, 1);
    int rc = path && flags ? gnt_results_load(&r, path, err) : gnt_fail(err, "out of memory");
    gnt_free(path);
    if (rc != 0) {
        gnt_free(flags);
        return NULL;
    }
    for (size_t t = 0; rc == 0 && t < r.n_task; t++) {
        const size_t n_stages = gnt_judged_stages(&r, r.task[t], stages);
        for (size_t s = 0; rc == 0 && s < n_stages; s++)
            rc = flag_stage(&r, r.task[t], stages[s], flags, n, err);
    }
    if (rc == 0 && strata)
        rc = flag_strata(&r, strata, flags, n, err);
    gnt_results_free(&r);
    if (rc == 0)
        return flags;
    gnt_free(flags);
    return NULL;
}
