#include "results/ranking.h"

#include <math.h>
#include <string.h>

gnt_rank_state gnt_rank_state_of(const gnt_rank_grounds *g) {
    if (g->marked)
        return GNT_UNRANKED_MARKED;
    if (!g->any_number)
        return GNT_UNRANKED_NO_NUMBER;
    if (g->kind == GNT_GROUP_UNDEFENDED)
        return GNT_UNRANKED_UNDEFENDED;
    if (g->kind != GNT_GROUP_MATCHED)
        return g->kind == GNT_GROUP_UNMATCHED ? GNT_UNRANKED_UNMATCHED : GNT_UNRANKED_FIXED;
    if (g->against_public == GNT_PUBLIC_NO_BETTER)
        return GNT_UNRANKED_PUBLIC;
    return g->lacking ? GNT_UNRANKED_LACKING : GNT_RANKED;
}

int gnt_ranks_before(const gnt_measure *m, gnt_rank_state a, const gnt_leak *leak_a, gnt_rank_state b,
                     const gnt_leak *leak_b) {
    return a != b ? a < b : !isnan(leak_a->mean) && gnt_leaks_more(m, leak_b->mean, leak_a->mean);
}

gnt_leak gnt_leak_of(const gnt_measure *m, const gnt_stat *s, double floor) {
    return gnt_leak_above(m, (gnt_leak){s->mean, s->low, s->high}, floor);
}

/* ---- the rows ---- */

static const gnt_rank_row *row_of(const gnt_rank_row *rows, size_t n, const char *defense) {
    for (size_t i = 0; i < n; i++)
        if (!strcmp(rows[i].defense, defense))
            return &rows[i];
    return NULL;
}

/* 1 when an attack gave a defense a number in which the host found nothing wrong. */
static int is_asked(const gnt_results *r, const char *task, int64_t stage, const char *attack,
                    const gnt_measure *m, const gnt_rank_row *rows, size_t n) {
    if (r->n_marked == 0)
        return gnt_has_measure(r, task, stage, attack, m->name);
    for (size_t i = 0; i < r->n_group; i++) {
        const gnt_outcome *g = &r->group[i];
        if (!gnt_is_at(g, task, stage) || strcmp(g->attack, attack) != 0 || !gnt_number_of(g, m->name))
            continue;
        const gnt_rank_row *row = row_of(rows, n, g->defense);
        if (!row || !row->marked)
            return 1;
    }
    return 0;
}

static void judge(const gnt_results *r, const char *task, int64_t stage, const char *attack, int asked,
                  const gnt_measure *m, gnt_rank_row *s) {
    int64_t stages[GNT_MOST_STAGES] = {stage};
    const size_t n = stage == GNT_EVERY_STAGE ? gnt_stages(r, task, stages) : 1;
    size_t numbers = 0, unfit = 0;
    for (size_t i = 0; i < n; i++) {
        const gnt_outcome *g = gnt_representative(r, task, stages[i], s->defense, attack);
        const gnt_score *score = gnt_number_of(g, m->name);
        unfit += g && g->status == GNT_CELL_NA;
        numbers += score != NULL;
        if (score && (!s->worst || gnt_leaks_more(m, score->stat.mean, s->score->stat.mean))) {
            s->worst = g;
            s->score = score;
        }
    }
    if (!asked && numbers == 0)
        return;
    if (unfit == n) {
        s->unfit++;
        return;
    }
    s->of++;
    s->judged += numbers == n;
}

static void settle(const gnt_results *r, const char *task, const gnt_measure *m, gnt_rank_row *s) {
    const gnt_rank_grounds grounds = {.kind = s->kind,
                                      .marked = s->marked != NULL,
                                      .any_number = s->worst != NULL,
                                      .lacking = s->judged < s->of,
                                      .against_public =
                                          s->kind == GNT_GROUP_MATCHED
                                              ? gnt_beats_public(r, gnt_facts_of(r, task), task, s->defense)
                                              : GNT_PUBLIC_UNKNOWN};
    s->state = gnt_rank_state_of(&grounds);
    s->place.leak = s->worst ? gnt_leak_of(m, &s->score->stat, s->floor)
                             : (gnt_leak){.mean = NAN, .low = NAN, .high = NAN};
}

/* Insertion keeps the suite's order among equals. */
static void sort(const gnt_measure *m, gnt_rank_row *rows, size_t n) {
    for (size_t i = 1; i < n; i++) {
        const gnt_rank_row s = rows[i];
        size_t at = i;
        while (at > 0 &&
               gnt_ranks_before(m, s.state, &s.place.leak, rows[at - 1].state, &rows[at - 1].place.leak)) {
            rows[at] = rows[at - 1];
            at--;
        }
        rows[at] = s;
    }
}

size_t gnt_rank(const gnt_results *r, const char *task, int64_t stage, const gnt_measure *m,
                gnt_rank_row *rows) {
    const char *name;
    const double floor = gnt_section_floor(r, task, stage, m, &name);
    size_t n = 0, ranked = 0;
    for (size_t d = 0; d < r->n_defense; d++) {
        const gnt_outcome *any = gnt_representative(r, task, stage, r->defense[d], NULL);
        if (any)
            rows[n++] = (gnt_rank_row){.defense = r->defense[d],
                                       .kind = gnt_group_kind_of(any),
                                       .floor = floor,
                                       .marked = gnt_marked_cell(r, task, stage, r->defense[d])};
    }
    for (size_t a = 0; a < r->n_attack; a++) {
        const int asked = is_asked(r, task, stage, r->attack[a], m, rows, n);
        for (size_t i = 0; i < n; i++)
            judge(r, task, stage, r->attack[a], asked, m, &rows[i]);
    }
    for (size_t i = 0; i < n; i++)
        settle(r, task, m, &rows[i]);
    sort(m, rows, n);
    while (ranked < n && rows[ranked].state == GNT_RANKED)
        ranked++;
    if (ranked)
        gnt_leak_rank(m, &rows[0].place, sizeof *rows, ranked);
    return n;
}

const char *gnt_rank_row_words(const gnt_rank_row *s) {
    static const char *const marked[] = {"undefended, marked by the host", "matched, marked by the host",
                                         "unmatched, marked by the host",
                                         "fixed strength, marked by the host", "sweep"};
    if (s->state == GNT_UNRANKED_MARKED)
        return marked[s->kind];
    return s->state == GNT_UNRANKED_PUBLIC ? "matched, no better than public data"
                                           : gnt_group_kind_name(s->kind);
}

int gnt_rank_rows_compare(const gnt_rank_row *a, const gnt_rank_row *b) {
    return (a->judged == a->of && b->judged == b->of) || a->judged == b->judged;
}

int gnt_rank_row_leads(const gnt_rank_row *s) {
    return s->state == GNT_RANKED || s->state == GNT_UNRANKED_LACKING;
}

static int is_known(const gnt_measure *m, const gnt_rank_row *s) {
    return gnt_leak_is_floored(m, s->score->stat.mean, s->floor) || gnt_has_interval(&s->score->stat);
}

int gnt_rank_rows_tied(const gnt_measure *m, const gnt_rank_row *a, const gnt_rank_row *b) {
    return is_known(m, a) && is_known(m, b) && !gnt_leak_surely_less(m, &a->place.leak, &b->place.leak) &&
           !gnt_leak_surely_less(m, &b->place.leak, &a->place.leak);
}
