/* measure_text: writes scores and utilities as text. A measure that metric/measure.h does not know is listed
 * in tables but neither ranked nor drawn. */
#ifndef GNT_JUDGE_MEASURE_TEXT_H
#define GNT_JUDGE_MEASURE_TEXT_H

#include "base/text.h"
#include "metric/measure.h"
#include "judge/judge.h"

/* True if there is an interval: a mean without one has both ends at one number. */
int gnt_has_interval(const gnt_stat *s);

/* Writes "23.1 dB [22.0, 24.3]", with the interval if there is one (gnt_has_interval). */
void gnt_measure_write(const gnt_measure *m, const gnt_stat *s, gnt_text *out);
void gnt_measure_number(const gnt_measure *m, double value, gnt_text *out);

/* Returns the identification rate of a group if `m` is its leading measure of reconstruction (PSNR, or MSE
 * where there is none), else NULL: a reconstruction that looks like noise may still identify a sample. */
const gnt_score *gnt_identified(const gnt_outcome *g, const gnt_measure *m);
/* Returns the measure that is shown next to `m`: PSNR next to the identification rate, else that rate. */
const gnt_measure *gnt_next_measure(const gnt_measure *m);
/* Returns its score of a group: the identification rate as above, or with that PSNR. NULL: none. */
const gnt_score *gnt_next_to(const gnt_outcome *g, const gnt_measure *m);
/* Writes "; identified 88.0 % [80.0, 94.0]", "; PSNR 14.1 dB [12.0, 16.2]", or nothing. */
void gnt_next_to_write(const gnt_outcome *g, const gnt_measure *m, gnt_text *out);
/* Returns its heading: "identified", "PSNR". */
const char *gnt_next_title(const gnt_measure *m);

/* Returns the utility of that name: the task's own, or one measured in addition to it. Its value is NaN if
 * there is none. */
gnt_utility gnt_utility_number(const gnt_utility *u, const char *name);

/* Says how a utility of this name is read and written: "accuracy" in per cent, any other as a number. */
int gnt_utility_sign(const char *measure); /* +1: higher is better; −1: lower (loss) */
double gnt_utility_scale(const char *measure);
void gnt_utility_write(const char *measure, double value, gnt_text *out);

#endif
