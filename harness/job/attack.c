/* The job `attack`: an attack answers observations. Its process holds the observations and what was granted,
 * and nothing else.
 *
 * Output "answer", for observation J (F32 unless said otherwise):
 *   reconstruction.J   count × features
 *   labels.J           n × classes
 *   attribute.J        1 × values
 *   mixture.J          encodings × count
 *   similarity.J       encodings × encodings
 *   contribution.J     F64 clients × entries
 *   attributes.A.J     n × values of attribute A; no score reads it
 *   region.J           n × pixels; no score reads it
 *   membership.J       1 × candidates; no score reads it
 *   metadata           {"targets": [{"costs": [[restart, step, cost], …], "chosen": [restart, cost],
 *                      "ended": "budget", "tolerance", "stall", "contradicted" or "", "steps": n,
 *                      "silent": true where nothing was sent, so that the attack was not run}, …]} */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "fl/input_sums.h"
#include "job/attack_setting.h"
#include "job/job.h"
#include "job/observations.h"
#include "job/work/silence.h"
#include "plugin/ending.h"
#include "request/inputs.h"

enum {
    /* Values of an attribute. */
    MOST_VALUES = 1000000,
    /* Points of a cost curve. When it is full, every second point is dropped. */
    MOST_POINTS = 256
};

typedef struct cost_point {
    int32_t restart;
    int64_t step;
    double cost;
} cost_point;

typedef struct attacking {
    gnt_work *work;
    gnt_work_model model;
    gnt_work_plugin plugin;
    gnt_observations observations;
    gnt_sampleset public_data, prior_data;
    gnt_artefact_set own;
    gnt_attack_setting setting;
    gnt_st labels, rates, stats, sum, outside, start;
    int32_t *order;
    /* What lies outside the sensitive region, and the masks; of observation j, while it is answered. */
    gnt_samples around;
    /* The same targets at earlier stages, earliest first. */
    gnt_observations history[GNT_INPUT_MOST_HISTORY];
    gnt_observation past[GNT_INPUT_MOST_HISTORY];
    const gnt_observation *past_list[GNT_INPUT_MOST_HISTORY];
    int64_t n_history;
    gnt_st answer;
    json_t *targets;
    /* The observation that is being answered. */
    int64_t j;
    cost_point point[MOST_POINTS];
    int n_points, stride, skipped;
    int32_t chosen_restart;
    double chosen_cost;
    gnt_ending ending;
    int64_t answered;
    /* Why an answer was refused; "" while none was. */
    gnt_err refused;
} attacking;

/* ---- answers of the plugin ---- */

static gnt_status refuse(attacking *a, const char *what, int64_t found, int64_t expected) {
    gnt_fail(&a->refused, "the attack answered with %" PRId64 " %s where %" PRId64 " were expected", found,
             what, expected);
    return GNT_FAILED;
}

static gnt_status add_answer_of(attacking *a, const char *kind, gnt_st_type type, int64_t rows,
                                int64_t columns, const void *values) {
    char name[64];
    int64_t dim[2] = {rows, columns};
    snprintf(name, sizeof name, "%s.%" PRId64, kind, a->j);
    if (gnt_st_find(&a->answer, name)) {
        gnt_fail(&a->refused, "the attack answered twice with %s", kind);
        return GNT_FAILED;
    }
    if (gnt_sink_add(&a->answer, name, type, 2, dim, values, &a->refused) != 0)
        return GNT_FAILED;
    a->answered++;
    return GNT_OK;
}

static gnt_status add_answer(attacking *a, const char *kind, int64_t rows, int64_t columns,
                             const float *values) {
    return add_answer_of(a, kind, GNT_ST_F32, rows, columns, values);
}

static gnt_status take_reconstruction(void *context, int64_t count, const float *x) {
    attacking *a = context;
    if (count < 1 || count > a->observations.common.n)
        return refuse(a, "reconstructions", count, a->observations.common.n);
    return add_answer(a, "reconstruction", count, gnt_nn_count(&a->model.sample), x);
}

static gnt_status take_labels(void *context, int64_t n, int32_t classes, const float *scores) {
    attacking *a = context;
    if (classes != a->observations.common.classes)
        return refuse(a, "classes", classes, a->observations.common.classes);
    if (n != a->observations.common.n)
        return refuse(a, "labels", n, a->observations.common.n);
    return add_answer(a, "labels", n, classes, scores);
}

static gnt_status take_attribute(void *context, int32_t values, const float *scores) {
    attacking *a = context;
    if (values < 1 || values != a->observations.common.attribute_values)
        return refuse(a, "scores of the attribute", values, a->observations.common.attribute_values);
    return add_answer(a, "attribute", 1, values, scores);
}

