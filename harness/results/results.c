#include "results/results.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "results/results_impl.h"

const char *const results_status_names[GNT_CELL_STATUSES] = {"ok",      "failed", "crashed",
                                                             "timeout", "n/a",    "unfinished"};
const char *const results_mode_names[GNT_ROW_MODES] = {"none", "matched", "fixed", "sweep"};

void gnt_results_free(gnt_results *r) {
    for (size_t i = 0; i < r->n_match; i++)
        gnt_free(r->match[i].history);
    for (size_t i = 0; i < r->n_cell; i++)
        gnt_free(r->cell[i].score);
    for (size_t i = 0; i < r->n_group; i++)
        gnt_free(r->group[i].score);
    results_free_tasks(r->facts, r->n_facts);
    gnt_free(r->marked);
    gnt_free(r->match);
    gnt_free(r->cell);
    gnt_free(r->group);
    gnt_free(r->task);
    gnt_free(r->defense);
    gnt_free(r->attack);
    gnt_free(r->about);
    json_decref(r->root);
    *r = (gnt_results){.suite = "", .title = ""};
}

const char *gnt_status_name(gnt_cell_status status) {
    return results_status_names[status];
}

const char *gnt_row_mode_name(gnt_row_mode mode) {
    return results_mode_names[mode];
}

const gnt_score *gnt_score_find(const gnt_outcome *o, const char *measure) {
    for (size_t i = 0; i < o->n_score; i++)
        if (!strcmp(o->score[i].measure, measure))
            return &o->score[i];
    return NULL;
}

const gnt_task_facts *gnt_facts_of(const gnt_results *r, const char *task) {
    static const gnt_task_facts unknown = {.id = "", .adequate = GNT_ADEQUATE_DEFAULTS};
    for (size_t i = 0; i < r->n_facts; i++)
        if (!strcmp(r->facts[i].id, task))
            return &r->facts[i];
    return &unknown;
}

int gnt_is_at(const gnt_outcome *o, const char *task, int64_t stage) {
    return (stage == GNT_EVERY_STAGE || o->stage == stage) && !strcmp(o->task, task);
}

const gnt_score *gnt_number_of(const gnt_outcome *g, const char *measure) {
    const gnt_score *s = g && g->status == GNT_CELL_OK ? gnt_score_find(g, measure) : NULL;
    return s && isfinite(s->stat.mean) ? s : NULL;
}
