#include "metric/floors.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"

int gnt_metric_mean_image(float *mean, const gnt_metric_rows *rows, gnt_err *err) {
    if (rows->n == 0)
        return gnt_fail(err, "there are no images to take the mean of");
    double *sum = gnt_array(rows->features, sizeof *sum);
    float *x = gnt_array(rows->features, sizeof *x);
    const int rc = sum && x ? 0 : gnt_fail(err, "out of memory for the mean of %zu images", rows->n);
    for (size_t r = 0; rc == 0 && r < rows->n; r++) {
        rows->read(rows->context, r, x);
        for (size_t i = 0; i < rows->features; i++)
            sum[i] += fmin(fmax((double)x[i], 0), 1);
    }
    for (size_t i = 0; rc == 0 && i < rows->features; i++)
        mean[i] = (float)(sum[i] / (double)rows->n);
    gnt_free(sum);
    gnt_free(x);
    return rc;
}

/* Draws the guess for target t: uniform pixels, and the number of a public row. */
static size_t draw_guess(size_t t, const gnt_metric_rows *rows, const gnt_key *key, float *x) {
    char name[48];
    snprintf(name, sizeof name, "floor of target %zu", t);
    gnt_stream s = gnt_stream_open(key, name);
    for (size_t i = 0; i < rows->features; i++)
        x[i] = (float)gnt_random_uniform(&s);
    return (size_t)gnt_random_below(&s, rows->n);
}

static void draw(gnt_metric_floor *out, const float *target, const uint8_t *mask, size_t t,
                 gnt_metric_shape shape, const gnt_metric_rows *rows, const gnt_key *key, float *x) {
    out->other_row = draw_guess(t, rows, key, x);
    out->random = gnt_metric_judge_region(target, x, mask, shape);
    rows->read(rows->context, out->other_row, x);
    out->other = gnt_metric_judge_region(target, x, mask, shape);
}

/* Returns the mask of image t; NULL if there are none. */
static const uint8_t *mask_of(const uint8_t *masks, size_t t, gnt_metric_shape shape) {
    return masks ? masks + t * (size_t)shape.height * (size_t)shape.width : NULL;
}

/* Finds the nearest public rows of all targets in one pass; least: n_targets distances. */
static void find_nearest(size_t *row, double *least, const float *targets, const uint8_t *masks,
                         size_t n_targets, gnt_metric_shape shape, const gnt_metric_rows *rows, float *x) {
    for (size_t r = 0; r < rows->n; r++) {
        rows->read(rows->context, r, x);
        for (size_t t = 0; t < n_targets; t++) {
            double d = gnt_metric_mse_in(targets + t * rows->features, x, mask_of(masks, t, shape), shape);
            if (r == 0 || d < least[t]) {
                least[t] = d;
                row[t] = r;
            }
        }
    }
}

int gnt_metric_floors(gnt_metric_floor *out, const float *targets, const uint8_t *masks, size_t n_targets,
                      gnt_metric_shape shape, const gnt_metric_rows *public_rows, const float *mean,
                      const gnt_key *key, gnt_err *err) {
    size_t n = (size_t)shape.channels * (size_t)shape.height * (size_t)shape.width;
    if (public_rows->n == 0)
        return gnt_fail(err, "there are no public images to take floors from");
    if (public_rows->features != n)
        return gnt_fail(err, "public images have %zu entries and the targets %zu", public_rows->features, n);
    double *least = gnt_array(n_targets, sizeof *least);
    size_t *row = gnt_array(n_targets, sizeof *row);
    float *x = gnt_array(n, sizeof *x);
    const int rc =
        least && row && x ? 0 : gnt_fail(err, "out of memory for the floors of %zu targets", n_targets);
    if (rc == 0)
        find_nearest(row, least, targets, masks, n_targets, shape, public_rows, x);
    for (size_t t = 0; rc == 0 && t < n_targets; t++) {
        const float *target = targets + t * n;
        const uint8_t *mask = mask_of(masks, t, shape);
        out[t].nearest_row = row[t];
        draw(&out[t], target, mask, t, shape, public_rows, key, x);
        out[t].mean = gnt_metric_judge_region(target, mean, mask, shape);
        public_rows->read(public_rows->context, out[t].nearest_row, x);
        out[t].nearest = gnt_metric_judge_region(target, x, mask, shape);
    }
    gnt_free(least);
    gnt_free(row);
    gnt_free(x);
    return rc;
}

