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
enum { BATCH = 32 };

static void *create(const gnt_host *host, const gnt_value *v) {
    ggl *s = calloc(1, sizeof *s);
    if (!s) {
        gnt_host_fail(host, "out of memory");
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
               .plan = {.latents = v[LATENTS].i,
                        .features = v[FEATURES].i,
                        .images = v[IMAGES].i,
                        .learning = {v[TRAINING_STEPS].i, BATCH, v[TRAINING_RATE].r, v[CODE_NOISE].r}},
               .choice = {v[MASK_ZEROS].i, v[OUTLIERS].i}};
    return s;
}

static gnt_status prepare(void *self_, const gnt_attack_prepare *in, const gnt_sink *out) {
    const ggl *self = self_;
    return kept_generator_learn(self->host, &self->plan, in, out);
}

/* y: as granted, else read off the update. *label: the class that y has most of. */
static gnt_status bind_label(const ggl *self, const gnt_observation *seen, const outliers *apart, float *y,
                             int64_t *label) {
    const gnt_host *host = self->host;
    const int64_t classes = host->model->info->classes;
    float *scores = gnt_host_scratch(host, classes, sizeof *scores);
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
    gnt_status status = kept_generator_shape(host, &self->plan, 1, &s);
    if (status != GNT_OK)
        return status;
    if (seen->n != 1)
        return match_refuse(host, "its generator makes one image: it needs a batch of one sample");
    if ((status = kept_generator_load(host, &self->plan, own, &s, &learnt)) != GNT_OK ||
        (status = ggl_cost_open(&cost, self, &s, seen)) != GNT_OK)
        return status;
    float *y = gnt_host_scratch(host, host->model->info->classes, sizeof *y);
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
     .least = GENERATOR_LEAST_IMAGES,
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
