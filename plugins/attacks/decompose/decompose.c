/* decompose: parameters, hooks and descriptor.
 *
 * Source: Carlini et al., Is Private Learning Possible with Instance Encoding?, S&P 2021, for the stages: a
 * network for similarity, groups, weights, images. That network was not released; this one is trained on
 * encodings of public images. The paper solves for the images by gradient descent, this attack by
 * expectation-maximisation over the signs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decompose.h"
#include "shared/by_name.h"
#include "shared/try.h"

enum { ALL_OWN = 40, SOME_OWN = 16 /* originals of a training batch */ };

static gnt_status start(void *self) {
    dec_settings *s = self;
    s->learning.warm = 30;
    s->learning.decay = 0.01;
    s->learning.aid = 0.3;
    s->patches = 20000;
    s->facing_steps = 300;
    s->rounds = 8;
    s->start_steps = 60;
    s->block = (int64_t)1 << s->octaves;
    s->em_steps = 10;
    s->polish_rate = 2e-3;
    return GNT_OK;
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
    return unsupported(host, text);
}

static gnt_status give(const gnt_sink *out, const gnt_host *host, const char *name, int64_t n,
                       const float *data) {
    return out->tensor(out->context, name, 1, &n, data) == GNT_OK
               ? GNT_OK
               : gnt_host_fail(host, "its artefacts could not be stored");
}

static gnt_status learn_filter(const dec_settings *s, const dec_law *law, const gnt_samples *x,
                               const gnt_sink *out, float **filter) {
    const gnt_host *host = s->host;
    int64_t taps = x->dim[0] * x->dim[0] * DEC_FILTER * DEC_FILTER;
    *filter = gnt_host_scratch(host, taps, sizeof **filter);
    float *mean = gnt_host_scratch(host, x->features, sizeof *mean);
    TRY(have_memory(host, *filter && mean, "no memory for the whitening filter"));
    for (int64_t i = 0; i < x->n; i++)
        for (int64_t f = 0; f < x->features; f++)
            mean[f] += (2 * x->x[i * x->features + f] - 1) / (float)x->n;
    TRY(dec_whiten_estimate(host, x, s->patches, s->ridge, *filter));
    TRY(dec_learn_gain(host, law, x, *filter));
    TRY(give(out, host, "filter", taps, *filter));
    return give(out, host, "mean", x->features, mean);
}

static gnt_status learn_network(const dec_settings *s, const dec_law *law, const dec_learning *how,
                                const gnt_samples *x, const float *filter, const gnt_sink *out) {
    const gnt_host *host = s->host;
    dec_net net;
    double loss = 0;
    dec_net_plan(&net, x->dim[0], x->dim[1], x->dim[2]);
    float *flat = gnt_host_scratch(host, net.size, sizeof *flat);
    TRY(have_memory(host, flat != NULL, "no memory for the similarity network"));
    dec_net_start(&net, host, s->start == DEC_RANDOM, flat);
    TRY(dec_learn(host, law, x, filter, how, &net, flat, &loss));
    if (how->steps > 0)
        gnt_host_fact(host, "training_loss", loss);
    return give(out, host, "network", net.size, flat);
}

static gnt_status learn_facing(const dec_settings *s, const gnt_samples *x, const gnt_sink *out) {
    const gnt_host *host = s->host;
    dec_facing net;
    double right = 0;
    dec_facing_plan(&net, x->dim[0], x->dim[1], x->dim[2]);
    float *flat = gnt_host_scratch(host, net.size, sizeof *flat);
    TRY(have_memory(host, flat != NULL,
                    "no memory for the network that distinguishes images from negatives"));
    TRY(dec_facing_learn(&net, host, x, s->facing_steps, 2e-3, flat, &right));
    gnt_host_fact(host, "sign_accuracy", right);
    return give(out, host, "facing", net.size, flat);
}

/* Returns the originals of a training batch if the suite does not say: fewer than usual where the public
 * images are few. */
static int64_t usual_originals(const dec_law *law, int64_t images) {
    const int64_t usual = law->own == law->k ? ALL_OWN : SOME_OWN;
    return images < usual + law->k ? images - law->k : usual;
}

