/* decoder: a U-Net that maps an encoding and its label back to the image, trained on shadow pairs by Adam on
 * the mean squared error, which the conditional mean makes smallest, with a cosine schedule. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "unet.h"
#include "shared/try.h"

typedef struct decoder {
    const gnt_host *host;
    int64_t steps, batch, features;
    double rate;
} decoder;

static gnt_status check_shape(const gnt_host *host, const net_shape *s) {
    if (s->height % 4 == 0 && s->width % 4 == 0 && s->height >= 4 && s->width >= 4 && s->classes > 0)
        return GNT_OK;
    return unsupported(host, "its network halves an image twice, so height and width must be multiples of 4");
}

/* ---- learning ---- */

/* Returns the mean of all values of the images, between 0.02 and 0.98. */
static double mean_of(const learnt_pairs *pairs) {
    const int64_t features = pairs->channels * pairs->height * pairs->width;
    double sum = 0;
    for (int64_t k = 0; k < pairs->n; k++)
        for (int64_t i = 0; i < features; i++)
            sum += (double)pairs->pair[k].x[i];
    return fmin(fmax(sum / (double)(pairs->n * features), 0.02), 0.98);
}

typedef struct training {
    const decoder *d;
    const learnt_pairs *pairs;
    net_shape shape;
    int64_t size, batch;
    float *flat, *grad, *encoded, *label, *x;
    net_program net;
    gnt_adam *adam;
} training;

static gnt_status open_training(training *t) {
    const gnt_host *host = t->d->host;
    const size_t features = (size_t)(t->shape.channels * t->shape.height * t->shape.width),
                 n = (size_t)t->batch;
    char error[NET_ERROR] = "no memory for the network";
    t->size = net_size(&t->shape);
    t->flat = gnt_host_scratch(host, t->size, sizeof *t->flat);
    t->grad = gnt_host_scratch(host, t->size, sizeof *t->grad);
    t->encoded = gnt_host_scratch(host, n * features, sizeof *t->encoded);
    t->x = gnt_host_scratch(host, n * features, sizeof *t->x);
    t->label = gnt_host_scratch(host, n * t->shape.classes, sizeof *t->label);
    t->adam = gnt_adam_new(t->size, 0.9, 0.999, 1e-8);
    if (!t->flat || !t->grad || !t->encoded || !t->x || !t->label || !t->adam)
        return gnt_host_fail(host, error);
    t->net = (net_program){.flat = t->flat, .encoded = t->encoded, .label = t->label, .x = t->x};
    net_start(&t->shape, host, mean_of(t->pairs), t->flat);
    return net_compile(&t->net, &t->shape, t->batch, error) == 0 ? GNT_OK : gnt_host_fail(host, error);
}

static void load(const training *t) {
    const gnt_host *host = t->d->host;
    const net_shape *s = &t->shape;
    const size_t features = (size_t)(s->channels * s->height * s->width), classes = (size_t)s->classes;
    for (size_t i = 0; i < (size_t)t->batch; i++) {
        const learnt_pair *one = &t->pairs->pair[gnt_host_below(host, "batches", (uint64_t)t->pairs->n)];
        memcpy(t->encoded + i * features, one->encoded, features * sizeof *t->encoded);
        memcpy(t->x + i * features, one->x, features * sizeof *t->x);
        if (one->label)
            memcpy(t->label + i * classes, one->label, classes * sizeof *t->label);
        else
            memset(t->label + i * classes, 0, classes * sizeof *t->label);
    }
}

static gnt_status train(training *t) {
    const gnt_host *host = t->d->host;
    double loss = NAN;
    for (int64_t step = 0; step < t->d->steps; step++) {
        TRY(may_go_on(host));
        load(t);
        if (gnt_program_run(t->net.program, 0) != 0)
            return gnt_host_fail(host, "its network could not be run");
        loss = (double)*(const float *)gnt_program_output(t->net.program, 0);
        if (!isfinite(loss))
            return gnt_host_fail(host, "its network diverged; give a lower rate");
        net_gradient(&t->net, &t->shape, t->grad);
        gnt_adam_step(t->adam, t->flat, t->grad, gnt_rate_cosine(t->d->rate, step, t->d->steps));
        gnt_host_progress(host, (double)step + 1, (double)t->d->steps);
    }
    gnt_host_fact(host, "pairs", (double)t->pairs->n);
    gnt_host_fact(host, "last_error", loss);
    return GNT_OK;
}

