/* label: the class of a single sample, read off the gradient of the last dense layer. */
#ifndef GRADIENT_LABEL_H
#define GRADIENT_LABEL_H

#include "gauntlet/plugin.h"
#include "outliers.h"

/* scores[c], one for each class, more for the likelier. Meant for a batch of one sample. With cross entropy
 * row c of the weight gradient is (p_c − y_c)·r, r the layer's input, and entry c of the bias gradient p_c −
 * y_c itself: negative for the true class alone.
 *  - Where r is not negative (after ReLU, sigmoid, softplus) the score is minus the row's sum, as in iDLG
 *    (Zhao, Mopuri and Bilen, 2020): it gathers what noise would hide in one entry.
 *  - Where r has both signs (after tanh, say) row sums have no sign to trust: minus the bias's
 *    entry, where there is one.
 * Entries that stand apart are left out: a row's sum is scaled up from the others, and of bias
 * entries, which sum to 0, one is minus the others' sum. A weight delta is minus a sum of gradients,
 * so its sign is the other one. GNT_UNSUPPORTED, after host->fail, where the model has no dense layer
 * with a row for each class. */
gnt_status label_scores(const gnt_host *host, const gnt_observation *seen, const outliers *apart,
                        float *scores);

/* Sets y (one row) to 1 at the highest score, the lowest such class, and 0 elsewhere. */
void label_one_hot(const float *scores, int64_t classes, float *y);

#endif
