/* epsilon_facts: the epsilons of one client's clipped and noised updates, as facts of the same names and
 * meaning for every defense:
 *
 *   epsilon_release_add, epsilon_release_replace   one release: what the client sends in one round
 *   epsilon_rounds_add, epsilon_rounds_replace     all rounds of the task's training
 *
 * Neighbours differ by whether the client takes part (add), or by its data being exchanged for any others
 * (replace), which doubles the sensitivity. A client counts as one that takes part in every round:
 * subsampling of clients or samples is not counted. What a search for a strength reads of private data is not
 * covered. */
#ifndef SHARED_EPSILON_FACTS_H
#define SHARED_EPSILON_FACTS_H

#include "gauntlet/plugin.h"

/* Reports the four facts for Gaussian noise, all of them at `delta`. `sensitivity` is the L2 norm of the
 * greatest change of one release where a client joins, in units of the noise's deviation. T rounds are
 * exactly one release of √T times the sensitivity (Balle and Wang 2018). */
void gaussian_epsilon_facts(const gnt_host *host, const gnt_client *client, double delta, double sensitivity);

/* Does the same for Laplace noise: `sensitivity` is an L1 norm in units of the noise's scale, delta is 0,
 * and rounds add up (basic composition, which is exact at delta 0). */
void laplace_epsilon_facts(const gnt_host *host, const gnt_client *client, double sensitivity);

#endif