int gnt_metric_nearest(size_t *row, double *least, const float *targets, const uint8_t *masks,
                       size_t n_targets, gnt_metric_shape shape, const gnt_metric_rows *public_rows,
                       gnt_err *err) {
    if (public_rows->n == 0)
        return gnt_fail(err, "there are no public images to take floors from");
    float *x = gnt_array(public_rows->features, sizeof *x);
    if (!x)
        return gnt_fail(err, "out of memory for the floors of %zu targets", n_targets);
    find_nearest(row, least, targets, masks, n_targets, shape, public_rows, x);
    gnt_free(x);
    return 0;
}

/* ---- guesses at a set ---- */

typedef struct guesses { /* n images, how they were judged, and against which members */
    size_t n, features;
    float *x;
    gnt_metric_image *image;
    int64_t *member;
} guesses;

static int judge_guesses(guesses *g, const gnt_metric_members *set, gnt_metric_shape shape, gnt_err *err) {
    return gnt_metric_judge_members(g->image, g->member, set->x, set->masks, set->m, g->x, g->n, shape, err);
}

static int judge_drawn(gnt_metric_floor *out, guesses *g, const gnt_metric_members *set, size_t first,
                       gnt_metric_shape shape, const gnt_metric_rows *rows, const gnt_key *key,
                       gnt_err *err) {
    for (size_t i = 0; i < g->n; i++)
        out[i].other_row = draw_guess(first + i, rows, key, g->x + i * g->features);
    if (judge_guesses(g, set, shape, err) != 0)
        return -1;
    for (size_t i = 0; i < g->n; i++) {
        out[i].random = g->image[i];
        rows->read(rows->context, out[i].other_row, g->x + i * g->features);
    }
    if (judge_guesses(g, set, shape, err) != 0)
        return -1;
    for (size_t i = 0; i < g->n; i++)
        out[i].other = g->image[i];
    return 0;
}

static int judge_mean(gnt_metric_floor *out, guesses *g, const gnt_metric_members *set, const float *mean,
                      gnt_metric_shape shape, gnt_err *err) {
    for (size_t i = 0; i < g->n; i++)
        memcpy(g->x + i * g->features, mean, g->features * sizeof *mean);
    if (judge_guesses(g, set, shape, err) != 0)
        return -1;
    for (size_t i = 0; i < g->n; i++)
        out[i].mean = g->image[i];
    return 0;
}

/* Judges the members in the order of their distance to their nearest public image; only the first n are
 * sorted. */
static void judge_nearest(gnt_metric_floor *out, guesses *g, const gnt_metric_members *set, size_t *order,
                          gnt_metric_shape shape, const gnt_metric_rows *rows) {
    for (size_t i = 0; i < set->m; i++)
        order[i] = i;
    for (size_t i = 0; i < g->n; i++) {
        size_t best = i;
        for (size_t k = i + 1; k < set->m; k++)
            if (set->nearest_mse[order[k]] < set->nearest_mse[order[best]])
                best = k;
        size_t t = order[best];
        order[best] = order[i];
        order[i] = t;
        out[i].nearest_row = set->nearest_row[t];
        rows->read(rows->context, out[i].nearest_row, g->x);
        out[i].nearest =
            gnt_metric_judge_region(set->x + t * g->features, g->x, mask_of(set->masks, t, shape), shape);
    }
}

int gnt_metric_floors_of_members(gnt_metric_floor *out, size_t n, const gnt_metric_members *set, size_t first,
                                 gnt_metric_shape shape, const gnt_metric_rows *public_rows,
                                 const float *mean, const gnt_key *key, gnt_err *err) {
    gnt_arena a = {0};
    size_t *order = gnt_arena_array(&a, set->m, sizeof *order);
    guesses g = {.n = n, .features = public_rows->features};
    g.x = gnt_arena_array(&a, n * g.features, sizeof *g.x);
    g.image = gnt_arena_array(&a, n, sizeof *g.image);
    g.member = gnt_arena_array(&a, n, sizeof *g.member);
    int rc = a.failed ? gnt_fail(err, "out of memory for the floors of %zu guesses", n) : 0;
    if (rc == 0)
        rc = judge_drawn(out, &g, set, first, shape, public_rows, key, err);
    if (rc == 0)
        rc = judge_mean(out, &g, set, mean, shape, err);
    if (rc == 0)
        judge_nearest(out, &g, set, order, shape, public_rows);
    gnt_arena_free(&a);
    return rc;
}
