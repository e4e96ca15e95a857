/* region_denoise: takes noise of known strength off a region, by what public regions look like. */
#ifndef GRADIENT_REGION_DENOISE_H
#define GRADIENT_REGION_DENOISE_H

#include "gauntlet/plugin.h"

/* Replaces the region of each of seen->n images, which were searched and have the noise N(0, σ²) of the
 * defense in it, by its mean given that: with mean μ and covariance C of public regions, stretched to it, x
 * becomes x − σ²·(C + σ²I)⁻¹·(x − μ), cut to [0, 1]. C is drawn towards a multiple of I as far as there are
 * fewer images than pixels; a region of more than 512 entries is taken pixel by pixel. Nothing without public
 * images. GNT_OK, or a status after host->fail. */
gnt_status region_denoise(const gnt_host *host, const gnt_observation *seen, double sigma, float *images);

#endif
