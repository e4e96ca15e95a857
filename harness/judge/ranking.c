#include "judge/ranking.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "judge/curve.h"
#include "metric/compare.h"
#include "metric/estimate.h"

gnt_rank_state gnt_rank_state_of(const gnt_rank_grounds *g) {
    if (g->marked)
        return GNT_UNRANKED_MARKED;
    if (!g->any_number)
        return GNT_UNRANKED_NO_NUMBER;
    if (g->kind == GNT_GROUP_UNDEFENDED)
        return GNT_UNRANKED_UNDEFENDED;
    if (!g->comparable)
        return g->kind == GNT_GROUP_FIXED ? GNT_UNRANKED_FIXED : GNT_UNRANKED_UNMATCHED;
    if (g->against_public == GNT_PUBLIC_NO_BETTER)
        return GNT_UNRANKED_PUBLIC;
    if (g->lacking)
        return GNT_UNRANKED_LACKING;
    if (g->guess)
        return GNT_UNRANKED_GUESS;
    if (!g->adequate)
        return GNT_UNRANKED_INADEQUATE;
    if (g->trainings < GNT_METRIC_COMPARE_LEAST)
        return GNT_UNRANKED_FEW;
    return g->met ? GNT_RANKED : GNT_UNRANKED_UNMET;
}

int gnt_ranks_before(const gnt_measure *m, gnt_rank_state a, const gnt_leak *leak_a, gnt_rank_state b,
                     const gnt_leak *leak_b) {
    return a != b ? a < b : !isnan(leak_a->mean) && gnt_leaks_more(m, leak_b->mean, leak_a->mean);
}

gnt_leak gnt_leak_of(const gnt_measure *m, const gnt_stat *s, double floor) {
    return gnt_leak_above(m, (gnt_leak){s->mean, s->low, s->high}, floor);
}

gnt_leak gnt_leak_of_trainings(const double *value, size_t n) {
    const gnt_score_bounds any = {-INFINITY, INFINITY};
    gnt_leak none = {NAN, NAN, NAN};
    gnt_estimate e;
    double *known = gnt_array(n + 1, sizeof *known);
    size_t k = 0;
    for (size_t i = 0; known && i < n; i++)
        if (!isnan(value[i]))
            known[k++] = value[i];
    const int rc = k ? gnt_estimate_mean(&e, known, NULL, k, any, NULL) : -1;
    gnt_free(known);
    return rc == 0 ? (gnt_leak){e.mean, k > 1 ? e.low : NAN, k > 1 ? e.high : NAN} : none;
}

/* ---- the rows ---- */

static const gnt_rank_row *row_of(const gnt_rank_row *rows, size_t n, const char *defense) {
    for (size_t i = 0; i < n; i++)
        if (!strcmp(rows[i].defense, defense))
            return &rows[i];
    return NULL;
}

