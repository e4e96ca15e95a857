/* stationary: the covariance of images by the distance of two pixels alone, from a few of them.
 *
 * Fifty images say little of 3072 × 3072 covariances, but fifty thousand pixels say what two of them have
 * in common that are so many rows and columns apart, for each two channels. Images are mirrored at their
 * edges, so that the sums run over a torus: what they give is a covariance, without negative variances.
 * With the means of channels taken off, and
 *   X(k, l) = Σ_ij x_ij cos(πk(2i + 1)/2H) cos(πl(2j + 1)/2W)/(HW)
 * of an image of H × W pixels, the covariance at i rows and j columns apart is
 *   C_ab(i, j) = Σ_kl m_k m_l E[X_a(k, l) X_b(k, l)] cos(πki/H) cos(πlj/W),   m_0 = 1, else 2. */
#ifndef GRADIENT_STATIONARY_H
#define GRADIENT_STATIONARY_H

#include "prior/sample_prior.h"

typedef struct stationary {
    const sample_shape *shape;
    double *mean;        /* channels */
    double *by_distance; /* channels × channels × height × width: C above */
} stationary;

/* Estimates it from x, n images of that shape; n is above 0. Scratch of the hook. GNT_OK, GNT_STOPPED, or a
 * status after host->fail. */
gnt_status stationary_make(stationary *out, const gnt_host *host, const sample_shape *shape, const float *x,
                           int64_t n);

/* Adds w times column k of the covariance to out (features). */
void stationary_add_column(const stationary *s, int64_t k, double w, double *out);

/* Returns the variance of a pixel of that channel. */
static inline double stationary_variance(const stationary *s, int64_t channel) {
    return s->by_distance[(channel * s->shape->channels + channel) * s->shape->height * s->shape->width];
}

#endif
