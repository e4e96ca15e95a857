#include "report/table/report_tables.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "judge/convergence.h"
#include "judge/ranking.h"
#include "judge/group_roles.h"

static void score_item(gnt_table *t, const gnt_results *r, const gnt_measure *m, const gnt_outcome *g) {
    const gnt_score *s = g ? gnt_score_find(g, m->name) : NULL;
    gnt_text text;
    if (!g || g->status != GNT_CELL_OK || !s) {
        gnt_table_text(t, !g ? "–" : g->status == GNT_CELL_OK ? "not measured" : gnt_status_name(g->status));
        return;
    }
    gnt_text_init(&text, 4096);
    gnt_measure_write(m, &s->stat, &text);
    if (gnt_identified(g, m))
        gnt_next_to_write(g, m, &text);
    if (g->n_ok < g->n_cells)
        gnt_text_add(&text, " (%" PRId64 " of %" PRId64 " seeds)", g->n_ok, g->n_cells);
    if (gnt_is_starved(r, g))
        gnt_text_add(&text, " (stopped at the iteration budget before convergence)");
    gnt_table_take(t, &text);
}

static void utility_item(gnt_table *t, const gnt_utility *u) {
    gnt_text text;
    gnt_text_init(&text, 256);
    gnt_utility_write(u->measure, u->value, &text);
    if (u->low < u->high) { /* of several training runs */
        gnt_text_add(&text, " [");
        gnt_utility_write(u->measure, u->low, &text);
        gnt_text_add(&text, ", ");
        gnt_utility_write(u->measure, u->high, &text);
        gnt_text_add(&text, "]");
    }
    gnt_table_take(t, &text);
}

static void row_words_item(gnt_table *t, const gnt_rank_row *row) {
    gnt_text text;
    gnt_text_init(&text, 4096);
    gnt_rank_row_say(row, &text);
    gnt_table_take(t, &text);
}

static void kind_rows(const gnt_results *r, const char *task, int64_t stage, const gnt_measure *m,
                      const size_t *attacks, size_t n_attacks, gnt_table *t) {
    gnt_ranking ranking;
    t->failed |= gnt_rank(&ranking, r, task, stage, m) != 0;
    for (size_t i = 0; i < ranking.n; i++) {
        const gnt_rank_row *row = &ranking.row[i];
        const gnt_outcome *any = gnt_representative(r, task, stage, row->defense, NULL);
        /* an attack that does not apply has none */
        if (isnan(any->utility.value) && row->worst)
            any = row->worst;
        gnt_table_text(t, row->defense);
        utility_item(t, &any->utility);
        row_words_item(t, row);
        for (size_t a = 0; a < n_attacks; a++)
            score_item(t, r, m, gnt_representative(r, task, stage, row->defense, r->attack[attacks[a]]));
    }
    gnt_ranking_free(&ranking);
}

/* Adds the row of what needs no defense: the utility without any private data. */
static void public_row(const gnt_results *r, const char *task, size_t n_attacks, gnt_table *t) {
    const gnt_utility alone = {.measure = gnt_utility_measure(r, task),
                               .value = gnt_public_only_mean(gnt_facts_of(r, task))};
    if (isnan(alone.value))
        return;
    gnt_table_text(t, "public data alone");
    utility_item(t, &alone);
    gnt_table_text(t, "no private data");
    for (size_t a = 0; a < n_attacks; a++)
        gnt_table_text(t, "–");
}

static void sweep_rows(const gnt_results *r, const char *task, int64_t stage, const gnt_measure *m,
                       const size_t *attacks, size_t n_attacks, gnt_table *t) {
    gnt_point *points = gnt_array(r->n_group + 1, sizeof *points);
    t->failed |= !points;
    size_t n = points ? gnt_sweep_points(r, task, stage, points, r->n_group) : 0;
    for (size_t i = 0; i < n; i++) {
        gnt_table_text(t, r->defense[points[i].defense]);
        utility_item(t, &gnt_sweep_group(r, task, stage, &points[i], NULL)->utility);
        gnt_table_format(t, "sweep %.5g", points[i].strength);
        for (size_t a = 0; a < n_attacks; a++)
            score_item(t, r, m, gnt_sweep_group(r, task, stage, &points[i], r->attack[attacks[a]]));
    }
    gnt_free(points);
}

