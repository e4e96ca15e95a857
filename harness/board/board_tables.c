/* The tables of runs and of places. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "board/board_impl.h"

void board_table_runs(const board *b, gnt_table *t) {
    static const char *const names[] = {"run",          "contributor", "date", "suite", "title",
                                        "suite_digest", "signature",   "note", "links"};
    gnt_text text;
    gnt_table_init(t, "Runs");
    gnt_table_columns(t, names, sizeof names / sizeof *names);
    gnt_text_init(&text, 1 << 20);
    for (size_t i = 0; i < b->n_run; i++) {
        const board_run *run = &b->run[i];
        gnt_table_number(t, (double)i + 1);
        gnt_table_text(t, run->contributor);
        gnt_table_text(t, run->about.date);
        gnt_table_text(t, run->results.suite);
        gnt_table_text(t, run->results.title);
        gnt_table_format(t, "%.12s", run->results.file->suite_digest);
        gnt_table_text(t, run->seal);
        gnt_table_text(t, run->about.note);
        for (size_t k = 0; k < run->about.n_link; k++)
            gnt_text_add(&text, "%s%s %s", k ? "; " : "", run->about.link[k].title, run->about.link[k].url);
        board_item(t, &text);
    }
    gnt_text_free(&text);
}

static void add_footnotes(uint32_t flags, gnt_text *text) {
    uint32_t flag;
    const char *mark, *words;
    for (size_t n = 0; board_footnote(n, &flag, &mark, &words); n++)
        if (flags & flag)
            gnt_text_add(text, "%s%.*s", text->size ? "; " : "", (int)strcspn(words, ":"), words);
}

static void add_row(const board *b, const board_contest *c, const gnt_measure *m, size_t threat,
                    const board_place *p, gnt_table *t) {
    const gnt_outcome *g = p->worst ? p->worst->group : NULL;
    const gnt_board_claim *claim = board_claim(b, c, p->row, m);
    gnt_text text;
    gnt_text_init(&text, 1 << 20);
    gnt_table_number(t, (double)(c - b->contest) + 1);
    gnt_table_text(t, c->task);
    gnt_table_number(t, c->stage == GNT_EVERY_STAGE ? NAN : (double)c->stage);
    gnt_table_text(t, threat == 0 ? "any" : "limited");
    board_say_threat(c->threat[threat], &text);
    board_item(t, &text);
    gnt_table_text(t, m->name);
    gnt_table_number(t, p->place.rank ? p->place.rank : NAN);
    gnt_table_text(t, p->place.tied ? "tied" : "");
    gnt_table_text(t, p->row->label);
    board_say_contributors(b, p->row, &text);
    board_item(t, &text);
    gnt_table_text(t, gnt_group_kind_name(p->kind));
    gnt_table_text(t, g ? g->utility.measure : "");
    gnt_table_number(t, g ? g->utility.value : NAN);
    gnt_table_number(t, claim ? claim->value : NAN);
    gnt_table_text(t, claim ? claim->source : "");
    gnt_table_number(t, g ? p->score->stat.mean : NAN);
    gnt_table_number(t, g ? p->score->stat.low : NAN);
    gnt_table_number(t, g ? p->score->stat.high : NAN);
    gnt_table_number(t, p->floor);
    gnt_table_number(t, p->place.leak.mean);
    gnt_table_number(t, p->place.leak.low);
    gnt_table_number(t, p->place.leak.high);
    gnt_table_number(t, p->trainings ? p->place.surplus : NAN);
    if (g)
        board_say_attack(b, c, p->worst, &text);
    board_item(t, &text);
    if (g)
        board_say_threat(c->attack[p->worst->attack].grants, &text);
    board_item(t, &text);
    gnt_table_text(t, g ? b->run[p->worst->run].contributor : "");
    gnt_table_number(t, (double)p->judged);
    gnt_table_number(t, (double)p->of);
    add_footnotes(p->row->flags, &text);
    board_item(t, &text);
    gnt_table_text(t, c->in_round ? "round" : "probe");
    gnt_table_text(t, c->stage == GNT_EVERY_STAGE ? "drawn" : "fixed");
    gnt_table_number(t, g ? (double)g->stage : NAN);
    gnt_table_number(t, gnt_public_only_mean(c->facts));
    gnt_table_number(t, p->identified ? p->identified_score->stat.mean : NAN);
    gnt_table_number(t, p->identified ? p->identified_score->stat.low : NAN);
    gnt_table_number(t, p->identified ? p->identified_score->stat.high : NAN);
    if (!p->place.rank)
        board_say_state(c, p, &text);
    board_item(t, &text);
    gnt_text_free(&text);
}

static int is_drawn(const board *b, const board_contest *c, const gnt_measure *m) {
    for (size_t k = 0; k < c->n_run; k++)
        if (gnt_section_draws(&b->run[c->run[k]].results, c->task, c->stage, m))
            return 1;
    return 0;
}

void board_table_rows(const board *b, gnt_table *t) {
    static const char *const names[] = {"section",
                                        "task",
                                        "stage",
                                        "attacker",
                                        "attacker_knows",
                                        "measure",
                                        "rank",
                                        "tied",
                                        "defense",
                                        "contributors",
                                        "standing",
                                        "utility_measure",
                                        "utility",
                                        "claimed",
                                        "claim_source",
                                        "measured",
                                        "low",
                                        "high",
                                        "floor",
                                        "leakage",
                                        "leakage_low",
                                        "leakage_high",
                                        "utility_surplus",
                                        "best_known_attack",
                                        "attack_knows",
                                        "attack_run_by",
                                        "attacks_with_number",
                                        "attacks",
                                        "footnotes",
                                        "observed_from",
                                        "stages",
                                        "worst_stage",
                                        "public_only",
                                        "identified",
                                        "identified_low",
                                        "identified_high",
                                        "why_not_ranked"};
    gnt_table_init(t, "Places");
    gnt_table_columns(t, names, sizeof names / sizeof *names);
    for (size_t i = 0; i < b->n_contest; i++) {
        const board_contest *c = &b->contest[i];
        board_place *places = gnt_array(c->n_row + 1, sizeof *places);
        t->failed |= !places;
        for (size_t k = 0; places && k < GNT_MEASURES; k++) {
            const gnt_measure *m = gnt_measure_at(k);
            if (!is_drawn(b, c, m))
                continue;
            for (size_t threat = 0; threat < c->n_threat; threat++) {
                const size_t n = board_rank(c, m, c->threat[threat], places);
                for (size_t p = 0; board_any_number(places, n) && p < n; p++)
                    add_row(b, c, m, threat, &places[p], t);
            }
        }
        gnt_free(places);
    }
}
