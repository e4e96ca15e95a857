/* covered: the tensors of an update that a granted defense clips and noises together, where it does that to
 * some layers alone: as if they were an update of their own. */
#ifndef GRADIENT_COVERED_H
#define GRADIENT_COVERED_H

#include "defense/granted_defense.h"

/* Zeros: none. */
typedef struct covered_part {
    const uint8_t *flag; /* of each tensor of the update; NULL: none */
    noise_law law;
    /* The weight in a sum of squares of an entry with noise, that of an entry without being 1: the
     * precisions' ratio, where entries without noise are known to a thousandth of their root mean square. */
    double weight;
    double floor; /* that deviation */
    int64_t n;
    /* room: n each, the last two for what a call gathers */
    int64_t *tensor;
    gnt_view *view;
    float **slope;
    const float **observed, **mask;
} covered_part;

/* GNT_OK, or a status after host->fail; scratch of the hook. */
gnt_status covered_open(covered_part *c, const gnt_host *host, const granted_defense *granted,
                        const gnt_views *update);

/* Returns the clip of these tensors of u. */
noise_clip covered_clip(covered_part *c, const gnt_views *u);
/* Turns derivatives d by the clipped tensors of u into those by u, as noise_clip_vjp does; right after
 * covered_clip of u. */
void covered_vjp(covered_part *c, noise_clip clip, float *const *d);
/* Returns noise_cost of these tensors of u, and sets their derivatives, unless d is NULL; the other tensors
 * of d stay. */
double covered_cost(covered_part *c, const gnt_views *u, const float *const *observed,
                    const float *const *mask, float *const *d);

#endif
