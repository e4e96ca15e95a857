#include "report/table/report_tables.h"

#include <math.h>
#include <string.h>

#include "judge/group_roles.h"
#include "judge/measure_text.h"
#include "judge/paired.h"

/* The choice of an entry: the row's value of a key counts before the column's, the column's before the
 * table's. */
typedef struct choice {
    const json_t *row, *column, *table;
} choice;

static const json_t *said(const choice *c, const char *key) {
    const json_t *v = json_object_get(c->row, key);
    if (!v)
        v = json_object_get(c->column, key);
    return v ? v : json_object_get(c->table, key);
}

static const char *said_text(const choice *c, const char *key) {
    return json_string_value(said(c, key));
}

static int is_attack(const choice *c, const gnt_outcome *g) {
    const json_t *wanted = said(c, "attack");
    if (!wanted)
        return 1;
    for (size_t i = 0; i < json_array_size(wanted); i++) {
        const char *one = json_string_value(json_array_get(wanted, i));
        if (one && !strcmp(one, g->attack))
            return 1;
    }
    return json_is_string(wanted) && !strcmp(json_string_value(wanted), g->attack);
}

static int is_chosen(const choice *c, const gnt_outcome *g) {
    const char *task = said_text(c, "task"), *defense = said_text(c, "defense");
    const json_t *stage = said(c, "stage"), *strength = said(c, "strength");
    if ((task && strcmp(task, g->task)) || (defense && strcmp(defense, g->defense)) ||
        (stage && json_number_value(stage) != (double)g->stage) || !is_attack(c, g))
        return 0;
    if (!strength)
        return 1;
    const double wanted = json_number_value(strength);
    return fabs(g->strength - wanted) <= 1e-9 * fabs(wanted);
}

static double shown_number(const gnt_score *s, const char *show) {
    return !strcmp(show, "worst") ? s->stat.worst : !strcmp(show, "median") ? s->stat.median : s->stat.mean;
}

/* Returns the chosen group that leaks most; without a measure the first. A point of a sweep counts only
 * where nothing else is chosen or its strength is named; before it, one that has a number. */
static const gnt_outcome *pick(const gnt_results *r, const choice *c, const gnt_measure *m,
                               const char *show) {
    const gnt_outcome *best = NULL;
    double most = NAN;
    int best_sweep = 0, named = said(c, "strength") != NULL;
    for (size_t i = 0; i < r->n_group; i++) {
        const gnt_outcome *g = &r->group[i];
        if (!is_chosen(c, g))
            continue;
        const gnt_score *s = m && g->status == GNT_CELL_OK ? gnt_score_find(g, m->name) : NULL;
        const double value = s ? shown_number(s, show) : m ? NAN : g->utility.value;
        const int sweep = !named && g->mode == GNT_ROW_SWEEP;
        const int better =
            !best || (sweep < best_sweep) ||
            (sweep == best_sweep && (m ? gnt_leaks_more(m, value, most) : isnan(most) && !isnan(value)));
        if (!better)
            continue;
        best = g;
        most = value;
        best_sweep = sweep;
    }
    return best;
}

static void write_score(gnt_table *t, const gnt_measure *m, const gnt_score *s, const char *show) {
    gnt_text text;
    gnt_text_init(&text, 4096);
    if (!strcmp(show, "mean"))
        gnt_measure_write(m, &s->stat, &text);
    else
        gnt_measure_number(m, shown_number(s, show), &text);
    if (!strcmp(show, "deviation")) {
        gnt_text_add(&text, " ± ");
        gnt_measure_number(m, s->stat.deviation, &text);
    }
    gnt_table_take(t, &text);
}

static void write_stat(gnt_table *t, const gnt_measure *m, const gnt_stat *d) {
    gnt_text text;
    gnt_text_init(&text, 4096);
    gnt_measure_write(m, d, &text);
    gnt_table_take(t, &text);
}