void gnt_table_matrix(const gnt_results *r, const char *task, int64_t stage, const gnt_measure *m,
                      gnt_table *t) {
    size_t *attacks = gnt_array(r->n_attack + 1, sizeof *attacks);
    gnt_table_init(t, NULL);
    t->failed = !attacks;
    GNT_TABLE_COLUMNS(t, "defense", "utility", "standing");
    size_t n = attacks ? gnt_columns(r, task, stage, m, attacks) : 0;
    for (size_t a = 0; a < n; a++)
        gnt_table_column(t, r->attack[attacks[a]]);
    kind_rows(r, task, stage, m, attacks, n, t);
    public_row(r, task, n, t);
    sweep_rows(r, task, stage, m, attacks, n, t);
    gnt_free(attacks);
}

/* The groups in the order every long table uses. */
typedef struct keyed {
    const gnt_results *r;
    const gnt_outcome *o;
    size_t task, defense, attack;
} keyed;

static size_t index_of(const char **names, size_t n, const char *name) {
    size_t i = 0;
    while (i < n && strcmp(names[i], name))
        i++;
    return i;
}

static int by_place(const void *a, const void *b) {
    const keyed *x = a, *y = b;
#define BY(u, v)                                                                                             \
    if ((u) != (v))                                                                                          \
    return (u) < (v) ? -1 : 1
    BY(x->task, y->task);
    BY(x->o->stage, y->o->stage);
    BY(x->defense, y->defense);
    BY(x->o->mode, y->o->mode);
    if (!isnan(x->o->strength) && !isnan(y->o->strength))
        BY(x->o->strength, y->o->strength);
    BY(isnan(x->o->strength), isnan(y->o->strength));
    BY(x->attack, y->attack);
    BY(x->o->seed, y->o->seed);
    BY(x->o, y->o); /* both in one array: the file's order */
#undef BY
    return 0;
}

static keyed *sorted(const gnt_results *r, const gnt_outcome *o, size_t n, gnt_table *t) {
    keyed *k = gnt_array(n + 1, sizeof *k);
    if (!k) {
        t->failed = 1;
        return NULL;
    }
    for (size_t i = 0; i < n; i++)
        k[i] = (keyed){r, &o[i], index_of(r->task, r->n_task, o[i].task),
                       index_of(r->defense, r->n_defense, o[i].defense),
                       index_of(r->attack, r->n_attack, o[i].attack)};
    qsort(k, n, sizeof *k, by_place);
    return k;
}

static void place_items(gnt_table *t, const gnt_outcome *g) {
    gnt_table_text(t, g->task);
    gnt_table_number(t, (double)g->stage);
    gnt_table_text(t, g->defense);
    gnt_table_text(t, gnt_row_mode_name(g->mode));
    gnt_table_number(t, g->strength);
    gnt_table_text(t, g->attack);
}

static void floor_items(gnt_table *t, const double floor[GNT_FLOORS], double chance) {
    for (int f = 0; f < GNT_FLOORS; f++)
        gnt_table_number(t, floor[f]);
    gnt_table_number(t, chance);
}

static void long_row(gnt_table *t, const gnt_outcome *g, const gnt_score *s) {
    place_items(t, g);
    gnt_table_text(t, gnt_status_name(g->status));
    gnt_table_text(t, g->mode == GNT_ROW_SWEEP ? "sweep" : gnt_group_kind_name(gnt_group_kind_of(g)));
    gnt_table_text(t, g->utility.measure);
    gnt_table_number(t, g->utility.value);
    gnt_table_number(t, g->utility.low);
    gnt_table_number(t, g->utility.high);
    gnt_table_number(t, g->utility.none);
    gnt_table_number(t, (double)g->n_cells);
    gnt_table_number(t, (double)g->n_ok);
    gnt_table_text(t, s ? s->measure : "");
    gnt_table_field_items(t, &gnt_stat_fields, s ? &s->stat : NULL);
    const double none[GNT_FLOORS] = {NAN, NAN, NAN, NAN};
    floor_items(t, s ? s->floor : none, s ? s->chance : NAN);
}

