/* image_prior: priors on images, as terms of a search's cost.
 *
 *  - Total variation: neighbours differ little (Laplace's law of their differences).
 *  - A Gaussian of public images: x = m + Σ_k a_k·e_k·v_k + c·t, v and t standard normal. e_k are the public
 *    images minus their mean, a_k = √((1 − ρ)/N): that part has their covariance. The other part, with
 *    ρ times their mean variance in every entry, covers what N images do not reveal: ρ is the shrinkage of
 *    Ledoit and Wolf, A Well-Conditioned Estimator for Large-Dimensional Covariance Matrices, 2004. In
 *    w = (v, t) the prior is ½‖w‖², equally steep in all directions of a search. */
#ifndef GRADIENT_IMAGE_PRIOR_H
#define GRADIENT_IMAGE_PRIOR_H

#include "gauntlet/plugin.h"

/* Adds weight·d/dz of mean|z(h+1) − z(h)| + mean|z(w+1) − z(w)| to grad; returns weight × its value. z:
 * planes of height × width. */
double image_prior_variation(const float *z, int64_t planes, int64_t height, int64_t width, double weight,
                             float *grad);

/* One Gaussian: of all public images, or of those of one class. All memory is the hook's scratch. */
typedef struct image_gaussian {
    int64_t n, features; /* n images behind it */
    const float *mean;   /* features */
    const float *spread; /* n × features: e_k, a_k included */
    float own;           /* c: deviation of the independent part */
} image_gaussian;

/* Fits the Gaussian to the rows of x (each features long) that row[0 … n−1] names, n at least 2. GNT_OK,
 * GNT_STOPPED, or a status after host->fail. */
gnt_status image_gaussian_fit(image_gaussian *g, const gnt_host *host, const float *x, int64_t features,
                              const int64_t *row, int64_t n);

/* Computes the image x = m + … of w (n + features entries), cut to [0, 1]. */
void image_gaussian_image(const image_gaussian *g, const float *w, float *x);

/* Computes the derivative d_w by w from the derivative d_x by the image x of w. An entry of x that was cut
 * passes only what leads back into [0, 1]. */
void image_gaussian_vjp(const image_gaussian *g, const float *x, const float *d_x, float *d_w);

#endif
