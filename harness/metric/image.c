#include "metric/image.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "metric/assign_impl.h"

enum { WINDOW = 11 };
static const double window_deviation = 1.5;
static const double c1 = 0.01 * 0.01, c2 = 0.03 * 0.03; /* (K L)², L = 1 */

static double clamped(float x) {
    return x < 0 ? 0 : x > 1 ? 1 : (double)x;
}

static size_t entries(gnt_metric_shape s) {
    return (size_t)s.channels * (size_t)s.height * (size_t)s.width;
}

double gnt_metric_mse(const float *a, const float *b, size_t n, int *broken) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(a[i]) || !isfinite(b[i])) {
            if (broken)
                *broken = 1;
            return 1;
        }
        double d = clamped(a[i]) - clamped(b[i]);
        sum += d * d;
    }
    if (broken)
        *broken = 0;
    return sum / (double)n;
}

double gnt_metric_psnr(double mse, int *exact) {
    double psnr = mse > 0 ? -10 * log10(mse) : GNT_METRIC_PSNR_CAP;
    int capped = psnr >= GNT_METRIC_PSNR_CAP;
    if (exact)
        *exact = capped;
    return capped ? GNT_METRIC_PSNR_CAP : psnr > 0 ? psnr : 0;
}

/* Fills w with the weights for a side of `length` entries and returns how many there are. */
static int64_t window_for(int64_t length, double w[WINDOW]) {
    int64_t n = length >= WINDOW ? WINDOW : length % 2 ? length : length - 1;
    double sum = 0;
    if (n < 1)
        n = 1;
    for (int64_t i = 0; i < n; i++) {
        double x = (double)(i - n / 2) / window_deviation;
        w[i] = exp(-0.5 * x * x);
        sum += w[i];
    }
    for (int64_t i = 0; i < n; i++)
        w[i] /= sum;
    return n;
}

typedef struct window2 {
    double row[WINDOW], column[WINDOW];
    int64_t rows, columns;
} window2;

/* Returns the SSIM index at one position; a and b point at the window's upper left corner. */
static double ssim_at(const float *a, const float *b, int64_t width, const window2 *w) {
    double ma = 0, mb = 0, aa = 0, bb = 0, ab = 0;
    for (int64_t y = 0; y < w->rows; y++)
        for (int64_t x = 0; x < w->columns; x++) {
            double weight = w->row[y] * w->column[x];
            double p = clamped(a[y * width + x]), q = clamped(b[y * width + x]);
            ma += weight * p;
            mb += weight * q;
            aa += weight * p * p;
            bb += weight * q * q;
            ab += weight * p * q;
        }
    double va = aa - ma * ma, vb = bb - mb * mb, cov = ab - ma * mb;
    va = va > 0 ? va : 0; /* rounding */
    vb = vb > 0 ? vb : 0;
    return (2 * ma * mb + c1) * (2 * cov + c2) / ((ma * ma + mb * mb + c1) * (va + vb + c2));
}

/* Returns the mean SSIM index over the box, in planes whose rows have `width` entries. */
static double ssim_channel(const float *a, const float *b, int64_t width, const gnt_metric_box *box,
                           const window2 *w) {
    const int64_t rows = box->height - w->rows + 1, columns = box->width - w->columns + 1;
    double sum = 0;
    a += box->top * width + box->left;
    b += box->top * width + box->left;
    for (int64_t y = 0; y < rows; y++)
        for (int64_t x = 0; x < columns; x++)
            sum += ssim_at(a + y * width + x, b + y * width + x, width, w);
    return sum / ((double)rows * (double)columns);
}

static int is_finite_in(const float *plane, int64_t width, const gnt_metric_box *box) {
    for (int64_t y = box->top; y < box->top + box->height; y++)
        for (int64_t x = box->left; x < box->left + box->width; x++)
            if (!isfinite(plane[y * width + x]))
                return 0;
    return 1;
}

static double ssim_in(const float *a, const float *b, gnt_metric_shape shape, const gnt_metric_box *box) {
    const int64_t plane = shape.height * shape.width;
    window2 w;
    double sum = 0;
    for (int64_t c = 0; c < shape.channels; c++)
        if (!is_finite_in(a + c * plane, shape.width, box) || !is_finite_in(b + c * plane, shape.width, box))
            return -1;
    w.rows = window_for(box->height, w.row);
    w.columns = window_for(box->width, w.column);
    for (int64_t c = 0; c < shape.channels; c++)
        sum += ssim_channel(a + c * plane, b + c * plane, shape.width, box, &w);
    return sum / (double)shape.channels;
}

gnt_metric_box gnt_metric_box_of(const uint8_t *mask, int64_t height, int64_t width) {
    int64_t top = height, bottom = -1, left = width, right = -1;
    for (int64_t y = 0; y < height; y++)
        for (int64_t x = 0; x < width; x++)
            if (mask[y * width + x]) {
                top = y < top ? y : top;
                bottom = y;
                left = x < left ? x : left;
                right = x > right ? x : right;
            }
    return bottom < 0 ? (gnt_metric_box){0} : (gnt_metric_box){top, left, bottom - top + 1, right - left + 1};
}

/* Returns the MSE over the marked pixels of all channels; 1 if one is not finite. */
static double masked_mse(const float *a, const float *b, const uint8_t *mask, gnt_metric_shape shape,
                         int *broken) {
    const size_t plane = (size_t)shape.height * (size_t)shape.width;
    double sum = 0;
    size_t n = 0;
    *broken = 0;
    for (size_t i = 0; i < entries(shape); i++) {
        if (!mask[i % plane])
            continue;
        if (!isfinite(a[i]) || !isfinite(b[i])) {
            *broken = 1;
            return 1;
        }
        const double d = clamped(a[i]) - clamped(b[i]);
        sum += d * d;
        n++;
    }
    return n ? sum / (double)n : 1;
}

