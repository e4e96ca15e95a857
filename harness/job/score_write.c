/* The numbers of a cell as JSON: each target, their summaries, and what they stand beside. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "job/score.h"
#include "metric/floors.h"
#include "metric/measure.h"
#include "metric/resample.h"
#include "tally/targets.h"

static json_t *number(double x) {
    return isfinite(x) ? json_real(x) : json_null();
}

/* The first entries of a client's vector; null: no answer. */
static json_t *entries_json(const score *s, const double *value) {
    enum { MOST_SHOWN = 8 };
    json_t *list = value ? json_array() : json_null();
    for (int64_t e = 0; value && e < s->entries && e < MOST_SHOWN; e++)
        json_array_append_new(list, number(value[e]));
    return list;
}

static json_t *targets_json(const score *s) {
    json_t *list = json_array();
    for (int64_t i = 0; i < s->n; i++) {
        const score_target *t = &s->target[i];
        json_t *one = json_pack("{s:I}", "id", (json_int_t)i);
        if (t->has_image) {
            json_object_set_new(one, "mse", number(t->image.mse));
            json_object_set_new(one, "mse255", number(t->image.mse255));
            json_object_set_new(one, "psnr", number(t->image.psnr));
            if (s->is_image)
                json_object_set_new(one, "ssim", number(t->image.ssim));
            for (int k = 0; k < SCORE_JUDGES; k++)
                if (s->judged[k])
                    json_object_set_new(one, score_judge_names[k], number(t->apart[k]));
            if (s->region.height) {
                json_object_set_new(one, "region_mse", number(t->region.mse));
                json_object_set_new(one, "region_psnr", number(t->region.psnr));
                json_object_set_new(one, "region_ssim", number(t->region.ssim));
            }
            json_object_set_new(one, "exact", json_boolean(t->image.exact));
            json_object_set_new(one, "broken", json_boolean(t->image.broken));
            json_object_set_new(one, "missing", json_boolean(t->image.missing));
            json_object_set_new(one, "identification", number(t->hit));
            json_object_set_new(one, "rank", number(t->rank));
        }
        if (t->has_label)
            json_object_set_new(one, "label_accuracy", number(t->label_right));
        if (t->has_attribute) {
            json_object_set_new(one, "attribute_accuracy", number(t->attribute_right));
            json_object_set_new(one, "attribute_truth", json_integer(t->attribute_truth));
            json_object_set_new(one, "attribute_told", json_integer(t->attribute_told));
        }
        if (t->has_contribution) {
            json_object_set_new(one, "contribution_error", number(t->contribution_error));
            json_object_set_new(one, "contribution_truth", entries_json(s, t->contribution_truth));
            json_object_set_new(one, "contribution_told", entries_json(s, t->contribution_told));
        }
        json_array_append_new(list, one);
    }
    return list;
}

static int add_attribute_rates(score *s, json_t *measures, json_t *chance, gnt_err *err) {
    gnt_metric_confusion seen;
    gnt_metric_chance beside;
    gnt_metric_bootstrap interval;
    gnt_metric_resample how = {.key = gnt_key_derive(&s->key, "attribute_balanced")};
    size_t k = (size_t)s->attribute_values;
    int64_t *counts = gnt_array(k, sizeof *counts);
    if (!counts)
        return gnt_fail(err, "out of memory for the attribute's values");
    int32_t n = s->clients.view.n_attributes;
    for (int64_t i = 0; i < s->clients.view.n; i++)
        counts[s->clients.a[i * n + s->attribute]]++;
    int rc = gnt_metric_confusion_make(&seen, s->attribute_truth, s->attribute_told, (size_t)s->observations,
                                       s->attribute_values, err);
    if (rc == 0) {
        rc = gnt_metric_beside_chance(&beside, &seen, NULL, counts, err);
        gnt_metric_confusion_free(&seen);
    }
    if (rc == 0)
        rc = gnt_metric_bootstrap_balanced(&interval, s->attribute_truth, s->attribute_told, NULL,
                                           (size_t)s->observations, &how, err);
    if (rc == 0) {
        double balanced = beside.attacker.balanced;
        json_object_set_new(
            measures, "attribute_balanced",
            gnt_measure_stat_whole(balanced, balanced, interval.low, interval.high, (size_t)s->observations));
        double plain = fmax(beside.majority.plain, beside.constant.plain);
        json_object_set_new(chance, "attribute_accuracy", number(plain));
        json_object_set_new(chance, "attribute_balanced", number(beside.constant.balanced));
    }
    gnt_free(counts);
    return rc;
}

/* The order of clients belongs to the cell as a whole. */
static void add_contribution(const score *s, json_t *measures, json_t *chance) {
    double r = s->contribution_rank;
    if (isfinite(r))
        json_object_set_new(measures, "contribution_rank", gnt_measure_stat_whole(r, r, r, r, (size_t)s->n));
    json_object_set_new(chance, "contribution_error", number(s->contribution_blind));
    json_object_set_new(chance, "contribution_rank", number(0));
}

