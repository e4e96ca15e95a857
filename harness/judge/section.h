/* section: what is said of one task at one stage: its name, the measure that leads, its floor, its utility.
 * Pure; nothing here owns memory. */
#ifndef GNT_JUDGE_SECTION_H
#define GNT_JUDGE_SECTION_H

#include "judge/measure_text.h"
#include "judge/judge.h"

/* Lists the stages of a task, rising, without repeats; at most GNT_MOST_STAGES (the first ones). */
size_t gnt_stages(const gnt_results *r, const char *task, int64_t stages[GNT_MOST_STAGES]);
/* Lists the stages at which a task's defenses are judged: GNT_EVERY_STAGE alone if the host drew them, else
 * each. */
size_t gnt_judged_stages(const gnt_results *r, const char *task, int64_t stages[GNT_MOST_STAGES]);

/* Writes "round 10"; for stage 0 "before training", or "given weights" if they came from a file; for every
 * stage "worst of rounds 2, 5, 9". */
void gnt_stage_words(const gnt_results *r, const char *task, int64_t stage, char *text, size_t size);
/* Writes "glyphs, round 10", "lenet, before training" or "resnet20, given weights": foreign text, which the
 * caller escapes. */
void gnt_section_title(const gnt_results *r, const char *task, int64_t stage, gnt_text *out);

/* True if a task is one of an arena: attacks of a list, a target utility, and observations in training, or
 * representations, of which no hook sees the samples. */
int gnt_is_arena(const gnt_results *r, const char *task);
/* Returns the measure by which a section is ranked and summarised, in reports and on boards: the first by
 * order that has a number, but the attribute's balanced accuracy if the data are no images, and in an arena
 * that of its shares; NULL without any. */
const gnt_measure *gnt_section_lead(const gnt_results *r, const char *task, int64_t stage);
/* True if a measure is drawn: ranked, with a number, and MSE only if there is no PSNR. */
int gnt_section_draws(const gnt_results *r, const char *task, int64_t stage, const gnt_measure *m);
/* Returns the one floor of a task at a stage, chance among it: that of the guess that leaks most, over the
 * targets of its attacks. NAN and "" if none is known. */
double gnt_section_floor(const gnt_results *r, const char *task, int64_t stage, const gnt_measure *m,
                         const char **name);

/* False if the task's network was never trained under a defense: it was attacked as it is. */
int gnt_was_trained(const gnt_results *r, const char *task);
/* Returns the measure of a task's utility; "" if unknown. */
const char *gnt_utility_measure(const gnt_results *r, const char *task);
/* True if defenses make a difference to utility here: more than one point of accuracy, or one per cent of
 * another measure. */
int gnt_utility_varies(const gnt_results *r, const char *task, int64_t stage);

#endif