static int64_t encodings_observed(const attacking *a) {
    return a->observations.common.encoded ? a->observations.common.encoded->n : 0;
}

static gnt_status take_mixture(void *context, int64_t encodings, int64_t count, const float *weight) {
    attacking *a = context;
    if (encodings < 1 || encodings != encodings_observed(a))
        return refuse(a, "rows of a mixture", encodings, encodings_observed(a));
    if (count < 1 || count > a->observations.common.n)
        return refuse(a, "columns of a mixture", count, a->observations.common.n);
    return add_answer(a, "mixture", encodings, count, weight);
}

static gnt_status take_similarity(void *context, int64_t encodings, const float *score) {
    attacking *a = context;
    if (encodings < 1 || encodings != encodings_observed(a))
        return refuse(a, "rows of similarities", encodings, encodings_observed(a));
    return add_answer(a, "similarity", encodings, encodings, score);
}

static gnt_status take_contribution(void *context, int64_t n, const double *value) {
    attacking *a = context;
    int64_t each = a->observations.common.n_contribution,
            clients = a->observations.common.transcript ? a->observations.common.transcript->n_clients : 1;
    if (n < 1 || n != clients * each)
        return refuse(a, "entries of a contribution", n, clients * each);
    return add_answer_of(a, "contribution", GNT_ST_F64, clients, each, value);
}

static gnt_status take_attributes(void *context, int32_t attribute, int64_t n, int32_t values,
                                  const float *scores) {
    attacking *a = context;
    const gnt_observation *o = &a->observations.common;
    const int wanted = o->attribute >= 0 && attribute == o->attribute;
    char kind[32];
    if (attribute < 0 || attribute >= GNT_DATA_ATTRS) {
        gnt_fail(&a->refused, "the attack answered for attribute %" PRId32 "; expected 0 to %d", attribute,
                 GNT_DATA_ATTRS - 1);
        return GNT_FAILED;
    }
    if (n < 1 || n != o->n)
        return refuse(a, "samples with an attribute", n, o->n);
    if (wanted && n == 1)
        return take_attribute(a, values, scores);
    if (values < 1 || values > MOST_VALUES || (wanted && values != o->attribute_values))
        return refuse(a, "scores of an attribute", values, wanted ? o->attribute_values : MOST_VALUES);
    snprintf(kind, sizeof kind, "attributes.%" PRId32, attribute);
    return add_answer(a, kind, n, values, scores);
}

static gnt_status take_region(void *context, int64_t n, const float *scores) {
    attacking *a = context;
    const gnt_nn_shape *sample = &a->model.sample;
    if (sample->rank != 3)
        return refuse(a, "regions of samples that are no images", n, 0);
    if (n < 1 || n != a->observations.common.n)
        return refuse(a, "regions", n, a->observations.common.n);
    return add_answer(a, "region", n, sample->dim[1] * sample->dim[2], scores);
}

static gnt_status take_membership(void *context, int64_t n, const float *scores) {
    attacking *a = context;
    const int64_t candidates = a->observations.common.candidates ? a->observations.common.candidates->n : 0;
    if (n < 1 || n != candidates)
        return refuse(a, "scores of membership", n, candidates);
    return add_answer(a, "membership", 1, n, scores);
}

static void take_cost(void *context, int32_t restart, int64_t step, double cost) {
    attacking *a = context;
    a->ending.costs++;
    if (a->skipped++ % a->stride != 0 || !isfinite(cost))
        return;
    if (a->n_points == MOST_POINTS) {
        for (int i = 0; i < MOST_POINTS / 2; i++)
            a->point[i] = a->point[2 * i];
        a->n_points = MOST_POINTS / 2;
        a->stride *= 2;
    }
    a->point[a->n_points++] = (cost_point){restart, step, cost};
}

static void take_chosen(void *context, int32_t restart, double cost) {
    attacking *a = context;
    a->chosen_restart = restart;
    a->chosen_cost = cost;
}

static void take_ended(void *context, int32_t reason, int64_t steps) {
    attacking *a = context;
    gnt_ending_note(&a->ending, reason, steps);
}

/* Returns the word for why the search ended. */
static const char *ending_of(const attacking *a) {
    gnt_err why;
    if (gnt_ending_check(&a->ending, a->observations.common.budget, &why) != 0)
        return "contradicted";
    const char *name = gnt_ending_name(a->ending.reason);
    return name ? name : "";
}

