/* strip: separates an update from the perturbation that a defense added, by properties of undefended updates.
 * Both methods need that the defense leaves some entries unchanged, or adds values that differ from any
 * gradient. */
#ifndef ATTRIBUTE_STRIP_H
#define ATTRIBUTE_STRIP_H

#include "gauntlet/plugin.h"

/* Moves entries that are whole multiples of `step`, up to `most` of them, from `update` to `change`, which is
 * 0 elsewhere: they were 0, as weights of a zero input or an inactive neuron. size entries each. Returns
 * their number. */
int64_t attr_strip_lattice(float *update, float *change, int64_t size, double step, int64_t most);

/* Replaces the gradient of each dense layer in `update` by the nearest outer product by the least absolute
 * error; `change`: the difference, 0 for all other parameters. For one sample the gradient is the outer
 * product of its neurons' cotangents and its inputs, with the bias an input of 1; the nearest outer product
 * is that gradient if a defense left more than half of each row and column unchanged. Both have the layout of
 * attr_flatten of `seen`. *layers: number of dense layers. Memory is scratch of the hook. */
gnt_status attr_strip_rank1(const gnt_host *host, const gnt_views *seen, float *update, float *change,
                            int64_t *layers);

#endif
