/* The groups and cells of each task and defense, so that nobody looks through those of all others. */
#include <string.h>

#include "base/mem.h"
#include "judge/judge_impl.h"

/* Returns the place of a name in a list, which has one pointer for each text: most names are those. */
static size_t place_of(const char *const *list, size_t n, const char *name) {
    for (size_t i = 0; i < n; i++)
        if (list[i] == name)
            return i;
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i], name) == 0)
            return i;
    return n;
}

/* Points the names of outcomes to those of the lists, which compares them faster. */
static void share_names(const gnt_results *r, gnt_outcome *o, size_t n) {
    for (size_t i = 0; i < n; i++) {
        o[i].task = r->task[place_of(r->task, r->n_task, o[i].task)];
        o[i].defense = r->defense[place_of(r->defense, r->n_defense, o[i].defense)];
        o[i].attack = r->attack[place_of(r->attack, r->n_attack, o[i].attack)];
    }
}

static size_t pair_of(const gnt_results *r, const gnt_outcome *o) {
    return place_of(r->task, r->n_task, o->task) * r->n_defense +
           place_of(r->defense, r->n_defense, o->defense);
}

/* Sorts outcomes by their pair, by counting, which keeps their order. */
static int sort_by_pair(gnt_pair_index *out, const gnt_results *r, const gnt_outcome *o, size_t n) {
    const size_t pairs = r->n_task * r->n_defense;
    out->from = gnt_array(pairs + 2, sizeof *out->from);
    out->at = gnt_array(n + 1, sizeof *out->at);
    if (!out->from || !out->at)
        return -1;
    size_t *next = out->from + 1;
    for (size_t i = 0; i < n; i++)
        next[pair_of(r, &o[i]) + 1]++;
    for (size_t k = 0; k < pairs; k++)
        next[k + 1] += next[k];
    for (size_t i = 0; i < n; i++)
        out->at[next[pair_of(r, &o[i])]++] = i;
    return 0;
}

int results_index(gnt_results *r, const char *file, gnt_err *err) {
    share_names(r, r->group, r->n_group);
    share_names(r, r->cell, r->n_cell);
    return sort_by_pair(&r->groups_by_pair, r, r->group, r->n_group) ||
                   sort_by_pair(&r->cells_by_pair, r, r->cell, r->n_cell)
               ? gnt_fail(err, "%s: out of memory", file)
               : 0;
}

void results_index_free(gnt_results *r) {
    gnt_free(r->groups_by_pair.from);
    gnt_free(r->groups_by_pair.at);
    gnt_free(r->cells_by_pair.from);
    gnt_free(r->cells_by_pair.at);
}

static gnt_indices indices_of(const gnt_results *r, const gnt_pair_index *of, const char *task,
                              const char *defense) {
    const size_t t = place_of(r->task, r->n_task, task), d = place_of(r->defense, r->n_defense, defense);
    if (t == r->n_task || d == r->n_defense)
        return (gnt_indices){NULL, 0};
    const size_t pair = t * r->n_defense + d;
    return (gnt_indices){of->at + of->from[pair], of->from[pair + 1] - of->from[pair]};
}

gnt_indices gnt_groups_of(const gnt_results *r, const char *task, const char *defense) {
    return indices_of(r, &r->groups_by_pair, task, defense);
}

gnt_indices gnt_cells_of(const gnt_results *r, const char *task, const char *defense) {
    return indices_of(r, &r->cells_by_pair, task, defense);
}
