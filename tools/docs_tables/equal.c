/* Utility at equal leakage, where a suite lists the leakages at which defenses are compared
 * (`match.leakage`): a table for each task, round, attack and measure, with a row for each defense and a
 * column for each leakage. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "render/escape.h"
#include "judge/group_roles.h"
#include "judge/section.h"
#include "page_tables.h"

/* An entry of the run's equal_leakage, with its measure. */
typedef struct row {
    const char *task, *defense, *attack;
    const gnt_measure *measure;
    int64_t stage, strengths;
    /* where it is read, and what utility with what interval: NAN without */
    double leakage, utility, low, high;
} row;

typedef struct rows {
    row *row;
    size_t n;
} rows;

static int read_rows(const gnt_results *r, rows *out, gnt_err *err) {
    const gnt_result_equals *list = &r->file->equal_leakage;
    *out = (rows){.row = gnt_array(list->n + 1, sizeof *out->row)};
    if (!out->row)
        return gnt_fail(err, "out of memory for utilities at equal leakage");
    for (size_t i = 0; i < list->n; i++) {
        const gnt_result_equal *e = &list->at[i];
        if (!scores_compares_leakages(r, i))
            continue;
        out->row[out->n] = (row){e->task,  e->defense,   e->attack,  gnt_measure_find(e->measure),
                                 e->stage, e->strengths, e->leakage, e->utility,
                                 e->low,   e->high};
        const row *w = &out->row[out->n++];
        if (w->task[0] && w->defense[0] && w->attack[0] && w->measure && isfinite(w->leakage))
            continue;
        gnt_free(out->row);
        return gnt_fail(err, "equal_leakage[%zu]: expected a task, defense, attack, measure and leakage", i);
    }
    return 0;
}

/* True for rows of one table. */
static int is_same(const row *a, const row *b) {
    return a->stage == b->stage && a->measure == b->measure && !strcmp(a->task, b->task) &&
           !strcmp(a->attack, b->attack);
}

static int is_group_of(const gnt_outcome *g, const row *w) {
    return gnt_is_at(g, w->task, w->stage) && !strcmp(g->attack, w->attack) &&
           gnt_number_of(g, w->measure->name);
}

/* ---- items ---- */

static void add_leakage(const row *w, double x, gnt_text *out) {
    gnt_measure_number(w->measure, x, out);
    gnt_text_add(out, "%s", w->measure->unit);
}

/* Finds the least and the most that a defense leaks at any of its strengths, means over seeds. */
static void find_range(const gnt_results *r, const row *w, double *low, double *high) {
    *low = *high = NAN;
    for (size_t i = 0; i < r->n_group; i++) {
        const gnt_outcome *g = &r->group[i];
        if (!is_group_of(g, w) || strcmp(g->defense, w->defense) != 0)
            continue;
        const double mean = gnt_number_of(g, w->measure->name)->stat.mean;
        *low = isnan(*low) ? mean : fmin(*low, mean);
        *high = isnan(*high) ? mean : fmax(*high, mean);
    }
}

static void add_range(const gnt_results *r, const row *w, gnt_table *t) {
    double low, high;
    gnt_text text;
    gnt_text_init(&text, 256);
    find_range(r, w, &low, &high);
    if (w->strengths > 1) {
        gnt_measure_number(w->measure, low, &text);
        gnt_text_add(&text, " … ");
    }
    add_leakage(w, high, &text);
    gnt_table_text(t, gnt_text_get(&text));
    t->failed |= text.failed;
    gnt_text_free(&text);
}

