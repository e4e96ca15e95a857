/* sample_prior: what public samples say of a private one before anything is observed: a normal distribution.
 *
 * x ~ N(mean, F Fᵀ + diag(rest)), F d × rank, d the entries of a sample: the covariance of the public
 * samples, factored by a pivoted Cholesky decomposition and brought down to its principal columns, one for
 * each public sample, 128 to 256, with what the factor leaves of each entry's variance. A few public samples
 * say little of 784 × 784 covariances, so
 *  - images are moved about by up to `shift` pixels, each copy a sample of its own,
 *  - the covariance is mixed with a smooth one, of weight `smooth`: that of neighbours falls by e in `reach`
 *    pixels. Or it is mixed with that by distance alone (stationary.h), of weight `by_distance`/(n +
 *    `by_distance`) for n samples, and the mean with that of each channel.
 * Without public samples the smooth one alone is left, around grey. */
#ifndef GRADIENT_SAMPLE_PRIOR_H
#define GRADIENT_SAMPLE_PRIOR_H

#include "gauntlet/plugin.h"

typedef struct sample_shape {
    int64_t features, channels, height, width; /* a row of a table: features × 1 × 1 */
} sample_shape;

typedef struct prior_setting {
    int64_t shift;        /* pixels, of images */
    double smooth, reach; /* share 0 … 1; pixels */
    double by_distance; /* samples that weigh as much; 0: the smooth covariance is mixed in. Only of images */
} prior_setting;

typedef struct sample_prior {
    int64_t features, rank;
    double *mean;  /* features */
    float *factor; /* rank × features: Fᵀ */
    double *rest;  /* features, above 0 */
} sample_prior;

/* Evidence on a sample in addition to the prior: −½ Σ precision·x² + Σ pull·x, the entries apart. */
typedef struct evidence {
    double *precision, *pull; /* features; precision ≥ 0 */
} evidence;

/* Most public samples, moved copies counted, and most images of a covariance by distance, that count. */
enum { SAMPLE_PRIOR_MOST = 4500, SAMPLE_PRIOR_MOST_EVEN = 1000 };

sample_shape sample_shape_of(const gnt_model_info *info);

/* Fits the prior to x: n rows of shape->features entries; n may be 0. All memory is scratch of the hook.
 * GNT_OK, or a status after host->fail. */
gnt_status sample_prior_make(sample_prior *p, const gnt_host *host, const sample_shape *shape, const float *x,
                             int64_t n, prior_setting setting);
/* Fits the prior as above, but to the rows whose `kept` is 1, with pivoted columns instead of principal
 * ones: it is faster, for comparing settings. */
gnt_status sample_prior_sketch(sample_prior *p, const gnt_host *host, const sample_shape *shape,
                               const float *x, int64_t n, const uint8_t *kept, prior_setting setting);

/* Memory for the functions below, scratch of the hook; prior_room_make returns NULL when memory ran out. */
typedef struct prior_room prior_room;
prior_room *prior_room_make(const gnt_host *host, const sample_prior *p);

/* Computes the posterior's mean x̂ and, unless NULL, each entry's variance. Allocates nothing. Returns 0,
 * or −1 if numbers are not finite. */
int sample_prior_apply(const sample_prior *p, const evidence *e, prior_room *room, double *mean,
                       double *variance);

/* Computes out = S v, S the covariance of the posterior that the last sample_prior_apply computed from `e`
 * in this room. Allocates nothing. */
void sample_prior_spread(const sample_prior *p, const evidence *e, prior_room *room, const double *v,
                         double *out);

/* Computes out = (F Fᵀ + diag(rest) + 1/precision)⁻¹ r over the entries with evidence, of which the
 * precision is that of the last sample_prior_apply in this room; 0 for the others. Allocates nothing. */
void sample_prior_precondition(const sample_prior *p, prior_room *room, const double *r, double *out);

/* Returns ½ log det(C·diag(precision) + 1), C the prior's covariance: by how much evidence of that
 * precision narrows the prior, in nats. Allocates nothing. NaN where numbers are not finite. */
double sample_prior_narrowing(const sample_prior *p, const double *precision, prior_room *room);

/* Prepares sample_prior_density_at, which returns log N(y; 0, scale·(F Fᵀ + diag(rest)) + diag(noise))
 * without the constant of 2π: factors what all y have in common. sample_prior_apply undoes it. Neither
 * allocates. Returns 0, or −1 if numbers are not finite; the density is NaN if y is not. */
int sample_prior_density_open(const sample_prior *p, double scale, const double *noise, prior_room *room);
double sample_prior_density_at(const sample_prior *p, const double *y, prior_room *room);

#endif
