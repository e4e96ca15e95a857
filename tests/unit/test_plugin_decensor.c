/* decensor and invert: attributes behind a learnt map of a representation. decensor infers what a linear
 * classifier cannot, since samples reveal it; invert finds the samples behind a known linear encoding. Both
 * read the right sample with each representation, whether shadow observations show them or the model computes
 * them, and several samples behind one observation as they say. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "attr_points.h"
#include "plugin/model_service.h"

enum { FEATURES = 3, WIDTH = 4, MANY = 400 };
#define QUICK "{\"window\": 1, \"hidden\": 32, \"epochs\": 40"
#define LONGER "{\"window\": 1, \"hidden\": 64, \"epochs\": 150"

static const char *const both[] = {"decensor", "invert"};

static points shadow, queried;
static float sample[POINTS_MOST][FEATURES];

/* p's vectors as representations, of one sample each. */
static void show_representations(points *p, float of[][FEATURES]) {
    for (int64_t i = 0; i < p->n; i++) {
        p->seen[i].surface = GNT_SURFACE_REPRESENTATION;
        p->seen[i].representation = p->seen[i].update;
        p->seen[i].update = NULL;
        p->view[i].rank = 2;
        p->view[i].dim[0] = 1;
        p->view[i].dim[1] = p->columns;
        p->truth[i].x = of ? of[i] : NULL;
        p->truth[i].features = FEATURES;
    }
}

static gnt_stream stream_of(uint64_t seed) {
    const gnt_key key = gnt_key_of_seed(seed);
    return gnt_stream_open(&key, "samples");
}

/* Multiples of 1/256 from 1/4 to 3/4, so that means of a few of them are exact. */
static float draw(gnt_stream *s) {
    return (float)(64 + gnt_random_below(s, 129)) / 256;
}

/* Values follow from one entry of a sample, and from the signs of two entries of its representation. */
static void censored(points *p, float of[][FEATURES], int64_t n, uint64_t seed) {
    gnt_stream s = stream_of(seed);
    points_xor(p, n, 2, seed);
    for (int64_t i = 0; of && i < n; i++) {
        of[i][0] = draw(&s);
        of[i][1] = draw(&s) / 2 + (p->value[i] ? 0.375F : 0);
        of[i][2] = draw(&s);
    }
    show_representations(p, of);
}

/* A·x + b; A has full column rank. */
static const float encoder[WIDTH][FEATURES] = {{1, 0.5F, 0}, {-1, 2, 1}, {0, 1, -1}, {0.5F, 0, 2}};
static const float shift[WIDTH] = {0.25F, -0.5F, 0, 1};

static void encode(const float *x, float *r) {
    for (int o = 0; o < WIDTH; o++) {
        r[o] = shift[o];
        for (int k = 0; k < FEATURES; k++)
            r[o] += encoder[o][k] * x[k];
    }
}

/* True if two entries of the sample are on one side of their middle. */
static int32_t value_of(const float *x) {
    return (x[0] > 0.5F) == (x[1] > 0.5F);
}

static void encoded(points *p, float of[][FEATURES], int64_t n, uint64_t seed) {
    gnt_stream s = stream_of(seed);
    *p = (points){.n = n, .columns = WIDTH};
    for (int64_t i = 0; i < n; i++) {
        for (int k = 0; k < FEATURES; k++)
            of[i][k] = draw(&s);
        encode(of[i], p->x[i]);
        p->value[i] = value_of(of[i]);
    }
    points_tie(p, 2);
    show_representations(p, of);
}

/* ---- what it answers ---- */

typedef struct answered {
    float z[2], x[8][FEATURES];
    int64_t n; /* reconstructions */
} answered;

static gnt_status take_scores(void *context, int32_t values, const float *scores) {
    answered *a = context;
    assert_int_equal(values, 2);
    memcpy(a->z, scores, sizeof a->z);
    return GNT_OK;
}

static gnt_status take_samples(void *context, int64_t count, const float *x) {
    answered *a = context;
    assert_true(count <= 8);
    a->n = count;
    memcpy(a->x, x, (size_t)count * sizeof *a->x);
    return GNT_OK;
}

