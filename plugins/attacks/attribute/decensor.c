/* decensor: infers a private attribute from the traces in a representation that should hide it. An auxiliary
 * network learns the attribute from shadow samples themselves; T learns to map a sample's representation to
 * that network's last hidden layer,
 *   min over T of ‖T(f(x)) − z(x)‖²
 * and a classifier learns the attribute from T(f(x)). T looks for what reveals the attribute in samples, not
 * for what a defender's network knew to look for. For several samples behind one observation it takes the
 * means of samples and of representations.
 *
 * Source: Song and Shmatikov, Overlearning Reveals Sensitive Attributes, 2020 (Algorithm 1). There T and the
 * classifier learn in the same steps; here one after the other, so that each has its best epoch. */
#include <math.h>
#include <stdlib.h>

#include "attribute_attacks.h"
#include "mapped.h"
#include "shared/attribute/pool.h"
#include "shared/try.h"

typedef struct attack {
    union {
        const gnt_host *host; /* the first member of base */
        mapped base;
    };
    attr_recipe auxiliary;
} attack;

static gnt_status start(void *self) {
    attack *s = self;
    mapped_start(&s->base);
    s->auxiliary = s->base.classifier;
    s->auxiliary.n_hidden = 2;
    return GNT_OK;
}

/* ---- learning ---- */

/* Trains the auxiliary network on the rows x, which are standardised in place. */
static gnt_status train_auxiliary(const attack *s, attr_table *of, attr_trained *out) {
    const gnt_host *host = s->auxiliary.host;
    const size_t features = (size_t)of->columns;
    float *mean = gnt_host_scratch(host, 2 * features, sizeof *mean);
    TRY(have_memory(host, mean != NULL, "no memory for the mean of the shadow samples"));
    attr_statistics(of->x, of->columns, of->row, of->n_train, mean, mean + features);
    for (int64_t i = 0; i < of->n; i++)
        attr_standardise(of->x + i * of->columns, of->columns, mean, mean + features);
    const gnt_status status = attr_train_scratch(out, &s->auxiliary, of);
    if (status == GNT_OK && !isnan(out->accuracy))
        gnt_host_fact(host, "auxiliary_accuracy", out->accuracy);
    return status;
}

/* Computes the last hidden layer for each row. */
static gnt_status last_layer(const attack *s, const attr_net *net, const attr_table *of, float *z) {
    attr_net body = *net;
    body.layers--;
    const int64_t count = of->n * body.width[body.layers];
    const gnt_status status = attr_forward_all(&body, s->auxiliary.host, of->x, of->n, z);
    for (int64_t i = 0; i < count; i++)
        z[i] = z[i] > 0 ? z[i] : 0; /* its ReLU */
    return status;
}

/* Computes z, n × hidden, of the samples behind the rows of a table, centred. */
static gnt_status learn_target(const attack *s, const attr_source *from, const attr_table *t, float **z) {
    const gnt_host *host = s->auxiliary.host;
    const int64_t hidden = s->auxiliary.hidden[1];
    attr_table of = *t;
    attr_trained net;
    float deviation, *mean = gnt_host_scratch(host, hidden, sizeof *mean);
    *z = gnt_host_scratch(host, t->n * hidden, sizeof **z);
    TRY(have_memory(host, mean && *z, "no memory for a layer of the auxiliary network"));
    of.x = mapped_samples(&s->base, from, &of.columns);
    if (!of.x)
        return GNT_FAILED;
    TRY(train_auxiliary(s, &of, &net));
    TRY(last_layer(s, &net.net, &of, *z));
    mapped_centre(t, *z, hidden, mean, &deviation);
    return GNT_OK;
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

/* ---- observation ---- */

static gnt_status run(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer) {
    const attack *s = self;
    mapped_nets nets;
    int64_t columns;
    const float *x;
    TRY(classic_see(&s->base.base, seen, own, &x, &columns));
    TRY(mapped_read(&s->base, &nets, own, columns, seen->attribute_values));
    return classic_answer(&s->base.base, seen, x, mapped_scores, &nets, answer);
}

static const gnt_attack hooks = {.size = sizeof hooks, .prepare = prepare, .run = run};

static const gnt_parameter parameters[] = {MAPPED_MEMBERS};

static const char *const families[] = {GNT_FAMILY_ANY, "tappfl", NULL};

const gnt_descriptor decensor_descriptor = {
    GNT_ATTACK(
        "decensor", "1.0",
        "infers a private attribute from a representation mapped to a layer of a network that knows it",
        "MIT", "Song and Shmatikov, Overlearning Reveals Sensitive Attributes, ICLR 2020"),
    ATTRIBUTE_LEARNT(attack, GNT_SURFACE_REPRESENTATION), .uses = GNT_KNOWS_SHADOW_OBS, .least_shadow = 2,
    .start = start};
