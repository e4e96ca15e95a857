#include "judge/judge.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "judge/judge_impl.h"

void gnt_results_free(gnt_results *r) {
    if (r->own)
        gnt_result_free(r->own);
    gnt_free(r->own);
    results_index_free(r);
    gnt_free(r->facts);
    gnt_free(r->marked);
    gnt_free(r->group);
    gnt_free(r->task);
    gnt_free(r->defense);
    gnt_free(r->attack);
    gnt_free(r->about);
    *r = (gnt_results){.suite = "", .title = ""};
}

double gnt_fact_of(const gnt_outcome *cell, const char *name) {
    for (size_t i = 0; i < cell->facts.n; i++)
        if (!strcmp(cell->facts.at[i].name, name))
            return cell->facts.at[i].value;
    return NAN;
}

const gnt_score *gnt_score_find(const gnt_outcome *o, const char *measure) {
    for (size_t i = 0; i < o->n_score; i++)
        if (*o->score[i].measure == *measure && !strcmp(o->score[i].measure, measure))
            return &o->score[i];
    return NULL;
}

const gnt_result_task *gnt_task_of(const gnt_results *r, const char *id) {
    for (size_t i = 0; i < r->file->tasks.n; i++)
        if (!strcmp(r->file->tasks.at[i].id, id))
            return &r->file->tasks.at[i];
    return NULL;
}

const gnt_result_defense *gnt_defense_of(const gnt_results *r, const char *label) {
    for (size_t i = 0; i < r->file->defenses.n; i++)
        if (!strcmp(r->file->defenses.at[i].label, label))
            return &r->file->defenses.at[i];
    return NULL;
}

const gnt_result_attack *gnt_attack_of(const gnt_results *r, const char *label) {
    for (size_t i = 0; i < r->file->attacks.n; i++)
        if (!strcmp(r->file->attacks.at[i].label, label))
            return &r->file->attacks.at[i];
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
    return (stage == GNT_EVERY_STAGE || o->stage == stage) &&
           (o->task == task || (*o->task == *task && !strcmp(o->task, task)));
}

const gnt_score *gnt_number_of(const gnt_outcome *g, const char *measure) {
    const gnt_score *s = g && g->status == GNT_CELL_OK ? gnt_score_find(g, measure) : NULL;
    return s && isfinite(s->stat.mean) ? s : NULL;
}
