/* layout: infers the format of a document and where its sensitive region lies from the noise that hides it.
 *
 * FedRE gives layer l noise of deviation s_l in proportion to its score S_l, which it measures in the
 * client's own region (shared/region/psi.h). The s_l can be estimated from the update (layer_noise.h), and
 * their profile depends on the region. `prepare` measures scores of public samples, with the broadcast
 * weights and each sample's own mask. With μ_gl = log of the mean S_l over the m_g public samples of a
 * group g, v_l the variance of log S_l within groups, m the number of samples over which the client's
 * scores are averaged, and n_l the entries of layer l,
 *
 *     log p(g | s) = log m_g − ½ Σ_l ((log s_l − μ_gl − c)²/v_gl + log v_gl) + const,
 *     v_gl = v_l·(1/m + 1/m_g) + 1.36/n_l
 *
 * c is common to all layers (ε, the clip, the rounds) and is fitted; 1.36/n is the variance of the log of a
 * median deviation. Groups are the values of the private attribute, and for a region the distinct masks,
 * similar ones together. A pixel's score is the posterior probability of the masks that contain it.
 *
 * If the granted defense does not scale noise by the client's own region, or no layer has noise, the answer
 * is the groups' shares among public samples. */
#include <math.h>
#include <string.h>

#include "gauntlet/plugin.h"
#include "cost/update_match.h"
#include "region/profile.h"
#include "shared/region/seeded_draws.h"
#include "shared/region/psi.h"
#include "update.h"
#include "cost/whitening.h"
#include "hook.h"

typedef struct layout {
    const gnt_host *host;
    int64_t samples, probes, averaged;
} layout;

/* ---- prepare ---- */

static gnt_status leave(const layout *self, const gnt_samples *s, const int64_t *row, int64_t n,
                        const double *score, int64_t n_layers, int32_t attribute, const gnt_sink *out) {
    const gnt_host *host = self->host;
    const int64_t plane = s->dim[1] * s->dim[2], dim[3][2] = {{n, n_layers}, {n, plane}, {n, 1}};
    float *scores = gnt_host_scratch(host, n * n_layers, sizeof *scores);
    float *masks = gnt_host_scratch(host, n * plane, sizeof *masks);
    float *values = gnt_host_scratch(host, n, sizeof *values);
    TRY(hook_memory(host, scores && masks && values));
    for (int64_t i = 0; i < n * n_layers; i++) {
        scores[i] = (float)score[i];
        if (!isfinite(scores[i]))
            return gnt_host_fail(host, "a layer's score of a public image is not finite");
    }
    for (int64_t i = 0; i < n * plane; i++)
        masks[i] = !s->mask || s->mask[row[i / plane] * plane + i % plane];
    for (int64_t i = 0; i < n; i++)
        values[i] = s->a && attribute >= 0 && attribute < s->n_attributes
                        ? (float)s->a[row[i] * s->n_attributes + attribute]
                        : -1;
    TRY(out->tensor(out->context, "scores", 2, dim[0], scores));
    TRY(out->tensor(out->context, "masks", 2, dim[1], masks));
    return out->tensor(out->context, "values", 2, dim[2], values);
}

static gnt_status prepare(void *context, const gnt_attack_prepare *in, const gnt_sink *out) {
    const layout *self = context;
    const gnt_host *host = self->host;
    const gnt_samples *s = in->public_data;
    layers l;
    int64_t *row;
    if (!host->model || (s && s->rank != 3))
        return unsupported(host, "it needs the model, and images");
    TRY(psi_fits(host, s, "public"));
    psi_request of = {.samples = s, .weights = in->weights, .buffers = in->buffers, .probes = self->probes};
    of.seed = draw_seed(host, "probes");
    TRY(psi_choose(host, s, self->samples, "samples", &row, &of.n));
    of.row = row;
    if (of.n == 0)
        return unsupported(host, "no public image has a sensitive region");
    TRY(layers_of_model(host, &l));
    double *score = gnt_host_scratch(host, of.n * l.n, sizeof *score);
    TRY(hook_memory(host, score != NULL));
    TRY(psi_of_each(host, &l, &of, score));
    return leave(self, s, row, of.n, score, l.n, in->attribute, out);
}

/* ---- run ---- */

static const gnt_view *find(const gnt_artefacts *own, const char *name) {
    for (int64_t i = 0; own && i < own->tensors.n; i++)
        if (strcmp(own->tensors.view[i].name, name) == 0 && own->tensors.view[i].rank == 2)
            return &own->tensors.view[i];
    return NULL;
}

typedef struct reading {
    const layout *self;
    const gnt_observation *seen;
    const gnt_view *scores, *masks, *values;
    layer_noise noise;
    profile of; /* compares the noise with the public scores */
    int64_t n, plane;
} reading;

/* True if, as far as the defense is granted, its noise can depend on the client's own region. */
static int depends_on_region(const gnt_observation *seen, const granted_defense *granted, int64_t n_layers) {
    return !seen->defense || (granted->layered.by_scores && !whitening_scores(seen, n_layers));
}