static void long_columns(gnt_table *t) {
    GNT_TABLE_COLUMNS(t, "task", "stage", "defense", "mode", "strength", "attack", "status", "standing",
                      "utility_measure", "utility", "utility_low", "utility_high", "utility_none", "n_cells",
                      "n_ok", "measure");
    gnt_table_field_columns(t, &gnt_stat_fields);
    GNT_TABLE_COLUMNS(t, "floor_random", "floor_mean_image", "floor_nearest_public", "floor_other", "chance");
}

static void long_table(const gnt_results *r, gnt_table *t, int representatives_only) {
    long_columns(t);
    keyed *k = sorted(r, r->group, r->n_group, t);
    for (size_t i = 0; k && i < r->n_group; i++) {
        const gnt_outcome *g = k[i].o;
        if (representatives_only && gnt_representative(r, g->task, g->stage, g->defense, g->attack) != g)
            continue;
        for (size_t s = 0; s < g->n_score; s++)
            long_row(t, g, &g->score[s]);
        if (g->n_score == 0)
            long_row(t, g, NULL);
    }
    gnt_free(k);
}

void gnt_table_matrix_long(const gnt_results *r, gnt_table *t) {
    gnt_table_init(t, "Defense × attack at matched utility");
    long_table(r, t, 1);
}

void gnt_table_groups(const gnt_results *r, gnt_table *t) {
    gnt_table_init(t, "All groups");
    long_table(r, t, 0);
}

void gnt_table_matches(const gnt_results *r, gnt_table *t) {
    gnt_table_init(t, "Matching");
    GNT_TABLE_COLUMNS(t, "task", "defense", "verdict", "strength", "utility", "target", "tolerance",
                      "utility_none", "confirmed", "confirmed_utility", "confirmed_error", "searching",
                      "confirming", "trainings", "reason");
    for (size_t i = 0; i < r->n_match; i++) {
        const gnt_match_row *m = &r->match[i];
        gnt_table_text(t, m->task);
        gnt_table_text(t, m->defense);
        gnt_table_text(t, m->verdict);
        gnt_table_number(t, m->strength);
        gnt_table_number(t, m->utility);
        gnt_table_number(t, m->target);
        gnt_table_number(t, m->tolerance);
        gnt_table_number(t, m->utility_none);
        gnt_table_text(t, m->confirmed ? "yes" : "no");
        gnt_table_number(t, m->confirmation.mean);
        gnt_table_number(t, m->confirmation.standard_error);
        gnt_table_number(t, (double)m->confirmation.searching);
        gnt_table_number(t, (double)m->confirmation.trainings);
        gnt_table_number(t, (double)m->n_history);
        gnt_table_text(t, m->reason);
    }
}

void gnt_table_history(const gnt_results *r, gnt_table *t) {
    gnt_table_init(t, "How each strength was found");
    GNT_TABLE_COLUMNS(t, "task", "defense", "step");
    gnt_table_field_columns(t, &gnt_attempt_fields);
    for (size_t i = 0; i < r->n_match; i++)
        for (size_t k = 0; k < r->match[i].n_history; k++) {
            gnt_table_text(t, r->match[i].task);
            gnt_table_text(t, r->match[i].defense);
            gnt_table_number(t, (double)k + 1);
            gnt_table_field_items(t, &gnt_attempt_fields, &r->match[i].history[k]);
        }
}

static int same_problem(const gnt_outcome *a, const gnt_outcome *b) {
    int same_strength = a->strength == b->strength || (isnan(a->strength) && isnan(b->strength));
    return a->status == b->status && a->stage == b->stage && a->mode == b->mode && same_strength &&
           !strcmp(a->task, b->task) && !strcmp(a->defense, b->defense) && !strcmp(a->attack, b->attack) &&
           !strcmp(a->reason, b->reason);
}

