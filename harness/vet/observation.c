/* One observation: the surface, and the granted knowledge. */
#include <string.h>

#include "fl/defense_chain.h"
#include "vet/defense.h"
#include "vet/setting_impl.h"

/* Adds the knowledge of the defense, if granted: id, parameters, public artefacts. */
static void add_defense(gnt_vet_setting *s, gnt_observation *o) {
    const gnt_artefacts nothing = {.size = sizeof nothing};
    const char *id = s->spec.behind ? s->spec.behind->id : "none";
    const gnt_params *params = s->spec.behind_params;
    o->defense = gnt_guard_put(s->guard, "the defense's id", id, strlen(id) + 1);
    o->n_defense_values = params ? params->n : 0;
    o->defense_values = gnt_guard_put(s->guard, "the defense's parameters", params ? params->value : NULL,
                                      (size_t)(params ? params->n : 1) * sizeof *o->defense_values);
    o->defense_artefacts = s->defense ? gnt_vet_defense_artefacts(s->defense) : NULL;
    if (!o->defense_artefacts)
        o->defense_artefacts = gnt_guard_put(s->guard, "the defense's artefacts", &nothing, sizeof nothing);
}

gnt_observation gnt_vet_common_observation(gnt_vet_setting *s, const gnt_samples *own) {
    const gnt_fl_config c = gnt_vet_config(s);
    const uint32_t granted = s->spec.granted;
    gnt_observation o = {.size = sizeof o,
                         .surface = s->spec.surface,
                         .granted = granted,
                         .goals = s->spec.goals,
                         .update_kind = c.steps ? GNT_UPDATE_DELTA : GNT_UPDATE_GRADIENT,
                         .steps = c.steps,
                         .attribute = -1,
                         .classes = own->classes,
                         .n = s->spec.batch,
                         .batch = s->spec.batch,
                         .rate = c.rate,
                         .weights = s->weights,
                         .buffers = s->buffers,
                         .budget = s->spec.budget,
                         .n_clients = c.clients};
    if (s->spec.surface == GNT_SURFACE_TRANSCRIPT || granted & GNT_KNOWS_SUM) {
        o.n_contribution = GNT_VET_SUM;
        o.n_clients = GNT_VET_SUM_CLIENTS;
    }
    if (own->n_attributes > 0 && s->spec.goals & GNT_GOAL_ATTRIBUTE) {
        o.attribute = 0;
        o.attribute_values = own->attribute[0].values;
    }
    if (granted & GNT_KNOWS_PUBLIC)
        o.public_data = s->public_data;
    if (granted & GNT_KNOWS_PRIOR_DATA)
        o.prior_data = s->public_data;
    if (granted & GNT_KNOWS_DEFENSE)
        add_defense(s, &o);
    return o;
}

/* Adds the surface; sum: of a transcript. */
static int add_surface(gnt_vet_setting *s, gnt_observation *o, const gnt_samples *own, float *rates,
                       double *sum, gnt_err *err) {
    switch (o->surface) {
    case GNT_SURFACE_UPDATE:
        return (o->update = gnt_vet_put_update(s, own, rates, err)) ? 0 : -1;
    case GNT_SURFACE_ENCODING:
        return (o->encoded = gnt_vet_put_encoded(s, own, err)) ? 0 : -1;
    case GNT_SURFACE_REPRESENTATION:
        return (o->representation = gnt_vet_put_representation(s, own, err)) ? 0 : -1;
    default:
        return (o->transcript = gnt_vet_put_transcript(s, sum, err)) ? 0 : -1;
    }
}

/* Puts the samples with blank sensitive regions, and their masks: without masks, bright pixels are
 * sensitive. */
static const gnt_samples *put_outside(gnt_vet_setting *s, const gnt_samples *own) {
    const int64_t m = gnt_mask_size(own), f = own->features;
    uint8_t *mask = gnt_guard_put(s->guard, "masks", own->mask, (size_t)(own->n * m));
    float *x = gnt_guard_put(s->guard, "outside", own->x, (size_t)(own->n * f) * sizeof *x);
    for (int64_t i = 0; mask && x && !own->mask && i < own->n * m; i++)
        mask[i] = x[i / m * f + i % m] > 0.5f;
    for (int64_t i = 0; mask && x && i < own->n * f; i++)
        x[i] = mask[i / f * m + i % f % m] ? 0 : x[i];
    gnt_samples outside = {.size = sizeof outside,
                           .kind = own->kind,
                           .n = own->n,
                           .rank = own->rank,
                           .classes = own->classes,
                           .features = f,
                           .x = x,
                           .mask = mask};
    memcpy(outside.dim, own->dim, sizeof outside.dim);
    return gnt_guard_put(s->guard, "outside", &outside, sizeof outside);
}

/* Adds what is granted of labels, learning rates, order of samples, statistics, region, candidates, secure
 * sum. */
static void add_grants(gnt_vet_setting *s, gnt_observation *o, const gnt_samples *own, const float *rates,
                       const double *sum) {
    gnt_guard *g = s->guard;
    const uint32_t granted = s->spec.granted;
    const int64_t buffers = gnt_model_buffer_size(s->model.model);
    if (granted & GNT_KNOWS_LABELS)
        o->labels = gnt_guard_put(g, "labels", own->y, (size_t)(own->n * own->classes) * sizeof *own->y);
    if (granted & GNT_KNOWS_RATES)
        o->rates = rates;
    if (granted & GNT_KNOWS_ORDER && o->steps) { /* every step uses the whole batch */
        int32_t *order = gnt_guard_put(g, "order", NULL, (size_t)(o->steps * o->batch) * sizeof *order);
        for (int64_t i = 0; order && i < o->steps * o->batch; i++)
            order[i] = (int32_t)(i % o->n);
        o->order = order;
    }
    if (granted & GNT_KNOWS_BN_STATS && buffers)
        o->batch_mean = gnt_guard_put(g, "batch statistics", s->buffers, (size_t)buffers * sizeof(float));
    if (granted & GNT_KNOWS_REGION && own->rank == 3)
        o->outside = put_outside(s, own);
    if (s->spec.goals & GNT_GOAL_MEMBERSHIP)
        o->candidates = s->shadow;
    if (granted & GNT_KNOWS_SUM) {
        o->sum = gnt_guard_put(g, "sum", sum, GNT_VET_SUM * sizeof *sum);
        o->n_sum = GNT_VET_SUM;
    }
}

void gnt_vet_add_history(gnt_vet_setting *s, gnt_observation *o) {
    const gnt_observation *past = gnt_guard_put(s->guard, "history", o, sizeof *o);
    o->round = 1;
    o->history = gnt_guard_put(s->guard, "history", &past, sizeof past);
    o->n_history = 1;
}

gnt_observation *gnt_vet_put_observation(gnt_vet_setting *s, const gnt_samples *own, gnt_err *err) {
    gnt_guard *g = s->guard;
    gnt_observation o = gnt_vet_common_observation(s, own);
    float *rates = o.steps ? gnt_guard_put(g, "rates", NULL, (size_t)o.steps * sizeof *rates) : NULL;
    double sum[GNT_VET_SUM] = {1, 2, 3, 4};
    if (add_surface(s, &o, own, rates, sum, err) != 0)
        return NULL;
    add_grants(s, &o, own, rates, sum);
    if (s->spec.granted & GNT_KNOWS_HISTORY)
        gnt_vet_add_history(s, &o);
    gnt_observation *out = gnt_guard_put(g, "observation", &o, sizeof o);
    if (gnt_guard_full(g)) {
        gnt_fail(err, "out of memory for an observation");
        return NULL;
    }
    return out;
}
