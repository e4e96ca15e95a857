#include "metric/floors.h"

#include <math.h>
#include <stdio.h>

#include "base/mem.h"

int gnt_metric_mean_image(float *mean, const gnt_metric_rows *rows, gnt_err *err) {
    if (rows->n == 0)
        return gnt_fail(err, "there are no images to take the mean of");
    double *sum = gnt_array(rows->features, sizeof *sum);
    float *x = gnt_array(rows->features, sizeof *x);
    int result = -1;
    if (!sum || !x) {
        gnt_fail(err, "out of memory for the mean of %zu images", rows->n);
        goto cleanup;
    }
    for (size_t r = 0; r < rows->n; r++) {
        rows->read(rows->context, r, x);
        for (size_t i = 0; i < rows->features; i++)
            sum[i] += fmin(fmax((double)x[i], 0), 1);
    }
    for (size_t i = 0; i < rows->features; i++)
        mean[i] = (float)(sum[i] / (double)rows->n);
    result = 0;
cleanup:
    gnt_free(sum);
    gnt_free(x);
    return result;
}

static void draw(gnt_metric_floor *out, const float *target, size_t t, gnt_metric_shape shape,
                 const gnt_metric_rows *rows, const gnt_key *key, float *x) {
    char name[48];
    snprintf(name, sizeof name, "floor of target %zu", t);
    gnt_stream s = gnt_stream_open(key, name);
    for (size_t i = 0; i < rows->features; i++)
        x[i] = (float)gnt_random_uniform(&s);
    out->random = gnt_metric_judge(target, x, shape);
    out->other_row = (size_t)gnt_random_below(&s, rows->n);
    rows->read(rows->context, out->other_row, x);
    out->other = gnt_metric_judge(target, x, shape);
}

/* One pass over the public rows for all targets; least: n_targets distances. */
static void find_nearest(gnt_metric_floor *out, const float *targets, size_t n_targets,
                         const gnt_metric_rows *rows, double *least, float *x) {
    for (size_t r = 0; r < rows->n; r++) {
        rows->read(rows->context, r, x);
        for (size_t t = 0; t < n_targets; t++) {
            double d = gnt_metric_mse(targets + t * rows->features, x, rows->features, NULL);
            if (r == 0 || d < least[t]) {
                least[t] = d;
                out[t].nearest_row = r;
            }
        }
    }
}

int gnt_metric_floors(gnt_metric_floor *out, const float *targets, size_t n_targets, gnt_metric_shape shape,
                      const gnt_metric_rows *public_rows, const float *mean, const gnt_key *key,
                      gnt_err *err) {
    size_t n = (size_t)shape.channels * (size_t)shape.height * (size_t)shape.width;
    if (public_rows->n == 0)
        return gnt_fail(err, "there are no public images to take floors from");
    if (public_rows->features != n)
        return gnt_fail(err, "public images have %zu entries and the targets %zu", public_rows->features, n);
    double *least = gnt_array(n_targets, sizeof *least);
    float *x = gnt_array(n, sizeof *x);
    int result = -1;
    if (!least || !x) {
        gnt_fail(err, "out of memory for the floors of %zu targets", n_targets);
        goto cleanup;
    }
    find_nearest(out, targets, n_targets, public_rows, least, x);
    for (size_t t = 0; t < n_targets; t++) {
        const float *target = targets + t * n;
        draw(&out[t], target, t, shape, public_rows, key, x);
        out[t].mean = gnt_metric_judge(target, mean, shape);
        public_rows->read(public_rows->context, out[t].nearest_row, x);
        out[t].nearest = gnt_metric_judge(target, x, shape);
    }
    result = 0;
cleanup:
    gnt_free(least);
    gnt_free(x);
    return result;
}
