/* attr_points: points as updates of one tensor, each with the value of one attribute, for tests of attacks
 * that learn from them without pooling; and what such an attack makes of them. For tests that have
 * included cmocka. */
#ifndef TESTS_ATTR_POINTS_H
#define TESTS_ATTR_POINTS_H

#include <math.h>

#include "try_plugin.h"

enum { POINTS_MOST = 600, POINTS_WIDEST = 8, POINTS_VALUES = 8 };

typedef struct points {
    int64_t n, columns;
    float x[POINTS_MOST][POINTS_WIDEST];
    int32_t value[POINTS_MOST];
    /* of points_tie: */
    gnt_view view[POINTS_MOST];
    gnt_views update[POINTS_MOST];
    gnt_observation seen[POINTS_MOST];
    gnt_samples truth[POINTS_MOST];
    int64_t id[POINTS_MOST];
    const gnt_observation *seen_list[POINTS_MOST];
    const gnt_samples *truth_list[POINTS_MOST];
    gnt_attack_prepare in;
} points;

/* Once n, columns, x and value are there. */
static inline void points_tie(points *p, int32_t values) {
    for (int64_t i = 0; i < p->n; i++) {
        p->view[i] =
            (gnt_view){.name = "a", .rank = 1, .dim = {p->columns}, .count = p->columns, .data = p->x[i]};
        p->update[i] = (gnt_views){1, &p->view[i]};
        p->seen[i] = (gnt_observation){.size = sizeof(gnt_observation),
                                       .surface = GNT_SURFACE_UPDATE,
                                       .attribute_values = values,
                                       .n = 1,
                                       .update = &p->update[i]};
        p->id[i] = i;
        p->truth[i] = (gnt_samples){
            .size = sizeof(gnt_samples), .n = 1, .id = &p->id[i], .n_attributes = 1, .a = &p->value[i]};
        p->seen_list[i] = &p->seen[i];
        p->truth_list[i] = &p->truth[i];
    }
    p->in = (gnt_attack_prepare){.size = sizeof p->in,
                                 .n_shadow = p->n,
                                 .shadow = p->seen_list,
                                 .shadow_truth = p->truth_list,
                                 .attribute_values = values};
}

/* Value 0 within a ring of value 1: radii up to 1, and from 1.5 to 2. No line parts them. */
static inline void points_rings(points *p, int64_t n, uint64_t seed) {
    gnt_key key = gnt_key_of_seed(seed);
    gnt_stream s = gnt_stream_open(&key, "rings");
    *p = (points){.n = n, .columns = 2};
    for (int64_t i = 0; i < n; i++) {
        const double turn = 6.283185307179586 * gnt_random_uniform(&s), u = gnt_random_uniform(&s);
        p->value[i] = (int32_t)gnt_random_below(&s, 2);
        const double radius = p->value[i] ? 1.5 + u / 2 : sqrt(u);
        p->x[i][0] = (float)(1e-3 * radius * cos(turn));
        p->x[i][1] = (float)(1e-3 * radius * sin(turn));
    }
    points_tie(p, 2);
}

/* True if the signs of the first two of `columns` coordinates, none nearer to 0 than a quarter, are equal. */
static inline void points_xor(points *p, int64_t n, int64_t columns, uint64_t seed) {
    gnt_key key = gnt_key_of_seed(seed);
    gnt_stream s = gnt_stream_open(&key, "xor");
    *p = (points){.n = n, .columns = columns};
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < columns; j++) {
            const double u = 2 * gnt_random_uniform(&s) - 1;
            p->x[i][j] = (float)(u + (u < 0 ? -0.25 : 0.25));
        }
        p->value[i] = (p->x[i][0] < 0) == (p->x[i][1] < 0);
    }
    points_tie(p, 2);
}

/* ---- an attack on them ---- */

static inline tried points_open(const char *attack, const char *json, uint64_t seed, gnt_instance_spec spec) {
    char path[4096];
    tried t;
    gnt_err err = {0};
    if (try_load(&t, built("plugins/attacks/attribute.so", path), GNT_PLUGIN_ATTACK, attack, json, &err) !=
            0 ||
        try_start(&t, seed, spec, &err) != 0)
        fail_msg("%s", err.text);
    return t;
}

static inline gnt_status points_take(void *context, int32_t values, const float *scores) {
    memcpy(context, scores, (size_t)values * sizeof *scores);
    return GNT_OK;
}

