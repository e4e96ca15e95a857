/* strip: takes apart an update and what a defense added to it, by what is known of updates without a
 * defense. Both ways need that the defense leaves some entries as they are, or adds what can be told from any
 * gradient. */
#ifndef ATTRIBUTE_STRIP_H
#define ATTRIBUTE_STRIP_H

#include "gauntlet/plugin.h"

/* Entries that are whole multiples of `step`, up to `most` of them, were 0: so the weights of an input that
 * is 0, or of a neuron that is off. They go from `update` to `change`, which holds 0 elsewhere.
 * size entries each. Gives how many. */
int64_t attr_strip_lattice(float *update, float *change, int64_t size, double step, int64_t most);

/* The gradient of a dense layer on one sample is the outer product of what came back to its neurons and its
 * inputs, with the bias an input of 1. The outer product that is nearest by the least absolute error is that
 * gradient where a defense left more than half of each row and column as it was. `update` is replaced by it,
 * layer by layer; `change` is what it differed by, 0 for all other parameters. Both are laid out as
 * attr_flatten lays out `seen`. *layers: how many were dense. Memory is scratch of the hook. */
gnt_status attr_strip_rank1(const gnt_host *host, const gnt_views *seen, float *update, float *change,
                            int64_t *layers);

#endif