static void add_label_chance(const score *s, json_t *chance) {
    int64_t most = 0;
    for (int32_t c = 0; c < s->targets.view.classes; c++) {
        int64_t count = 0;
        for (int64_t i = 0; i < s->n; i++)
            count += s->targets.label[i] == c;
        if (count > most)
            most = count;
    }
    json_object_set_new(chance, "label_accuracy", number((double)most / (double)s->n));
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

/* Floors of n targets of one shape beside n_public images of it, under names that begin with `prefix`. */
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
        rc = gnt_metric_floors(floor, targets, (size_t)s->n, shape, &rows, mean, &s->key, err);
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

static int add_floors(score *s, json_t *floors, json_t *chance, gnt_err *err) {
    json_object_set_new(chance, "identification", number(s->candidates ? 1.0 / (double)s->candidates : NAN));
    if (s->public_data.view.n < 1)
        return 0;
    int rc = add_floors_of(s, floors, "", s->targets.x, s->shape, s->public_data.x, err);
    if (rc != 0 || !s->region.height)
        return rc;
    float *targets = NULL, *known = NULL;
    const gnt_metric_shape shape = {s->shape.channels, s->region.height, s->region.width};
    rc = score_crop(s, s->targets.x, s->n, &targets, err);
    if (rc == 0)
        rc = score_crop(s, s->public_data.x, s->public_data.view.n, &known, err);
    if (rc == 0)
        rc = add_floors_of(s, floors, "region_", targets, shape, known, err);
    gnt_free(targets);
    gnt_free(known);
    return rc;
}

/* Cost curves of the answer, checked: [[restart, step, cost], …] for each observation, grouped by restart. */
static json_t *convergence_json(const score *s) {
    enum { MOST_TARGETS = 64, MOST_POINTS = 512 };
    json_t *list = json_array(), *all = json_loads(s->answer.metadata ? s->answer.metadata : "", 0, NULL);
    const json_t *targets = json_object_get(all, "targets");
    for (size_t j = 0; j < json_array_size(targets) && j < MOST_TARGETS; j++) {
        const json_t *costs = json_object_get(json_array_get(targets, j), "costs");
        json_t *points = NULL;
        json_int_t restart = -1;
        for (size_t i = 0; i < json_array_size(costs) && i < MOST_POINTS; i++) {
            const json_t *point = json_array_get(costs, i), *cost = json_array_get(point, 2);
            json_int_t r = json_integer_value(json_array_get(point, 0));
            if (!json_is_number(cost) || !isfinite(json_number_value(cost)))
                continue;
            if (!points || r != restart) {
                points = json_array();
                json_array_append_new(list, json_pack("{s:I, s:I, s:o}", "target", (json_int_t)j, "restart",
                                                      r, "points", points));
                restart = r;
            }
            json_array_append_new(points, json_pack("[I, f]", json_integer_value(json_array_get(point, 1)),
                                                    json_number_value(cost)));
        }
    }
    json_decref(all);
    return list;
}

/* Why a measure that was asked for has no number. */
static json_t *unmeasured_json(const score *s) {
    json_t *out = json_object();
    for (int k = 0; k < SCORE_JUDGES; k++)
        if (s->unjudged[k][0])
            json_object_set_new(out, score_judge_names[k], json_string(s->unjudged[k]));
    return out;
}

static void add_judge_floors(const score *s, json_t *floors) {
    for (int k = 0; k < SCORE_JUDGES; k++)
        if (s->judged[k])
            json_object_set_new(floors, score_judge_names[k],
                                json_pack("{s:o}", "mean_image", number(s->mean_apart[k])));
}

int score_write(score *s, gnt_err *err) {
    json_t *targets = targets_json(s), *measures = json_object(), *floors = json_object(),
           *chance = json_object();
    gnt_st st;
    gnt_st_init(&st);
    int rc = gnt_targets_measures(measures, targets, &s->key, err);
    if (rc == 0 && s->target[0].has_contribution)
        add_contribution(s, measures, chance);
    if (rc == 0 && s->attribute_truth)
        rc = add_attribute_rates(s, measures, chance, err);
    if (rc == 0 && s->target[0].has_label)
        add_label_chance(s, chance);
    if (rc == 0 && s->target[0].has_image)
        rc = add_floors(s, floors, chance, err);
    add_judge_floors(s, floors);
    json_t *all = json_pack("{s:o, s:o, s:o, s:o, s:o, s:O, s:o}", "targets", targets, "measures", measures,
                            "floors", floors, "chance", chance, "convergence", convergence_json(s), "facts",
                            s->facts, "unmeasured", unmeasured_json(s));
    char *text = rc == 0 ? json_dumps(all, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
    if (rc == 0)
        rc = text ? gnt_st_set_metadata(&st, text, err) : gnt_fail(err, "out of memory for the scores");
    if (rc == 0)
        rc = s->work->write(s->work->context, "score", &st, err);
    gnt_free(text);
    json_decref(all);
    gnt_st_free(&st);
    return rc;
}
