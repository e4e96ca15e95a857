/* section: what is said of one task at one stage: its name, the measure that leads, its floor, its utility.
 * Pure; nothing here owns memory. */
#ifndef GNT_JUDGE_SECTION_H
#define GNT_JUDGE_SECTION_H

#include "judge/measure_text.h"
#include "judge/judge.h"

/* The stages of a task, rising, without repeats; at most GNT_MOST_STAGES (the first ones). */
size_t gnt_stages(const gnt_results *r, const char *task, int64_t stages[GNT_MOST_STAGES]);
/* The stages that a task's defenses are judged at: GNT_EVERY_STAGE alone where the host drew them, else
 * each. */
size_t gnt_judged_stages(const gnt_results *r, const char *task, int64_t stages[GNT_MOST_STAGES]);

/* "round 10"; of stage 0 "before training", or "given weights" where they came from a file; of every stage
 * "worst of rounds 2, 5, 9". */
void gnt_stage_words(const gnt_results *r, const char *task, int64_t stage, char *text, size_t size);
/* "glyphs, round 10", "lenet, before training", "resnet20, given weights": foreign text, escape it. */
void gnt_section_title(const gnt_results *r, const char *task, int64_t stage, gnt_text *out);

/* The measure a section is summed up by: the first by rank that has a number, but the attribute's balanced
 * accuracy where the data are no images; NULL without any. */
const gnt_measure *gnt_section_lead(const gnt_results *r, const char *task, int64_t stage);
/* 1 when a measure is drawn: ranked, with a number, and MSE only where there is no PSNR. */
int gnt_section_draws(const gnt_results *r, const char *task, int64_t stage, const gnt_measure *m);
/* The one floor of a task at a stage, chance among it: what leaks most of all that its attacks' targets are
 * guessed by. NAN and "" when none is known. */
double gnt_section_floor(const gnt_results *r, const char *task, int64_t stage, const gnt_measure *m,
                         const char **name);

/* 0 where the task's network was never trained under a defense: it was attacked as it is. */
int gnt_was_trained(const gnt_results *r, const char *task);
/* The measure of a task's utility; "" when unknown. */
const char *gnt_utility_measure(const gnt_results *r, const char *task);
/* 1 when defenses make a difference to utility here: by more than one point of accuracy, or one per cent of
 * another measure. */
int gnt_utility_varies(const gnt_results *r, const char *task, int64_t stage);

#endif
