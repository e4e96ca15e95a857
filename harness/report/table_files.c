/* The report's table files: tables/NAME.md, .csv, .json and .tex, and tables/macros.tex. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "render/escape.h"
#include "render/latex.h"
#include "report/table/report_tables.h"
#include "report/report_impl.h"
#include "judge/group_roles.h"

static int write_text(const gnt_report *p, const char *name, const char *ending, gnt_text *text,
                      gnt_err *err) {
    char *path = gnt_format("%s/tables/%s.%s", p->folder, name, ending);
    int failed = !path || text->failed ? gnt_fail(err, "tables/%s.%s: out of memory", name, ending)
                                       : gnt_file_write(path, gnt_text_get(text), text->size, err);
    gnt_free(path);
    gnt_text_free(text);
    return failed;
}

static int write_as(const gnt_report *p, const char *name, const char *ending, const gnt_table *t,
                    void (*writer)(const gnt_table *, gnt_text *), gnt_err *err) {
    gnt_text text;
    gnt_text_init(&text, GNT_TABLE_TEXT_MOST);
    writer(t, &text);
    return write_text(p, name, ending, &text, err);
}

/* Frees the table. */
static int write_filled(const gnt_report *p, const char *name, gnt_table *t, int markdown, gnt_err *err) {
    int failed = write_as(p, name, "csv", t, gnt_table_csv, err) ||
                 write_as(p, name, "json", t, gnt_table_json, err) ||
                 (markdown && (write_as(p, name, "md", t, gnt_table_markdown, err) ||
                               write_as(p, name, "tex", t, gnt_table_latex, err)));
    gnt_table_free(t);
    return failed;
}

static int write_table(const gnt_report *p, const char *name, void (*fill)(const gnt_results *, gnt_table *),
                       int markdown, gnt_err *err) {
    gnt_table t;
    fill(p->results, &t);
    return write_filled(p, name, &t, markdown, err);
}

/* Keeps the files of an earlier report if the run has no times of hooks. */
static int write_hooks(const gnt_report *p, gnt_err *err) {
    gnt_table t;
    return gnt_table_hooks_of(p->results, p->run, &t) ? write_filled(p, "hooks", &t, 1, err) : 0;
}

/* Writes the matrix for reading, as a table for each task, stage and measure. */
static int write_matrix(const gnt_report *p, gnt_err *err) {
    gnt_text text, latex;
    gnt_text_init(&text, GNT_TABLE_TEXT_MOST);
    gnt_text_init(&latex, GNT_TABLE_TEXT_MOST);
    gnt_text_add(&text, "# Defense × attack at matched utility\n\n");
    for (size_t i = 0; i < p->n_section; i++)
        for (size_t k = 0; k < GNT_MEASURES; k++) {
            const gnt_section *s = &p->section[i];
            const gnt_measure *m = gnt_measure_at(k);
            if (!gnt_has_measure(p->results, s->task, s->stage, NULL, m->name))
                continue;
            gnt_table t;
            gnt_table_matrix(p->results, s->task, s->stage, m, &t);
            gnt_text_add(&text, "## ");
            gnt_escape_markdown(&text, s->task);
            gnt_text_add(&text, ", round %" PRId64 ": %s\n\n%s leaks more.\n\n", s->stage, m->title,
                         m->leak > 0 ? "Higher" : "Lower");
            gnt_table_markdown(&t, &text);
            gnt_text_add(&latex, "%% ");
            gnt_escape_latex(&latex, s->task);
            gnt_text_add(&latex, ", round %" PRId64 ": %s\n", s->stage, m->title);
            gnt_table_latex(&t, &latex);
            gnt_text_add(&latex, "\n");
            gnt_table_free(&t);
        }
    const int rc = write_text(p, "matrix", "md", &text, err);
    return write_text(p, "matrix", "tex", &latex, err) || rc ? -1 : 0;
}

/* ---- macros ---- */

enum { MOST_KEYS = 7 };

/* Forgets the strengths that were searched for: macros of a matched row have the same names after another
 * search. */