/* Adds the measures that the suite requests and a cell lacks, each with the reason. */
static void unmeasured_rows(const gnt_outcome *c, size_t seeds, gnt_table *t) {
    for (size_t i = 0; i < c->unmeasured.n; i++) {
        const gnt_named_text *why = &c->unmeasured.at[i];
        const gnt_measure *m = gnt_measure_find(why->name);
        place_items(t, c);
        gnt_table_text(t, gnt_status_name(GNT_CELL_NA));
        gnt_table_number(t, (double)seeds);
        gnt_table_format(t, "%s: %s", m ? m->title : why->name, why->text);
    }
}

void gnt_table_problems(const gnt_results *r, gnt_table *t) {
    gnt_table_init(t, "Cells without a number");
    GNT_TABLE_COLUMNS(t, "task", "stage", "defense", "mode", "strength", "attack", "status", "seeds",
                      "reason");
    keyed *k = sorted(r, r->cell, r->n_cell, t);
    for (size_t i = 0, next; k && i < r->n_cell; i = next) {
        const gnt_outcome *c = k[i].o;
        for (next = i + 1; next < r->n_cell && same_problem(c, k[next].o); next++)
            ;
        if (c->status == GNT_CELL_OK) {
            unmeasured_rows(c, next - i, t);
            continue;
        }
        place_items(t, c);
        gnt_table_text(t, gnt_status_name(c->status));
        gnt_table_number(t, (double)(next - i));
        gnt_table_text(t, c->reason[0] ? c->reason : "no reason was recorded");
    }
    gnt_free(k);
}

void gnt_table_floors(const gnt_results *r, gnt_table *t) {
    gnt_table_init(t, "Baselines and chance");
    GNT_TABLE_COLUMNS(t, "task", "stage", "attack", "measure", "random", "mean_image", "nearest_public",
                      "other", "chance");
    for (size_t i = 0; i < r->n_task; i++) {
        int64_t stages[GNT_MOST_STAGES];
        size_t n = gnt_stages(r, r->task[i], stages);
        for (size_t s = 0; s < n; s++)
            for (size_t a = 0; a < r->n_attack; a++)
                for (size_t k = 0; k < GNT_MEASURES; k++) {
                    const gnt_measure *m = gnt_measure_at(k);
                    double floor[GNT_FLOORS], chance;
                    if (!gnt_has_measure(r, r->task[i], stages[s], r->attack[a], m->name))
                        continue;
                    gnt_floors(r, r->task[i], stages[s], r->attack[a], m, floor, &chance);
                    gnt_table_text(t, r->task[i]);
                    gnt_table_number(t, (double)stages[s]);
                    gnt_table_text(t, r->attack[a]);
                    gnt_table_text(t, m->name);
                    floor_items(t, floor, chance);
                }
    }
}

void gnt_table_searches(const gnt_results *r, gnt_table *t) {
    gnt_ended e;
    gnt_table_init(t, "Why the searches of attacks ended");
    GNT_TABLE_COLUMNS(t, "task", "stage", "defense", "mode", "strength", "attack", "budget", "tolerance",
                      "stall", "contradicted", "unknown");
    keyed *k = sorted(r, r->group, r->n_group, t);
    for (size_t i = 0; k && i < r->n_group; i++) {
        if (!gnt_ended_of(r, k[i].o, &e))
            continue;
        place_items(t, k[i].o);
        gnt_table_number(t, (double)e.budget);
        gnt_table_number(t, (double)e.tolerance);
        gnt_table_number(t, (double)e.stall);
        gnt_table_number(t, (double)e.contradicted);
        gnt_table_number(t, (double)e.unknown);
    }
    gnt_free(k);
}

static void fact_items(gnt_table *t, const gnt_outcome *c, const char *name) {
    place_items(t, c);
    gnt_table_number(t, (double)c->seed);
    gnt_table_text(t, name);
}

