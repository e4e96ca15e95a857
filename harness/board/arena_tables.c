/* The summary over arenas as tables: for reading, and as rows of leaderboard.csv and leaderboard.json. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "board/arenas_impl.h"
#include "board/board_format.h"

/* ---- for reading ---- */

void board_say_group(const board_group *g, gnt_text *out) {
    gnt_text_add(out, "%s → %s", g->surface, g->goal);
}

void board_say_group_head(const board_group *g, gnt_text *out) {
    gnt_text_add(out,
                 "Shares of what leaks undefended: 0 %% is no more than chance, 100 %% as much as without a "
                 "defense, by %s, under the worst of all attacks and at the target utility of each task. A "
                 "defense that misses the target, or fails, counts as 100 %%. †: in some training run no "
                 "more than chance leaked, or more than undefended. PSNR is next to a share and in no mean. ",
                 g->measure->recovers == GNT_RECOVERS_DATA ? "how often the true one is identified"
                                                           : g->measure->title);
    gnt_text_add(out, "%zu arena%s, attacks of %s.%s%s", g->n_arena, g->n_arena == 1 ? "" : "s", g->list,
                 *g->found ? " " : "", g->found);
}

static void add_percent(gnt_text *out, double share) {
    if (!isnan(share))
        gnt_text_add(out, "%.0f %%", 100 * share + 0.0);
}

static void add_mean(gnt_text *out, const gnt_leak *leak) {
    add_percent(out, leak->mean);
    if (!isnan(leak->low) && leak->low < leak->high)
        gnt_text_add(out, " [%.0f, %.0f]", 100 * leak->low, 100 * leak->high);
}

/* Writes "62 %, 18.3 dB"; "100 %: misses the target utility"; "no verdict: …"; nothing where it does not
 * apply. */
static void add_share(gnt_text *out, const board_share *x) {
    if (x->kind == BOARD_SHARE_ABSENT)
        gnt_text_add(out, "not run");
    if (x->kind == BOARD_SHARE_UNKNOWN)
        gnt_text_add(out, "no verdict: %s", x->why);
    if (x->kind != BOARD_SHARE_KNOWN)
        return;
    add_percent(out, x->leak.mean);
    gnt_text_add(out, "%s", x->clipped ? "†" : "");
    if (!isnan(x->psnr))
        gnt_text_add(out, ", %.1f dB", x->psnr);
    if (*x->why)
        gnt_text_add(out, ": %s", x->why);
}

static int has_others(const board_group *g) {
    for (size_t i = 0; i < g->n_row; i++)
        for (size_t t = 0; t < g->n_target; t++)
            if (!isnan(g->row[i].at[t].others))
                return 1;
    return 0;
}

void board_table_group(const board_group *g, gnt_table *t) {
    const int others = has_others(g);
    gnt_text text;
    gnt_text_init(&text, BOARD_MOST_SAID);
    gnt_table_init(t, NULL);
    GNT_TABLE_COLUMNS(t, "rank", "defense", "share");
    gnt_table_column(t, "attacks of the list");
    if (others)
        gnt_table_column(t, "other attacks");
    for (size_t k = 0; k < g->n_target; k++)
        gnt_table_column(t, g->target[k].task);
    for (size_t i = 0; i < g->n_row; i++) {
        const board_summary *s = &g->row[i];
        if (s->place.rank)
            gnt_rank_write(s->state, &s->place, &text);
        board_item(t, &text);
        gnt_table_text(t, s->row->label);
        add_mean(&text, &s->place.leak);
        if (!s->place.rank)
            gnt_text_add(&text, "%s%s", text.size ? ": " : "", s->why);
        board_item(t, &text);
        add_percent(&text, s->listed);
        board_item(t, &text);
        if (others)
            add_percent(&text, s->others);
        if (others)
            board_item(t, &text);
        for (size_t k = 0; k < g->n_target; k++) {
            add_share(&text, &s->at[k]);
            board_item(t, &text);
        }
    }
    gnt_text_free(&text);
}

/* ---- rows of leaderboard.csv ---- */

static const board_place_entry no_place = {.section = NAN,
                                           .stage = NAN,
                                           .rank = NAN,
                                           .utility = NAN,
                                           .claimed = NAN,
                                           .measured = NAN,
                                           .low = NAN,
                                           .high = NAN,
                                           .floor = NAN,
                                           .leakage = NAN,
                                           .leakage_low = NAN,
                                           .leakage_high = NAN,
                                           .utility_surplus = NAN,
                                           .attacks_with_number = NAN,
                                           .attacks = NAN,
                                           .worst_stage = NAN,
                                           .public_only = NAN,
                                           .identified = NAN,
                                           .identified_low = NAN,
                                           .identified_high = NAN,
                                           .at_strength = NAN,
                                           .at_strength_low = NAN,
                                           .at_strength_high = NAN,
                                           .submitted = NAN,
                                           .submitted_low = NAN,
                                           .submitted_high = NAN,
                                           .listed = NAN,
                                           .others = NAN,
                                           .clipped = NAN,
                                           .task = "",
                                           .attacker = "any",
                                           .attacker_knows = "",
                                           .measure = "share",
                                           .tied = "",
                                           .kind = "",
                                           .utility_measure = "",
                                           .claim_source = "",
                                           .best_known_attack = "",
                                           .attack_knows = "",
                                           .attack_run_by = "",
                                           .footnotes = "",
                                           .observed_from = "round",
                                           .stages = "",
                                           .why_not_ranked = "",
                                           .at_target = "",
                                           .why_last = "",
                                           .draws = "",
                                           .submission = "",
                                           .arena = "",
                                           .trainings = ""};

