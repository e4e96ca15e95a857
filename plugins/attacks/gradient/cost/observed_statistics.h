/* observed_statistics: the batch-norm statistics of the private batch, from what its client sends.
 *
 * A client moves its running statistics r by r ← 0.9·r + 0.1·b in each local step, b those of the step's
 * batch, and sends how they differ from the broadcast ones: Δ. After K steps r + Δ/(1 − 0.9^K) is a weighted
 * mean of the batches' statistics, the last counting most; after one step it is the batch's. */
#ifndef GRADIENT_OBSERVED_STATISTICS_H
#define GRADIENT_OBSERVED_STATISTICS_H

#include "gauntlet/plugin.h"

/* Computes that mean into *out, laid out like the model's buffers; NULL if the client sent none, or if a
 * variance is not above 0, which says that a defense added noise. Scratch of the hook. GNT_OK, or a status
 * after host->fail. */
gnt_status observed_statistics(const gnt_host *host, const gnt_observation *seen, const float **out);

/* True if the defense was granted and adds noise to the statistics that are sent. */
int observed_statistics_are_noisy(const gnt_observation *seen);

#endif
