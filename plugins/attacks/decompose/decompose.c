/* decompose: parameters, hooks and descriptor.
 *
 * Source: Carlini et al., Is Private Learning Possible with Instance Encoding?, S&P 2021, for the order of
 * things: a network for similarity, groups, weights, images. That network was never released; this one is
 * trained here, on encodings of public images. Where the paper solves for the images by gradient descent,
 * expectation-maximisation over the signs does it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attack.h"

enum { STEPS, START, RATE, ORIGINALS, RIDGE, BLOCK, STARTS, COUPLING, REFITS, POLISH };

enum { ALL_OWN = 40, SOME_OWN = 16 /* originals of a training batch */ };

static void *create(const gnt_host *host, const gnt_value *v) {
    dec_settings *s = calloc(1, sizeof *s);
    if (!s) {
        host->fail(host->context, "out of memory");
        return NULL;
    }
    *s = (dec_settings){.host = host,
                        .learning = {.steps = v[STEPS].i,
                                     .warm = 30,
                                     .rate = v[RATE].r,
                                     .decay = 0.01,
                                     .aid = 0.3,
                                     .originals = (int32_t)v[ORIGINALS].i},
                        .start = (enum dec_start)v[START].i,
                        .ridge = v[RIDGE].r,
                        .patches = 20000,
                        .facing_steps = 300,
                        .rounds = 8,
                        .starts = (int32_t)v[STARTS].i,
                        .start_steps = 60,
                        .block = (int64_t)1 << v[BLOCK].i,
                        .coupling = v[COUPLING].r,
                        .em_steps = 10,
                        .refits = (int32_t)v[REFITS].i,
                        .polish_steps = v[POLISH].i,
                        .polish_rate = 2e-3};
    return s;
}

/* ---- prepare: filter, mean; for InstaHide network and facing ---- */

static gnt_status fits(const gnt_host *host, const gnt_samples *x, const char *what) {
    char text[200];
    if (x && x->x && x->rank == 3 && x->dim[0] <= DEC_MOST_CHANNELS && x->dim[1] % DEC_PATCH == 0 &&
        x->dim[2] % DEC_PATCH == 0 && x->dim[1] >= 2 * DEC_PATCH && x->dim[2] >= 2 * DEC_PATCH)
        return GNT_OK;
    snprintf(text, sizeof text,
             "its %s must be images of at most %d channels whose sides are multiples of %d, 16 or more", what,
             DEC_MOST_CHANNELS, DEC_PATCH);
    host->fail(host->context, text);
    return GNT_UNSUPPORTED;
}

static gnt_status give(const gnt_sink *out, const gnt_host *host, const char *name, int64_t n,
                       const float *data) {
    return out->tensor(out->context, name, 1, &n, data) == GNT_OK
               ? GNT_OK
               : host->fail(host->context, "what it learnt could not be kept");
}

static gnt_status learn_filter(const dec_settings *s, const dec_law *law, const gnt_samples *x,
                               const gnt_sink *out, float **filter) {
    const gnt_host *host = s->host;
    int64_t taps = x->dim[0] * x->dim[0] * DEC_FILTER * DEC_FILTER;
    *filter = host->scratch(host->context, (size_t)taps * sizeof **filter);
    float *mean = host->scratch(host->context, (size_t)x->features * sizeof *mean);
    if (!*filter || !mean)
        return host->fail(host->context, "no memory for the whitening filter");
    for (int64_t i = 0; i < x->n; i++)
        for (int64_t f = 0; f < x->features; f++)
            mean[f] += (2 * x->x[i * x->features + f] - 1) / (float)x->n;
    gnt_status status = dec_whiten_estimate(host, x, s->patches, s->ridge, *filter);
    if (status == GNT_OK)
        status = dec_learn_gain(host, law, x, *filter);
    if (status == GNT_OK)
        status = give(out, host, "filter", taps, *filter);
    return status == GNT_OK ? give(out, host, "mean", x->features, mean) : status;
}

static gnt_status learn_network(const dec_settings *s, const dec_law *law, const dec_learning *how,
                                const gnt_samples *x, const float *filter, const gnt_sink *out) {
    const gnt_host *host = s->host;
    dec_net net;
    double loss = 0;
    dec_net_plan(&net, x->dim[0], x->dim[1], x->dim[2]);
    float *flat = host->scratch(host->context, (size_t)net.size * sizeof *flat);
    if (!flat)
        return host->fail(host->context, "no memory for the similarity network");
    dec_net_start(&net, host, s->start == DEC_RANDOM, flat);
    gnt_status status = dec_learn(host, law, x, filter, how, &net, flat, &loss);
    if (how->steps > 0)
        host->fact(host->context, "training_loss", loss);
    return status == GNT_OK ? give(out, host, "network", net.size, flat) : status;
}