static gnt_status prepare(void *self, const gnt_attack_prepare *in, const gnt_sink *out) {
    const dec_settings *s = self;
    const gnt_host *host = s->host;
    const gnt_samples *x = in->public_data;
    dec_learning how = s->learning;
    dec_law law;
    float *filter;
    char text[200];
    TRY(dec_law_known(&law, host, in->setting));
    TRY(fits(host, x, "public data"));
    if (how.originals == 0)
        how.originals = usual_originals(&law, x->n);
    if (in->setting->budget > 0)
        how.steps = in->setting->budget;
    if (s->start == DEC_BLIND)
        how.steps = 0;
    if (how.originals < law.own || x->n < how.originals + law.k) {
        snprintf(
            text, sizeof text,
            "training mixes %lld of %lld public images at a time; let `originals` be at least %d, and the "
            "public data %d more than that",
            (long long)how.originals, (long long)x->n, law.own, law.k);
        return unsupported(host, text);
    }
    TRY(learn_filter(s, &law, x, out, &filter));
    if (law.instahide)
        TRY(learn_network(s, &law, &how, x, filter, out));
    return law.instahide ? learn_facing(s, x, out) : GNT_OK;
}

/* ---- run ---- */

static gnt_status recall(dec_learnt *learnt, const gnt_host *host, const dec_law *law, const gnt_samples *x,
                         const gnt_artefacts *own) {
    dec_net net;
    dec_facing facing;
    dec_net_plan(&net, x->dim[0], x->dim[1], x->dim[2]);
    dec_facing_plan(&facing, x->dim[0], x->dim[1], x->dim[2]);
    *learnt =
        (dec_learnt){.filter = artefact_of(own, "filter", x->dim[0] * x->dim[0] * DEC_FILTER * DEC_FILTER),
                     .mean = artefact_of(own, "mean", x->features),
                     .network = artefact_of(own, "network", net.size),
                     .facing = artefact_of(own, "facing", facing.size)};
    if (learnt->filter && learnt->mean && (!law->instahide || (learnt->network && learnt->facing)))
        return GNT_OK;
    return gnt_host_fail(host, "its artefacts do not fit these images: they were prepared for another task");
}

/* Returns encodings in units of 2x − 1; InstaHide's without their signs. */
static float *open_encodings(const gnt_host *host, const dec_law *law, const gnt_samples *x) {
    float *e = gnt_host_scratch(host, x->n * x->features, sizeof *e);
    for (int64_t k = 0; e && k < x->n * x->features; k++) {
        e[k] = 2 * x->x[k] - 1;
        e[k] = law->instahide && e[k] < 0 ? -e[k] : e[k];
    }
    return e;
}

/* Answers with the images and with the optional members that the host has. */
static gnt_status hand_over(const gnt_host *host, dec_mix *x, const float *similarity,
                            const gnt_answer *answer) {
    int64_t n = x->encodings, m = x->originals, f = x->features;
    float *image = gnt_host_scratch(host, m * f, sizeof *image);
    TRY(have_memory(host, image != NULL, "no memory for the answer"));
    for (int64_t k = 0; k < m * f; k++) {
        float v = (x->p[k] + 1) / 2;
        image[k] = v > 0 ? v < 1 ? v : 1 : 0;
    }
    TRY(answer->reconstruction(answer->context, m, image));
    if (GNT_HAS(gnt_answer, answer, mixture) && answer->mixture)
        TRY(answer->mixture(answer->context, n, m, x->weight));
    return GNT_HAS(gnt_answer, answer, similarity) && answer->similarity
               ? answer->similarity(answer->context, n, similarity)
               : GNT_OK;
}

