/* region_values: shared by attacks that infer the value of an attribute in the region from public images. */
#ifndef GRADIENT_REGION_VALUES_H
#define GRADIENT_REGION_VALUES_H

#include "gauntlet/plugin.h"

/* Checks that there are public images of the model's size (features) with the private attribute.
 * GNT_UNSUPPORTED after host->fail. */
gnt_status region_examples_fit(const gnt_host *host, const gnt_observation *seen, int64_t features);

/* Gives values without examples (NaN) a score below all others. score: one for each value. */
void region_rank_unseen(float *score, int32_t values);

/* Answers with the scores (n × values): the log of each value's weight in each sample, up to a constant.
 * For one sample they are the answer; for a batch it is the expected number of samples that have each
 * value, together with the scores. */
gnt_status region_answer_values(const gnt_host *host, const gnt_observation *seen, const float *score,
                                const gnt_answer *answer);

#endif
