/* The ranking of one section, for pages and terminals. */
#include <math.h>

#include "report/table/report_tables.h"
#include "judge/curve.h"
#include "judge/ranking.h"

static void add_rank(const gnt_rank_row *s, gnt_table *t) {
    gnt_text rank;
    gnt_text_init(&rank, 64);
    if (s->place.rank)
        gnt_rank_write(s->state, &s->place, &rank);
    else
        gnt_text_add(&rank, "–");
    gnt_table_take(t, &rank);
}

static void add_leak(const gnt_measure *m, const gnt_rank_row *s, gnt_table *t) {
    gnt_text leak;
    gnt_text_init(&leak, 256);
    if (s->score)
        gnt_measure_write(m, &s->measured, &leak);
    gnt_table_take(t, &leak);
}

/* Adds the score of the target that leaks most, of all training runs at the strength that is shown. */
static void add_worst_target(const gnt_measure *m, const gnt_rank_row *s, gnt_table *t) {
    gnt_text worst;
    gnt_text_init(&worst, 256);
    if (s->score && isfinite(s->score->stat.worst)) {
        gnt_measure_number(m, s->score->stat.worst, &worst);
        gnt_text_add(&worst, "%s", m->unit);
    }
    gnt_table_take(t, &worst);
}

static void add_next(const gnt_measure *m, const gnt_rank_row *s, gnt_table *t) {
    const gnt_score *next = s->worst ? gnt_next_to(s->worst, m) : NULL;
    gnt_text text;
    gnt_text_init(&text, 256);
    if (next)
        gnt_measure_write(gnt_next_measure(m), &next->stat, &text);
    gnt_table_take(t, &text);
}

/* Adds the utility of the cells that are shown: the target's, where the leakage is read there. */
static void add_utility(const gnt_results *r, const char *task, const gnt_rank_row *s, gnt_table *t) {
    const double value = s->place.at_target ? gnt_target_utility(r, task) : s->worst->utility.value;
    gnt_text utility;
    gnt_text_init(&utility, 256);
    if (isfinite(value))
        gnt_utility_write(gnt_utility_measure(r, task), value, &utility);
    gnt_table_take(t, &utility);
}

static void add_state(const gnt_rank_row *s, gnt_table *t) {
    gnt_text state;
    gnt_text_init(&state, 1024);
    gnt_rank_row_say(s, &state);
    gnt_table_take(t, &state);
}

/* True if any row's worst cell has what is shown next to the measure. */
static int has_next(const gnt_measure *m, const gnt_ranking *ranking) {
    for (size_t i = 0; i < ranking->n; i++)
        if (ranking->row[i].worst && gnt_next_to(ranking->row[i].worst, m))
            return 1;
    return 0;
}

void gnt_table_places(const gnt_results *r, const char *task, int64_t stage, const gnt_measure *m, int next,
                      gnt_table *t) {
    gnt_ranking ranking;
    gnt_table_init(t, NULL);
    t->failed |= gnt_rank(&ranking, r, task, stage, m) != 0;
    next = next && has_next(m, &ranking);
    GNT_TABLE_COLUMNS(t, "rank", "defense", m->title);
    if (!m->share)
        gnt_table_column(t, "worst target");
    if (next)
        gnt_table_column(t, gnt_next_title(m));
    const char *utility = gnt_utility_measure(r, task);
    GNT_TABLE_COLUMNS(t, "under", *utility ? utility : "utility", "compared as");
    for (size_t i = 0; i < ranking.n; i++) {
        const gnt_rank_row *s = &ranking.row[i];
        add_rank(s, t);
        gnt_table_text(t, s->defense);
        add_leak(m, s, t);
        if (!m->share)
            add_worst_target(m, s, t);
        if (next)
            add_next(m, s, t);
        gnt_table_text(t, s->worst ? s->worst->attack : "");
        if (s->worst)
            add_utility(r, task, s, t);
        else
            gnt_table_text(t, "");
        add_state(s, t);
    }
    gnt_ranking_free(&ranking);
}
