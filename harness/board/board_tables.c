/* The tables of runs and of places. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "board/board_format.h"
#include "board/arenas_impl.h"

/* Takes what was said into the arena, and leaves the text empty. */
static const char *keep(gnt_arena *arena, gnt_text *text) {
    const char *copy = gnt_arena_text(arena, gnt_text_get(text));
    arena->failed |= text->failed;
    gnt_text_free(text);
    gnt_text_init(text, BOARD_MOST_SAID);
    return copy;
}

static void add_run(const board_run *run, double number, gnt_table *t) {
    char digest[13];
    gnt_arena arena = {0};
    gnt_text links;
    gnt_text_init(&links, 1 << 20);
    for (size_t k = 0; k < run->about.n_link; k++)
        gnt_text_add(&links, "%s%s %s", k ? "; " : "", run->about.link[k].title, run->about.link[k].url);
    snprintf(digest, sizeof digest, "%.12s", run->results.file->suite_digest);
    const board_run_entry e = {.run = number,
                               .contributor = run->contributor,
                               .date = run->about.date,
                               .suite = run->results.suite,
                               .title = run->results.title,
                               .suite_digest = digest,
                               .signature = run->seal,
                               .note = run->about.note,
                               .links = keep(&arena, &links),
                               .season_key = run->season};
    gnt_table_field_items(t, &board_run_fields, &e);
    t->failed |= arena.failed;
    gnt_text_free(&links);
    gnt_arena_free(&arena);
}

void board_table_runs(const board *b, gnt_table *t) {
    gnt_table_init(t, "Runs");
    gnt_table_field_columns(t, &board_run_fields);
    for (size_t i = 0; i < b->n_run; i++)
        add_run(&b->run[i], (double)i + 1, t);
}

/* ---- places ---- */

static void add_footnotes(uint32_t flags, gnt_text *text) {
    uint32_t flag;
    const char *mark, *words;
    for (size_t n = 0; board_footnote(n, &flag, &mark, &words); n++)
        if (flags & flag)
            gnt_text_add(text, "%s%.*s", text->size ? "; " : "", (int)strcspn(words, ":"), words);
}

static void fill_words(const board *b, const board_contest *c, const gnt_measure *m, size_t threat,
                       const board_place *p, gnt_arena *arena, board_place_entry *e) {
    gnt_text text;
    gnt_text_init(&text, BOARD_MOST_SAID);
    board_say_threat(c->threat[threat], &text);
    e->attacker_knows = keep(arena, &text);
    board_say_contributors(b, p->row, &text);
    e->contributors = keep(arena, &text);
    if (p->worst)
        board_say_attack(b, c, p->worst, &text);
    e->best_known_attack = keep(arena, &text);
    if (p->worst)
        board_say_threat(c->attack[p->worst->attack].grants, &text);
    e->attack_knows = keep(arena, &text);
    add_footnotes(p->row->flags, &text);
    e->footnotes = keep(arena, &text);
    if (!p->place.rank)
        board_say_state(c, p, &text);
    e->why_not_ranked = keep(arena, &text);
    board_say_plugin_files(b, p->row, &text);
    e->plugins = keep(arena, &text);
    board_say_last(p, &text);
    e->why_last = keep(arena, &text);
    board_say_submitted(b, c, m, c->threat[threat], p, &text);
    board_say_strengths(b, p, &text);
    board_say_other_file(b, p, &text);
    e->submission = keep(arena, &text);
    gnt_text_free(&text);
}

static const char *surface_of(const board *b, const board_contest *c) {
    const gnt_result_task *task = gnt_task_of(&b->run[c->run[0]].results, c->task);
    return task ? task->surface : "";
}

/* True for a measure that an arena shows without ranking by it. */
static int is_only_shown(const board_contest *c, const gnt_measure *m) {
    return c->is_arena && m != c->lead && m->recovers == c->lead->recovers;
}

