/* The numbers of a cell as results.json keeps them: each target, statistics, baselines and chance. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "derive/derive.h"
#include "job/score/score.h"
#include "metric/measure.h"

void score_add_fact(score *s, const char *name, double value) {
    if (s->n_facts < SCORE_MOST_FACTS)
        s->fact[s->n_facts++] = (gnt_named_real){name, value};
}

void score_add_unknown(score *s, const char *name, const char *reason) {
    if (s->n_unknown < SCORE_MOST_UNKNOWN)
        s->unknown[s->n_unknown++] = (gnt_named_text){name, reason};
}

/* ---- targets ---- */

static void mark(gnt_target *t, const void *member) {
    gnt_fields_mark(&gnt_target_fields, t, member);
}

static void put(gnt_target *t, gnt_measure_id id, double value) {
    t->score[id] = value;
    mark(t, &t->score[id]);
}

/* Puts the first entries of a client's vector; NULL: no answer. */
static void put_entries(const score *s, gnt_target *t, gnt_reals *to, const double *value) {
    enum { MOST_SHOWN = 8 };
    mark(t, to);
    if (value)
        *to = (gnt_reals){value, (size_t)(s->sum.entries < MOST_SHOWN ? s->sum.entries : MOST_SHOWN)};
}

static gnt_measure_id judge_of(int judge) {
    return judge < GNT_LPIPS_NETS    ? gnt_lpips_measures[judge]
           : judge == SCORE_FEATURES ? GNT_MEASURE_FEATURE_DISTANCE
                                     : GNT_MEASURE_REPRESENTATION_MSE;
}

/* Puts the measures of a target's region; NaN if it has none. */
static void put_region(const score *s, gnt_target *to, const score_target *t) {
    put(to, GNT_MEASURE_REGION_MSE, t->has_region ? t->region.mse : NAN);
    put(to, GNT_MEASURE_REGION_PSNR, t->has_region ? t->region.psnr : NAN);
    put(to, GNT_MEASURE_REGION_SSIM, t->has_region ? t->region.ssim : NAN);
    for (int k = 0; k < GNT_LPIPS_NETS; k++)
        if (s->region_judges.judged[k])
            put(to, gnt_region_lpips_measures[k], t->has_region ? t->region_distance[k] : NAN);
}

static void put_image(const score *s, gnt_target *to, const score_target *t) {
    if (score_by_members(s)) {
        to->member = t->member;
        mark(to, &to->member);
    }
    put(to, GNT_MEASURE_MSE, t->image.mse);
    put(to, GNT_MEASURE_MSE255, t->image.mse255);
    put(to, GNT_MEASURE_PSNR, t->image.psnr);
    if (s->is_image)
        put(to, GNT_MEASURE_SSIM, t->image.ssim);
    for (int k = 0; k < SCORE_JUDGES; k++)
        if (s->judges.judged[k])
            put(to, judge_of(k), t->distance[k]);
    to->exact = t->image.exact != 0;
    to->broken = t->image.broken != 0;
    to->missing = t->image.missing != 0;
    to->rank = t->rank;
    mark(to, &to->exact);
    mark(to, &to->broken);
    mark(to, &to->missing);
    mark(to, &to->rank);
    put(to, GNT_MEASURE_IDENTIFICATION, t->hit);
}

static void put_attribute(gnt_target *to, const score_target *t) {
    put(to, GNT_MEASURE_ATTRIBUTE_ACCURACY, t->attribute_hit);
    to->attribute_truth = t->attribute_truth;
    to->attribute_told = t->attribute_answer;
    to->attribute_renamed = t->attribute_renamed;
    mark(to, &to->attribute_truth);
    mark(to, &to->attribute_told);
    mark(to, &to->attribute_renamed);
}

/* Takes all scores away, and what else was found of an answer; which measures there are stays. */
static void leave_out(gnt_target *to) {
    const gnt_target scored = *to;
    gnt_fields_clear(&gnt_target_fields, to);
    to->id = scored.id;
    for (size_t id = 0; id < GNT_MEASURES; id++)
        if (gnt_fields_has(&gnt_target_fields, &scored, &scored.score[id]))
            put(to, (gnt_measure_id)id, NAN);
}

