/* ranking: ranks the defenses of a task by the attack and the round under which each leaks most. Reports and
 * leaderboards share these rules: what a defense is judged by, and what disqualifies it.
 *
 * A defense is judged by its leakage in each training run, under the attack and in the round with the most
 * leakage in the other training runs, at exactly the target utility if it has a curve (`judge/trainings.h`).
 * One defense surely leaks less than another if the difference between their training runs, paired by seed,
 * is significant (metric/compare.h) and it leaves no less utility. A rank is one more than the number of
 * defenses that surely leak less.
 *
 * Returned pointers belong to the results. */
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

/* State of a row: ranked, or the reason why not. Rows are sorted in this order. */
typedef enum gnt_rank_state {
    GNT_RANKED,
    /* no attack of the section is adequate (judge/adequacy.h) */
    GNT_UNRANKED_INADEQUATE,
    /* fewer training runs than a comparison needs (GNT_METRIC_COMPARE_LEAST) */
    GNT_UNRANKED_FEW,
    /* not attacked by an attack that knows it (judge/adaptive.h) */
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

/* The facts from which a rank state follows. */
typedef struct gnt_rank_grounds {
    gnt_group_kind kind;
    int marked, any_number, lacking, adequate, met;
    size_t trainings;
    gnt_public_verdict against_public;
} gnt_rank_grounds;

gnt_rank_state gnt_rank_state_of(const gnt_rank_grounds *g);
/* True if row a, by its state and its leakage above the baseline, is listed before row b. */
int gnt_ranks_before(const gnt_measure *m, gnt_rank_state a, const gnt_leak *leak_a, gnt_rank_state b,
                     const gnt_leak *leak_b);

/* Returns the leakage of a score above a baseline. */
gnt_leak gnt_leak_of(const gnt_measure *m, const gnt_stat *s, double floor);
/* Returns the mean leakage over training runs with its interval; a value is NAN where a run has no number. */
gnt_leak gnt_leak_of_trainings(const double *value, size_t n);

/* A row of the ranking: one defense's worst case over attacks, and over rounds if the stage is
 * GNT_EVERY_STAGE. */
typedef struct gnt_rank_row {
    const char *defense;
    gnt_group_kind kind;
    gnt_rank_state state;
    /* by the training runs if there are several, else by the worst group; rank 0: not ranked */
    gnt_leak_place place;
    /* the group where it leaks most, and its score; NULL: no number at all */
    const gnt_outcome *worst;
    const gnt_score *score;
    /* the section's baseline; NAN if unknown */
    double floor;
    /* a cell with a mark, or NULL */
    const gnt_outcome *marked;
    /* attacks with a number (in every round), of those that gave any defense one and apply to this one */
    size_t judged, of;
    /* attacks that are n/a against it, so that it is untested there */
    size_t unfit;
    /* training runs with a number */
    size_t trainings;
    /* if the state is GNT_UNRANKED_UNMET: the mechanism that no attack knew */
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

/* Ranks the defenses of a task at a stage or GNT_EVERY_STAGE. An attack that has numbers for marked defenses
 * alone is not required of the others. −1 if memory ran out; *out is then empty. Free: gnt_ranking_free. */
int gnt_rank(gnt_ranking *out, const gnt_results *r, const char *task, int64_t stage, const gnt_measure *m);
void gnt_ranking_free(gnt_ranking *ranking);
/* True if two rows are ranked, and neither surely leaks less. */
int gnt_ranking_tied(const gnt_ranking *ranking, size_t a, size_t b);

/* Ranks `n` rows, `stride` bytes apart, by their leakage in each training run, value[row·`trainings` +
 * training] in the measure's units (NAN: no number), and by their surplus of utility. The rows are sorted by
 * mean, least leakage first; no row is ranked before one with a lower mean. surely_less: n × n, as above. −1
 * if memory ran out. */
int gnt_rank_places(gnt_leak_place *first, size_t stride, size_t n, const double *value, size_t trainings,
                    const gnt_measure *m, int *surely_less);

/* Returns the state in words: "matched", "unmatched", …; "matched, marked by the host"; "matched, too few
 * training runs". */
const char *gnt_rank_row_words(const gnt_rank_row *s);
/* Writes why a section ranks nothing, a sentence without its full stop: "no attack recovers what is
 * undefended (…)". */
void gnt_ranking_say_none(const gnt_results *r, const char *task, const gnt_measure *m,
                          const gnt_ranking *ranking, gnt_text *out);

#endif
