/* Tables of the utility of maps: IoU, precision, recall, F and loss (metric/map.h). */
#include <math.h>
#include <string.h>

#include "metric/map.h"
#include "report/table/report_tables.h"

enum { NUMBERS = GNT_MAP_NUMBERS + 1 }; /* the loss last */

static const char *name_of(int number) {
    return number < GNT_MAP_NUMBERS ? gnt_map_names[number] : "loss";
}

/* True for the first group of a defense at a strength that has numbers of maps: all attacks met one
 * training. */
static int is_first(const gnt_results *r, size_t at) {
    const gnt_outcome *g = &r->group[at];
    if (!g->utility.others.n)
        return 0;
    for (size_t i = 0; i < at; i++) {
        const gnt_outcome *o = &r->group[i];
        if (o->utility.others.n && o->stage == g->stage && o->mode == g->mode && !strcmp(o->task, g->task) &&
            !strcmp(o->defense, g->defense) &&
            (o->strength == g->strength || (isnan(o->strength) && isnan(g->strength))))
            return 0;
    }
    return 1;
}

static void add_number(gnt_table *t, const gnt_utility *u) {
    gnt_text text;
    gnt_text_init(&text, 256);
    if (isfinite(u->value))
        gnt_text_add(&text, "%.3f", u->value);
    else
        gnt_text_add(&text, "–");
    if (u->low < u->high) /* of several training runs */
        gnt_text_add(&text, " [%.3f, %.3f]", u->low, u->high);
    gnt_table_take(t, &text);
}

size_t gnt_table_maps_at(const gnt_results *r, const char *task, int64_t stage, gnt_table *t) {
    size_t n = 0;
    gnt_table_init(t, NULL);
    gnt_table_column(t, "defense");
    for (int k = 0; k < NUMBERS; k++)
        gnt_table_column(t, k < GNT_MAP_NUMBERS ? gnt_map_titles[k] : "loss");
    for (size_t i = 0; i < r->n_group; i++) {
        const gnt_outcome *g = &r->group[i];
        if (g->stage != stage || strcmp(g->task, task) != 0 || !is_first(r, i))
            continue;
        if (g->mode != GNT_ROW_NONE && isfinite(g->strength))
            gnt_table_format(t, "%s @ %.4g", g->defense, g->strength);
        else
            gnt_table_text(t, g->defense);
        for (int k = 0; k < NUMBERS; k++) {
            const gnt_utility u = gnt_utility_number(&g->utility, name_of(k));
            add_number(t, &u);
        }
        n++;
    }
    return n;
}

void gnt_table_maps(const gnt_results *r, gnt_table *t) {
    gnt_table_init(t, "Utility of maps");
    GNT_TABLE_COLUMNS(t, "task", "stage", "defense", "mode", "strength", "number", "mean", "low", "high");
    for (size_t i = 0; i < r->n_group; i++)
        for (int k = 0; k < NUMBERS && is_first(r, i); k++) {
            const gnt_outcome *g = &r->group[i];
            const gnt_utility u = gnt_utility_number(&g->utility, name_of(k));
            gnt_table_text(t, g->task);
            gnt_table_number(t, (double)g->stage);
            gnt_table_text(t, g->defense);
            gnt_table_text(t, gnt_row_mode_name(g->mode));
            gnt_table_number(t, g->strength);
            gnt_table_text(t, u.measure);
            gnt_table_number(t, u.value);
            gnt_table_number(t, u.low);
            gnt_table_number(t, u.high);
        }
}
