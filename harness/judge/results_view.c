/* Makes the view of a result: names, groups completed from their cells, tasks, marks. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "judge/judge_impl.h"

int gnt_is_of_group(const gnt_outcome *cell, const gnt_outcome *group) {
    return cell->stage == group->stage && cell->mode == group->mode &&
           (cell->strength == group->strength || isnan(cell->strength) || isnan(group->strength)) &&
           !strcmp(cell->task, group->task) && !strcmp(cell->defense, group->defense) &&
           !strcmp(cell->attack, group->attack);
}

/* Returns the first cell of a group. Both lists are in the plan's order, so a group's cells come soon after
 * those of the group before it. */
static const gnt_outcome *cell_of_group(const gnt_results *r, const gnt_outcome *g, size_t *at) {
    for (size_t i = 0; i < r->n_cell; i++) {
        const size_t k = (*at + i) % r->n_cell;
        const gnt_outcome *c = &r->cell[k];
        if (c->status == g->status && gnt_is_of_group(c, g)) {
            *at = k;
            return c;
        }
    }
    return NULL;
}

/* Completes groups, which say less than their cells: the measure of utility, chance, and the reason come
 * from a cell of the group. */
static void complete_groups(gnt_results *r) {
    size_t at = 0;
    for (size_t i = 0; i < r->n_group; i++) {
        gnt_outcome *g = &r->group[i];
        const gnt_outcome *c = cell_of_group(r, g, &at);
        if (!c)
            continue;
        if (!g->utility.measure[0])
            g->utility.measure = c->utility.measure;
        if (!g->reason[0])
            g->reason = c->reason;
        if (!g->surface[0])
            g->surface = c->surface;
        for (size_t k = 0; k < g->n_score; k++) {
            const gnt_score *s = gnt_score_find(c, g->score[k].measure);
            if (s && isnan(g->score[k].chance))
                g->score[k].chance = s->chance;
            for (int f = 0; s && f < GNT_FLOORS; f++)
                if (isnan(g->score[k].floor[f]))
                    g->score[k].floor[f] = s->floor[f];
        }
    }
}

/* Notes the groups of which a cell was scored against all rows, and counts their observations of nothing. */
static void note_scoring(gnt_results *r) {
    for (size_t i = 0; i < r->n_cell; i++) {
        const gnt_outcome *c = &r->cell[i];
        const int all_rows = gnt_is_of_all_rows(c);
        for (size_t k = 0; (all_rows || c->silent > 0) && k < r->n_group; k++) {
            gnt_outcome *g = &r->group[k];
            if (!gnt_is_of_group(c, g))
                continue;
            if (all_rows)
                g->scored_against = c->scored_against;
            if (c->silent > 0)
                g->silent = (g->silent > 0 ? g->silent : 0) + c->silent;
        }
    }
}

/* ---- the whole ---- */

static int fill(gnt_results *r, const char *name, gnt_err *err) {
    const gnt_result *of = r->file;
    r->suite = of->suite;
    r->title = of->title;
    r->match = of->matches.at;
    r->n_match = of->matches.n;
    r->cell = of->cells.at;
    r->n_cell = of->cells.n;
    r->group = gnt_array(of->groups.n + 1, sizeof *r->group);
    if (!r->group)
        return gnt_fail(err, "%s: out of memory", name);
    r->n_group = of->groups.n;
    if (r->n_group)
        memcpy(r->group, of->groups.at, r->n_group * sizeof *r->group);
    if (results_collect_marks(r, err) || results_read_tasks(of, name, &r->facts, &r->n_facts, err))
        return -1;
    complete_groups(r);
    note_scoring(r);
    if (results_collect_names(r, name, err) || results_index(r, name, err))
        return -1;
    results_fill_scatter(r);
    return 0;
}

int gnt_results_view(gnt_results *r, const char *name, const gnt_result *of, gnt_err *err) {
    *r = (gnt_results){.suite = "", .title = "", .file = of};
    if (fill(r, name, err) == 0)
        return 0;
    gnt_results_free(r);
    return -1;
}

/* Takes the result that was read over. rc: of reading it. */
static int take(gnt_results *r, const char *name, int rc, gnt_err *err) {
    r->file = r->own;
    if (rc == 0)
        rc = fill(r, name, err);
    if (rc != 0)
        gnt_results_free(r);
    return rc;
}

static int begin(gnt_results *r, const char *name, gnt_err *err) {
    *r = (gnt_results){.suite = "", .title = "", .own = gnt_array(1, sizeof *r->own)};
    return r->own ? 0 : gnt_fail(err, "%s: out of memory", name);
}

int gnt_results_parse(gnt_results *r, const char *name, const char *text, size_t size, gnt_err *err) {
    return begin(r, name, err) ? -1 : take(r, name, gnt_result_parse(r->own, name, text, size, err), err);
}

int gnt_results_load(gnt_results *r, const char *path, gnt_err *err) {
    return begin(r, path, err) ? -1 : take(r, path, gnt_result_load(r->own, path, err), err);
}