/* Fails where the update says nothing: the shares would be an answer all the same. */
static gnt_status check_update(const gnt_host *host, const gnt_views *update) {
    double squares = 0;
    for (int64_t t = 0; t < update->n; t++)
        squares += squares_of(&update->view[t]);
    return match_check_size(host, squares, MATCH_SHARE);
}

static gnt_status read_all(reading *r, const gnt_artefacts *own) {
    const gnt_host *host = r->self->host;
    const gnt_observation *seen = r->seen;
    const granted_defense granted = granted_defense_of(seen);
    const int64_t averaged = granted.layered.samples ? granted.layered.samples : r->self->averaged;
    r->scores = find(own, "scores");
    r->masks = find(own, "masks");
    r->values = find(own, "values");
    if (!r->scores || !r->masks || !r->values)
        return gnt_host_fail(host, "the scores of public samples that `prepare` leaves are not there");
    r->n = r->scores->dim[0];
    r->plane = r->masks->dim[1];
    TRY(hook_needs_update(host, seen));
    TRY(check_update(host, seen->update));
    TRY(layer_noise_read(&r->noise, host, seen->update));
    if (r->noise.n != r->scores->dim[1])
        return gnt_host_fail(host, "the update has other layers than the model that was scored");
    TRY(profile_open(&r->of, host, &r->noise, r->scores->data, r->n, averaged));
    if (!depends_on_region(seen, &granted, r->noise.n))
        r->of.used = 0;
    gnt_host_fact(host, "layers_compared", (double)r->of.used);
    return GNT_OK;
}

static gnt_status answer_attribute(reading *r, const gnt_answer *answer) {
    const gnt_host *host = r->self->host;
    const int32_t values = r->seen->attribute_values;
    int32_t *group = gnt_host_scratch(host, r->n, sizeof *group);
    float *score = gnt_host_scratch(host, values, sizeof *score);
    TRY(hook_memory(host, group && score));
    for (int64_t i = 0; i < r->n; i++)
        group[i] = (int32_t)r->values->data[i];
    TRY(profile_judge(&r->of, group, values, score));
    return answer->attribute(answer->context, values, score);
}

static gnt_status answer_region(reading *r, const gnt_answer *answer) {
    const gnt_host *host = r->self->host;
    const int64_t n = r->seen->n;
    int32_t *group = gnt_host_scratch(host, r->n, sizeof *group), groups = 0;
    float score[PROFILE_MASKS];
    float *pixel = gnt_host_scratch(host, n * r->plane, sizeof *pixel);
    TRY(hook_memory(host, group && pixel));
    profile_group_masks(r->masks->data, r->n, r->plane, group, &groups);
    TRY(profile_judge(&r->of, group, groups, score));
    for (int64_t i = 0; i < r->n; i++) {
        int64_t members = 0;
        for (int64_t k = 0; k < r->n; k++)
            members += group[k] == group[i];
        const float weight = expf(score[group[i]]) / (float)members;
        for (int64_t p = 0; p < r->plane; p++)
            pixel[p] += weight * r->masks->data[i * r->plane + p];
    }
    for (int64_t i = 1; i < n; i++)
        memcpy(pixel + i * r->plane, pixel, (size_t)r->plane * sizeof *pixel);
    return answer->region(answer->context, n, pixel);
}

static gnt_status run(void *context, const gnt_observation *seen, const gnt_artefacts *own,
                      const gnt_answer *answer) {
    reading r = {.self = context, .seen = seen};
    const gnt_host *host = r.self->host;
    if (!host->model || seen->n < 1)
        return unsupported(host, "it needs the model and the number of samples in the batch");
    TRY(read_all(&r, own));
    if ((seen->goals & GNT_GOAL_ATTRIBUTE) && seen->attribute >= 0)
        TRY(answer_attribute(&r, answer));
    if (seen->goals & GNT_GOAL_REGION)
        TRY(answer_region(&r, answer));
    return GNT_OK;
}

static const gnt_attack hooks = {.size = sizeof hooks, .prepare = prepare, .run = run};

static const gnt_parameter parameters[] = {
    GNT_INT(layout, samples, 1, 100000, 64, "images", "public images whose layers are scored"),
    GNT_INT(layout, probes, 1, 10000, 16, "products",
            "products with the Jacobian for each layer and image; more make a score more exact"),
    GNT_INT(layout, averaged, 1, 1000000, 10, "samples",
            "samples that a client's scores are the mean of, where the grants do not include it"),
};

static const char *const families[] = {"fedre", NULL};

const gnt_descriptor gradient_layout = {
    GNT_ATTACK("layout", "1.0",
               "infers a document's format and its sensitive region from the noise in each layer", "MIT", ""),
    GRADIENT_COMMON(layout, families),
    .scope = GNT_SCOPE_STAGE,
    .goals = GNT_GOAL_ATTRIBUTE | GNT_GOAL_REGION,
    .needs = GNT_KNOWS_PUBLIC | GNT_KNOWS_ATTRIBUTE,
    .uses = GNT_KNOWS_DEFENSE,
    .data_kinds = GNT_KIND_IMAGE,
    .flags = GNT_FLAG_RANDOMISED};