static int add_costs(attacking *a, int silent, gnt_err *err) {
    json_t *costs = json_array();
    for (int i = 0; i < a->n_points; i++)
        json_array_append_new(costs, json_pack("[i, I, f]", (int)a->point[i].restart,
                                               (json_int_t)a->point[i].step, a->point[i].cost));
    json_t *one =
        json_pack("{s:o, s:[i, o], s:s, s:I}", "costs", costs, "chosen", (int)a->chosen_restart,
                  gnt_json_real(a->chosen_cost), "ended", ending_of(a), "steps", (json_int_t)a->ending.steps);
    if (silent)
        json_object_set_new(one, "silent", json_true());
    return json_array_append_new(a->targets, one) == 0 ? 0
                                                       : gnt_fail(err, "out of memory for the cost curves");
}

/* ---- the attack's inputs ---- */

static int read_grant(attacking *a, gnt_st *st, const char *name, int64_t rows, int64_t columns,
                      gnt_err *err) {
    int64_t dim[2] = {rows, columns};
    if (!a->work->has(a->work->context, name))
        return 0;
    if (a->work->read(a->work->context, name, st, err) != 0)
        return -1;
    return gnt_st_need(st, name, name, GNT_ST_F32, 2, dim, err) ? 0 : -1;
}

/* Reads what lies outside the sensitive region and where that is, if it was granted. */
static int read_outside(attacking *a, gnt_err *err) {
    const gnt_nn_shape *shape = &a->model.sample;
    gnt_samples *s = &a->around;
    *s = (gnt_samples){.size = sizeof *s,
                       .kind = GNT_KIND_IMAGE,
                       .n = a->observations.common.n,
                       .rank = shape->rank,
                       .classes = a->observations.common.classes,
                       .features = gnt_nn_count(shape)};
    memcpy(s->dim, shape->dim, sizeof s->dim);
    if (!a->work->has(a->work->context, "outside"))
        return 0;
    const int64_t rows = a->observations.n * s->n, mask[2] = {rows, s->dim[1] * s->dim[2]};
    if (shape->rank != 3)
        return gnt_fail(err, "outside: these samples are no images, and have no sensitive region");
    if (read_grant(a, &a->outside, "outside", rows, s->features, err) != 0 ||
        !gnt_st_need(&a->outside, "outside", "mask", GNT_ST_U8, 2, mask, err))
        return -1;
    a->observations.common.outside = s;
    return 0;
}

/* Reads the result of a secure sum, any number of doubles, if there is one. */
static int read_sum(attacking *a, gnt_err *err) {
    if (!a->work->has(a->work->context, "sum"))
        return 0;
    if (a->work->read(a->work->context, "sum", &a->sum, err) != 0)
        return -1;
    const gnt_st_tensor *t = gnt_st_need(&a->sum, "sum", "sum", GNT_ST_F64, -1, NULL, err);
    if (!t)
        return -1;
    a->observations.common.sum = t->data;
    a->observations.common.n_sum = (int64_t)(t->bytes / sizeof(double));
    return 0;
}

/* Reads starting points for every target, if given: x, and y for attacks that also search labels. Shapes
 * are those of whole targets, so that a file made for other targets is refused. */
static int read_start(attacking *a, gnt_err *err) {
    const gnt_observation *o = &a->observations.common;
    const int64_t given = a->work->request->attack.start_targets, of = given ? given : a->observations.n,
                  rows = of * o->n, x[2] = {rows, gnt_nn_count(&a->model.sample)}, y[2] = {rows, o->classes};
    if (!a->work->has(a->work->context, "start"))
        return 0;
    if (of < a->observations.n)
        return gnt_fail(err, "there are starting points for %" PRId64 " targets, of %" PRId64 " observed", of,
                        a->observations.n);
    if (a->work->read(a->work->context, "start", &a->start, err) != 0)
        return -1;
    if (!gnt_st_need(&a->start, "the file of starting points", "x", GNT_ST_F32, 2, x, err))
        return -1;
    return !gnt_st_find(&a->start, "y") ||
                   gnt_st_need(&a->start, "the file of starting points", "y", GNT_ST_F32, 2, y, err)
               ? 0
               : -1;
}

static int open_history(attacking *a, gnt_err *err) {
    while (a->n_history < GNT_INPUT_MOST_HISTORY) {
        const char *name = gnt_input_history[a->n_history];
        if (!a->work->has(a->work->context, name))
            return 0;
        gnt_observations *h = &a->history[a->n_history];
        if (gnt_observations_open(h, a->work, name, &a->model, err) != 0)
            return -1;
        a->past_list[a->n_history] = &a->past[a->n_history];
        a->n_history++;
        if (h->n != a->observations.n)
            return gnt_fail(err, "%s: has %" PRId64 " observations, the stage attacked %" PRId64, name, h->n,
                            a->observations.n);
    }
    return 0;
}

