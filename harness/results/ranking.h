/* ranking: how the defenses of a task rank, by the attack and the round under which each leaks most. The
 * rules are here once, for reports and leaderboards: what a defense is judged by, and what costs it the rank.
 * Pure; what is returned belongs to the results. */
#ifndef GNT_RESULTS_RANKING_H
#define GNT_RESULTS_RANKING_H

#include "metric/leak.h"
#include "results/groups.h"
#include "results/marks.h"
#include "results/public.h"
#include "results/section.h"

/* Whether a defense has a rank, else why not, in the order in which rows stand. */
typedef enum gnt_rank_state {
    GNT_RANKED,
    /* an attack that applies to it, or a round of one, gave no number */
    GNT_UNRANKED_LACKING,
    /* no more useful than the public data alone */
    GNT_UNRANKED_PUBLIC,
    GNT_UNRANKED_UNMATCHED,
    GNT_UNRANKED_FIXED,
    /* the host found something wrong with it */
    GNT_UNRANKED_MARKED,
    GNT_UNRANKED_UNDEFENDED,
    GNT_UNRANKED_NO_NUMBER
} gnt_rank_state;

/* What a rank state follows from. */
typedef struct gnt_rank_grounds {
    gnt_group_kind kind;
    int marked, any_number, lacking;
    gnt_public_verdict against_public;
} gnt_rank_grounds;

gnt_rank_state gnt_rank_state_of(const gnt_rank_grounds *g);
/* 1 when a row (its state, its leakage above the floor) stands before another. */
int gnt_ranks_before(const gnt_measure *m, gnt_rank_state a, const gnt_leak *leak_a, gnt_rank_state b,
                     const gnt_leak *leak_b);

/* The leakage of a score above a floor. */
gnt_leak gnt_leak_of(const gnt_measure *m, const gnt_stat *s, double floor);

/* A row of the ranking: one defense's worst case over attacks, and over rounds where a stage of all is asked
 * for. */
typedef struct gnt_rank_row {
    const char *defense;
    gnt_group_kind kind;
    gnt_rank_state state;
    /* rank 0: not ranked */
    gnt_leak_place place;
    /* the group where it leaks most, and its score; NULL: no number at all */
    const gnt_outcome *worst;
    const gnt_score *score;
    /* of the section; NAN when unknown */
    double floor;
    /* a cell with a mark, or NULL */
    const gnt_outcome *marked;
    /* attacks with a number (in every round), of those that gave any defense one and apply to this one */
    size_t judged, of;
    /* attacks that are n/a against it, so that it is untested there */
    size_t unfit;
} gnt_rank_row;

/* Rows of all defenses with a representative, best first: the ranked ones, then by state. `stage` may be
 * GNT_EVERY_STAGE. What only a marked defense has a number for is not asked of others. `rows` holds at least
 * r->n_defense. Returns how many. */
size_t gnt_rank(const gnt_results *r, const char *task, int64_t stage, const gnt_measure *m,
                gnt_rank_row *rows);
/* "matched", "unmatched", …; "matched, marked by the host"; "matched, no better than public data". */
const char *gnt_rank_row_words(const gnt_rank_row *s);
/* 1: both are judged by every attack that applies to them, or by equally many. */
int gnt_rank_rows_compare(const gnt_rank_row *a, const gnt_rank_row *b);
/* 1 for the ranked, and for a matched one that lacks a number: what a report names first where nothing is
 * ranked. */
int gnt_rank_row_leads(const gnt_rank_row *s);
/* 1 when neither surely leaks less, and both have an interval. */
int gnt_rank_rows_tied(const gnt_measure *m, const gnt_rank_row *a, const gnt_rank_row *b);

#endif
