/* equal_utility: compares defenses at exactly one utility, and at one leakage, by interpolating their curves
 * (interpolate.h): the leakage of each at the target utility, and the utility that each leaves at a given
 * leakage. A curve is a defense's matched cells and those of its sweep, under one attack.
 *
 * The given leakage lies between the baseline and the undefended score under that attack: floor + share ·
 * (undefended − floor). The suite sets the share for each task ("leakage"); the default is one half. Each
 * of several shares has a row.
 *
 * Pure; returned texts belong to the results. */
#ifndef GNT_JUDGE_EQUAL_UTILITY_H
#define GNT_JUDGE_EQUAL_UTILITY_H

#include "metric/interpolate.h"
#include "judge/measure_text.h"
#include "judge/judge.h"

typedef struct gnt_equal_row {
    const char *task, *defense, *attack;
    int64_t stage;
    const gnt_measure *measure;
    /* the utility, or the leakage, at which the curve is read */
    double at;
    gnt_equal found;
    /* the strengths between which it was read; NAN if there is no answer */
    double from, to;
} gnt_equal_row;

typedef struct gnt_equal_rows {
    gnt_equal_row *row;
    size_t n;
} gnt_equal_rows;

/* Computes leakage at the task's target utility: a row for every defense, attack and measure of reports
 * (gnt_section_draws) that has a cell with both numbers. Tasks, stages, defenses and attacks are in the order
 * of the suite. */
int gnt_equal_utility(const gnt_results *r, gnt_equal_rows *out, gnt_err *err);
/* Computes utility at the given leakage, in rows as above. */
int gnt_equal_leakage(const gnt_results *r, gnt_equal_rows *out, gnt_err *err);
/* Computes the rows of one task, stage and measure alone, by_leakage as the second, else as the first. */
int gnt_equal_of(const gnt_results *r, const char *task, int64_t stage, const gnt_measure *m, int by_leakage,
                 gnt_equal_rows *out, gnt_err *err);
void gnt_equal_free(gnt_equal_rows *rows);

/* Fills `equal_utility` and `equal_leakage` of a result, of which `r` is the view; texts belong to the
 * result. */
int gnt_equal_fill(gnt_result *of, const gnt_results *r, gnt_err *err);

#endif
