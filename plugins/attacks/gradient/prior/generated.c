/* The image is G(w) of a generator learnt from public images (kept_generator.h); w is standard normal. */
#include <string.h>

#include "dlg.h"
#include "hook.h"

/* Weights of a prior are in units of Σ|d| over neighbours' differences, of which a negative log-density has
 * this many (search/guarded.c). */
static const double neighbours = 0.1;

static gnt_status generator_prepare(void *self_, const gnt_attack_prepare *in, const gnt_sink *out) {
    const dlg *self = self_;
    return kept_generator_learn(self->host, &self->plan, in, out);
}

static gnt_status generated_open(dlg_objective *o, const gnt_artefacts *own) {
    const gnt_host *host = o->self->host;
    generator_learnt learnt;
    if (o->n != 1 || dlg_searches_labels(o))
        return unsupported(host, "its generator makes one image of a known class: it needs a batch of one "
                                 "sample, and a label that is not searched");
    TRY(kept_generator_load(host, &o->self->plan, own, &o->shape, &learnt));
    const int64_t label = o->shape.classes > 1 ? hook_argmax(o->y, o->classes) : 0;
    o->unknowns = o->shape.latents;
    return generator_open(&o->generator, host, &o->shape, &learnt, label, 1);
}

static const float *generated_image(dlg_objective *o, const float *z) {
    memcpy(o->generator.w, z, (size_t)o->unknowns * sizeof *z);
    return generator_draw(&o->generator);
}

static int generated_pull(dlg_objective *o, double scale, const float *d_x, float *grad) {
    for (int64_t i = 0; i < o->features; i++)
        o->generator.pulled[i] = (float)scale * d_x[i];
    const float *d_w = generator_pull(&o->generator);
    if (d_w)
        memcpy(grad, d_w, (size_t)o->unknowns * sizeof *grad);
    return d_w != NULL;
}

static double generated_add(const dlg_objective *o, const float *z, double weight, float *grad) {
    double squares = 0;
    for (int64_t i = 0; i < o->unknowns; i++) {
        squares += (double)z[i] * (double)z[i];
        grad[i] += (float)(weight * neighbours) * z[i];
    }
    return 0.5 * weight * neighbours * squares;
}

static void generated_close(dlg_objective *o) {
    generator_close(&o->generator);
}

const prior_part prior_generator = {.name = "generator",
                                    .prepare = generator_prepare,
                                    .open = generated_open,
                                    .image = generated_image,
                                    .pull = generated_pull,
                                    .add = generated_add,
                                    .close = generated_close};