/* Returns an entry with what all rows of a defense in a group have. */
static board_place_entry entry_of(const board *b, const board_group *g, const board_summary *s, gnt_text *who,
                                  gnt_text *plugins) {
    board_place_entry e = no_place;
    board_say_contributors(b, s->row, who);
    board_say_plugin_files(b, s->row, plugins);
    e.surface = g->surface;
    e.goal = g->goal;
    e.defense = s->row->label;
    e.contributors = gnt_text_get(who);
    e.plugins = gnt_text_get(plugins);
    return e;
}

/* Writes "income; digits". */
static void say_arenas(const board_group *g, gnt_text *out) {
    for (size_t k = 0; k < g->n_target; k++) {
        int is_first = 1;
        for (size_t i = 0; i < k; i++)
            is_first &= g->target[i].arena != g->target[k].arena;
        if (is_first)
            gnt_text_add(out, "%s%s", out->size ? "; " : "", g->target[k].suite);
    }
}

static void add_summary(const board_group *g, const board_summary *s, board_place_entry e, gnt_table *t) {
    gnt_text arenas;
    gnt_text_init(&arenas, BOARD_MOST_SAID);
    say_arenas(g, &arenas);
    e.arena = gnt_text_get(&arenas);
    e.rank = s->place.rank ? s->place.rank : NAN;
    e.tied = s->place.tied ? "tied" : "";
    e.why_not_ranked = s->place.rank ? "" : s->why;
    e.why_last = s->state == GNT_RANKED_AS_NONE ? "does not surely leak less than no defense" : "";
    e.measured = s->place.leak.mean;
    e.low = s->place.leak.low;
    e.high = s->place.leak.high;
    e.listed = s->listed;
    e.others = s->others;
    e.clipped = (double)s->clipped;
    gnt_table_field_items(t, &board_place_fields, &e);
    t->failed |= arenas.failed;
    gnt_text_free(&arenas);
}

static void add_target(const board *b, const board_group *g, const board_summary *s, size_t k,
                       board_place_entry e, gnt_table *t) {
    const board_share *x = &s->at[k];
    gnt_text trainings;
    gnt_text_init(&trainings, BOARD_MOST_SAID);
    for (size_t i = 0; x->kind == BOARD_SHARE_KNOWN && i < g->trainings; i++)
        if (isnan(x->share[i]))
            gnt_text_add(&trainings, "%s?", i ? " " : "");
        else
            gnt_text_add(&trainings, "%s%.9g", i ? " " : "", x->share[i]);
    e.section = (double)(g->target[k].contest - b->contest) + 1;
    e.task = g->target[k].task;
    e.arena = g->target[k].suite;
    e.stages = g->target[k].contest->stage == GNT_EVERY_STAGE ? "drawn" : "fixed";
    e.measured = x->leak.mean;
    e.low = x->leak.low;
    e.high = x->leak.high;
    e.listed = x->listed;
    e.others = x->others;
    e.clipped = x->kind == BOARD_SHARE_KNOWN ? (double)x->clipped : NAN;
    e.trainings = gnt_text_get(&trainings);
    e.why_not_ranked = x->kind == BOARD_SHARE_ABSENT  ? "not run"
                       : x->kind == BOARD_SHARE_UNFIT ? "does not apply"
                                                      : x->why;
    gnt_table_field_items(t, &board_place_fields, &e);
    t->failed |= trainings.failed;
    gnt_text_free(&trainings);
}

void board_add_shares(const board *b, gnt_table *t) {
    for (size_t i = 0; i < b->n_group; i++)
        for (size_t r = 0; r < b->group[i].n_row; r++) {
            const board_group *g = &b->group[i];
            gnt_text who, plugins;
            gnt_text_init(&who, BOARD_MOST_SAID);
            gnt_text_init(&plugins, BOARD_MOST_SAID);
            const board_place_entry e = entry_of(b, g, &g->row[r], &who, &plugins);
            add_summary(g, &g->row[r], e, t);
            for (size_t k = 0; k < g->n_target; k++)
                add_target(b, g, &g->row[r], k, e, t);
            t->failed |= who.failed || plugins.failed;
            gnt_text_free(&who);
            gnt_text_free(&plugins);
        }
}

void board_table_pairs(const board *b, gnt_table *t) {
    gnt_table_init(t, "Pairs");
    gnt_table_field_columns(t, &board_pair_fields);
    for (size_t i = 0; i < b->n_group; i++)
        for (size_t k = 0; k < b->group[i].n_pair; k++) {
            const board_group *g = &b->group[i];
            const gnt_share_pair *pair = &g->pair[k];
            const char *one = g->row[pair->a].row->label, *other = g->row[pair->b].row->label;
            const board_pair_entry e = {.surface = g->surface,
                                        .goal = g->goal,
                                        .defense = one,
                                        .other = other,
                                        .less = pair->less,
                                        .of = (double)pair->of,
                                        .difference = pair->difference,
                                        .p = pair->p,
                                        .surely = !(pair->p <= 0.05)     ? ""
                                                  : pair->difference < 0 ? one
                                                                         : other};
            gnt_table_field_items(t, &board_pair_fields, &e);
        }
}