static answered run_attack(tried *t, const gnt_observation *seen, const kept *own) {
    answered a = {0};
    gnt_err err = {0};
    const gnt_answer answer = {
        .size = sizeof answer, .context = &a, .attribute = take_scores, .reconstruction = take_samples};
    gnt_instance_enter(t->instance, "run");
    const gnt_status s =
        gnt_instance_attack(t->instance)->run(gnt_instance_self(t->instance), seen, &own->artefacts, &answer);
    if (gnt_instance_leave(t->instance, s, &err) != GNT_OK)
        fail_msg("%s", err.text);
    return a;
}

static void assert_same(const kept *a, const kept *b) {
    assert_int_equal(a->artefacts.tensors.n, b->artefacts.tensors.n);
    for (int64_t i = 0; i < a->artefacts.tensors.n; i++) {
        assert_string_equal(a->view[i].name, b->view[i].name);
        assert_int_equal(a->view[i].count, b->view[i].count);
        assert_memory_equal(a->view[i].data, b->view[i].data, (size_t)a->view[i].count * sizeof(float));
    }
}

/* ---- decensor ---- */

static void infers_what_a_linear_classifier_cannot(void **state) {
    (void)state;
    kept own;
    censored(&shadow, sample, MANY, 1);
    censored(&queried, NULL, 200, 2);
    assert_true(points_accuracy("fresh", "{\"window\": 1, \"classifier\": \"linear\"}", &shadow, &queried) <
                0.75);
    assert_true(points_accuracy("decensor", QUICK "}", &shadow, &queried) > 0.95);
    tried t = points_learn("decensor", QUICK "}", 1, &shadow, &own);
    assert_true(try_fact(&t, "inputs") == 2);
    assert_true(try_fact(&t, "auxiliary_accuracy") > 0.95);
    assert_true(try_fact(&t, "validation_accuracy") > 0.95);
    const double unexplained = try_fact(&t, "unexplained");
    assert_true(unexplained > 0 &&
                unexplained < 0.95); /* what the sample's two other entries add is in no representation */
    try_drop(&own);
    try_close(&t);
}

/* Samples that say nothing of the attribute: the auxiliary network learns nothing, and T has nothing to
 * find. */
static void says_how_little_samples_reveal(void **state) {
    (void)state;
    kept own;
    censored(&shadow, sample, MANY, 1);
    gnt_stream s = stream_of(9);
    for (int64_t i = 0; i < shadow.n; i++)
        for (int k = 0; k < FEATURES; k++)
            sample[i][k] = draw(&s);
    tried t = points_learn("decensor", QUICK "}", 1, &shadow, &own);
    assert_true(try_fact(&t, "auxiliary_accuracy") < 0.7);
    assert_true(try_fact(&t, "unexplained") > 0.9);
    try_drop(&own);
    try_close(&t);
}

/* Two samples with their representations, whose means are those of one. */
static void takes_means_of_several_samples(void **state) {
    (void)state;
    kept of_one, of_two;
    static float pair[POINTS_MOST][2][FEATURES], r[POINTS_MOST][2][2];
    static int32_t values[POINTS_MOST][2];
    static int64_t ids[POINTS_MOST][2];
    censored(&shadow, sample, 100, 1);
    for (int64_t i = 0; i < shadow.n; i++)
        for (int k = 0; k < 2; k++)
            shadow.x[i][k] = roundf(256 * shadow.x[i][k]) / 256;
    tried t = points_learn("decensor", QUICK "}", 1, &shadow, &of_one);
    const answered one = run_attack(&t, &shadow.seen[3], &of_one);
    try_close(&t);
    for (int64_t i = 0; i < shadow.n; i++) {
        for (int half = 0; half < 2; half++) {
            for (int k = 0; k < FEATURES; k++)
                pair[i][half][k] = sample[i][k] + (half ? 0.125F : -0.125F);
            for (int k = 0; k < 2; k++)
                r[i][half][k] = shadow.x[i][k] + (half ? 0.5F : -0.5F);
            values[i][half] = shadow.value[i];
            ids[i][half] = shadow.id[i];
        }
        shadow.view[i].dim[0] = shadow.seen[i].n = shadow.truth[i].n = 2;
        shadow.view[i].count *= 2;
        shadow.view[i].data = r[i][0];
        shadow.truth[i].x = pair[i][0];
        shadow.truth[i].a = values[i];
        shadow.truth[i].id = ids[i];
    }
    t = points_learn("decensor", QUICK "}", 1, &shadow, &of_two);
    assert_same(&of_one, &of_two);
    const answered two = run_attack(&t, &shadow.seen[3], &of_two);
    assert_memory_equal(one.z, two.z, sizeof one.z);
    try_close(&t);
    try_drop(&of_one);
    try_drop(&of_two);
}

