/* soft_labels: labels as unknowns of a search: y is the softmax of a row's logits or, for a map, the
 * sigmoid of each entry's. */
#ifndef GRADIENT_SOFT_LABELS_H
#define GRADIENT_SOFT_LABELS_H

#include <stdint.h>

/* Sets y (n × classes) from logits of the same shape. output: the model's GNT_OUTPUT_*. */
void soft_labels_set(int32_t output, const float *logits, int64_t n, int64_t classes, float *y);

/* Sets d_logits to scale × the derivative by the logits, from the derivative d_y by y. */
void soft_labels_vjp(int32_t output, const float *y, const float *d_y, int64_t n, int64_t classes,
                     double scale, float *d_logits);

#endif
