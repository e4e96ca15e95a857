/* decensor: a private attribute from what is left of it in a representation that was to hide it. An auxiliary
 * network learns the attribute from shadow samples themselves; T learns to map a sample's representation to
 * that network's last hidden layer,
 *   min over T of ‖T(f(x)) − z(x)‖²
 * and a classifier learns the attribute from T(f(x)). T looks for what tells the attribute in samples, not
 * for what a defender's network knew to look for. Of several samples behind one observation the means are
 * taken, of samples and of representations.
 *
 * Source: Song and Shmatikov, Overlearning Reveals Sensitive Attributes, 2020 (Algorithm 1). There T and the
 * classifier learn in the same steps; here one after the other, so that each has its best epoch. */
#include <math.h>
#include <stdlib.h>

#include "attribute.h"
#include "mapped.h"
#include "shared/attribute/pool.h"

typedef struct attack {
    mapped base;
    attr_recipe auxiliary;
} attack;

static void *create(const gnt_host *host, const gnt_value *v) {
    attack *s = calloc(1, sizeof *s);
    if (!s) {
        host->fail(host->context, "out of memory");
        return NULL;
    }
    mapped_open(&s->base, host, v);
    s->auxiliary = s->base.classifier;
    s->auxiliary.n_hidden = 2;
    return s;
}

/* ---- learning ---- */

/* The auxiliary network, of the rows x; these are standardised in place. */
static gnt_status train_auxiliary(const attack *s, attr_table *of, attr_trained *out) {
    const gnt_host *host = s->auxiliary.host;
    const size_t features = (size_t)of->columns;
    float *mean = host->scratch(host->context, 2 * features * sizeof *mean);
    float *flat = host->scratch(host->context,
                                (size_t)attr_net_size(&s->auxiliary, of->columns, of->values) * sizeof *flat);
    if (!mean || !flat)
        return host->fail(host->context,
                          "no memory for the auxiliary network; a smaller `hidden` needs less");
    attr_statistics(of->x, of->columns, of->row, of->n_train, mean, mean + features);
    for (int64_t i = 0; i < of->n; i++)
        attr_standardise(of->x + i * of->columns, of->columns, mean, mean + features);
    const gnt_status status = attr_train(out, flat, &s->auxiliary, of);
    if (status == GNT_OK && !isnan(out->accuracy))
        host->fact(host->context, "auxiliary_accuracy", out->accuracy);
    return status;
}

/* What its last hidden layer is for each row. */
static gnt_status last_layer(const attack *s, const attr_net *net, const attr_table *of, float *z) {
    attr_net body = *net;
    body.layers--;
    const int64_t count = of->n * body.width[body.layers];
    const gnt_status status = attr_forward_all(&body, s->auxiliary.host, of->x, of->n, z);
    for (int64_t i = 0; i < count; i++)
        z[i] = z[i] > 0 ? z[i] : 0; /* the ReLU behind it */
    return status;
}

/* z: n × hidden, of the samples behind the rows of a table, centred. */
static gnt_status learn_target(const attack *s, const attr_source *from, const attr_table *t, float **z) {
    const gnt_host *host = s->auxiliary.host;
    const int64_t hidden = s->auxiliary.hidden[1];
    attr_table of = *t;
    attr_trained net;
    float deviation, *mean = host->scratch(host->context, (size_t)hidden * sizeof *mean);
    *z = host->scratch(host->context, (size_t)t->n * (size_t)hidden * sizeof **z);
    if (!mean || !*z)
        return host->fail(host->context, "no memory for a layer of the auxiliary network");
    of.x = mapped_samples(&s->base, from, &of.columns);
    if (!of.x)
        return GNT_FAILED;
    gnt_status status = train_auxiliary(s, &of, &net);
    if (status == GNT_OK)
        status = last_layer(s, &net.net, &of, *z);
    if (status == GNT_OK)
        mapped_centre(t, *z, hidden, mean, &deviation);
    return status;
}

static gnt_status prepare(void *self, const gnt_attack_prepare *in, const gnt_sink *out) {
    const attack *s = self;
    attr_source from;
    attr_table t;
    float *z;
    gnt_status status = classic_table(&s->base.base, &from, &t, in, out);
    if (status == GNT_OK)
        status = learn_target(s, &from, &t, &z);
    if (status == GNT_OK)
        status = mapped_learn(&s->base, &t, z, s->auxiliary.hidden[1], out);
    attr_source_close(&from);
    return status;
}

/* ---- what is observed ---- */

static gnt_status run(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer) {
    const attack *s = self;
    mapped_nets nets;
    int64_t columns;
    gnt_status status;
    const float *x = classic_see(&s->base.base, seen, own, &columns, &status);
    if (!x)
        return status;
    status = mapped_read(&s->base, &nets, own, columns, seen->attribute_values);
    return status == GNT_OK ? classic_answer(&s->base.base, seen, x, mapped_scores, &nets, answer) : status;
}

static const gnt_attack hooks = {.size = sizeof hooks, .prepare = prepare, .run = run};

static const gnt_parameter parameters[] = {MAPPED_ROWS};

static const char *const families[] = {GNT_FAMILY_ANY, "tappfl", NULL};

const gnt_descriptor decensor_descriptor = {
    .size = sizeof decensor_descriptor,
    .kind = GNT_PLUGIN_ATTACK,
    .id = "decensor",
    .version = "1.0",
    .line = "infers a private attribute from a representation mapped to a layer of a network that knows it",
    .licence = "MIT",
    .citation = "Song and Shmatikov, Overlearning Reveals Sensitive Attributes, ICLR 2020",
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .scope = GNT_SCOPE_STAGE,
    .surfaces = GNT_SURFACE_REPRESENTATION,
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
