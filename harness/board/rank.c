/* Which defense leaks least: worst case over attacks and drawn rounds, at matched utility, ties as ties. What
 * costs a rank is judge/ranking.h's. Pure. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "board/board_impl.h"
#include "judge/curve.h"
#include "metric/compare.h"

static const gnt_score *score_of(const gnt_outcome *g, const gnt_measure *m) {
    const gnt_score *s = g->status == GNT_CELL_OK ? gnt_score_find(g, m->name) : NULL;
    return s && isfinite(s->stat.mean) ? s : NULL;
}

int board_any_number(const board_place *places, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (places[i].worst)
            return 1;
    return 0;
}

static int knows_enough(const board_contest *c, size_t attack, uint32_t threat) {
    return (c->attack[attack].grants & ~threat) == 0;
}

/* True if an attack counts for a row: it is within the threat model, and gave this defense or an unmarked one
 * a number. An attack that only marked defenses met is required of no other. */
static int counts(const board_contest *c, size_t row, size_t attack, const gnt_measure *m, uint32_t threat) {
    int any = 0;
    for (size_t i = 0; i < c->n_number && !any; i++) {
        const board_number *n = &c->number[i];
        any = n->attack == attack && (n->row == row || !c->row[n->row].marked) && score_of(n->group, m);
    }
    return any && knows_enough(c, attack, threat);
}

/* Returns the floor, which the first run given decides: a contributor's own run could state any baseline, and
 * all defenses below it tie. */
double board_floor(const board_contest *c, const gnt_measure *m, uint32_t threat, const char **name) {
    double floor[GNT_FLOORS], chance, highest = NAN;
    *name = "";
    gnt_floors_clear(floor, &chance);
    for (size_t k = 0; k < 2 * c->n_run && isnan(highest); k++) {
        for (size_t i = 0; i < c->n_number; i++) {
            const board_number *n = &c->number[i];
            if (n->run == c->run[k / 2] && knows_enough(c, n->attack, threat))
                gnt_floors_add(n->group, m, k % 2 == 0, floor, &chance);
        }
        highest = gnt_highest_floor(m, floor, chance, name);
    }
    return highest;
}

/* Finds the best kind of a row in any run: matched before unmatched before fixed. False if none counts. */
static int kind_of_row(const board_contest *c, size_t row, gnt_group_kind *kind) {
    int found = 0;
    for (size_t i = 0; i < c->n_number; i++) {
        if (c->number[i].row != row)
            continue;
        const gnt_group_kind s = gnt_group_kind_of(c->number[i].group);
        if (!found || s < *kind)
            *kind = s;
        found = 1;
    }
    return found;
}

/* True for an attack that does not apply to a defense (it needs encodings, and there are none), which does
 * not count against it. */
static int does_not_apply(const board_contest *c, size_t row, size_t attack) {
    int any = 0;
    for (size_t i = 0; i < c->n_number; i++) {
        const board_number *n = &c->number[i];
        if (n->row != row || n->attack != attack)
            continue;
        if (n->group->status != GNT_CELL_NA)
            return 0;
        any = 1;
    }
    return any;
}

static int is_number_of(const board_number *n, size_t row, size_t attack, const gnt_measure *m,
                        gnt_group_kind kind) {
    return n->row == row && n->attack == attack && score_of(n->group, m) &&
           gnt_group_kind_of(n->group) == kind;
}

/* True if some run has a number at each of its stages. */
static int is_tried(const board_contest *c, size_t row, size_t attack, const gnt_measure *m,
                    gnt_group_kind kind) {
    size_t numbers = 0;
    for (size_t i = 0; i < c->n_number; i++) {
        const board_number *n = &c->number[i];
        if (n->row != row || n->attack != attack)
            continue;
        if (i == 0 || n[-1].row != row || n[-1].attack != attack || n[-1].run != n->run)
            numbers = 0;
        /* one that failed in a training says nothing of that one */
        numbers += is_number_of(n, row, attack, m, kind) && n->group->n_ok >= n->group->n_cells;
        if (numbers == n->of_stages)
            return 1;
    }
    return 0;
}

board_trial board_trial_of(const board_contest *c, size_t row, size_t attack, const gnt_measure *m,
                           uint32_t threat, gnt_group_kind kind) {
    if (!counts(c, row, attack, m, threat) || (c->attack[attack].on_influence && !c->row[row].aggregates))
        return BOARD_NO_TRIAL;
    if (is_tried(c, row, attack, m, kind))
        return BOARD_TRIED;
    return does_not_apply(c, row, attack) ? BOARD_UNFIT : BOARD_UNTRIED;
}

/* True if the first contributor ran an attack of this threat model; otherwise every attack of it is
 * required. */
