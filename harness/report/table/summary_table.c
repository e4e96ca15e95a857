/* The table that answers first: a row for each task and stage. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "report/table/report_tables.h"
#include "judge/ranking.h"
#include "judge/group_roles.h"

/* Names the first defense and those tied with it, as in "dp-gaussian (tied with dp-laplace)"; or says why
 * none is ranked. */
static void say_winner(const gnt_results *r, const char *task, const gnt_measure *m,
                       const gnt_ranking *ranking, gnt_text *out) {
    size_t tied = 0;
    if (!m) {
        gnt_text_add(out, "no number");
        return;
    }
    if (ranking->ranked == 0) {
        gnt_ranking_say_none(r, task, m, ranking, out);
        return;
    }
    const gnt_rank_row *best = &ranking->row[0];
    gnt_text_add(out, "%s%s", best->defense, ranking->ranked == 1 ? " (the only one ranked)" : "");
    if (best->state == GNT_RANKED_AS_NONE)
        gnt_text_add(out, " (not surely less than undefended)");
    else if (best->place.exhausted)
        gnt_text_add(out, " (%s)", gnt_utility_words(best->kind, best->saturated, &best->place));
    if (best->unfit)
        gnt_text_add(out, " (%zu attack%s n/a)", best->unfit, best->unfit == 1 ? "" : "s");
    for (size_t i = 1; i < ranking->ranked; i++)
        if (gnt_ranking_tied(ranking, 0, i))
            gnt_text_add(out, "%s%s", tied++ ? ", " : " (tied with ", ranking->row[i].defense);
    if (tied)
        gnt_text_add(out, ")");
}

static void say_leak(const gnt_measure *m, const gnt_rank_row *s, gnt_text *out) {
    gnt_text_add(out, "%s ", m->title);
    gnt_measure_write(m, &s->measured, out);
    gnt_text_add(out, "%s, %s", s->place.at_target ? " at the target utility" : "", s->worst->attack);
    gnt_next_to_write(s->worst, m, out);
    if (gnt_leak_is_floored(m, s->measured.mean, s->floor))
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
    gnt_table_take(t, &text);
}

static void summary_row(const gnt_results *r, const char *task, int64_t stage, gnt_table *t) {
    const gnt_measure *m = gnt_section_lead(r, task, stage);
    const gnt_rank_row *none = NULL;
    gnt_ranking ranking = {0};
    t->failed |= m && gnt_rank(&ranking, r, task, stage, m) != 0;
    gnt_text place, winner, leak, undefended, floor;
    gnt_text_init(&place, 1 << 20);
    gnt_text_init(&winner, 1 << 20);
    gnt_text_init(&leak, 1 << 20);
    gnt_text_init(&undefended, 1 << 20);
    gnt_text_init(&floor, 1 << 20);
    for (size_t i = 0; i < ranking.n; i++)
        if (ranking.row[i].kind == GNT_GROUP_UNDEFENDED && ranking.row[i].worst && !none)
            none = &ranking.row[i];
    gnt_section_title(r, task, stage, &place);
    say_winner(r, task, m, &ranking, &winner);
    if (ranking.ranked)
        say_leak(m, &ranking.row[0], &leak);
    else
        gnt_text_add(&leak, "–");
    if (none)
        say_leak(m, none, &undefended);
    else
        gnt_text_add(&undefended, "–");
    say_floor(r, task, stage, m, &floor);
    gnt_table_take(t, &place);
    gnt_table_take(t, &winner);
    gnt_table_take(t, &leak);
    gnt_table_take(t, &undefended);
    gnt_table_take(t, &floor);
    counts(r, task, stage, t);
    gnt_ranking_free(&ranking);
}

void gnt_table_summary(const gnt_results *r, gnt_table *t) {
    gnt_table_init(t, "In short");
    GNT_TABLE_COLUMNS(t, "task", "leaks least at matched utility", "its worst case", "undefended", "baseline",
                      "cells");
    for (size_t i = 0; i < r->n_task; i++) {
        int64_t stages[GNT_MOST_STAGES];
        const size_t n = gnt_judged_stages(r, r->task[i], stages);
        for (size_t k = 0; k < n; k++)
            summary_row(r, r->task[i], stages[k], t);
    }
}
