/* Who leaks least: worst case over attacks, at matched utility, ties as ties. Pure. */
#include <math.h>
#include <string.h>

#include "board/board_impl.h"

static const gnt_score *score_of(const gnt_outcome *g, const gnt_measure *m) {
    const gnt_score *s = g->status == GNT_CELL_OK ? gnt_score_find(g, m->name) : NULL;
    return s && isfinite(s->stat.mean) ? s : NULL;
}

int board_surely_less(const gnt_measure *m, const gnt_stat *a, const gnt_stat *b) {
    return m->leak > 0 ? a->high < b->low : a->low > b->high; /* NAN: no */
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

/* 1 when an attack counts: within the threat model, and it gave some defense a number. */
static int counts(const board_contest *c, size_t attack, const gnt_measure *m, uint32_t threat) {
    int any = 0;
    for (size_t i = 0; i < c->n_number && !any; i++)
        any = c->number[i].attack == attack && score_of(c->number[i].group, m) != NULL;
    return any && knows_enough(c, attack, threat);
}

/* The best that any run made of a row: matched before unmatched before fixed. 0 when nothing of it counts. */
static int stand_of_row(const board_contest *c, size_t row, gnt_stand *stand) {
    int found = 0;
    for (size_t i = 0; i < c->n_number; i++) {
        if (c->number[i].row != row)
            continue;
        const gnt_stand s = gnt_stand_of(c->number[i].group);
        if (!found || s < *stand)
            *stand = s;
        found = 1;
    }
    return found;
}

/* An attack that does not fit a defense (it needs encodings, and there are none) does not count against it. */
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
                        gnt_stand stand) {
    return n->row == row && n->attack == attack && score_of(n->group, m) && gnt_stand_of(n->group) == stand;
}

/* BESIDE: it is beyond the threat model, or gave no defense a number. */
board_trial board_trial_of(const board_contest *c, size_t row, size_t attack, const gnt_measure *m,
                           uint32_t threat, gnt_stand stand) {
    if (!counts(c, attack, m, threat))
        return BOARD_BESIDE;
    for (size_t i = 0; i < c->n_number; i++)
        if (is_number_of(&c->number[i], row, attack, m, stand))
            return BOARD_TRIED;
    return does_not_apply(c, row, attack) ? BOARD_UNFIT : BOARD_UNTRIED;
}

/* Where the first contributor ran no attack of this threat model, every attack of it is required. */
static int any_required(const board_contest *c, const gnt_measure *m, uint32_t threat) {
    for (size_t a = 0; a < c->n_attack; a++)
        if (c->attack[a].required && counts(c, a, m, threat))
            return 1;
    return 0;
}

static void judge(const board_contest *c, size_t row, const gnt_measure *m, uint32_t threat, board_place *p) {
    const int some = any_required(c, m, threat);
    for (size_t a = 0; a < c->n_attack; a++) {
        const board_trial trial = board_trial_of(c, row, a, m, threat, p->stand);
        if (trial == BOARD_BESIDE || trial == BOARD_UNFIT)
            continue;
        p->of++;
        p->judged += trial == BOARD_TRIED;
        if (trial == BOARD_UNTRIED && (c->attack[a].required || !some) && p->lacking++ == 0)
            p->missing = a;
        for (size_t i = 0; i < c->n_number; i++) {
            const board_number *n = &c->number[i];
            if (!is_number_of(n, row, a, m, p->stand) ||
                (p->worst && !gnt_leaks_more(m, score_of(n->group, m)->stat.mean, p->score->stat.mean)))
                continue;
            p->worst = n;
            p->score = score_of(n->group, m);
        }
    }
}

static int is_ranked(const board_place *p) {
    return p->stand == GNT_STAND_MATCHED && p->worst && p->lacking == 0;
}

static int tier(const board_place *p) {
    if (is_ranked(p))
        return 0;
    if (!p->worst)
        return 5;
    switch (p->stand) {
    case GNT_STAND_MATCHED:
        return 1;
    case GNT_STAND_UNMATCHED:
        return 2;
    case GNT_STAND_NONE:
        return 4;
    default:
        return 3;
    }
}

/* Insertion keeps the order given among equals. */
static void insert(const gnt_measure *m, board_place *places, size_t n, const board_place *p) {
    size_t at = n;
    while (at > 0) {
        const board_place *before = &places[at - 1];
        const int first =
            tier(p) < tier(before) || (tier(p) == tier(before) && p->worst &&
                                       gnt_leaks_more(m, before->score->stat.mean, p->score->stat.mean));
        if (!first)
            break;
        places[at] = places[at - 1];
        at--;
    }
    places[at] = *p;
}

/* One more than the number of those that surely leak less, and never before one whose mean is lower: a wide interval,
 * got from few targets, wins nothing. */
static void number_them(const gnt_measure *m, board_place *places, size_t n) {
    for (size_t i = 0; i < n && is_ranked(&places[i]); i++) {
        board_place *p = &places[i];
        p->rank = 1;
        for (size_t k = 0; k < n && is_ranked(&places[k]); k++) {
            const int less = board_surely_less(m, &places[k].score->stat, &p->score->stat);
            p->rank += less;
            p->tied |= k != i && !less && !board_surely_less(m, &p->score->stat, &places[k].score->stat);
        }
        if (i && places[i - 1].rank > p->rank)
            p->rank = places[i - 1].rank;
    }
}

size_t board_rank(const board_contest *c, const gnt_measure *m, uint32_t threat, board_place *places) {
    size_t n = 0;
    for (size_t row = 0; row < c->n_row; row++) {
        board_place p = {.row = &c->row[row]};
        if (!stand_of_row(c, row, &p.stand))
            continue;
        judge(c, row, m, threat, &p);
        insert(m, places, n++, &p);
    }
    number_them(m, places, n);
    return n;
}
