/* The sensitive region by itself: the same measures on the rectangle that the task names. */
#include <string.h>

#include "base/mem.h"
#include "job/score.h"

static gnt_metric_shape shape_of(const score *s) {
    return (gnt_metric_shape){s->shape.channels, s->region.height, s->region.width};
}

static void crop(const score *s, const float *image, float *out) {
    for (int64_t c = 0; c < s->shape.channels; c++)
        for (int64_t y = 0; y < s->region.height; y++) {
            memcpy(out, image + (c * s->shape.height + s->region.top + y) * s->shape.width + s->region.left,
                   (size_t)s->region.width * sizeof *out);
            out += s->region.width;
        }
}

int score_crop(const score *s, const float *images, int64_t n, float **out, gnt_err *err) {
    gnt_metric_shape shape = shape_of(s);
    int64_t f = shape.channels * shape.height * shape.width;
    *out = gnt_array((size_t)(n * f), sizeof **out);
    if (!*out)
        return gnt_fail(err, "out of memory for the regions of %lld images", (long long)n);
    for (int64_t i = 0; i < n; i++)
        crop(s, images + i * s->targets.view.features, *out + i * f);
    return 0;
}

/* Which answer belongs to which target was settled by the whole images. */
int score_regions(score *s, gnt_err *err) {
    gnt_metric_shape shape = shape_of(s);
    size_t f = (size_t)(shape.channels * shape.height * shape.width);
    float *both = gnt_array(2 * f, sizeof *both);
    if (!both)
        return gnt_fail(err, "out of memory for a region");
    for (int64_t i = 0; i < s->n; i++) {
        score_target *t = &s->target[i];
        t->region = gnt_metric_no_answer();
        if (!t->recovered)
            continue;
        crop(s, score_truth(s, i), both);
        crop(s, t->recovered, both + f);
        t->region = gnt_metric_judge(both, both + f, shape);
    }
    gnt_free(both);
    return 0;
}
