/* Who leaks least: worst case over attacks and drawn rounds, at matched utility, ties as ties. What costs a
 * rank is results/ranking.h's. Pure. */
#include <math.h>
#include <string.h>

#include "board/board_impl.h"

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

/* 1 when an attack counts for a row: within the threat model, and it gave some defense a number, be it this
 * one, or one in which the host found nothing wrong: what only a marked one has met is asked of nobody
 * else. */
static int counts(const board_contest *c, size_t row, size_t attack, const gnt_measure *m, uint32_t threat) {
    int any = 0;
    for (size_t i = 0; i < c->n_number && !any; i++) {
        const board_number *n = &c->number[i];
        any = n->attack == attack && (n->row == row || !c->row[n->row].marked) && score_of(n->group, m);
    }
    return any && knows_enough(c, attack, threat);
}

/* A contributor's own run could state any floor, and all below it are level: so one run has the word, the
 * first given. */
double board_floor(const board_contest *c, const gnt_measure *m, uint32_t threat, const char **name) {
    double floor[GNT_FLOORS] = {NAN, NAN, NAN, NAN}, chance = NAN, highest = NAN;
    *name = "";
    for (size_t k = 0; k < c->n_run && isnan(highest); k++) {
        for (size_t i = 0; i < c->n_number; i++) {
            const board_number *n = &c->number[i];
            const gnt_score *s = n->run == c->run[k] ? score_of(n->group, m) : NULL;
            if (!s || !knows_enough(c, n->attack, threat))
                continue;
            for (int f = 0; f < GNT_FLOORS; f++)
                if (gnt_leaks_more(m, s->floor[f], floor[f]))
                    floor[f] = s->floor[f];
            if (gnt_leaks_more(m, s->chance, chance))
                chance = s->chance;
        }
        highest = gnt_highest_floor(m, floor, chance, name);
    }
    return highest;
}

/* The best that any run made of a row: matched before unmatched before fixed. 0 when nothing of it counts. */
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

/* An attack that does not fit a defense (it needs encodings, and there are none) does not count against
 * it. */
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

/* 1 when some run has a number at each of its stages. */
static int is_tried(const board_contest *c, size_t row, size_t attack, const gnt_measure *m,
                    gnt_group_kind kind) {
    size_t numbers = 0;
    for (size_t i = 0; i < c->n_number; i++) {
        const board_number *n = &c->number[i];
        if (n->row != row || n->attack != attack)
            continue;
        if (i == 0 || n[-1].row != row || n[-1].attack != attack || n[-1].run != n->run)
            numbers = 0;
        numbers += (size_t)is_number_of(n, row, attack, m, kind);
        if (numbers == n->of_stages)
            return 1;
    }
    return 0;
}

/* BESIDE: it is beyond the threat model, or gave no defense a number. */
board_trial board_trial_of(const board_contest *c, size_t row, size_t attack, const gnt_measure *m,
                           uint32_t threat, gnt_group_kind kind) {
    if (!counts(c, row, attack, m, threat))
        return BOARD_BESIDE;
    if (is_tried(c, row, attack, m, kind))
        return BOARD_TRIED;
    return does_not_apply(c, row, attack) ? BOARD_UNFIT : BOARD_UNTRIED;
}

/* Where the first contributor ran no attack of this threat model, every attack of it is required. */
static int any_required(const board_contest *c, size_t row, const gnt_measure *m, uint32_t threat) {
    for (size_t a = 0; a < c->n_attack; a++)
        if (c->attack[a].required && counts(c, row, a, m, threat))
            return 1;
    return 0;
}

static void judge(const board_contest *c, size_t row, const gnt_measure *m, uint32_t threat, board_place *p) {
    const int some = any_required(c, row, m, threat);
    for (size_t a = 0; a < c->n_attack; a++) {
        const board_trial trial = board_trial_of(c, row, a, m, threat, p->kind);
        if (trial == BOARD_BESIDE || trial == BOARD_UNFIT)
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

/* An answer that looks like nothing may still tell which image it was: the worst case of that, whichever
 * attack it is. */
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
        if (p->identified && (named ? s->stat.mean < p->identified_score->stat.mean
                                    : s->stat.mean <= p->identified_score->stat.mean))
            continue;
        p->identified = n;
        p->identified_score = s;
    }
}

static void settle(const gnt_measure *m, board_place *p) {
    const gnt_rank_grounds grounds = {.kind = p->kind,
                                      .marked = p->row->marked != NULL,
                                      .any_number = p->worst != NULL,
                                      .lacking = p->lacking > 0,
                                      .against_public =
                                          p->worst ? p->worst->against_public : GNT_PUBLIC_UNKNOWN};
    p->state = gnt_rank_state_of(&grounds);
    p->place.leak = p->worst ? gnt_leak_of(m, &p->score->stat, p->floor)
                             : (gnt_leak){.mean = NAN, .low = NAN, .high = NAN};
}

/* Insertion keeps the order given among equals. */
static void insert(const gnt_measure *m, board_place *places, size_t n, const board_place *p) {
    size_t at = n;
    while (at > 0 &&
           gnt_ranks_before(m, p->state, &p->place.leak, places[at - 1].state, &places[at - 1].place.leak)) {
        places[at] = places[at - 1];
        at--;
    }
    places[at] = *p;
}

size_t board_rank(const board_contest *c, const gnt_measure *m, uint32_t threat, board_place *places) {
    const char *name;
    const double floor = board_floor(c, m, threat, &name);
    size_t n = 0, ranked = 0;
    for (size_t row = 0; row < c->n_row; row++) {
        board_place p = {.row = &c->row[row], .floor = floor};
        if (!kind_of_row(c, row, &p.kind))
            continue;
        judge(c, row, m, threat, &p);
        find_identified(c, row, m, threat, &p);
        settle(m, &p);
        insert(m, places, n++, &p);
    }
    while (ranked < n && places[ranked].state == GNT_RANKED)
        ranked++;
    if (ranked)
        gnt_leak_rank(m, &places[0].place, sizeof *places, ranked);
    return n;
}