static gnt_status prepare(void *self, const gnt_attack_prepare *in, const gnt_sink *out) {
    const decoder *d = self;
    const gnt_host *host = d->host;
    learnt_pairs pairs;
    gnt_status status = learnt_pairs_make(&pairs, host, in);
    if (status != GNT_OK)
        return status;
    training t = {.d = d,
                  .pairs = &pairs,
                  .batch = d->batch,
                  .shape = {pairs.channels, pairs.height, pairs.width, pairs.classes, d->features}};
    status = check_shape(host, &t.shape);
    if (status == GNT_OK)
        status = open_training(&t);
    if (status == GNT_OK)
        status = train(&t);
    if (status == GNT_OK && out->tensor(out->context, "net", 1, &t.size, t.flat) != GNT_OK)
        status = gnt_host_fail(host, "its network could not be stored");
    gnt_adam_free(t.adam);
    gnt_program_free(t.net.program);
    return status;
}

/* ---- answering ---- */

enum { AT_ONCE = 8 };

static gnt_status decode(const decoder *d, const net_shape *s, const float *flat, const gnt_samples *e,
                         int64_t n, float *x) {
    const gnt_host *host = d->host;
    const size_t features = (size_t)e->features, classes = (size_t)e->classes;
    char error[NET_ERROR] = "no memory for the network";
    float *encoded = gnt_host_scratch(host, AT_ONCE * features, sizeof *encoded);
    float *label = gnt_host_scratch(host, AT_ONCE * classes, sizeof *label);
    net_program net = {.flat = flat, .encoded = encoded, .label = label};
    if (!encoded || !label || net_compile(&net, s, AT_ONCE, error) != 0)
        return gnt_host_fail(host, error);
    gnt_status status = GNT_OK;
    for (int64_t from = 0; status == GNT_OK && from < n; from += AT_ONCE) {
        const size_t rows = (size_t)(n - from < AT_ONCE ? n - from : AT_ONCE), at = (size_t)from;
        memcpy(encoded, e->x + at * features, rows * features * sizeof *encoded);
        if (e->y)
            memcpy(label, e->y + at * classes, rows * classes * sizeof *label);
        if (gnt_host_should_stop(host))
            status = GNT_STOPPED;
        else if (gnt_program_run(net.program, 0) != 0)
            status = gnt_host_fail(host, "its network could not be run");
        else
            memcpy(x + at * features, gnt_program_output(net.program, 0), rows * features * sizeof *x);
    }
    gnt_program_free(net.program);
    return status;
}

static gnt_status run(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer) {
    const decoder *d = self;
    const gnt_host *host = d->host;
    const gnt_samples *e = seen->encoded;
    int64_t targets;
    TRY(learnt_targets(host, seen, e ? e->features : 0, &targets));
    const net_shape s = {e->dim[0], e->dim[1], e->dim[2], e->classes, d->features};
    TRY(check_shape(host, &s));
    const float *flat = learnt_artefact(host, own, "net", net_size(&s));
    float *x = gnt_host_scratch(host, targets * e->features, sizeof *x);
    if (!flat)
        return GNT_FAILED;
    TRY(have_memory(host, x != NULL, "no memory for the answer"));
    TRY(decode(d, &s, flat, e, targets, x));
    return answer->reconstruction(answer->context, targets, x);
}

static const gnt_attack hooks = {.size = sizeof hooks, .prepare = prepare, .run = run};

static const gnt_parameter parameters[] = {
    GNT_INT(decoder, steps, 1, 10000000, 1500, "steps", "of Adam"),
    GNT_INT(decoder, batch, 1, 4096, 16, "pairs", "shadow pairs in a step"),
    GNT_REAL(decoder, rate, 1e-6, 1, 0.002, GNT_SCALE_LOG, "",
             "learning rate at the start; it falls to 0 along a cosine"),
    GNT_INT(decoder, features, 1, 128, 16, "channels",
            "of the network's top level; twice and four times as many below"),
};

static const char *const families[] = {GNT_FAMILY_ANY, NULL};

const gnt_descriptor learnt_decoder = {
    GNT_ATTACK("decoder", "1.1",
               "undoes an encoding with a U-Net learnt from shadow encodings and their labels", "MIT",
               "Ronneberger et al., U-Net, MICCAI 2015"),
    LEARNT_ATTACK(decoder),
    .scope = GNT_SCOPE_TASK,
    .flags = GNT_FLAG_RANDOMISED | GNT_FLAG_BUDGET_SCHEDULE,
    .surfaces = GNT_SURFACE_ENCODING,
    .data_kinds = GNT_KIND_IMAGE};