static void fill_target(const score *s, int64_t i, gnt_target *to) {
    const score_target *t = &s->target[i];
    gnt_fields_clear(&gnt_target_fields, to);
    to->id = i;
    if (score_by_members(s)) { /* none: no answer says which */
        to->member = -1;
        mark(to, &to->member);
    }
    if (t->has_image)
        put_image(s->shown, to, &s->shown->target[i]);
    if (t->has_image && s->targets.mask)
        put_region(s, to, t);
    if (t->has_label)
        put(to, GNT_MEASURE_LABEL_ACCURACY, t->label_share);
    if (t->has_attribute)
        put_attribute(to, t);
    if (t->has_contribution) {
        put(to, GNT_MEASURE_CONTRIBUTION_ERROR, t->contribution_error);
        put_entries(s, to, &to->contribution_truth, t->contribution_truth);
        put_entries(s, to, &to->contribution_told, t->contribution_answer);
    }
    if (!score_is_target(s, i) || (!s->is_transcript && score_is_left_out(s, i / s->layout.batch)))
        leave_out(to);
}

static gnt_targets targets_of(score *s) {
    gnt_target *list = gnt_arena_array(&s->memory, (size_t)s->layout.n, sizeof *list);
    for (int64_t i = 0; list && i < s->layout.n; i++)
        fill_target(s, i, &list[i]);
    return (gnt_targets){list, list ? (size_t)s->layout.n : 0};
}

/* ---- measures of a cell as a whole, and chance ---- */

/* Appends a measure. gnt_derive_measures allocates the list of measures, score_write that of chance. */
static void add_measure(gnt_outcome *o, gnt_measure_id id, gnt_stat stat) {
    ((gnt_named_stat *)(uintptr_t)o->measures.at)[o->measures.n++] =
        (gnt_named_stat){gnt_measure_of(id)->name, stat};
}

static void add_chance(gnt_outcome *o, gnt_measure_id id, double value) {
    ((gnt_named_real *)(uintptr_t)o->chance.at)[o->chance.n++] =
        (gnt_named_real){gnt_measure_of(id)->name, value};
}

static int add_balanced(const score *s, gnt_outcome *o, gnt_measure_id id, const int32_t *answer,
                        gnt_err *err) {
    gnt_estimate balanced;
    int32_t *truth, *inferred;
    size_t n;
    int rc = score_counted_attributes(s, answer, &truth, &inferred, &n, err);
    if (rc == 0)
        rc = gnt_estimate_balanced(&balanced, truth, inferred, NULL, n, err);
    if (rc == 0)
        add_measure(o, id, gnt_measure_stat_whole(&balanced, balanced.mean, n));
    gnt_free(truth);
    gnt_free(inferred);
    return rc;
}

/* Counts the clients' rows by their value of the attribute. Rows of another set in their place, as for
 * captures, count only if they have it, by name. */
static void count_clients(const score *s, int64_t *counts) {
    const gnt_samples *clients = &s->clients.view;
    const gnt_attribute *of = &s->targets.view.attribute[s->attribute.index];
    int32_t at = 0;
    while (at < clients->n_attributes && (strcmp(clients->attribute[at].name, of->name) != 0 ||
                                          clients->attribute[at].values != of->values))
        at++;
    for (int64_t i = 0; at < clients->n_attributes && i < clients->n; i++)
        counts[clients->a[i * clients->n_attributes + at]]++;
}

static int add_attribute_chance(const score *s, gnt_outcome *o, gnt_err *err) {
    gnt_metric_confusion confusion;
    gnt_metric_chance chance;
    const int64_t targets = score_targets(s);
    int32_t *truth = gnt_array(2 * (size_t)targets, sizeof *truth), *answer = truth ? truth + targets : NULL;
    int64_t *counts = gnt_array((size_t)s->attribute.values, sizeof *counts), n = 0;
    if (!counts || !truth) {
        gnt_free(counts);
        gnt_free(truth);
        return gnt_fail(err, "out of memory for the attribute's values");
    }
    for (int64_t j = 0; j < s->layout.observations; j++)
        for (int64_t i = 0; i < score_answers(s, j); i++, n++) {
            truth[n] = s->attribute.truth[j];
            answer[n] = s->attribute.answer[j];
        }
    count_clients(s, counts);
    int rc = gnt_metric_confusion_make(&confusion, truth, answer, (size_t)n, s->attribute.values, err);
    if (rc == 0) {
        gnt_metric_with_chance(&chance, &confusion, counts);
        gnt_metric_confusion_free(&confusion);
        add_chance(o, GNT_MEASURE_ATTRIBUTE_ACCURACY, fmax(chance.majority.plain, chance.constant.plain));
        add_chance(o, GNT_MEASURE_ATTRIBUTE_BALANCED, chance.constant.balanced);
        add_chance(o, GNT_MEASURE_ATTRIBUTE_RELABELLED, chance.constant.balanced);
    }
    gnt_free(truth);
    gnt_free(counts);
    return rc;
}

