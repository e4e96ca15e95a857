/* What attackers see and know: a row for each task and attack. */
#include <string.h>

#include "judge/threat_model.h"
#include "report/table/report_tables.h"

static int is_listed(const gnt_results *r, size_t at) {
    for (size_t i = 0; i < at; i++)
        if (r->cell[i].status == GNT_CELL_OK && !strcmp(r->cell[i].task, r->cell[at].task) &&
            !strcmp(r->cell[i].attack, r->cell[at].attack))
            return 1;
    return 0;
}

static void add_names(const gnt_texts *names, gnt_table *t) {
    gnt_text text;
    gnt_text_init(&text, GNT_TABLE_TEXT_MOST);
    for (size_t i = 0; i < names->n; i++)
        gnt_text_add(&text, "%s%s", i ? ", " : "", names->at[i]);
    gnt_table_text(t, gnt_text_get(&text) ? gnt_text_get(&text) : "");
    t->failed |= text.failed;
    gnt_text_free(&text);
}

void gnt_table_attackers(const gnt_results *r, gnt_table *t) {
    gnt_table_init(t, "What each attacker sees and knows");
    GNT_TABLE_COLUMNS(t, "task", "attack", "sees", "granted", "threat_model");
    for (size_t i = 0; i < r->n_cell; i++) {
        const gnt_outcome *c = &r->cell[i];
        if (c->status != GNT_CELL_OK || is_listed(r, i))
            continue;
        gnt_table_text(t, c->task);
        gnt_table_text(t, c->attack);
        gnt_table_text(t, c->surface);
        add_names(&c->grants, t);
        gnt_table_text(t, gnt_threat_model(c->surface, &c->grants));
    }
}