/* Makes room for the order of samples over the local steps, if it was granted. */
static int make_order(attacking *a, gnt_err *err) {
    gnt_observation *o = &a->observations.common;
    if (!(o->granted & GNT_KNOWS_ORDER) || o->steps == 0)
        return 0;
    const int64_t n = o->steps * o->batch;
    a->order = gnt_array((size_t)n, sizeof *a->order);
    if (!a->order)
        return gnt_fail(err, "out of memory for the order of %" PRId64 " samples", n);
    o->order = a->order;
    return 0;
}

/* Fills the order for an observation of n samples, which are numbered in the order in which a client takes
 * them, cyclically. */
static void fill_order(attacking *a, int64_t n) {
    const gnt_observation *o = &a->observations.common;
    for (int64_t i = 0; a->order && i < o->steps * o->batch; i++)
        a->order[i] = (int32_t)(i % n);
}

static int open_all(attacking *a, gnt_err *err) {
    gnt_work *w = a->work;
    const gnt_request_attack *q = &w->request->attack;
    const gnt_request_attacker *of = &q->attacker;
    if (gnt_work_model_open(&a->model, &of->model, of->federated.training_stats, err) != 0 ||
        (q->chained ? gnt_observations_open_recovered(&a->observations, w, &a->model, err)
                    : gnt_observations_open(&a->observations, w, "seen", &a->model, err)) != 0 ||
        gnt_work_samples(&a->public_data, w, "public", &of->samples, err) != 0 ||
        gnt_work_samples(&a->prior_data, w, "prior_data", &of->samples, err) != 0 ||
        gnt_work_artefacts(&a->own, w, "artefacts", err) != 0 ||
        gnt_attack_setting_open(&a->setting, w, of, &a->observations.common, err) != 0)
        return -1;
    gnt_observation *o = &a->observations.common;
    int64_t t = a->observations.n;
    if (read_grant(a, &a->labels, "labels", t * o->n, o->classes, err) != 0 ||
        read_grant(a, &a->rates, "rates", t, o->steps, err) != 0 ||
        read_grant(a, &a->stats, "stats", t, gnt_model_buffer_size(a->model.model), err) != 0 ||
        make_order(a, err) != 0 || read_sum(a, err) != 0 || read_outside(a, err) != 0 ||
        open_history(a, err) != 0 || read_start(a, err) != 0)
        return -1;
    if (a->public_data.view.n)
        o->public_data = &a->public_data.view;
    if (a->prior_data.view.n)
        o->prior_data = &a->prior_data.view;
    return gnt_work_plugin_open(&a->plugin, w, &a->model, &of->plugin, GNT_PLUGIN_ATTACK, &q->key, err);
}

static const float *row_of(const gnt_st *st, const char *name, int64_t row) {
    const gnt_st_tensor *t = gnt_st_find(st, name);
    return t && t->dim[1] ? (const float *)t->data + row * t->dim[1] : NULL;
}

/* Sets what is known of the images behind observation j, if it was granted. */
static void look_around(attacking *a, int64_t j) {
    const gnt_st_tensor *mask = gnt_st_find(&a->outside, "mask");
    const int64_t first = j * a->observations.most;
    a->around.n = a->observations.common.n;
    a->around.x = row_of(&a->outside, "outside", first);
    a->around.mask = mask ? (const uint8_t *)mask->data + first * mask->dim[1] : NULL;
}

static uint64_t sum_of_views(uint64_t sum, const gnt_views *v) {
    for (int64_t i = 0; v && i < v->n; i++)
        sum = sum * 31 + gnt_quick_sum(v->view[i].data, (size_t)v->view[i].count * sizeof *v->view[i].data);
    return sum;
}

/* Computes a checksum of the inputs that later observations share and that an attack therefore must not
 * change. */
static uint64_t sum_of_inputs(const attacking *a, const gnt_observation *o) {
    const gnt_model *m = a->model.model;
    uint64_t sum = gnt_quick_sum(o->weights, (size_t)gnt_model_size(m) * sizeof *o->weights) * 31 +
                   gnt_quick_sum(o->buffers, (size_t)gnt_model_buffer_size(m) * sizeof *o->buffers);
    sum = sum_of_views(sum_of_views(sum, o->update), o->sent_buffers);
    const gnt_transcript *t = o->transcript;
    if (t)
        sum = sum * 31 + gnt_quick_sum(t->masked, (size_t)(t->n_clients * t->n) * sizeof *t->masked);
    return sum;
}