static int add_attribute_rates(const score *s, gnt_outcome *o, gnt_err *err) {
    if (add_balanced(s, o, GNT_MEASURE_ATTRIBUTE_BALANCED, s->attribute.answer, err) != 0 ||
        add_balanced(s, o, GNT_MEASURE_ATTRIBUTE_RELABELLED, s->attribute.renamed, err) != 0)
        return -1;
    return add_attribute_chance(s, o, err);
}

/* Adds the rank correlation of clients, which is one number of the whole cell, and the chance of
 * contributions. */
static void add_contribution(const score *s, gnt_outcome *o) {
    const gnt_estimate r = gnt_estimate_single(s->sum.rank);
    if (isfinite(r.mean))
        add_measure(o, GNT_MEASURE_CONTRIBUTION_RANK,
                    gnt_measure_stat_whole(&r, r.mean, (size_t)s->layout.n));
    add_chance(o, GNT_MEASURE_CONTRIBUTION_ERROR, s->sum.floor);
    add_chance(o, GNT_MEASURE_CONTRIBUTION_RANK, 0);
}

static int add_label_chance(const score *s, gnt_outcome *o, gnt_err *err) {
    double share = 0;
    int rc = score_label_chance(s, &share, err);
    add_chance(o, GNT_MEASURE_LABEL_ACCURACY, share);
    return rc;
}

/* Adds the chance of identification. An answer is assigned to the nearest member of a set, so every member
 * counts as right. */
static void add_identification_chance(const score *s, gnt_outcome *o) {
    double right = 0;
    for (int64_t j = 0; j < s->layout.observations; j++)
        right += (double)score_answers(s, j) * (score_by_members(s) ? (double)score_members(s, j) : 1);
    right /= (double)score_targets(s);
    add_chance(o, GNT_MEASURE_IDENTIFICATION, s->candidates.n ? right / (double)s->candidates.n : NAN);
}

static int add_guesses(score *s, gnt_outcome *o, gnt_err *err) {
    int rc = 0;
    if (s->target[0].has_contribution)
        add_contribution(s, o);
    if (s->attribute.truth)
        rc = add_attribute_rates(s, o, err);
    if (rc == 0 && s->target[0].has_label)
        rc = add_label_chance(s, o, err);
    if (rc == 0 && s->target[0].has_image)
        add_identification_chance(s->shown, o);
    return rc;
}

/* ---- baselines ---- */

static void add_mean_image(gnt_named_floor *list, size_t *n, gnt_measure_id id, double value) {
    gnt_named_floor *one = &list[(*n)++];
    gnt_fields_clear(&gnt_floor_fields, one);
    one->measure = gnt_measure_of(id)->name;
    one->floor[GNT_FLOOR_MEAN] = value;
    gnt_fields_mark(&gnt_floor_fields, one, &one->floor[GNT_FLOOR_MEAN]);
}

static int add_floors(score *s, gnt_outcome *o, gnt_err *err) {
    gnt_named_floor *list =
        gnt_arena_array(&s->memory, SCORE_MOST_FLOORS + SCORE_JUDGES + GNT_LPIPS_NETS, sizeof *list);
    size_t n = 0;
    if (!list)
        return gnt_fail(err, "out of memory for the baselines");
    if (s->target[0].has_image &&
        (score_image_floors(s->shown, list, &n, err) != 0 || score_region_floors(s, list, &n, err) != 0))
        return -1;
    for (int k = 0; k < SCORE_JUDGES; k++)
        if (s->shown->judges.judged[k])
            add_mean_image(list, &n, judge_of(k), s->shown->judges.mean[k]);
    for (int k = 0; k < GNT_LPIPS_NETS; k++)
        if (s->region_judges.judged[k])
            add_mean_image(list, &n, gnt_region_lpips_measures[k], s->region_judges.mean[k]);
    o->floors = (gnt_named_floors){list, n};
    return 0;
}

/* ---- the attack's own numbers ---- */

/* Adds the cost curves of one observation, [[restart, step, cost], …], grouped by restart. Returns how many
 * curves there are then. */
static size_t add_curves(gnt_restart *list, size_t n, size_t target, const json_t *costs, gnt_arena *arena) {
    enum { MOST_POINTS = 512 };
    const size_t most = json_array_size(costs) < MOST_POINTS ? json_array_size(costs) : MOST_POINTS;
    const size_t first = n;
    gnt_cost *points = gnt_arena_array(arena, most, sizeof *points);
    for (size_t i = 0; points && i < most; i++) {
        const json_t *point = json_array_get(costs, i), *cost = json_array_get(point, 2);
        const int64_t restart = json_integer_value(json_array_get(point, 0));
        if (!json_is_number(cost) || !isfinite(json_number_value(cost)))
            continue;
        if (n == first || restart != list[n - 1].restart)
            list[n++] = (gnt_restart){(int64_t)target, restart, {points, 0}};
        *points++ = (gnt_cost){json_integer_value(json_array_get(point, 1)), json_number_value(cost)};
        list[n - 1].points.n++;
    }
    return n;
}

