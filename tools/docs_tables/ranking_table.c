/* The worst case of each defense over attacks and rounds, as a report ranks it: by the measure that leads. */
#include "page_tables.h"

#include <inttypes.h>
#include <math.h>

#include "base/mem.h"
#include "judge/ranking.h"

static void add_stat(const gnt_measure *m, double mean, double low, double high, gnt_table *t) {
    const gnt_stat stat = {.mean = mean, .low = low, .high = high};
    gnt_text text;
    gnt_text_init(&text, 4096);
    gnt_measure_write(m, &stat, &text);
    gnt_table_text(t, gnt_text_get(&text));
    gnt_text_free(&text);
}

static void add_row(const gnt_results *r, const char *task, const gnt_measure *m, const gnt_rank_row *row,
                    gnt_table *t) {
    gnt_table_text(t, row->defense);
    if (row->place.rank)
        gnt_table_format(t, "%d%s", row->place.rank, row->place.tied ? ", tied" : "");
    else
        gnt_table_text(t, "–");
    gnt_text words;
    gnt_text_init(&words, 4096);
    gnt_rank_row_say(row, &words);
    gnt_table_take(t, &words);
    if (!row->worst) {
        for (int i = 0; i < 4; i++)
            gnt_table_text(t, "–");
        return;
    }
    gnt_table_text(t, row->worst->attack);
    tables_round(r, task, row->worst->stage, t);
    add_stat(m, row->measured.mean, row->measured.low, row->measured.high, t);
    add_stat(m, row->score->stat.mean, row->score->stat.low, row->score->stat.high, t);
}

/* Writes why nothing is ranked, as a sentence. */
static void say_none(const gnt_results *r, const char *task, const gnt_measure *m, const gnt_ranking *ranking,
                     gnt_text *out) {
    gnt_text why;
    gnt_text_init(&why, 1 << 16);
    gnt_ranking_say_none(r, task, m, ranking, &why);
    out->failed |= why.failed;
    if (why.size)
        gnt_text_add(out, "%c%s.\n", gnt_text_get(&why)[0] - 'a' + 'A', gnt_text_get(&why) + 1);
    gnt_text_free(&why);
}

static int add_section(const gnt_results *r, const char *task, int64_t stage, gnt_text *out, gnt_err *err) {
    static const char *const columns[] = {"defense", "rank", "standing", "worst attack", "round"};
    const gnt_measure *m = gnt_section_lead(r, task, stage);
    const char *floor_name;
    char heading[160];
    gnt_ranking ranking;
    gnt_table t;
    if (!m)
        return 0;
    if (gnt_rank(&ranking, r, task, stage, m) != 0)
        return gnt_fail(err, "out of memory");
    if (ranking.n == 0) {
        gnt_ranking_free(&ranking);
        return 0;
    }
    const double floor = gnt_section_floor(r, task, stage, m, &floor_name);
    gnt_table_init(&t, NULL);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        gnt_table_column(&t, columns[i]);
    gnt_table_column(&t, m->title);
    gnt_table_column(&t, "at the matched strength");
    for (size_t i = 0; i < ranking.n; i++)
        add_row(r, task, m, &ranking.row[i], &t);
    tables_next(out);
    gnt_stage_words(r, task, stage, heading, sizeof heading);
    gnt_text_add(out, "**%s**, %s.", task, heading);
    if (isfinite(floor)) {
        gnt_text_add(out, " The floor: %s, ", floor_name);
        gnt_measure_number(m, floor, out);
        gnt_text_add(out, "%s.", m->unit);
    }
    gnt_text_add(out, "\n");
    tables_add(&t, out);
    if (ranking.ranked == 0) {
        gnt_text_add(out, "\n");
        say_none(r, task, m, &ranking, out);
    }
    gnt_table_free(&t);
    gnt_ranking_free(&ranking);
    return 0;
}

int table_ranking(const scores *s, char *const *tasks, size_t n, gnt_text *out, gnt_err *err) {
    const gnt_results *r = &s->results;
    if (tables_known(s, tasks, n, err))
        return -1;
    for (size_t i = 0; i < r->n_task; i++) {
        int64_t stage[GNT_MOST_STAGES];
        const size_t stages =
            tables_wants(tasks, n, r->task[i]) ? gnt_judged_stages(r, r->task[i], stage) : 0;
        for (size_t k = 0; k < stages; k++)
            if (add_section(r, r->task[i], stage[k], out, err))
                return -1;
    }
    return 0;
}
