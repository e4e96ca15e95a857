/* level: what a history says about each strength: mean, error, and the means made monotone. Inside match/
 * only. */
#ifndef GNT_MATCH_LEVEL_IMPL_H
#define GNT_MATCH_LEVEL_IMPL_H

#include "match/match.h"

typedef struct gnt_match_level {
    double strength;
    double place;         /* on the parameter's scale: 0 weakest, 1 strongest */
    int searched;         /* search training runs, failed ones included */
    int n;                /* finite training runs counted in the mean: search and failed confirmations */
    int broken;           /* training runs without a utility */
    int failed;           /* a confirmation that is part of the mean failed here */
    double mean, squares; /* of the utility, and the sum of squared deviations from the mean */
    double noise2;        /* mean of the stated noise², the least variance of one training */
    double variance;      /* of one training */
    double error;         /* of the mean */
    double gap;           /* how far the mean is above the target, in the direction of better utility */
    double fitted;        /* gap made non-increasing in strength */
} gnt_match_level;

/* The confirmation with the highest number that has any training. */
typedef struct gnt_match_trial {
    int number; /* −1: none yet */
    int n, broken;
    double strength, mean, squares;
    double noise2; /* mean of the stated noise² */
} gnt_match_trial;

typedef struct gnt_match_view {
    gnt_match_level *level; /* weakest first; freed by gnt_match_view_free */
    int n_levels, trainings;
    gnt_match_trial trial;
} gnt_match_view;

/* Reads the history. Confirmations before the last have failed, or there would be no later one: they are part
 * of the means. The last one is part of them only when `with_last`. */
int gnt_match_view_make(gnt_match_view *out, const gnt_match_spec *spec, const gnt_match_point *history,
                        size_t n, int with_last, gnt_err *err);
void gnt_match_view_free(gnt_match_view *v);

/* ---- confirm.c: is a confirmation passed? ---- */

typedef enum gnt_match_judgement {
    GNT_MATCH_TRIAL_OPEN, /* it needs more training runs */
    GNT_MATCH_TRIAL_PASSED,
    GNT_MATCH_TRIAL_FAILED, /* its mean is off, or a training failed */
    GNT_MATCH_TRIAL_NOISY   /* its mean is near, but most_seeds training runs leave it too uncertain */
} gnt_match_judgement;

typedef struct gnt_match_bound {
    double error; /* of the confirming mean */
    double t;     /* Student's quantile at 90 %, by which the error is judged */
    int wanted;   /* OPEN: training runs that the confirmation should have */
} gnt_match_bound;

/* Judges the trial of `v`, whose means do not include it. The trial's strength is among the levels, unless no
 * training run of the search was made there: then it is judged by its own runs. */
gnt_match_judgement gnt_match_judge(const gnt_match_spec *spec, const gnt_match_view *v,
                                    gnt_match_bound *out);
/* Returns how many training runs a confirmation at a strength starts with. */
int gnt_match_first_confirming(const gnt_match_spec *spec, const gnt_match_view *v, double strength);
/* Returns t with P(T > t) = 0.1. With no degree of freedom it returns the normal quantile: the scatter is
 * then the stated noise. */
double gnt_match_t90(double freedom);
const gnt_match_level *gnt_match_level_at(const gnt_match_view *v, double strength);

/* ---- bracket.c ---- */

/* Returns how far a bracket may be from its strength, as a part of the scale: fourfold, or a quarter of a
 * linear one. */
double gnt_match_most_distance(const gnt_match_spec *spec);

/* ---- listed.c: strengths that are listed ---- */

/* Sets the next training runs, or the verdict. */
void gnt_match_read_curve(gnt_match_next_step *out, const gnt_match_spec *spec, const gnt_match_view *v);
/* Returns the next stronger listed strength; NaN if there is none. */
double gnt_match_listed_beyond(const gnt_match_spec *spec, double strength);

/* Maps a strength to its place 0 … 1 on the parameter's scale. */
double gnt_match_place(const gnt_match_spec *spec, double strength);
double gnt_match_end(const gnt_match_spec *spec, int strongest);

/* Returns a strength strictly between two neighbours, near `place`, rounded to few digits if possible; NaN if
 * there is none. */
double gnt_match_between(const gnt_match_spec *spec, double weaker, double stronger, double place);
double gnt_match_first(const gnt_match_spec *spec); /* where a search starts */

#endif
