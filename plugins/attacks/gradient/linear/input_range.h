/* input_range: what the entries of a dense layer's inputs can be: those of images that the model normalised,
 * or features of an inner layer. */
#ifndef GRADIENT_INPUT_RANGE_H
#define GRADIENT_INPUT_RANGE_H

#include <math.h>

#include "gauntlet/plugin.h"

typedef struct input_range {
    const float *mean, *deviation; /* an entry for each `area` entries of a sample; NULL: not normalised */
    int64_t area;
    double lower, upper; /* before the normalisation; may be infinite */
    int is_image;        /* errors count in pixels, else in root mean squares of the sample */
} input_range;

/* Returns the range of the model's own inputs, samples of so many entries. */
static inline input_range input_range_of_images(const gnt_model_info *info, int64_t features) {
    return (input_range){info->mean, info->deviation, features / info->dim[0], 0, 1, 1};
}

static inline double input_range_mean(const input_range *r, int64_t k) {
    return r->mean ? (double)r->mean[k / r->area] : 0;
}

static inline double input_range_deviation(const input_range *r, int64_t k) {
    return r->mean ? (double)r->deviation[k / r->area] : 1;
}

/* Returns the unit that errors of this sample, x, count in: 1, or its root mean square. */
static inline double input_range_unit(const input_range *r, const double *x, int64_t features) {
    double squares = 0;
    for (int64_t k = 0; !r->is_image && k < features; k++)
        squares += x[k] * x[k];
    return r->is_image ? 1 : sqrt(squares / (double)features);
}

#endif
