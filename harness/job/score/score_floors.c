/* Floors of the reconstructions: what guesses without any observation score, judged as answers are. */
#include <math.h>

#include "base/mem.h"
#include "job/score/score.h"
#include "metric/floors.h"

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

/* Adds a baseline. counts: n flags, whether target i has a number. */
static void add_floor(gnt_named_floor *floors, size_t *n_floors, gnt_measure_id id,
                      const gnt_metric_floor *floor, const int *counts, int64_t n, pick_fn pick) {
    double random = 0, other = 0, mean = 0, nearest = 0, counted = 0;
    for (int64_t i = 0; i < n; i++)
        counted += counts[i];
    for (int64_t i = 0; i < n; i++) {
        if (!counts[i])
            continue;
        random += pick(&floor[i].random) / counted;
        other += pick(&floor[i].other) / counted;
        mean += pick(&floor[i].mean) / counted;
        nearest += pick(&floor[i].nearest) / counted;
    }
    if (counted == 0)
        return;
    const double found[GNT_FLOORS] = {[GNT_FLOOR_RANDOM] = random,
                                      [GNT_FLOOR_OTHER] = other,
                                      [GNT_FLOOR_MEAN] = mean,
                                      [GNT_FLOOR_NEAREST] = nearest};
    gnt_named_floor *out = &floors[(*n_floors)++];
    gnt_fields_clear(&gnt_floor_fields, out);
    out->measure = gnt_measure_of(id)->name;
    for (size_t f = 0; f < GNT_FLOORS; f++) {
        out->floor[f] = found[f];
        gnt_fields_mark(&gnt_floor_fields, out, &out->floor[f]);
    }
}

/* Computes the baselines of answers to larger sets. masks: of all rows that are judged; NULL: whole
 * images. Regions are assigned by themselves, which can only raise their baselines. */
static int floors_by_members(const score *s, gnt_metric_floor *floor, const uint8_t *masks,
                             const gnt_metric_rows *known, const float *mean, gnt_err *err) {
    const size_t plane = (size_t)s->shape.height * (size_t)s->shape.width;
    size_t *row = gnt_array((size_t)s->layout.rows, sizeof *row);
    double *mse = gnt_array((size_t)s->layout.rows, sizeof *mse);
    int rc = row && mse ? gnt_metric_nearest(row, mse, s->targets.x, masks, (size_t)s->layout.rows, s->shape,
                                             known, err)
                        : gnt_fail(err, "out of memory for the floors");
    for (int64_t j = 0; rc == 0 && j < s->layout.observations; j++) {
        size_t first = (size_t)score_first(s, j);
        gnt_metric_members set = {s->targets.x + first * known->features,
                                  masks ? masks + first * plane : NULL, (size_t)score_members(s, j),
                                  row + first, mse + first};
        rc = gnt_metric_floors_of_members(floor + j * s->layout.batch, (size_t)score_answers(s, j), &set,
                                          (size_t)(j * s->layout.batch), s->shape, known, mean,
                                          &s->request->key, err);
    }
    gnt_free(row);
    gnt_free(mse);
    return rc;
}

/* Adds the floors of whole images, or (masks) of what the targets' masks mark. */
static int add_floors_of(score *s, gnt_named_floor *floors, size_t *n, const uint8_t *masks, gnt_err *err) {
    static const struct {
        /* of whole samples and of regions; GNT_MEASURES: none */
        gnt_measure_id whole, region;
        pick_fn pick;
        int of_images; /* alone */
    } columns[] = {{GNT_MEASURE_MSE, GNT_MEASURE_REGION_MSE, pick_mse, 0},
                   {GNT_MEASURE_MSE255, GNT_MEASURES, pick_mse255, 0},
                   {GNT_MEASURE_PSNR, GNT_MEASURE_REGION_PSNR, pick_psnr, 0},
                   {GNT_MEASURE_SSIM, GNT_MEASURE_REGION_SSIM, pick_ssim, 1}};
    const score_table table = {s->public_data.x, (size_t)s->targets.view.features};
    gnt_metric_rows rows = score_rows(&table, (size_t)s->public_data.view.n);
    gnt_metric_floor *floor = gnt_array((size_t)s->layout.n, sizeof *floor);
    int *counts = gnt_array((size_t)s->layout.n, sizeof *counts);
    int rc = floor && counts ? 0 : gnt_fail(err, "out of memory for the floors");
    for (int64_t i = 0; rc == 0 && i < s->layout.n; i++)
        counts[i] = score_is_target(s, i) && (!masks || score_by_members(s) || score_has_region(s, i));
    if (rc == 0)
        rc = score_by_members(s) ? floors_by_members(s, floor, masks, &rows, s->mean, err)
                                 : gnt_metric_floors(floor, s->targets.x, masks, (size_t)s->layout.n,
                                                     s->shape, &rows, s->mean, &s->request->key, err);
    for (size_t i = 0; rc == 0 && i < sizeof columns / sizeof *columns; i++) {
        const gnt_measure_id id = masks ? columns[i].region : columns[i].whole;
        if (id != GNT_MEASURES && (!columns[i].of_images || s->is_image))
            add_floor(floors, n, id, floor, counts, s->layout.n, columns[i].pick);
    }
    gnt_free(counts);
    gnt_free(floor);
    return rc;
}

int score_image_floors(score *s, gnt_named_floor *floors, size_t *n, gnt_err *err) {
    return s->public_data.view.n < 1 ? 0 : add_floors_of(s, floors, n, NULL, err);
}

int score_region_floors(score *s, gnt_named_floor *floors, size_t *n, gnt_err *err) {
    return s->public_data.view.n < 1 || !s->targets.mask ? 0
                                                         : add_floors_of(s, floors, n, s->targets.mask, err);
}
