/* region_values: of attacks that tell which value of an attribute stands in the region, by public images. */
#ifndef GRADIENT_REGION_VALUES_H
#define GRADIENT_REGION_VALUES_H

#include "gauntlet/plugin.h"

/* Public images of the model's size (features) with the attribute asked for. GNT_UNSUPPORTED after
 * host->fail. */
gnt_status region_examples_fit(const gnt_host *host, const gnt_observation *seen, int64_t features);

/* A value without examples (NaN) is put below all others. score: of each value. */
void region_rank_unseen(float *score, int32_t values);

/* score: n × values, the log of each value's weight in each sample, up to a constant. Of one sample they are
 * the answer; of a batch it is how many samples are expected to have each value, with the scores beside. */
gnt_status region_answer_values(const gnt_host *host, const gnt_observation *seen, const float *score,
                                const gnt_answer *answer);

#endif
