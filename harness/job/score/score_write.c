/* The numbers of a cell as JSON: each target, summaries, floors and chance. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "job/score/score.h"
#include "metric/measure.h"
#include "tally/targets.h"

/* The first entries of a client's vector; null: no answer. */
static json_t *entries_json(const score *s, const double *value) {
    enum { MOST_SHOWN = 8 };
    json_t *list = value ? json_array() : json_null();
    for (int64_t e = 0; value && e < s->sum.entries && e < MOST_SHOWN; e++)
        json_array_append_new(list, gnt_json_real(value[e]));
    return list;
}

static json_t *targets_json(const score *s) {
    json_t *list = json_array();
    for (int64_t i = 0; i < s->layout.n; i++) {
        const score_target *t = &s->target[i];
        json_t *one = json_pack("{s:I}", "id", (json_int_t)i);
        if (score_by_members(s)) /* none: nothing that is answered says which */
            json_object_set_new(one, "member",
                                !t->has_image || t->member < 0 ? json_null()
                                                               : json_integer((json_int_t)t->member));
        if (t->has_image) {
            json_object_set_new(one, "mse", gnt_json_real(t->image.mse));
            json_object_set_new(one, "mse255", gnt_json_real(t->image.mse255));
            json_object_set_new(one, "psnr", gnt_json_real(t->image.psnr));
            if (s->is_image)
                json_object_set_new(one, "ssim", gnt_json_real(t->image.ssim));
            for (int k = 0; k < SCORE_JUDGES; k++)
                if (s->judges.judged[k])
                    json_object_set_new(one, score_judge_names[k], gnt_json_real(t->distance[k]));
            if (s->targets.mask) { /* a sample that has no region has no number */
                json_object_set_new(one, "region_mse", gnt_json_real(t->has_region ? t->region.mse : NAN));
                json_object_set_new(one, "region_psnr", gnt_json_real(t->has_region ? t->region.psnr : NAN));
                json_object_set_new(one, "region_ssim", gnt_json_real(t->has_region ? t->region.ssim : NAN));
                for (int k = 0; k < GNT_LPIPS_NETS; k++)
                    if (s->region_judges.judged[k])
                        json_object_set_new(one, gnt_measure_of(gnt_region_lpips_measures[k])->name,
                                            gnt_json_real(t->has_region ? t->region_distance[k] : NAN));
            }
            json_object_set_new(one, "exact", json_boolean(t->image.exact));
            json_object_set_new(one, "broken", json_boolean(t->image.broken));
            json_object_set_new(one, "missing", json_boolean(t->image.missing));
            json_object_set_new(one, "identification", gnt_json_real(t->hit));
            json_object_set_new(one, "rank", gnt_json_real(t->rank));
        }
        if (t->has_label)
            json_object_set_new(one, "label_accuracy", gnt_json_real(t->label_share));
        if (t->has_attribute) {
            json_object_set_new(one, "attribute_accuracy", gnt_json_real(t->attribute_hit));
            json_object_set_new(one, "attribute_truth", json_integer(t->attribute_truth));
            json_object_set_new(one, "attribute_told", json_integer(t->attribute_answer));
            json_object_set_new(one, "attribute_renamed", json_integer(t->attribute_renamed));
        }
        if (t->has_contribution) {
            json_object_set_new(one, "contribution_error", gnt_json_real(t->contribution_error));
            json_object_set_new(one, "contribution_truth", entries_json(s, t->contribution_truth));
            json_object_set_new(one, "contribution_told", entries_json(s, t->contribution_answer));
        }
        json_array_append_new(list, one);
    }
    return list;
}

static int add_balanced(const score *s, gnt_measure_id id, const int32_t *told, json_t *measures,
                        gnt_err *err) {
    gnt_estimate balanced;
    const size_t n = (size_t)s->layout.observations;
    if (gnt_estimate_balanced(&balanced, s->attribute.truth, told, NULL, n, err) != 0)
        return -1;
    json_object_set_new(measures, gnt_measure_of(id)->name,
                        gnt_measure_stat_whole(&balanced, balanced.mean, n));
    return 0;
}

