/* features: how near two images look to a network.
 *
 * Both images go through it; at some of its layers ("taps") the vector of channels at each place is divided
 * by its length plus 1e-10, and the squared differences are weighted by channel, summed over channels,
 * averaged over places and added up over taps (Zhang, Isola, Efros, Shechtman, Wang, "The unreasonable
 * effectiveness of deep features as a perceptual metric", 2018, equation 1). Images are C×H×W in [0, 1] and
 * clamped to it; grey ones are shown as three equal channels.
 *
 * LPIPS is this with one of three published networks, the published weights of channels, and inputs (2x − 1 −
 * shift) / scale. With another network it is a feature distance and never called LPIPS: taps are then the
 * network's activations, weights 1, and the sum is divided by the number of taps, so that it lies between 0
 * and 4 (2 where no feature is negative).
 *
 * Of the representation alone, the layer that a model calls so, there is the plain mean squared error:
 * Σ_i (r_i(a) − r_i(b))² / D over its D entries, nothing divided by a length ("MSE-R": Sun, Li, Wang, Yang,
 * Li, Chen, "Soteria", 2021, name the space; Li, Zhang, Liu, Liu, "Auditing privacy defenses in federated
 * learning via generative gradient leakage", 2022, the measure). It has no bound. */
#ifndef GNT_METRIC_FEATURES_H
#define GNT_METRIC_FEATURES_H

#include "metric/image.h"
#include "metric/measure.h"
#include "nn/io/safetensors.h"
#include "nn/model/model.h"

typedef struct gnt_features gnt_features;

typedef enum gnt_lpips_net { GNT_LPIPS_ALEX, GNT_LPIPS_VGG, GNT_LPIPS_SQUEEZE, GNT_LPIPS_NETS } gnt_lpips_net;
/* "alex", "vgg", "squeeze" */
extern const char *const gnt_lpips_names[GNT_LPIPS_NETS];
/* what their distances are measured as, of whole images and of sensitive regions */
extern const gnt_measure_id gnt_lpips_measures[GNT_LPIPS_NETS], gnt_region_lpips_measures[GNT_LPIPS_NETS];
/* True if a suite's measures, bits 1u << gnt_measure_id, name either. */
int gnt_lpips_is_wanted(uint32_t measures, gnt_lpips_net net);

/* Makes LPIPS. `weights`: convolutions under torchvision's names (features.0.weight …), channel weights under
 * those of LPIPS v0.1 (lin0.model.1.weight …); sentences call them `where`; both are needed only during this
 * call. Fails if a tensor is missing or misshapen, or the images are too small. precision: 4 or 8 bytes a
 * number. */
int gnt_lpips_new(gnt_features **out, gnt_lpips_net net, const gnt_st *weights, const char *where,
                  gnt_metric_shape shape, int32_t precision, gnt_err *err);
/* Makes a distance from a model's layers. params, buffers: flat, in the order of the model; copied. The model
 * is needed only during this call. */
int gnt_features_new(gnt_features **out, const gnt_model *m, const float *params, const float *buffers,
                     int32_t precision, gnt_err *err);
/* Makes the mean squared error of the model's representation. Fails if that is the sample itself. Otherwise
 * as above. */
int gnt_representation_new(gnt_features **out, const gnt_model *m, const float *params, const float *buffers,
                           int32_t precision, gnt_err *err);
void gnt_features_free(gnt_features *f);

/* Returns the distance; NaN if it cannot be computed. */
double gnt_features_distance(gnt_features *f, const float *a, const float *b);
/* Returns the score of no answer to `truth`: the largest distance of two images or, if that has no bound, the
 * larger of the distances of a black and a white image from the truth. */
double gnt_features_worst(gnt_features *f, const float *truth);

#endif
