/* attacked: one client with fresh weights, what is seen of it, and what an attack on gradients makes of
 * that. For tests that have included cmocka. */
#ifndef TESTS_ATTACKED_H
#define TESTS_ATTACKED_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/random.h"
#include "data/data.h"
#include "nn/model/model.h"
#include "plugin/ending.h"
#include "plugin/host.h"
#include "plugin/load.h"

static const char mlp_json[] = "{\"init\": \"kaiming\", \"layers\": [{\"type\": \"flatten\"},"
                               "{\"type\": \"dense\", \"name\": \"fc1\", \"out\": 32}, {\"type\": \"relu\"},"
                               "{\"type\": \"dense\", \"name\": \"fc2\", \"out\": \"classes\"}]}";

enum { CLASSES = 10, FEATURES = 28 * 28, BATCH = 3, ROUNDS = 3, FACTS = 32, COSTS = 4096, SCORES = 16 };

typedef struct attacked { /* one client, what is seen of it, and what an attack made of that */
    gnt_model *model;
    gnt_service *own, *attackers;
    const char *id; /* of the attack; NULL: invert-gradients */
    float *weights, *buffers;
    float x[BATCH * FEATURES], y[BATCH * CLASSES];
    gnt_observation seen, past[ROUNDS];
    const gnt_observation *past_list[ROUNDS];
    gnt_views update[ROUNDS + 1];
    gnt_view view[ROUNDS + 1][16];
    float *entry[ROUNDS + 1][16];
    gnt_value value[4];
    gnt_samples public_data;
    gnt_key key;
    gnt_stream noise;
    float found[BATCH * FEATURES];
    float scores[SCORES], regions[BATCH * FEATURES];
    int n_scores;
    int64_t count, n_costs;
    double cost[COSTS], chosen_cost;
    int32_t restart[COSTS];
    double fact[FACTS];
    char fact_name[FACTS][48];
    int n_facts, warnings;
    float left[2]; /* by prepare */
    int n_left;
    gnt_ending ending;
    gnt_err err;
} attacked;

static gnt_data *glyphs;
static float *images, *labels; /* of all glyphs */
enum { IMAGES = 260 };

static inline int open_glyphs(void **state) {
    (void)state;
    gnt_err err = {0};
    gnt_data_spec spec = {.name = "glyphs", .rows = {IMAGES, 1, 1}, .seed = 5};
    if (gnt_data_open(&glyphs, &spec, NULL, &err))
        return -1;
    images = gnt_array((size_t)IMAGES * FEATURES, sizeof *images);
    labels = gnt_array((size_t)IMAGES * CLASSES, sizeof *labels);
    for (int64_t i = 0; i < IMAGES; i++) {
        gnt_data_row(glyphs, i, images + i * FEATURES);
        labels[i * CLASSES + glyphs->label[i]] = 1;
    }
    return 0;
}

static inline int close_glyphs(void **state) {
    (void)state;
    gnt_free(images);
    gnt_free(labels);
    gnt_data_free(glyphs);
    return 0;
}

/* ---- a host in little ---- */

static inline gnt_status take_images(void *context, int64_t count, const float *x) {
    attacked *a = context;
    memcpy(a->found, x, (size_t)(count * FEATURES) * sizeof *x);
    a->count = count;
    return GNT_OK;
}

static inline gnt_status take_scores(void *context, int32_t values, const float *scores) {
    attacked *a = context;
    assert_true(values <= SCORES);
    memcpy(a->scores, scores, (size_t)values * sizeof *scores);
    a->n_scores = values;
    return GNT_OK;
}

static inline gnt_status take_label_scores(void *context, int64_t n, int32_t classes, const float *scores) {
    return n == 1 ? take_scores(context, classes, scores) : GNT_OK;
}

static inline gnt_status take_each(void *context, int32_t attribute, int64_t n, int32_t values,
                                   const float *scores) {
    const attacked *a = context;
    (void)scores;
    assert_true(attribute == a->seen.attribute && n == a->seen.n && values == a->seen.attribute_values);
    return GNT_OK;
}

static inline gnt_status take_regions(void *context, int64_t n, const float *scores) {
    memcpy(((attacked *)context)->regions, scores, (size_t)n * FEATURES * sizeof *scores);
    return GNT_OK;
}

