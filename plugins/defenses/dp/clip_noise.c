/* dp-gaussian and dp-laplace: clip the update, then add noise to every entry. clip: the first half alone, and
 * of the update alone.
 *
 * u' = u·min(1, C/‖u‖) + noise, as RecUP-FL (2023, section 3.1) states it, for the whole update or tensor by
 * tensor. What it promises: updates are differentially private for the client who sent them. Facts are the
 * epsilons of one release and of all rounds (shared/dp/epsilon_facts.h), where the client takes part or not
 * (sensitivity C) and where its data are exchanged for any others (2 C, the honest one where everyone knows
 * who took part). Without a clip there is no sensitivity, hence no differential privacy and no epsilon:
 * "none" measures noise alone.
 *
 * What a client sends of its batch-norm statistics is a part of what it releases: by default it is clipped
 * and noised with the update, as one vector. `epsilon_covers_statistics` is 0 if it is not.
 *
 * The accounting is that of real numbers; floats in place of them are a known gap of every such mechanism. */
#include <stdio.h>

#include "clip_noise.h"
#include "dp_plugins.h"
#include "shared/dp/epsilon_facts.h"
#include "shared/try.h"

enum { CHUNK = 1 << 15 }; /* entries between two calls of should_stop */

const gnt_tensors *dp_sent_statistics(const gnt_client *client) {
    return GNT_HAS(gnt_client, client, sent_buffers) && client->sent_buffers && client->sent_buffers->n > 0
               ? client->sent_buffers
               : NULL;
}

/* Adds noise to one tensor, from a random stream for its name: the noise of one says nothing about that of
 * another. */
static gnt_status add_noise_to(const dp *self, gnt_tensor *t, float *noise) {
    const gnt_host *host = self->host;
    char stream[200];
    snprintf(stream, sizeof stream, "noise %s", t->name);
    for (int64_t from = 0; from < t->count; from += CHUNK) {
        int64_t n = t->count - from < CHUNK ? t->count - from : CHUNK;
        TRY(may_go_on(host));
        if (self->laplace)
            gnt_host_laplace(host, stream, n, noise);
        else
            gnt_host_normal(host, stream, n, noise);
        for (int64_t i = 0; i < n; i++)
            t->data[from + i] =
                (float)((double)t->data[from + i] + self->mu + self->scale * (double)noise[i]);
    }
    return GNT_OK;
}

static gnt_status add_noise(const dp *self, gnt_tensors *update) {
    const gnt_host *host = self->host;
    gnt_status status = GNT_OK;
    float *noise = gnt_host_scratch(host, CHUNK, sizeof *noise);
    TRY(have_memory(host, noise != NULL, "no memory for the noise"));
    for (int64_t k = 0; k < update->n && status == GNT_OK; k++)
        status = add_noise_to(self, &update->tensor[k], noise);
    return status;
}

gnt_tensors *dp_released(const dp *self, const gnt_client *client, const gnt_tensors *update) {
    const gnt_tensors *sent = self->statistics ? dp_sent_statistics(client) : NULL;
    gnt_tensors *all = gnt_host_scratch(self->host, 1, sizeof *all);
    gnt_tensor *list = gnt_host_scratch(self->host, update->n + (sent ? sent->n : 0), sizeof *list);
    if (!all || !list)
        return NULL;
    for (int64_t k = 0; k < update->n; k++)
        list[all->n++] = update->tensor[k];
    for (int64_t k = 0; sent && k < sent->n; k++)
        list[all->n++] = sent->tensor[k];
    all->tensor = list;
    return all;
}

static void report(const dp *self, const gnt_client *client, const gnt_tensors *update,
                   const dp_clipped *clipped) {
    const gnt_host *host = self->host;
    gnt_host_fact(host, "norm", clipped->norm);
    if (self->clip_mode == CLIP_NONE)
        return;
    gnt_host_fact(host, "clipped", clipped->share);
    if (!self->laplace && self->delta == 0)
        return;
    const double sensitivity = dp_sensitivity(self, update) / self->scale;
    if (self->laplace)
        laplace_epsilon_facts(host, client, sensitivity);
    else
        gaussian_epsilon_facts(host, client, self->delta, sensitivity);
    if (dp_sent_statistics(client))
        gnt_host_fact(host, "epsilon_covers_statistics", self->statistics != 0);
}

static gnt_status transform_update(void *context, const gnt_client *client, gnt_tensors *update) {
    const dp *self = context;
    const gnt_host *host = self->host;
    dp_clipped clipped;
    gnt_tensors *all = dp_released(self, client, update);
    if (!all)
        return gnt_host_fail(host, "no memory for a list of the update's tensors");
    if (dp_clip(self, all, &clipped) != 0)
        return gnt_host_fail(host, "the update holds NaN or infinite entries, which cannot be clipped");
    if (self->scale > 0)
        TRY(add_noise(self, all));
    report(self, client, all, &clipped);
    return GNT_OK;
}

