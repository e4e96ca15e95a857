/* Tables of the bounds on the task's errors and on the attackers' successes (judge/bounds.h). */
#include <math.h>
#include <string.h>

#include "report/table/report_tables.h"
#include "judge/bounds.h"

static int fill_rows(const gnt_results *r, gnt_bound_rows *rows, gnt_table *t) {
    gnt_err err;
    const int rc = gnt_bounds(r, rows, &err);
    t->failed |= rc != 0;
    return rc;
}

/* Adds scale · x and its unit; a dash if x is not finite. */
static void number(gnt_table *t, double x, const char *unit, int digits, double scale) {
    if (isfinite(x))
        gnt_table_format(t, "%.*f%s", digits, scale * x, unit);
    else
        gnt_table_text(t, "–");
}

static void share(gnt_table *t, double x) {
    number(t, x, " %", 1, 100);
}

static void bits(gnt_table *t, double x) {
    number(t, x, "", 3, 1);
}

static void defense(gnt_table *t, const gnt_bound_row *w) {
    if (w->mode != GNT_ROW_NONE && isfinite(w->strength))
        gnt_table_format(t, "%s @ %.4g", w->defense, w->strength);
    else
        gnt_table_text(t, w->defense);
}

size_t gnt_table_bounds_at(const gnt_results *r, const char *task, int64_t stage, gnt_table *t) {
    gnt_bound_rows rows;
    size_t n = 0;
    gnt_table_init(t, NULL);
    GNT_TABLE_COLUMNS(t, "defense", "class differs by value", "attackers' advantage",
                      "errors, least by Theorem 1", "errors", "entropy, bits", "found by attackers, bits",
                      "inferred at most, by Theorem 2", "inferred at most, by Fano", "inferred");
    if (fill_rows(r, &rows, t) != 0)
        return 0;
    for (size_t i = 0; i < rows.n; i++) {
        const gnt_bound_row *w = &rows.row[i];
        if (strcmp(w->task, task) != 0 || w->stage != stage)
            continue;
        defense(t, w);
        share(t, w->gap);
        share(t, w->advantage);
        share(t, w->least_errors);
        share(t, w->errors);
        bits(t, w->entropy);
        bits(t, w->information);
        share(t, w->most_right);
        share(t, w->most_right_fano);
        share(t, w->right);
        n++;
    }
    gnt_bounds_free(&rows);
    return n;
}

void gnt_table_bounds(const gnt_results *r, gnt_table *t) {
    gnt_bound_rows rows;
    gnt_table_init(t, "Bounds, as estimates");
    GNT_TABLE_COLUMNS(t, "task", "stage", "defense", "mode", "strength", "seeds", "values", "errors", "gap",
                      "advantage", "least_errors", "entropy", "information", "most_right", "most_right_fano",
                      "right");
    if (fill_rows(r, &rows, t) != 0)
        return;
    for (size_t i = 0; i < rows.n; i++) {
        const gnt_bound_row *w = &rows.row[i];
        const double numbers[] = {w->strength,    (double)w->seeds, w->values,          w->errors,
                                  w->gap,         w->advantage,     w->least_errors,    w->entropy,
                                  w->information, w->most_right,    w->most_right_fano, w->right};
        gnt_table_text(t, w->task);
        gnt_table_number(t, (double)w->stage);
        gnt_table_text(t, w->defense);
        gnt_table_text(t, gnt_row_mode_name(w->mode));
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
            gnt_table_number(t, numbers[k]);
    }
    gnt_bounds_free(&rows);
}
