/* What control training runs with secret labels learnt: a row for each defense, strength and run. */
#include <math.h>
#include <string.h>

#include "report/table/report_tables.h"

/* True if an earlier cell is of the same control: it has no attack. */
static int is_listed(const gnt_results *r, size_t at) {
    const gnt_outcome *c = &r->cell[at];
    for (size_t i = 0; i < at; i++) {
        const gnt_outcome *o = &r->cell[i];
        if (o->secret && !strcmp(o->task, c->task) && !strcmp(o->defense, c->defense) && o->seed == c->seed &&
            (o->strength == c->strength || (isnan(o->strength) && isnan(c->strength))))
            return 1;
    }
    return 0;
}

/* Adds "0.703 ± 0.021". */
static void add_share(double share, double error, gnt_table *t) {
    if (isfinite(share) && isfinite(error))
        gnt_table_format(t, "%.3f ± %.3f", share, error);
    else
        gnt_table_number(t, share);
}

void gnt_table_secret(const gnt_results *r, gnt_table *t) {
    gnt_table_init(t, "Control training runs with secret labels");
    GNT_TABLE_COLUMNS(t, "task", "defense", "strength", "seed", "accuracy", "learnt", "without_defense");
    for (size_t i = 0; i < r->n_cell; i++) {
        const gnt_outcome *c = &r->cell[i];
        if (!c->secret || is_listed(r, i))
            continue;
        gnt_table_text(t, c->task);
        gnt_table_text(t, c->defense);
        gnt_table_number(t, c->strength);
        gnt_table_number(t, (double)c->seed);
        gnt_table_number(t, c->secret->accuracy);
        add_share(c->secret->learnt, c->secret->error, t);
        add_share(c->secret->none, c->secret->none_error, t);
    }
}