static void add_row(const board *b, const board_contest *c, const gnt_measure *m, size_t threat,
                    const board_place *p, gnt_table *t) {
    static const gnt_stat none = {.mean = NAN, .low = NAN, .high = NAN};
    const gnt_outcome *g = p->worst ? p->worst->group : NULL;
    const gnt_stat *measured = &p->measured, *matched = g ? &p->score->stat : &none;
    const gnt_measure *rate = gnt_measure_of(GNT_MEASURE_IDENTIFICATION);
    const gnt_stat *identified = p->next && m != rate ? &p->next_stat : &none;
    const gnt_board_claim *claim = board_claim(b, c, p->row, m);
    gnt_arena arena = {0};
    gnt_stat submitted = none;
    board_submitted(b, c, m, c->threat[threat], p, &submitted);
    board_place_entry e = {.section = (double)(c - b->contest) + 1,
                           .task = c->task,
                           .stage = c->stage == GNT_EVERY_STAGE ? NAN : (double)c->stage,
                           .attacker = threat == 0 ? "any" : "limited",
                           .measure = m->name,
                           .rank = p->place.rank ? p->place.rank : NAN,
                           .tied = p->place.tied ? "tied" : "",
                           .defense = p->row->label,
                           .kind = gnt_utility_words(p->kind, p->saturated, &p->place),
                           .utility_measure = g ? g->utility.measure : "",
                           .utility = g ? g->utility.value : NAN,
                           .claimed = claim ? claim->value : NAN,
                           .claim_source = claim ? claim->source : "",
                           .measured = measured->mean,
                           .low = measured->low,
                           .high = measured->high,
                           .floor = p->floor,
                           .leakage = p->place.leak.mean,
                           .leakage_low = p->place.leak.low,
                           .leakage_high = p->place.leak.high,
                           .utility_surplus = p->trainings ? p->place.surplus : NAN,
                           .attack_run_by = g ? b->run[p->worst->run].contributor : "",
                           .attacks_with_number = (double)p->judged,
                           .attacks = (double)p->of,
                           .observed_from = c->in_round ? "round" : "probe",
                           .stages = c->stage == GNT_EVERY_STAGE ? "drawn" : "fixed",
                           .worst_stage = g ? (double)g->stage : NAN,
                           .public_only = gnt_public_only_mean(c->facts),
                           .identified = identified->mean,
                           .identified_low = identified->low,
                           .identified_high = identified->high,
                           .at_target = p->place.at_target ? "yes" : "",
                           .at_strength = matched->mean,
                           .at_strength_low = matched->low,
                           .at_strength_high = matched->high,
                           .draws = !g                              ? ""
                                    : *b->run[p->worst->run].season ? "season"
                                                                    : "submitter",
                           .submitted = submitted.mean,
                           .submitted_low = submitted.low,
                           .submitted_high = submitted.high,
                           .surface = surface_of(b, c),
                           .goal = board_goal(b, c, m),
                           .arena = "",
                           .trainings = "",
                           .listed = NAN,
                           .others = NAN,
                           .clipped = NAN};
    fill_words(b, c, m, threat, p, &arena, &e);
    if (is_only_shown(c, m)) {
        e.why_not_ranked = p->place.rank ? "an arena ranks by another measure" : e.why_not_ranked;
        e.rank = NAN;
        e.tied = e.why_last = "";
    }
    gnt_table_field_items(t, &board_place_fields, &e);
    t->failed |= arena.failed;
    gnt_arena_free(&arena);
}

static int is_drawn(const board *b, const board_contest *c, const gnt_measure *m) {
    for (size_t k = 0; k < c->n_run; k++)
        if (gnt_section_draws(&b->run[c->run[k]].results, c->task, c->stage, m))
            return 1;
    return 0;
}

/* Gives places the order of others of the same n rows. */
static void order_as(const board_place *led, size_t n, board_place *places) {
    for (size_t i = 0; i < n; i++) {
        size_t at = i;
        while (at + 1 < n && places[at].row != led[i].row)
            at++;
        const board_place p = places[i];
        places[i] = places[at];
        places[at] = p;
    }
}

void board_table_rows(const board *b, gnt_table *t) {
    gnt_table_init(t, "Places");
    gnt_table_field_columns(t, &board_place_fields);
    for (size_t i = 0; i < b->n_contest; i++) {
        const board_contest *c = &b->contest[i];
        board_place *places = gnt_array(c->n_row + 1, sizeof *places);
        board_place *led = gnt_array(c->n_row + 1, sizeof *led);
        t->failed |= !places || !led;
        for (size_t k = 0; places && led && k < GNT_MEASURES; k++) {
            const gnt_measure *m = gnt_measure_at(k);
            if (!is_drawn(b, c, m))
                continue;
            for (size_t threat = 0; threat < c->n_threat; threat++) {
                const size_t n = board_rank(c, m, c->threat[threat], places);
                if (is_only_shown(c, m))
                    order_as(led, board_rank(c, c->lead, c->threat[threat], led), places);
                for (size_t p = 0; board_any_number(places, n) && p < n; p++)
                    add_row(b, c, m, threat, &places[p], t);
            }
        }
        gnt_free(places);
        gnt_free(led);
    }
    board_add_shares(b, t);
}
