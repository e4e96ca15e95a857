/* dp-gaussian and dp-laplace: clip the update, then add noise to every entry. clip: the first half alone.
 *
 * u' = u·min(1, C/‖u‖) + noise, as RecUP-FL (2023, section 3.1) states it, for the whole update or tensor by
 * tensor. What it promises: one released update is differentially private for the client who sent it. Two
 * neighbours are counted, and both epsilons are reported as facts: `epsilon_add` (the client takes part or
 * not: sensitivity C) and `epsilon_replace` (its data are exchanged for any others: 2 C, the honest one
 * where everyone knows who took part). They hold for ONE release; rounds add up. Without a clip there is no
 * sensitivity, hence no differential privacy and no epsilon: "none" measures noise alone.
 *
 * The accounting is that of real numbers; floats in place of them are a known gap of every such mechanism. */
#include <stdio.h>
#include <stdlib.h>

#include "dp.h"
#include "gauntlet/dp.h"

enum { STRENGTH, CLIP, CLIP_MODE, MU, OWN }; /* OWN: delta of one, norm of the other */
enum { BOUND, BOUND_MODE };                  /* of clip */
enum { CHUNK = 1 << 15 };                    /* entries between two looks at should_stop */

/* A stream for each tensor's name: the noise of one says nothing about that of another. */
static gnt_status add_noise_to(const dp *self, gnt_tensor *t, float *noise) {
    const gnt_host *host = self->host;
    char stream[200];
    snprintf(stream, sizeof stream, "noise %s", t->name);
    for (int64_t from = 0; from < t->count; from += CHUNK) {
        int64_t n = t->count - from < CHUNK ? t->count - from : CHUNK;
        if (host->should_stop(host->context))
            return GNT_STOPPED;
        if (self->laplace)
            host->laplace(host->context, stream, n, noise);
        else
            host->normal(host->context, stream, n, noise);
        for (int64_t i = 0; i < n; i++)
            t->data[from + i] =
                (float)((double)t->data[from + i] + self->mu + self->scale * (double)noise[i]);
    }
    return GNT_OK;
}

static gnt_status add_noise(const dp *self, gnt_tensors *update) {
    const gnt_host *host = self->host;
    gnt_status status = GNT_OK;
    float *noise = host->scratch(host->context, CHUNK * sizeof *noise);
    if (!noise)
        return host->fail(host->context, "no memory for the noise");
    for (int64_t k = 0; k < update->n && status == GNT_OK; k++)
        status = add_noise_to(self, &update->tensor[k], noise);
    return status;
}

static double epsilon(const dp *self, double sensitivity) {
    return self->laplace ? gnt_dp_laplace_epsilon(self->scale, sensitivity)
                         : gnt_dp_gaussian_epsilon(self->scale, self->delta, sensitivity);
}

static void report(const dp *self, const gnt_tensors *update, const dp_clipped *clipped) {
    const gnt_host *host = self->host;
    host->fact(host->context, "norm", clipped->norm);
    if (self->clip_mode == CLIP_NONE)
        return;
    host->fact(host->context, "clipped", clipped->share);
    if (!self->laplace && self->delta == 0)
        return;
    double sensitivity = dp_sensitivity(self, update);
    host->fact(host->context, "epsilon_add", epsilon(self, sensitivity));
    host->fact(host->context, "epsilon_replace", epsilon(self, 2 * sensitivity));
}

static gnt_status transform_update(void *context, const gnt_client *client, gnt_tensors *update) {
    const dp *self = context;
    const gnt_host *host = self->host;
    dp_clipped clipped;
    (void)client;
    if (dp_clip(self, update, &clipped) != 0)
        return host->fail(host->context, "the update holds NaN or infinite entries, which cannot be clipped");
    const gnt_status status = self->scale > 0 ? add_noise(self, update) : GNT_OK;
    if (status == GNT_OK)
        report(self, update, &clipped);
    return status;
}

static void *create(const gnt_host *host, dp what) {
    dp *self = malloc(sizeof *self);
    if (!self) {
        host->fail(host->context, "out of memory");
        return NULL;
    }
    *self = what;
    if (what.delta > 0 && what.clip_mode == CLIP_NONE)
        host->log(host->context, GNT_LOG_WARN,
                  "delta is given, but without a clip there is no differential privacy: no epsilon is told");
    return self;
}

static void *create_gaussian(const gnt_host *host, const gnt_value *v) {
    return create(host, (dp){.host = host,
                             .scale = v[STRENGTH].r,
                             .mu = v[MU].r,
                             .delta = v[OWN].r,
                             .clip = v[CLIP].r,
                             .clip_mode = v[CLIP_MODE].i,
                             .norm = NORM_L2});
}

static void *create_laplace(const gnt_host *host, const gnt_value *v) {
    return create(host, (dp){.host = host,
                             .laplace = 1,
                             .scale = v[STRENGTH].r,
                             .mu = v[MU].r,
                             .clip = v[CLIP].r,
                             .clip_mode = v[CLIP_MODE].i,
                             .norm = v[OWN].i});
}

static void *create_clip(const gnt_host *host, const gnt_value *v) {
    return create(host,
                  (dp){.host = host, .clip = v[BOUND].r, .clip_mode = v[BOUND_MODE].i, .norm = NORM_L2});
}

static const gnt_defense hooks = {.size = sizeof hooks, .transform_update = transform_update};

