/* ggl: the image of a generator whose gradient is nearest to the one observed.
 *
 * A generator G(w, label) is learnt from public images (generator.h); then w is searched, by CMA-ES or by
 * Adam, for the least distance between the update of G(w, label) and the observed one, plus a multiple of
 * ‖w‖².
 * Source: Li, Zhang, Liu and Liu, Auditing Privacy Defenses in Federated Learning via Generative Gradient
 * Leakage, CVPR 2022.
 *
 * What differs from the publication:
 *  - Its generator is a GAN trained elsewhere (WGAN-GP, BigGAN); this one is made in seconds from what the
 *    suite grants as public.
 *  - Its distance is `l2`, the squared differences, which takes a common factor of the update for a
 *    difference. The default does not see one: 1 − cos.
 *  - It squeezes latents with tanh in the search by CMA-ES. Here w is standard normal on public images, and
 *    ‖w‖² keeps it there.
 *  - It transforms its own gradients as the defense does. Of that only zeros and outliers are known here
 *    (survivors.h, outliers.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ggl/ggl.h"
#include "gradient.h"
#include "label/label.h"
#include "defense/survivors.h"

enum {
    COST,
    SEARCH,
    STEPS,
    POPULATION,
    RESTARTS,
    RATE,
    WEIGHT,
    LATENTS,
    FEATURES,
    IMAGES,
    TRAINING_STEPS,
    TRAINING_RATE,
    CODE_NOISE,
    MASK_ZEROS,
    OUTLIERS
};
enum { BATCH = 32, LEAST_IMAGES = 8, LEAST_SIDE = 4 };

static void *create(const gnt_host *host, const gnt_value *v) {
    ggl *s = calloc(1, sizeof *s);
    if (!s) {
        host->fail(host->context, "out of memory");
        return NULL;
    }
    *s = (ggl){.host = host,
               .cost = v[COST].i,
               .search = v[SEARCH].i,
               .steps = v[STEPS].i,
               .population = v[POPULATION].i,
               .restarts = v[RESTARTS].i,
               .rate = v[RATE].r,
               .weight = v[WEIGHT].r,
               .latents = v[LATENTS].i,
               .features = v[FEATURES].i,
               .images = v[IMAGES].i,
               .learning = {v[TRAINING_STEPS].i, BATCH, v[TRAINING_RATE].r, v[CODE_NOISE].r},
               .choice = {v[MASK_ZEROS].i, v[OUTLIERS].i}};
    return s;
}

/* The generator's, `classes` as it is told of them. */
static gnt_status shape_of(const ggl *self, int64_t classes, generator_shape *s) {
    const gnt_host *host = self->host;
    const gnt_model_info *info = host->model ? host->model->info : NULL;
    if (!info || info->rank != 3 || info->dim[1] < LEAST_SIDE || info->dim[2] < LEAST_SIDE)
        return match_refuse(host, "its generator makes images with sides of at least 4");
    if (info->output == GNT_OUTPUT_MAP)
        return match_refuse(host, "it needs a label among classes, and this model's output is a map");
    *s = (generator_shape){info->dim[0], info->dim[1], info->dim[2], classes, self->latents, self->features};
    return GNT_OK;
}

/* ---- learning ---- */

static gnt_status keep(const generator_shape *s, const generator_learnt *learnt, const gnt_host *host,
                       const gnt_sink *out) {
    const int64_t size = generator_size(s), mean[2] = {s->classes, s->latents},
                  factor[2] = {s->latents, s->latents};
    if (out->tensor(out->context, "weights", 1, &size, learnt->weights) == GNT_OK &&
        out->tensor(out->context, "mean", 2, mean, learnt->mean) == GNT_OK &&
        out->tensor(out->context, "factor", 2, factor, learnt->factor) == GNT_OK)
        return GNT_OK;
    return host->fail(host->context, "its generator could not be kept");
}

/* Labels of another set than the model's name other things, so the generator is not told them. */
static gnt_status prepare(void *self_, const gnt_attack_prepare *in, const gnt_sink *out) {
    const ggl *self = self_;
    const gnt_host *host = self->host;
    const gnt_samples *images = in->public_data;
    generator_shape s;
    double error;
    gnt_status status = shape_of(self, 1, &s);
    if (status != GNT_OK)
        return status;
    if (!images || !images->x || images->features != generator_pixels(&s) || images->n < LEAST_IMAGES)
        return match_refuse(host, "it learns its generator from public images of the model's size, at least "
                                  "8 of them (knows: public)");
    const int told = images->y && images->classes == host->model->info->classes;
    s.classes = told ? images->classes : 1;
    float *weights = host->scratch(host->context, (size_t)generator_size(&s) * sizeof *weights);
    float *mean = host->scratch(host->context, (size_t)(s.classes * s.latents) * sizeof *mean);
    float *factor = host->scratch(host->context, (size_t)(s.latents * s.latents) * sizeof *factor);
    if (!weights || !mean || !factor)
        return host->fail(host->context, "no memory for the generator: take fewer latents or features");
    const int64_t n = images->n < self->images ? images->n : self->images;
    status = generator_train(host, &s, &self->learning, images->x, told ? images->y : NULL, n, weights, mean,
                             factor, &error);
    if (status != GNT_OK)
        return status;
    host->fact(host->context, "generator_mse", error);
    const generator_learnt learnt = {weights, mean, factor};
    return keep(&s, &learnt, host, out);
}