static int any_required(const board_contest *c, size_t row, const gnt_measure *m, uint32_t threat) {
    for (size_t a = 0; a < c->n_attack; a++)
        if (c->attack[a].required && counts(c, row, a, m, threat))
            return 1;
    return 0;
}

static void judge(const board_contest *c, size_t row, const gnt_measure *m, uint32_t threat, board_place *p) {
    const int some = c->absent || any_required(c, row, m, threat);
    if (c->absent) {
        p->lacking = 1;
        p->missing = c->n_attack;
    }
    for (size_t a = 0; a < c->n_attack; a++) {
        const board_trial trial = board_trial_of(c, row, a, m, threat, p->kind);
        if (trial == BOARD_NO_TRIAL || trial == BOARD_UNFIT)
            continue;
        p->of++;
        p->judged += trial == BOARD_TRIED;
        if (trial == BOARD_UNTRIED && (c->attack[a].required || !some) && p->lacking++ == 0)
            p->missing = a;
        for (size_t i = 0; i < c->n_number; i++) {
            const board_number *n = &c->number[i];
            if (!is_number_of(n, row, a, m, p->kind) ||
                (p->worst && !gnt_leaks_more(m, score_of(n->group, m)->stat.mean, p->score->stat.mean)))
                continue;
            p->worst = n;
            p->score = score_of(n->group, m);
        }
    }
}

/* Finds the highest identification rate under any attack: a poor reconstruction may still identify its
 * image. */
static void find_identified(const board_contest *c, size_t row, const gnt_measure *m, uint32_t threat,
                            board_place *p) {
    for (size_t i = 0; i < c->n_number; i++) {
        const board_number *n = &c->number[i];
        const gnt_score *s =
            n->row == row && gnt_group_kind_of(n->group) == p->kind ? gnt_identified(n->group, m) : NULL;
        if (!s || !knows_enough(c, n->attack, threat))
            continue;
        /* of equal ones that of the attack that the row names anyway */
        const int named = p->worst && n->attack == p->worst->attack;
        if (p->next && (named ? s->stat.mean < p->next_stat.mean : s->stat.mean <= p->next_stat.mean))
            continue;
        p->next = n;
        p->next_stat = s->stat;
    }
}

/* True if an attack's number counts for the row here. */
static int is_judging(const board_contest *c, const board_number *n, const gnt_measure *m, uint32_t threat,
                      const board_place *p) {
    return is_number_of(n, (size_t)(p->row - c->row), n->attack, m, p->kind) &&
           counts(c, n->row, n->attack, m, threat);
}

/* True if a run of n training runs that leak this much represents a row instead of the one so far: a run with
 * enough of them for a rank before one without, so that a short run pushes nobody out; then the run that
 * leaks more. */
static int represents_better(const gnt_measure *m, size_t n, const gnt_leak *leak, const board_place *p) {
    const int enough = n >= GNT_METRIC_COMPARE_LEAST, had = p->trainings >= GNT_METRIC_COMPARE_LEAST;
    if (p->trainings == 0 || enough != had)
        return enough >= had;
    return gnt_leaks_more(m, leak->mean, p->place.leak.mean);
}

/* Lists the groups by which a run judges a row; returns their number. */
static size_t list_groups(const board_contest *c, size_t run, const gnt_measure *m, uint32_t threat,
                          const board_place *p, gnt_measured *groups, const board_number **number) {
    size_t n = 0;
    for (size_t i = 0; i < c->n_number; i++)
        if (c->number[i].run == run && is_judging(c, &c->number[i], m, threat, p)) {
            number[n] = &c->number[i];
            groups[n++] = (gnt_measured){c->number[i].results, c->number[i].group};
        }
    return n;
}

/* Reads the worst group of a run at exactly the target, where all can be read there. */
static void read_worst(const gnt_measure *m, const gnt_measured *groups, const board_number *const *number,
                       size_t n, board_place *p) {
    gnt_stat stat;
    for (size_t i = 0, any = 0; p->place.at_target && i < n; i++) {
        if (!gnt_read_at_target(&stat, &groups[i], m) ||
            (any++ && !gnt_leaks_more(m, stat.mean, p->measured.mean)))
            continue;
        p->measured = stat;
        p->worst = number[i];
        p->score = score_of(number[i]->group, m);
    }
}

/* Arrays that ranking fills again for each row. */
typedef struct room {
    gnt_measured *groups;
    const board_number **number;
} room;

/* Fills the leakage of each run by training run, and chooses one run for the row. value: `width` entries, in
 * which run k has GNT_MOST_TRAININGS places. */
