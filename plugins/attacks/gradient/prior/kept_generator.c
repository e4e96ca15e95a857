#include "prior/kept_generator.h"

#include <math.h>
#include <string.h>

#include "cost/update_match.h"
#include "hook.h"

enum { LEAST_SIDE = 4 };

gnt_status kept_generator_shape(const gnt_host *host, const generator_plan *plan, int64_t classes,
                                generator_shape *s) {
    const gnt_model_info *info = host->model ? host->model->info : NULL;
    if (!info || info->rank != 3 || info->dim[1] < LEAST_SIDE || info->dim[2] < LEAST_SIDE)
        return unsupported(host, "its generator makes images with sides of at least 4");
    if (info->output == GNT_OUTPUT_MAP)
        return unsupported(host, "it needs a label among classes, and this model's output is a map");
    *s = (generator_shape){info->dim[0], info->dim[1], info->dim[2], classes, plan->latents, plan->features};
    return GNT_OK;
}

static gnt_status keep(const generator_shape *s, const generator_learnt *learnt, const gnt_host *host,
                       const gnt_sink *out) {
    const int64_t size = generator_size(s), mean[2] = {s->classes, s->latents},
                  factor[2] = {s->latents, s->latents};
    if (out->tensor(out->context, "weights", 1, &size, learnt->weights) == GNT_OK &&
        out->tensor(out->context, "mean", 2, mean, learnt->mean) == GNT_OK &&
        out->tensor(out->context, "factor", 2, factor, learnt->factor) == GNT_OK)
        return GNT_OK;
    return gnt_host_fail(host, "its generator could not be kept");
}

/* Learns without labels if the public images have other classes than the model's. */
gnt_status kept_generator_learn(const gnt_host *host, const generator_plan *plan,
                                const gnt_attack_prepare *in, const gnt_sink *out) {
    const gnt_samples *images = in->public_data;
    generator_shape s;
    double error;
    TRY(kept_generator_shape(host, plan, 1, &s));
    if (!images || !images->x || images->features != generator_pixels(&s) ||
        images->n < GENERATOR_LEAST_IMAGES)
        return unsupported(host, "it learns its generator from public images of the model's size, at least "
                                 "8 of them (knows: public)");
    const int by_class = images->y && images->classes == host->model->info->classes;
    s.classes = by_class ? images->classes : 1;
    float *weights = gnt_host_scratch(host, generator_size(&s), sizeof *weights);
    float *mean = gnt_host_scratch(host, s.classes * s.latents, sizeof *mean);
    float *factor = gnt_host_scratch(host, s.latents * s.latents, sizeof *factor);
    TRY(have_memory(host, weights && mean && factor,
                    "no memory for the generator: take fewer latents or features"));
    const int64_t n = images->n < plan->images ? images->n : plan->images;
    TRY(generator_train(host, &s, &plan->learning, images->x, by_class ? images->y : NULL, n, weights, mean,
                        factor, &error));
    gnt_host_fact(host, "generator_mse", error);
    const generator_learnt learnt = {weights, mean, factor};
    return keep(&s, &learnt, host, out);
}

/* Entries that no generator of this training has: their products would not be finite. */
static const float most_entry = 1e4f;

/* Returns the tensor `name` if it has count entries, none of them too large; else NULL. */
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

/* Tries both numbers of classes that prepare may have learnt with. */
gnt_status kept_generator_load(const gnt_host *host, const generator_plan *plan, const gnt_artefacts *own,
                               generator_shape *s, generator_learnt *learnt) {
    const int64_t classes[2] = {host->model->info->classes, 1};
    for (int i = 0; i < 2; i++) {
        TRY(kept_generator_shape(host, plan, classes[i], s));
        *learnt = (generator_learnt){tensor_of(own, "weights", generator_size(s)),
                                     tensor_of(own, "mean", s->classes * s->latents),
                                     tensor_of(own, "factor", s->latents * s->latents)};
        if (learnt->weights && learnt->mean && learnt->factor)
            return GNT_OK;
    }
    return gnt_host_fail(
        host, "its artefacts hold no generator of this shape with finite weights: expected what its "
              "prepare made with the same parameters");
}
