/* sample-attribute: infers a private attribute from the samples that it reads off an update.
 *
 * linear-layer recovers the samples; a classifier, trained on shadow samples themselves and not on their
 * updates, infers the attribute from each, and its scores are averaged. So a defense that leaves samples
 * legible hides no attribute that they show, however it changes updates. */
#include "first_dense.h"
#include "hook.h"
#include "linear/linear_layer.h"
#include "shared/attribute/attr_parameters.h"
#include "shared/attribute/pool.h"

extern const gnt_descriptor gradient_linear_layer;

typedef struct sample_attribute {
    union {
        const gnt_host *host; /* the first member of recipe */
        attr_recipe recipe;
    };
    attr_reading reading;
    gnt_list hidden;
    linear_layer reader;
} sample_attribute;

static gnt_status start(void *self) {
    sample_attribute *s = self;
    if (s->hidden.n > ATTR_HIDDEN)
        return gnt_host_fail(s->host, "it has room for 16 hidden layers; give fewer");
    s->recipe.n_hidden = (int32_t)s->hidden.n;
    for (int64_t i = 0; i < s->hidden.n; i++)
        s->recipe.hidden[i] = (int64_t)s->hidden.at[i];
    s->reading.window = 1; /* each entry of a sample is an input */
    s->reader = (linear_layer){.host = s->host, .distinct = 1e-3, .noise = -1, .exact = 5}; /* its defaults */
    return GNT_OK;
}

static void stop(void *self) {
    gradient_linear_layer.stop(&((sample_attribute *)self)->reader);
}

/* ---- samples, in the form in which classifiers read representations ---- */

typedef struct sample_seen {
    gnt_view view;
    gnt_views views;
    gnt_observation seen;
} sample_seen;

static void show(sample_seen *out, const float *x, int64_t features, int32_t values) {
    out->view =
        (gnt_view){.name = "sample", .rank = 2, .dim = {1, features}, .count = features, .data = (float *)x};
    out->views = (gnt_views){1, &out->view};
    out->seen = (gnt_observation){.size = sizeof out->seen,
                                  .surface = GNT_SURFACE_REPRESENTATION,
                                  .attribute_values = values,
                                  .n = 1,
                                  .representation = &out->views};
}

/* Sets *out to the shadow samples as observations of one sample each. */
static gnt_status show_all(gnt_attack_prepare *out, const gnt_host *host, const gnt_attack_prepare *in) {
    const gnt_samples *s = in->shadow_data;
    sample_seen *one = gnt_host_scratch(host, s->n, sizeof *one);
    gnt_samples *truth = gnt_host_scratch(host, s->n, sizeof *truth);
    const gnt_observation **shadow = gnt_host_scratch(host, s->n, sizeof *shadow);
    const gnt_samples **behind = gnt_host_scratch(host, s->n, sizeof *behind);
    TRY(hook_memory(host, one && truth && shadow && behind));
    for (int64_t k = 0; k < s->n; k++) {
        show(&one[k], s->x + k * s->features, s->features, in->attribute_values);
        truth[k] = attr_sample_of(s, k);
        shadow[k] = &one[k].seen;
        behind[k] = &truth[k];
    }
    *out = *in;
    out->setting = NULL;
    out->n_shadow = s->n;
    out->shadow = shadow;
    out->shadow_truth = behind;
    return GNT_OK;
}

/* ---- hooks ---- */

static gnt_status learn(const sample_attribute *s, attr_source *from, const gnt_sink *out) {
    const gnt_host *host = s->host;
    attr_table t;
    attr_trained trained;
    TRY(attr_table_make(&t, &s->reading, from));
    TRY(attr_train_scratch(&trained, &s->recipe, &t));
    gnt_host_fact(host, "validation_accuracy", trained.accuracy);
    if (attr_write_statistics(out, "", t.columns, from->mean, from->scale) != GNT_OK ||
        attr_write_net(out, "", &trained.net) != GNT_OK)
        return gnt_host_fail(host, "its network could not be kept");
    return GNT_OK;
}

static gnt_status prepare(void *self, const gnt_attack_prepare *in, const gnt_sink *out) {
    const sample_attribute *s = self;
    gnt_attack_prepare samples;
    attr_source from;
    if (!in->shadow_data || in->shadow_data->n < 2)
        return unsupported(s->host, "it learns from shadow samples, and there are none");
    TRY(show_all(&samples, s->host, in));
    gnt_status status = attr_source_of_attack(&from, s->host, &s->reading, &samples);
    if (status == GNT_OK)
        status = learn(s, &from, out);
    attr_source_close(&from);
    return status;
}

