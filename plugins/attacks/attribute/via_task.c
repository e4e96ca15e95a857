/* via-task: a private attribute by the task's own class. A network learns the task from what is observed, on
 * shadow samples with their labels; how often each value goes with each class there does the rest:
 *   p(u | r) = Σ_c p(c | r)·p(u | c)
 * Where the attribute follows from the class, as an animal from its species, whatever serves the task tells
 * it, and no defense that keeps the task's accuracy can hide it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attribute.h"
#include "classic.h"

enum { HIDDEN, SGD, READING = SGD + ATTR_SGD };

typedef struct attack {
    classic base;
    attr_nn head;
} attack;

static void *create(const gnt_host *host, const gnt_value *v) {
    attack *s = calloc(1, sizeof *s);
    if (!s) {
        host->fail(host->context, "out of memory");
        return NULL;
    }
    classic_open(&s->base, host, v + READING);
    s->head.reading = s->base.reading;
    s->head.recipe.host = host;
    attr_read_sgd(&s->head.recipe, v + SGD);
    s->head.recipe.n_hidden = v[HIDDEN].i > 0;
    s->head.recipe.hidden[0] = v[HIDDEN].i;
    s->head.recipe.balanced = s->base.balanced;
    return s;
}

/* ---- learning ---- */

/* The shadow samples, single or behind one observation each. */
typedef struct rows {
    const gnt_attack_prepare *in;
    int64_t n;
    int32_t classes;
} rows;

static const gnt_samples *sample_of(const rows *r, int64_t i, int64_t *row) {
    const int observed = r->in->shadow != NULL && r->in->shadow_truth != NULL;
    *row = observed ? 0 : i;
    return observed ? r->in->shadow_truth[i] : r->in->shadow_data;
}

static gnt_status rows_open(rows *r, const gnt_host *host, const gnt_attack_prepare *in) {
    int64_t row;
    *r = (rows){.in = in};
    if (in->shadow && in->shadow_truth)
        r->n = in->n_shadow;
    else if (in->shadow_data)
        r->n = in->shadow_data->n;
    if (r->n < 1 || !in->setting || in->setting->n != 1 || sample_of(r, 0, &row)->n < 1) {
        host->fail(host->context, "it reads observations of single samples, and learns from shadow samples");
        return GNT_UNSUPPORTED;
    }
    r->classes = sample_of(r, 0, &row)->classes;
    for (int64_t i = 0; i < r->n; i++)
        if (!sample_of(r, i, &row)->y || sample_of(r, i, &row)->classes != r->classes) {
            host->fail(host->context, "it learns the task from the labels of shadow samples, and has none");
            return GNT_UNSUPPORTED;
        }
    return GNT_OK;
}

/* given: classes × values, p(u | c), where each class starts with one sample spread as all are. */
static gnt_status count_given(const rows *r, const gnt_host *host, int32_t attribute, int32_t values,
                              float *given) {
    double *count = host->scratch(host->context, (size_t)(r->classes + 1) * (size_t)values * sizeof *count);
    if (!count)
        return host->fail(host->context, "no memory for the values of each class");
    double *all = count + (ptrdiff_t)r->classes * values;
    for (int64_t i = 0; i < r->n; i++) {
        int64_t row;
        const gnt_samples *s = sample_of(r, i, &row);
        const int32_t u = s->a[row * s->n_attributes + attribute];
        if (u < 0 || u >= values)
            return host->fail(host->context, "a shadow sample has an attribute out of its range");
        count[attr_class_of(s, row) * values + u]++;
        all[u]++;
    }
    for (int32_t c = 0; c < r->classes; c++) {
        double n = 1;
        for (int32_t u = 0; u < values; u++)
            n += count[c * values + u];
        for (int32_t u = 0; u < values; u++)
            given[c * values + u] = (float)((count[c * values + u] + all[u] / (double)r->n) / n);
    }
    return GNT_OK;
}

