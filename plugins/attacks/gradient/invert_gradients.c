/* invert-gradients: finds the input whose update has the same direction as the observed one.
 *
 * Minimises 1 − cos(u(x), o) over all tensors together, plus a total variation prior on images, by Adam on
 * the sign of the gradient, from normal noise in the model's normalised space, clamped to the valid box
 * throughout. Weight deltas of several local steps are matched by unrolling them. Source: Geiping,
 * Bauermeister, Dröge and Moeller, Inverting Gradients, NeurIPS 2020; their full runs take 24,000 steps,
 * their quick ones 4,800.
 *
 * Grants are used as follows:
 *  - defense with noise of a known law: the cost is −log p(o | u(x)) (noise_law.h), and the prior has the
 *    weight that the probabilities give it. With public data too, the prior is learnt from such images
 *    (image_prior.h), chosen by trial (invert_trials.c).
 *  - defense with a clip of each tensor and no noise: the clip is part of the cosine (clipped_cosine.h).
 *  - batch-norm statistics: the batch's are fitted to the granted ones; without that grant to those that the
 *    client sent (observed_statistics.h), else, if `bn` is set, to the model's running statistics. Restarts
 *    may be drawn towards their mean (`group`).
 *    Source of both: Yin et al., See through Gradients: Image Batch Recovery via GradInversion, CVPR 2021.
 *  - public data, or prior_data if these are more: where the update reveals the features in front of a
 *    dense layer, the search begins at images of these (feature_inverse.h). The cost has a term for them
 *    without any grant (known_features.h).
 *  - history: the client's earlier rounds are matched too, if they appear to be of the same data.
 *  - labels, rates. Labels that are not granted are inferred from the update (label_scores.h). */
#include <math.h>
#include <string.h>

#include "gauntlet/plugin.h"
#include "cost/update_match.h"
#include "search/chosen.h"
#include "search/invert_parameters.h"
#include "label/label_scores.h"
#include "hook.h"

/* ---- what was granted ---- */

static int choose_cost(const invert *self, const noise_law *law) {
    int64_t wanted = self->cost;
    if (wanted != DATA_AUTO)
        return (int)wanted;
    return law->kind != NOISE_NONE ? DATA_LIKELIHOOD : DATA_COSINE;
}

/* True if clipping without noise does not mislead the cost: a cosine includes it, and a scale-free cost
 * ignores a clip of the whole update. */
static int sees_through_clip(int cost, const noise_law *law) {
    const int alone = law->kind == NOISE_NONE && law->clip_mode != NOISE_CLIP_NONE;
    return !alone || cost == DATA_COSINE || cost == DATA_LIKELIHOOD ||
           (cost == DATA_SCALE_FREE && law->clip_mode == NOISE_CLIP_GLOBAL);
}

gnt_status invert_cost(invert *self, gnt_observation *seen, const granted_defense *granted, int *cost) {
    const gnt_host *host = self->host;
    const noise_law *law = &granted->noise;
    (void)seen;
    *cost = choose_cost(self, law);
    if (granted->layers && (self->cost == DATA_AUTO || self->cost == DATA_LIKELIHOOD)) {
        *cost = DATA_WHITENED;
        return GNT_OK;
    }
    if (!sees_through_clip(*cost, law))
        return unsupported(host, "cost takes the granted clip's factors for differences of images, as by an "
                                 "attacker who does not know of it: leave the grant defense out, or take "
                                 "\"auto\" or \"cosine\"");
    if (*cost == DATA_LIKELIHOOD && law->kind == NOISE_NONE)
        return unsupported(host, "the likelihood needs a defense whose noise is known (knows: defense, of "
                                 "dp-gaussian or dp-laplace)");
    if (*cost != DATA_LIKELIHOOD && (law->kind != NOISE_NONE || granted->layers))
        return unsupported(host, "cost reckons with no noise, as by an attacker who does not know of it, but "
                                 "a defense that adds noise is granted: leave that grant out, or take "
                                 "\"auto\" or \"likelihood\"");
    return GNT_OK;
}

/* Chooses the prior: the parameters', else that of the trials, else total variation. */
prior_setting invert_prior(const invert *self, int cost, const gnt_artefacts *own) {
    prior_setting setting;
    if (self->prior == PRIOR_AUTO && cost == DATA_LIKELIHOOD && invert_setting_read(own, &setting))
        return setting;
    setting.kind = (int)self->prior;
    setting.kind = setting.kind == PRIOR_AUTO ? PRIOR_TV : setting.kind;
    setting.weight = self->prior_weight;
    return setting;
}

/* ---- labels and features ---- */

gnt_status invert_label(search *s, const gnt_observation *seen, float *y) {
    int labelled;
    TRY(search_features(s, seen, y, &labelled));
    return labelled ? GNT_OK : search_labels(s, seen, y);
}

/* ---- earlier rounds ---- */

static void count_labels(const float *y, int64_t n, int64_t classes, int64_t *count) {
    memset(count, 0, (size_t)classes * sizeof *count);
    for (int64_t i = 0; i < n; i++, y += classes) {
        count[hook_argmax(y, classes)]++;
    }
}

