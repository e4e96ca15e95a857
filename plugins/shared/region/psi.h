/* psi: how much each layer's gradient depends on the sensitive region of samples (FedRE, Eq. 3 to 5).
 *
 *   S_l = mean over samples, and over the pixels p of a sample's region, of √(Σ_c ‖∂g_l/∂x_pc‖²)
 *
 * g_l: the loss's gradient, of this sample alone, by all entries of layer l that clients share. c: channels.
 * The region is where the sample's mask is 1, or all of it without masks; a feature of a table is a pixel of
 * one channel. Samples whose region is empty do not count. Batch norm runs on running statistics, so that
 * samples do not mix.
 *
 * Exactly: a product with the Jacobian for each pixel and channel of the region. By m probes: for each layer
 * m products with its transpose, ‖∂g_l/∂x_pc‖² ≈ mean of (u·∂g_l/∂x_pc)² over standard normal u. The root
 * makes a pixel of one channel too small by a share of about 1/(4m). */
#ifndef REGION_PSI_H
#define REGION_PSI_H

#include "layers.h"

typedef struct psi_request {
    const gnt_samples *samples; /* with labels of the model's classes */
    const int64_t *row;         /* n: rows of `samples` */
    int64_t n;
    const float *weights, *buffers; /* all of the model's */
    int64_t probes;                 /* m; 0: exactly */
    uint64_t seed;                  /* of the probes, which do not depend on the weights */
} psi_request;

/* Chooses up to `most` samples whose region is not empty, by the stream `stream` if there are more. *row is
 * scratch. */
gnt_status psi_choose(const gnt_host *host, const gnt_samples *s, int64_t most, const char *stream,
                      int64_t **row, int64_t *n);

/* Computes scores of each sample, in->n × layers->n, 0 if a region is empty. They may be infinite or NaN if
 * the gradient is. */
gnt_status psi_of_each(const gnt_host *host, const layers *l, const psi_request *in, double *score);

/* Computes the means over samples: layers->n scores, 0 without samples. */
gnt_status psi_scores(const gnt_host *host, const layers *l, const psi_request *in, double *score);

/* Returns GNT_UNSUPPORTED, after host->fail, if these samples or their labels do not fit the host's model.
 * `whose` begins the message. */
gnt_status psi_fits(const gnt_host *host, const gnt_samples *s, const char *whose);

#endif