/* What linear-layer answers, which are samples alone. */
typedef struct samples_read {
    const gnt_host *host;
    int64_t n, features;
    float *x;
} samples_read;

static gnt_status take_samples(void *context, int64_t count, const float *x) {
    samples_read *r = context;
    r->x = gnt_host_scratch(r->host, count * r->features, sizeof *r->x);
    TRY(hook_memory(r->host, r->x != NULL));
    for (int64_t i = 0; i < count * r->features; i++)
        r->x[i] = x[i];
    r->n = count;
    return GNT_OK;
}

static gnt_status infer(const sample_attribute *s, const samples_read *r, const gnt_artefacts *own,
                        int32_t values, float *scores) {
    const gnt_host *host = s->host;
    for (int64_t k = 0; k < r->n; k++) {
        sample_seen one;
        attr_net net;
        int64_t columns;
        show(&one, r->x + k * r->features, r->features, values);
        const float *x = attr_read_seen(host, &s->reading, &one.seen, own, &columns);
        if (!x)
            return GNT_FAILED;
        if (attr_read_net(&net, own, "", columns, values) != 0)
            return gnt_host_fail(host, "its artefacts are not a network for this attribute");
        float *room = gnt_host_scratch(host, 2 * attr_widest(&net), sizeof *room);
        float *of_this = gnt_host_scratch(host, values, sizeof *of_this);
        TRY(hook_memory(host, room && of_this));
        attr_forward(&net, x, room, of_this);
        for (int32_t v = 0; v < values; v++)
            scores[v] += of_this[v] / (float)r->n;
    }
    return GNT_OK;
}

static gnt_status run(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer) {
    sample_attribute *s = self;
    const gnt_host *host = s->host;
    if (!host->model)
        return unsupported(host, "it needs the model");
    samples_read r = {.host = host, .features = hook_features(host->model->info)};
    const gnt_answer captured = {.size = sizeof captured, .context = &r, .reconstruction = take_samples};
    TRY(gradient_linear_layer.attack->run(&s->reader, seen, own, &captured));
    if (r.n < 1)
        return unsupported(host, "no sample could be read off the update");
    float *scores = gnt_host_scratch(host, seen->attribute_values, sizeof *scores);
    TRY(hook_memory(host, scores != NULL));
    TRY(infer(s, &r, own, seen->attribute_values, scores));
    return answer->attribute(answer->context, seen->attribute_values, scores);
}

static const gnt_attack hooks = {.size = sizeof hooks, .prepare = prepare, .run = run};

static const gnt_parameter parameters[] = {
    GNT_INT_LIST(sample_attribute, hidden, 1, 16384, "[64]", "neurons",
                 "widths of the classifier's hidden layers; [] is a linear classifier"),
    ATTR_SGD_MEMBERS(sample_attribute, recipe),
    ATTR_JUDGING_MEMBERS(sample_attribute, reading, recipe.balanced, ATTR_BEST_EPOCH),
};

const gnt_descriptor gradient_sample_attribute = {
    GNT_ATTACK("sample-attribute", "1.0",
               "infers a private attribute from the samples that it reads off an update, learnt from shadow "
               "samples",
               "MIT", ""),
    GNT_PARAMETERS(parameters),
    .families = linear_layer_families,
    .surfaces = GNT_SURFACE_UPDATE,
    .attack = &hooks,
    .instance_size = GNT_INSTANCE(sample_attribute),
    .goals = GNT_GOAL_ATTRIBUTE,
    .needs = GNT_KNOWS_SHADOW | GNT_KNOWS_ATTRIBUTE,
    .uses = GNT_KNOWS_DEFENSE | GNT_KNOWS_PUBLIC | GNT_KNOWS_PRIOR_DATA | GNT_KNOWS_HISTORY,
    .data_kinds = GNT_KIND_ANY,
    .flags = GNT_FLAG_FIRST_DENSE | GNT_FLAG_RANDOMISED,
    .scope = GNT_SCOPE_STAGE,
    .least_shadow = 2,
    .start = start,
    .stop = stop};