static gnt_status learn(const attack *s, const rows *r, const gnt_attack_prepare *in, const gnt_sink *out) {
    const gnt_host *host = s->base.host;
    const int64_t dim[2] = {r->classes, in->attribute_values};
    attr_source from;
    attr_table t;
    float *given = host->scratch(host->context, (size_t)(dim[0] * dim[1]) * sizeof *given);
    if (!given)
        return host->fail(host->context, "no memory for the values of each class");
    gnt_status status = attr_source_of_attack(&from, host, &s->base.reading, in);
    from.by_class = 1;
    from.values = r->classes;
    if (status == GNT_OK)
        status = attr_table_make(&t, &s->base.reading, &from);
    if (status == GNT_OK)
        status = attr_nn_learn(&s->head, &t, from.mean, from.scale, out);
    if (status == GNT_OK)
        status = count_given(r, host, in->attribute, in->attribute_values, given);
    if (status == GNT_OK && out->tensor(out->context, "given", 2, dim, given) != GNT_OK)
        status = host->fail(host->context, "the values of each class could not be kept");
    attr_source_close(&from);
    return status;
}

static gnt_status prepare(void *self, const gnt_attack_prepare *in, const gnt_sink *out) {
    const attack *s = self;
    rows r;
    const gnt_status status = rows_open(&r, s->base.host, in);
    return status == GNT_OK ? learn(s, &r, in, out) : status;
}

/* ---- what is observed ---- */

/* z becomes its softmax. */
static void soften(float *z, int64_t n) {
    double most = -INFINITY, sum = 0;
    for (int64_t i = 0; i < n; i++)
        most = fmax(most, (double)z[i]);
    for (int64_t i = 0; i < n; i++)
        sum += exp((double)z[i] - most);
    for (int64_t i = 0; i < n; i++)
        z[i] = (float)(exp((double)z[i] - most) / sum);
}

static gnt_status run(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer) {
    const attack *s = self;
    const gnt_host *host = s->base.host;
    const int32_t values = seen->attribute_values;
    const gnt_view *given = attr_find(own, "", "given", 2);
    attr_net net;
    int64_t columns;
    gnt_status status;
    const float *x = classic_see(&s->base, seen, own, &columns, &status);
    if (!x)
        return status;
    if (!given || !classic_matrix(given, -1, values) || !classic_finite(given) ||
        attr_read_net(&net, own, "", columns, (int32_t)given->dim[0]) != 0)
        return classic_foreign(host, "a network of the task");
    const int64_t classes = given->dim[0];
    float *room = host->scratch(host->context, 2 * (size_t)attr_widest(&net) * sizeof *room);
    float *p = host->scratch(host->context, (size_t)(classes + values) * sizeof *p);
    if (!room || !p)
        return host->fail(host->context, "no memory for the network's layers");
    float *scores = p + classes;
    attr_forward(&net, x, room, p);
    soften(p, classes);
    for (int64_t c = 0; c < classes; c++)
        for (int32_t u = 0; u < values; u++)
            scores[u] += p[c] * given->data[c * values + u];
    return answer->attribute(answer->context, values, scores);
}

static const gnt_attack hooks = {.size = sizeof hooks, .prepare = prepare, .run = run};

static const gnt_parameter parameters[] = {
    {.id = "hidden",
     .type = GNT_TYPE_INT,
     .unit = "neurons",
     .least = 0,
     .most = 16384,
     .preset = 128,
     .help = "in the one hidden layer of the task's network; 0: it is linear"},
    ATTR_SGD_ROWS,
    CLASSIC_ROWS,
};

static const char *const families[] = {GNT_FAMILY_ANY, "tappfl", NULL};

const gnt_descriptor via_task_descriptor = {
    .size = sizeof via_task_descriptor,
    .kind = GNT_PLUGIN_ATTACK,
    .id = "via-task",
    .version = "1.0",
    .line = "infers a private attribute from the task's class, which a network tells from a representation",
    .licence = "MIT",
    .citation = "",
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .scope = GNT_SCOPE_STAGE,
    .surfaces = GNT_SURFACE_UPDATE | GNT_SURFACE_REPRESENTATION,
    .goals = GNT_GOAL_ATTRIBUTE,
    .needs = GNT_KNOWS_SHADOW | GNT_KNOWS_ATTRIBUTE,
    .uses = GNT_KNOWS_SHADOW_OBS,
    .data_kinds = GNT_KIND_ANY,
    .families = families,
    .flags = GNT_FLAG_RANDOMISED,
    .create = create,
    .destroy = free,
    .attack = &hooks,
};