void gnt_table_facts(const gnt_results *r, gnt_table *t) {
    gnt_table_init(t, "Facts");
    GNT_TABLE_COLUMNS(t, "task", "stage", "defense", "mode", "strength", "attack", "seed", "fact", "value");
    keyed *k = sorted(r, r->cell, r->n_cell, t);
    for (size_t i = 0; k && i < r->n_cell; i++) {
        for (size_t f = 0; f < k[i].o->facts.n; f++) {
            fact_items(t, k[i].o, k[i].o->facts.at[f].name);
            gnt_table_number(t, k[i].o->facts.at[f].value);
        }
        if (k[i].o->scored_against && k[i].o->scored_against[0]) {
            fact_items(t, k[i].o, "scored against");
            gnt_table_text(t, k[i].o->scored_against);
        }
        if (k[i].o->silent > 0) {
            fact_items(t, k[i].o, "observations of nothing");
            gnt_table_number(t, (double)k[i].o->silent);
        }
    }
    gnt_free(k);
}

static void rank_rows(const gnt_results *r, const char *task, int64_t stage, const gnt_measure *m,
                      gnt_table *t) {
    gnt_ranking ranking;
    t->failed |= gnt_rank(&ranking, r, task, stage, m) != 0;
    for (size_t i = 0; i < ranking.n; i++) {
        const gnt_rank_row *s = &ranking.row[i];
        gnt_table_text(t, task);
        gnt_table_number(t, stage == GNT_EVERY_STAGE ? NAN : (double)stage);
        gnt_table_text(t, m->name);
        gnt_table_number(t, s->place.rank ? s->place.rank : NAN);
        gnt_table_text(t, s->place.rank && s->place.tied ? "tied" : "");
        gnt_table_text(t, s->defense);
        row_words_item(t, s);
        gnt_table_text(t, s->worst ? s->worst->attack : "");
        gnt_table_number(t, s->worst ? (double)s->worst->stage : NAN);
        gnt_table_number(t, s->measured.mean);
        gnt_table_number(t, s->measured.low);
        gnt_table_number(t, s->measured.high);
        gnt_table_number(t, s->floor);
        gnt_table_number(t, s->place.leak.mean);
        gnt_table_number(t, s->place.leak.low);
        gnt_table_number(t, s->place.leak.high);
        gnt_table_number(t, s->trainings ? s->place.surplus : NAN);
        gnt_table_number(t, (double)s->judged);
        gnt_table_number(t, (double)s->of);
        gnt_table_number(t, (double)s->unfit);
        gnt_table_number(t, (double)s->trainings);
        gnt_table_text(t, s->place.at_target ? "yes" : "");
        gnt_table_number(t, s->worst ? s->score->stat.mean : NAN);
        gnt_table_number(t, s->worst ? s->score->stat.low : NAN);
        gnt_table_number(t, s->worst ? s->score->stat.high : NAN);
    }
    gnt_ranking_free(&ranking);
}

void gnt_table_ranking(const gnt_results *r, gnt_table *t) {
    gnt_table_init(t, "Worst case over attacks");
    GNT_TABLE_COLUMNS(t, "task", "stage", "measure", "rank", "tied", "defense", "standing", "worst_attack",
                      "worst_stage", "mean", "low", "high", "floor", "leakage", "leakage_low", "leakage_high",
                      "utility_surplus", "attacks_with_number", "attacks", "attacks_na", "trainings",
                      "at_target", "at_strength", "at_strength_low", "at_strength_high");
    for (size_t i = 0; i < r->n_task; i++) {
        int64_t stages[GNT_MOST_STAGES];
        const size_t n = gnt_judged_stages(r, r->task[i], stages);
        for (size_t s = 0; s < n; s++)
            for (size_t k = 0; k < GNT_MEASURES; k++) {
                const gnt_measure *m = gnt_measure_at(k);
                if (gnt_has_measure(r, r->task[i], stages[s], NULL, m->name))
                    rank_rows(r, r->task[i], stages[s], m, t);
            }
    }
}