/* True if nothing was sent, so that there is nothing to attack: an update that is zero throughout, where
 * neither earlier stages nor a secure sum were observed. The score job guesses at its targets. */
static int is_silent(const attacking *a, int64_t j) {
    const gnt_observation *o = &a->observations.common;
    return o->surface == GNT_SURFACE_UPDATE && a->observations.set == 0 && a->n_history == 0 &&
           o->n_contribution == 0 && !o->sum && gnt_is_silent(&a->observations.st, j);
}

static int answer_one(attacking *a, int64_t j, gnt_err *err) {
    const gnt_attack *hooks = gnt_instance_attack(a->plugin.instance);
    gnt_answer answer = {.size = sizeof answer,
                         .context = a,
                         .reconstruction = take_reconstruction,
                         .labels = take_labels,
                         .attribute = take_attribute,
                         .cost = take_cost,
                         .chosen = take_chosen,
                         .mixture = take_mixture,
                         .similarity = take_similarity,
                         .contribution = take_contribution,
                         .attributes = take_attributes,
                         .region = take_region,
                         .membership = take_membership,
                         .ended = take_ended};
    gnt_observation o = gnt_observations_at(&a->observations, j);
    const int64_t first = j * a->observations.most;
    fill_order(a, o.n);
    o.labels = row_of(&a->labels, "labels", first);
    o.rates = row_of(&a->rates, "rates", j);
    o.batch_mean = row_of(&a->stats, "stats", j);
    o.start_x = row_of(&a->start, "x", first);
    o.start_y = row_of(&a->start, "y", first);
    look_around(a, j);
    for (int64_t k = 0; k < a->n_history; k++)
        a->past[k] = gnt_observations_at(&a->history[k], j);
    o.history = a->n_history ? a->past_list : NULL;
    o.n_history = a->n_history;
    a->j = j;
    a->n_points = a->skipped = 0;
    a->stride = 1;
    a->chosen_restart = 0;
    a->chosen_cost = NAN;
    a->ending = (gnt_ending){0};
    a->answered = 0;
    if (is_silent(a, j))
        return add_costs(a, 1, err);
    const uint64_t before = sum_of_inputs(a, &o);
    gnt_work_plugin_begin(&a->plugin, "run");
    gnt_status status = hooks->run(gnt_instance_self(a->plugin.instance), &o, &a->own.view, &answer);
    if (gnt_work_plugin_done(&a->plugin, status, err) != 0)
        return a->refused.text[0] ? gnt_fail(err, "%s", a->refused.text) : -1;
    if (a->refused.text[0])
        return gnt_fail(err, "%s", a->refused.text);
    if (sum_of_inputs(a, &o) != before)
        return gnt_fail(err, "attack %s: run changed what it was given to read: weights, buffers or update",
                        a->work->request->attack.attacker.plugin.id);
    if (a->answered == 0)
        return gnt_fail(err, "the attack says it succeeded but gave no answer for observation %" PRId64, j);
    return add_costs(a, 0, err);
}

static int write_answer(attacking *a, gnt_err *err) {
    const int rc = gnt_st_set_json(&a->answer, json_pack("{s:O}", "targets", a->targets),
                                   JSON_COMPACT | JSON_REAL_PRECISION(9), "the answer", err);
    return rc == 0 ? a->work->write(a->work->context, "answer", &a->answer, err) : -1;
}

static void close_all(attacking *a) {
    gnt_work_plugin_free(&a->plugin);
    gnt_observations_free(&a->observations);
    gnt_sampleset_free(&a->public_data);
    gnt_sampleset_free(&a->prior_data);
    gnt_artefact_set_free(&a->own);
    gnt_attack_setting_free(&a->setting);
    gnt_st_free(&a->labels);
    gnt_free(a->order);
    gnt_st_free(&a->rates);
    gnt_st_free(&a->stats);
    gnt_st_free(&a->sum);
    gnt_st_free(&a->outside);
    gnt_st_free(&a->start);
    for (int64_t k = 0; k < a->n_history; k++)
        gnt_observations_free(&a->history[k]);
    gnt_st_free(&a->answer);
    gnt_work_model_free(&a->model);
    json_decref(a->targets);
}

int gnt_job_attack(gnt_work *w, gnt_err *err) {
    attacking a = {.work = w, .targets = json_array()};
    int rc = open_all(&a, err);
    for (int64_t j = 0; rc == 0 && j < a.observations.n; j++) {
        rc = answer_one(&a, j, err);
        w->progress(w->context, (double)j + 1, (double)a.observations.n);
    }
    if (rc == 0)
        rc = write_answer(&a, err);
    close_all(&a);
    return rc;
}
