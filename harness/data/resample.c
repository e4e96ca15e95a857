#include "data/resample.h"

#include <math.h>

#include "base/mem.h"

enum { FRACTION = 22 };

/* What each pixel of a line after the step is made of: its weights[i × most …], count[i] of them, for the
 * pixels from first[i] on. */
typedef struct kernel {
    int most;
    int *first, *count;
    int32_t *weight;
} kernel;

static void kernel_free(kernel *k) {
    gnt_free(k->first);
    gnt_free(k->count);
    gnt_free(k->weight);
}

static double box(double x) {
    return x > -0.5 && x <= 0.5 ? 1 : 0;
}

static double triangle(double x) {
    return fabs(x) < 1 ? 1 - fabs(x) : 0;
}

static int kernel_make(kernel *k, const char *path, int before, int after, int filter, gnt_err *err) {
    const double scale = (double)before / after, wider = scale > 1 ? scale : 1, per = 1 / wider,
                 reach = (filter == DATA_BOX ? 0.5 : 1) * wider;
    k->most = 2 * (int)ceil(reach) + 1;
    k->first = gnt_array((size_t)after, sizeof *k->first);
    k->count = gnt_array((size_t)after, sizeof *k->count);
    k->weight = gnt_array((size_t)after, (size_t)k->most * sizeof *k->weight);
    double *real = gnt_array((size_t)k->most, sizeof *real);
    if (!k->first || !k->count || !k->weight || !real) {
        gnt_free(real);
        return gnt_fail(err, "%s: out of memory for resizing", path);
    }
    for (int i = 0; i < after; i++) {
        const double centre = (i + 0.5) * scale;
        int from = (int)(centre - reach + 0.5), to = (int)(centre + reach + 0.5);
        double sum = 0;
        from = from < 0 ? 0 : from;
        to = to > before ? before : to;
        k->first[i] = from;
        k->count[i] = to - from;
        for (int j = 0; j < to - from; j++) {
            const double x = (j + from - centre + 0.5) * per;
            real[j] = filter == DATA_BOX ? box(x) : triangle(x);
            sum += real[j];
        }
        for (int j = 0; j < to - from; j++) /* no weight is negative: 1/2 rounds to the nearest */
            k->weight[(size_t)i * (size_t)k->most + (size_t)j] =
                (int32_t)(0.5 + (sum > 0 ? real[j] / sum : 0) * (1 << FRACTION));
    }
    gnt_free(real);
    return 0;
}

/* Makes pixel i of a line; `stride` is from pixel to pixel, in bytes. */
static uint8_t weighted(const kernel *k, int i, const uint8_t *line, size_t stride) {
    const int32_t *weight = k->weight + (size_t)i * (size_t)k->most;
    int64_t sum = 1 << (FRACTION - 1);
    line += (size_t)k->first[i] * stride;
    for (int j = 0; j < k->count[i]; j++)
        sum += (int64_t)weight[j] * line[(size_t)j * stride];
    sum >>= FRACTION;
    return (uint8_t)(sum > 255 ? 255 : sum);
}

static int resize_rows(data_bitmap *p, const char *path, int wide, int filter, gnt_err *err) {
    kernel k = {0};
    data_bitmap out = {.wide = 0};
    int rc = kernel_make(&k, path, p->wide, wide, filter, err);
    if (rc == 0)
        rc = data_bitmap_make(&out, path, wide, p->high, p->channels, err);
    for (int y = 0; rc == 0 && y < p->high; y++)
        for (int x = 0; x < wide; x++)
            for (int c = 0; c < p->channels; c++)
                out.at[((size_t)y * (size_t)wide + (size_t)x) * (size_t)p->channels + (size_t)c] =
                    weighted(&k, x, p->at + (size_t)y * (size_t)p->wide * (size_t)p->channels + c,
                             (size_t)p->channels);
    kernel_free(&k);
    if (rc == 0) {
        data_bitmap_free(p);
        *p = out;
    }
    return rc;
}

static int resize_columns(data_bitmap *p, const char *path, int high, int filter, gnt_err *err) {
    const size_t row = (size_t)p->wide * (size_t)p->channels;
    kernel k = {0};
    data_bitmap out = {.wide = 0};
    int rc = kernel_make(&k, path, p->high, high, filter, err);
    if (rc == 0)
        rc = data_bitmap_make(&out, path, p->wide, high, p->channels, err);
    for (int y = 0; rc == 0 && y < high; y++)
        for (size_t x = 0; x < row; x++)
            out.at[(size_t)y * row + x] = weighted(&k, y, p->at + x, row);
    kernel_free(&k);
    if (rc == 0) {
        data_bitmap_free(p);
        *p = out;
    }
    return rc;
}

int data_bitmap_resize(data_bitmap *p, const char *path, int wide, int high, int filter, gnt_err *err) {
    if (wide != p->wide && resize_rows(p, path, wide, filter, err))
        return -1;
    return high != p->high ? resize_columns(p, path, high, filter, err) : 0;
}
