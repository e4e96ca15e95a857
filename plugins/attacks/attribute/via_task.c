/* via-task: infers a private attribute from the task's own class. A network learns the task from observations
 * of shadow samples with their labels; the frequency of each value in each class gives
 *   p(u | r) = Σ_c p(c | r)·p(u | c)
 * If the attribute follows from the class, as an animal from its species, everything useful for the task
 * reveals it, and no defense that preserves the task's accuracy can hide it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attribute_attacks.h"
#include "classic.h"
#include "shared/try.h"

typedef struct attack {
    union {
        const gnt_host *host; /* the first member of base */
        classic base;
    };
    attr_nn head;
    int64_t hidden;
} attack;

static gnt_status start(void *self) {
    attack *s = self;
    s->head.host = s->host;
    s->head.reading = s->base.reading;
    s->head.recipe.balanced = s->base.balanced;
    s->head.recipe.n_hidden = s->hidden > 0;
    s->head.recipe.hidden[0] = s->hidden;
    return GNT_OK;
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
    if (r->n < 1 || !in->setting || in->setting->n != 1 || sample_of(r, 0, &row)->n < 1)
        return unsupported(host, "it reads observations of single samples, and learns from shadow samples");
    r->classes = sample_of(r, 0, &row)->classes;
    for (int64_t i = 0; i < r->n; i++)
        if (!sample_of(r, i, &row)->y || sample_of(r, i, &row)->classes != r->classes)
            return unsupported(host, "it learns the task from the labels of shadow samples, and has none");
    return GNT_OK;
}

/* Computes given, classes × values: p(u | c), with one sample of the overall distribution added to each
 * class. */
static gnt_status count_given(const rows *r, const gnt_host *host, int32_t attribute, int32_t values,
                              float *given) {
    double *count = gnt_host_scratch(host, (r->classes + 1) * values, sizeof *count);
    TRY(have_memory(host, count != NULL, "no memory for the values of each class"));
    double *all = count + (ptrdiff_t)r->classes * values;
    for (int64_t i = 0; i < r->n; i++) {
        int64_t row;
        const gnt_samples *s = sample_of(r, i, &row);
        const int32_t u = s->a[row * s->n_attributes + attribute];
        if (u < 0 || u >= values)
            return gnt_host_fail(host, "a shadow sample has an attribute out of its range");
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
    float *given = gnt_host_scratch(host, dim[0] * dim[1], sizeof *given);
    TRY(have_memory(host, given != NULL, "no memory for the values of each class"));
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
        status = gnt_host_fail(host, "the values of each class could not be stored");
    attr_source_close(&from);
    return status;
}

static gnt_status prepare(void *self, const gnt_attack_prepare *in, const gnt_sink *out) {
    const attack *s = self;
    rows r;
    TRY(rows_open(&r, s->base.host, in));
    return learn(s, &r, in, out);
}

/* ---- observation ---- */

/* Replaces z by its softmax. */
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
    const float *x;
    TRY(classic_see(&s->base, seen, own, &x, &columns));
    if (!given || !classic_matrix(given, -1, values) || !classic_finite(given) ||
        attr_read_net(&net, own, "", columns, (int32_t)given->dim[0]) != 0)
        return classic_foreign(host, "a network of the task");
    const int64_t classes = given->dim[0];
    float *room = gnt_host_scratch(host, 2 * attr_widest(&net), sizeof *room);
    float *p = gnt_host_scratch(host, classes + values, sizeof *p);
    TRY(have_memory(host, room && p, "no memory for the network's layers"));
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
    GNT_INT(attack, hidden, 0, 16384, 128, "neurons",
            "in the one hidden layer of the task's network; 0: it is linear"),
    ATTR_SGD_MEMBERS(attack, head.recipe),
    CLASSIC_MEMBERS(attack),
};

static const char *const families[] = {GNT_FAMILY_ANY, "tappfl", NULL};

const gnt_descriptor via_task_descriptor = {
    GNT_ATTACK(
        "via-task", "1.0",
        "infers a private attribute from the task's class, which a network predicts from a representation",
        "MIT", ""),
    ATTRIBUTE_LEARNT(attack, ATTRIBUTE_SEEN),
    .uses = GNT_KNOWS_SHADOW_OBS,
    .conditions = GNT_IF_ONE_SAMPLE | GNT_IF_CLASSES,
    .least_shadow = 2,
    .start = start};