static void forget_matched_strengths(gnt_table *t) {
    size_t mode = t->n_column, strength = t->n_column;
    for (size_t c = 0; c < t->n_column; c++) {
        mode = !strcmp(t->column[c], "mode") ? c : mode;
        strength = !strcmp(t->column[c], "strength") ? c : strength;
    }
    for (size_t i = 0; mode < t->n_column && strength < t->n_column && i < t->n_item; i += t->n_column) {
        const char *word = t->item[i + mode].text;
        if (word && !strcmp(word, gnt_row_mode_name(GNT_ROW_MATCHED)))
            t->item[i + strength].number = NAN;
    }
}

/* Writes a macro for each number of the tables that readers cite. */
static int write_macros(const gnt_report *p, gnt_err *err) {
    static const struct {
        const char *name;
        void (*fill)(const gnt_results *, gnt_table *);
        const char *key[MOST_KEYS];
    } tables[] = {
        {"ranking", gnt_table_ranking, {"task", "stage", "measure", "defense"}},
        {"equal-utility", gnt_table_equal_utility, {"task", "stage", "defense", "attack", "measure"}},
        {"equal-leakage", gnt_table_equal_leakage, {"task", "stage", "defense", "attack", "measure"}},
        {"bounds", gnt_table_bounds, {"task", "stage", "defense", "mode", "strength"}},
        {"maps", gnt_table_maps, {"task", "stage", "defense", "mode", "strength", "number"}},
        {"groups", gnt_table_groups, {"task", "stage", "defense", "mode", "strength", "attack", "measure"}},
        {"matches", gnt_table_matches, {"task", "defense"}},
        {"floors", gnt_table_floors, {"task", "stage", "attack", "measure"}},
        {"secret", gnt_table_secret, {"task", "defense", "strength", "seed"}},
    };
    gnt_text text;
    gnt_text_init(&text, GNT_TABLE_TEXT_MOST);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        gnt_table t;
        size_t n = 0;
        while (n < MOST_KEYS && tables[i].key[n])
            n++;
        tables[i].fill(p->results, &t);
        forget_matched_strengths(&t);
        gnt_table_macros(&t, tables[i].name, tables[i].key, n, &text);
        gnt_table_free(&t);
    }
    return write_text(p, "macros", "tex", &text, err);
}

/* Writes the paper's tables, paper-ID.csv and so on. */
static int write_paper(const gnt_report *p, gnt_err *err) {
    for (size_t i = 0; i < json_array_size(p->paper); i++) {
        gnt_paper_table one;
        gnt_table t;
        if (gnt_paper_at(p->paper, i, &one) != 0)
            continue;
        char *name = gnt_format("paper-%s", one.id);
        gnt_paper_fill(p->results, &one, &t);
        int failed = name ? write_filled(p, name, &t, 1, err) : gnt_fail(err, "report: out of memory");
        if (!name)
            gnt_table_free(&t);
        gnt_free(name);
        if (failed)
            return -1;
    }
    return 0;
}

int gnt_report_write_tables(const gnt_report *p, gnt_err *err) {
    return write_paper(p, err) || write_table(p, "matrix", gnt_table_matrix_long, 0, err) ||
                   write_matrix(p, err) || write_table(p, "ranking", gnt_table_ranking, 1, err) ||
                   write_table(p, "equal-utility", gnt_table_equal_utility, 1, err) ||
                   write_table(p, "equal-leakage", gnt_table_equal_leakage, 1, err) ||
                   write_table(p, "bounds", gnt_table_bounds, 1, err) ||
                   write_table(p, "maps", gnt_table_maps, 1, err) ||
                   write_table(p, "groups", gnt_table_groups, 1, err) ||
                   write_table(p, "matches", gnt_table_matches, 1, err) ||
                   write_table(p, "history", gnt_table_history, 1, err) ||
                   write_table(p, "problems", gnt_table_problems, 1, err) ||
                   write_table(p, "floors", gnt_table_floors, 1, err) ||
                   write_table(p, "secret", gnt_table_secret, 1, err) ||
                   write_table(p, "attackers", gnt_table_attackers, 1, err) ||
                   write_table(p, "searches", gnt_table_searches, 1, err) ||
                   write_table(p, "facts", gnt_table_facts, 1, err) || write_hooks(p, err) ||
                   write_macros(p, err)
               ? -1
               : 0;
}