/* True if a defense without a mark has a number under this attack, so that the others need one too. */
static int is_required(const gnt_results *r, const char *task, int64_t stage, const char *attack,
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

/* True if the influence of updates is attacked on a task: it is not in a probe. */
static int has_influence(const gnt_results *r, const char *task, int64_t stage) {
    for (size_t i = 0; i < r->n_group; i++)
        if (gnt_is_at(&r->group[i], task, stage) && gnt_result_influence_of(r->file, r->group[i].attack))
            return 1;
    return 0;
}

/* Returns the same for some defense. An attack on influence is run against defenses that aggregate alone, of
 * which there may be one: it is required if the same attack on updates as received is. */
static int is_required_of_some(const gnt_results *r, const char *task, int64_t stage, const char *attack,
                               const gnt_measure *m, const gnt_rank_row *rows, size_t n) {
    const char *other = gnt_result_influence_of(r->file, attack);
    return is_required(r, task, stage, attack, m, rows, n) ||
           (other && has_influence(r, task, stage) && is_required(r, task, stage, other, m, rows, n));
}

static void judge(const gnt_results *r, const char *task, int64_t stage, const char *attack, int required,
                  const gnt_measure *m, gnt_rank_row *s) {
    int64_t stages[GNT_MOST_STAGES] = {stage};
    const size_t n = stage == GNT_EVERY_STAGE ? gnt_stages(r, task, stages) : 1;
    size_t numbers = 0, unfit = 0;
    for (size_t i = 0; i < n; i++) {
        const gnt_outcome *g = gnt_representative(r, task, stages[i], s->defense, attack);
        const gnt_score *score = gnt_number_of(g, m->name);
        unfit += g && g->status == GNT_CELL_NA;
        numbers +=
            score && g->n_ok >= g->n_cells; /* one that failed in a training says nothing of that one */
        if (score && (!s->worst || gnt_leaks_more(m, score->stat.mean, s->score->stat.mean))) {
            s->worst = g;
            s->score = score;
        }
    }
    if (numbers == 0 && (!required || (gnt_result_influence_of(r->file, attack) &&
                                       !gnt_result_aggregates(r->file, s->defense))))
        return;
    if (unfit == n) {
        s->unfit++;
        return;
    }
    s->of++;
    s->judged += numbers == n;
}

/* Reads the worst of the groups at exactly the target, where all can be read there. */
static void read_worst(gnt_rank_row *s, const gnt_measured *groups, size_t n, const gnt_measure *m) {
    gnt_stat stat;
    if (s->worst)
        s->measured = s->score->stat;
    for (size_t i = 0, any = 0; s->place.at_target && i < n; i++) {
        if (!gnt_read_at_target(&stat, &groups[i], m) ||
            (any++ && !gnt_leaks_more(m, stat.mean, s->measured.mean)))
            continue;
        s->measured = stat;
        s->worst = groups[i].group;
        s->score = gnt_number_of(s->worst, m->name);
    }
}

static void settle(const gnt_results *r, const char *task, int64_t stage, const gnt_measure *m,
                   const gnt_adequacy *adequacy, gnt_rank_row *s, const double *value, size_t n_seeds) {
    const int comparable = gnt_is_comparable(r, task, s->kind, &s->place);
    const gnt_rank_grounds grounds = {
        .kind = s->kind,
        .marked = s->marked != NULL,
        .any_number = s->worst != NULL,
        .comparable = comparable,
        .lacking = s->judged < s->of,
        .adequate = adequacy->state == GNT_ADEQUATE,
        .guess = gnt_is_guess(s->worst, m, s->floor),
        .met = gnt_is_met(r, task, stage, s->defense, m, &s->unmet, &s->shown),
        .trainings = s->trainings,
        .against_public =
            comparable ? gnt_beats_public(r, gnt_facts_of(r, task), task, s->defense) : GNT_PUBLIC_UNKNOWN};
    s->state = gnt_rank_state_of(&grounds);
    if (s->trainings > 1)
        s->place.leak = gnt_leak_of_trainings(value, n_seeds);
    else
        s->place.leak = s->worst ? gnt_leak_of(m, &s->score->stat, s->floor)
                                 : (gnt_leak){.mean = NAN, .low = NAN, .high = NAN};
}

/* Sorts by insertion, which keeps the suite's order among equals; rows[i] and its part of `value` move
 * together. */
static void sort(const gnt_measure *m, gnt_rank_row *rows, size_t n, double *value, size_t n_seeds,
                 double *scratch) {
    for (size_t i = 1; i < n; i++) {
        const gnt_rank_row s = rows[i];
        size_t at = i;
        memcpy(scratch, value + i * n_seeds, n_seeds * sizeof *value);
        while (at > 0 &&
               gnt_ranks_before(m, s.state, &s.place.leak, rows[at - 1].state, &rows[at - 1].place.leak)) {
            rows[at] = rows[at - 1];
            memcpy(value + at * n_seeds, value + (at - 1) * n_seeds, n_seeds * sizeof *value);
            at--;
        }
        rows[at] = s;
        memcpy(value + at * n_seeds, scratch, n_seeds * sizeof *value);
    }
}

static size_t list_rows(const gnt_results *r, const char *task, int64_t stage, double floor,
                        gnt_rank_row *rows) {
    size_t n = 0;
    for (size_t d = 0; d < r->n_defense; d++) {
        const gnt_outcome *any = gnt_representative(r, task, stage, r->defense[d], NULL);
        if (any)
            rows[n++] = (gnt_rank_row){.defense = r->defense[d],
                                       .kind = gnt_group_kind_of(any),
                                       .floor = floor,
                                       .measured = {.mean = NAN, .low = NAN, .high = NAN},
                                       .saturated = gnt_is_saturated(r, task, r->defense[d]),
                                       .marked = gnt_marked_cell(r, task, stage, r->defense[d])};
    }
    return n;
}

static gnt_rank_list list_of(const gnt_ranking *ranking, const double *value, size_t n_seeds,
                             const gnt_measure *m) {
    return (gnt_rank_list){.state = &ranking->row[0].state,
                           .place = &ranking->row[0].place,
                           .stride = sizeof *ranking->row,
                           .n = ranking->n,
                           .value = value,
                           .trainings = n_seeds,
                           .measure = m};
}

/* Returns the index of the first undefended row with a number; n: none. */
static size_t undefended(const gnt_ranking *ranking) {
    size_t i = 0;
    while (i < ranking->n && (ranking->row[i].kind != GNT_GROUP_UNDEFENDED || !ranking->row[i].worst))
        i++;
    return i;
}

/* Fills the rows; value has room for n_seeds leakages of each row, one for each training run, and for n_seeds
 * more as scratch. */
static int fill(gnt_ranking *out, const gnt_results *r, const char *task, int64_t stage, const gnt_measure *m,
                const int64_t *seed, size_t n_seeds, double *value) {
    const char *name;
    const double floor = gnt_section_floor(r, task, stage, m, &name);
    gnt_measured *groups = gnt_array(r->n_attack * GNT_MOST_STAGES + 1, sizeof *groups);
    if (!groups)
        return -1;
    out->adequacy = gnt_adequacy_of(r, task, stage, NULL, m);
    out->n = list_rows(r, task, stage, floor, out->row);
    for (size_t a = 0; a < r->n_attack; a++) {
        const int required = is_required_of_some(r, task, stage, r->attack[a], m, out->row, out->n);
        for (size_t i = 0; i < out->n; i++)
            judge(r, task, stage, r->attack[a], required, m, &out->row[i]);
    }
    for (size_t i = 0; i < out->n; i++) {
        gnt_rank_row *s = &out->row[i];
        double *own = value + i * n_seeds;
        const size_t n_groups = gnt_list_measured(groups, r, task, stage, s->defense, m);
        s->trainings = gnt_leak_by_training(own, groups, n_groups, seed, n_seeds, m, floor, &s->place);
        read_worst(s, groups, n_groups, m);
        settle(r, task, stage, m, &out->adequacy, s, own, n_seeds);
    }
    gnt_free(groups);
    const gnt_rank_list list = list_of(out, value, n_seeds, m);
    if (gnt_rank_settle_last(&list, undefended(out)) != 0)
        return -1;
    sort(m, out->row, out->n, value, n_seeds, value + out->n * n_seeds);
    out->ranked = gnt_rank_count(&list);
    return 0;
}

int gnt_rank(gnt_ranking *out, const gnt_results *r, const char *task, int64_t stage, const gnt_measure *m) {
    int64_t seed[GNT_MOST_TRAININGS];
    const size_t n_seeds = gnt_seeds(r, task, seed);
    double *value = gnt_array((r->n_defense + 1) * n_seeds + 1, sizeof *value);
    *out = (gnt_ranking){.row = gnt_array(r->n_defense + 1, sizeof *out->row)};
    int rc = out->row && value ? fill(out, r, task, stage, m, seed, n_seeds, value) : -1;
    if (rc == 0) {
        out->surely_less = gnt_array(out->ranked * out->ranked + 1, sizeof *out->surely_less);
        const gnt_rank_list list = list_of(out, value, n_seeds, m);
        rc = out->surely_less ? gnt_rank_places(&list, out->surely_less) : -1;
    }
    gnt_free(value);
    if (rc != 0)
        gnt_ranking_free(out);
    return rc;
}

void gnt_ranking_free(gnt_ranking *ranking) {
    gnt_free(ranking->row);
    gnt_free(ranking->surely_less);
    *ranking = (gnt_ranking){0};
}

int gnt_ranking_tied(const gnt_ranking *ranking, size_t a, size_t b) {
    const size_t n = ranking->ranked;
    return a < n && b < n && !ranking->surely_less[a * n + b] && !ranking->surely_less[b * n + a];
}
