/* curve: what a defense left and leaked at its strengths, training by training: its matched cells and those
 * of its sweep, or of the bracket of its matched strength, under one attack. */
#ifndef GNT_JUDGE_CURVE_H
#define GNT_JUDGE_CURVE_H

#include "metric/interpolate.h"
#include "metric/measure.h"
#include "judge/judge.h"

/* Owner: the caller; gnt_curve_free. */
typedef struct gnt_curve {
    /* rising, each once: a sweep may hold the one that was matched, whose trainings are then the same */
    double *strength;
    size_t n;
    /* point[k * n_seeds + s]: utility and leakage of seed[s]'s training at strength[k]; NAN without */
    gnt_equal_point *point;
    int64_t *seed;
    size_t n_seeds;
} gnt_curve;

/* 1 when a cell is one of a curve's. */
int gnt_on_curve(const gnt_outcome *cell);
/* cell: those of one task, stage, defense and attack that are on its curve, in the order of the file. */
int gnt_curve_make(gnt_curve *out, const gnt_outcome *const *cell, size_t n, const gnt_measure *m,
                   gnt_err *err);
void gnt_curve_free(gnt_curve *c);

/* The utility that the defenses of a task are matched to; NAN where none is. */
double gnt_target_utility(const gnt_results *r, const char *task);

#endif
