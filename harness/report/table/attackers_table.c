/* What attackers see and know: a row for each task and attack, over all cells that ran. */
#include <string.h>

#include "base/mem.h"
#include "judge/threat_model.h"
#include "report/table/report_tables.h"

enum { MOST_GRANTS = 32 };

typedef struct attacker {
    const gnt_outcome *first; /* its first cell; NULL: none ran */
    const char *granted[MOST_GRANTS];
    size_t n;
} attacker;

static size_t place_of(const char *const *list, size_t n, const char *name) {
    size_t i = 0;
    while (i < n && strcmp(list[i], name) != 0)
        i++;
    return i;
}

/* Adds a cell, whose grants need not be those of the others: some depend on the defense. */
static void add_cell(attacker *a, const gnt_outcome *c) {
    a->first = a->first ? a->first : c;
    for (size_t i = 0; i < c->grants.n && a->n < MOST_GRANTS; i++)
        if (place_of(a->granted, a->n, c->grants.at[i]) == a->n)
            a->granted[a->n++] = c->grants.at[i];
}

static void add_row(const attacker *a, gnt_table *t) {
    const gnt_texts granted = {a->granted, a->n};
    gnt_text text;
    gnt_text_init(&text, GNT_TABLE_TEXT_MOST);
    for (size_t i = 0; i < a->n; i++)
        gnt_text_add(&text, "%s%s", i ? ", " : "", a->granted[i]);
    gnt_table_text(t, a->first->task);
    gnt_table_text(t, a->first->attack);
    gnt_table_text(t, a->first->surface);
    gnt_table_take(t, &text);
    gnt_table_text(t, gnt_threat_model(a->first->surface, &granted));
}

void gnt_table_attackers(const gnt_results *r, gnt_table *t) {
    const size_t n = r->n_task * r->n_attack;
    attacker *all = gnt_array(n + 1, sizeof *all);
    gnt_table_init(t, "What each attacker sees and knows");
    GNT_TABLE_COLUMNS(t, "task", "attack", "sees", "granted", "threat_model");
    t->failed |= !all;
    for (size_t i = 0; all && i < r->n_cell; i++) {
        const gnt_outcome *c = &r->cell[i];
        const size_t task = place_of(r->task, r->n_task, c->task),
                     attack = place_of(r->attack, r->n_attack, c->attack);
        if (c->status == GNT_CELL_OK && task < r->n_task && attack < r->n_attack)
            add_cell(&all[task * r->n_attack + attack], c);
    }
    for (size_t i = 0; all && i < n; i++)
        if (all[i].first)
            add_row(&all[i], t);
    gnt_free(all);
}