static void fill_trainings(const board_contest *c, const gnt_measure *m, uint32_t threat, const room *with,
                           double *value, size_t width, board_place *p) {
    double own[GNT_MOST_TRAININGS];
    int64_t seed[GNT_MOST_TRAININGS];
    p->place.leak = p->worst ? gnt_leak_of(m, &p->score->stat, p->floor)
                             : (gnt_leak){.mean = NAN, .low = NAN, .high = NAN};
    for (size_t k = 0; k < c->n_run; k++) {
        const size_t n_groups = list_groups(c, c->run[k], m, threat, p, with->groups, with->number);
        const gnt_results *r = n_groups ? with->groups[0].results : NULL;
        const size_t n_seeds = r ? gnt_seeds(r, c->task, seed) : 0;
        gnt_leak_place place = {.surplus = NAN};
        const size_t n =
            r ? gnt_leak_by_training(own, with->groups, n_groups, seed, n_seeds, m, p->floor, &place) : 0;
        if (n && p->trainings == 0)
            p->comparable = gnt_is_comparable(r, c->task, p->kind, &place);
        if (n < 2)
            continue;
        place.leak = gnt_leak_of_trainings(own, n_seeds);
        if (!represents_better(m, n, &place.leak, p))
            continue;
        p->trainings = n;
        p->place = place;
        p->saturated = gnt_is_saturated(r, c->task, p->row->label);
        p->comparable = gnt_is_comparable(r, c->task, p->kind, &place);
        read_worst(m, with->groups, with->number, n_groups, p);
        for (size_t i = 0; i < width; i++)
            value[i] = NAN;
        memcpy(value + k * GNT_MOST_TRAININGS, own, n_seeds * sizeof *own);
    }
}

enum { ANY_ATTACK = -1 };

/* True if an attack of the threat model succeeds without a defense, by the first run given that tried one: a
 * contributor's own run could state any limit. −1: none tried. */
static int is_attack_adequate(const board_contest *c, const gnt_measure *m, uint32_t threat, int attack) {
    for (size_t k = 0; k < c->n_run; k++) {
        int any = 0;
        for (size_t i = 0; i < c->n_number; i++) {
            const board_number *n = &c->number[i];
            if (n->run != c->run[k] || n->group->mode != GNT_ROW_NONE || !score_of(n->group, m) ||
                !knows_enough(c, n->attack, threat) || (attack != ANY_ATTACK && n->attack != (size_t)attack))
                continue;
            any = 1;
            if (gnt_is_adequate(n->results, n->group, m))
                return 1;
        }
        if (any)
            return 0;
    }
    return -1;
}

int board_is_adequate(const board_contest *c, const gnt_measure *m, uint32_t threat) {
    return is_attack_adequate(c, m, threat, ANY_ATTACK) == 1;
}

/* True if the attack of a number discharges a duty. */
static int is_discharged_by(const board_number *n, const gnt_duty *duty) {
    const gnt_indices own = gnt_cells_of(n->results, n->group->task, n->group->defense);
    for (size_t i = 0; i < own.n; i++) {
        const gnt_outcome *c = &n->results->cell[own.at[i]];
        if (gnt_stands_for(c, n->group) && c->status == GNT_CELL_OK && gnt_discharges(n->results, c, duty))
            return 1;
    }
    return 0;
}

/* Returns whether attacks discharged each duty of the defense that costs a rank, whatever the threat model of
 * a table. If the first contributor ran attacks, only those may claim to know a defense: otherwise its author
 * could bring one that does. */
static int is_met(const board_contest *c, const gnt_measure *m, board_place *p) {
    const uint32_t threat = c->threat[0];
    gnt_duty all[GNT_MOST_DUTIES];
    const int some = any_required(c, (size_t)(p->row - c->row), m, threat);
    const size_t n = p->worst ? gnt_duties(p->worst->results, c->task, p->worst->group->defense, m, all) : 0;
    for (size_t k = 0; k < n; k++) {
        gnt_duty *first = all[k].shown_only ? &p->shown : &p->unmet;
        int met = 0;
        for (size_t i = 0; i < c->n_number && !met; i++)
            met = is_judging(c, &c->number[i], m, threat, p) &&
                  (!some || all[k].kind == GNT_DUTY_AGGREGATE || c->attack[c->number[i].attack].required) &&
                  is_discharged_by(&c->number[i], &all[k]) &&
                  is_attack_adequate(c, m, threat, (int)c->number[i].attack) != 0;
        if (!met && !first->what)
            *first = all[k];
    }
    return n > 0 && !p->unmet.what;
}

static void settle(const board_contest *c, const gnt_measure *m, int adequate, board_place *p) {
    const gnt_rank_grounds grounds = {.kind = p->kind,
                                      .marked = p->row->marked != NULL,
                                      .any_number = p->worst != NULL,
                                      .comparable = p->comparable || p->kind == GNT_GROUP_MATCHED,
                                      .lacking = p->lacking > 0,
                                      .adequate = adequate,
                                      .guess = p->worst && gnt_is_guess(p->worst->group, m, p->floor),
                                      .met = is_met(c, m, p),
                                      .trainings = p->trainings,
                                      .against_public =
                                          p->worst ? p->worst->against_public : GNT_PUBLIC_UNKNOWN};
    p->state = gnt_rank_state_of(&grounds);
}

