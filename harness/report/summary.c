/* The table that answers first: a row for each task and stage. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "report/report_impl.h"
#include "report/tables_impl.h"
#include "results/ranking.h"
#include "results/groups.h"

static void item(gnt_table *t, gnt_text *text) {
    t->failed |= text->failed;
    gnt_table_text(t, gnt_text_get(text));
    gnt_text_free(text);
}

static int any_matched(const gnt_rank_row *rows, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (rows[i].kind == GNT_GROUP_MATCHED && rows[i].worst)
            return 1;
    return 0;
}

/* "dp-gaussian", "dp-gaussian (tied with dp-laplace)": the first, and who is no worse for all we know. */
static void say_winner(const gnt_measure *m, const gnt_rank_row *rows, size_t n, gnt_text *out) {
    size_t tied = 0;
    if (n == 0 || !gnt_rank_row_leads(&rows[0])) {
        gnt_text_add(out, !m ? "no number" : any_matched(rows, n) ? "none is ranked" : "none was matched");
        return;
    }
    gnt_text_add(out, "%s", rows[0].defense);
    if (n == 1 || !gnt_rank_row_leads(&rows[1]))
        gnt_text_add(out,
                     any_matched(rows + 1, n - 1) ? " (the only one ranked)" : " (the only one matched)");
    if (rows[0].judged < rows[0].of)
        gnt_text_add(out, " (judged on %zu of %zu attacks)", rows[0].judged, rows[0].of);
    if (rows[0].unfit)
        gnt_text_add(out, " (%zu attack%s n/a)", rows[0].unfit, rows[0].unfit == 1 ? "" : "s");
    for (size_t i = 1; i < n && gnt_rank_row_leads(&rows[i]) && gnt_rank_rows_compare(&rows[0], &rows[i]);
         i++)
        if (gnt_rank_rows_tied(m, &rows[0], &rows[i]))
            gnt_text_add(out, "%s%s", tied++ ? ", " : " (tied with ", rows[i].defense);
    if (tied)
        gnt_text_add(out, ")");
}

static void say_leak(const gnt_measure *m, const gnt_rank_row *s, gnt_text *out) {
    gnt_text_add(out, "%s ", m->title);
    gnt_measure_write(m, &s->score->stat, out);
    gnt_text_add(out, ", %s", s->worst->attack);
    gnt_identified_write(s->worst, m, out);
    if (gnt_leak_is_floored(m, s->score->stat.mean, s->floor))
        gnt_text_add(out, ", no more than a guess");
}

static void say_floor(const gnt_results *r, const char *task, int64_t stage, const gnt_measure *m,
                      gnt_text *out) {
    const char *name;
    const double floor = m ? gnt_section_floor(r, task, stage, m, &name) : NAN;
    if (!isfinite(floor))
        return;
    gnt_stat alone = {.mean = floor, .low = NAN, .high = NAN};
    gnt_measure_write(m, &alone, out);
    gnt_text_add(out, ", %s", name);
}

static void counts(const gnt_results *r, const char *task, int64_t stage, gnt_table *t) {
    size_t count[GNT_CELL_STATUSES] = {0};
    for (size_t i = 0; i < r->n_cell; i++)
        if (gnt_is_at(&r->cell[i], task, stage))
            count[r->cell[i].status]++;
    size_t failed = count[GNT_CELL_FAILED] + count[GNT_CELL_CRASHED] + count[GNT_CELL_TIMEOUT];
    size_t other[] = {failed, count[GNT_CELL_NA], count[GNT_CELL_UNFINISHED]};
    static const char *const words[] = {"failed", "n/a", "unfinished"};
    gnt_text text;
    gnt_text_init(&text, 1024);
    gnt_text_add(&text, "%zu ok", count[GNT_CELL_OK]);
    for (size_t i = 0; i < sizeof other / sizeof other[0]; i++)
        if (other[i])
            gnt_text_add(&text, ", %zu %s", other[i], words[i]);
    item(t, &text);
}

static void summary_row(const gnt_results *r, const char *task, int64_t stage, gnt_rank_row *rows,
                        gnt_table *t) {
    const gnt_measure *m = gnt_section_lead(r, task, stage);
    const gnt_rank_row *best = NULL, *none = NULL;
    size_t n = m ? gnt_rank(r, task, stage, m, rows) : 0;
    gnt_text place, winner, leak, undefended, floor;
    gnt_text_init(&place, 1 << 20);
    gnt_text_init(&winner, 1 << 20);
    gnt_text_init(&leak, 1 << 20);
    gnt_text_init(&undefended, 1 << 20);
    gnt_text_init(&floor, 1 << 20);
    for (size_t i = 0; i < n; i++)
        if (rows[i].kind == GNT_GROUP_UNDEFENDED && rows[i].worst && !none)
            none = &rows[i];
    if (n > 0 && gnt_rank_row_leads(&rows[0]))
        best = &rows[0];
    gnt_section_title(r, task, stage, &place);
    say_winner(m, rows, n, &winner);
    if (best)
        say_leak(m, best, &leak);
    else
        gnt_text_add(&leak, "–");
    if (none)
        say_leak(m, none, &undefended);
    else
        gnt_text_add(&undefended, "–");
    say_floor(r, task, stage, m, &floor);
    item(t, &place);
    item(t, &winner);
    item(t, &leak);
    item(t, &undefended);
    item(t, &floor);
    counts(r, task, stage, t);
}

void gnt_table_summary(const gnt_results *r, gnt_table *t) {
    static const char *const columns[] = {
        "task", "leaks least at matched utility", "its worst case", "undefended", "without any attack",
        "cells"};
    gnt_rank_row *rows = gnt_array(r->n_defense + 1, sizeof *rows);
    gnt_table_init(t, "In short");
    t->failed = !rows;
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        gnt_table_column(t, columns[i]);
    for (size_t i = 0; rows && i < r->n_task; i++) {
        int64_t stages[GNT_MOST_STAGES];
        const size_t n = gnt_judged_stages(r, r->task[i], stages);
        for (size_t k = 0; k < n; k++)
            summary_row(r, r->task[i], stages[k], rows, t);
    }
    gnt_free(rows);
}
