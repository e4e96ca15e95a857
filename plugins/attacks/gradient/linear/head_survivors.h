/* head_survivors: what a pruned update shows of the hidden units between two dense layers.
 *
 * The network is a first dense layer z = W x̃ + b, ReLU h = max(z, 0), and a last dense layer V h + c with
 * cross-entropy. Its gradient is e hᵀ with e = p − y, and e for the bias, all times a factor s of rate and
 * clip; entries survive from the threshold t on. So
 *  - where an entry of s·e_c·h_j and the bias's s·e_c survived, their ratio is h_j exactly: an equation of
 *    the sample, since h_j > 0 is z_j;
 *  - where none of unit j survived, h_j ≤ t/|s·e_c| for the largest |s·e_c|: a bound of z_j;
 *  - with the h_j that are left taken for 0, p = softmax(V h + c) gives e, s, and the gradient of the first
 *    bias, s·(Vᵀ e)_i where unit i is on: the scale and the sign of the first layer's survivors. */
#ifndef GRADIENT_HEAD_SURVIVORS_H
#define GRADIENT_HEAD_SURVIVORS_H

#include "linear/survivor_rows.h"

typedef struct head_survivors {
    int found;             /* 0: another network, or too little survived; all else is then 0 */
    int64_t units, shown;  /* hidden units, and how many are known exactly */
    double a;              /* as survivor_rows.a */
    double *lower, *upper; /* units: bounds of z, −INFINITY for none; equal where z is known */
    const float *w, *b;    /* of the first layer, as broadcast: units × features, units */
} head_survivors;

/* Reads the update of one sample whose first layer is l with the survivors `rows`. bound: those of the
 * tensors (survivors.h). GNT_OK, or a status after host->fail. */
gnt_status head_survivors_read(head_survivors *h, const gnt_host *host, const gnt_observation *seen,
                               const dense_layer *l, const survivor_rows *rows, const float *bound);

/* Sets p to the equations and bounds of the sample. Scratch of the hook. The same statuses. */
gnt_status head_survivors_project(const head_survivors *h, const gnt_host *host, const rank_one_input *in,
                                  int64_t features, projections *p);

#endif
