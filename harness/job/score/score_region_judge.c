/* LPIPS of sensitive regions: of the box around each image's region. The networks take no image as small as a
 * word, so a box is enlarged, each pixel to a square, by the least whole factor that makes its shorter side
 * LEAST pixels. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "job/score/score.h"

enum { LEAST = 32 };

typedef struct region_judge {
    gnt_metric_shape shape; /* that `network` and the two images below are made for */
    gnt_features *network;
    float *truth, *other;
    int64_t factor;
    gnt_metric_box box;
} region_judge;

static void close_judge(region_judge *j) {
    gnt_features_free(j->network);
    gnt_free(j->truth);
    gnt_free(j->other);
    *j = (region_judge){0};
}

/* Opens a network for the region of a row of the targets; keeps the present one if it has the same shape. */
static int open_judge(region_judge *j, const score *s, int64_t row, gnt_lpips_net net, const gnt_st *weights,
                      gnt_err *err) {
    const gnt_metric_box box = gnt_metric_box_of(score_mask(s, row), s->shape.height, s->shape.width);
    const int64_t side = box.height < box.width ? box.height : box.width,
                  factor = side < LEAST ? (LEAST + side - 1) / side : 1;
    const gnt_metric_shape shape = {s->shape.channels, factor * box.height, factor * box.width};
    const size_t n = (size_t)(shape.channels * shape.height * shape.width);
    if (!j->network || memcmp(&shape, &j->shape, sizeof shape) != 0) {
        close_judge(j);
        j->shape = shape;
        j->truth = gnt_array(n, sizeof *j->truth);
        j->other = gnt_array(n, sizeof *j->other);
        if (!j->truth || !j->other)
            return gnt_fail(err, "out of memory for a region of %zu entries", n);
        if (gnt_lpips_new(&j->network, net, weights, gnt_lpips_names[net], shape, sizeof(float), err) != 0)
            return -1;
    }
    j->box = box;
    j->factor = factor;
    return 0;
}

static void enlarge(const region_judge *j, const score *s, const float *image, float *out) {
    for (int64_t c = 0; c < s->shape.channels; c++)
        for (int64_t y = 0; y < j->shape.height; y++)
            for (int64_t x = 0; x < j->shape.width; x++)
                *out++ = image[(c * s->shape.height + j->box.top + y / j->factor) * s->shape.width +
                               j->box.left + x / j->factor];
}

static double distance(const region_judge *j, const score *s, const float *image) {
    enlarge(j, s, image, j->other);
    return gnt_features_distance(j->network, j->truth, j->other);
}

int score_judge_regions(score *s, gnt_lpips_net net, const gnt_st *weights, gnt_err *err) {
    region_judge j = {0};
    double sum = 0;
    int64_t n = 0;
    int rc = 0;
    for (int64_t i = 0; rc == 0 && i < s->layout.n; i++) {
        score_target *t = &s->target[i];
        const int whole = t->recovered && !t->image.broken && !t->image.missing;
        if (!t->has_region)
            continue;
        rc = open_judge(&j, s, score_truth_row(s, i), net, weights, err);
        if (rc != 0)
            break;
        enlarge(&j, s, score_truth(s, i), j.truth);
        const double d = whole ? distance(&j, s, t->recovered) : NAN;
        t->region_distance[net] = isfinite(d) ? d : gnt_features_worst(j.network, j.truth);
        sum += s->mean ? distance(&j, s, s->mean) : NAN;
        n++;
    }
    s->region_judges.judged[net] = rc == 0 && n > 0;
    s->region_judges.mean[net] = n ? sum / (double)n : NAN;
    close_judge(&j);
    return rc;
}