static inline void take_cost(void *context, int32_t restart, int64_t step, double cost) {
    attacked *a = context;
    (void)step;
    a->ending.costs++;
    if (a->n_costs < COSTS) {
        a->restart[a->n_costs] = restart;
        a->cost[a->n_costs++] = cost;
    }
}

static inline void take_chosen(void *context, int32_t restart, double cost) {
    (void)restart;
    ((attacked *)context)->chosen_cost = cost;
}

static inline void take_ended(void *context, int32_t reason, int64_t steps) {
    gnt_ending_note(&((attacked *)context)->ending, reason, steps);
}

static inline void take_facts(attacked *a, gnt_instance *instance) {
    const gnt_fact *fact;
    a->n_facts = gnt_instance_facts(instance, &fact);
    assert_true(a->n_facts <= FACTS);
    for (int i = 0; i < a->n_facts; i++) {
        snprintf(a->fact_name[i], sizeof *a->fact_name, "%s", fact[i].name);
        a->fact[i] = fact[i].mean;
    }
}

static inline void take_log(void *context, int32_t level, const char *text) {
    (void)text;
    ((attacked *)context)->warnings += level == GNT_LOG_WARN;
}

static inline gnt_status take_tensor(void *context, const char *name, int32_t rank, const int64_t *dim,
                                     const float *data) {
    attacked *a = context;
    assert_string_equal(name, "prior");
    assert_true(rank == 1 && dim[0] == 2);
    memcpy(a->left, data, sizeof a->left);
    a->n_left++;
    return GNT_OK;
}

static inline double fact_of(const attacked *a, const char *name) {
    for (int i = 0; i < a->n_facts; i++)
        if (strcmp(a->fact_name[i], name) == 0)
            return a->fact[i];
    return NAN;
}

/* ---- what is attacked ---- */

static inline void open_client(attacked *a, const char *json, int64_t row, int64_t n) {
    memset(a, 0, sizeof *a);
    gnt_nn_shape sample = {3, {1, 28, 28}};
    if (gnt_model_parse(&a->model, "test", json, &sample, CLASSES, NULL, NULL, &a->err))
        fail_msg("%s", a->err.text);
    gnt_service_spec spec = {.model = a->model, .name = "test"};
    assert_int_equal(gnt_service_new(&a->own, &spec, &a->err), 0);
    assert_int_equal(gnt_service_new(&a->attackers, &spec, &a->err), 0);
    a->weights = gnt_array((size_t)gnt_model_size(a->model), sizeof *a->weights);
    a->buffers = gnt_array((size_t)gnt_model_buffer_size(a->model) + 1, sizeof *a->buffers);
    a->key = gnt_key_of_seed((uint64_t)row + 1);
    a->noise = gnt_stream_open(&a->key, "noise");
    gnt_stream init = gnt_stream_open(&a->key, "init");
    gnt_model_init(a->model, &init, a->weights, a->buffers);
    memcpy(a->x, images + row * FEATURES, (size_t)(n * FEATURES) * sizeof *a->x);
    memcpy(a->y, labels + row * CLASSES, (size_t)(n * CLASSES) * sizeof *a->y);
    a->public_data = (gnt_samples){.size = sizeof a->public_data,
                                   .kind = GNT_KIND_IMAGE,
                                   .n = IMAGES - 60,
                                   .rank = 3,
                                   .classes = CLASSES,
                                   .dim = {1, 28, 28},
                                   .features = FEATURES,
                                   .x = images + 60 * FEATURES,
                                   .y = labels + 60 * CLASSES};
}

