/* How the searches for a strength ended, with what no defense and public data alone leave. */
#include "page_tables.h"

#include <math.h>
#include <string.h>

#include "judge/section.h"

static void add_utility(const char *measure, double value, gnt_table *t) {
    gnt_text text;
    gnt_text_init(&text, 256);
    gnt_utility_write(measure, value, &text);
    gnt_table_text(t, gnt_text_get(&text));
    gnt_text_free(&text);
}

static void add_wanted(const char *measure, const gnt_match_row *m, gnt_table *t) {
    if (isnan(m->target))
        gnt_table_text(t, "–");
    else if (gnt_utility_scale(measure) == 100)
        gnt_table_format(t, "%.1f ± %.1f %%", 100 * m->target, 100 * m->tolerance);
    else
        gnt_table_format(t, "%.4g ± %.2g", m->target, m->tolerance);
}

static void fill(const gnt_results *r, const char *task, gnt_table *t) {
    static const char *const columns[] = {"defense", "verdict",    "strength",          "utility",
                                          "wanted",  "undefended", "public data alone", "trainings"};
    const char *measure = gnt_utility_measure(r, task);
    gnt_table_init(t, NULL);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        gnt_table_column(t, columns[i]);
    for (size_t i = 0; i < r->n_match; i++) {
        const gnt_match_row *m = &r->match[i];
        if (strcmp(m->task, task) != 0)
            continue;
        gnt_table_text(t, m->defense);
        gnt_table_text(t, m->verdict);
        if (isnan(m->strength))
            gnt_table_text(t, "–");
        else
            gnt_table_format(t, "%.4g", m->strength);
        add_utility(measure, m->utility, t);
        add_wanted(measure, m, t);
        add_utility(measure, m->utility_none, t);
        add_utility(measure, gnt_public_only_mean(gnt_facts_of(r, task)), t);
        gnt_table_format(t, "%zu", m->n_history);
    }
}

/* True if two tables have the same items, as two tasks of one network and data do, which share their
 * training runs. */
static int is_same(const gnt_table *a, const gnt_table *b) {
    int same = a->n_item == b->n_item;
    for (size_t i = 0; same && i < a->n_item; i++)
        same = !strcmp(a->item[i].text, b->item[i].text);
    return same;
}

int table_matches(const scores *s, char *const *tasks, size_t n, gnt_text *out, gnt_err *err) {
    const gnt_results *r = &s->results;
    gnt_table before, t;
    if (tables_known(s, tasks, n, err))
        return -1;
    gnt_table_init(&before, NULL);
    for (size_t i = 0; i < r->n_task; i++) {
        if (!tables_wants(tasks, n, r->task[i]))
            continue;
        fill(r, r->task[i], &t);
        if (t.n_item && is_same(&t, &before)) {
            tables_next(out);
            gnt_text_add(out, "The searches of %s are those above.\n", r->task[i]);
        } else if (t.n_item) {
            tables_next(out);
            gnt_text_add(out, "**%s.** Searches for the strength:\n", r->task[i]);
            tables_add(&t, out);
        }
        gnt_table_free(&before);
        before = t;
    }
    gnt_table_free(&before);
    return 0;
}