/* ---- invert ---- */

/* Measures over the n samples: root mean square error of reconstructions, share of values inferred
 * correctly. */
static void judge(tried *t, points *p, float of[][FEATURES], const kept *own, double *error,
                  double *inferred) {
    double sum = 0, right = 0;
    for (int64_t i = 0; i < p->n; i++) {
        p->seen[i].goals = GNT_GOAL_RECONSTRUCTION | GNT_GOAL_ATTRIBUTE;
        const answered a = run_attack(t, &p->seen[i], own);
        assert_int_equal(a.n, 1);
        for (int k = 0; k < FEATURES; k++)
            sum += ((double)a.x[0][k] - (double)of[i][k]) * ((double)a.x[0][k] - (double)of[i][k]);
        right += (a.z[1] > a.z[0]) == p->value[i];
    }
    *error = sqrt(sum / ((double)p->n * FEATURES));
    *inferred = right / (double)p->n;
}

static float fresh_sample[POINTS_MOST][FEATURES];

/* Entries are spread by 0.15. */
static void finds_samples_behind_a_linear_encoding(void **state) {
    (void)state;
    static const char *const json[] = {LONGER "}", LONGER ", \"validation\": 0}"};
    encoded(&shadow, sample, MANY, 1);
    encoded(&queried, fresh_sample, 200, 2);
    for (int k = 0; k < 2; k++) {
        kept own;
        double error, inferred;
        tried t = points_learn("invert", json[k], 1, &shadow, &own);
        const double unexplained = try_fact(&t, "unexplained"), right = try_fact(&t, "validation_accuracy");
        assert_true(k ? isnan(unexplained) : unexplained < 0.02);
        assert_true(k ? isnan(right) : right > 0.85);
        try_close(&t);
        t = points_open("invert", json[k], 5, (gnt_instance_spec){0}); /* none but its artefacts */
        judge(&t, &queried, fresh_sample, &own, &error, &inferred);
        assert_true(error < 0.02 && inferred > 0.85);
        try_close(&t);
        try_drop(&own);
    }
}

static void answers_images_where_they_are_wanted_and_within_their_range(void **state) {
    (void)state;
    kept own;
    encoded(&shadow, sample, 100, 1);
    tried t = points_learn("invert", QUICK "}", 1, &shadow, &own);
    shadow.seen[0].goals = GNT_GOAL_ATTRIBUTE;
    assert_int_equal(run_attack(&t, &shadow.seen[0], &own).n, 0);
    shadow.seen[0].goals |= GNT_GOAL_RECONSTRUCTION;
    const float beyond[2][FEATURES] = {{9, 9, 9}, {-9, -9, -9}};
    for (int side = 0; side < 2; side++) {
        encode(beyond[side], shadow.x[0]);
        const answered a = run_attack(&t, &shadow.seen[0], &own);
        for (int k = 0; k < FEATURES; k++)
            assert_true(a.x[0][k] >= 0 && a.x[0][k] <= 1);
    }
    try_close(&t);
    try_drop(&own);
}

/* In pairs, and one by one. */
static void reads_several_samples_one_by_one(void **state) {
    (void)state;
    enum { N = 120 };
    static float r[N][WIDTH], single[N][FEATURES];
    static int32_t values[N];
    static int64_t ids[N];
    kept of_singles, of_pairs;
    encoded(&shadow, single, N, 1);
    tried t = points_learn("invert", QUICK "}", 1, &shadow, &of_singles);
    for (int i = 0; i < N; i++) {
        memcpy(r[i], shadow.x[i], sizeof r[i]);
        values[i] = shadow.value[i];
        ids[i] = i;
    }
    shadow.seen[0].goals = shadow.seen[1].goals = GNT_GOAL_RECONSTRUCTION | GNT_GOAL_ATTRIBUTE;
    const answered one[2] = {run_attack(&t, &shadow.seen[0], &of_singles),
                             run_attack(&t, &shadow.seen[1], &of_singles)};
    for (int i = 0; i < N / 2; i++) {
        shadow.view[i].dim[0] = shadow.seen[i].n = shadow.truth[i].n = 2;
        shadow.view[i].count = 2 * (int64_t)WIDTH;
        shadow.view[i].data = r[2 * i];
        shadow.truth[i].x = single[2 * i];
        shadow.truth[i].a = &values[2 * i];
        shadow.truth[i].id = &ids[2 * i];
    }
    const answered two = run_attack(&t, &shadow.seen[0], &of_singles);
    assert_int_equal(two.n, 2);
    assert_memory_equal(two.x[0], one[0].x[0], sizeof two.x[0]);
    assert_memory_equal(two.x[1], one[1].x[0], sizeof two.x[0]);
    for (int v = 0; v < 2; v++)
        assert_true(fabsf(two.z[v] - (one[0].z[v] + one[1].z[v]) / 2) < 1e-5F);
    try_close(&t);
    shadow.in.n_shadow = N / 2;
    t = points_learn("invert", QUICK "}", 1, &shadow, &of_pairs);
    assert_same(&of_singles, &of_pairs);
    try_close(&t);
    try_drop(&of_pairs);
    gnt_err err = {0};
    shadow.view[7].count = 2 * WIDTH + 1;
    t = points_open("invert", QUICK "}", 1, (gnt_instance_spec){0});
    assert_int_equal(try_prepare(&t, &shadow.in, &of_pairs, &err), GNT_FAILED);
    assert_non_null(strstr(err.text, "no representation of each"));
    try_close(&t);
    try_drop(&of_pairs);
    try_drop(&of_singles);
}