double gnt_metric_mse_in(const float *a, const float *b, const uint8_t *mask, gnt_metric_shape shape) {
    int broken;
    return mask ? masked_mse(a, b, mask, shape, &broken) : gnt_metric_mse(a, b, entries(shape), NULL);
}

gnt_metric_image gnt_metric_no_answer(void) {
    return (gnt_metric_image){.mse = 1, .mse255 = 255.0 * 255.0, .ssim = -1, .missing = 1, .answer = -1};
}

gnt_metric_image gnt_metric_judge(const float *target, const float *answer, gnt_metric_shape shape) {
    return gnt_metric_judge_region(target, answer, NULL, shape);
}

gnt_metric_image gnt_metric_judge_region(const float *target, const float *answer, const uint8_t *mask,
                                         gnt_metric_shape shape) {
    const gnt_metric_box whole = {0, 0, shape.height, shape.width},
                         box = mask ? gnt_metric_box_of(mask, shape.height, shape.width) : whole;
    gnt_metric_image out = {0};
    out.mse = mask ? masked_mse(target, answer, mask, shape, &out.broken)
                   : gnt_metric_mse(target, answer, entries(shape), &out.broken);
    out.mse255 = out.mse * 255.0 * 255.0;
    out.psnr = gnt_metric_psnr(out.mse, &out.exact);
    out.ssim = box.height ? ssim_in(target, answer, shape, &box) : -1;
    return out;
}

/* Returns the answer for target t: of those assigned to it and to its exact copies, the one with the lowest
 * cost, -1 for none. One answer recovers every copy of a sample. */
static int64_t shared_answer(size_t t, const float *targets, size_t n_targets, size_t n,
                             const int64_t *chosen, const double *cost, size_t n_answers) {
    int64_t best = chosen[t];
    for (size_t u = 0; u < n_targets; u++)
        if (chosen[u] >= 0 &&
            (best < 0 || cost[t * n_answers + (size_t)chosen[u]] < cost[t * n_answers + (size_t)best]) &&
            memcmp(targets + t * n, targets + u * n, n * sizeof *targets) == 0)
            best = chosen[u];
    return best;
}

int gnt_metric_judge_batch(gnt_metric_image *out, const float *targets, size_t n_targets,
                           const float *answers, size_t n_answers, gnt_metric_shape shape, gnt_err *err) {
    if (n_answers > n_targets)
        return gnt_fail(
            err,
            "%zu images were answered for %zu targets: give at most one for each target, chosen without "
            "the truth",
            n_answers, n_targets);
    if (n_answers && n_targets > SIZE_MAX / n_answers)
        return gnt_fail(err, "%zu targets and %zu answers are too many to judge at once", n_targets,
                        n_answers);
    size_t n = entries(shape);
    double *cost = gnt_array(n_targets * n_answers, sizeof *cost);
    int64_t *chosen = gnt_array(n_targets, sizeof *chosen);
    int rc = cost && chosen ? 0 : gnt_fail(err, "out of memory while judging %zu images", n_targets);
    for (size_t t = 0; rc == 0 && t < n_targets; t++)
        for (size_t a = 0; a < n_answers; a++)
            cost[t * n_answers + a] = gnt_metric_mse(targets + t * n, answers + a * n, n, NULL);
    if (rc == 0)
        rc = gnt_metric_assign(chosen, cost, n_targets, n_answers, err);
    for (size_t t = 0; rc == 0 && t < n_targets; t++) {
        const int64_t best = shared_answer(t, targets, n_targets, n, chosen, cost, n_answers);
        if (best < 0) {
            out[t] = gnt_metric_no_answer();
            continue;
        }
        out[t] = gnt_metric_judge(targets + t * n, answers + (size_t)best * n, shape);
        out[t].answer = best;
    }
    gnt_free(cost);
    gnt_free(chosen);
    return rc;
}

int gnt_metric_judge_members(gnt_metric_image *out, int64_t *member, const float *members,
                             const uint8_t *masks, size_t m, const float *answers, size_t n,
                             gnt_metric_shape shape, gnt_err *err) {
    if (n > m)
        return gnt_fail(err, "%zu images were answered for a set of %zu", n, m);
    if (n && m > SIZE_MAX / n)
        return gnt_fail(err, "%zu members and %zu answers are too many to judge at once", m, n);
    const size_t f = entries(shape), plane = masks ? (size_t)shape.height * (size_t)shape.width : 0;
    double *cost = gnt_array(n * m, sizeof *cost);
    if (!cost)
        return gnt_fail(err, "out of memory while judging %zu images", n);
    for (size_t a = 0; a < n; a++)
        for (size_t t = 0; t < m; t++)
            cost[a * m + t] =
                gnt_metric_mse_in(members + t * f, answers + a * f, masks ? masks + t * plane : NULL, shape);
    int rc = gnt_metric_assign(member, cost, n, m, err);
    for (size_t a = 0; rc == 0 && a < n; a++) {
        const size_t t = (size_t)member[a];
        out[a] = gnt_metric_judge_region(members + t * f, answers + a * f, masks ? masks + t * plane : NULL,
                                         shape);
        out[a].answer = (int64_t)a;
    }
    gnt_free(cost);
    return rc;
}
