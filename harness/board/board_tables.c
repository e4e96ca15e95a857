/* The tables of runs and of places. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "board/board_impl.h"

void board_table_runs(const board *b, gnt_table *t) {
    gnt_text text;
    gnt_table_init(t, "Runs");
    GNT_TABLE_COLUMNS(t, "run", "contributor", "date", "suite", "title", "suite_digest", "signature", "note",
                      "links");
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

/* ---- places ---- */

/* A defense's place by one measure under one threat model, as leaderboard.csv and .json list it. */
typedef struct entry {
    double section, stage, rank, utility, claimed, measured, low, high, floor, leakage, leakage_low,
        leakage_high, utility_surplus, attacks_with_number, attacks, worst_stage, public_only, identified,
        identified_low, identified_high, at_strength, at_strength_low, at_strength_high;
    const char *task, *attacker, *attacker_knows, *measure, *tied, *defense, *contributors, *kind,
        *utility_measure, *claim_source, *best_known_attack, *attack_knows, *attack_run_by, *footnotes,
        *observed_from, *stages, *why_not_ranked, *plugins, *at_target, *why_last;
} entry;

static const gnt_field entry_rows[] = {
    {GNT_FIELD(entry, section, REAL)},
    {GNT_FIELD(entry, task, TEXT)},
    {GNT_FIELD(entry, stage, REAL)},
    {GNT_FIELD(entry, attacker, TEXT)},
    {GNT_FIELD(entry, attacker_knows, TEXT)},
    {GNT_FIELD(entry, measure, TEXT)},
    {GNT_FIELD(entry, rank, REAL)},
    {GNT_FIELD(entry, tied, TEXT)},
    {GNT_FIELD(entry, defense, TEXT)},
    {GNT_FIELD(entry, contributors, TEXT)},
    {.name = "standing", .type = GNT_FIELD_TEXT, .offset = offsetof(entry, kind)},
    {GNT_FIELD(entry, utility_measure, TEXT)},
    {GNT_FIELD(entry, utility, REAL)},
    {GNT_FIELD(entry, claimed, REAL)},
    {GNT_FIELD(entry, claim_source, TEXT)},
    {GNT_FIELD(entry, measured, REAL)},
    {GNT_FIELD(entry, low, REAL)},
    {GNT_FIELD(entry, high, REAL)},
    {GNT_FIELD(entry, floor, REAL)},
    {GNT_FIELD(entry, leakage, REAL)},
    {GNT_FIELD(entry, leakage_low, REAL)},
    {GNT_FIELD(entry, leakage_high, REAL)},
    {GNT_FIELD(entry, utility_surplus, REAL)},
    {GNT_FIELD(entry, best_known_attack, TEXT)},
    {GNT_FIELD(entry, attack_knows, TEXT)},
    {GNT_FIELD(entry, attack_run_by, TEXT)},
    {GNT_FIELD(entry, attacks_with_number, REAL)},
    {GNT_FIELD(entry, attacks, REAL)},
    {GNT_FIELD(entry, footnotes, TEXT)},
    {GNT_FIELD(entry, observed_from, TEXT)},
    {GNT_FIELD(entry, stages, TEXT)},
    {GNT_FIELD(entry, worst_stage, REAL)},
    {GNT_FIELD(entry, public_only, REAL)},
    {GNT_FIELD(entry, identified, REAL)},
    {GNT_FIELD(entry, identified_low, REAL)},
    {GNT_FIELD(entry, identified_high, REAL)},
    {GNT_FIELD(entry, why_not_ranked, TEXT)},
    {GNT_FIELD(entry, plugins, TEXT)},
    {GNT_FIELD(entry, at_target, TEXT)},
    {GNT_FIELD(entry, at_strength, REAL)},
    {GNT_FIELD(entry, at_strength_low, REAL)},
    {GNT_FIELD(entry, at_strength_high, REAL)},
    {GNT_FIELD(entry, why_last, TEXT)},
};
static const gnt_fields entry_fields = GNT_FIELDS_OF(entry, entry_rows);

/* Takes what was said into the arena, and leaves the text empty. */
static const char *keep(gnt_arena *arena, gnt_text *text) {
    const char *copy = gnt_arena_text(arena, gnt_text_get(text));
    arena->failed |= text->failed;
    gnt_text_free(text);
    gnt_text_init(text, BOARD_MOST_SAID);
    return copy;
}

/* "prune 1.0 @ DIGEST", for each member; "?" in place of a digest that is not known. */
static void say_plugin_files(const board *b, const board_row *row, gnt_text *out) {
    const board_run *run = &b->run[row->first];
    const gnt_result_defense *of = gnt_defense_of(&run->results, row->label);
    for (size_t i = 0; of && i < of->members.n; i++) {
        const gnt_result_member *m = &of->members.at[i];
        const char *digest = board_plugin_digest(run, m);
        gnt_text_add(out, "%s%s %s @ %s", i ? " + " : "", m->id, m->version, *digest ? digest : "?");
    }
}

static void fill_words(const board *b, const board_contest *c, size_t threat, const board_place *p,
                       gnt_arena *arena, entry *e) {
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
    say_plugin_files(b, p->row, &text);
    e->plugins = keep(arena, &text);
    board_say_last(p, &text);
    e->why_last = keep(arena, &text);
    gnt_text_free(&text);
}

static void add_row(const board *b, const board_contest *c, const gnt_measure *m, size_t threat,
                    const board_place *p, gnt_table *t) {
    static const gnt_stat none = {.mean = NAN, .low = NAN, .high = NAN};
    const gnt_outcome *g = p->worst ? p->worst->group : NULL;
    const gnt_stat *measured = &p->measured, *matched = g ? &p->score->stat : &none;
    const gnt_stat *identified = p->identified ? &p->identified_score->stat : &none;
    const gnt_board_claim *claim = board_claim(b, c, p->row, m);
    gnt_arena arena = {0};
    entry e = {.section = (double)(c - b->contest) + 1,
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
               .at_strength_high = matched->high};
    fill_words(b, c, threat, p, &arena, &e);
    gnt_table_field_items(t, &entry_fields, &e);
    t->failed |= arena.failed;
    gnt_arena_free(&arena);
}

static int is_drawn(const board *b, const board_contest *c, const gnt_measure *m) {
    for (size_t k = 0; k < c->n_run; k++)
        if (gnt_section_draws(&b->run[c->run[k]].results, c->task, c->stage, m))
            return 1;
    return 0;
}

void board_table_rows(const board *b, gnt_table *t) {
    gnt_table_init(t, "Places");
    gnt_table_field_columns(t, &entry_fields);
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