static gnt_status learn_facing(const dec_settings *s, const gnt_samples *x, const gnt_sink *out) {
    const gnt_host *host = s->host;
    dec_facing net;
    double right = 0;
    dec_facing_plan(&net, x->dim[0], x->dim[1], x->dim[2]);
    float *flat = host->scratch(host->context, (size_t)net.size * sizeof *flat);
    if (!flat)
        return host->fail(host->context, "no memory for the network that tells images from negatives");
    gnt_status status = dec_facing_learn(&net, host, x, s->facing_steps, 2e-3, flat, &right);
    host->fact(host->context, "sign_accuracy", right);
    return status == GNT_OK ? give(out, host, "facing", net.size, flat) : status;
}

static gnt_status prepare(void *self, const gnt_attack_prepare *in, const gnt_sink *out) {
    const dec_settings *s = self;
    const gnt_host *host = s->host;
    const gnt_samples *x = in->public_data;
    dec_learning how = s->learning;
    dec_law law;
    float *filter;
    char text[200];
    gnt_status status = dec_law_known(&law, host, in->setting);
    if (status == GNT_OK)
        status = fits(host, x, "public data");
    if (status != GNT_OK)
        return status;
    if (how.originals == 0)
        how.originals = law.own == law.k ? ALL_OWN : SOME_OWN;
    if (in->setting->budget > 0)
        how.steps = in->setting->budget;
    if (s->start == DEC_BLIND)
        how.steps = 0;
    if (how.originals < law.own || x->n < how.originals + law.k) {
        snprintf(text, sizeof text,
                 "training mixes %d of %lld public images at a time; let `originals` be at least %d, and the "
                 "public data %d more than that",
                 how.originals, (long long)x->n, law.own, law.k);
        host->fail(host->context, text);
        return GNT_UNSUPPORTED;
    }
    status = learn_filter(s, &law, x, out, &filter);
    if (status == GNT_OK && law.instahide)
        status = learn_network(s, &law, &how, x, filter, out);
    if (status == GNT_OK && law.instahide)
        status = learn_facing(s, x, out);
    return status;
}

/* ---- run ---- */

static const float *held(const gnt_artefacts *own, const char *name, int64_t count) {
    for (int64_t k = 0; own && k < own->tensors.n; k++)
        if (strcmp(own->tensors.view[k].name, name) == 0 && own->tensors.view[k].count == count)
            return own->tensors.view[k].data;
    return NULL;
}

static gnt_status recall(dec_learnt *learnt, const gnt_host *host, const dec_law *law, const gnt_samples *x,
                         const gnt_artefacts *own) {
    dec_net net;
    dec_facing facing;
    dec_net_plan(&net, x->dim[0], x->dim[1], x->dim[2]);
    dec_facing_plan(&facing, x->dim[0], x->dim[1], x->dim[2]);
    *learnt = (dec_learnt){.filter = held(own, "filter", x->dim[0] * x->dim[0] * DEC_FILTER * DEC_FILTER),
                           .mean = held(own, "mean", x->features),
                           .network = held(own, "network", net.size),
                           .facing = held(own, "facing", facing.size)};
    if (learnt->filter && learnt->mean && (!law->instahide || (learnt->network && learnt->facing)))
        return GNT_OK;
    return host->fail(host->context,
                      "its artefacts do not fit these images: they were prepared for another task");
}

/* Encodings in [0, 1] to units of 2x − 1; InstaHide's without their signs. */
static float *open_encodings(const gnt_host *host, const dec_law *law, const gnt_samples *x) {
    float *e = host->scratch(host->context, (size_t)(x->n * x->features) * sizeof *e);
    for (int64_t k = 0; e && k < x->n * x->features; k++) {
        e[k] = 2 * x->x[k] - 1;
        e[k] = law->instahide && e[k] < 0 ? -e[k] : e[k];
    }
    return e;
}

/* Images with the answer's optional members, where the host has them. */
static gnt_status hand_over(const gnt_host *host, dec_mix *x, const float *similarity,
                            const gnt_answer *answer) {
    int64_t n = x->encodings, m = x->originals, f = x->features;
    float *image = host->scratch(host->context, (size_t)(m * f) * sizeof *image);
    if (!image)
        return host->fail(host->context, "no memory for the answer");
    for (int64_t k = 0; k < m * f; k++) {
        float v = (x->p[k] + 1) / 2;
        image[k] = v > 0 ? v < 1 ? v : 1 : 0;
    }
    gnt_status status = answer->reconstruction(answer->context, m, image);
    if (status == GNT_OK && answer->size >= offsetof(gnt_answer, mixture) + sizeof answer->mixture &&
        answer->mixture)
        status = answer->mixture(answer->context, n, m, x->weight);
    if (status == GNT_OK && answer->size >= offsetof(gnt_answer, similarity) + sizeof answer->similarity &&
        answer->similarity)
        status = answer->similarity(answer->context, n, similarity);
    return status;
}

