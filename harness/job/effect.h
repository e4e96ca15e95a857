/* effect: do a model's outputs depend on what hooks added to its updates?
 *
 * What changes no output costs no utility, and attacks find it in each update all the same: a vector in all
 * rows of a last layer under a softmax, noise in the weights of pixels that are always black or of units that
 * never fire. So where hooks added much in a compared round, outputs on test samples are computed at the
 * weights after it, W, at W − E, and at W − E', where E is what was added by way of the mean and E' has its
 * entries in another order, tensor by tensor. Noise that is drawn for each entry does to outputs what it does
 * in any order.
 *
 * Ownership: what the spec points to outlives the call. Errors: −1 with a sentence. */
#ifndef GNT_JOB_EFFECT_H
#define GNT_JOB_EFFECT_H

#include "base/random.h"
#include "fl/federate.h"
#include "job/work/sampleset.h"

typedef struct gnt_effect_spec {
    const gnt_model *model;
    /* Its first samples are used. */
    const gnt_sampleset *test;
    /* From it the order of entries is drawn. */
    const gnt_key *key;
} gnt_effect_spec;

/* Sums over rounds, from {0}: squared changes of outputs without E and without E'; of a classifier of those
 * that its softmax sees. */
typedef struct gnt_effect {
    double added, shuffled;
} gnt_effect;

/* Adds a round; nothing is computed where hooks added little. */
int gnt_effect_add(gnt_effect *e, const gnt_effect_spec *spec, const gnt_fl_round *round,
                   const gnt_fl_step *step, gnt_err *err);
/* True if outputs change by less than a quarter of what they do in another order; then with a sentence. */
int gnt_effect_is_none(const gnt_effect *e, gnt_err *says);

#endif
