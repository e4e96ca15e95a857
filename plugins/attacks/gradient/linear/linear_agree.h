/* linear_agree: the input on which most rows of a first dense layer agree.
 *
 * recup, fgsm and sign-noise move a few entries of an update by steps of known size. Row i of the layer has
 * dW_i = δ_i·x and db_i = δ_i, so every row whose two entries were not moved gives the same quotient
 * dW_ik/db_i = x_k, to rounding; moved ones scatter, since each is off by a step over its own δ_i. So x_k is
 * the value that most rows give. No threshold of size is needed: a step may be as small as the gradient.
 * Source of the defenses: RecUP-FL (2023), Algorithm 1 and Eq. 10 to 14. */
#ifndef GRADIENT_LINEAR_AGREE_H
#define GRADIENT_LINEAR_AGREE_H

#include "linear/linear_layer.h"

/* True if the update is of one sample and a granted defense moves single entries of it. */
int linear_is_moved(const gnt_observation *seen);

/* Answers with that input; reports the fact `rows_agreeing`, the mean share of the rows that give the value.
 * GNT_OK, or a status after host->fail. */
gnt_status linear_agree_run(const linear_layer *s, const gnt_observation *seen, const gnt_answer *answer);

#endif