/* ---- answering ---- */

/* Entries that no generator of this training has: their products would not be finite. */
static const float most_entry = 1e4f;

/* The tensor `name` with count entries, of sound size; NULL otherwise. */
static const float *tensor_of(const gnt_artefacts *own, const char *name, int64_t count) {
    for (int64_t i = 0; own && i < own->tensors.n; i++) {
        const gnt_view *v = &own->tensors.view[i];
        if (!v->name || strcmp(v->name, name) != 0)
            continue;
        if (!v->data || v->count != count)
            return NULL;
        for (int64_t k = 0; k < count; k++)
            if (!(fabsf(v->data[k]) <= most_entry))
                return NULL;
        return v->data;
    }
    return NULL;
}

/* What prepare kept, for whichever number of classes its tensors have. */
static gnt_status load(const ggl *self, const gnt_artefacts *own, generator_shape *s,
                       generator_learnt *learnt) {
    const gnt_host *host = self->host;
    const int64_t told[2] = {host->model->info->classes, 1};
    for (int i = 0; i < 2; i++) {
        gnt_status status = shape_of(self, told[i], s);
        if (status != GNT_OK)
            return status;
        *learnt = (generator_learnt){tensor_of(own, "weights", generator_size(s)),
                                     tensor_of(own, "mean", s->classes * s->latents),
                                     tensor_of(own, "factor", s->latents * s->latents)};
        if (learnt->weights && learnt->mean && learnt->factor)
            return GNT_OK;
    }
    return host->fail(host->context,
                      "its artefacts hold no generator of this shape with finite weights: expected what its "
                      "prepare made with the same parameters");
}

/* y: as granted, else read off the update. *label: the class that y has most of. */
static gnt_status bind_label(const ggl *self, const gnt_observation *seen, const outliers *apart, float *y,
                             int64_t *label) {
    const gnt_host *host = self->host;
    const int64_t classes = host->model->info->classes;
    float *scores = host->scratch(host->context, (size_t)classes * sizeof *scores);
    if (!scores)
        return match_no_memory(host);
    if (seen->labels) {
        memcpy(y, seen->labels, (size_t)classes * sizeof *y);
    } else {
        gnt_status status = label_scores(host, seen, apart, scores);
        if (status != GNT_OK)
            return status;
        label_one_hot(scores, classes, y);
    }
    *label = 0;
    for (int64_t c = 1; c < classes; c++)
        if (y[c] > y[*label])
            *label = c;
    return GNT_OK;
}

static gnt_status run(void *self_, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer) {
    ggl *self = self_;
    const gnt_host *host = self->host;
    generator_shape s;
    generator_learnt learnt;
    ggl_cost cost;
    ggl_found found;
    int64_t label = 0;
    gnt_status status = shape_of(self, 1, &s);
    if (status != GNT_OK)
        return status;
    if (seen->n != 1)
        return match_refuse(host, "its generator makes one image: it needs a batch of one sample");
    if ((status = load(self, own, &s, &learnt)) != GNT_OK ||
        (status = ggl_cost_open(&cost, self, &s, seen)) != GNT_OK)
        return status;
    float *y = host->scratch(host->context, (size_t)host->model->info->classes * sizeof *y);
    if (!y)
        return match_no_memory(host);
    if ((status = bind_label(self, seen, &cost.apart, y, &label)) != GNT_OK)
        return status;
    cost.args.y = y;
    status = ggl_search(&cost, &learnt, s.classes > 1 ? label : 0,
                        seen->budget > 0 ? seen->budget : self->steps, answer, &found);
    if (status != GNT_OK)
        return status;
    status = answer->reconstruction(answer->context, 1, found.x);
    if (status == GNT_OK)
        status = answer->labels(answer->context, 1, host->model->info->classes, y);
    answer->chosen(answer->context, found.restart, found.cost);
    return status;
}

static const gnt_attack hooks = {.size = sizeof hooks, .prepare = prepare, .run = run};

static const char *const costs[] = {"cosine", "scale_free", "l2", NULL};
static const char *const searches[] = {"cmaes", "gradient", NULL};

