/* Floors of the reconstructions: what guesses without any observation score, judged as answers are. */
#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "job/score.h"
#include "metric/floors.h"

static json_t *number(double x) {
    return isfinite(x) ? json_real(x) : json_null();
}

typedef double (*pick_fn)(const gnt_metric_image *image);
static double pick_mse(const gnt_metric_image *i) {
    return i->mse;
}
static double pick_mse255(const gnt_metric_image *i) {
    return i->mse255;
}
static double pick_psnr(const gnt_metric_image *i) {
    return i->psnr;
}
static double pick_ssim(const gnt_metric_image *i) {
    return i->ssim;
}

static void add_floor(json_t *floors, const char *name, const gnt_metric_floor *floor, int64_t n,
                      pick_fn pick) {
    double random = 0, other = 0, mean = 0, nearest = 0;
    for (int64_t i = 0; i < n; i++) {
        random += pick(&floor[i].random) / (double)n;
        other += pick(&floor[i].other) / (double)n;
        mean += pick(&floor[i].mean) / (double)n;
        nearest += pick(&floor[i].nearest) / (double)n;
    }
    json_object_set_new(floors, name,
                        json_pack("{s:o, s:o, s:o, s:o}", "random", number(random), "other", number(other),
                                  "mean_image", number(mean), "nearest_public", number(nearest)));
}

/* x: all rows that are judged. A rectangle is assigned by itself, which can only raise its floors. */
static int floors_by_members(const score *s, gnt_metric_floor *floor, const float *x, gnt_metric_shape shape,
                             const gnt_metric_rows *known, const float *mean, gnt_err *err) {
    size_t *row = gnt_array((size_t)s->rows, sizeof *row);
    double *mse = gnt_array((size_t)s->rows, sizeof *mse);
    int rc = row && mse ? gnt_metric_nearest(row, mse, x, (size_t)s->rows, known, err)
                        : gnt_fail(err, "out of memory for the floors");
    for (int64_t j = 0; rc == 0 && j < s->observations; j++) {
        size_t first = (size_t)score_first(s, j);
        gnt_metric_members set = {x + first * known->features, (size_t)s->members, row + first, mse + first};
        rc = gnt_metric_floors_of_members(floor + j * s->batch, (size_t)s->batch, &set,
                                          (size_t)(j * s->batch), shape, known, mean, &s->key, err);
    }
    gnt_free(row);
    gnt_free(mse);
    return rc;
}

/* Floors of the targets of one shape beside public images of it, under names that begin with `prefix`. */
static int add_floors_of(score *s, json_t *floors, const char *prefix, const float *targets,
                         gnt_metric_shape shape, const float *public_x, gnt_err *err) {
    static const struct {
        const char *name;
        pick_fn pick;
        int whole, image; /* only of whole samples, only of images */
    } columns[] = {{"mse", pick_mse, 0, 0},
                   {"mse255", pick_mse255, 1, 0},
                   {"psnr", pick_psnr, 0, 0},
                   {"ssim", pick_ssim, 0, 1}};
    size_t f = (size_t)(shape.channels * shape.height * shape.width);
    score_table table = {public_x, f};
    gnt_metric_rows rows = score_rows(&table, (size_t)s->public_data.view.n);
    float *mean = gnt_array(f, sizeof *mean);
    gnt_metric_floor *floor = gnt_array((size_t)s->n, sizeof *floor);
    int rc = mean && floor ? 0 : gnt_fail(err, "out of memory for the floors");
    if (rc == 0)
        rc = gnt_metric_mean_image(mean, &rows, err);
    if (rc == 0)
        rc = score_by_members(s)
                 ? floors_by_members(s, floor, targets, shape, &rows, mean, err)
                 : gnt_metric_floors(floor, targets, (size_t)s->n, shape, &rows, mean, &s->key, err);
    for (size_t i = 0; rc == 0 && i < sizeof columns / sizeof *columns; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s%s", prefix, columns[i].name);
        if ((!columns[i].whole || !*prefix) && (!columns[i].image || s->is_image))
            add_floor(floors, name, floor, s->n, columns[i].pick);
    }
    gnt_free(mean);
    gnt_free(floor);
    return rc;
}

int score_floors(score *s, json_t *floors, json_t *chance, gnt_err *err) {
    /* whichever member of a set is the nearest, it is the one that the answer is assigned to */
    double right = score_by_members(s) ? (double)s->members : 1;
    json_object_set_new(chance, "identification",
                        number(s->candidates ? right / (double)s->candidates : NAN));
    if (s->public_data.view.n < 1)
        return 0;
    int rc = add_floors_of(s, floors, "", s->targets.x, s->shape, s->public_data.x, err);
    if (rc != 0 || !s->region.height)
        return rc;
    float *targets = NULL, *known = NULL;
    const gnt_metric_shape shape = {s->shape.channels, s->region.height, s->region.width};
    rc = score_crop(s, s->targets.x, s->rows, &targets, err);
    if (rc == 0)
        rc = score_crop(s, s->public_data.x, s->public_data.view.n, &known, err);
    if (rc == 0)
        rc = add_floors_of(s, floors, "region_", targets, shape, known, err);
    gnt_free(targets);
    gnt_free(known);
    return rc;
}