/* Round `slot` of the client on x: the gradient, with noise of `sigma` in every entry. */
static inline void observe(attacked *a, gnt_observation *o, int slot, const float *x, const float *y,
                           int64_t n, double sigma) {
    const gnt_model_service *s = gnt_service_table(a->own);
    const gnt_views *u;
    gnt_function_spec spec = {.size = sizeof spec, .kind = GNT_FN_UPDATE, .n = n, .training = -1};
    gnt_function_args args = {
        .size = sizeof args, .x = x, .y = y, .weights = a->weights, .buffers = a->buffers};
    gnt_function *f = s->prepare(s->context, &spec);
    assert_int_equal(s->eval(s->context, f, &args, &u), GNT_OK);
    a->update[slot] = (gnt_views){u->n, a->view[slot]};
    for (int64_t t = 0; t < u->n; t++) {
        float *e = a->entry[slot][t] = gnt_array((size_t)u->view[t].count, sizeof *e);
        for (int64_t i = 0; i < u->view[t].count; i++)
            e[i] = u->view[t].data[i] + (float)(sigma * gnt_random_normal(&a->noise));
        a->view[slot][t] = u->view[t];
        a->view[slot][t].data = e;
    }
    s->release(s->context, f);
    *o = (gnt_observation){.size = sizeof *o,
                           .surface = GNT_SURFACE_UPDATE,
                           .goals = GNT_GOAL_RECONSTRUCTION,
                           .update_kind = GNT_UPDATE_GRADIENT,
                           .attribute = -1,
                           .classes = CLASSES,
                           .n = n,
                           .batch = n,
                           .rate = 0.02,
                           .weights = a->weights,
                           .buffers = a->buffers,
                           .update = &a->update[slot]};
}

static inline void grant_gaussian(attacked *a, double sigma) {
    a->value[0] = (gnt_value){.id = "sigma", .type = GNT_TYPE_REAL, .r = sigma};
    a->value[1] = (gnt_value){.id = "clip", .type = GNT_TYPE_REAL, .r = 1e4};
    a->value[2] = (gnt_value){.id = "clip_mode", .type = GNT_TYPE_CHOICE, .text = "global"};
    a->value[3] = (gnt_value){.id = "mu", .type = GNT_TYPE_REAL};
    a->seen.defense = "dp-gaussian";
    a->seen.defense_values = a->value;
    a->seen.n_defense_values = 4;
    a->seen.granted |= GNT_KNOWS_DEFENSE;
}

static inline void forget(attacked *a) {
    for (int k = 0; k <= ROUNDS; k++)
        for (int t = 0; t < 16; t++)
            gnt_free(a->entry[k][t]);
    gnt_service_free(a->own);
    gnt_service_free(a->attackers);
    gnt_model_free(a->model);
    gnt_free(a->weights);
    gnt_free(a->buffers);
}

static inline gnt_instance *open_attack(attacked *a, const char *json) {
    const char *build = getenv("GAUNTLET_BUILD");
    char path[4096];
    const gnt_descriptor *d;
    gnt_params params;
    gnt_instance *instance;
    snprintf(path, sizeof path, "%s/plugins/attacks/gradient.so", build ? build : "build");
    if (gnt_plugin_load(&d, path, GNT_PLUGIN_ATTACK, a->id ? a->id : "invert-gradients", &a->err) ||
        gnt_params_parse(&params, d->parameters, d->n_parameters, "test", json, &a->err))
        fail_msg("%s", a->err.text);
    gnt_instance_spec spec = {.descriptor = d,
                              .params = &params,
                              .key = a->key,
                              .model = a->attackers,
                              .context = a,
                              .log = take_log};
    if (gnt_instance_new(&instance, &spec, NULL, &a->err))
        fail_msg("%s", a->err.text);
    gnt_params_free(&params);
    return instance;
}

static inline gnt_status attack_with(attacked *a, const char *json, const gnt_artefacts *own) {
    gnt_instance *instance = open_attack(a, json);
    gnt_answer answer = {.size = sizeof answer,
                         .context = a,
                         .reconstruction = take_images,
                         .labels = take_label_scores,
                         .attribute = take_scores,
                         .attributes = take_each,
                         .region = take_regions,
                         .cost = take_cost,
                         .chosen = take_chosen,
                         .ended = take_ended};
    a->ending = (gnt_ending){0};
    a->n_costs = a->warnings = 0;
    gnt_instance_enter(instance, "run");
    gnt_status status =
        gnt_instance_attack(instance)->run(gnt_instance_self(instance), &a->seen, own, &answer);
    status = gnt_instance_leave(instance, status, &a->err);
    take_facts(a, instance);
    gnt_instance_free(instance);
    return status;
}

static inline gnt_status attack(attacked *a, const char *json) {
    gnt_artefacts none = {.size = sizeof none};
    return attack_with(a, json, &none);
}

static inline double psnr(const attacked *a) {
    double sum = 0;
    for (int64_t i = 0; i < FEATURES; i++)
        sum += ((double)a->found[i] - (double)a->x[i]) * ((double)a->found[i] - (double)a->x[i]);
    return -10 * log10(sum / FEATURES + 1e-9);
}

#endif
