/* kept_generator: a generator (generator.h) that the hook prepare learns from public images and leaves as
 * artefacts, and that the hook run reads back. */
#ifndef GRADIENT_KEPT_GENERATOR_H
#define GRADIENT_KEPT_GENERATOR_H

#include "prior/generator.h"

typedef struct generator_plan {
    int64_t latents, features; /* of its shape */
    int64_t images;            /* the most that it learns from */
    generator_setting learning;
} generator_plan;

/* Public images below which nothing is learnt. */
enum { GENERATOR_LEAST_IMAGES = 8 };

/* Computes the generator's shape for the model's images; classes: 1 if it is not given the label. GNT_OK,
 * or GNT_UNSUPPORTED after host->fail. */
gnt_status kept_generator_shape(const gnt_host *host, const generator_plan *plan, int64_t classes,
                                generator_shape *s);

/* Learns and writes the artefacts; reports the fact `generator_mse`. GNT_OK, or a status after host->fail. */
gnt_status kept_generator_learn(const gnt_host *host, const generator_plan *plan,
                                const gnt_attack_prepare *in, const gnt_sink *out);

/* Reads the artefacts, which *learnt borrows from. GNT_OK, or a status after host->fail. */
gnt_status kept_generator_load(const gnt_host *host, const generator_plan *plan, const gnt_artefacts *own,
                               generator_shape *s, generator_learnt *learnt);

#endif
