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
 * With `layers` only the tensors of these are clipped and noised, as one vector; the rest is sent as it was
 * computed. No epsilon is reported then, for what is sent in the clear bounds nothing; `covered_share` is the
 * share of the entries that are covered. If all are, it is as without `layers`.
 *
 * The accounting is that of real numbers; floats in place of them are a known gap of every such mechanism. */
#include <stdio.h>

#include "clip_noise.h"
#include "dp_plugins.h"
#include "shared/choose/choose_layers.h"
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

/* Appends the tensors of those layers whose flag is set; of all layers if there are no flags. */
static void append(gnt_tensors *to, const gnt_tensors *from, const uint8_t *covered) {
    for (int64_t k = 0; from && k < from->n; k++)
        if (!covered || (from->tensor[k].layer >= 0 && covered[from->tensor[k].layer]))
            to->tensor[to->n++] = from->tensor[k];
}

gnt_tensors *dp_released(const dp *self, const gnt_client *client, const gnt_tensors *update,
                         const uint8_t *covered) {
    const gnt_tensors *sent = self->statistics ? dp_sent_statistics(client) : NULL;
    gnt_tensors *all = gnt_host_scratch(self->host, 1, sizeof *all);
    gnt_tensor *list = gnt_host_scratch(self->host, update->n + (sent ? sent->n : 0) + 1, sizeof *list);
    if (!all || !list)
        return NULL;
    all->tensor = list;
    append(all, update, covered);
    append(all, sent, covered);
    return all;
}

/* Sets *covered to the flags of the layers that `layers` names, scratch; NULL if it names none. */
static gnt_status read_layers(const dp *self, const uint8_t **covered) {
    const gnt_host *host = self->host;
    char why[CHOOSE_WHY];
    *covered = NULL;
    if (!self->layers || !*self->layers)
        return GNT_OK;
    const gnt_model_info *info = host->model->info;
    uint8_t *flags = gnt_host_scratch(host, info->n_layers > 0 ? info->n_layers : 1, sizeof *flags);
    TRY(have_memory(host, flags != NULL, "no memory for the choice of layers"));
    if (choose_layers(info, self->layers, flags, why) != 0)
        return unsupported(host, why);
    *covered = flags;
    return GNT_OK;
}

static int64_t entries_of(const gnt_tensors *t) {
    int64_t n = 0;
    for (int64_t k = 0; k < t->n; k++)
        n += t->tensor[k].count;
    return n;
}

/* Returns the share of what is sent that is covered, and reports it. */
static double report_covered(const dp *self, const gnt_client *client, const gnt_tensors *update,
                             const gnt_tensors *covered) {
    const gnt_tensors *sent = self->statistics ? dp_sent_statistics(client) : NULL;
    const double all = (double)(entries_of(update) + (sent ? entries_of(sent) : 0));
    const double share = all > 0 ? (double)entries_of(covered) / all : 1;
    gnt_host_fact(self->host, "covered_share", share);
    return share;
}

/* `covered`: what is clipped and noised. */
static void report(const dp *self, const gnt_client *client, const gnt_tensors *covered,
                   const dp_clipped *clipped, int in_part) {
    const gnt_host *host = self->host;
    gnt_host_fact(host, "norm", clipped->norm);
    if (self->clip_mode == CLIP_NONE)
        return;
    gnt_host_fact(host, "clipped", clipped->share);
    if ((!self->laplace && self->delta == 0) || in_part)
        return;
    const double sensitivity = dp_sensitivity(self, covered) / self->scale;
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
    const uint8_t *covered;
    dp_clipped clipped;
    int in_part = 0;
    TRY(read_layers(self, &covered));
    gnt_tensors *all = dp_released(self, client, update, covered);
    if (!all)
        return gnt_host_fail(host, "no memory for a list of the update's tensors");
    if (covered && all->n == 0)
        return unsupported(host, "layers: those that are named have no parameters that clients share");
    if (covered)
        in_part = report_covered(self, client, update, all) < 1;
    if (dp_clip(self, all, &clipped) != 0)
        return gnt_host_fail(host, "the update holds NaN or infinite entries, which cannot be clipped");
    if (self->scale > 0)
        TRY(add_noise(self, all));
    report(self, client, all, &clipped, in_part);
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
#define LAYERS                                                                                               \
    GNT_TEXT(dp, layers, "",                                                                                 \
             "layers that are clipped and noised, as one vector: names, convs:firstN, convs:lastN, "         \
             "convs:all or dense, joined by + or ,; the rest is sent as it was computed, and no epsilon is " \
             "reported; empty: all layers")
#define MU GNT_REAL(dp, mu, -1e6, 1e6, 0, GNT_SCALE_LINEAR, UNIT, "mean of the noise")

static const gnt_parameter gaussian_parameters[] = {
    SCALE("sigma", "standard deviation of the noise in every entry"),
    CLIP("greatest L2 norm of what is clipped"),
    CLIP_MODE,
    MU,
    GNT_REAL(dp, delta, 0, 0.5, 0, GNT_SCALE_LINEAR, "",
             "above 0, and with a clip: epsilons of one release and of all rounds are reported"),
    STATISTICS,
    LAYERS,
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
    LAYERS,
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
    GNT_PARAMETERS(law##_parameters), COMMON,                                                                \
        .families = families, .flags = GNT_FLAG_RANDOMISED | GNT_FLAG_RESUMES, .start = start_##law

const gnt_descriptor dp_gaussian = {
    GNT_DEFENSE("dp-gaussian", "1.1", "clips each update and adds Gaussian noise", "MIT",
                "Balle and Wang, Improving the Gaussian Mechanism for Differential Privacy, ICML 2018; "
                "as a baseline: RecUP-FL, ASIA CCS 2023, section 3.1"),
    NOISY(gaussian),
};
const gnt_descriptor dp_laplace = {
    GNT_DEFENSE("dp-laplace", "1.1", "clips each update and adds Laplace noise", "MIT",
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
    .flags = GNT_FLAG_RESUMES,
    .families = clip_families,
    .start = start_clip,
};
