/* information: how much a classifier shows that its input tells of an attribute. */
#ifndef ATTRIBUTE_INFORMATION_H
#define ATTRIBUTE_INFORMATION_H

#include "classic.h"

/* An estimate of I(input; attribute) in nats, from the table's validation part: the entropy of the values
 * there less the cross-entropy of the softmax of the scores, times the one factor that makes it least, and
 * no less than 0. Apart from that fit it is a lower bound in expectation (Barber and Agakov 2003). It needs
 * scores that are logits; `share` above 0 says that they are shares instead, of which it takes the logarithm
 * of each plus `share`. NaN without a validation part. */
gnt_status information_of(const classic *c, const attr_table *t, classic_scores scores,
                          const void *classifier, double share, double *nats);

#endif
