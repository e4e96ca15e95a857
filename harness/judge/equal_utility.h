/* equal_utility: defenses compared at one utility exactly, and at one leakage, by the curves that a run
 * has of them (interpolate.h): what each leaks at the utility that the suite asks for, and what utility
 * each leaves at a given leakage. A curve is a defense's matched cells and those of its sweep, under one
 * attack.
 *
 * The given leakage lies between the floor and what leaks undefended under that attack: floor + share ·
 * (undefended − floor), the share being what the suite says of the task ("leakage"), half where it says
 * nothing. Of several shares each has a row.
 *
 * Pure; what is returned belongs to the results. */
#ifndef GNT_JUDGE_EQUAL_UTILITY_H
#define GNT_JUDGE_EQUAL_UTILITY_H

#include "metric/interpolate.h"
#include "judge/measure_text.h"
#include "judge/judge.h"

typedef struct gnt_equal_row {
    const char *task, *defense, *attack;
    int64_t stage;
    const gnt_measure *measure;
    /* the utility, or the leakage, at which it is read */
    double at;
    gnt_equal found;
    /* the strengths between which it was read, NAN without an answer */
    double from, to;
} gnt_equal_row;

typedef struct gnt_equal_rows {
    gnt_equal_row *row;
    size_t n;
} gnt_equal_rows;

/* Leakage at the task's target utility; rows of every defense, attack and measure of reports
 * (gnt_section_draws) that have a cell with both numbers. Tasks, stages, defenses, attacks in the order
 * of the suite. */
int gnt_equal_utility(const gnt_results *r, gnt_equal_rows *out, gnt_err *err);
/* Utility at the given leakage. */
int gnt_equal_leakage(const gnt_results *r, gnt_equal_rows *out, gnt_err *err);
void gnt_equal_free(gnt_equal_rows *rows);

/* Fills `equal_utility` and `equal_leakage` of a result, of which `r` is the view. Texts are those of the
 * result. */
int gnt_equal_fill(gnt_result *of, const gnt_results *r, gnt_err *err);

#endif
