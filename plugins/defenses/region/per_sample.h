/* per_sample: local steps in which each sample's gradient is clipped layer by layer, and noise is added to
 * their mean (FedRE, Eq. 7 and 8, where the threshold "controls the maximum contribution of a training
 * sample").
 *
 *   g_l = (1/B)·Σ_i g_l(x_i)·min(1, C/‖g_l(x_i)‖) + N(0, (S·σ_l)²),   W_l ← W_l − rate·g_l
 *
 * B samples in a batch, or all of the client's where it shares one gradient. S is C, or 2C/B: what one sample
 * of the batch, exchanged for another, changes at most. σ_l = √(2T′ ln(1/δ_l))/ε_l, where T′ counts the noisy
 * means that neighbours change: of a whole client all steps of all rounds; of one sample those whose batch it
 * is in. Batches are dealt from a new order of the samples in each pass, so that one is in at most one batch
 * of a pass, and the others depend on it through weights alone, which follow from noisy means. */
#ifndef REGION_PER_SAMPLE_H
#define REGION_PER_SAMPLE_H

#include "mechanism.h"

/* Computes the update; epsilon: that of each layer. Facts: epsilon_claimed, those of
 * shared/dp/epsilon_facts.h for all of a client's data, epsilon_sample_replace, for one sample and all
 * rounds, clipped, the share of the samples' layers that were, and noise_to_signal, of a step, as
 * mechanism_apply has it. GNT_OK, or a status after host->fail. */
gnt_status per_sample_update(const gnt_host *host, const mechanism *m, const gnt_client *client,
                             const layers *l, const double *epsilon, gnt_tensors *update);

#endif