/* Inserts a place and keeps the order given among equals. `value` has `width` entries for each place, and
 * those of the new one behind them. */
static void insert(const gnt_measure *m, board_place *places, size_t n, const board_place *p, double *value,
                   size_t width, double *scratch) {
    size_t at = n;
    memcpy(scratch, value + n * width, width * sizeof *value);
    while (at > 0 &&
           gnt_ranks_before(m, p->state, &p->place.leak, places[at - 1].state, &places[at - 1].place.leak)) {
        places[at] = places[at - 1];
        memcpy(value + at * width, value + (at - 1) * width, width * sizeof *value);
        at--;
    }
    places[at] = *p;
    memcpy(value + at * width, scratch, width * sizeof *value);
}

/* Fills the rows, in the order given, and what each leaked in its training runs; returns how many. */
static size_t fill_places(const board_contest *c, const gnt_measure *m, uint32_t threat, board_place *places,
                          const room *with, double *value, size_t width) {
    const char *name;
    const double floor = board_floor(c, m, threat, &name);
    const int adequate = board_is_adequate(c, m, threat);
    size_t n = 0;
    for (size_t row = 0; row < c->n_row; row++) {
        board_place p = {.row = &c->row[row], .floor = floor, .place.surplus = NAN};
        if (!kind_of_row(c, row, &p.kind))
            continue;
        judge(c, row, m, threat, &p);
        find_identified(c, row, m, threat, &p);
        p.measured = p.worst ? p.score->stat : (gnt_stat){.mean = NAN, .low = NAN, .high = NAN};
        for (size_t i = 0; i < width; i++)
            value[n * width + i] = NAN;
        fill_trainings(c, m, threat, with, value + n * width, width, &p);
        settle(c, m, adequate, &p);
        p.place.guest = p.row->guest;
        places[n++] = p;
    }
    return n;
}

/* Returns the first undefended row with a number; n: none. */
static size_t undefended(const board_place *places, size_t n) {
    size_t i = 0;
    while (i < n && (places[i].kind != GNT_GROUP_UNDEFENDED || !places[i].worst))
        i++;
    return i;
}

/* Ranks all places. value: `width` entries for each place, and for one more. */
static int rank_all(const gnt_measure *m, board_place *places, size_t n, double *value, size_t width,
                    int *surely_less) {
    const gnt_rank_list list = {.state = &places[0].state,
                                .place = &places[0].place,
                                .stride = sizeof *places,
                                .n = n,
                                .value = value,
                                .trainings = width,
                                .measure = m};
    if (gnt_rank_settle_last(&list, undefended(places, n)) != 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        const board_place p = places[i];
        insert(m, places, i, &p, value, width, value + n * width);
    }
    return gnt_rank_places(&list, surely_less);
}

/* Finds the PSNR of each place, as a ranking by it reads it. */
static int find_psnr(const board_contest *c, uint32_t threat, board_place *places, size_t n) {
    board_place *seen = gnt_array(c->n_row + 1, sizeof *seen);
    const size_t n_seen = seen ? board_rank(c, gnt_measure_of(GNT_MEASURE_PSNR), threat, seen) : 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n_seen; k++)
            if (seen[k].row == places[i].row) {
                places[i].next = seen[k].worst;
                places[i].next_stat = seen[k].measured;
            }
    gnt_free(seen);
    return n_seen ? 0 : -1;
}

size_t board_rank_trainings(const board_contest *c, const gnt_measure *m, uint32_t threat,
                            board_place *places, double *value) {
    const size_t width = c->n_run * GNT_MOST_TRAININGS;
    const room with = {gnt_array(c->n_number + 1, sizeof *with.groups),
                       gnt_array(c->n_number + 1, sizeof *with.number)};
    int *surely_less = gnt_array(c->n_row * c->n_row + 1, sizeof *surely_less);
    size_t n = 0;
    if (with.groups && with.number && surely_less)
        n = fill_places(c, m, threat, places, &with, value, width);
    if (n && rank_all(m, places, n, value, width, surely_less) != 0)
        n = 0;
    if (n && m == gnt_measure_of(GNT_MEASURE_IDENTIFICATION) && find_psnr(c, threat, places, n) != 0)
        n = 0;
    gnt_free(with.groups);
    gnt_free(with.number);
    gnt_free(surely_less);
    return n;
}

size_t board_rank(const board_contest *c, const gnt_measure *m, uint32_t threat, board_place *places) {
    double *value = gnt_array((c->n_row + 1) * c->n_run * GNT_MOST_TRAININGS + 1, sizeof *value);
    const size_t n = value ? board_rank_trainings(c, m, threat, places, value) : 0;
    gnt_free(value);
    return n;
}
