#include "shared/attribute/pool.h"

#include <math.h>
#include <string.h>

int64_t attr_update_size(const gnt_views *update) {
    int64_t size = 0;
    for (int64_t k = 0; k < update->n; k++)
        size += update->view[k].count;
    return size;
}

void attr_flatten(const gnt_views *update, float *out) {
    for (int64_t k = 0; k < update->n; k++) {
        memcpy(out, update->view[k].data, (size_t)update->view[k].count * sizeof *out);
        out += update->view[k].count;
    }
}

void attr_mean_representation(const gnt_view *of, int64_t n, float *out) {
    const int64_t width = of->count / n;
    for (int64_t k = 0; k < width; k++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++)
            sum += (double)of->data[i * width + k];
        out[k] = (float)(sum / (double)n);
    }
}

static const gnt_view *representation_of(const gnt_observation *seen) {
    const gnt_views *r = seen->surface == GNT_SURFACE_REPRESENTATION ? seen->representation : NULL;
    return r && r->n == 1 && seen->n > 0 ? r->view : NULL;
}

/* Returns the entries of one stage. */
static int64_t size_of(const gnt_observation *seen) {
    const gnt_view *r = representation_of(seen);
    return r ? r->count / seen->n : seen->update ? attr_update_size(seen->update) : 0;
}

static void flatten(const gnt_observation *seen, float *out) {
    const gnt_view *r = representation_of(seen);
    if (r)
        attr_mean_representation(r, seen->n, out);
    else
        attr_flatten(seen->update, out);
}

int64_t attr_earlier(const gnt_observation *o) {
    return o->granted & GNT_KNOWS_SHADOW_OBS ? 0 : o->n_history;
}

int64_t attr_seen_size(const gnt_observation *seen) {
    int64_t size = size_of(seen);
    for (int64_t k = 0; k < attr_earlier(seen); k++) {
        const int64_t then = size_of(seen->history[k]);
        if (then < 1)
            return 0;
        size += then;
    }
    return size;
}

void attr_seen_flatten(const gnt_observation *seen, float *out) {
    for (int64_t k = 0; k < attr_earlier(seen); k++) {
        flatten(seen->history[k], out);
        out += size_of(seen->history[k]);
    }
    flatten(seen, out);
}

int64_t attr_tensors_size(const gnt_tensors *update) {
    int64_t size = 0;
    for (int64_t k = 0; k < update->n; k++)
        size += update->tensor[k].count;
    return size;
}

void attr_flatten_tensors(const gnt_tensors *update, float *out) {
    for (int64_t k = 0; k < update->n; k++) {
        memcpy(out, update->tensor[k].data, (size_t)update->tensor[k].count * sizeof *out);
        out += update->tensor[k].count;
    }
}

int64_t attr_pooled_size(int64_t update_size, int64_t window) {
    return update_size / window + (update_size % window != 0);
}

int64_t attr_window(int64_t window, int64_t inputs, int64_t update_size) {
    return window ? window : attr_pooled_size(update_size > 0 ? update_size : 1, inputs);
}

void attr_pool(const float *update, int64_t size, int64_t window, float *out, int64_t *where) {
    for (int64_t j = 0, from = 0; from < size; j++, from += window) {
        int64_t to = size - from < window ? size : from + window, most = from;
        /* a NaN is never greater, and remains if it is the first */
        for (int64_t i = from + 1; i < to; i++)
            if (update[i] > update[most] || isnan(update[most]))
                most = i;
        out[j] = isnan(update[most]) ? -INFINITY : update[most];
        if (where)
            where[j] = most;
    }
}

void attr_statistics(const float *x, int64_t columns, const int32_t *row, int64_t rows, float *mean,
                     float *scale) {
    for (int64_t j = 0; j < columns; j++) {
        double sum = 0, squares = 0, n = 0;
        for (int64_t i = 0; i < rows; i++)
            if (isfinite(x[row[i] * columns + j])) {
                sum += (double)x[row[i] * columns + j];
                n++;
            }
        double middle = n > 0 ? sum / n : 0;
        for (int64_t i = 0; i < rows; i++)
            if (isfinite(x[row[i] * columns + j])) {
                double d = (double)x[row[i] * columns + j] - middle;
                squares += d * d;
            }
        double deviation = n > 0 ? sqrt(squares / n) : 0;
        /* float32 does not resolve a smaller deviation; 1/deviation must be a float too */
        int varies = deviation > 1e-7 * fabs(middle) && deviation > 1e-37;
        mean[j] = (float)middle;
        scale[j] = varies ? (float)(1 / deviation) : 0;
    }
}

void attr_standardise(float *x, int64_t columns, const float *mean, const float *scale) {
    for (int64_t j = 0; j < columns; j++) {
        float z = (x[j] - mean[j]) * scale[j];
        x[j] = !isfinite(x[j]) || z != z ? 0 : z > 10 ? 10 : z < -10 ? -10 : z;
    }
}
