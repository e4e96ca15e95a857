/* information: a lower bound, by a classifier, of the information that its input has about an attribute. */
#ifndef ATTRIBUTE_INFORMATION_H
#define ATTRIBUTE_INFORMATION_H

#include "classic.h"

/* Estimates I(input; attribute) in nats from the table's validation part: the entropy of the values there
 * less the cross-entropy of the softmax of the scores times the one factor that minimises it, and at least 0.
 * Apart from that fit it is a lower bound in expectation (Barber and Agakov 2003). Scores are logits; with
 * `share` above 0 they are shares, of which it takes the logarithm of each plus `share`. NaN without a
 * validation part. */
gnt_status information_of(const classic *c, const attr_table *t, classic_scores scores,
                          const void *classifier, double share, double *nats);

#endif
