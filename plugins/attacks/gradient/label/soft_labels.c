#include "label/soft_labels.h"

#include <math.h>

#include "gauntlet/plugin.h"

static void softmax(const float *logits, int64_t n, int64_t classes, float *y) {
    for (int64_t i = 0; i < n; i++, logits += classes, y += classes) {
        float most = logits[0], sum = 0;
        for (int64_t c = 1; c < classes; c++)
            most = logits[c] > most ? logits[c] : most;
        for (int64_t c = 0; c < classes; c++)
            sum += y[c] = expf(logits[c] - most);
        for (int64_t c = 0; c < classes; c++)
            y[c] /= sum;
    }
}

/* Computes d_logits = scale·y ∘ (d_y − ⟨d_y, y⟩): the softmax's Jacobian is symmetric. */
static void softmax_vjp(const float *y, const float *d_y, int64_t n, int64_t classes, double scale,
                        float *d_logits) {
    for (int64_t i = 0; i < n; i++, y += classes, d_y += classes, d_logits += classes) {
        double mean = 0;
        for (int64_t c = 0; c < classes; c++)
            mean += (double)d_y[c] * (double)y[c];
        for (int64_t c = 0; c < classes; c++)
            d_logits[c] = (float)(scale * (double)y[c] * ((double)d_y[c] - mean));
    }
}

void soft_labels_set(int32_t output, const float *logits, int64_t n, int64_t classes, float *y) {
    if (output != GNT_OUTPUT_MAP) {
        softmax(logits, n, classes, y);
        return;
    }
    for (int64_t i = 0; i < n * classes; i++)
        y[i] = 1 / (1 + expf(-logits[i]));
}

void soft_labels_vjp(int32_t output, const float *y, const float *d_y, int64_t n, int64_t classes,
                     double scale, float *d_logits) {
    if (output != GNT_OUTPUT_MAP) {
        softmax_vjp(y, d_y, n, classes, scale, d_logits);
        return;
    }
    for (int64_t i = 0; i < n * classes; i++)
        d_logits[i] = (float)(scale * (double)d_y[i] * (double)(y[i] * (1 - y[i])));
}