static inline gnt_status points_run(tried *t, const gnt_observation *o, const kept *own, float *scores,
                                    gnt_err *err) {
    gnt_answer answer = {.size = sizeof answer, .context = scores, .attribute = points_take};
    gnt_instance_enter(t->instance, "run");
    gnt_status s =
        gnt_instance_attack(t->instance)->run(gnt_instance_self(t->instance), o, &own->artefacts, &answer);
    return gnt_instance_leave(t->instance, s, err);
}

/* Learns with window 1 and whatever else json says. */
static inline tried points_learn(const char *attack, const char *json, uint64_t seed, const points *p,
                                 kept *own) {
    tried t = points_open(attack, json, seed, (gnt_instance_spec){0});
    gnt_err err = {0};
    if (try_prepare(&t, &p->in, own, &err) != GNT_OK)
        fail_msg("%s", err.text);
    return t;
}

/* Share of `fresh` whose attribute is inferred correctly after learning from `shadow`. */
static inline double points_accuracy(const char *attack, const char *json, const points *shadow,
                                     const points *fresh) {
    kept own;
    tried t = points_learn(attack, json, 1, shadow, &own);
    gnt_err err = {0};
    int64_t right = 0;
    for (int64_t i = 0; i < fresh->n; i++) {
        float z[POINTS_VALUES];
        if (points_run(&t, &fresh->seen[i], &own, z, &err) != GNT_OK)
            fail_msg("%s", err.text);
        int32_t best = 0;
        for (int32_t v = 1; v < fresh->seen[i].attribute_values; v++)
            best = z[v] > z[best] ? v : best;
        right += best == fresh->value[i];
    }
    try_drop(&own);
    try_close(&t);
    return (double)right / (double)fresh->n;
}

static inline gnt_view *points_artefact(kept *k, const char *name) {
    for (int64_t i = 0; i < k->artefacts.tensors.n; i++)
        if (strcmp(k->view[i].name, name) == 0)
            return &k->view[i];
    fail_msg("no artefact %s", name);
    return NULL;
}

/* Checks that it refuses to run with these artefacts and says that they are none of its own. */
static inline void points_refused(tried *t, const gnt_observation *o, const kept *own, const char *what) {
    float z[POINTS_VALUES];
    gnt_err err = {0};
    if (points_run(t, o, own, z, &err) != GNT_FAILED || !strstr(err.text, "prepared for another task"))
        fail_msg("%s: \"%s\"", what, err.text);
}

/* Two keys: the same bytes from the first one twice, others from the second. */
static inline void points_repeat(const char *attack, const char *json, const points *p) {
    kept own[3];
    for (uint64_t i = 0; i < 3; i++) {
        tried t = points_learn(attack, json, i < 2 ? 1 : 2, p, &own[i]);
        try_close(&t);
    }
    int differ = 0;
    assert_int_equal(own[0].artefacts.tensors.n, own[1].artefacts.tensors.n);
    for (int64_t k = 0; k < own[0].artefacts.tensors.n; k++) {
        const gnt_view *a = &own[0].view[k], *b = &own[1].view[k], *c = &own[2].view[k];
        assert_int_equal(a->count, b->count);
        assert_memory_equal(a->data, b->data, (size_t)a->count * sizeof(float));
        differ |= a->count != c->count || memcmp(a->data, c->data, (size_t)a->count * sizeof(float)) != 0;
    }
    assert_true(differ);
    for (int i = 0; i < 3; i++)
        try_drop(&own[i]);
}

typedef struct points_clock {
    int polls, before_stop;
} points_clock;

static points_clock points_polls;

static inline int points_stop_requested(void *context) {
    (void)context;
    return points_polls.polls++ >= points_polls.before_stop;
}

/* Stopped at that poll of should_stop, it returns at once and leaves nothing but mean and scale. */
static inline void points_stops(const char *attack, const char *json, const points *p, int at) {
    points_polls = (points_clock){.before_stop = at};
    tried t = points_open(attack, json, 1, (gnt_instance_spec){.should_stop = points_stop_requested});
    kept own;
    gnt_err err = {0};
    assert_int_equal(try_prepare(&t, &p->in, &own, &err), GNT_STOPPED);
    assert_int_equal(points_polls.polls, at + 1);
    assert_true(own.artefacts.tensors.n <= 2);
    try_drop(&own);
    try_close(&t);
}

#endif
