/* residual: the difference between a candidate's update and the observed one, entry by entry, and its sum
 * of squares.
 *
 * Where the observed entry o_i survived pruning, r_i = f·u_i − o_i. Where it is zero, r_i is the amount by
 * which f·u_i exceeds the bound of a pruned entry (survivors.h). Outliers and columns that a defense zeroed
 * (zeroed_columns.h) are left out. f is 1, or the factor by which a known clip scales the candidate's
 * update (seen_clip.h). Where some layers alone have noise (covered.h), their entries have less weight. */
#ifndef GRADIENT_RESIDUAL_H
#define GRADIENT_RESIDUAL_H

#include "gauntlet/plugin.h"
#include "defense/covered.h"
#include "defense/outliers.h"
#include "defense/seen_clip.h"
#include "defense/zeroed_columns.h"

typedef struct residual {
    const gnt_views *seen;
    outliers apart;
    zeroed_columns zeroed;
    const float *bound; /* of each tensor's zeros, but for zeroed columns */
    seen_clip clip;     /* granted, and the noise behind it; zeros where they are not known */
    covered_part some;  /* the layers that alone have noise, where those are known */
    double hidden;      /* the most that zeros can hide: the sum of the squares of their bounds */
    int64_t matched;    /* entries that are no outliers */
    /* Weight of the squares of what lies within a bound, which leads: most of what pruning took was
     * smaller than its limit by far. */
    double shrink;
    double squares;    /* ‖what was observed‖² without outliers */
    float **cotangent; /* of the sum of squares by the update: 2 r, through the clip */
} residual;

/* Binds the observed update, which must be whole and finite; memory is scratch of the hook. GNT_OK, or a
 * status after host->fail. */
gnt_status residual_open(residual *r, const gnt_host *host, const gnt_observation *seen, int64_t mask_zeros,
                         int64_t outlier_choice);

/* Returns Σ r² at the update u; sets r->cotangent. */
double residual_squares(residual *r, const gnt_views *u);

#endif