static gnt_status start_gaussian(void *context) {
    dp *self = context;
    self->norm = NORM_L2;
    if (self->delta > 0 && self->clip_mode == CLIP_NONE)
        gnt_host_log(
            self->host, GNT_LOG_WARN,
            "delta is given, but without a clip there is no differential privacy: no epsilon is told");
    return GNT_OK;
}

static gnt_status start_laplace(void *context) {
    ((dp *)context)->laplace = 1;
    return GNT_OK;
}

static gnt_status start_clip(void *context) {
    ((dp *)context)->norm = NORM_L2;
    return GNT_OK;
}

static const gnt_defense hooks = {.size = sizeof hooks, .transform_update = transform_update};

static const char *const clip_modes[] = {"global", "per_tensor", "none", NULL};
static const char *const bound_modes[] = {"global", "per_tensor", NULL}; /* as CLIP_GLOBAL, CLIP_PER_TENSOR */
static const char *const norms[] = {"l1", "l2", NULL};

#define UNIT "units of the update"
#define SCALE(id, help) GNT_STRENGTH_REAL_ID(id, dp, scale, 1e-8, 10, 0.01, GNT_SCALE_LOG, 1, UNIT, help)
#define CLIP(help) GNT_REAL(dp, clip, 1e-10, 1e6, 4, GNT_SCALE_LOG, UNIT, help)
#define CLIP_MODE                                                                                            \
    GNT_CHOICE(dp, clip_mode, clip_modes, "global",                                                          \
               "what is clipped: the whole update, each tensor on its own, or nothing: noise alone, "        \
               "which is NOT differential privacy and gets no epsilon")
#define STATISTICS                                                                                           \
    GNT_BOOL(dp, statistics, 1,                                                                              \
             "1: what is sent of batch-norm statistics is clipped and noised with the update, as one "       \
             "vector; 0: it is sent in the clear, and epsilon does not cover it")
#define MU GNT_REAL(dp, mu, -1e6, 1e6, 0, GNT_SCALE_LINEAR, UNIT, "mean of the noise")

static const gnt_parameter gaussian_parameters[] = {
    SCALE("sigma", "standard deviation of the noise in every entry"),
    CLIP("greatest L2 norm of what is clipped"),
    CLIP_MODE,
    MU,
    GNT_REAL(dp, delta, 0, 0.5, 0, GNT_SCALE_LINEAR, "",
             "above 0, and with a clip: epsilons of one release and of all rounds are reported"),
    STATISTICS,
};

static const gnt_parameter laplace_parameters[] = {
    SCALE("b", "scale of the noise in every entry; its standard deviation is b times the root of 2"),
    CLIP("greatest norm of what is clipped"),
    CLIP_MODE,
    MU,
    GNT_CHOICE(dp, norm, norms, "l1",
               "norm that is bounded: Laplace noise needs l1; l2, which papers use, bounds l1 by the root "
               "of the number of entries only, which epsilon accounts for"),
    STATISTICS,
};

static const gnt_parameter clip_parameters[] = {
    GNT_STRENGTH_REAL_ID("bound", dp, clip, 1e-8, 1e4, 4, GNT_SCALE_LOG, -1, UNIT,
                         "greatest L2 norm of what is clipped"),
    GNT_CHOICE(dp, clip_mode, bound_modes, "global",
               "what is clipped: the whole update, or each tensor on its own"),
};

static const char *const families[] = {GNT_FAMILY_NOISE, GNT_FAMILY_CLIPPING, NULL};
static const char *const clip_families[] = {GNT_FAMILY_CLIPPING, NULL};

#define COMMON                                                                                               \
    .surfaces = GNT_SURFACE_UPDATE, .data_kinds = GNT_KIND_ANY, .defense = &hooks,                           \
    .instance_size = GNT_INSTANCE(dp)

#define NOISY(law)                                                                                           \
    GNT_PARAMETERS(law##_parameters), COMMON, .families = families, .flags = GNT_FLAG_RANDOMISED,            \
                                              .start = start_##law

const gnt_descriptor dp_gaussian = {
    GNT_DEFENSE("dp-gaussian", "1.0", "clips each update and adds Gaussian noise", "MIT",
                "Balle and Wang, Improving the Gaussian Mechanism for Differential Privacy, ICML 2018; "
                "as a baseline: RecUP-FL, ASIA CCS 2023, section 3.1"),
    NOISY(gaussian),
};
const gnt_descriptor dp_laplace = {
    GNT_DEFENSE("dp-laplace", "1.0", "clips each update and adds Laplace noise", "MIT",
                "Dwork, McSherry, Nissim and Smith, Calibrating Noise to Sensitivity in Private Data "
                "Analysis, TCC 2006; as a baseline: RecUP-FL, ASIA CCS 2023, section 3.1"),
    NOISY(laplace),
};
const gnt_descriptor dp_clip_alone = {
    GNT_DEFENSE("clip", "1.0", "scales each update down to a bound on its norm", "MIT",
                "Abadi et al., Deep Learning with Differential Privacy, CCS 2016, section 3.1, without its "
                "noise; as a baseline: Wan et al., ICCV 2023, section 5.1"),
    GNT_PARAMETERS(clip_parameters),
    COMMON,
    .families = clip_families,
    .start = start_clip,
};