/* ---- what they compute themselves ---- */

static const char model_json[] =
    "{\"layers\": [{\"type\": \"dense\", \"name\": \"r\", \"out\": 4},"
    " {\"type\": \"dense\", \"name\": \"head\", \"out\": \"classes\"}], \"representation\": \"r\"}";

/* Expects a refusal for a model whose samples have one entry more. */
static void refused_for_other_samples(const kept *own) {
    const gnt_nn_shape shape = {1, {FEATURES + 1}};
    gnt_model *model;
    gnt_service *service;
    gnt_err err = {0};
    if (gnt_model_parse(&model, "test", model_json, &shape, 2, NULL, NULL, &err))
        fail_msg("%s", err.text);
    const gnt_service_spec of = {.model = model, .name = "test"};
    assert_int_equal(gnt_service_new(&service, &of, &err), 0);
    tried t = points_open("invert", LONGER "}", 1, (gnt_instance_spec){.model = service});
    points_refused(&t, &queried.seen[0], own, "samples of another model");
    try_close(&t);
    gnt_service_free(service);
    gnt_model_free(model);
}

/* The model is the encoder. Samples of one value go together, so rows are not in the samples' order. */
static void computes_representations_of_shadow_samples(void **state) {
    (void)state;
    static float y[MANY][2];
    static int32_t a[MANY];
    static int64_t id[MANY];
    const gnt_nn_shape shape = {1, {FEATURES}};
    const gnt_attribute attribute = {.name = "hidden", .values = 2};
    float weights[WIDTH * FEATURES + WIDTH + WIDTH * 2 + 2] = {0};
    gnt_model *model;
    gnt_service *service;
    gnt_err err = {0};
    memcpy(weights, encoder, sizeof encoder);
    memcpy(weights + WIDTH * FEATURES, shift, sizeof shift);
    encoded(&shadow, sample, MANY, 1);
    encoded(&queried, fresh_sample, 100, 2);
    for (int i = 0; i < MANY; i++) {
        a[i] = shadow.value[i];
        id[i] = i;
    }
    const gnt_samples samples = {.size = sizeof samples,
                                 .kind = GNT_KIND_TABULAR,
                                 .n = MANY,
                                 .rank = 1,
                                 .classes = 2,
                                 .dim = {FEATURES},
                                 .features = FEATURES,
                                 .id = id,
                                 .x = sample[0],
                                 .y = y[0],
                                 .n_attributes = 1,
                                 .attribute = &attribute,
                                 .a = a};
    gnt_observation like = {.size = sizeof like, .surface = GNT_SURFACE_REPRESENTATION, .n = 1};
    const gnt_attack_prepare in = {.size = sizeof in,
                                   .shadow_data = &samples,
                                   .attribute_values = 2,
                                   .weights = weights,
                                   .setting = &like};
    if (gnt_model_parse(&model, "test", model_json, &shape, 2, NULL, NULL, &err))
        fail_msg("%s", err.text);
    const gnt_service_spec of = {.model = model, .name = "test"};
    assert_int_equal(gnt_service_new(&service, &of, &err), 0);
    kept own[2];
    for (int k = 0; k < 2; k++) { /* of one sample, and of three: those too are read one by one */
        double error, inferred;
        like.n = 1 + 2 * k;
        tried t = points_open("invert", LONGER "}", 1, (gnt_instance_spec){.model = service});
        if (try_prepare(&t, &in, &own[k], &err) != GNT_OK)
            fail_msg("%s", err.text);
        judge(&t, &queried, fresh_sample, &own[k], &error, &inferred);
        assert_true(error < 0.02 && inferred > 0.85);
        try_close(&t);
    }
    refused_for_other_samples(&own[0]);
    assert_same(&own[0], &own[1]);
    try_drop(&own[0]);
    try_drop(&own[1]);
    /* decensor: mean of the samples behind each of its rows is what its auxiliary network learns from */
    for (int k = 0; k < 2; k++) {
        like.n = 1 + 2 * k;
        tried t = points_open("decensor", LONGER "}", 1, (gnt_instance_spec){.model = service});
        if (try_prepare(&t, &in, &own[0], &err) != GNT_OK)
            fail_msg("%s", err.text);
        assert_true(try_fact(&t, "unexplained") < (k ? 0.25 : 0.1));
        assert_int_equal(points_artefact(&own[0], "mean")->count, WIDTH);
        try_drop(&own[0]);
        try_close(&t);
    }
    gnt_service_free(service);
    gnt_model_free(model);
}