/* Returns the cost curves of the answer, checked. */
static gnt_restarts convergence_of(score *s) {
    enum { MOST_TARGETS = 64 };
    json_t *all = json_loads(s->answer.metadata ? s->answer.metadata : "", 0, NULL);
    const json_t *targets = json_object_get(all, "targets");
    const size_t most = json_array_size(targets) < MOST_TARGETS ? json_array_size(targets) : MOST_TARGETS;
    size_t room = 0, n = 0;
    for (size_t j = 0; j < most; j++)
        room += json_array_size(json_object_get(json_array_get(targets, j), "costs"));
    gnt_restart *list = gnt_arena_array(&s->memory, room, sizeof *list);
    for (size_t j = 0; list && j < most; j++)
        n = add_curves(list, n, j, json_object_get(json_array_get(targets, j), "costs"), &s->memory);
    json_decref(all);
    return (gnt_restarts){list, n};
}

/* Returns the member that counts searches which ended as the answer's word says. */
static int64_t *count_of(gnt_ended *e, const char *word) {
    const struct {
        const char *word;
        int64_t *count;
    } all[] = {{"budget", &e->budget},
               {"tolerance", &e->tolerance},
               {"stall", &e->stall},
               {"contradicted", &e->contradicted}};
    for (size_t i = 0; word && i < sizeof all / sizeof *all; i++)
        if (strcmp(word, all[i].word) == 0)
            return all[i].count;
    return &e->unknown;
}

/* Counts why the searches ended, one for each observation; NULL if the attack gave no reason for any. */
static gnt_ended *ended_of(score *s) {
    gnt_ended e = {0};
    json_t *all = json_loads(s->answer.metadata ? s->answer.metadata : "", 0, NULL);
    const json_t *targets = json_object_get(all, "targets");
    for (int64_t j = 0; j < s->layout.observations; j++)
        ++*count_of(&e, json_string_value(json_object_get(json_array_get(targets, (size_t)j), "ended")));
    json_decref(all);
    return e.unknown < s->layout.observations ? gnt_arena_copy(&s->memory, &e, 1, sizeof e) : NULL;
}

/* Returns why measures that were requested, and facts that apply, have no number. */
static gnt_named_texts unmeasured_of(score *s) {
    gnt_named_text *list = gnt_arena_array(&s->memory, SCORE_JUDGES + SCORE_MOST_UNKNOWN, sizeof *list);
    size_t n = 0;
    for (int k = 0; list && k < SCORE_JUDGES; k++)
        if (s->judges.unjudged[k][0])
            list[n++] = (gnt_named_text){score_judge_names[k], s->judges.unjudged[k]};
    for (size_t i = 0; list && i < s->n_unknown; i++)
        list[n++] = s->unknown[i];
    return (gnt_named_texts){list, n};
}

/* ---- the whole ---- */

static int fill(score *s, gnt_outcome *o, gnt_err *err) {
    gnt_fields_clear(&gnt_score_fields, o);
    o->targets = targets_of(s);
    o->chance.at = gnt_arena_array(&s->memory, GNT_MEASURES, sizeof *o->chance.at);
    o->convergence = convergence_of(s);
    o->ended = ended_of(s);
    if (s->n_silent)
        o->silent = s->n_silent;
    o->facts = (gnt_named_reals){s->fact, s->n_facts};
    o->unmeasured = unmeasured_of(s);
    if (s->scored_against)
        o->scored_against = s->scored_against;
    if (s->has_mark)
        o->marks = (gnt_marks){&s->mark, 1};
    if (s->memory.failed)
        return gnt_fail(err, "out of memory for the scores");
    return gnt_derive_measures(&o->measures, &o->targets, &s->memory, err) || add_guesses(s, o, err) ||
                   add_floors(s, o, err) || score_points(s, &o->points, err)
               ? -1
               : 0;
}

int score_write(score *s, gnt_err *err) {
    gnt_outcome all;
    gnt_st st;
    gnt_st_init(&st);
    int rc = fill(s, &all, err);
    if (rc == 0)
        rc = gnt_st_set_json(&st, gnt_fields_encode(&gnt_score_fields, &all, GNT_FIELDS_ALL),
                             JSON_COMPACT | JSON_REAL_PRECISION(9), "the scores", err);
    if (rc == 0)
        rc = s->work->write(s->work->context, "score", &st, err);
    gnt_st_free(&st);
    return rc;
}