static gnt_status run(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer) {
    const dec_settings *s = self;
    const gnt_host *host = s->host;
    const gnt_samples *x = seen->encoded;
    dec_law law;
    dec_learnt learnt;
    dec_mix mix;
    if (!x || !x->x) {
        host->fail(host->context, "it reads encodings, and none were released");
        return GNT_UNSUPPORTED;
    }
    gnt_status status = dec_law_known(&law, host, seen);
    if (status == GNT_OK)
        status = fits(host, x, "encodings");
    if (status == GNT_OK && (seen->n < law.own || x->n < 2 * seen->n / law.own || x->n < 3)) {
        host->fail(host->context,
                   "there are too few encodings for that many private images; release more epochs");
        status = GNT_UNSUPPORTED;
    }
    if (status == GNT_OK)
        status = recall(&learnt, host, &law, x, own);
    if (status != GNT_OK)
        return status;
    float *e = open_encodings(host, &law, x);
    float *similarity = host->scratch(host->context, (size_t)(x->n * x->n) * sizeof *similarity);
    if (!e || !similarity)
        return host->fail(host->context, "no memory for the similarities of that many encodings");
    status = dec_mix_open(&mix, host, x, x->n, seen->n, e);
    if (status == GNT_OK)
        status = dec_similar(s, &law, &learnt, x, e, x->n, similarity);
    if (status == GNT_OK)
        status = dec_recover(s, &law, &learnt, &mix, similarity, answer);
    return status == GNT_OK ? hand_over(host, &mix, similarity, answer) : status;
}

static const gnt_attack hooks = {.size = sizeof hooks, .prepare = prepare, .run = run};

static const char *const starts[] = {"whitened", "random", "blind", NULL};

static const gnt_parameter parameters[] = {
    {.id = "steps",
     .type = GNT_TYPE_INT,
     .unit = "steps",
     .least = 0,
     .most = 1000000,
     .preset = 1308,
     .help =
         "of training the similarity network, for InstaHide; 0: it stays as it starts. A budget replaces it"},
    {.id = "start",
     .type = GNT_TYPE_CHOICE,
     .unit = "",
     .preset_text = "whitened",
     .choices = starts,
     .help =
         "what the similarity network computes before training: how alike whitened patches are, or random; "
         "blind: similarities are random numbers, with or without a network, a control of all that follows"},
    {.id = "rate",
     .type = GNT_TYPE_REAL,
     .scale = GNT_SCALE_LOG,
     .unit = "",
     .least = 1e-6,
     .most = 1,
     .preset = 4e-3,
     .help = "learning rate of AdamW, falling to 0 by half a cosine"},
    {.id = "originals",
     .type = GNT_TYPE_INT,
     .unit = "images",
     .least = 0,
     .most = DEC_MOST_ORIGINALS,
     .preset = 0,
     .help = "public images that the 64 encodings of a training step share; 0: 40 for scheme intra, 16 for "
             "cross"},
    {.id = "ridge",
     .type = GNT_TYPE_REAL,
     .scale = GNT_SCALE_LOG,
     .unit = "",
     .least = 1e-6,
     .most = 100,
     .preset = 0.1,
     .help = "of the whitening filter, in units of a pixel's variance; more whitens less"},
    {.id = "block",
     .type = GNT_TYPE_INT,
     .unit = "octaves",
     .least = 0,
     .most = 3,
     .preset = 2,
     .help = "InstaHide: images are first guessed on blocks of 2^block pixels"},
    {.id = "starts",
     .type = GNT_TYPE_INT,
     .unit = "starts",
     .least = 1,
     .most = 1000,
     .preset = 16,
     .help = "InstaHide: random starts of each block's first guess"},
    {.id = "coupling",
     .type = GNT_TYPE_REAL,
     .unit = "",
     .least = 0,
     .most = 10,
     .preset = 0.3,
     .help = "InstaHide: how much a pixel's hidden sign is expected to follow its neighbours'"},
    {.id = "refits",
     .type = GNT_TYPE_INT,
     .unit = "rounds",
     .least = 0,
     .most = 1000,
     .preset = 6,
     .help =
         "times that the weights are fitted again to the images found; not for InstaHide of scheme cross"},
    {.id = "polish",
     .type = GNT_TYPE_INT,
     .unit = "steps",
     .least = 0,
     .most = 100000,
     .preset = 200,
     .help = "InstaHide, scheme intra: steps of Adam on images and weights together at the end"},
};

/* Plugins, not the family: what it makes of the grant are their parameters. */
static const char *const families[] = {"mixup", "instahide", NULL};

static const gnt_descriptor descriptor = {
    .size = sizeof descriptor,
    .kind = GNT_PLUGIN_ATTACK,
    .id = "decompose",
    .version = "1.0",
    .line = "takes MixUp and InstaHide encodings apart into the private images that were mixed",
    .licence = "MIT",
    .citation = "Carlini et al., Is Private Learning Possible with Instance Encoding?, S&P 2021",
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .scope = GNT_SCOPE_TASK,
    .surfaces = GNT_SURFACE_ENCODING,
    .goals = GNT_GOAL_RECONSTRUCTION,
    .needs = GNT_KNOWS_DEFENSE | GNT_KNOWS_PUBLIC,
    .data_kinds = GNT_KIND_IMAGE,
    .families = families,
    .flags = GNT_FLAG_RANDOMISED,
    .create = create,
    .destroy = free,
    .attack = &hooks,
};

GNT_DEFINE_ENTRY(descriptor)
