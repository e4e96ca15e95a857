/* measure_text: how a number of a measure of leakage is written, and a utility. A measure that
 * metric/measure.h does not know is listed in tables, never ranked nor drawn. */
#ifndef GNT_JUDGE_MEASURE_TEXT_H
#define GNT_JUDGE_MEASURE_TEXT_H

#include "base/text.h"
#include "metric/measure.h"
#include "judge/judge.h"

/* 1 when there is an interval: a mean known without one has both ends at one number. */
int gnt_has_interval(const gnt_stat *s);

/* "23.1 dB [22.0, 24.3]", with the interval when there is one that is not a single number. */
void gnt_measure_write(const gnt_measure *m, const gnt_stat *s, gnt_text *out);
void gnt_measure_number(const gnt_measure *m, double value, gnt_text *out);

/* How often the right image was told from others, of a group where `m` is the measure of reconstruction that
 * leads (PSNR, or MSE where there is none): an answer that looks like nothing may still tell. NULL
 * without. */
const gnt_score *gnt_identified(const gnt_outcome *g, const gnt_measure *m);
/* "; identified 88.0 % [80.0, 94.0]", or nothing. */
void gnt_identified_write(const gnt_outcome *g, const gnt_measure *m, gnt_text *out);

/* The number of that name that a training left: the utility itself, or one that was measured beside it. Its
 * value is NaN where there is none. */
gnt_utility gnt_utility_number(const gnt_utility *u, const char *name);

/* A utility by its own name: "accuracy" in per cent, anything else as a number. */
int gnt_utility_sign(const char *measure); /* +1: higher is better; −1: lower (loss) */
double gnt_utility_scale(const char *measure);
void gnt_utility_write(const char *measure, double value, gnt_text *out);

#endif