static int add_attribute_chance(const score *s, json_t *chance, gnt_err *err) {
    gnt_metric_confusion confusion;
    gnt_metric_chance beside;
    int64_t *counts = gnt_array((size_t)s->attribute.values, sizeof *counts);
    if (!counts)
        return gnt_fail(err, "out of memory for the attribute's values");
    int32_t n = s->clients.view.n_attributes;
    for (int64_t i = 0; i < s->clients.view.n; i++)
        counts[s->clients.a[i * n + s->attribute.index]]++;
    int rc = gnt_metric_confusion_make(&confusion, s->attribute.truth, s->attribute.answer,
                                       (size_t)s->layout.observations, s->attribute.values, err);
    if (rc == 0) {
        gnt_metric_with_chance(&beside, &confusion, counts);
        gnt_metric_confusion_free(&confusion);
        double plain = fmax(beside.majority.plain, beside.constant.plain);
        json_object_set_new(chance, "attribute_accuracy", gnt_json_real(plain));
        json_object_set_new(chance, "attribute_balanced", gnt_json_real(beside.constant.balanced));
        json_object_set_new(chance, "attribute_relabelled", gnt_json_real(beside.constant.balanced));
    }
    gnt_free(counts);
    return rc;
}

static int add_attribute_rates(const score *s, json_t *measures, json_t *chance, gnt_err *err) {
    if (add_balanced(s, GNT_MEASURE_ATTRIBUTE_BALANCED, s->attribute.answer, measures, err) != 0 ||
        add_balanced(s, GNT_MEASURE_ATTRIBUTE_RELABELLED, s->attribute.renamed, measures, err) != 0)
        return -1;
    return add_attribute_chance(s, chance, err);
}

/* The order of clients belongs to the cell as a whole. */
static void add_contribution(const score *s, json_t *measures, json_t *chance) {
    const gnt_estimate r = gnt_estimate_single(s->sum.rank);
    if (isfinite(r.mean))
        json_object_set_new(measures, "contribution_rank",
                            gnt_measure_stat_whole(&r, r.mean, (size_t)s->layout.n));
    json_object_set_new(chance, "contribution_error", gnt_json_real(s->sum.floor));
    json_object_set_new(chance, "contribution_rank", gnt_json_real(0));
}

static int add_label_chance(const score *s, json_t *chance, gnt_err *err) {
    double share = 0;
    int rc = score_label_chance(s, &share, err);
    json_object_set_new(chance, "label_accuracy", gnt_json_real(share));
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
        if (s->judges.unjudged[k][0])
            json_object_set_new(out, score_judge_names[k], json_string(s->judges.unjudged[k]));
    return out;
}

static void add_judge_floors(const score *s, json_t *floors) {
    for (int k = 0; k < SCORE_JUDGES; k++)
        if (s->judges.judged[k])
            json_object_set_new(floors, score_judge_names[k],
                                json_pack("{s:o}", "mean_image", gnt_json_real(s->judges.mean[k])));
    for (int k = 0; k < GNT_LPIPS_NETS; k++)
        if (s->region_judges.judged[k])
            json_object_set_new(floors, gnt_measure_of(gnt_region_lpips_measures[k])->name,
                                json_pack("{s:o}", "mean_image", gnt_json_real(s->region_judges.mean[k])));
}

int score_write(score *s, gnt_err *err) {
    json_t *targets = targets_json(s), *measures = json_object(), *floors = json_object(),
           *chance = json_object();
    gnt_st st;
    gnt_st_init(&st);
    int rc = gnt_targets_measures(measures, targets, err);
    if (rc == 0 && s->target[0].has_contribution)
        add_contribution(s, measures, chance);
    if (rc == 0 && s->attribute.truth)
        rc = add_attribute_rates(s, measures, chance, err);
    if (rc == 0 && s->target[0].has_label)
        rc = add_label_chance(s, chance, err);
    if (rc == 0 && s->target[0].has_image)
        rc = score_floors(s, floors, chance, err);
    add_judge_floors(s, floors);
    json_t *all = json_pack("{s:o, s:o, s:o, s:o, s:o, s:O, s:o}", "targets", targets, "measures", measures,
                            "floors", floors, "chance", chance, "convergence", convergence_json(s), "facts",
                            s->facts, "unmeasured", unmeasured_json(s));
    if (json_array_size(s->marks) > 0)
        json_object_set(all, "marks", s->marks);
    json_t *points = NULL;
    if (rc == 0)
        rc = score_points(s, &points, err);
    if (points)
        json_object_set_new(all, "points", points);
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