static gnt_status run(void *self, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer) {
    const dec_settings *s = self;
    const gnt_host *host = s->host;
    const gnt_samples *x = seen->encoded;
    dec_law law;
    dec_learnt learnt;
    dec_mix mix;
    if (!x || !x->x)
        return unsupported(host, "it reads encodings, and none were released");
    TRY(dec_law_known(&law, host, seen));
    TRY(fits(host, x, "encodings"));
    if (seen->n < law.own || x->n < 2 * seen->n / law.own || x->n < 3)
        return unsupported(host,
                           "there are too few encodings for that many private images; release more epochs");
    TRY(recall(&learnt, host, &law, x, own));
    float *e = open_encodings(host, &law, x);
    float *similarity = gnt_host_scratch(host, x->n * x->n, sizeof *similarity);
    TRY(have_memory(host, e && similarity, "no memory for the similarities of that many encodings"));
    TRY(dec_mix_open(&mix, host, x, x->n, seen->n, e));
    TRY(dec_similar(s, &law, &learnt, x, e, x->n, similarity));
    TRY(dec_recover(s, &law, &learnt, &mix, similarity, answer));
    return hand_over(host, &mix, similarity, answer);
}

static const gnt_attack hooks = {.size = sizeof hooks, .prepare = prepare, .run = run};

static const char *const starts[] = {"whitened", "random", "blind", NULL};

static const gnt_parameter parameters[] = {
    GNT_INT_ID(
        "steps", dec_settings, learning.steps, 0, 1000000, 1308, "steps",
        "of training the similarity network, for InstaHide; 0: it is not trained. A budget replaces it"),
    GNT_CHOICE(
        dec_settings, start, starts, "whitened",
        "what the similarity network computes before training: how alike whitened patches are, or random; "
        "blind: similarities are random numbers, with or without a network, a control of all that follows"),
    GNT_REAL_ID("rate", dec_settings, learning.rate, 1e-6, 1, 4e-3, GNT_SCALE_LOG, "",
                "learning rate of AdamW, falling to 0 by half a cosine"),
    GNT_INT_ID(
        "originals", dec_settings, learning.originals, 0, DEC_MOST_ORIGINALS, 0, "images",
        "public images that the 64 encodings of a training step share; 0: 40 for scheme intra, 16 for cross"),
    GNT_REAL(dec_settings, ridge, 1e-6, 100, 0.1, GNT_SCALE_LOG, "",
             "of the whitening filter, in units of a pixel's variance; more whitens less"),
    GNT_INT_ID("block", dec_settings, octaves, 0, 3, 2, "octaves",
               "InstaHide: images are first guessed on blocks of 2^block pixels"),
    GNT_INT(dec_settings, starts, 1, 1000, 16, "starts",
            "InstaHide: random starts of each block's first guess"),
    GNT_REAL(dec_settings, coupling, 0, 10, 0.3, GNT_SCALE_LINEAR, "",
             "InstaHide: how much a pixel's hidden sign is expected to follow its neighbours'"),
    GNT_INT(dec_settings, refits, 0, 1000, 6, "rounds",
            "times that the weights are fitted again to the images found; not for InstaHide of scheme cross"),
    GNT_INT_ID("polish", dec_settings, polish_steps, 0, 100000, 200, "steps",
               "InstaHide, scheme intra: steps of Adam on images and weights together at the end"),
};

/* Plugins, not the family: it reads their parameters. */
static const char *const families[] = {"mixup", "instahide", NULL};

static const gnt_descriptor descriptor = {
    GNT_ATTACK("decompose", "1.0",
               "takes MixUp and InstaHide encodings apart into the private images that were mixed", "MIT",
               "Carlini et al., Is Private Learning Possible with Instance Encoding?, S&P 2021"),
    GNT_PARAMETERS(parameters),
    .scope = GNT_SCOPE_TASK,
    .surfaces = GNT_SURFACE_ENCODING,
    .goals = GNT_GOAL_RECONSTRUCTION,
    .needs = GNT_KNOWS_DEFENSE | GNT_KNOWS_PUBLIC,
    .data_kinds = GNT_KIND_IMAGE,
    .families = families,
    .flags = GNT_FLAG_RANDOMISED | GNT_FLAG_BUDGET_SCHEDULE,
    .conditions = GNT_IF_NAMED,
    .least_public = 4,
    .attack = &hooks,
    .instance_size = GNT_INSTANCE(dec_settings),
    .start = start};

GNT_DEFINE_ENTRY(descriptor)