static const char *const clip_modes[] = {"global", "per_tensor", "none", NULL};
static const char *const bound_modes[] = {"global", "per_tensor", NULL}; /* as CLIP_GLOBAL, CLIP_PER_TENSOR */
static const char *const norms[] = {"l1", "l2", NULL};

#define STRENGTH_ROW(name, what)                                                                             \
    {                                                                                                        \
        .id = name, .type = GNT_TYPE_REAL, .scale = GNT_SCALE_LOG, .unit = "units of the update",            \
        .least = 1e-8, .most = 10, .preset = 0.01, .strength = 1, .help = what                               \
    }
#define CLIP_ROW(bounds)                                                                                     \
    {                                                                                                        \
        .id = "clip", .type = GNT_TYPE_REAL, .scale = GNT_SCALE_LOG, .unit = "units of the update",          \
        .least = 1e-10, .most = 1e6, .preset = 4, .help = bounds                                             \
    }
#define CLIP_MODE_ROW                                                                                        \
    {                                                                                                        \
        .id = "clip_mode", .type = GNT_TYPE_CHOICE, .unit = "", .preset_text = "global",                     \
        .choices = clip_modes,                                                                               \
        .help = "what is clipped: the whole update, each tensor on its own, or nothing: noise alone, "       \
                "which is NOT differential privacy and gets no epsilon"                                      \
    }
#define MU_ROW                                                                                               \
    {                                                                                                        \
        .id = "mu", .type = GNT_TYPE_REAL, .unit = "units of the update", .least = -1e6, .most = 1e6,        \
        .preset = 0, .help = "mean of the noise"                                                             \
    }

static const gnt_parameter gaussian_parameters[] = {
    STRENGTH_ROW("sigma", "standard deviation of the noise in every entry"),
    CLIP_ROW("greatest L2 norm of what is clipped"),
    CLIP_MODE_ROW,
    MU_ROW,
    {.id = "delta",
     .type = GNT_TYPE_REAL,
     .unit = "",
     .least = 0,
     .most = 0.5,
     .preset = 0,
     .help =
         "above 0, and with a clip: the epsilon of one release is reported (analytic Gaussian mechanism)"},
};

static const gnt_parameter laplace_parameters[] = {
    STRENGTH_ROW("b", "scale of the noise in every entry; its standard deviation is b times the root of 2"),
    CLIP_ROW("greatest norm of what is clipped"),
    CLIP_MODE_ROW,
    MU_ROW,
    {.id = "norm",
     .type = GNT_TYPE_CHOICE,
     .unit = "",
     .preset_text = "l1",
     .choices = norms,
     .help = "norm that is bounded: Laplace noise answers to l1; l2, which papers use, bounds l1 by the root "
             "of the number of entries only, and epsilon is counted so"},
};

static const gnt_parameter clip_parameters[] = {
    {.id = "bound",
     .type = GNT_TYPE_REAL,
     .scale = GNT_SCALE_LOG,
     .unit = "units of the update",
     .least = 1e-8,
     .most = 1e4,
     .preset = 4,
     .strength = -1,
     .help = "greatest L2 norm of what is clipped"},
    {.id = "clip_mode",
     .type = GNT_TYPE_CHOICE,
     .unit = "",
     .preset_text = "global",
     .choices = bound_modes,
     .help = "what is clipped: the whole update, or each tensor on its own"},
};

static const char *const families[] = {GNT_FAMILY_NOISE, GNT_FAMILY_CLIPPING, NULL};
static const char *const clip_families[] = {GNT_FAMILY_CLIPPING, NULL};

#define COMMON                                                                                               \
    .size = sizeof(gnt_descriptor), .kind = GNT_PLUGIN_DEFENSE, .version = "1.0", .licence = "MIT",          \
    .surfaces = GNT_SURFACE_UPDATE, .data_kinds = GNT_KIND_ANY, .destroy = free, .defense = &hooks
#define NOISY .families = families, .flags = GNT_FLAG_RANDOMISED

static const gnt_descriptor descriptors[] = {
    {COMMON, NOISY, .id = "dp-gaussian", .line = "clips each update and adds Gaussian noise",
     .citation = "Balle and Wang, Improving the Gaussian Mechanism for Differential Privacy, ICML 2018; "
                 "as a baseline: RecUP-FL, ASIA CCS 2023, section 3.1",
     .parameters = gaussian_parameters,
     .n_parameters = sizeof gaussian_parameters / sizeof *gaussian_parameters, .create = create_gaussian},
    {COMMON, NOISY, .id = "dp-laplace", .line = "clips each update and adds Laplace noise",
     .citation = "Dwork, McSherry, Nissim and Smith, Calibrating Noise to Sensitivity in Private Data "
                 "Analysis, TCC 2006; as a baseline: RecUP-FL, ASIA CCS 2023, section 3.1",
     .parameters = laplace_parameters, .n_parameters = sizeof laplace_parameters / sizeof *laplace_parameters,
     .create = create_laplace},
    {COMMON, .families = clip_families, .id = "clip",
     .line = "scales each update down to a bound on its norm",
     .citation = "Abadi et al., Deep Learning with Differential Privacy, CCS 2016, section 3.1, without its "
                 "noise; as a baseline: Wan et al., ICCV 2023, section 5.1",
     .parameters = clip_parameters, .n_parameters = sizeof clip_parameters / sizeof *clip_parameters,
     .create = create_clip},
};

static const gnt_descriptor *const list[] = {&descriptors[0], &descriptors[1], &descriptors[2]};

GNT_DEFINE_ENTRY_LIST(list, sizeof list / sizeof *list)