/* Writes a utility and, over several training runs, its interval. */
static void write_interval(gnt_table *t, const char *name, const gnt_stat *d) {
    gnt_text text;
    gnt_text_init(&text, 256);
    gnt_utility_write(name, d->mean, &text);
    if (gnt_has_interval(d)) {
        gnt_text_add(&text, " [");
        gnt_utility_write(name, d->low, &text);
        gnt_text_add(&text, ", ");
        gnt_utility_write(name, d->high, &text);
        gnt_text_add(&text, "]");
    }
    gnt_table_take(t, &text);
}

/* Writes by how much a measure, or without one a utility, of the group exceeds the other group's. */
static void write_difference(gnt_table *t, const gnt_results *r, const gnt_paper_pair *pair) {
    gnt_stat d;
    if (!pair->other)
        gnt_table_text(t, "not run");
    else if (pair->measure ? gnt_paired_difference(&d, r, pair->group, pair->other, pair->measure)
                           : gnt_paired_utility(&d, r, pair->group, pair->other, pair->utility))
        gnt_table_text(t, "not measured");
    else if (pair->measure)
        write_stat(t, pair->measure, &d);
    else
        write_interval(t, pair->utility, &d);
}

/* Writes a utility and, where the paper prints one with its deviation, the least and the greatest of several
 * training runs. */
static void write_utility(gnt_table *t, const gnt_utility *u, int deviates) {
    gnt_text text;
    gnt_text_init(&text, 256);
    gnt_utility_write(u->measure, u->value, &text);
    if (deviates && u->low < u->high) {
        gnt_text_add(&text, " [");
        gnt_utility_write(u->measure, u->low, &text);
        gnt_text_add(&text, ", ");
        gnt_utility_write(u->measure, u->high, &text);
        gnt_text_add(&text, "]");
    }
    gnt_table_take(t, &text);
}

/* Returns "" if the utility is shown, else the name of another number of the test samples; NULL if none. */
static const char *utility_shown(const char *show) {
    static const char word[] = "utility";
    const size_t n = sizeof word - 1;
    if (strncmp(show, word, n) != 0 || (show[n] && show[n] != '.'))
        return NULL;
    return show[n] ? show + n + 1 : "";
}

/* Writes the mean over seeds of a fact of the group's cells. */
static void write_fact(gnt_table *t, const gnt_results *r, const gnt_outcome *g, const char *fact) {
    double sum = 0;
    int64_t n = 0;
    for (size_t i = 0; g && i < r->n_cell; i++) {
        const double value = gnt_fact_of(&r->cell[i], fact);
        if (!isfinite(value) || !gnt_stands_for(&r->cell[i], g))
            continue;
        sum += value;
        n++;
    }
    if (n)
        gnt_table_format(t, "%.4g", sum / (double)n);
    else
        gnt_table_text(t, g ? "not measured" : "not run");
}

/* Returns what the entry of a row and a column shows. */
static gnt_paper_pair pair_of(const gnt_results *r, const choice *c) {
    const char *show = said_text(c, "show"), *name = said_text(c, "measure");
    const json_t *minus = said(c, "minus");
    gnt_paper_pair p = {.show = show ? show : "mean"};
    const char *const number = utility_shown(p.show);
    p.measure = !number && name ? gnt_measure_find(name) : NULL;
    p.group = number || p.measure ? pick(r, c, p.measure, p.show) : NULL;
    if (p.group && number)
        p.utility = *number ? number : p.group->utility.measure;
    /* the utility of a training run does not depend on the attack */
    p.is_difference = minus && !(number && json_is_string(minus));
    if (p.group && p.is_difference)
        p.other = gnt_group_instead(r, p.group, minus);
    return p;
}

/* True if the paper prints a number with its deviation. */
static int is_printed_with_deviation(const json_t *printed) {
    const char *text = json_string_value(printed);
    return text && strstr(text, "±") != NULL;
}

