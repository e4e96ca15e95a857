/* What changed from one run of a contributor to the next. */
#include <string.h>

#include "base/mem.h"
#include "board/board_format.h"
#include "board/board_impl.h"

/* Finds a defense's worst case in one run. 1; 0 if it is not in that run, −1 when out of memory. */
static int rank_row_in(const board *b, const board_contest *c, size_t run, const char *defense,
                       gnt_rank_row *out) {
    gnt_ranking ranking;
    int found = 0;
    if (gnt_rank(&ranking, &b->run[run].results, c->task, c->stage, c->lead) != 0)
        return -1;
    for (size_t i = 0; i < ranking.n && !found; i++)
        if (!strcmp(ranking.row[i].defense, defense)) {
            *out = ranking.row[i];
            found = 1;
        }
    gnt_ranking_free(&ranking);
    return found;
}

static double worse_floor(const gnt_measure *m, double a, double b) {
    return gnt_leaks_more(m, a, b) ? a : b;
}

/* Compares above one baseline for both: a change below it is none. */
static const char *compare(const gnt_measure *m, const gnt_stat *was, const gnt_stat *is, double floor) {
    const gnt_leak before = gnt_leak_of(m, was, floor), now = gnt_leak_of(m, is, floor);
    if (gnt_leak_surely_less(m, &now, &before))
        return "leaks less";
    if (gnt_leak_surely_less(m, &before, &now))
        return "leaks more";
    return before.mean == now.mean ? "the same" : "no sure change";
}

static void say_change(const board *b, const board_contest *c, size_t before, const gnt_rank_row *was,
                       size_t now, const gnt_rank_row *is, gnt_text *out) {
    char *old = board_defense_settings(&b->run[before], was->defense);
    char *new = board_defense_settings(&b->run[now], is->defense);
    out->failed |= !old || !new;
    if (old && new &&strcmp(old, new) != 0)
        gnt_text_add(out, "settings, version or file changed; ");
    gnt_free(old);
    gnt_free(new);
    if (was->kind != is->kind)
        gnt_text_add(out, "was %s, now %s; ", gnt_group_kind_name(was->kind), gnt_group_kind_name(is->kind));
    if (!was->worst || !is->worst)
        gnt_text_add(out, "%s", !is->worst ? "no number now" : "had no number");
    else
        gnt_text_add(out, "%s",
                     compare(c->lead, &was->score->stat, &is->score->stat,
                             worse_floor(c->lead, was->floor, is->floor)));
}

static void add_step(const board *b, const board_contest *c, size_t run, const char *defense,
                     const gnt_rank_row *s, const char *change, gnt_table *t) {
    const int any = s && s->worst;
    gnt_text section, measured;
    gnt_text_init(&section, BOARD_MOST_SAID);
    gnt_text_init(&measured, BOARD_MOST_SAID);
    board_say_place(b, c, &section);
    if (any) {
        gnt_text_add(&measured, "%s ", c->lead->title);
        gnt_measure_write(c->lead, &s->score->stat, &measured);
    }
    const board_history_entry e = {.contributor = b->run[run].contributor,
                                   .section = gnt_text_get(&section),
                                   .defense = defense,
                                   .run = (double)run + 1,
                                   .date = b->run[run].about.date,
                                   .measured = gnt_text_get(&measured),
                                   .under = any ? s->worst->attack : "",
                                   .what_changed = change};
    gnt_table_field_items(t, &board_history_fields, &e);
    t->failed |= section.failed || measured.failed;
    gnt_text_free(&section);
    gnt_text_free(&measured);
}

/* Follows a contributor's defense from run to run. */
static void follow(const board *b, const board_contest *c, size_t contributor, const char *defense,
                   gnt_table *t) {
    size_t before = b->n_run;
    gnt_rank_row was = {0}, is;
    for (size_t k = 0, nth = 0; k < c->n_run; k++) {
        const size_t run = c->run[k];
        if (b->run[run].contributor_of != contributor)
            continue;
        gnt_text change;
        gnt_text_init(&change, BOARD_MOST_SAID);
        const int here = rank_row_in(b, c, run, defense, &is) == 1;
        if (here && before < b->n_run)
            say_change(b, c, before, &was, run, &is, &change);
        else if (here)
            gnt_text_add(&change, nth ? "new" : "first");
        else if (before < b->n_run)
            gnt_text_add(&change, "not in this run");
        nth++;
        if (here || before < b->n_run)
            add_step(b, c, run, defense, here ? &is : NULL, gnt_text_get(&change), t);
        t->failed |= change.failed;
        gnt_text_free(&change);
        if (here) {
            before = run;
            was = is;
        }
    }
}

/* True for a contributor's first of several runs in the contest. */
static int begins_history(const board *b, const board_contest *c, size_t at) {
    int several = 0;
    for (size_t k = 0; k < c->n_run; k++) {
        const int same = k != at && board_is_same_contributor(b, c->run[k], c->run[at]);
        if (same && k < at)
            return 0;
        several |= same;
    }
    return several;
}

static void add_history(const board *b, const board_contest *c, size_t at, gnt_table *t) {
    const size_t contributor = b->run[c->run[at]].contributor_of;
    for (size_t k = at; k < c->n_run; k++) {
        const gnt_results *r = &b->run[c->run[k]].results;
        if (b->run[c->run[k]].contributor_of != contributor)
            continue;
        for (size_t d = 0; d < r->n_defense; d++) {
            int known = 0;
            for (size_t j = at; j < k && !known; j++)
                for (size_t e = 0; e < b->run[c->run[j]].results.n_defense; e++)
                    known |= b->run[c->run[j]].contributor_of == contributor &&
                             !strcmp(b->run[c->run[j]].results.defense[e], r->defense[d]);
            if (!known)
                follow(b, c, contributor, r->defense[d], t);
        }
    }
}

void board_table_history(const board *b, gnt_table *t) {
    gnt_table_init(t, "History");
    gnt_table_field_columns(t, &board_history_fields);
    for (size_t i = 0; i < b->n_contest; i++) {
        const board_contest *c = &b->contest[i];
        for (size_t at = 0; c->lead && at < c->n_run; at++)
            if (begins_history(b, c, at))
                add_history(b, c, at, t);
    }
}
