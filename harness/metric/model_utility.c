#include "metric/model_utility.h"

#include <math.h>

static void add(gnt_metric_utility *u, double loss, int right) {
    if (u->row_right)
        u->row_right[u->samples] = (float)(isfinite(loss) && right);
    if (u->row_loss)
        u->row_loss[u->samples] = (float)loss;
    u->samples++;
    if (!isfinite(loss)) {
        u->broken++;
        return;
    }
    u->right += right;
    u->loss_sum += loss;
    u->loss_squares += loss * loss;
}

/* Returns log Σ exp(z) − z[label]; NaN if a score is not finite. *best: the first of the highest. */
static double cross_entropy(const float *z, int32_t classes, int32_t label, int32_t *best) {
    double sum = 0;
    *best = 0;
    for (int32_t c = 0; c < classes; c++) {
        if (!isfinite(z[c]))
            return NAN;
        if (z[c] > z[*best])
            *best = c;
    }
    for (int32_t c = 0; c < classes; c++)
        sum += exp((double)z[c] - (double)z[*best]);
    return log(sum) + ((double)z[*best] - (double)z[label]);
}

void gnt_metric_utility_logits(gnt_metric_utility *u, const float *logits, const int32_t *label, size_t n,
                               int32_t classes) {
    for (size_t i = 0; i < n; i++) {
        int32_t best = 0;
        double loss = NAN;
        if (label[i] >= 0 && label[i] < classes)
            loss = cross_entropy(logits + i * (size_t)classes, classes, label[i], &best);
        add(u, loss, best == label[i]);
    }
}

void gnt_metric_utility_values(gnt_metric_utility *u, const float *y, const float *x, const int32_t *label,
                               size_t n, size_t outputs) {
    for (size_t i = 0; i < n; i++, y += outputs, x += outputs) {
        double sum = 0;
        size_t best = 0;
        for (size_t k = 0; k < outputs; k++) {
            sum += ((double)y[k] - (double)x[k]) * ((double)y[k] - (double)x[k]);
            best = x[k] > x[best] ? k : best;
        }
        add(u, outputs ? sum / (double)outputs : NAN, label && (int64_t)best == label[i]);
    }
}

void gnt_metric_utility_map(gnt_metric_utility *u, const float *y, const float *z, size_t n, size_t outputs) {
    for (size_t i = 0; i < n; i++, y += outputs, z += outputs) {
        double sum = 0;
        for (size_t k = 0; k < outputs; k++)
            sum += fmax((double)z[k], 0) + log1p(exp(-fabs((double)z[k]))) - (double)y[k] * (double)z[k];
        add(u, outputs ? sum / (double)outputs : NAN, 0);
    }
}

gnt_metric_utility_result gnt_metric_utility_end(const gnt_metric_utility *u, int has_accuracy) {
    gnt_metric_utility_result w = {NAN, NAN, NAN, NAN};
    double n = (double)u->samples;
    if (u->samples == 0)
        return w;
    if (has_accuracy) {
        w.accuracy = (double)u->right / n;
        w.accuracy_error = sqrt(w.accuracy * (1 - w.accuracy) / n);
    }
    if (u->broken) {
        w.loss = INFINITY;
        return w;
    }
    w.loss = u->loss_sum / n;
    double variance = u->loss_squares / n - w.loss * w.loss;
    w.loss_error = u->samples > 1 && variance > 0 ? sqrt(variance / (n - 1)) : 0;
    return w;
}
