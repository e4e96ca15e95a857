/* The sentences that sum up a task at a stage. */
#include <inttypes.h>
#include <math.h>

#include "base/mem.h"
#include "report/report_impl.h"
#include "results/ranking.h"
#include "results/groups.h"

static void say_number(const gnt_measure *m, const gnt_rank_row *s, gnt_text *out) {
    gnt_text_add(out, "%s ", m->title);
    gnt_measure_write(m, &s->score->stat, out);
    gnt_text_add(out, " under %s", s->worst->attack);
    gnt_identified_write(s->worst, m, out);
}

static void say_guess(const gnt_measure *m, double floor, gnt_text *out) {
    gnt_text_add(out, "; no more than a guess at ");
    gnt_measure_number(m, floor, out);
    gnt_text_add(out, "%s, got without the update", m->unit);
}

static void say_best(const gnt_measure *m, const gnt_rank_row *rows, size_t n, gnt_text *out) {
    size_t matched = 0;
    for (size_t i = 0; i < n; i++)
        matched += rows[i].kind == GNT_GROUP_MATCHED && rows[i].worst;
    if (matched == 0) {
        gnt_text_add(out, "No defense reached matched utility here, so none is ranked.");
        return;
    }
    if (!gnt_rank_row_leads(&rows[0])) {
        gnt_text_add(out,
                     "Every matched defense is marked by the host, or no better than public data alone: none "
                     "is ranked.");
        return;
    }
    if (rows[0].judged < rows[0].of)
        gnt_text_add(out, "No matched defense has a number for every attack; judged on %zu of %zu, ",
                     rows[0].judged, rows[0].of);
    else if (matched == 1)
        gnt_text_add(out, "The one defense at matched utility, ");
    else
        gnt_text_add(out, "At matched utility ");
    gnt_text_add(out, matched == 1 && rows[0].judged == rows[0].of ? "%s, leaks " : "%s leaks least: ",
                 rows[0].defense);
    say_number(m, &rows[0], out);
    gnt_text_add(out, ", its worst case over %zu attack%s", rows[0].judged, rows[0].judged == 1 ? "" : "s");
    if (rows[0].unfit)
        gnt_text_add(out, " (untested by %zu that do%s not apply to it)", rows[0].unfit,
                     rows[0].unfit == 1 ? "es" : "");
    /* A lead inside the noise, or below the floor, is said to be none. */
    const int floored = gnt_leak_is_floored(m, rows[0].score->stat.mean, rows[0].floor);
    if (floored)
        say_guess(m, rows[0].floor, out);
    if (n > 1 && gnt_rank_row_leads(&rows[1]) && gnt_rank_rows_compare(&rows[0], &rows[1])) {
        const int both = floored && gnt_leak_is_floored(m, rows[1].score->stat.mean, rows[0].floor);
        gnt_text_add(out,
                     both                                        ? " (so does %s: they are level)"
                     : gnt_rank_rows_tied(m, &rows[0], &rows[1]) ? " (its interval overlaps that of %s)"
                                                                 : " (next: %s)",
                     rows[1].defense);
    }
    gnt_text_add(out, ".");
}

void gnt_report_sentence(const gnt_results *r, const char *task, int64_t stage, const gnt_measure *m,
                         gnt_text *out) {
    gnt_rank_row *rows = gnt_array(r->n_defense + 1, sizeof *rows);
    out->failed |= !rows;
    size_t n = rows ? gnt_rank(r, task, stage, m, rows) : 0;
    say_best(m, rows, n, out);
    for (size_t i = 0; i < n; i++)
        if (rows[i].kind == GNT_GROUP_UNDEFENDED && rows[i].worst) {
            gnt_text_add(out, " Undefended: ");
            say_number(m, &rows[i], out);
            gnt_text_add(out, ".");
        }
    gnt_free(rows);
}
