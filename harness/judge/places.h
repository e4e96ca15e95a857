/* places: ranks of rows from what each leaked in its training runs. A rank is one more than the number of
 * rows that surely leak less: the difference between training runs, paired by seed, is significant
 * (metric/compare.h), and is not paid for with utility below the target.
 *
 * Utility above the target is no excuse for leakage if a defense cannot turn it into privacy: one at its
 * strongest setting, or without a strength, is compared by what it leaks there with what others leak at the
 * target. So each row has one number for each training run, whatever it is compared with.
 *
 * Last are rows that do not surely leak less than no defense, and those without an adaptive attack that leak
 * more than all others all the same. Pure. */
#ifndef GNT_JUDGE_PLACES_H
#define GNT_JUDGE_PLACES_H

#include "metric/leak.h"

/* State of a row: ranked, or the reason why not. Rows are sorted in this order. */
typedef enum gnt_rank_state {
    GNT_RANKED,
    /* not attacked by an attack that knows it, but every row of GNT_RANKED surely leaks less: last */
    GNT_RANKED_UNMET,
    /* does not surely leak less than no defense: last, as no defense is */
    GNT_RANKED_AS_NONE,
    /* no attack of the section is adequate (judge/adequacy.h) */
    GNT_UNRANKED_INADEQUATE,
    /* fewer training runs than a comparison needs (GNT_METRIC_COMPARE_LEAST) */
    GNT_UNRANKED_FEW,
    /* not attacked by an attack that knows it (judge/duties.h) */
    GNT_UNRANKED_UNMET,
    /* an attack that applies to it, or a round of one, gave no number */
    GNT_UNRANKED_LACKING,
    /* chance alone gives its number more than the others' baseline (gnt_is_guess) */
    GNT_UNRANKED_GUESS,
    /* no more useful than the public data alone */
    GNT_UNRANKED_PUBLIC,
    GNT_UNRANKED_UNMATCHED,
    GNT_UNRANKED_FIXED,
    /* the host found something wrong with it */
    GNT_UNRANKED_MARKED,
    GNT_UNRANKED_UNDEFENDED,
    GNT_UNRANKED_NO_NUMBER
} gnt_rank_state;

/* `n` rows of the caller's array, each with a state and a place; of two neighbours they lie `stride` bytes
 * apart. `value[row * trainings + s]`: the leakage in training run s, in the measure's units; NAN: no
 * number. */
typedef struct gnt_rank_list {
    gnt_rank_state *state;
    gnt_leak_place *place;
    size_t stride, n;
    const double *value;
    size_t trainings;
    const gnt_measure *measure;
} gnt_rank_list;

/* True for the states of rows with a rank. */
int gnt_has_rank(gnt_rank_state state);

/* Finds the rows that are last: GNT_RANKED becomes GNT_RANKED_AS_NONE, and GNT_UNRANKED_UNMET either of the
 * states that are last, if any row stays GNT_RANKED. `none`: the undefended row, or n: unknown. The order of
 * the rows does not matter. −1 if memory ran out. */
int gnt_rank_settle_last(const gnt_rank_list *l, size_t none);
/* Ranks the first rows, those with a rank, which are sorted by state and then by mean, least leakage first;
 * no row is ranked before one with a lower mean of its state. surely_less: ranked × ranked, [a · ranked + b]
 * is 1 when row a is ranked before row b for leaking less. −1 if memory ran out. */
int gnt_rank_places(const gnt_rank_list *l, int *surely_less);
/* Returns how many rows have a rank; sorted as above. */
size_t gnt_rank_count(const gnt_rank_list *l);

#endif
