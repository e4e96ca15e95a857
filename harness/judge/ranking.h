/* ranking: how the defenses of a task rank, by the attack and the round under which each leaks most. The
 * rules are here once, for reports and leaderboards: what a defense is judged by, and what costs it the
 * rank.
 *
 * A defense is judged by its leakage in each training, under the attack and in the round that leak most in
 * the other trainings, at exactly the target utility where it has a curve (judge/trainings.h). Two
 * defenses differ where their trainings, seed by seed, say so surely (metric/compare.h), and the one that
 * leaks less left no less utility; a rank is one more than the number of those that surely leak less.
 *
 * What is returned belongs to the results. */
#ifndef GNT_JUDGE_RANKING_H
#define GNT_JUDGE_RANKING_H

#include "metric/leak.h"
#include "judge/adaptive.h"
#include "judge/adequacy.h"
#include "judge/group_roles.h"
#include "judge/marks.h"
#include "judge/public.h"
#include "judge/section.h"
#include "judge/trainings.h"

/* Whether a defense has a rank, else why not, in the order in which rows stand. */
typedef enum gnt_rank_state {
    GNT_RANKED,
    /* no attack of the section is adequate (judge/adequacy.h) */
    GNT_UNRANKED_INADEQUATE,
    /* fewer trainings than a comparison takes (GNT_METRIC_COMPARE_LEAST) */
    GNT_UNRANKED_FEW,
    /* no attack that knows it has met it (judge/adaptive.h) */
    GNT_UNRANKED_UNMET,
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
    int marked, any_number, lacking, adequate, met;
    size_t trainings;
    gnt_public_verdict against_public;
} gnt_rank_grounds;

gnt_rank_state gnt_rank_state_of(const gnt_rank_grounds *g);
/* 1 when a row (its state, its leakage above the floor) stands before another. */
int gnt_ranks_before(const gnt_measure *m, gnt_rank_state a, const gnt_leak *leak_a, gnt_rank_state b,
                     const gnt_leak *leak_b);

/* The leakage of a score above a floor. */
gnt_leak gnt_leak_of(const gnt_measure *m, const gnt_stat *s, double floor);
/* The leakage over trainings, NAN where there is no number, with its interval. */
gnt_leak gnt_leak_of_trainings(const double *value, size_t n);

/* A row of the ranking: one defense's worst case over attacks, and over rounds where a stage of all is asked
 * for. */
typedef struct gnt_rank_row {
    const char *defense;
    gnt_group_kind kind;
    gnt_rank_state state;
    /* by the trainings where there are several, else by the worst group; rank 0: not ranked */
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
    /* trainings with a number */
    size_t trainings;
    /* where the state is GNT_UNRANKED_UNMET: what no attack knew */
    gnt_mechanism unmet;
} gnt_rank_row;

typedef struct gnt_ranking {
    /* all defenses with a representative, best first: the ranked ones, then by state */
    gnt_rank_row *row;
    size_t n, ranked;
    /* ranked × ranked: [a·ranked + b] is 1 when row a surely leaks less than row b */
    int *surely_less;
    gnt_adequacy adequacy;
} gnt_ranking;

/* `stage` may be GNT_EVERY_STAGE. What only a marked defense has a number for is not asked of others. −1 when
 * memory ran out; *out is then empty. Free with gnt_ranking_free. */
int gnt_rank(gnt_ranking *out, const gnt_results *r, const char *task, int64_t stage, const gnt_measure *m);
void gnt_ranking_free(gnt_ranking *ranking);
/* 1 when two rows are ranked, and neither surely leaks less. */
int gnt_ranking_tied(const gnt_ranking *ranking, size_t a, size_t b);

/* Ranks `n` rows that lie `stride` bytes apart by their leakages in trainings, value[row·trainings +
 * training] in the measure's units, NAN where there is no number, and by their surplus of utility. They are
 * sorted by mean, what leaks least first; a rank is never before that of a row with a lower mean.
 * surely_less: n × n, as above. −1 when memory ran out. */
int gnt_rank_places(gnt_leak_place *first, size_t stride, size_t n, const double *value, size_t trainings,
                    const gnt_measure *m, int *surely_less);

/* "matched", "unmatched", …; "matched, marked by the host"; "matched, too few trainings". */
const char *gnt_rank_row_words(const gnt_rank_row *s);
/* Why nothing of a section is ranked, a sentence without its end: "no attack recovers what is undefended
 * (…)". */
void gnt_ranking_say_none(const gnt_results *r, const char *task, const gnt_measure *m,
                          const gnt_ranking *ranking, gnt_text *out);

#endif
