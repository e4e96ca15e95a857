/* Tables of defenses at one utility and at one leakage, read off their curves (judge/equal_utility.h). */
#include <math.h>

#include "report/table/report_tables.h"
#include "judge/equal_utility.h"
#include "judge/group_roles.h"
#include "judge/section.h"

static const char alone[] = "only one strength measured, so not interpolated";

/* Returns the group at the matched strength; NULL if there is none. */
static const gnt_outcome *matched_of(const gnt_results *r, const gnt_equal_row *w) {
    const gnt_outcome *g = gnt_representative(r, w->task, w->stage, w->defense, w->attack);
    return g && g->mode == GNT_ROW_MATCHED && gnt_number_of(g, w->measure->name) ? g : NULL;
}

static const char *note_of(const gnt_equal_row *w, int by_leakage) {
    return w->found.verdict == GNT_EQUAL_NO_CURVE ? alone : gnt_equal_reason(w->found.verdict, !by_leakage);
}

/* ---- for a page: one task, stage and measure ---- */

static void utility_text(const gnt_results *r, const char *task, double value, gnt_text *out) {
    gnt_utility_write(gnt_utility_measure(r, task), value, out);
}

static void found_item(const gnt_results *r, const gnt_equal_row *w, int by_leakage, gnt_table *t) {
    const double parts[] = {w->found.value, w->found.low, w->found.high};
    static const char *const before[] = {"", " [", ", "};
    gnt_text text;
    gnt_text_init(&text, 1024);
    for (int i = 0; i < (isfinite(w->found.low) ? 3 : 1) && isfinite(parts[0]); i++) {
        gnt_text_add(&text, "%s", before[i]);
        if (by_leakage)
            utility_text(r, w->task, parts[i], &text);
        else
            gnt_measure_number(w->measure, parts[i], &text);
    }
    gnt_text_add(&text, isfinite(w->found.low) ? "]" : isfinite(parts[0]) ? "" : "–");
    gnt_table_take(t, &text);
}

static void matched_item(const gnt_results *r, const gnt_equal_row *w, gnt_table *t) {
    const gnt_outcome *g = matched_of(r, w);
    gnt_text text;
    gnt_text_init(&text, 1024);
    if (g) {
        gnt_measure_write(w->measure, &gnt_number_of(g, w->measure->name)->stat, &text);
        gnt_text_add(&text, " at ");
        utility_text(r, w->task, g->utility.value, &text);
    }
    gnt_table_text(t, g ? gnt_text_get(&text) : "–");
    gnt_text_free(&text);
}

static void at_item(const gnt_results *r, const gnt_equal_row *w, int by_leakage, gnt_table *t) {
    gnt_text text;
    gnt_text_init(&text, 256);
    if (by_leakage)
        gnt_measure_number(w->measure, w->at, &text);
    else
        utility_text(r, w->task, w->at, &text);
    gnt_table_take(t, &text);
}

static int fill_rows(const gnt_results *r, int by_leakage, gnt_equal_rows *rows, gnt_table *t) {
    gnt_err err;
    const int rc = by_leakage ? gnt_equal_leakage(r, rows, &err) : gnt_equal_utility(r, rows, &err);
    t->failed |= rc != 0;
    return rc;
}

size_t gnt_table_equal(const gnt_results *r, const char *task, int64_t stage, const gnt_measure *m,
                       int by_leakage, gnt_table *t) {
    static const char *const names[2][6] = {
        {"defense", "attack", "at utility", "leakage", "as matched", "note"},
        {"defense", "attack", "at leakage", "utility", "as matched", "note"}};
    gnt_equal_rows rows;
    gnt_err err;
    gnt_table_init(t, NULL);
    gnt_table_columns(t, names[by_leakage], 6);
    if (gnt_equal_of(r, task, stage, m, by_leakage, &rows, &err) != 0) {
        t->failed = 1;
        return 0;
    }
    const size_t n = rows.n;
    for (size_t i = 0; i < n; i++) {
        const gnt_equal_row *w = &rows.row[i];
        gnt_table_text(t, w->defense);
        gnt_table_text(t, w->attack);
        at_item(r, w, by_leakage, t);
        found_item(r, w, by_leakage, t);
        matched_item(r, w, t);
        gnt_table_text(t, note_of(w, by_leakage));
    }
    gnt_equal_free(&rows);
    return n;
}

/* ---- files ---- */

static void long_table(const gnt_results *r, int by_leakage, gnt_table *t) {
    static const char *const names[2][17] = {
        {"task", "stage", "defense", "attack", "measure", "utility", "leakage", "standard_error", "low",
         "high", "from", "to", "strengths", "seeds", "matched_utility", "matched_leakage", "note"},
        {"task", "stage", "defense", "attack", "measure", "leakage", "utility", "standard_error", "low",
         "high", "from", "to", "strengths", "seeds", "matched_utility", "matched_leakage", "note"}};
    gnt_equal_rows rows;
    gnt_table_columns(t, names[by_leakage], 17);
    if (fill_rows(r, by_leakage, &rows, t) != 0)
        return;
    for (size_t i = 0; i < rows.n; i++) {
        const gnt_equal_row *w = &rows.row[i];
        const gnt_outcome *g = matched_of(r, w);
        const double numbers[] = {w->at,
                                  w->found.value,
                                  w->found.error,
                                  w->found.low,
                                  w->found.high,
                                  w->from,
                                  w->to,
                                  (double)w->found.strengths,
                                  (double)w->found.seeds};
        gnt_table_text(t, w->task);
        gnt_table_number(t, (double)w->stage);
        gnt_table_text(t, w->defense);
        gnt_table_text(t, w->attack);
        gnt_table_text(t, w->measure->name);
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
            gnt_table_number(t, numbers[k]);
        gnt_table_number(t, g ? g->utility.value : NAN);
        gnt_table_number(t, g ? gnt_number_of(g, w->measure->name)->stat.mean : NAN);
        gnt_table_text(t, note_of(w, by_leakage));
    }
    gnt_equal_free(&rows);
}

void gnt_table_equal_utility(const gnt_results *r, gnt_table *t) {
    gnt_table_init(t, "Leakage at equal utility");
    long_table(r, 0, t);
}

void gnt_table_equal_leakage(const gnt_results *r, gnt_table *t) {
    gnt_table_init(t, "Utility at equal leakage");
    long_table(r, 1, t);
}
