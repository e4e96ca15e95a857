/* What a place of an arena's task counts as: a share that was measured, all of what leaks undefended, or no
 * verdict. A defense that misses the target utility, or fails, counts as if it were not there; where the
 * attacks or the suite leave a question open, there is no verdict. */
#include <math.h>
#include <string.h>

#include "board/arenas_impl.h"
#include "judge/curve.h"
#include "match/match.h"

/* ---- training runs in which nothing of a defense ended well ---- */

enum { UNSEEN, FAILED, PARTLY, FINE, UNFINISHED };

/* Adds a cell's outcome to the state of its training run. */
static void add_cell(int *state, const gnt_outcome *cell) {
    const int ok = cell->status == GNT_CELL_OK;
    if (cell->status == GNT_CELL_UNFINISHED || *state == UNFINISHED)
        *state = UNFINISHED;
    else if (*state == UNSEEN)
        *state = ok ? FINE : FAILED;
    else if ((*state == FINE) != ok || *state == PARTLY)
        *state = *state == FAILED && !ok ? FAILED : PARTLY;
}

/* Fills the state of each training run of a row in one run, over the attacks that apply. */
static void states_of(int state[GNT_MOST_TRAININGS], const int64_t *seed, size_t n, const board_number *of) {
    const gnt_indices own = gnt_cells_of(of->results, of->group->task, of->group->defense);
    for (size_t i = 0; i < own.n; i++) {
        const gnt_outcome *cell = &of->results->cell[own.at[i]];
        if (cell->status == GNT_CELL_NA || !gnt_stands_for(cell, of->group))
            continue;
        for (size_t s = 0; s < n; s++)
            if (seed[s] == cell->seed)
                add_cell(&state[s], cell);
    }
}

/* True if each training run of a row either failed as a whole or gave every attack a number. */
static int fails_as_a_whole(const board_contest *c, size_t row) {
    for (size_t k = 0; k < c->n_run; k++) {
        int64_t seed[GNT_MOST_TRAININGS];
        int state[GNT_MOST_TRAININGS] = {UNSEEN};
        size_t n = 0;
        for (size_t i = 0; i < c->n_number; i++) {
            const board_number *one = &c->number[i];
            if (one->row != row || one->run != c->run[k])
                continue;
            if (one->group->status == GNT_CELL_UNFINISHED)
                return 0;
            if (n == 0)
                n = gnt_seeds(one->results, c->task, seed);
            states_of(state, seed, n, one);
        }
        for (size_t s = 0; s < n; s++)
            if (state[s] == PARTLY || state[s] == UNFINISHED)
                return 0;
    }
    return 1;
}

/* True if some run has an entry of the row under an attack. */
static int has_met(const board_contest *c, size_t row, size_t attack) {
    for (size_t i = 0; i < c->n_number; i++)
        if (c->number[i].row == row && c->number[i].attack == attack)
            return 1;
    return 0;
}

static int is_unfit(const board_contest *c, size_t row) {
    for (size_t i = 0; i < c->n_number; i++)
        if (c->number[i].row == row && c->number[i].group->status != GNT_CELL_NA)
            return 0;
    return 1;
}

/* ---- verdicts ---- */

/* Returns the search for the strength of a place, of the last run that has one; NULL for none. */
static const gnt_match_row *match_of(const board_contest *c, const board_place *p) {
    const gnt_match_row *found = NULL;
    for (size_t i = 0; i < c->n_number; i++)
        if (&c->row[c->number[i].row] == p->row) {
            const gnt_match_row *m = gnt_match_of(c->number[i].results, c->task, p->row->label);
            found = m ? m : found;
        }
    return found;
}

static board_share_kind unknown(gnt_text *why, const char *words) {
    gnt_text_add(why, "%s", words);
    return BOARD_SHARE_UNKNOWN;
}

static board_share_kind lost(int *is_lost, gnt_text *why, const char *words) {
    *is_lost = 1;
    gnt_text_add(why, "%s", words);
    return BOARD_SHARE_KNOWN;
}

static board_share_kind without_number(const board_contest *c, const board_place *p, int *is_lost,
                                       gnt_text *why) {
    const size_t row = (size_t)(p->row - c->row);
    const gnt_match_row *m = match_of(c, p);
    if (is_unfit(c, row))
        return BOARD_SHARE_UNFIT;
    return m && m->is_matched         ? unknown(why, "no attack gave a number")
           : fails_as_a_whole(c, row) ? lost(is_lost, why, "failed")
                                      : unknown(why, "not run to its end, or not shown");
}

static board_share_kind unmatched(const board_contest *c, const board_place *p, int *is_lost, gnt_text *why) {
    const gnt_match_row *m = match_of(c, p);
    if (p->kind == GNT_GROUP_AS_IS)
        return isnan(p->place.surplus) ? unknown(why, "no target utility")
                                       : lost(is_lost, why, "less useful than the target");
    return m && gnt_match_is_too_noisy(m->reason) ? unknown(why, "its utility is too noisy")
                                                  : lost(is_lost, why, "misses the target utility");
}

static board_share_kind lacking(const board_contest *c, const board_place *p, gnt_text *why) {
    const size_t row = (size_t)(p->row - c->row);
    if (p->missing < c->n_attack && has_met(c, row, p->missing) && fails_as_a_whole(c, row))
        return BOARD_SHARE_KNOWN;
    gnt_text_add(why, "no number from %s",
                 p->missing < c->n_attack ? c->attack[p->missing].label : c->absent);
    return BOARD_SHARE_UNKNOWN;
}

board_share_kind board_share_verdict(const board_contest *c, const board_place *p, int *is_lost,
                                     gnt_text *why) {
    *is_lost = 0;
    switch (p->state) {
    case GNT_UNRANKED_MARKED:
        return unknown(why, "marked by the host");
    case GNT_UNRANKED_NO_NUMBER:
        return without_number(c, p, is_lost, why);
    case GNT_UNRANKED_UNMATCHED:
        return unmatched(c, p, is_lost, why);
    case GNT_UNRANKED_FIXED:
        return unknown(why, "fixed strength");
    case GNT_UNRANKED_PUBLIC:
        return unknown(why, "no better than public data");
    case GNT_UNRANKED_GUESS:
        return unknown(why, "guesses are right more often");
    case GNT_UNRANKED_LACKING:
        return lacking(c, p, why);
    case GNT_UNRANKED_UNMET:
        return unknown(why, "no adaptive attack yet");
    default:
        return BOARD_SHARE_KNOWN;
    }
}