static void write_item(const gnt_results *r, const choice *c, const json_t *printed, gnt_table *t) {
    const char *fact = said_text(c, "fact");
    if (fact) {
        write_fact(t, r, pick(r, c, NULL, ""), fact);
        return;
    }
    const gnt_paper_pair p = pair_of(r, c);
    const gnt_score *s = p.group && p.measure ? gnt_score_find(p.group, p.measure->name) : NULL;
    const gnt_utility u = p.utility ? gnt_utility_number(&p.group->utility, p.utility) : (gnt_utility){0};
    const int has_utility = p.utility && isfinite(u.value), has_score = s && p.group->status == GNT_CELL_OK;
    if (p.is_difference && (has_utility || has_score))
        write_difference(t, r, &p);
    else if (has_utility)
        write_utility(t, &u, is_printed_with_deviation(printed));
    else if (has_score)
        write_score(t, p.measure, s, p.show);
    else
        gnt_table_text(t, !p.group                         ? "not run"
                          : p.group->status == GNT_CELL_OK ? "not measured"
                                                           : gnt_status_name(p.group->status));
}

static void write_printed(const json_t *v, gnt_table *t) {
    if (json_is_string(v))
        gnt_table_text(t, json_string_value(v));
    else if (json_is_number(v))
        gnt_table_format(t, "%.6g", json_number_value(v));
    else
        gnt_table_text(t, "–");
}

static int has_print(const json_t *row) {
    for (size_t k = 0; k < json_array_size(row); k++)
        if (!json_is_null(json_array_get(row, k)))
            return 1;
    return 0;
}

static const json_t *lines(const gnt_paper_table *p, const char *key) {
    return json_object_get(p->spec, key);
}

json_t *gnt_paper_read(const gnt_results *r) {
    return r->file->tables ? json_loads(r->file->tables, 0, NULL) : NULL;
}

/* True if the id, which names files, has letters, digits, '-' and '_' alone. */
static int is_plain(const char *id) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    return id && *id && strlen(id) < 100 && !id[strspn(id, letters)];
}

int gnt_paper_at(const json_t *all, size_t i, gnt_paper_table *out) {
    const json_t *spec = json_array_get(all, i);
    const char *note = json_string_value(json_object_get(spec, "note"));
    *out = (gnt_paper_table){.id = json_string_value(json_object_get(spec, "id")),
                             .title = json_string_value(json_object_get(spec, "title")),
                             .note = note ? note : "",
                             .spec = spec};
    return is_plain(out->id) && out->title && json_array_size(lines(out, "columns")) &&
                   json_array_size(lines(out, "rows"))
               ? 0
               : -1;
}

gnt_paper_pair gnt_paper_pair_at(const gnt_results *r, const gnt_paper_table *p, size_t row, size_t column) {
    const choice c = {json_array_get(lines(p, "rows"), row), json_array_get(lines(p, "columns"), column),
                      p->spec};
    return pair_of(r, &c);
}

static const char *label_of(const json_t *line) {
    const char *text = json_string_value(json_object_get(line, "label"));
    return text ? text : "";
}

void gnt_paper_fill(const gnt_results *r, const gnt_paper_table *p, gnt_table *t) {
    const json_t *columns = lines(p, "columns"), *rows = lines(p, "rows"), *printed = lines(p, "paper");
    const size_t n = json_array_size(columns);
    gnt_table_init(t, NULL);
    gnt_table_column(t, "");
    gnt_table_column(t, "source");
    for (size_t k = 0; k < n; k++)
        gnt_table_column(t, label_of(json_array_get(columns, k)));
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i), *paper = json_array_get(printed, i);
        gnt_table_text(t, label_of(row));
        gnt_table_text(t, "here");
        for (size_t k = 0; k < n; k++) {
            const choice c = {row, json_array_get(columns, k), p->spec};
            write_item(r, &c, json_array_get(paper, k), t);
        }
        if (!has_print(paper))
            continue;
        gnt_table_text(t, label_of(row));
        gnt_table_text(t, "paper");
        for (size_t k = 0; k < n; k++)
            write_printed(json_array_get(paper, k), t);
    }
}