/* ---- both ---- */

/* Layers of that prefix, ReLU between them; x: what they read, then what they give. */
static void layers(kept *own, const char *prefix, int n, double *x) {
    for (int i = 0; i < n; i++) {
        char weight[32], bias[32];
        double out[64];
        snprintf(weight, sizeof weight, "%sweight.%d", prefix, i);
        snprintf(bias, sizeof bias, "%sbias.%d", prefix, i);
        const gnt_view *w = points_artefact(own, weight), *b = points_artefact(own, bias);
        assert_true(w->dim[0] <= 64);
        for (int64_t o = 0; o < w->dim[0]; o++) {
            out[o] = (double)b->data[o];
            for (int64_t k = 0; k < w->dim[1]; k++)
                out[o] += (double)w->data[o * w->dim[1] + k] * x[k];
            out[o] = i + 1 < n && out[o] < 0 ? 0 : out[o];
        }
        memcpy(x, out, (size_t)w->dim[0] * sizeof *x);
    }
}

static void standardise(kept *own, const char *mean, const char *scale, double *x) {
    const gnt_view *m = points_artefact(own, mean), *s = points_artefact(own, scale);
    for (int64_t k = 0; k < m->count; k++)
        x[k] = (x[k] - (double)m->data[k]) * (double)s->data[k];
}

/* C(standardised T(standardised r)), by the artefacts. Entries of a sample differ in spread, so that it
 * matters whether what T gives is standardised. */
static void answers_by_its_artefacts(void **state) {
    (void)state;
    static const char json[] = "{\"window\": 1, \"hidden\": 24, \"epochs\": 20, \"batch\": 8}";
    for (int k = 0; k < 2; k++) {
        kept own;
        encoded(&shadow, sample, 200, 1);
        for (int64_t i = 0; i < shadow.n; i++) {
            sample[i][2] = 0.5F + sample[i][2] / 64;
            encode(sample[i], shadow.x[i]);
        }
        tried t = points_learn(both[k], json, 1, &shadow, &own);
        for (int64_t i = 0; i < 5; i++) {
            double x[64];
            for (int o = 0; o < WIDTH; o++)
                x[o] = (double)shadow.x[i][o];
            standardise(&own, "mean", "scale", x);
            layers(&own, "map.", 3, x);
            standardise(&own, "given.mean", "given.scale", x);
            layers(&own, "", 2, x);
            const answered a = run_attack(&t, &shadow.seen[i], &own);
            for (int v = 0; v < 2; v++)
                assert_true(fabs((double)a.z[v] - x[v]) < 1e-3 * (1 + fabs(x[v])));
        }
        try_drop(&own);
        try_close(&t);
    }
}

static void gives_the_same_bytes_again(void **state) {
    (void)state;
    encoded(&shadow, sample, 100, 1);
    for (int k = 0; k < 2; k++)
        points_repeat(both[k], "{\"window\": 1, \"hidden\": 16, \"epochs\": 3}", &shadow);
}