/* Adds the utility, as in "79.1 % [78.0, 80.2]", or why there is none. */
static void add_utility(const gnt_results *r, const row *w, gnt_table *t) {
    const char *measure = gnt_utility_measure(r, w->task);
    double low, high;
    gnt_text text;
    gnt_text_init(&text, 256);
    find_range(r, w, &low, &high);
    if (isfinite(w->utility))
        gnt_utility_write(measure, w->utility, &text);
    else
        gnt_text_add(&text, "%s",
                     w->strengths < 2    ? "one strength alone"
                     : w->leakage < low  ? "below all"
                     : w->leakage > high ? "above all"
                                         : "–");
    if (isfinite(w->utility) && isfinite(w->low) && gnt_utility_scale(measure) == 100)
        gnt_text_add(&text, " [%.1f, %.1f]", 100 * w->low, 100 * w->high);
    else if (isfinite(w->utility) && isfinite(w->low))
        gnt_text_add(&text, " [%.4g, %.4g]", w->low, w->high);
    gnt_table_text(t, gnt_text_get(&text));
    t->failed |= text.failed;
    gnt_text_free(&text);
}

/* ---- a table ---- */

/* Adds the columns, those of the first defense: all are read at the same leakages. */
static void add_columns(const rows *all, const row *first, gnt_table *t) {
    gnt_table_column(t, "defense");
    gnt_table_column(t, "leaks, by strength");
    for (size_t i = 0; i < all->n; i++) {
        const row *w = &all->row[i];
        gnt_text text;
        if (!is_same(w, first) || strcmp(w->defense, first->defense) != 0)
            continue;
        gnt_text_init(&text, 256);
        gnt_text_add(&text, "at ");
        add_leakage(w, w->leakage, &text);
        gnt_table_column(t, gnt_text_get(&text));
        t->failed |= text.failed;
        gnt_text_free(&text);
    }
}

/* Adds the rows of a table that has its columns. */
static void add_items(const gnt_results *r, const rows *all, const row *first, gnt_table *t) {
    const char *before = NULL;
    for (size_t i = 0; i < all->n; i++) {
        const row *w = &all->row[i];
        if (!is_same(w, first))
            continue;
        if (!before || strcmp(before, w->defense) != 0) {
            gnt_table_text(t, w->defense);
            add_range(r, w, t);
        }
        before = w->defense;
        add_utility(r, w, t);
    }
}

static void add_heading(const gnt_results *r, const row *w, gnt_text *out) {
    const char *name;
    const double floor = gnt_section_floor(r, w->task, w->stage, w->measure, &name);
    tables_next(out);
    gnt_text_add(out, "**");
    gnt_escape_markdown(out, w->task);
    gnt_text_add(out, ", round %" PRId64 ": utility at equal leakage to ", w->stage);
    gnt_escape_markdown(out, w->attack);
    gnt_text_add(out, "**\n\nLeakage is the %s: ", w->measure->title);
    add_leakage(w, floor, out);
    gnt_text_add(out, " at the floor");
    for (size_t i = 0; i < r->n_group; i++) {
        const gnt_outcome *g = &r->group[i];
        if (g->mode != GNT_ROW_NONE || !is_group_of(g, w))
            continue;
        gnt_text_add(out, ", ");
        add_leakage(w, gnt_number_of(g, w->measure->name)->stat.mean, out);
        gnt_text_add(out, " undefended, where the utility is ");
        gnt_utility_write(gnt_utility_measure(r, w->task), g->utility.value, out);
        break;
    }
    gnt_text_add(out, ".\n");
}

static void add_table(const gnt_results *r, const rows *all, const row *first, gnt_text *out) {
    gnt_table t;
    gnt_table_init(&t, NULL);
    add_columns(all, first, &t);
    add_items(r, all, first, &t);
    add_heading(r, first, out);
    tables_add(&t, out);
    gnt_table_free(&t);
}

int table_equal_leakage(const scores *s, char *const *tasks, size_t n, gnt_text *out, gnt_err *err) {
    rows all;
    if (tables_known(s, tasks, n, err) || read_rows(&s->results, &all, err))
        return -1;
    for (size_t i = 0; i < all.n; i++) {
        size_t before = 0;
        while (before < i && !is_same(&all.row[before], &all.row[i]))
            before++;
        if (before == i && tables_wants(tasks, n, all.row[i].task))
            add_table(&s->results, &all, &all.row[i], out);
    }
    gnt_free(all.row);
    return 0;
}