static const gnt_parameter parameters[] = {
    {.id = "cost",
     .type = GNT_TYPE_CHOICE,
     .unit = "",
     .preset_text = "cosine",
     .choices = costs,
     .help = "distance of updates: cosine and scale_free see no common factor; l2: as published"},
    {.id = "search",
     .type = GNT_TYPE_CHOICE,
     .unit = "",
     .preset_text = "cmaes",
     .choices = searches,
     .help = "cmaes: from costs alone, as published; gradient: Adam through the generator"},
    {.id = "steps",
     .type = GNT_TYPE_INT,
     .unit = "steps",
     .least = 1,
     .most = 1000000,
     .preset = 800,
     .help =
         "populations of CMA-ES or steps of Adam, all restarts together, where the suite gives no budget"},
    {.id = "population",
     .type = GNT_TYPE_INT,
     .unit = "samples",
     .least = 4,
     .most = 1000,
     .preset = 50,
     .help = "samples of CMA-ES in a step"},
    {.id = "restarts",
     .type = GNT_TYPE_INT,
     .unit = "restarts",
     .least = 1,
     .most = 1000,
     .preset = 1,
     .help = "searches that share the steps; the answer is that of least cost"},
    {.id = "rate",
     .type = GNT_TYPE_REAL,
     .scale = GNT_SCALE_LOG,
     .unit = "",
     .least = 1e-5,
     .most = 10,
     .preset = 0.05,
     .help = "of Adam on latents, with a cosine schedule"},
    {.id = "weight",
     .type = GNT_TYPE_REAL,
     .scale = GNT_SCALE_LINEAR,
     .unit = "",
     .least = 0,
     .most = 1000,
     .preset = 1e-4,
     .help = "of the latents' mean square, beside a distance that is 1 for an empty update"},
    {.id = "latents",
     .type = GNT_TYPE_INT,
     .unit = "",
     .least = 1,
     .most = 512,
     .preset = 128,
     .help = "entries of the generator's code"},
    {.id = "features",
     .type = GNT_TYPE_INT,
     .unit = "channels",
     .least = 1,
     .most = 128,
     .preset = 16,
     .help = "channels of the generator's last layer but one; doubled at each level below"},
    {.id = "images",
     .type = GNT_TYPE_INT,
     .unit = "images",
     .least = LEAST_IMAGES,
     .most = 100000,
     .preset = 5000,
     .help = "the most public images that it learns from"},
    {.id = "training_steps",
     .type = GNT_TYPE_INT,
     .unit = "steps",
     .least = 1,
     .most = 1000000,
     .preset = 1500,
     .help = "batches of 32 that the generator is trained on"},
    {.id = "training_rate",
     .type = GNT_TYPE_REAL,
     .scale = GNT_SCALE_LOG,
     .unit = "",
     .least = 1e-6,
     .most = 0.1,
     .preset = 2e-3,
     .help = "of Adam in that training, with a cosine schedule"},
    {.id = "code_noise",
     .type = GNT_TYPE_REAL,
     .scale = GNT_SCALE_LINEAR,
     .unit = "",
     .least = 0,
     .most = 10,
     .preset = 0.1,
     .help = "deviation of the noise on codes in that training, beside codes of deviation 1"},
    {.id = "mask_zeros",
     .type = GNT_TYPE_CHOICE,
     .unit = "",
     .preset_text = "auto",
     .choices = survivors_choices,
     .help = "auto: entries that are 0 are not matched where they look pruned or zeroed; always, never: so"},
    {.id = "outliers",
     .type = GNT_TYPE_CHOICE,
     .unit = "",
     .preset_text = "auto",
     .choices = outliers_choices,
     .help = OUTLIERS_HELP},
};

const gnt_descriptor gradient_ggl = {
    .size = sizeof gradient_ggl,
    .kind = GNT_PLUGIN_ATTACK,
    .id = "ggl",
    .version = "1.0",
    .line = "searches the latents of a generator learnt from public images for the observed gradient",
    .licence = "MIT",
    .citation = "Li, Zhang, Liu and Liu, Auditing Privacy Defenses in Federated Learning via Generative "
                "Gradient Leakage, CVPR 2022",
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .scope = GNT_SCOPE_TASK,
    .surfaces = GNT_SURFACE_UPDATE,
    .goals = GNT_GOAL_RECONSTRUCTION | GNT_GOAL_LABEL,
    .needs = GNT_KNOWS_PUBLIC,
    .uses = GNT_KNOWS_LABELS | GNT_KNOWS_RATES,
    .data_kinds = GNT_KIND_IMAGE,
    .flags = GNT_FLAG_RANDOMISED,
    .create = create,
    .destroy = free,
    .attack = &hooks,
};