static void stops_on_request(void **state) {
    (void)state;
    encoded(&shadow, sample, 100, 1);
    for (int k = 0; k < 2; k++)
        for (int at = 40; at < 140; at += 80) /* while it reads, and while its first network learns */
            points_stops(both[k], QUICK "}", &shadow, at);
}

static void refuses_what_is_not_its_own(void **state) {
    (void)state;
    static const struct {
        const char *name, *what;
        int of_invert;
    } spoilt[] = {{"map.bias.2", "a map to fewer outputs", 0},
                  {"given.mean", "other means than outputs", 0},
                  {"weight.0", "a classifier of fewer inputs", 0},
                  {"sample.mean", "a sample of fewer entries", 1},
                  {"sample.deviation", "no deviation", 1}};
    encoded(&shadow, sample, 100, 1);
    for (int k = 0; k < 2; k++) {
        kept own;
        tried t = points_learn(both[k], QUICK "}", 1, &shadow, &own);
        for (size_t i = 0; i < sizeof spoilt / sizeof *spoilt; i++) {
            if (spoilt[i].of_invert && k == 0)
                continue;
            gnt_view *v = points_artefact(&own, spoilt[i].name), was = *v;
            v->count--;
            v->dim[v->rank - 1]--;
            points_refused(&t, &shadow.seen[0], &own, spoilt[i].what);
            *v = was;
        }
        run_attack(&t, &shadow.seen[0], &own);
        gnt_err err = {0};
        float z[2];
        gnt_observation nothing = shadow.seen[0];
        nothing.representation = NULL;
        assert_int_equal(points_run(&t, &nothing, &own, z, &err), GNT_UNSUPPORTED);
        assert_non_null(strstr(err.text, "none was observed"));
        try_drop(&own);
        try_close(&t);
    }
}

static void wants_the_samples_behind_shadow_observations(void **state) {
    (void)state;
    encoded(&shadow, sample, 100, 1);
    for (int k = 0; k < 2; k++)
        for (int other = 0; other < 2; other++) {
            kept own;
            gnt_err err = {0};
            tried t = points_open(both[k], QUICK "}", 1, (gnt_instance_spec){0});
            shadow.truth[9].x = other ? sample[9] : NULL;
            shadow.truth[9].features = FEATURES - other;
            assert_int_equal(try_prepare(&t, &shadow.in, &own, &err), GNT_FAILED);
            assert_non_null(strstr(err.text, "samples behind shadow observations"));
            shadow.truth[9].x = sample[9];
            shadow.truth[9].features = FEATURES;
            try_drop(&own);
            try_close(&t);
        }
}

static void refuses_parameters_out_of_range(void **state) {
    (void)state;
    static const char *const json[] = {"{\"hidden\": 0}",     "{\"hidden\": 20000}", "{\"map_rate\": 0}",
                                       "{\"map_rate\": 2}",   "{\"epochs\": 0}",     "{\"validation\": 0.6}",
                                       "{\"momentum\": 1}",   "{\"batch\": 0}",      "{\"rate\": -1}",
                                       "{\"inputs\": 0}",     "{\"window\": -1}",    "{\"weights\": \"all\"}",
                                       "{\"map_rate\": \"\"}"};
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < sizeof json / sizeof *json; i++) {
            char path[4096];
            tried t;
            gnt_err err = {0};
            if (try_load(&t, built("plugins/attacks/attribute.so", path), GNT_PLUGIN_ATTACK, both[k], json[i],
                         &err) == 0)
                fail_msg("%s took %s", both[k], json[i]);
            gnt_params_free(&t.params);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(infers_what_a_linear_classifier_cannot),
        cmocka_unit_test(says_how_little_samples_reveal),
        cmocka_unit_test(takes_means_of_several_samples),
        cmocka_unit_test(finds_samples_behind_a_linear_encoding),
        cmocka_unit_test(answers_images_where_they_are_wanted_and_within_their_range),
        cmocka_unit_test(reads_several_samples_one_by_one),
        cmocka_unit_test(computes_representations_of_shadow_samples),
        cmocka_unit_test(answers_by_its_artefacts),
        cmocka_unit_test(gives_the_same_bytes_again),
        cmocka_unit_test(stops_on_request),
        cmocka_unit_test(refuses_what_is_not_its_own),
        cmocka_unit_test(wants_the_samples_behind_shadow_observations),
        cmocka_unit_test(refuses_parameters_out_of_range),
    };
    return cmocka_run_group_tests_name("decensor", tests, NULL, NULL);
}
