/* clip_noise: what dp-gaussian, dp-laplace, clip and dp-fedavg share. An update is clipped to a norm and
 * noise is added to every entry; see clip_noise.c for what that promises. */
#ifndef DP_CLIP_NOISE_H
#define DP_CLIP_NOISE_H

#include <stdint.h>

#include "gauntlet/plugin.h"

enum { CLIP_GLOBAL, CLIP_PER_TENSOR, CLIP_NONE };
enum { NORM_L1, NORM_L2 };

typedef struct dp {
    const gnt_host *host;
    int laplace;  /* else Gaussian */
    double scale; /* of the noise: the Gaussian's standard deviation, or Laplace's b; 0: none */
    double mu;    /* its mean */
    double delta; /* Gaussian; 0: no epsilon is computed */
    double clip;  /* the bound */
    int64_t clip_mode, norm;
    int64_t statistics; /* 1: what is sent of batch-norm statistics is treated as a part of the update */
    const char *layers; /* those that are clipped and noised; NULL or "": all */
} dp;

typedef struct dp_clipped {
    double norm;  /* of the whole update, before */
    double share; /* of what was clipped: the update (0 or 1), or the fraction of its tensors */
} dp_clipped;

/* Scales the update, or each tensor, by min(1, clip/norm): afterwards the norm is at most `clip`, with a
 * relative slack of 1e-7 for the rounding of its entries. −1 where the norm is NaN or infinite. */
int dp_clip(const dp *self, gnt_tensors *update, dp_clipped *out);

/* Returns the greatest distance of a clipped update from 0, in the norm of the noise: L2 for Gaussian
 * noise, L1 for Laplace's. An L2 bound C on n entries bounds L1 by √n·C only. Bounds of tensors add up. */
double dp_sensitivity(const dp *self, const gnt_tensors *update);

/* Returns the running statistics that the client sends; NULL if it sends none. */
const gnt_tensors *dp_sent_statistics(const gnt_client *client);

/* Lists what is released as one vector, in scratch: the update, then, with self->statistics, the running
 * statistics that are sent with it. covered: flags of the model's layers, without which others' tensors are
 * left out; NULL: none is. NULL: out of memory. */
gnt_tensors *dp_released(const dp *self, const gnt_client *client, const gnt_tensors *update,
                         const uint8_t *covered);

#endif
