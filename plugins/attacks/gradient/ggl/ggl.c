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
 *  - It always transforms its own gradients as the defense does; this one does if it is granted the defense
 *    (granted_distance.h). Zeros and outliers are recognised without the grant (survivors.h, outliers.h). */
#include <math.h>
#include <string.h>

#include "ggl/ggl.h"
#include "gauntlet/plugin.h"
#include "label/label_scores.h"
#include "defense/survivors.h"
#include "hook.h"

static gnt_status start(void *self) {
    ((ggl *)self)->plan.learning.batch = 32;
    return GNT_OK;
}

static gnt_status prepare(void *self_, const gnt_attack_prepare *in, const gnt_sink *out) {
    const ggl *self = self_;
    return kept_generator_learn(self->host, &self->plan, in, out);
}

/* Fills y with the label granted, else with the one read off the update. *label: the largest entry of y. */
static gnt_status bind_label(const ggl *self, const gnt_observation *seen, const outliers *apart, float *y,
                             int64_t *label) {
    const gnt_host *host = self->host;
    const int64_t classes = host->model->info->classes;
    float *scores = gnt_host_scratch(host, classes, sizeof *scores);
    TRY(hook_memory(host, scores != NULL));
    if (seen->labels) {
        memcpy(y, seen->labels, (size_t)classes * sizeof *y);
    } else {
        TRY(label_scores(host, seen, apart, scores));
        label_one_hot(scores, classes, y);
    }
    *label = hook_argmax(y, classes);
    return GNT_OK;
}

static gnt_status run(void *self_, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer) {
    ggl *self = self_;
    const gnt_host *host = self->host;
    generator_shape s;
    generator_learnt learnt;
    ggl_cost cost;
    int64_t label = 0;
    TRY(kept_generator_shape(host, &self->plan, 1, &s));
    if (seen->n != 1)
        return unsupported(host, "its generator makes one image: it needs a batch of one sample");
    TRY(kept_generator_load(host, &self->plan, own, &s, &learnt));
    TRY(ggl_cost_open(&cost, self, &s, seen, answer));
    float *y = gnt_host_scratch(host, host->model->info->classes, sizeof *y);
    TRY(hook_memory(host, y != NULL));
    TRY(bind_label(self, seen, &cost.apart, y, &label));
    cost.args.y = y;
    TRY(ggl_search(&cost, &learnt, s.classes > 1 ? label : 0, seen->budget > 0 ? seen->budget : self->steps));
    answer->chosen(answer->context, cost.found.restart, cost.found.cost);
    TRY(answer->reconstruction(answer->context, 1, cost.found.x));
    return answer->labels(answer->context, 1, host->model->info->classes, y);
}

static const gnt_attack hooks = {.size = sizeof hooks, .prepare = prepare, .run = run};

static const char *const costs[] = {"cosine", "scale_free", "l2", NULL};
static const char *const searches[] = {"cmaes", "gradient", NULL};

static const gnt_parameter parameters[] = {
    GNT_CHOICE(ggl, cost, costs, "cosine",
               "distance of updates: cosine and scale_free see no common factor; l2: as published"),
    GNT_CHOICE(ggl, search, searches, "cmaes",
               "cmaes: from costs alone, as published; gradient: Adam through the generator"),
    GNT_INT(ggl, steps, 1, 1000000, 800, "steps",
            "populations of CMA-ES or steps of Adam, all restarts together, where the suite gives no budget"),
    GNT_INT(ggl, population, 4, 1000, 50, "samples", "samples of CMA-ES in a step"),
    GNT_INT(ggl, restarts, 1, 1000, 1, "restarts",
            "searches that share the steps; the answer is that of least cost"),
    GNT_REAL(ggl, rate, 1e-5, 10, 0.05, GNT_SCALE_LOG, "", "of Adam on latents, with a cosine schedule"),
    GNT_REAL(ggl, weight, 0, 1000, 1e-4, GNT_SCALE_LINEAR, "",
             "of the latents' mean square, added to a distance that is 1 for an empty update"),
    GNT_INT_ID("latents", ggl, plan.latents, 1, 512, 128, "", "entries of the generator's code"),
    GNT_INT_ID("features", ggl, plan.features, 1, 128, 16, "channels",
               "channels of the generator's last layer but one; doubled at each level below"),
    GNT_INT_ID("images", ggl, plan.images, GENERATOR_LEAST_IMAGES, 100000, 5000, "images",
               "the most public images that it learns from"),
    GNT_INT_ID("training_steps", ggl, plan.learning.steps, 1, 1000000, 1500, "steps",
               "batches of 32 that the generator is trained on"),
    GNT_REAL_ID("training_rate", ggl, plan.learning.rate, 1e-6, 0.1, 2e-3, GNT_SCALE_LOG, "",
                "of Adam in that training, with a cosine schedule"),
    GNT_REAL_ID("code_noise", ggl, plan.learning.noise, 0, 10, 0.1, GNT_SCALE_LINEAR, "",
                "deviation of the noise on codes in that training, relative to that of the codes"),
    GNT_CHOICE_ID(
        "mask_zeros", ggl, choice.mask_zeros, survivors_choices, "auto",
        "auto: entries that are 0 are not matched where they look pruned or zeroed; always, never: so"),
    GNT_CHOICE_ID("outliers", ggl, choice.outliers, outliers_choices, "auto", OUTLIERS_HELP),
};

const gnt_descriptor gradient_ggl = {
    GNT_ATTACK("ggl", "1.5",
               "searches the latents of a generator learnt from public images for the observed gradient",
               "MIT",
               "Li, Zhang, Liu and Liu, Auditing Privacy Defenses in Federated Learning via Generative "
               "Gradient Leakage, CVPR 2022"),
    GNT_PARAMETERS(parameters),
    .scope = GNT_SCOPE_TASK,
    .surfaces = GNT_SURFACE_UPDATE,
    .goals = GNT_GOAL_RECONSTRUCTION | GNT_GOAL_LABEL,
    .needs = GNT_KNOWS_PUBLIC,
    .uses = GNT_KNOWS_LABELS | GNT_KNOWS_RATES | GNT_KNOWS_DEFENSE,
    .families = match_families,
    .data_kinds = GNT_KIND_IMAGE,
    .flags = GNT_FLAG_RANDOMISED | GNT_FLAG_BUDGET_SCHEDULE | GNT_FLAG_PREPARES_ONCE,
    .conditions = GNT_IF_CLASSES | GNT_IF_ONE_SAMPLE,
    .least_public = 8,
    .attack = &hooks,
    .instance_size = GNT_INSTANCE(ggl),
    .start = start};
