/* update_noise: what is known of the noise and the clip that a defense put on an update. */
#ifndef GRADIENT_UPDATE_NOISE_H
#define GRADIENT_UPDATE_NOISE_H

#include "gauntlet/plugin.h"

enum { NOISE_NONE, NOISE_GAUSSIAN, NOISE_LAPLACE };
enum { CLIPPED_NOT, CLIPPED_WHOLE, CLIPPED_TENSORS };

typedef struct update_noise {
    int told;     /* the defense was granted, and it is one of those below */
    int law;      /* NOISE_* */
    double scale; /* Gaussian: standard deviation of each entry; Laplace: its b */
    double mean;  /* of the noise */
    int pruned;   /* entries that are zero are small, not zero */
    int clipped;  /* CLIPPED_* */
    int clip_l1;  /* the norm is Σ|u|, else the root of Σu² */
    double clip;  /* the greatest norm */
} update_noise;

/* Reads the parameters of dp-gaussian, dp-laplace and prune, alone or in a chain. Where the defense was not
 * granted, or another has a part in it, `told` is 0 and the law NOISE_NONE. */
update_noise update_noise_told(const gnt_observation *seen);

/* −log density of the residual r of an entry under noise of a law, without its constant; *slope: its
 * derivative by r. A Laplace density is rounded within a tenth of its scale, so that it has one. */
double update_noise_cost(const update_noise *noise, double r, double *slope);

#endif
