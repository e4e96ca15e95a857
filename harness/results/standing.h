/* standing: how the defenses of a task stand, by the attack and the round under which each leaks most. The rules are here
 * once, for reports and leaderboards: what a defense is judged by, and what costs it the rank. Pure. */
#ifndef GNT_RESULTS_STANDING_H
#define GNT_RESULTS_STANDING_H

#include "metric/leak.h"
#include "results/marks.h"
#include "results/public.h"
#include "results/view.h"

/* Why a defense has no rank, in the order in which rows stand. */
typedef enum gnt_bar {
    GNT_RANKED,
    GNT_BAR_LACKING, /* an attack that applies to it, or a round of one, gave no number */
    GNT_BAR_PUBLIC,  /* no more useful than the public data alone */
    GNT_BAR_UNMATCHED,
    GNT_BAR_FIXED,
    GNT_BAR_MARKED, /* the host found something wrong with it */
    GNT_BAR_UNDEFENDED,
    GNT_BAR_SILENT /* no number at all */
} gnt_bar;

typedef struct gnt_grounds {
    gnt_stand stand;
    int marked, any_number, lacking;
    gnt_public_verdict against_public;
} gnt_grounds;

gnt_bar gnt_bar_of(const gnt_grounds *g);
/* 1 when a row (its bar, its leakage above the floor) stands before another. */
int gnt_stands_before(const gnt_measure *m, gnt_bar a, const gnt_leak *leak_a, gnt_bar b,
                      const gnt_leak *leak_b);

/* The leakage of a score above a floor. */
gnt_leak gnt_leak_of(const gnt_measure *m, const gnt_stat *s, double floor);
/* The one floor of a task at a stage, chance among it: what leaks most of all that its attacks' targets are guessed by. NAN
 * and "" when none is known. */
double gnt_section_floor(const gnt_results *r, const char *task, int64_t stage, const gnt_measure *m,
                         const char **name);
/* The stages that a task's defenses are judged at: GNT_EVERY_STAGE alone where the host drew them, else each. */
size_t gnt_judged_stages(const gnt_results *r, const char *task, int64_t stages[GNT_MOST_STAGES]);

/* One defense's worst case over attacks, and over rounds where a stage of all is asked for. */
typedef struct gnt_standing {
    const char *defense;
    gnt_stand stand;
    gnt_bar bar;
    gnt_leak_place place;     /* rank 0: not ranked */
    const gnt_outcome *worst; /* the group where it leaks most; NULL: no number at all */
    const gnt_score *score;
    double floor;              /* of the section; NAN when unknown */
    const gnt_outcome *marked; /* a cell with a mark, or NULL */
    size_t judged,
        of; /* attacks with a number (in every round), of those that gave any defense one and apply to this one */
    size_t unfit; /* those that do not: n/a against it, so that it is untested there */
} gnt_standing;

/* Standings of all defenses with a representative, best first: the ranked ones, then by bar. `stage` may be
 * GNT_EVERY_STAGE. What only a marked defense has a number for is not asked of others. `rows` holds at least r->n_defense.
 * Returns how many. */
size_t gnt_rank(const gnt_results *r, const char *task, int64_t stage, const gnt_measure *m,
                gnt_standing *rows);
/* "matched", "unmatched", …; "matched, marked by the host"; "matched, no better than public data". */
const char *gnt_bar_name(const gnt_standing *s);
/* 1: both are judged by every attack that applies to them, or by equally many. */
int gnt_standings_compare(const gnt_standing *a, const gnt_standing *b);
/* 1 for the ranked, and for a matched one that lacks a number: what a report names first where nothing is ranked. */
int gnt_standing_leads(const gnt_standing *s);
/* 1 when neither surely leaks less, and both have an interval. */
int gnt_standings_level(const gnt_measure *m, const gnt_standing *a, const gnt_standing *b);

#endif