gnt_status invert_bind(search *s, const gnt_observation *seen, const granted_defense *granted) {
    const gnt_host *host = s->self->host;
    const int64_t classes = host->model->info->classes;
    int64_t *count = gnt_host_scratch(host, classes, sizeof *count);
    TRY(hook_memory(host, count != NULL));
    if (seen->n_history > 0) {
        count_labels(s->y, s->n, classes, count);
        TRY(search_history(s, seen, granted, count));
    }
    return search_statistics(s, seen);
}

/* How much more of the observation's own round is left unexplained with the earlier rounds than without
 * that says that they are of other data. */
static const double worse = 2;

/* Searches with half of the steps for a match of all rounds, and with half for one of the last alone.
 * Keeps the first result unless it leaves clearly more of the last round unexplained. */
static gnt_status search_rounds(search *s, int64_t restarts, int64_t steps, double group) {
    const gnt_host *host = s->self->host;
    int64_t size = s->n * s->features;
    int terms = s->n_terms;
    double joint[INVERT_ROUNDS], last, least;
    int32_t chosen;
    if (terms == 1)
        return search_run(s, restarts, steps, group);
    steps = steps > 1 ? steps / 2 : 1;
    float *both = gnt_host_scratch(host, size, sizeof *both);
    TRY(hook_memory(host, both != NULL));
    TRY(search_run(s, restarts, steps, group));
    TRY(search_costs(s, s->winner, joint));
    memcpy(both, s->winner, (size_t)size * sizeof *both);
    chosen = s->chosen;
    least = s->least;
    s->n_terms = 1;
    TRY(search_run(s, restarts, steps, group));
    TRY(search_costs(s, s->winner, &last));
    int changed = joint[0] > worse * last;
    gnt_host_fact(host, "rounds", changed ? 1 : terms);
    if (changed) {
        gnt_host_log(
            host, GNT_LOG_WARN,
            "matching earlier rounds too explains the last one worse: the client's data changed, and the "
            "last round is matched alone");
        return GNT_OK;
    }
    memcpy(s->winner, both, (size_t)size * sizeof *both);
    s->chosen = chosen;
    s->least = least;
    return GNT_OK;
}

gnt_status invert_run(search *s, const gnt_observation *seen) {
    const int64_t restarts = s->self->restarts;
    const int64_t steps = seen->budget > 0 ? (seen->budget + restarts - 1) / restarts : s->self->steps;
    s->total = restarts * steps;
    return search_rounds(s, restarts, steps, s->self->group);
}

CHOSEN_RUN("invert-gradients")

static const gnt_attack hooks = {.size = sizeof hooks, .prepare = invert_prepare, .run = run};

static const char *const aims[] = {"error", "identity", NULL};
static const char *const priors[] = {"auto", "tv", "gaussian", "class_gaussian", NULL};

static const gnt_parameter parameters[] = {
    INVERT_COMMON_ROWS,
    GNT_CHOICE(
        invert, cost, data_term_costs, "auto",
        "distance of updates; auto: likelihood where a granted defense adds noise of a known law, else "
        "cosine"),
    GNT_CHOICE(invert, prior, priors, "auto",
               "auto: chosen by trial where the cost is a likelihood and public images are granted, else tv"),
    GNT_REAL(invert, prior_weight, 1e-9, 1e6, 0.1, GNT_SCALE_LOG, "",
             "weight of the prior in place of the trials' choice, 1 as probabilities say; of a likelihood or "
             "a Gaussian"),
    GNT_REAL(invert, bn, -1, 1000, -1, GNT_SCALE_LINEAR, "", INVERT_BN_HELP),
    GNT_REAL(invert, group, 0, 1e6, 0, GNT_SCALE_LINEAR, "",
             "above 0: restarts run side by side, drawn to their mean with this weight (group consistency, "
             "without registration)"),
    GNT_REAL(invert, features, 0, 1e6, 1, GNT_SCALE_LINEAR, "",
             "weight of the samples' features, where the update of a dense layer behind others determines "
             "them; 0: not used"),
    GNT_CHOICE(
        invert, aim, aims, "error",
        "what trials choose the prior by: least error, or the right image being nearest among many, which "
        "wants a weaker prior"),
};

const gnt_descriptor gradient_invert_gradients = {
    GNT_ATTACK("invert-gradients", "1.7",
               "searches the input whose update points the same way, with a total variation prior", "MIT",
               "Geiping, Bauermeister, Dröge and Moeller, Inverting Gradients, NeurIPS 2020"),
    GRADIENT_COMMON(invert, match_families),
    .scope = GNT_SCOPE_STAGE,
    .goals = GNT_GOAL_RECONSTRUCTION,
    .uses = GNT_KNOWS_LABELS | GNT_KNOWS_RATES | GNT_KNOWS_DEFENSE | GNT_KNOWS_PUBLIC | GNT_KNOWS_PRIOR_DATA |
            GNT_KNOWS_BN_STATS | GNT_KNOWS_HISTORY,
    .data_kinds = GNT_KIND_ANY,
    .flags = GNT_FLAG_RANDOMISED | GNT_FLAG_BUDGET_SCHEDULE};
