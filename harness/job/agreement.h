/* agreement: does what two replacements of one update made of a model differ as the two replacements do?
 *
 * d is the difference of the two models after that round, u the update that one of them got in the place of
 * the other's zeros. A server that takes each entry for itself and never goes against a client, as means,
 * medians and means of limited norm do, leaves no entry of d with another sign than that of u. One that
 * weighs whole updates or tensors against each other, as it likes, leaves d in the span of the round's
 * updates. Any other difference was made for one of the two replacements. */
#ifndef GNT_JOB_AGREEMENT_H
#define GNT_JOB_AGREEMENT_H

#include "base/err.h"
#include "gauntlet/plugin.h"

/* Returns Σ d·u / Σ |d·u| of n entries: 1 where no two have opposite signs, near 0 where one knows nothing of
 * the other. */
double gnt_agreement_of_signs(const float *d, const float *u, int64_t n);
/* Computes the share of the energy of d that lies in the span of the updates, tensor by tensor. Tensors with
 * few entries for so many updates say nothing and are left out; 1 where no other has any energy. */
int gnt_agreement_in_span(const gnt_tensors *t, const float *d, const float *const *update, int64_t n_updates,
                          double *share, gnt_err *err);

#endif
