/* ranking: ranks the defenses of a task by the attack and the round under which each leaks most. Reports and
 * leaderboards share these rules: what a defense is judged by, and what disqualifies it.
 *
 * A defense is judged by its leakage in each training run, under the attack and in the round with the most
 * leakage in the other training runs, at exactly the target utility if it has a curve (`judge/trainings.h`).
 * What follows for ranks is in judge/places.h.
 *
 * Returned pointers belong to the results. */
#ifndef GNT_JUDGE_RANKING_H
#define GNT_JUDGE_RANKING_H

#include "metric/leak.h"
#include "judge/adequacy.h"
#include "judge/duties.h"
#include "judge/group_roles.h"
#include "judge/marks.h"
#include "judge/places.h"
#include "judge/public.h"
#include "judge/section.h"
#include "judge/trainings.h"

/* The facts from which a rank state follows. */
typedef struct gnt_rank_grounds {
    gnt_group_kind kind;
    /* comparable: at the target utility (gnt_is_comparable) */
    int marked, any_number, comparable, lacking, adequate, guess, met; /* guess: gnt_is_guess */
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
    /* what is shown of it: read at exactly the target where place.at_target is set, else of `score` */
    gnt_stat measured;
    /* even its strongest setting leaves more utility than the target */
    int saturated;
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
    /* the first duty that no attack discharged, of those that cost a rank and of those that are shown only */
    gnt_duty unmet, shown;
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

/* Returns how a defense reached the utility at which it is judged: "matched", "saturated", "matched by its
 * curve", "unmatched" … */
const char *gnt_utility_words(gnt_group_kind kind, int saturated, const gnt_leak_place *place);
/* Writes that and the state: "matched, too few training runs". */
void gnt_rank_row_say(const gnt_rank_row *s, gnt_text *out);
/* True if no row of the list surely leaks less than no defense, so that its first rank is no distinction. */
int gnt_is_as_undefended(gnt_rank_state state, const gnt_leak_place *place);
/* Writes the rank of a row that has one, "2" or "=2"; "as undefended" where it is the first and none. */
void gnt_rank_write(gnt_rank_state state, const gnt_leak_place *place, gnt_text *out);
/* Returns why rows share the first rank, a clause. */
const char *gnt_tie_words(gnt_tie tie);
/* Writes why a section ranks nothing, a sentence without its full stop: "no attack recovers what is
 * undefended (…)". */
void gnt_ranking_say_none(const gnt_results *r, const char *task, const gnt_measure *m,
                          const gnt_ranking *ranking, gnt_text *out);

#endif
